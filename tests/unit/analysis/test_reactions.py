"""Reactions against textbooks and against the dense referee; frames, drives, constraints, messages."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian
from linkwork.dynamics.inverse import newton_euler_forces

from ...reference import as_vector, by_body, by_joint, of_model, solve
from ...zoo import ZOO, configuration, random_loops
from .measure import least_norm

# Wrenches come out of sums over some dozen parts: rounding of 1e-16 each, and the condition of the rows (up to 1e4 in the zoo).
CLOSE = 1e-9


def close(found, expected, scale=None):
    expected = np.asarray(expected, dtype=float)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0))) if scale is None else scale
    return bool(np.max(np.abs(np.asarray(found) - expected), initial=0.0) < CLOSE * scale)


def admissible(model, q, rng):
    """A random velocity that all rows allow."""
    J = constraint_jacobian(model, q, np.zeros(model.nv)).J
    _, sizes, Vt = np.linalg.svd(J)
    N = Vt[int(np.sum(sizes > 1e-9)) :].T
    return N @ rng.normal(size=N.shape[1])


# ------------------------------------------------------------------------------------------------------------ textbook


def pendulum(mass=2.0, length=0.7, inertia=0.3):
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=mass, com=(0, 0, -length), inertia=(inertia, inertia, inertia))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    m.add_frame("tip", bob.at(0, 0, -length))
    return m


@pytest.mark.parametrize(("angle", "rate"), [(0.0, 0.0), (0.4, 0.0), (-1.1, 2.5), (2.0, -3.0)])
def test_a_pendulum_hangs_on_its_pivot_by_weight_and_centripetal_force(angle, rate):
    """Along the rod m (g cos + L w^2), across it m g sin less the part that accelerates, m L alpha."""
    mass, length, inertia, g = 2.0, 0.7, 0.3, 9.81
    r = lw.reactions(pendulum(mass, length, inertia).build(), [angle], [rate])
    alpha = -mass * g * length * np.sin(angle) / (inertia + mass * length**2)
    along, across = mass * (g * np.cos(angle) + length * rate**2), -mass * (g * np.sin(angle) + length * alpha)
    # The bob hangs along -z of its own frame; a positive turn about y swings it towards -x, and the rod pulls along +z of that frame.
    assert close(r.force("pivot", "child"), [across, 0.0, along])
    assert close(r.moment("pivot", "child"), [0.0, 0.0, 0.0])
    assert close(r.vdot, [alpha])
    assert r.unique("pivot").all()
    assert r.self_stress == 0


def test_every_joint_of_a_hanging_chain_carries_what_is_below_it():
    m, above, masses = lw.Mechanism("chain"), None, [1.0, 2.0, 0.5, 4.0]
    for k, mass in enumerate(masses):
        body = m.add_body(f"link {k}", mass=mass, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"joint {k}", lw.Spherical(), m.ground if above is None else above.at(0, 0, -1.0), body)
        above = body
    model = m.build()
    r = lw.reactions(model, lw.neutral(model), np.zeros(model.nv))
    for k in range(len(masses)):
        assert close(r.wrench(f"joint {k}"), [0, 0, 0, 0, 0, 9.81 * sum(masses[k:])])


def test_a_weld_transmits_like_a_force_sensor():
    """Bodies welded together share a link of the model, and still the wrench between them is known."""
    m = lw.Mechanism("arm with a sensor")
    arm = m.add_body("arm", mass=3.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1))
    tool = m.add_body("tool", mass=2.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.add_joint("shoulder", lw.Revolute((0, 0, 1)), m.ground, arm)
    m.add_joint("sensor", lw.Weld(), arm.at(1, 0, 0), tool)
    r = lw.reactions(m.build(), [0.0], [0.0], f_ext={"tool": [0, 0, 0, 0, 5.0, 0]}, tau=[0.0])
    alpha = float(r.vdot[0])
    # The tool's centre is 1.3 m from the axis: it needs m 1.3 alpha across, of which 5 N come from outside.
    assert close(r.force("sensor"), [0.0, 2.0 * 1.3 * alpha - 5.0, 2.0 * 9.81])
    assert close(r.moment("sensor"), [0.0, -0.3 * 2.0 * 9.81, 0.1 * alpha + 0.3 * 2.0 * 1.3 * alpha])
    assert alpha > 0.1


def test_a_door_on_two_hinges_shares_what_cannot_be_known_evenly():
    m = lw.Mechanism("door")
    leaf = m.add_body("leaf", mass=20.0, com=(0.4, 0, 0.75), inertia=(5, 5, 2))
    for k, z in enumerate((0.0, 1.5)):
        m.add_joint(f"hinge {k}", lw.Revolute((0, 0, 1)), m.ground.at(0, 0, z), leaf.at(0, 0, z))
    r = lw.reactions(m.build(), [0.0, 0.0], [0.0, 0.0])
    weight = 20.0 * 9.81
    assert r.self_stress == 5
    assert close(r.force("hinge 0")[2], weight / 2)
    assert close(r.force("hinge 1")[2], weight / 2)
    assert not r.unique("hinge 0")[[0, 1, 3, 4, 5]].any()
    assert r.unique("hinge 0")[2]  # about its axis a hinge gives nothing, whatever the stress
    # Both balance the weight's moment about y together.
    total = r.moment("hinge 0") + r.moment("hinge 1") + np.cross((0, 0, 1.5), r.force("hinge 1"))
    assert close(total, [0.0, -0.4 * weight, 0.0])


# ------------------------------------------------------------------------------------------------------------ the referee


def compared(mechanism, model, q, v, rng):
    tau, f_ext = rng.normal(size=model.nv), rng.normal(size=(model.nb, 6))
    r = lw.reactions(model, q, v, tau, f_ext)
    snapshot = of_model(mechanism, model, q, v)
    truth = solve(snapshot, by_joint(model, tau), by_body(model, f_ext))
    expected = least_norm(snapshot, truth, r.length)
    scale = max(1.0, max(float(np.max(np.abs(W))) for W in expected.values()))
    assert r.self_stress == truth.redundancy
    assert all(close(r.vdot[model.joint(name).v_index], x, 1.0 + np.max(np.abs(r.vdot))) for name, x in truth.vdot.items())
    assert [name for name, W in expected.items() if not close(r.wrench(name, "child"), W, scale)] == []
    assert [name for name in expected if not np.array_equal(r.unique(name, "child"), truth.unique(name))] == []
    assert r.imbalance < CLOSE
    return r


@pytest.mark.parametrize("name", ZOO)
def test_reactions_are_the_referees_choice_of_least_norm(name):
    """Accelerations, all wrenches (the redundant ones of least norm), and which of their components are unique."""
    example = ZOO[name]()
    model, rng = example.mechanism.build(), np.random.default_rng(3)
    q = configuration(model, example.guess)
    singular = example.facts.dof > example.facts.generic_dof
    known = example.facts.velocity
    v = admissible(model, q, rng) if not singular else as_vector(model, known) if known else np.zeros(model.nv)
    compared(example.mechanism, model, q, v, rng)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_reactions_of_random_mechanisms_are_the_referees(seed):
    example = random_loops(seed)
    model, rng = example.mechanism.build(), np.random.default_rng(seed)
    q = configuration(model, example.guess)
    compared(example.mechanism, model, q, admissible(model, q, rng), rng)


def test_in_a_planar_four_bar_what_is_in_the_plane_is_unique_and_the_rest_is_not():
    """In the hinge's own frame, z across the plane: moments about x and y and the force along z can be stressed at will."""
    example = ZOO["four-bar"]()
    model = example.mechanism.build()
    r = lw.reactions(model, configuration(model, example.guess), np.zeros(model.nv))
    for joint in model.joints:
        assert r.unique(joint.name, "parent").tolist() == [False, False, True, True, True, False]


# ------------------------------------------------------------------------------------------------------------ frames


def test_a_wrench_moves_between_frames_as_force_vectors_do():
    model = pendulum().build()
    q, v = [0.7], [2.0]
    r, kinematics = lw.reactions(model, q, v), lw.forward_kinematics(model, q, v)
    ground = r.wrench("pivot", "ground")
    for frame in ("bob", "tip"):
        assert close(kinematics.pose(frame).force_adjoint @ r.wrench("pivot", frame), ground)
    assert close(r.wrench("pivot", "world"), ground)  # the pivot is at the world's origin
    assert not close(r.moment("pivot", "tip"), np.zeros(3))
    assert np.array_equal(r.wrench("pivot"), np.concatenate([r.moment("pivot"), r.force("pivot")]))


def test_a_sliding_joint_has_two_points():
    """In the child's frame the moment is about the child's point, in the parent's about the parent's; the world takes the child's."""
    m = lw.Mechanism("slide")
    box = m.add_body("box", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, box)
    r = lw.reactions(m.build(), [3.0], [0.0])
    weight = 2.0 * 9.81
    assert close(r.wrench("rail", "child"), [0, 0, 0, 0, 0, weight])
    assert close(r.wrench("rail", "world"), [0, 0, 0, 0, 0, weight])
    assert close(r.wrench("rail", "parent"), [0, -3.0 * weight, 0, 0, 0, weight])


# ------------------------------------------------------------------------------------------------------------ drives, constraints


def arm(*constraints, loop=False):
    m = lw.Mechanism("arm")
    a, b = (m.add_body(name, mass=2.0, com=(0.3, 0, 0.05), inertia=(0.1, 0.2, 0.15)) for name in ("upper", "lower"))
    m.add_joint("shoulder", lw.Revolute((0, 1, 0), armature=0.2), m.ground, a)
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), a.at(0.6, 0, 0), b)
    for name, kind, *places in constraints:
        m.add_constraint(name, kind, *places)
    return m.build()


TIMES = np.linspace(0.0, 1.0, 6)
FIRST, SECOND = CubicSpline(TIMES, np.sin(2 * TIMES)), CubicSpline(TIMES, np.cos(3 * TIMES))


def test_the_force_of_a_drive_is_that_of_inverse_dynamics():
    model, t = arm(("motor 1", lw.Drive(FIRST), "shoulder"), ("motor 2", lw.Drive(SECOND), "elbow")), 0.43
    q, v, vdot = ([float(s(t, k)) for s in (FIRST, SECOND)] for k in range(3))
    tau = np.array([1.5, -0.5])
    r = lw.reactions(model, q, v, tau, t=t)
    needed = newton_euler_forces(model, q, v, vdot, None)
    assert close(r.vdot, vdot)
    assert close([*r.drive("motor 1"), *r.drive("motor 2")], needed - tau)
    assert close([*r.drive("shoulder"), *r.drive("elbow")], needed - tau)
    assert r.drive_unique("motor 1").all()
    assert np.min(np.abs(needed - tau)) > 0.1


def test_the_force_of_a_drive_moves_a_loop_as_it_moves_by_itself():
    """A four-bar whose crank is driven, and the same without the drive but with the force it needed: the same accelerations and wrenches."""
    free, driven = ZOO["four-bar"]().mechanism, ZOO["four-bar"]().mechanism
    driven.add_constraint("motor", lw.Drive(CubicSpline(TIMES, 0.8 * TIMES**2)), "pivot")
    one, other = driven.build(), free.build()
    q, v = np.zeros(4), np.zeros(4)
    r = lw.reactions(one, q, v)
    tau = np.zeros(4)
    tau[other.joint("pivot").v_index] = r.drive("motor")
    s = lw.reactions(other, q, v, tau)
    assert close(r.vdot, s.vdot)
    assert close(r.vdot[one.joint("pivot").v_index], [1.6])
    assert all(close(r.wrench(name), s.wrench(name), 100.0) for name in s.names)


def test_two_drives_on_one_joint_share_the_force_and_say_so():
    model = arm(("left", lw.Drive(0.0), "shoulder"), ("right", lw.Drive(0.0), "shoulder"), ("hold", lw.Drive(0.0), "elbow"))
    r = lw.reactions(model, [0.0, 0.0], [0.0, 0.0])
    needed = newton_euler_forces(model, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], None)
    assert close([r.drive("left")[0], r.drive("right")[0], r.drive("hold")[0]], [needed[0] / 2, needed[0] / 2, needed[1]])
    assert not r.drive_unique("left")[0]
    assert r.drive_unique("hold")[0]
    assert r.drive_unique("shoulder")[0]  # their sum is known
    assert r.unique("shoulder").all()


def test_a_gear_gives_its_force_at_both_joints():
    model = arm(("gear", lw.Gear(-2.0), "shoulder", "elbow"))
    r = lw.reactions(model, [0.1, -0.2], [0.3, -0.6])
    force = float(r.drive("gear")[0])
    assert close(r.drive("shoulder"), [2.0 * force])
    assert close(r.drive("elbow"), [force])
    assert abs(force) > 0.1


def test_a_constraint_tells_what_it_exerts_on_both_places():
    m = lw.Mechanism("nailed plate")
    plate = m.add_body("plate", mass=2.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.add_constraint("nail", lw.Lock(), plate.at(0.1, 0, 0), m.ground.at(0.1, 0, 0))
    model = m.build()
    r = lw.reactions(model, lw.neutral(model), np.zeros(6))
    weight = 2.0 * 9.81
    assert close(r.wrench("nail"), [0, -0.2 * weight, 0, 0, 0, weight])
    assert close(r.wrench("nail", on="second"), -r.wrench("nail"))
    assert close(r.wrench("nail", "ground"), [0, -0.3 * weight, 0, 0, 0, weight])
    assert close(r.wrench("nail", "first"), r.wrench("nail", "second"))
    assert close(r.wrench("plate.free"), np.zeros(6), weight)


def test_a_frame_of_welds_only_has_reactions():
    """Nothing moves at all (nv = 0): two posts carry a beam, and all but the sum is a choice."""
    m = lw.Mechanism("frame")
    a, b = (m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in "ab")
    m.add_joint("left", lw.Weld(), m.ground, a)
    m.add_joint("middle", lw.Weld(), a.at(0.5, 0, 0), b.at(-0.5, 0, 0))
    m.add_joint("right", lw.Weld(), m.ground.at(1, 0, 0), b)
    model = m.build()
    r = lw.reactions(model, [], [])
    assert model.nv == 0
    assert r.self_stress == 6
    assert close(r.force("left") + r.force("right"), [0, 0, 2.0 * 9.81])
    assert close(r.force("left"), r.force("right"))
    assert not r.unique("middle").any()


# ------------------------------------------------------------------------------------------------------------ words


def test_the_table_marks_what_is_not_unique():
    m = lw.Mechanism("door")
    leaf = m.add_body("leaf", mass=20.0, com=(0.4, 0, 0), inertia=(5, 5, 2))
    m.add_joint("lower hinge", lw.Revolute((0, 0, 1)), m.ground, leaf)
    m.add_joint("upper hinge", lw.Revolute((0, 0, 1)), m.ground.at(0, 0, 1.5), leaf.at(0, 0, 1.5))
    text = str(lw.reactions(m.build(), [0.0, 0.0], [0.0, 0.0]))
    assert "5 self-stresses: numbers with ~ are not unique" in text
    assert "lower hinge" in text
    assert "~98.1" in text
    assert "all numbers are unique" in str(lw.reactions(pendulum().build(), [0.0], [0.0]))


def test_the_table_lists_drives():
    text = str(lw.reactions(arm(("motor", lw.Drive(0.0), "shoulder")), [0.0, 0.0], [0.0, 0.0]))
    assert "drives and couplings" in text
    assert "motor" in text
    assert "N m" in text


def test_a_reaction_can_be_picked_by_name_or_part():
    mechanism = pendulum()
    r = lw.reactions(mechanism.build(), [0.3], [0.0])
    one = r["pivot"]
    assert one.name == "pivot"
    assert np.array_equal(one.force, r.force("pivot"))
    assert np.array_equal(r[mechanism.joint("pivot")].moment, one.moment)
    assert [x.name for x in r] == ["pivot"]
    assert len(r) == 1
    assert repr(r) == "Reactions('pendulum': 1 joints and constraints, all unique)"


def test_errors_name_what_was_found_and_what_to_do():
    mechanism = pendulum()
    model = mechanism.build()
    r = lw.reactions(model, [0.3], [0.0])
    with pytest.raises(lw.UnknownNameError, match=r"no joint or constraint is called 'pivott'; did you mean 'pivot'\?"):
        r.wrench("pivott")
    with pytest.raises(lw.UnknownNameError, match="no frame or body is called 'tipp'"):
        r.wrench("pivot", "tipp")
    with pytest.raises(lw.StateError, match="'pivot', which is a joint; allowed are 'world', 'child', 'parent'"):
        r.wrench("pivot", "first")
    with pytest.raises(lw.StateError, match="the parent feels the opposite"):
        r.wrench("pivot", on="second")
    with pytest.raises(lw.StateError, match="allowed is one state; call it in a loop"):
        lw.reactions(model, [[0.3], [0.4]], [0.0])
    with pytest.raises(lw.StateError, match="solver: found 'magic'; allowed are 'auto', 'articulated'"):
        lw.reactions(model, [0.3], [0.0], solver="magic")
    with pytest.raises(lw.ModelError, match=r"call build\(\) first"):
        lw.reactions(mechanism, [0.3], [0.0])
    with pytest.raises(lw.StateError, match="finite"):
        lw.reactions(model, [np.nan], [0.0])


def test_contradictory_drives_give_the_compromise_of_forward_dynamics():
    model = arm(
        ("left", lw.Drive(CubicSpline(TIMES, TIMES**2)), "shoulder"), ("right", lw.Drive(CubicSpline(TIMES, 3 * TIMES**2)), "shoulder")
    )
    q, v = [0.0, 0.1], [0.0, 0.0]
    with pytest.warns(lw.ConstraintWarning, match="'left', 'right' contradict each other"):
        r = lw.reactions(model, q, v)
    assert close(r.vdot[0], 4.0)  # half way between 2 and 6 rad/s^2
    assert r.imbalance < CLOSE
    assert close(r.drive("left"), r.drive("right"))
    assert "constraints contradict each other" in str(r)


def test_imbalance_is_that_of_the_state_that_was_given():
    """What is computed when it is asked for does not see what the caller writes into his arrays afterwards."""
    model = ZOO["four-bar"]().mechanism.build()
    q = lw.neutral(model)
    v, tau = np.zeros(model.nv), np.zeros(model.nv)
    r = lw.reactions(model, q, v, tau)
    q += 1.0
    v += 7.0
    tau += 5.0
    assert r.imbalance < 1e-12  # rounding of forces relative to themselves
