"""Undo and redo: the identical mechanism, and where nothing moved, the identical state."""

import numpy as np
import pytest

import linkwork as lw

from .mechanisms import four_bar, rods, run


def snapshot(live):
    return live.mechanism.clone(), live.moment


@pytest.mark.slow
def test_undo_all_and_redo_all_at_rest_gives_the_same_bits():
    live = four_bar()
    live.change("rod 1", density=1000.0)
    live.rename("rod 2", "rocker")
    end, states = snapshot(live), []
    count = len(live.edits)
    for _ in range(count):
        states.append(snapshot(live))
        live.undo()
    assert live.mechanism == lw.Mechanism() and not live.can_undo
    for k in range(count):
        live.redo()
        mechanism, moment = states[count - 1 - k]
        assert live.mechanism == mechanism and live.moment.same_state(moment)
    assert live.mechanism == end[0] and live.moment.same_state(end[1]) and not live.can_redo


def test_undo_and_redo_while_time_has_passed():
    live = four_bar()
    model = live.model
    live.add_body("ball", shape=lw.Sphere(0.05), density=500.0, pose=(0, 0, 1))
    run(live, 0.3)
    bits = live.moment
    live.undo()
    assert live.model.fingerprint == model.fingerprint
    was, now = bits.bodies(), live.moment.bodies()
    for name in now:  # what the ball's going does not touch
        assert (was[name][0].matrix == now[name][0].matrix).all() and (was[name][1] == now[name][1]).all()
    live.redo()
    assert live.moment.same_state(bits)


def test_a_new_edit_after_undo_forgets_what_was_undone():
    live = rods()
    live.change("rod 0", density=100.0)
    live.undo()
    live.change("rod 0", density=200.0)
    assert not live.can_redo
    with pytest.raises(lw.StateError, match="nothing to redo"):
        live.redo()
    assert live.mechanism.body("rod 0").density == 200.0


def test_a_slider_is_one_edit():
    live = rods()
    live.add_force("band", lw.SpringDamper(10.0), "rod 0", "rod 1")
    count = len(live.edits)
    for stiffness in (20.0, 30.0, 40.0):
        live.change("band", stiffness=stiffness, together=("slider", "band"))
    assert len(live.edits) == count + 1
    live.undo()
    assert live.mechanism.force("band").kind.stiffness == 10.0


def test_changing_a_force_builds_nothing_and_acts():
    live = rods()
    live.add_force("band", lw.SpringDamper(10.0), "rod 0", "rod 1")
    tables = live.model.tables
    live.change("band", stiffness=500.0)
    assert live.model.tables is tables
    assert live.model.force("band").kind.stiffness == 500.0
    X = live.poses()
    d = X["rod 1"].translation - X["rod 0"].translation
    assert np.allclose(lw.applied_forces(live.model, live.q)[1][0, 3:], 500.0 * d, atol=1e-9)
    with pytest.raises(lw.ModelError, match="stiffness"):
        live.change("band", stiffness=-1.0)
    assert live.mechanism.force("band").kind.stiffness == 500.0


@pytest.mark.slow
def test_undo_without_limit_keeps_no_old_models():
    live = rods()
    for k in range(60):
        live.change("rod 0", density=100.0 + k)
    kept = [entry for entry in live._history.done if entry.before.moment.model is not None]
    assert len(kept) < 40
    for _ in range(60):
        live.undo()
    assert live.mechanism.body("rod 0").density == 2700.0


def test_undo_of_a_removed_body_brings_it_back_where_it_was():
    live = rods()
    where = live.poses()["rod 1"]
    live.remove("rod 1")
    run(live, 0.1)
    live.undo()
    assert live.poses()["rod 1"].isclose(where)


def test_reset_takes_back_whole_turns_too():
    """A motor turns a wheel many times; it is taken back, and reset: the wheel stands at the angle it began with, not some turns further."""
    live = lw.Live(lw.shipped("pendulum"))
    start = live.q.copy()
    live.add_force("motor", lw.Motor((0, 200.0, 0)), "ground", "rod")
    live.advance(2.0)
    assert abs(live.q[0] - start[0]) > 10.0  # rad: it has turned
    live.undo()
    live.reset()
    assert live.q == pytest.approx(start, abs=1e-12) and live.time == 0.0


@pytest.mark.parametrize("edit", ["reset", "rewind", "set_joint"])
def test_undo_brings_the_state_back_that_an_edit_of_the_state_alone_replaced_though_time_has_passed(edit):
    """After reset, advance, undo nothing had come back: neither the state before the reset nor its time."""
    live = lw.Live(lw.shipped("pendulum"))
    live.advance(1.0)
    before = live.moment
    joint = live.mechanism.joints[0].name
    {"reset": live.reset, "rewind": lambda: live.rewind(0.4), "set_joint": lambda: live.set_joint(joint, q=[1.5])}[edit]()
    live.advance(0.3)
    after = live.moment
    live.undo()
    assert live.moment.same_state(before)
    live.redo()
    assert live.moment.same_state(after)  # where it was left, not where the edit had put it
    live.undo()
    live.advance(0.2)
    assert live.time == pytest.approx(before.t + 0.2) and live.status == "stopped"
    assert live.look(live.time).time == pytest.approx(live.time)


def test_an_undo_says_that_it_undid_and_what():
    """It returned, and printed, the edit that was taken back: "add body 'ball'"."""
    live = lw.Live()
    live.add_body("ball", shape=lw.Sphere(0.1), density=1000.0)
    assert live.undo() is live.last_edit and str(live.last_edit) == "0.000 s: undo: add body 'ball'" and live.edits == []
    assert live.redo() is live.last_edit and str(live.last_edit) == "0.000 s: redo: add body 'ball'" and len(live.edits) == 1


def test_undo_of_a_rewind_that_crossed_an_edit_of_parts_brings_the_present_back_though_time_has_passed():
    """The parts came back, the state did not."""
    live = lw.Live(lw.shipped("pendulum"))
    live.advance(0.5)
    live.change_gravity((0.0, 0.0, -1.0))
    live.advance(0.5)
    present = live.q, live.v
    live.rewind(0.2)
    then = live.mechanism.gravity
    live.advance(2.0)
    for _ in range(2):  # and once more after a redo
        live.undo()
        assert live.time == 1.0 and live.mechanism.gravity == (0.0, 0.0, -1.0)
        assert np.array_equal([live.q, live.v], present)
        live.redo()
        assert live.time == pytest.approx(2.2) and live.mechanism.gravity == then


@pytest.mark.parametrize("back", [lambda live: live.rewind(0.2), lambda live: live.reset()])
def test_frames_that_were_forgotten_are_no_part_of_the_recording_after_undo(back):
    """The recording went from 0.2 s to 1 s in one frame, and told times in between by a cubic, 1.2 rad off."""
    live = lw.Live(lw.shipped("four-bar"))
    for _ in range(60):
        live.advance(1 / 60)
    back(live)
    live.undo()
    live.advance(1 / 60)
    assert live.recording.time[0] == live.recorded_since == pytest.approx(1.0)
    with pytest.raises(lw.StateError, match="this recording goes from 1 s"):
        live.recording.at(0.7)
    assert len(live.segments) == 2 and np.diff(live.segments[0].recording.time, append=live.segments[0].first).max() < 0.02
