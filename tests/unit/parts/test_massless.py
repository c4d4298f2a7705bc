"""Joints that nothing resists are found exactly: where the mass matrix is singular at (almost) every position."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.parts import (
    Box,
    Custom,
    Cylindrical,
    Free,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Translational,
    Universal,
    Weld,
    spanning_forest,
)
from linkwork.parts import massless as massless_module
from linkwork.spatial.pose import Pose

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SOLID = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def faults(m):
    return [(fault.part, fault.kind) for fault in m.faults()]


def pendulum(kind, **bob):
    m = Mechanism()
    m.add_body("bob", **bob)
    m.add_joint("pivot", kind, m.ground, "bob")
    return m


def test_a_massless_tip():
    m = pendulum(Revolute(Y), **SOLID)
    m.add_body("tip")
    m.add_joint("wrist", Revolute(Y), "bob", "tip")
    (fault,) = m.faults()
    assert (fault.part, fault.kind) == ("wrist", "massless")
    for text in ["joint 'wrist': it can move", "body 'tip' and what hangs on it have no mass", "mass or density", "armature", "Weld"]:
        assert text in fault.message


def test_mass_on_the_axis_of_a_hinge():
    (fault,) = pendulum(Revolute(Z), mass=2, com=(0, 0, 1)).faults()
    assert (fault.part, fault.kind) == ("pivot", "massless")
    for text in ["joint 'pivot': it can move", "'bob' and what hangs on it (2 kg) have no inertia against this motion", "off the axis"]:
        assert text in fault.message
    assert faults(pendulum(Revolute(Z), mass=2, com=(0, 0.1, 1))) == []


def test_a_massless_floating_body():
    m = Mechanism()
    m.add_body("ghost")
    m.add_body("point", mass=1)
    ghost, point = m.faults()
    assert (ghost.part, ghost.kind, point.part, point.kind) == ("ghost", "massless", "point", "massless")
    assert "body 'ghost': it floats, but body 'ghost' and what hangs on it have no mass" in ghost.message
    assert "body 'point': it floats" in point.message and "no inertia against one of the six motions" in point.message
    assert "connect it to ground" in point.message


def test_a_massless_body_at_rest_is_fine():
    assert faults(pendulum(Weld())) == []


def test_a_massless_body_with_an_armature_is_fine():
    assert faults(pendulum(Revolute(Y, armature=0.1))) == []
    assert faults(pendulum(Revolute(Y, rotor_inertia=0.1))) == []
    assert faults(pendulum(Cylindrical(Y, armature=0.1))) == []
    assert faults(pendulum(Cylindrical(Y, armature=(0.1, 0)))) == [("pivot", "massless")]


def test_every_joint_inboard_of_a_massless_tip_is_named_until_there_is_mass():
    m = Mechanism()
    for name, parent in zip("abcd", ["ground", "a", "b", "c"], strict=True):
        m.add_body(name)
        m.add_joint(f"j{name}", Revolute(Y), parent, m.body(name).at(0, 0, 1))
    m.change("b", **SOLID)
    assert faults(m) == [("jc", "massless"), ("jd", "massless")]


def test_mass_beyond_a_weld_counts():
    m = pendulum(Revolute(Y))
    m.add_body("load", mass=1)
    m.add_joint("bolt", Weld(), m.body("bob").at(1, 0, 0), "load")
    assert faults(m) == []
    m.change("bolt", parent=m.body("bob").at(0, 1, 0))
    assert faults(m) == [("pivot", "massless")]


@pytest.mark.parametrize("backwards", [False, True])
def test_two_hinges_on_one_axis_with_nothing_between(backwards):
    m = pendulum(Revolute(Y))
    m.add_body("load", **SOLID)
    ends = m.body("bob").at(1, 0, 0), m.body("load").at(0, 0, 0)
    m.add_joint("second", Revolute(Y), *ends[:: -1 if backwards else 1])
    assert faults(m) == []
    m.change(
        "second", **dict(zip(("child", "parent") if backwards else ("parent", "child"), (m.body("bob").at(0, 1, 0), "load"), strict=True))
    )
    assert faults(m) == [("pivot", "massless")]


def test_a_ball_made_of_three_hinges_is_fine():
    m = pendulum(Revolute(X))
    m.add_body("middle")
    m.add_body("load", **SOLID)
    m.add_joint("second", Revolute(Y), "bob", "middle")
    m.add_joint("third", Revolute(Z), "middle", "load")
    assert faults(m) == []


def test_a_point_mass_on_a_ball_can_spin():
    m = pendulum(Spherical(), mass=1, com=(1, 0, 0))
    (fault,) = m.faults()
    assert fault.part == "pivot" and "degree of freedom 1 can move" in fault.message
    assert faults(pendulum(Universal(Y, Z), mass=1, com=(1, 0, 0))) == []


def test_a_rod_on_its_own_axis():
    rod = {"mass": 1, "inertia": (1, 1, 0), "com": (0, 0, 1)}
    assert faults(pendulum(Revolute(Z), **rod)) == [("pivot", "massless")]
    assert faults(pendulum(Revolute(X), **rod)) == []
    assert faults(pendulum(Screw(Z, 0.01), **rod)) == []
    assert faults(pendulum(Prismatic(Z), **rod)) == []
    assert faults(pendulum(Planar(Z), **rod)) == [("pivot", "massless")]
    assert faults(pendulum(Translational(), **rod)) == []
    assert faults(pendulum(Cylindrical(Z), **rod)) == [("pivot", "massless")]


def test_a_custom_joint():
    def slide(turn):
        return Custom(
            1,
            lambda q: (0.0, 0.0, 0.0, np.cos(q[0] / 2), 0.0, 0.0, np.sin(q[0] / 2)) if turn else (q[0], 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
            lambda q: [(0, 0, 1, 0, 0, 0) if turn else (0, 0, 0, 1, 0, 0)],
            lambda q, v: np.zeros(6),
        )

    assert faults(pendulum(slide(turn=False), mass=1)) == []
    assert faults(pendulum(slide(turn=True), mass=1)) == [("pivot", "massless")]
    assert faults(pendulum(slide(turn=True), mass=1, com=(1, 0, 0))) == []


def test_rounding_does_not_pass_for_inertia():
    """A point mass on an axis in general position: only rounding is left of its inertia."""
    turned = Pose.from_rpy(0.3, 0.4, 0.5, (0.1, 0.2, 0.3))
    on_axis = turned.act((0, 0, 0.7))
    m = Mechanism()
    bob = m.add_body("bob", mass=3, com=on_axis)
    m.add_joint("pivot", Revolute(Z), m.ground, bob.at(turned))
    assert faults(m) == [("pivot", "massless")]


def test_a_small_inertia_is_not_taken_for_rounding():
    """A shaft of 1 mm, 1 m beside the origin of its body."""
    m = Mechanism()
    shaft = m.add_body("shaft", mass=1.0, com=(1, 0, 0), inertia=(1e-6, 1e-6, 5e-7))
    m.add_joint("bearing", Revolute(Z), m.ground, shaft.at(1, 0, 0))
    assert faults(m) == []


def test_nothing_is_claimed_where_other_faults_are():
    m = pendulum(Revolute(Y))
    m.add_joint("lost", Weld(), "bob", "the load that is not there yet")
    assert faults(m) == [("lost", "reference")]
    m = pendulum(Revolute(Y))
    m.add_body("load", mass=-1)
    m.add_joint("wrist", Revolute(Y), "bob", "load")
    assert faults(m) == [("load", "inertia")]
    m = pendulum(Revolute((0, 0, 0)))
    assert faults(m) == [("pivot", "axis")]
    m = pendulum(Revolute(Y))
    m.add_frame("f", m.body("bob").at(np.inf, 0, 0))
    m.change("pivot", child="f")
    assert faults(m) == [("f", "pose")]


@pytest.mark.filterwarnings("error")
def test_sizes_beyond_all_measure_do_no_harm():
    assert faults(pendulum(Spherical(), mass=1e300, com=(1e300, 0, 0))) == [("bob", "inertia")]


def test_a_long_rope_of_points_is_reported_completely():
    m, parent = Mechanism(), "ground"
    for i in range(300):
        m.add_body(f"b{i}", mass=1, com=(0.5, 0, 0))
        m.add_joint(f"j{i}", Spherical(), parent if i == 0 else m.body(parent).at(1, 0, 0), f"b{i}")
        parent = f"b{i}"
    assert faults(m) == [(f"j{i}", "massless") for i in range(300)]


# ---- against the mass matrix itself


def mass_matrix(m, rng):
    """H = sum of J^T I J + armature at a random position, by Jacobians of the bodies in world axes: no recursion over inertias."""
    poses, columns, armature = {"ground": Pose()}, {"ground": []}, []
    for edge in spanning_forest(m):
        joint, kind = edge.joint, edge.joint.kind
        X_J, S = pose_and_motion(kind, rng)
        if edge.reversed:
            X_J, S, X_PF, X_CF = X_J.inverse(), X_J.adjoint @ S, joint.child_pose, joint.parent_pose
        else:
            X_PF, X_CF = joint.parent_pose, joint.child_pose
        at_joint = poses[edge.parent_body_name] @ X_PF @ X_J
        poses[edge.child_body_name] = at_joint @ X_CF.inverse()
        first = len(armature)
        armature += kind.effective_armature
        columns[edge.child_body_name] = columns[edge.parent_body_name] + [(first + k, at_joint.adjoint @ S[:, k]) for k in range(kind.nv)]
    H = np.diag(armature).astype(float).reshape(len(armature), len(armature))
    for body in m.bodies:
        J = np.zeros((6, len(armature)))
        for k, column in columns[body.name]:
            J[:, k] = column
        H += J.T @ body.mass_properties().transformed(poses[body.name]).matrix @ J
    return H


def pose_and_motion(kind, rng):
    if kind.ball or kind.free:
        return Pose(rng.normal(size=3) * kind.free, Rotation.random(rng=rng)), np.eye(6)[:, : kind.nv]
    X, S = Pose(), np.zeros((6, kind.nv))
    for k, (axis, turn, slide) in enumerate(kind.elements):
        screw = np.concatenate([np.multiply(axis, turn), np.multiply(axis, slide)])
        S[:, k] = X.adjoint @ screw
        X = X @ Pose.exp(screw * rng.uniform(0.3, 1.5))
    return X, X.inverse().adjoint @ S


def random_mechanism(rng):
    """Trees with many degenerate bodies and aligned axes."""
    m = Mechanism()
    bodies = [{}, {"mass": 1}, {"mass": 1, "com": (0, 0, 1)}, {"mass": 1, "com": (1, 0, 0)}, {"mass": 1, "inertia": (0, 1, 1)}, SOLID]
    kinds = [Revolute(X), Revolute(Z), Prismatic(Y), Screw(Z, 0.1), Cylindrical(Z), Universal(X, Z), Planar(), Translational(), Weld()]
    kinds += [Spherical(), Free(), Revolute(Z, armature=0.5), Universal(Y, Z, armature=(0, 1))]
    spots = [(0, 0, 0), (0, 0, 1), (1, 0, 0), (0.3, 0.4, 0.5)]
    names = ["ground"]
    for i in range(rng.integers(1, 6)):
        m.add_body(f"b{i}", **bodies[rng.integers(len(bodies))])
        if rng.random() < 0.9:
            ends = [m.body(name).at(spots[rng.integers(len(spots))]) for name in (names[rng.integers(len(names))], f"b{i}")]
            m.add_joint(f"j{i}", kinds[rng.integers(len(kinds))], *ends[:: rng.choice([-1, 1])])
        names.append(f"b{i}")
    return m


@pytest.mark.slow
def test_a_fault_is_found_exactly_where_the_mass_matrix_is_singular():
    """Over random trees: some joint is named if and only if the mass matrix is singular at two random positions."""
    singular = regular = 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        m = random_mechanism(rng)
        # Sizes are of order 1, so that regular matrices are far above and singular ones at rounding, 1e-16.
        lowest = max((np.linalg.eigvalsh(mass_matrix(m, rng))[:1].max(initial=-1) for _ in range(2)), default=-1)
        if lowest == -1:
            continue  # nothing moves
        assert not 1e-12 < lowest < 1e-7, "undecided: choose sizes that tell"
        assert bool(faults(m)) == (lowest < 1e-9), (seed, str(m), m.faults())
        assert all(kind == "massless" for _, kind in faults(m))
        singular, regular = singular + (lowest < 1e-9), regular + (lowest > 1e-9)
    assert singular > 50 and regular > 50


def test_the_quick_answer_for_single_axes_agrees_with_the_whole(monkeypatch):
    rngs = [np.random.default_rng(seed) for seed in range(100)]
    mechanisms = [random_mechanism(rng) for rng in rngs]
    quick = [faults(m) for m in mechanisms]
    monkeypatch.setattr(massless_module, "_resists_alone", lambda edge, body: False)
    assert [faults(m) for m in mechanisms] == quick


def test_a_shape_without_mass_or_density_is_reported_at_the_body():
    """Who draws a box and forgets to say what it is made of learns what is missing, and where."""
    m = pendulum(Revolute(Y), shape=Box(1, 1, 1))
    (fault,) = m.faults()
    assert (fault.part, fault.kind) == ("bob", "massless")
    assert fault.message == (
        "body 'bob': it has a Box, but neither mass nor density, so it is massless, and joint 'pivot' can move it without resistance; "
        "a shape needs one of them to have inertia; give density (kg/m^3) or mass (kg)"
    )
    m.remove("pivot")
    (fault,) = m.faults()
    assert fault.part == "bob" and "it floats without resistance" in fault.message
    m.change("bob", density=1000.0)
    assert m.faults() == []


def test_a_shape_that_need_not_be_heavy_is_fine():
    """On the ground, on something heavy, or with a mass of 0 that is meant, as far as the joint goes."""
    assert faults(pendulum(Weld(), shape=Box(1, 1, 1))) == []
    assert faults(pendulum(Revolute(Y, armature=0.1), shape=Box(1, 1, 1))) == []
    assert faults(pendulum(Revolute(Y), shape=Box(1, 1, 1), mass=0.0)) == [("pivot", "massless")]
