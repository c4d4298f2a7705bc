"""A joint that takes another kind while it moves: momentum, energy, velocities, what acts on it, and undo."""

import itertools

import numpy as np
import pytest

import linkwork as lw

from .mechanisms import four_bar, kinetic, pucks, run, total_momentum
from .test_state_transfer_joining import KINDS, meeting

PAIRS = [(a, b) for a, b in itertools.permutations(KINDS, 2) if "translational" not in (a, b)]
# What each kind allows and others do, with the axes of KINDS: from one to the other nothing is lost.
WIDER = [("weld", b) for b in KINDS if b not in ("weld", "translational")] + [
    ("revolute", "spherical"),
    ("universal", "spherical"),
    ("prismatic", "planar"),
]


def chain(kind, closed=False):
    """Three bodies that float, joined in a row by the kind in question and a ball; closed to a loop, they can still move."""
    live = pucks(3)
    live.add_joint("joint", KINDS[kind], *meeting(live, "puck 0", "puck 1"))
    live.add_joint("ball", lw.Spherical(), *meeting(live, "puck 1", "puck 2"))
    if closed:
        live.add_joint("strut", lw.Translational(), *meeting(live, "puck 2", "puck 0"))
    return live


def state(live):
    return live.q.copy(), live.v.copy(), live.mechanism.clone()


@pytest.mark.parametrize("closed", [False, True], ids=["tree", "loop"])
@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_another_kind_keeps_momentum_and_undo_every_bit(old, new, closed):
    """The impulses of the impact are internal, wherever the tree is cut. Places meet, so that nothing flies: rounding only, 1e-12 of the momentum."""
    live = chain(old, closed)
    before, energy, kept = total_momentum(live), kinetic(live), state(live)
    live.change("joint", kind=KINDS[new])
    assert np.allclose(total_momentum(live), before, rtol=0, atol=1e-12 * np.abs(before).max())
    lost = energy - kinetic(live)
    assert lost > -1e-12
    assert live.last_edit.energy_lost == pytest.approx(lost, rel=1e-9, abs=1e-12)
    assert live.last_edit.moved < 1e-9 and len(live.edits) == len(kept[2].bodies) + len(kept[2].joints) + 1  # one transaction
    after = state(live)
    live.undo()
    assert (live.q == kept[0]).all() and (live.v == kept[1]).all() and live.mechanism == kept[2]
    live.redo()
    assert (live.q == after[0]).all() and (live.v == after[1]).all() and live.mechanism == after[2]


@pytest.mark.parametrize(("old", "new"), WIDER)
def test_more_freedom_keeps_all_velocities(old, new):
    live = chain(old)
    run(live, 0.2, 4)
    before = live.moment.bodies()
    live.change("joint", kind=KINDS[new])
    for name, (X, V) in live.moment.bodies().items():
        assert X.isclose(before[name][0])
        assert np.allclose(V, before[name][1], rtol=0, atol=1e-11 * np.abs(V).max())


def test_less_freedom_loses_energy():
    """The other way round there is an inelastic impact: the ball moved in ways that the hinge does not."""
    live = chain("spherical")
    live.change("joint", kind=KINDS["revolute"])
    assert live.last_edit.energy_lost > 1e-3


@pytest.mark.parametrize(("old", "new"), PAIRS[::3])
def test_parts_that_do_not_fit_fly_together_with_their_linear_momentum_and_energy(old, new):
    """A flight moves parts as an external force would: linear momentum and, before the impact, kinetic energy are kept. Rounding only."""
    live = chain(old)
    run(live, 0.2, 4)
    before, energy = total_momentum(live), kinetic(live)
    live.change("joint", kind=KINDS[new])
    assert np.allclose(total_momentum(live)[3:], before[3:], rtol=0, atol=1e-12 * np.abs(before).max())
    assert kinetic(live) <= energy + 1e-12
    run(live, 0.1, 2)


def test_some_of_these_do_fly():
    live = chain("universal")
    run(live, 0.2, 4)
    live.change("joint", kind=KINDS["weld"])
    assert live.last_edit.turned > 0.1


@pytest.mark.parametrize("new", ["weld", "prismatic", "revolute", "universal", "planar", "screw", "spherical"])
def test_with_stay_no_part_moves(new):
    live = chain("spherical")
    run(live, 0.2, 4)
    poses, before = live.poses(), total_momentum(live)
    live.change("joint", kind=KINDS[new], stay=True)
    assert live.last_edit.moved < 1e-12 and live.last_edit.turned < 1e-12
    assert all(X.isclose(poses[name]) for name, X in live.poses().items())
    assert np.allclose(total_momentum(live), before, rtol=0, atol=1e-12 * np.abs(before).max())
    again = lw.Live(live.mechanism)  # the place is the mechanism's: its own state does not matter
    assert again.mechanism.joint("joint").child == live.mechanism.joint("joint").child


def test_a_hinge_of_a_moving_four_bar_becomes_a_ball_and_a_hinge_again():
    """What moves in a plane goes on in it: nothing is lost on either way but what loops stood open, up to 1e-9 m."""
    live = four_bar()
    run(live, 0.4)
    energy = kinetic(live)
    live.change("B", kind=lw.Spherical)
    assert live.last_edit.energy_lost == pytest.approx(0.0, abs=1e-8 * energy)
    live.change("B", kind=lw.Revolute((0, 1, 0)))
    assert live.last_edit.energy_lost == pytest.approx(0.0, abs=1e-8 * energy) and live.last_edit.moved < 1e-9
    run(live, 0.2)


def test_a_loop_that_cannot_hold_a_kind_is_refused_and_nothing_has_changed():
    """Crank and rod in one line with the ground reach 0.7 m, and the rocker would have to be 0.25 m long. It is 0.4 m."""
    live = four_bar()
    run(live, 0.2)
    live.change("A", kind=lw.Weld())
    kept = state(live)
    with pytest.raises(lw.AssemblyError):
        live.change("B", kind=lw.Weld())
    assert (live.q == kept[0]).all() and live.mechanism == kept[2]


def test_a_rotor_goes_on_turning_when_its_joint_gains_freedom():
    live = lw.Live(lw.Mechanism("drive", gravity=(0, 0, 0)))
    live.add_body("base", mass=1.0, inertia=(1, 1, 1), pose=(0, 0, 0))
    live.add_body("wheel", mass=1.0, inertia=(1, 1, 1), pose=(0, 0, 0))
    live.add_joint("axle", lw.Revolute((0, 0, 1), armature=5.0), "base", "wheel")
    live.set_joint("axle", v=3.0)
    before = live.twists()
    live.change("axle", kind=lw.Cylindrical)
    assert live.mechanism.joint("axle").kind.armature == (5.0, 0.0)
    assert all(np.allclose(V, before[name], atol=1e-12) for name, V in live.twists().items())


def pendulum(kind=None):
    live = lw.Live()
    live.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    live.add_joint("pivot", kind or lw.Revolute((0, 1, 0), damping=0.2, lower=-2.0, upper=2.0), "ground", "rod")
    return live


def test_what_acts_on_a_coordinate_goes_on_with_it():
    live = pendulum()
    live.add_force("spring", lw.JointSpring(stiffness=2.0), ("pivot", 0))
    live.add_force("damper", lw.JointDamper(damping=0.1), "pivot")
    live.change("pivot", kind=lw.Universal((0, 1, 0), (1, 0, 0)))
    assert live.mechanism.force("spring").joints == (("pivot", 0),)
    live.change("pivot", kind=lw.Planar((0, 1, 0)))  # lengths first, the angle last
    assert live.mechanism.force("spring").joints == (("pivot", 2),)
    with pytest.raises(lw.ModelError, match="force 'spring': JointSpring needs a coordinate"):
        live.change("pivot", kind=lw.Spherical())
    assert live.mechanism.force("damper").joints == (("pivot", 2),)
    live.undo()
    live.undo()
    assert live.mechanism.force("spring").joints == (("pivot", 0),)
    live.change("pivot", kind=lw.Cylindrical((0, 1, 0)))
    assert live.mechanism.force("damper").joints == (("pivot", 0),)  # not the slide: its number is in N m s


def test_what_can_not_go_on_is_named_or_removed():
    live = pendulum()
    live.add_force("spring", lw.JointSpring(stiffness=2.0), "pivot")
    live.add_constraint("motor", lw.SpeedDrive(1.0), "pivot")
    kept = state(live)
    with pytest.raises(lw.ModelError, match="an angle, and Prismatic has a length only") as refused:
        live.change("pivot", kind=lw.Prismatic((0, 0, 1)))
    assert [name for name, _ in refused.value.faults] == ["motor", "spring"]
    assert live.mechanism == kept[2]
    live.change("pivot", kind=lw.Prismatic((0, 0, 1)), dependents=True)
    assert not live.mechanism.forces and not live.mechanism.constraints
    assert live.last_edit.python.endswith("dependents=True)")
    live.undo()
    assert live.mechanism == kept[2]


def test_a_class_takes_over_axis_limits_and_damping():
    live = pendulum()
    live.change("pivot", kind=lw.Universal)
    kind = live.mechanism.joint("pivot").kind
    assert kind.axis1 == (0.0, 1.0, 0.0) and kind.lower == (-2.0, -np.inf) and kind.damping == (0.2, 0.0)
    live.change("pivot", kind=lw.Spherical)
    assert live.mechanism.joint("pivot").kind == lw.Spherical()  # two angles, two dampings: none that all directions share
    live.undo()
    live.undo()
    live.change("pivot", kind=lw.Spherical)
    assert live.mechanism.joint("pivot").kind == lw.Spherical(damping=0.2)
    assert live.last_edit.python == "live.change('pivot', kind=lw.Spherical(damping=0.2))"
    with pytest.raises(lw.ModelError, match="joint 'pivot': kind: found Custom"):
        live.change("pivot", kind=lw.Custom)
    with pytest.raises(lw.StateError, match="stay"):
        live.change("rod", mass=2.0, stay=True)


def test_a_chart_goes_on_with_its_coordinate_and_no_other():
    live = pendulum()
    for name in ("q pivot", "v pivot", "reaction pivot"):
        live.watch(name)
    live.set_joint("pivot", q=0.5)
    run(live, 0.1, 5)
    live.change("pivot", kind=lw.Planar)
    run(live, 0.1, 5)
    q = live.model.joint("pivot").q_index
    assert len(live.history("q pivot")[0]) == 10 and live.history("q pivot")[1][-1] == live.q[q][2]
    live.change("pivot", kind=lw.Prismatic((1, 0, 0)))  # no angle is left: m is not rad
    run(live, 0.1, 5)
    assert len(live.history("q pivot")[0]) == 10 and len(live.history("reaction pivot")[0]) == 15


def test_the_session_as_a_script_does_the_same():
    live = pendulum()
    live.add_force("spring", lw.JointSpring(stiffness=2.0), "pivot")
    live.set_joint("pivot", q=0.3, v=1.0)
    live.change("pivot", kind=lw.Cylindrical)
    live.change("pivot", kind=lw.Weld, dependents=True, stay=True)
    said = {"lw": lw}
    exec(live.python, said)  # a text of our own
    assert said["live"].mechanism.joint("pivot").kind == lw.Weld() and not said["live"].mechanism.forces
    assert said["live"].poses()["rod"].isclose(live.poses()["rod"])


def test_a_file_keeps_its_comments():
    text = """linkwork = 1  # a door
name = "door"

[body.leaf]
mass = 3.0
inertia = [1.0, 1.0, 1.0]

# brass
[joint.hinge]
kind = "revolute"
axis = [0.0, 0.0, 1.0]
parent = "ground"
child = "leaf"
"""
    live = lw.Live(lw.Document.from_text(text))
    live.change("hinge", kind=lw.Cylindrical)
    written = live.document.text
    assert "# a door" in written and "# brass" in written and 'kind = "cylindrical"' in written
    assert lw.Document.from_text(written).mechanism.joint("hinge").kind == lw.Cylindrical((0, 0, 1))
