"""What hasty people do to a mechanism in motion: several things in one edit, a remedy twice, a hand that holds what a failed step has torn."""

import threading

import numpy as np
import pytest

import linkwork as lw

from .mechanisms import four_bar
from .test_step_recovery import speck


def two_rods():
    live = lw.Live()
    for k, parent in enumerate(("ground", "rod 0")):
        live.add_body(f"rod {k}", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
        live.add_joint(f"pin {k}", lw.Revolute((0, 1, 0)), lw.Place(parent, lw.Pose((0, 0, -1.0 * k))), f"rod {k}")
    live.set_joint("pin 0", q=0.5)
    live.advance(0.1)
    return live


def test_parts_stay_where_they_are_after_a_rename_in_the_same_edit():
    live = two_rods()
    before = live.poses()["rod 1"]
    with live.edit() as m:
        m.rename("rod 1", "bar")
        m.rename("rod 0", "arm")
        m.change("pin 1", kind=lw.Prismatic, stay=True)
    assert live.last_edit.moved < 1e-9 and live.poses()["bar"].isclose(before)


def test_a_copy_stands_beside_what_was_renamed_in_the_same_edit():
    live = lw.Live()
    live.add_body("stone", mass=1.0, inertia=(1, 1, 1), pose=(1, 2, 3))
    with live.edit() as m:
        m.rename("stone", "rock")
        m.copy(["rock"], "second ", offset=(1, 0, 0))
    assert live.poses()["second rock"].translation.tolist() == [2.0, 2.0, 3.0]


def test_an_angle_that_was_set_is_no_length_of_the_kind_that_comes():
    live = two_rods()
    with live.edit() as m:
        m.set_joint("pin 1", q=0.3)
        m.change("pin 1", kind=lw.Prismatic)
    assert live.q[live.model.joint("pin 1").q_index][0] != pytest.approx(0.3)
    with live.edit() as m:  # nor are four numbers those of a hinge
        m.change("pin 1", kind=lw.Revolute)
        m.set_joint("pin 1", q=0.3)
        m.change("pin 1", damping=0.1)
    assert live.q[live.model.joint("pin 1").q_index][0] == pytest.approx(0.3)


def test_an_edit_within_an_edit_is_refused_and_not_lost():
    live = two_rods()
    with pytest.raises(lw.StateError, match="others edited meanwhile"), live.edit() as m:
        m.add_body("one", mass=1.0, inertia=(1, 1, 1))
        live.add_body("other", mass=1.0, inertia=(1, 1, 1))
    assert [body.name for body in live.mechanism.bodies] == ["rod 0", "rod 1", "other"]


def test_renames_that_are_one_step_are_taken_back_without_moving_anything():
    live = lw.Live(lw.Mechanism("drift", gravity=(0, 0, 0)))
    live.add_body("a", mass=1.0, inertia=(1, 1, 1), twist=(0, 0, 0, 1, 0, 0))
    edits = len(live.edits)
    live.rename("a", "b", together="name")
    live.rename("b", "c", together="name")
    assert len(live.edits) == edits + 1
    live.advance(1.0)
    live.undo()
    assert live.poses()["a"].translation == pytest.approx((1.0, 0.0, 0.0))


def test_a_remedy_is_for_the_failure_that_it_was_found_for():
    """Taken again later it would take back what was done since."""
    live = speck(50.0)
    live.advance(0.5)
    remedy = live.remedies[0]
    live.take(remedy)
    with pytest.raises(lw.StateError, match="no step has failed"):
        live.take(remedy)
    live.remove("damper")
    live.advance(0.1)
    with pytest.raises(lw.StateError, match="no step has failed"):
        live.take(remedy)
    assert live.time > 0.09 and not live.mechanism.forces


def torn():
    """A four-bar that a hand holds while a far too stiff spring on a speck shakes it until a step fails; then its loop is torn open."""
    live = four_bar()
    live.advance(0.05)
    live.pull("rod 2", (0, 0, 0), (0.3, 0, 0.3), hard=True)
    live.advance(0.02)
    live.add_body("speck", mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), pose=(0, 0, 1), twist=(0, 0, 0, 0, 0, 1))
    live.add_force("damper", lw.SpringDamper(1e5, 0.5, 0.0), "rod 1", "speck")  # 1e4 rad/s: ten in a step
    assert live.pulling.hard and live.advance(0.5) == "failed"
    lw.Simulation(live.model, lw.RungeKutta4(step=1e-3), q=live.q, v=live.v)  # where it stands now the loop is closed
    live.simulation.system.q[0] += 1e-3
    with pytest.raises(lw.StateError, match="open"):
        lw.Simulation(live.model, lw.RungeKutta4(step=1e-3), q=live.q, v=live.v)
    return live


@pytest.mark.parametrize("then", ["release", "reset", "rewind", "take"])
def test_a_hand_lets_go_of_what_is_torn_after_a_failed_step(then):
    live = torn()
    {
        "release": live.release,
        "reset": live.reset,
        "rewind": lambda: live.rewind(0.03),
        "take": lambda: live.take(live.remedies[0]),
    }[then]()
    if then == "take":  # the state to go on from is the one it stands at: nothing is rewound, and the hand goes on holding
        live.release()
    assert live.pulling is None and live.simulation.model is live.model
    assert np.isfinite(live.q).all() and (np.diff(live.recording.time) >= 0.0).all()
    if then != "rewind":  # to when there was none
        live.remove("damper")
    assert live.advance(0.02).ok


def test_an_edit_of_what_was_torn_can_be_taken_back():
    """The state before it is none to go on from: bodies stay where the edit has put them, and steps before it can be taken back too."""
    live = four_bar()
    before = live.mechanism.clone()
    live.change("rod 0", mass=1.0)
    entry = live._history.done[-1]
    open_ = entry.before.moment._replace(q=entry.before.moment.q + 1e-5)  # as a step that failed leaves it
    live._history.done[-1] = entry._replace(before=entry.before._replace(moment=open_))
    live.undo()
    assert live.mechanism == before and live.simulation.model is live.model
    while live.can_undo:
        live.undo()
    assert not live.mechanism.bodies


@pytest.mark.parametrize("go", ["advance", "step"])
def test_an_iteration_that_meets_no_state_is_a_step_that_failed(go, monkeypatch):
    """Newton's iteration may come to numbers that are none; whoever lets time run gets a status, and can go on otherwise."""
    live = two_rods()
    q = live.q.copy()

    def astray(*_):
        raise lw.StateError("q: element (1,) is nan", "q")

    monkeypatch.setattr(live.simulation.method, go, astray)
    getattr(live, go)()
    assert not live.status.ok and "is nan" in str(live.status) and (live.q == q).all()
    live.integrator = lw.RungeKutta4(step=1e-3)
    assert live.advance(0.02).ok


def test_a_number_of_steps_that_is_none_is_refused():
    live = two_rods()
    for n in ("2", None, 0.5, -1):
        with pytest.raises(lw.StateError, match="n: found"):
            live.step(n)


def test_a_player_of_nothing_is_refused():
    with pytest.raises(lw.ModelError, match="Player: found a NoneType"):
        lw.Player(None)
    with lw.Player(lambda: None) as player, pytest.raises(lw.ModelError, match="Player: found a NoneType"):
        player.ask(lambda live: live.time)


def test_what_was_asked_while_a_mechanism_was_made_in_vain_is_told_why():
    go = threading.Event()

    def make():
        go.wait(10.0)
        raise lw.StateError("no such mechanism", "what")

    with lw.Player(make) as player:
        asked = player.do(lambda live: live.time)
        go.set()
        with pytest.raises(lw.StateError, match="no such mechanism"):
            asked.result(10.0)


def test_time_that_raises_stands_still_and_the_player_goes_on(monkeypatch):
    live = two_rods()
    monkeypatch.setattr(live, "advance", lambda *_, **__: 1 / 0)
    with lw.Player(live) as player:
        player.play()
        for _ in range(200):
            if player.faults:
                break
            threading.Event().wait(0.02)
        assert player.ask(lambda live: "here", timeout=10.0) == "here" and not player.playing
        assert player.faults == ["ZeroDivisionError: division by zero"]
