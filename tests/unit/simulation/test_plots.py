"""Plots: the right curves under the right names and units; files; no display, no pyplot."""

import subprocess
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.columns import JointColumns, Layout
from linkwork.simulation.recording import Recording
from linkwork.simulation.status import Status

from .motions import recorded


def titles(figure):
    return [ax.get_title(loc="left") for ax in figure.axes]


def named(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []


def test_an_overview_shows_coordinates_energy_and_gaps():
    assert titles(recorded("four-bar").plot()) == ["position", "energy", "energy that nothing explains", "largest gap of a constraint"]
    assert titles(recorded("satellite").plot()) == ["position"] * 3 + ["energy", "energy that nothing explains"]
    assert "work done so far" in titles(recorded("double pendulum").plot())


def test_every_panel_has_one_unit():
    figure = recorded("satellite").plot("q", "v", "momentum")
    assert [ax.get_ylabel() for ax in figure.axes] == ["[m]", "quaternion", "[rad]", "[rad/s]", "[m/s]", "[kg m²/s]", "[kg m/s]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"


def test_curves_are_the_columns():
    rec = recorded("double pendulum")
    ax = rec.plot("q").axes[0]
    assert named(ax) == ["shoulder", "elbow"]
    for line, expected in zip(ax.get_lines(), rec.q.T, strict=True):
        assert np.array_equal(line.get_xdata(), rec.time)
        assert np.array_equal(line.get_ydata(), expected)


def test_joints_parts_and_pairs_can_be_named():
    rec = recorded("double pendulum")
    figure = rec.plot("elbow", ("elbow", "v"), ("spring", "dissipated"), ("elbow", "reaction"), "upper", rec.model.joint("shoulder"))
    assert titles(figure) == ["elbow", "elbow v", "spring dissipated", "elbow reaction", "elbow reaction", "upper", "upper", "shoulder"]
    assert np.array_equal(figure.axes[1].get_lines()[0].get_ydata(), rec["elbow", "v"])
    assert named(figure.axes[4]) == ["elbow.Fx", "elbow.Fy", "elbow.Fz"]
    assert len(rec.plot("statistics").axes) == 2


def test_poses_that_were_not_recorded_are_drawn_from_the_model():
    whole = recorded("satellite")
    rec = Recording(whole.layout, {"time": whole.time, "q": whole.q}, model=whole.model)
    ax = rec.plot(("boom", "pose")).axes[0]
    assert np.allclose(ax.get_lines()[2].get_ydata(), whole.pose("boom")[:, 2], atol=1e-14)


def test_of_many_curves_those_that_move_most_are_named():
    layout = Layout("many", "", tuple(JointColumns(f"j{k}", "vector", ("1",), ("rad",)) for k in range(50)))
    t = np.linspace(0.0, 1.0, 20)
    size = np.random.default_rng(3).permutation(50)
    ax = Recording(layout, {"time": t, "q": np.sin(t)[:, None] * size}).plot("q").axes[0]
    largest = sorted(np.argsort(size)[-8:])
    assert named(ax) == [*(f"j{k}" for k in largest), "42 more"]
    assert len(ax.get_lines()) == 50


def test_total_energy_is_always_named():
    ax = recorded("double pendulum").plot("energy").axes[0]
    assert named(ax)[-1] == "mechanical"


def test_gaps_are_drawn_on_a_logarithmic_scale():
    assert recorded("four-bar").plot("gaps").axes[0].get_yscale() == "log"
    assert recorded("double pendulum").plot("gaps").axes[0].get_yscale() == "linear", "all zero: nothing to take a logarithm of"


def test_constant_curves_are_flat():
    layout = Layout("m", "", (JointColumns("j", "vector", ("1",), ("rad",)),))
    q = 1.0 + 1e-16 * np.random.default_rng(0).integers(-3, 4, (50, 1))
    low, high = Recording(layout, {"time": np.arange(50.0), "q": q}).plot("q").axes[0].get_ylim()
    assert high - low > 0.05


def test_names_are_shown_as_they_are(tmp_path):
    joints = tuple(JointColumns(name, "vector", ("1",), ("rad",)) for name in ("_hidden", "$x^2", "$\\frac{", "long " * 30, "line\nbreak"))
    rec = Recording(Layout("$\\bad{ name_", "", joints), {"time": [0.0, 1.0], "q": np.ones((2, 5))})
    figure = rec.plot("q", path=tmp_path / "names.png")
    assert [text.strip() for text in named(figure.axes[0])][:2] == ["_hidden", r"\$x^2"]
    assert len(named(figure.axes[0])) == 5


@pytest.mark.parametrize(("suffix", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures_are_saved(tmp_path, suffix, begins):
    path = tmp_path / f"plot.{suffix}"
    recorded("double pendulum").plot("q", path=path)
    assert path.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [path]


def test_frames_that_are_not_numbers_leave_gaps(tmp_path):
    layout = Layout("m", "", (JointColumns("j", "vector", ("1",), ("rad",)),))
    rec = Recording(layout, {"time": [0.0, 1.0, 2.0], "q": [[1.0], [np.nan], [np.inf]]}, status=Status("failed", "NaN"))
    figure = rec.plot("q", path=tmp_path / "x.png")
    assert "failed" in figure.get_suptitle()


@pytest.mark.parametrize(
    ("names", "more", "error", "message"),
    [
        (("elbo",), {}, lw.UnknownNameError, "did you mean 'elbow'"),
        (("tau",) * 20, {}, lw.StateError, "20 panels are too many"),
        (("multipliers",), {}, lw.StateError, "no columns to show"),
        ((slice(0, 1),), {}, lw.StateError, r"rec\[t0:t1\]"),
        (("q",), {"path": "x.doc"}, lw.FormatError, "no picture format is known for the suffix '.doc'"),
        (("q",), {"path": "no/such/folder/x.png"}, lw.FormatError, "cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_explained(tmp_path, monkeypatch, names, more, error, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        recorded("double pendulum").plot(*names, **more)
    assert not list(tmp_path.iterdir())


def test_an_empty_recording_has_no_plot():
    with pytest.raises(lw.StateError, match="no samples"):
        recorded("double pendulum")[5.0:].plot()


@pytest.mark.slow
def test_neither_import_nor_plot_needs_a_display():
    code = (
        "import sys, linkwork as lw\n"
        "assert not {'matplotlib', 'pyarrow'} & set(sys.modules), 'imported before they are needed'\n"
        "from linkwork.simulation.columns import JointColumns, Layout\n"
        "rec = lw.Recording(Layout('m', '', (JointColumns('j', 'vector', ('1',), ('rad',)),)), {'time': [0.0, 1.0], 'q': [[0.0], [1.0]]})\n"
        "rec.plot('q').canvas.draw()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_plot_takes_the_names_that_the_command_line_takes():
    """rec.plot("spring.work") was refused, though `linkwork plot` took it."""
    rec = recorded("double pendulum")
    figure = rec.plot("spring.work", "elbow.v", ("elbow", "v"), "v elbow")
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["spring work", "elbow v", "elbow v", "v elbow"]
    drawn = [ax.lines[0].get_ydata() for ax in figure.axes]
    assert np.array_equal(drawn[0], rec["spring", "work"]) and all(np.array_equal(y, rec["elbow", "v"]) for y in drawn[1:])
