"""The zoo is what it says: closed as drawn, with the mobility of the textbooks there and around, and with its known motions."""

import numpy as np
import pytest

import linkwork as lw

from ..laws.mechanisms import KINDS
from ..reference import at_rest, constraint_rows, gaps, mobility, solve, split
from ..reference_constraints import Holonomic
from ..reference_motion import elsewhere, moving, with_velocity
from ..zoo import ZOO, random_loops
from ..zoo_chains import chain_between_poles, floating_ring, necklace
from ..zoo_planar import n_four_bar
from ..zoo_spatial import bennett

SEEDS = range(60)
# Products of some ten poses of about 1 m: rounding of 1e-16 each.
CLOSED = 1e-14

animals = pytest.mark.parametrize("name", ZOO)


def drawn(example):
    return at_rest(example.mechanism, example.facts.poses)


@animals
def test_every_joint_holds_as_drawn(name):
    example = ZOO[name]()
    assert np.max(np.abs(gaps(drawn(example)))) < CLOSED
    assert [fault.message for fault in example.mechanism.faults() if fault.kind != "loop"] == []


@animals
def test_mobility_as_drawn_is_that_of_the_textbook(name):
    example = ZOO[name]()
    found = mobility(drawn(example))
    assert (found.dof, found.redundancy) == (example.facts.dof, example.facts.redundancy)
    assert found.weakest > 1e-3, "the rank would be a matter of tolerance"


@pytest.mark.parametrize("name", [name for name, make in ZOO.items() if not make().facts.isolated])
def test_mobility_nearby_is_that_of_the_textbook(name):
    """Around the drawn pose, along its known velocity if there is one, else along a random one."""
    example = ZOO[name]()
    facts = example.facts
    start = drawn(example)
    there = elsewhere(with_velocity(start, facts.velocity) if facts.velocity else start, np.random.default_rng(3))
    way = max(np.max(np.abs((X.inverse() @ there.poses[body]).log())) for body, X in start.poses.items())
    assert (way > 0.1) == (facts.generic_dof > 0)
    found = mobility(there)
    assert (found.dof, found.redundancy) == (facts.generic_dof, facts.generic_redundancy)
    assert found.weakest > 1e-3, "the rank would be a matter of tolerance"


@animals
def test_facts_agree_with_the_count_of_bodies_and_joints(name):
    """dof - redundancy = 6 n - sum of (6 - f), whatever the geometry (Kutzbach)."""
    mechanism, guess, facts = ZOO[name]()
    count = 6 * len(mechanism.bodies) - sum(6 - joint.kind.nv for joint in mechanism.joints)
    assert facts.dof - facts.redundancy == count == facts.generic_dof - facts.generic_redundancy
    assert set(guess) - {joint.name for joint in mechanism.joints} == ({f"{mechanism.bodies[0].name}.free"} if facts.floating else set())


@animals
def test_planar_mechanisms_stay_in_their_plane(name):
    """All bodies turn about its normal and shift across it; what is not called planar has no such direction, or cannot move."""
    example = ZOO[name]()
    s = drawn(example)
    turns, shifts = [np.zeros(3)], [np.zeros(3)]
    for x in split(constraint_rows(s)[0]).free.T:
        for body, V in s.split(x)[0].items():
            R = s.poses[body].rotation
            turns.append(R @ V[:3])
            shifts.append(R @ V[3:])
    if example.facts.planar:
        normal = example.facts.normal
        assert np.max(np.abs(np.cross(turns, normal))) < 1e-12
        assert np.max(np.abs(shifts @ normal)) < 1e-12
    else:
        assert example.facts.dof == 0 or np.linalg.matrix_rank(turns, 1e-6) > 1


def without_loops(mechanism):
    """The mechanism without the joints that connect what is connected already."""
    tree, group = mechanism.clone(), {name: {name} for name in ("ground", *(body.name for body in mechanism.bodies))}
    for joint in mechanism.joints:
        a, b = group[joint.parent_body], group[joint.child_body]
        if a is b:
            tree.remove(joint.name)
        else:
            a |= b
            group.update(dict.fromkeys(b, a))
    return tree


@animals
def test_rest_coordinates_put_bodies_where_they_are_drawn(name):
    """Forward kinematics of a spanning tree in its neutral configuration, which `guess` is too."""
    mechanism, guess, facts = ZOO[name]()
    model = without_loops(mechanism).build()
    q = lw.neutral(model)
    kinematics = lw.forward_kinematics(model, q)
    assert all(kinematics.pose(body).isclose(pose, 1e-13) for body, pose in facts.poses.items())
    assert all(np.array_equal(q[joint.q_index], guess[joint.name]) for joint in model.joints)


def test_a_loop_is_left_in_every_animal_but_the_gear_train():
    trees = [name for name, make in ZOO.items() if len(without_loops(make().mechanism).joints) == len(make().mechanism.joints)]
    assert trees == ["gear train"]


def test_an_infinitesimal_motion_cannot_go_on():
    """Two bars in one line: velocities are allowed, but no acceleration keeps their pin where both reach it."""
    s = drawn(ZOO["shaky truss"]())
    assert solve(s).residual < 1e-12
    assert solve(moving(s, np.random.default_rng(1))).residual > 1e-2


def test_branching_velocities_can_go_on_and_others_cannot():
    """In the flat pose of the four-bar two velocities are free, but only two directions of them belong to a motion."""
    example = ZOO["flat four-bar"]()
    s = drawn(example)
    assert solve(with_velocity(s, example.facts.velocity)).residual < 1e-12
    assert solve(moving(s, np.random.default_rng(1))).residual > 1e-2


def test_meshing_wheels_share_their_freedom():
    example = ZOO["gear train"]()
    couplings = [
        Holonomic(lambda poses, q, t, row=row: sum(k * q[joint][0] for joint, k in row.items())) for row in example.facts.couplings
    ]
    assert mobility(drawn(example), couplings)[:2] == (example.facts.coupled_dof, 0)


@pytest.mark.parametrize(("n", "theta"), [(1, 1.1), (2, 0.7), (3, 2.5), (4, np.pi / 2), (9, 2.0)])
def test_parallel_cranks_are_one_pendulum(n, theta):
    """theta'' = -g cos(theta) ((n + 1) / 2 + n) / ((n + 1) / 3 + n), at any speed."""
    example = n_four_bar(n, theta)
    s = with_velocity(drawn(example), example.facts.velocity)
    expected = -9.81 * np.cos(theta) * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    found = solve(s).vdot
    assert np.allclose([found[f"foot {k}"][0] for k in range(n + 1)], expected, rtol=0, atol=1e-10)
    assert np.allclose([found[f"left {k}"][0] for k in range(n)], -expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("n", "energy"), [(20, -6.193790), (40, -24.929574)])
def test_the_necklace_hangs_below_its_top_rod(n, energy):
    """Potential energy of the regular polygon, to the six decimals given."""
    mechanism, _, facts = necklace(n)
    assert sum(0.1 * 9.81 * pose.translation[2] for pose in facts.poses.values()) == pytest.approx(energy, abs=5e-7)
    assert np.allclose(facts.poses["rod 0"].translation, 0.0)
    assert facts.poses["rod 1"].translation[0] > 0.0, "clockwise, seen from -y: to the right at the top"
    assert mechanism.body("rod 3").mass_properties().mass == 0.1


@pytest.mark.parametrize(
    "example", [chain_between_poles(3), chain_between_poles(12, "parallel"), floating_ring(9), floating_ring(3, "ball")]
)
def test_chains_of_other_lengths_have_the_mobility_they_say(example):
    assert mobility(drawn(example))[:2] == (example.facts.dof, example.facts.redundancy)


@pytest.mark.parametrize("theta", [0.6, 2.7, -1.3])
def test_bennett_closes_at_every_angle(theta):
    assert mobility(drawn(bennett(theta)))[:2] == (1, 3)


# ------------------------------------------------------------------------------------------------------------------ random loops


def test_random_loops_are_closed_and_sound():
    for seed in SEEDS:
        example = random_loops(seed)
        assert np.max(np.abs(gaps(drawn(example)))) < CLOSED
        assert [fault.message for fault in example.mechanism.faults() if fault.kind != "loop"] == []
        assert len(without_loops(example.mechanism).joints) < len(example.mechanism.joints)


def test_random_loops_are_the_same_for_the_same_seed():
    for seed in (0, 7):
        assert random_loops(seed).mechanism == random_loops(seed).mechanism
    assert random_loops(1).mechanism != random_loops(2).mechanism


def test_random_loops_can_mostly_move_and_are_often_redundant():
    """Freedom beyond that of the whole, redundancy and its absence, floating and not; ranks that are no matter of tolerance."""
    examples = [random_loops(seed) for seed in SEEDS]
    found = [mobility(drawn(example)) for example in examples]
    floating = [example.facts.floating for example in examples]
    assert 0.1 < np.mean(floating) < 0.5
    assert np.mean([m.dof > 6 * f for m, f in zip(found, floating, strict=True)]) > 0.9
    assert 0.2 < np.mean([m.redundancy > 0 for m in found]) < 0.8
    assert min(m.weakest for m in found) > 1e-5


@pytest.mark.slow
def test_random_loops_are_closed_by_every_joint_kind():
    examples = [random_loops(seed) for seed in range(200)]
    closing = {j.name.split()[2] for example in examples for j in example.mechanism.joints if j.name.startswith("loop")}
    assert closing == set(KINDS) | {"double"}
