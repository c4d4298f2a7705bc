"""Charts: any signal is found, followed and forgotten again."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.panels.charts import MOST_CHARTS, MOST_CURVES, ChartsPanel

from ....waiting import answer


@pytest.fixture
def charts(at, panel):
    at("four-bar")
    charts = panel(ChartsPanel)
    yield charts
    charts.studio.player.ask(lambda live: [charts._remove(live, chart) for chart in list(charts.charts)])
    charts.find.value = ""


def run(charts, frames=30):
    charts.studio.player.ask(lambda live: [live.advance(1 / 60) for _ in range(frames)])
    charts.studio.player.ask(charts.refresh)


def test_a_chart_follows_the_motion(charts):
    chart = answer(charts.add(("q A", "v A")))
    assert chart._plot is not None and not charts.empty.visible
    run(charts)
    times, q, v = chart._plot.data
    live = charts.studio.player.live
    assert len(times) == 30 and times[-1] == pytest.approx(0.5) and np.ptp(q) > 0.01
    assert q[-1] == pytest.approx(live.q[live.model.joint("A").q_index][0], rel=1e-12)
    assert np.abs(np.gradient(q, times) - v).max() < 0.05 * np.abs(v).max()  # of differences at 60 a second
    assert "q A" in chart.numbers.content and "rad/s" in chart.numbers.content
    assert [axis["label"] for axis in chart._plot.axes[1:]] == ["rad", "rad/s"]


def test_the_window_bounds_what_is_shown_and_the_points_are_few(charts):
    chart = answer(charts.add(("energy total",)))
    charts.window.value = 2.0
    run(charts, 300)
    times = chart._plot.data[0]
    assert times[-1] == pytest.approx(5.0) and times[0] >= 3.0 - 1e-9 and len(times) <= 130
    charts.window.value = 10.0


def test_small_numbers_are_shown_in_powers_of_ten(charts):
    chart = answer(charts.add(("gap",)))
    run(charts)
    label = chart._plot.series[1]["label"]
    gaps = charts.studio.player.ask(lambda live: live.history("gap")[1])
    assert 0 < gaps.max() < 1e-9 and "10⁻" in label  # of round-off; in m it would be a flat line at 0
    assert 0.02 <= np.abs(chart._plot.data[1]).max() < 5000


def test_signals_are_found_by_pieces_of_their_names_and_by_the_selected_part(charts):
    charts.find.value = "reac b"
    charts.studio.player.ask(lambda live: charts._offer())
    assert charts.signal.options == ("reaction B  [N]",) and charts._named(charts.signal.value) == "reaction B"
    charts.find.value = "no such thing"
    charts.studio.player.ask(lambda live: charts._offer())
    assert charts.signal.options == ("–",) and charts._named(charts.signal.value) is None
    charts.find.value = ""
    answer(charts.studio.select("C"))
    assert charts.signal.options[0] == "q C  [rad]" and "energy total  [J]" in charts.signal.options
    answer(charts.studio.select(None))


def test_distances_torques_and_reactions_can_be_charted(charts):
    bodies = [body.name for body in charts.studio.player.live.mechanism.bodies]
    names = ("torque A", "reaction B", "moment B", f"speed {bodies[0]}", f"distance {bodies[0]} | {bodies[1]}")
    shown = [answer(charts.add((name,))) for name in names]
    run(charts, 5)
    assert [chart.units for chart in shown] == [["N m"], ["N"], ["N m"], ["m/s"], ["m"]]
    assert all(len(chart._plot.data[0]) == 5 and np.isfinite(chart._plot.data[1]).all() for chart in shown)


def test_unknown_signals_and_too_many_charts_are_refused_in_words(charts):
    with pytest.raises(lw.UnknownNameError, match="no signal is called 'q Z'"):
        answer(charts.add(("q Z",)))
    assert not charts.charts and "no signal is called" in charts.studio.message[0]
    for _ in range(MOST_CHARTS):
        answer(charts.add(("gap",)))
    with pytest.raises(lw.StudioError, match="as many as a page can show"):
        answer(charts.add(("gap",)))
    chart = charts.charts[0]
    names = [signal.name for signal in charts.studio.player.live.signals if signal.name != "gap"]
    for name in names[: MOST_CURVES - 1]:
        answer(charts.add_to(chart, name))
    with pytest.raises(lw.StudioError, match="as many as can be told apart"):
        answer(charts.add_to(chart, names[MOST_CURVES]))


def test_what_no_chart_shows_is_watched_no_more(charts):
    a, b = answer(charts.add(("q A", "gap"))), answer(charts.add(("gap",)))
    answer(charts.remove(a))
    assert set(charts.studio.player.live.watched.values) == {"gap"}
    answer(charts.remove(b))
    assert not charts.studio.player.live.watched.values and charts.empty.visible


def test_charts_go_on_with_another_mechanism_as_far_as_they_can(charts, at):
    chart = answer(charts.add(("energy total", "q A")))
    run(charts, 5)
    at("pendulum")  # it has no joint A
    run(charts, 5)
    assert set(charts.studio.player.live.watched.values) == {"energy total"}
    assert "–" in chart.numbers.content and len(charts.charts) == 1
    at("four-bar")
    run(charts, 5)
    assert len(chart._plot.data[0]) == 5


def test_a_chart_that_has_no_past_shows_what_is_now_and_a_reset_takes_old_curves_away(charts):
    """It showed "-" before time ran; after a reset the curves of the run before stayed, beside "-"."""
    chart = answer(charts.add(("q A",)))
    angle = charts.studio.player.ask(lambda live: live.read("q A"))
    assert chart._plot.data[0].tolist() == [0.0] and chart._plot.data[1].tolist() == [angle]
    assert f"{angle:.4g} rad" in chart.numbers.content
    run(charts)
    assert len(chart._plot.data[0]) == 30
    answer(charts.studio.act(lambda live: live.reset()))
    charts.studio.player.ask(charts.refresh)
    assert chart._plot.data[0].tolist() == [0.0] and chart._plot.data[1] == pytest.approx([angle])
