"""Joining and parting moving bodies: momentum, energy, what stays as it was."""

import numpy as np
import pytest

import linkwork as lw

from .mechanisms import four_bar, kinetic, pucks, run, total_momentum

KINDS = {
    "weld": lw.Weld(),
    "revolute": lw.Revolute((0.3, 0.2, 1.0)),
    "prismatic": lw.Prismatic((1.0, 0.5, 0.0)),
    "screw": lw.Screw((0, 0, 1), pitch=0.1),
    "cylindrical": lw.Cylindrical((0, 1, 0)),
    "universal": lw.Universal((1, 0, 0), (0, 1, 0)),
    "spherical": lw.Spherical(),
    "planar": lw.Planar((0, 0, 1)),
    "translational": lw.Translational(),
}


def meeting(live, a, b, point=(0.4, 0.1, 0.2)):
    """Places on two bodies that coincide where the bodies are now."""
    poses = live.poses()
    there = poses[a] @ lw.Pose(point)
    return lw.Place(a, lw.Pose(point)), lw.Place(b, poses[b].inverse() @ there)


@pytest.mark.parametrize("kind", KINDS)
def test_joining_moving_bodies_keeps_momentum_and_loses_energy(kind):
    """An inelastic impact: the impulses in the new joint are internal. Rounding only: 1e-12 of the momentum."""
    live = pucks()
    before, energy = total_momentum(live), kinetic(live)
    live.add_joint("joint", KINDS[kind], *meeting(live, "puck 0", "puck 1"))
    assert np.allclose(total_momentum(live), before, rtol=0, atol=1e-12 * np.abs(before).max() + 1e-13)
    lost = energy - kinetic(live)
    assert lost > 1e-3  # the motion was not one that the joint allows
    assert live.last_edit.energy_lost == pytest.approx(lost, rel=1e-9)
    assert live.last_edit.moved < 1e-9 and live.last_edit.turned < 1e-9
    live.integrator = lw.RungeKutta4(step=1e-3)
    run(live, 0.5)
    assert np.allclose(total_momentum(live), before, rtol=0, atol=1e-9 * np.abs(before).max())  # what the method keeps, of order 4


def test_no_joining_loses_less():
    """The velocities after are the nearest in the mass metric: any other that the joint allows is further away."""
    live = pucks()
    bodies = live.moment.bodies()
    live.add_joint("hinge", lw.Revolute((0, 0, 1)), *meeting(live, "puck 0", "puck 1"))
    after = live.moment

    def distance(v):
        twists = lw.forward_kinematics(live.model, after.q, v).velocities
        gap = {name: twists[live.model.body(name).index] - V for name, (_, V) in bodies.items()}
        return sum(d @ live.model.body(name).inertia.matrix @ d for name, d in gap.items())

    least = distance(after.v)
    random = np.random.default_rng(0)
    for _ in range(10):
        assert distance(after.v + 0.1 * random.normal(size=live.model.nv)) > least


def test_taking_a_joint_away_keeps_all_velocities():
    live = four_bar()
    run(live, 0.4)
    before = live.moment.bodies()
    assert max(np.abs(V).max() for _, V in before.values()) > 0.5
    live.remove("C")
    for name, (X, V) in live.moment.bodies().items():
        assert X.isclose(before[name][0])
        assert np.allclose(V, before[name][1], rtol=0, atol=1e-10 * np.abs(V).max())
    assert abs(live.last_edit.energy_lost) < 1e-10


def test_closing_a_loop_of_moving_bodies_keeps_it_closed():
    live = four_bar()
    live.remove("D")
    run(live, 0.3)
    live.add_joint("D", lw.Revolute((0, 1, 0)), lw.Place("ground", lw.Pose((0.45, 0, 0))), lw.Place("rod 2", lw.Pose((0.2, 0, 0))))
    assert live.last_edit.energy_lost > 0
    run(live, 0.5)
    assert live.audit.run.gap.value < 1e-9
    assert abs(live.audit.run.numerical) < 2e-2 * live.audit.run.scale  # a first-order method


def test_bodies_that_an_edit_does_not_touch_keep_their_bits():
    live = pucks(4)
    run(live, 0.3)
    before = {name: (X.matrix.copy(), V.copy()) for name, (X, V) in live.moment.bodies().items()}
    live.add_joint("ball", lw.Spherical(), *meeting(live, "puck 0", "puck 1"))
    after = live.moment.bodies()
    for name in ("puck 2", "puck 3"):
        assert (after[name][0].matrix == before[name][0]).all() and (after[name][1] == before[name][1]).all()
    assert not np.array_equal(after["puck 1"][1], before["puck 1"][1])


def test_rotors_of_joints_that_stay_keep_their_momentum():
    """A geared motor whose joint is untouched goes on turning when something else is welded to its base."""
    live = lw.Live(lw.Mechanism("drive", gravity=(0, 0, 0)))
    live.add_body("base", mass=1.0, inertia=(1, 1, 1), pose=(0, 0, 0))
    live.add_body("wheel", mass=1.0, inertia=(1, 1, 1), pose=(0, 0, 0))
    live.add_joint("axle", lw.Revolute((0, 0, 1), armature=5.0), "base", "wheel")
    live.set_joint("axle", v=3.0)
    v = float(live.v[live.model.joint("axle").v_index][0])
    live.add_body("speck", mass=1e-9, inertia=(1e-9,) * 3, pose=(0, 0, 1))
    live.add_joint("glue", lw.Weld(), lw.Place("base", lw.Pose((0, 0, 1))), "speck")
    assert live.v[live.model.joint("axle").v_index][0] == pytest.approx(v, rel=1e-6)


def test_parts_that_do_not_meet_fly_together_the_light_one_most():
    live = lw.Live(lw.Mechanism("two", gravity=(0, 0, 0)))
    live.add_body("heavy", mass=9.0, inertia=(1, 1, 1), pose=(0, 0, 0))
    live.add_body("light", mass=1.0, inertia=(1, 1, 1), pose=(1, 0, 0))
    live.add_joint("ball", lw.Spherical(), "heavy", "light")
    poses = live.poses()
    # With coincident centres of mass the translation alone closes the gap: shares 1/10 and 9/10 of 1 m.
    assert np.allclose(poses["heavy"].translation, (0.1, 0, 0), atol=1e-9)
    assert np.allclose(poses["light"].translation, (0.1, 0, 0), atol=1e-9)
    assert live.last_edit.moved == pytest.approx(0.9, abs=1e-9)


def test_an_edit_that_cannot_be_is_refused_and_nothing_changes():
    live = four_bar()
    run(live, 0.2)
    before, state = live.mechanism.clone(), live.moment
    with pytest.raises(lw.AssemblyError, match="far"):
        live.add_constraint("far", lw.Distance(30.0), "rod 1", "ground")
    with pytest.raises(lw.ModelError, match="rod 9"):
        live.add_joint("E", lw.Weld(), "rod 9", "rod 1")
    with pytest.raises(lw.LinkworkError):
        live.change("rod 1", density=-3.0)
    assert live.mechanism == before and live.moment.same_state(state)
    run(live, 0.1)
    assert live.status.ok


def test_a_mass_that_changes_in_flight_keeps_the_velocity_of_a_free_body():
    live = pucks(1)
    before = live.moment.bodies()["puck 0"]
    live.change("puck 0", mass=7.0)
    X, V = live.moment.bodies()["puck 0"]
    assert X.isclose(before[0]) and np.allclose(V, before[1], atol=1e-12)


def test_prescribed_motion_sets_the_speed_it_asks_for():
    live = four_bar()
    live.add_constraint("motor", lw.SpeedDrive(2.0), "A")
    assert live.v[live.model.joint("A").v_index][0] == pytest.approx(2.0, abs=1e-9)
    run(live, 0.3)
    assert live.v[live.model.joint("A").v_index][0] == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize(
    "kind", [lw.Revolute((0, 0, 1), armature=10.0), lw.Cylindrical((0, 0, 1), armature=(10.0, 3.0)), lw.Spherical(armature=10.0)]
)
def test_energy_lost_by_joining_counts_the_rotors_of_the_joint(kind):
    """What the edit says it took is what lw.energy lacks, and so is the sum of the audit; the bodies alone lose more: their rotor gains a part of it."""
    live = lw.Live()
    live.change_gravity((0, 0, 0))
    live.add_body("a", mass=1.0, inertia=(1, 1, 1))
    live.add_body("b", mass=1.0, inertia=(1, 1, 1), twist=(0, 0, 2.0, 0, 0, 0))
    live.add_joint("j", kind, "a", "b")
    # By hand: the momenta of a and b are -10 (w_b - w_a) and 2 + that; 2 J before.
    assert live.energy().kinetic == pytest.approx(1.047619047619, rel=1e-12)
    assert live.last_edit.energy_lost == pytest.approx(2.0 - live.energy().kinetic, rel=1e-12)
    assert live.audit.energy_lost == live.last_edit.energy_lost
    before = live.energy().kinetic
    live.add_joint("hold", lw.Weld(), "ground", "a")  # the rotor that is there turns on
    assert live.last_edit.energy_lost == pytest.approx(before - live.energy().kinetic, rel=1e-12)


def test_energy_that_a_drive_puts_in_has_a_line_of_its_own():
    """It was taken off what joining had lost, without a word."""
    live = lw.Live(lw.Mechanism("wheel"))
    live.add_body("wheel", mass=1.0, inertia=(1, 1, 1))
    live.add_joint("axle", lw.Revolute((0, 0, 1)), live.mechanism.ground, "wheel")
    live.add_constraint("drive", lw.SpeedDrive(2.0), "axle")
    assert live.last_edit.energy_lost == pytest.approx(-2.0)
    assert str(live.last_edit).endswith("2 J put in by what is driven")
    assert "less what drives put in, -2 J" in str(live.audit)
