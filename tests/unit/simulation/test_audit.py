"""The audit: a ledger that closes, a receipt that fits on a screen."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw
from linkwork.simulation.audit import Audit, Extreme, ForceEntry
from linkwork.simulation.ledger import EnergySample, Ledger
from linkwork.simulation.recorder import Recorder

from .motions import model_of, recorded


def test_energy_that_nothing_explains_is_of_the_order_of_the_method():
    """The midpoint rule, work included: with half the step, about a quarter of the numerical energy."""
    coarse, fine = (recorded("double pendulum", steps=n).audit for n in (8, 16))
    assert coarse.scale > 1.0
    assert 3.0 < coarse.largest_numerical / fine.largest_numerical < 5.5


def test_the_ledger_closes():
    audit = recorded("double pendulum").audit
    change = audit.kinetic_end - audit.kinetic_start + audit.potential_end - audit.potential_start
    explained = sum(force.work for force in audit.forces) + audit.drives - audit.losses
    assert change == pytest.approx(explained + audit.numerical, abs=1e-13)
    assert abs(explained) > 1.0, "forces did something"


def test_drives_and_losses_are_booked():
    ledger = Ledger("crash")
    assert ledger.frame(EnergySample(0.0, 10.0, 5.0, drives=3.0, losses=1.0)) == 0.0, "sums count from the first frame"
    assert ledger.frame(EnergySample(1.0, 8.0, 5.0, drives=5.0, losses=5.0)) == 0.0, "2 J driven in, 4 J lost: 2 J less"
    assert ledger.frame(EnergySample(2.0, 8.5, 5.0, drives=5.0, losses=5.0)) == 0.5
    audit = ledger.audit()
    assert (audit.drives, audit.losses, audit.numerical, audit.largest_numerical_time) == (2.0, 4.0, 0.5, 2.0)
    assert "joining and impacts" in str(audit) and "drives" in str(audit)


def test_the_scale_does_not_depend_on_the_zero_of_potential_energy():
    def scale(zero):
        ledger = Ledger("drop")
        for t, height in enumerate((3.0, 2.0, 0.5)):
            ledger.frame(EnergySample(t, 3.0 - height, zero + height))
        return ledger.audit().scale

    assert scale(0.0) == scale(1e4) == 2.5


def test_a_force_that_takes_and_one_that_gives():
    spring, brake, motor = ForceEntry("spring", 2.0, 0.5, 1.5), ForceEntry("brake", 0.0, 0.0, -3.0), ForceEntry("motor", 0.0, 0.0, 4.0)
    assert (spring.dissipated, brake.dissipated, motor.dissipated) == (0.0, 3.0, -4.0)
    audit = dataclasses.replace(recorded("double pendulum").audit, forces=(spring, brake, motor))
    assert (audit.dissipated, audit.supplied) == (3.0, 4.0)
    with pytest.raises(lw.UnknownNameError, match="did you mean 'brake'"):
        audit.force("brakes")


def test_the_largest_gap_has_a_name_and_a_time():
    rec = recorded("four-bar")
    worst = int(np.argmax(rec["gaps"][:, 0]))
    assert rec.audit.gap == Extreme(rec["gaps"][worst, 0], rec.layout.row_label(rec["gap_rows"][worst, 0]), rec.time[worst])
    assert rec.audit.gap.value > 0.0 and rec.audit.gap.name
    assert rec.audit.velocity_gap.value == rec["gaps"][:, 1].max()
    assert recorded("double pendulum").audit.gap is None


def audit_of_columns(model, columns, forces=(), rows=(), wall_time=0.0):
    """The audit of arrays over time, by channel name as in a Recording. rows: labels of rows, of which gap_rows has the numbers."""
    ledger = Ledger(model, forces, rows)
    given = {name: columns[name] for name in ("stored", "work", "drives", "losses", "momentum") if name in columns}
    for k, t in enumerate(columns["time"]):
        sample = EnergySample(t, columns["kinetic"][k], columns["potential"][k], **{name: column[k] for name, column in given.items()})
        rows_of = columns["gap_rows"][k].astype(int) if "gap_rows" in columns else (-1, -1)
        ledger.frame(sample, *(zip(columns["gaps"][k], rows_of, strict=True) if "gaps" in columns else ()))
    ledger.count(**{name: int(columns[name].sum()) for name in ("steps", "rejections", "iterations", "evaluations") if name in columns})
    return ledger.audit(wall_time)


@pytest.mark.parametrize("case", ["double pendulum", "satellite", "four-bar"])
def test_columns_give_the_same_audit_as_the_run(case):
    rec = recorded(case)
    rows = [rec.layout.row_label(k) for k in range(len(rec.layout.rows))]
    columns = {name: rec[name] for name in rec.channels if rec.layout.rows or not name.startswith("gap")}
    found = audit_of_columns(rec.layout.model, columns, forces=rec.layout.forces, rows=rows, wall_time=0.25)
    counts = ("steps", "iterations", "most_iterations", "solves", "evaluations")
    same = {name: getattr(rec.audit, name) for name in counts}
    assert dataclasses.replace(found, **same) == rec.audit
    assert found.steps == rec.audit.steps


def test_momentum_is_that_of_the_ends():
    rec = recorded("satellite")
    h = lw.momentum(rec.model, rec.q[-1], rec.v[-1])
    assert rec.audit.momentum_end == pytest.approx((*h.about_origin, *h.linear))
    # Along x and y nothing pulls; the midpoint rule keeps linear momentum to its own order only.
    assert rec.audit.momentum_end[3:5] == pytest.approx(rec.audit.momentum_start[3:5], abs=1e-3)


def test_counts_and_times():
    audit = recorded("four-bar").audit
    assert audit.steps == 39 * 4
    assert audit.mean_iterations == audit.iterations / 39
    assert audit.most_iterations == 2
    assert audit.real_time_factor == pytest.approx(0.78 / 0.25)
    assert np.isnan(dataclasses.replace(audit, wall_time=0.0).real_time_factor)


@pytest.mark.parametrize(
    ("given", "message"),
    [({"work": [1.0]}, "3 forces, give one number each"), ({"stored": [1.0, 2.0, 3.0], "work": [[1, 2, 3]]}, "3 forces")],
)
def test_numbers_for_other_forces_are_refused(given, message):
    with pytest.raises(lw.StateError, match=message):
        Ledger("m", ("a", "b", "c")).frame(EnergySample(0.0, 1.0, 2.0, **given))


def test_an_unknown_count_is_refused():
    with pytest.raises(lw.StateError, match="'stepps' is not counted"):
        Ledger("m").count(stepps=1)


def test_a_run_without_frames_has_no_audit():
    with pytest.raises(lw.StateError, match="without samples"):
        Ledger("m").audit()


def test_nan_is_the_largest_of_all():
    ledger = Ledger("m", rows=("loop.x", "loop.y"))
    for t, gap in enumerate((1e-9, np.nan, 5.0)):
        ledger.frame(EnergySample(t, 1.0, 0.0), gap=(gap, t % 2))
    assert np.isnan(ledger.audit().gap.value) and ledger.audit().gap.time == 1.0
    assert "nan" in str(ledger.audit())


# ---------------------------------------------------------------------- the receipt


@pytest.mark.parametrize("case", ["double pendulum", "satellite", "four-bar"])
def test_the_receipt_is_short_and_aligned(case):
    lines = str(recorded(case).audit).split("\n")
    assert 10 < len(lines) < 40
    assert max(map(len, lines[:-1])) <= 76
    assert lines[0].startswith(f"Receipt: {case}")


def test_the_receipt_of_many_forces_and_long_names_fits_too():
    names = [f"force number {k} with a name that goes on and on and on" for k in range(100)]
    ledger = Ledger("a mechanism with a name " * 9, names, ["a joint with a long name.x"])
    for t in (0.0, 1.0):
        stored, work = 1e5 * t + np.arange(100.0), -t * np.arange(100.0) * 1e-7
        ledger.frame(EnergySample(t, 1e-12, -1e12, stored, work, drives=t, losses=t, momentum=[1e9] * 6), gap=(t, 0), velocity_gap=(t, -1))
    ledger.count(steps=10**9, solves=10**9, iterations=3 * 10**9, most_iterations=50, evaluations=10**10, rejections=12345)
    for k in range(30):
        ledger.warn(f"warning {k}: the step was cut\nbecause of a reason that takes a whole line of text, and then some more of it")
    lines = str(ledger.audit(wall_time=1e5)).split("\n")
    assert len(lines) < 40
    assert max(map(len, lines[:-1])) <= 76
    assert any("95 more" in line for line in lines)
    assert "17 more warnings" in lines[-3]


@pytest.mark.parametrize(
    ("numerical", "gap", "message"),
    [
        (4e-12, None, "energy balanced to 4.0e-13 of 10 J; no loops to close"),
        (0.0, Extreme(2e-12, "loop.x", 1.0), "energy balanced to 0 of 10 J; loops closed within 2.0e-12 m or rad"),
        (0.5, None, "energy NOT balanced: 0.5 J of 10 J at 1 s; no loops to close"),
        (np.nan, None, "energy NOT balanced: nan J of 10 J at 1 s; no loops to close"),
    ],
)
def test_the_receipt_closes_with_a_sentence(numerical, gap, message):
    audit = recorded("double pendulum").audit
    audit = dataclasses.replace(audit, largest_numerical=numerical, largest_numerical_time=1.0, scale=10.0, gap=gap)
    assert str(audit).split("\n")[-1] == message


def test_impacts_and_friction_that_put_energy_in_are_said_by_name():
    m = lw.Mechanism("ball")
    m.add_floor()
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    audit = lw.simulate(m, 0.5, q=[0, 0, 0.5, 1, 0, 0, 0]).audit
    assert audit.contact.impact > 0.0 and "PUT IN" not in str(audit)
    for name, field in (("impacts", "impact"), ("friction", "friction")):
        gained = dataclasses.replace(audit, contact=dataclasses.replace(audit.contact, **{field: -0.5 * audit.scale}))
        assert f"; {name} PUT IN " in str(gained).split("\n")[-1]
        little = dataclasses.replace(audit, contact=dataclasses.replace(audit.contact, **{field: -1e-6 * audit.scale}))
        assert "PUT IN" not in str(little)


def test_a_mechanism_at_rest_is_no_failure():
    ledger = Ledger("rock")
    ledger.frame(EnergySample(0.0, 0.0, 7.0))
    assert str(ledger.audit()).split("\n")[-1] == "no energy was in play; no loops to close"


# ---------------------------------------------------------------------- as JSON


@pytest.mark.parametrize("case", ["double pendulum", "satellite", "four-bar"])
def test_an_audit_survives_json(case):
    audit = dataclasses.replace(recorded(case).audit, warnings=("one", "two"), scale=1e-300)
    assert Audit.from_dict(json.loads(json.dumps(audit.to_dict(), allow_nan=False))) == audit


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.text())
def test_all_numbers_survive_json(x, y, name):
    audit = Audit("m", 0.0, x, y, x, y, x, (ForceEntry(name, x, y, x),), x, y, x, y, x, y, gap=Extreme(x, name, y))
    assert Audit.from_dict(json.loads(json.dumps(audit.to_dict(), allow_nan=False))) == audit


@pytest.mark.parametrize(
    "change",
    [{"start": None}, {"steps": 1.5}, {"steps": True}, {"forces": [["a", 1, 2]]}, {"gap": [1]}, {"gap": [1, 2, 3]}, {"warnings": [1]}],
)
def test_an_audit_that_makes_no_sense_is_refused(change):
    with pytest.raises(lw.FormatError, match="audit"):
        Audit.from_dict(recorded("four-bar").audit.to_dict() | change)


def test_a_ledger_goes_on_from_json_bit_by_bit():
    rec = recorded("double pendulum")
    whole, part = Ledger(rec.layout.model, rec.layout.forces), Ledger(rec.layout.model, rec.layout.forces)
    assert Ledger.from_dict(json.loads(json.dumps(whole.to_dict()))).to_dict() == whole.to_dict(), "before the first frame"

    def feed(ledger, k):
        energies = (rec[name][k] for name in ("kinetic", "potential", "stored", "work"))
        ledger.frame(EnergySample(rec.time[k], *energies, momentum=rec["momentum"][k]))
        ledger.count(steps=4, most_iterations=k % 5)

    for k in range(len(rec)):
        feed(whole, k)
        feed(part, k)
        if k % 7 == 3:
            part = Ledger.from_dict(json.loads(json.dumps(part.to_dict())))
    assert part.audit() == whole.audit()
    with pytest.raises(lw.FormatError, match="ledger"):
        Ledger.from_dict({"model": "m"})


def test_two_audits_in_a_row_are_as_one():
    rec = recorded("four-bar")
    rows = [rec.layout.row_label(k) for k in range(len(rec.layout.rows))]
    columns = {name: rec[name] for name in rec.channels}
    first, second = ({name: x[part] for name, x in columns.items()} for part in (slice(0, 21), slice(20, None)))
    second["steps"] = second["steps"] * (np.arange(20) > 0)  # the shared frame counts once
    whole, a, b = (audit_of_columns("m", x, rows=rows) for x in (columns, first, second))
    joined = a.then(b)
    assert joined.numerical == pytest.approx(whole.numerical, abs=1e-14)
    assert joined.largest_numerical >= whole.largest_numerical - 1e-14
    assert (joined.gap, joined.velocity_gap, joined.steps) == (whole.gap, whole.velocity_gap, whole.steps)
    assert (joined.kinetic_start, joined.kinetic_end, joined.end) == (whole.kinetic_start, whole.kinetic_end, whole.end)


def test_the_recorder_and_the_ledger_agree_on_numerical_energy():
    rec = recorded("double pendulum")
    E = rec["kinetic"] + rec["potential"] - rec["work"].sum(axis=1)
    assert np.allclose(rec["numerical"], E - E[0], atol=1e-13)
    assert np.abs(rec["numerical"]).max() == rec.audit.largest_numerical
    assert Recorder(model_of("four-bar"), "energy").channels[-1] == "numerical"
