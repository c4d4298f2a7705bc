"""Propagation of constraints against the articulated solver and a dense referee: ends, branches, loops, redundancy, and the cost."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import StateError
from linkwork.solvers.delassus.driver import solve_constrained
from linkwork.solvers.lathrop.driver import solve_propagation
from linkwork.solvers.lathrop.prepare import prepare
from linkwork.solvers.lathrop.solve import Propagation

from ....laws.mechanisms import random_case, random_pose
from ..linkages import chain, four_bar, ladder, nested, parallelogram, possible_velocity, random_held, ring, spline, star, truth

# Relative to the largest acceleration, with or without constraints. Rounding is about 1e-16, conditions of these mechanisms up to 1e4.
CLOSE = 1e-9


def error(found, expected, size=None):
    return np.abs(found - expected).max(initial=0.0) / (np.abs(expected).max() if size is None else size)


def check(model, q, v, tau=None, f_ext=None, t=0.0, constrained=True):
    """All three agree about accelerations and rank, and the rows hold. Returns what propagation found."""
    expected = truth(model, q, v, tau, f_ext, t)
    found = solve_propagation(model, q, v, tau, f_ext, t)
    assert expected.size > 1e-3, "nothing moves: the test would say nothing"
    assert error(found.vdot, expected.vdot, expected.size) < CLOSE
    assert int(found.rank) == expected.rank
    if constrained:
        assert error(found.vdot, solve_constrained(model, q, v, tau, f_ext, t).vdot, expected.size) < CLOSE
    return found


def check_moving(mechanism, seed=0):
    """A mechanism drawn closed, at rest and in a motion that its loops allow, with forces everywhere."""
    model, rng = mechanism.build(), np.random.default_rng(seed)
    q = lw.neutral(model)
    assert np.abs(prepare(model, q, np.zeros(model.nv)).phi).max(initial=0.0) < 1e-12, "the drawing has gaps"
    v, tau, f_ext = possible_velocity(model, q, rng), rng.normal(size=model.nv), rng.normal(size=(model.nb, 6))
    check(model, q, np.zeros(model.nv), tau, f_ext)
    return check(model, q, v, tau, f_ext)


# ------------------------------------------------------------------------------------------------------------ trees


@pytest.mark.parametrize("seed", range(12))
def test_trees_and_forests_move_as_articulated_bodies_do(seed):
    case = random_case(seed)
    found = solve_propagation(case.model, case.q, case.v, case.tau, case.f_ext)
    assert error(found.vdot, lw.forward_dynamics(case.model, case.q, case.v, case.tau, case.f_ext)) < CLOSE
    assert found.multipliers.shape == (0,) and found.residual == 0.0


def test_a_long_chain_stays_well_conditioned():
    """Unknowns are made orthonormal at every link: without it, errors grow with the length of the chain."""
    model, rng = chain(150).build(), np.random.default_rng(1)
    q, v = rng.normal(size=model.nv), rng.normal(size=model.nv)
    assert error(solve_propagation(model, q, v).vdot, lw.forward_dynamics(model, q, v)) < CLOSE


def test_a_long_loop_stays_well_conditioned():
    check_moving(ring([lw.Revolute(axis(k)) for k in range(80)]))


# ------------------------------------------------------------------------------------------------------------ ends


def held_chain(kind, n=8, root=None):
    m = chain(n)
    if root:
        m.change("joint 0", kind=root)
    m.add_constraint("end", kind, m.bodies[-1].at(random_pose(np.random.default_rng(5))), m.ground)
    return m.build()


ENDS = {
    "nail": lw.Lock(),
    "prescribed": lw.Lock(*(spline(np.random.default_rng(k)) for k in range(3)), rx=0.0, ry=0.0, rz=spline(np.random.default_rng(4))),
    "point": lw.Lock(rx=None, ry=None, rz=None),
    "moved point": lw.Lock(*(spline(np.random.default_rng(k)) for k in range(3)), None, None, None),
    "one direction": lw.Lock(None, 0.0, None, None, None, None),
    "turns": lw.Lock(None, None, None),
}


@pytest.mark.parametrize("root", [None, lw.Free(), lw.Spherical()], ids=["hinged root", "free root", "ball root"])
@pytest.mark.parametrize("end", ENDS)
def test_held_and_driven_ends(end, root):
    model, rng = held_chain(ENDS[end], root=root), np.random.default_rng(2)
    q, v = lw.random_configuration(model, rng), rng.normal(size=model.nv)
    tau, f_ext = rng.normal(size=model.nv), rng.normal(size=(model.nb, 6))
    found = check(model, q, v, tau, f_ext, 0.7)
    # The rows are independent, so multipliers are unique, and tell the reaction.
    assert error(found.multipliers, solve_constrained(model, q, v, tau, f_ext, 0.7).multipliers) < CLOSE


def test_a_nailed_tip_has_no_acceleration():
    model, rng = held_chain(lw.Lock()), np.random.default_rng(3)
    q = rng.normal(size=model.nv)
    v = possible_velocity(model, q, rng)
    assert np.abs(v).max() > 0.1
    vdot = solve_propagation(model, q, v).vdot
    a = lw.forward_kinematics(model, q, v, vdot).accelerations[-1]
    assert np.abs(vdot).max() > 1.0 and np.abs(a).max() < 1e-9 * np.abs(vdot).max()


def test_a_nail_with_too_few_joints_holds_everything():
    """Over-constrained: three joints between two nails. Nothing moves, and three of six rows are redundant."""
    model = held_chain(lw.Lock(), n=3)
    found = check(model, np.array([0.3, -0.4, 0.5]), np.zeros(3), np.ones(3))
    assert int(found.rank) == 3 and np.abs(found.vdot).max() < 1e-9


# ----------------------------------------------------------------------------------------------- branches and couplings


HELD = {
    "none": {},
    "one nail": {1: lw.Lock()},
    "first nailed": {0: lw.Lock()},
    "two nails": {0: lw.Lock(), 2: lw.Lock()},
    "nail and point": {0: lw.Lock(rx=None, ry=None, rz=None), 1: lw.Lock()},
}


@pytest.mark.parametrize("held", HELD)
def test_branches_with_held_ends(held):
    model, rng = star(HELD[held]).build(), np.random.default_rng(8)
    q = lw.random_configuration(model, rng)
    check(model, q, possible_velocity(model, q, rng), rng.normal(size=model.nv), rng.normal(size=(model.nb, 6)))


@pytest.mark.parametrize("on", [("joint 00", "joint 01"), ("joint 02", "joint 12"), ("joint 10", "joint 22"), ("hub.free", "joint 21")])
def test_gears_along_and_across_branches(on):
    m, rng = star({1: lw.Lock(rx=None, ry=None, rz=None)}), np.random.default_rng(9)
    if on[0] == "hub.free":
        m.add_joint("hub.free", lw.Cylindrical((1, 2, 3)), m.ground, "hub")
        on = (("hub.free", 1), on[1])
    m.add_constraint("gear", lw.Gear(-2.5), *on)
    m.add_constraint("drive", lw.Drive(spline(rng)), "joint 11")
    m.add_constraint("speed", lw.SpeedDrive(0.5), "joint 20")
    m.add_constraint("mixed", lw.Coupling((1.0, -0.3, 2.0)), "joint 02", "joint 12", "joint 22")
    model = m.build()
    q, v = lw.random_configuration(model, rng), rng.normal(size=model.nv)
    found = check(model, q, v, rng.normal(size=model.nv), t=0.4)
    first, second = (model.joint(x[0]).v_index.start + x[1] if isinstance(x, tuple) else model.joint(x).v_index.start for x in on)
    assert abs(found.vdot[second] + 2.5 * found.vdot[first]) < 1e-9 * np.abs(found.vdot).max()


@pytest.mark.parametrize("seed", range(40))
def test_random_trees_with_random_constraints(seed):
    model, *state = random_held(seed)
    found = check(model, *state)
    assert found.residual < 1e-9
    if model.nc:
        assert error(found.multipliers, solve_constrained(model, *state).multipliers) < 1e-7  # conditions squared


# ------------------------------------------------------------------------------------------------------------ loops


@pytest.mark.parametrize("cut", "abcd")
def test_a_four_bar_does_not_mind_where_it_is_cut(cut):
    q = np.zeros(4)
    reference = four_bar().build()
    v = possible_velocity(reference, q, np.random.default_rng(0))
    expected = solve_constrained(reference, q, v)
    model = four_bar().build(prefer_cut=f"{cut}0")
    moved = np.zeros(4)
    for joint in model.joints:
        moved[joint.v_index] = v[reference.joint(joint.name).v_index]
    found = check(model, q, moved)
    assert model.joint(f"{cut}0").closes_loop and int(found.rank) == 3
    for joint in model.joints:
        assert error(found.vdot[joint.v_index], expected.vdot[reference.joint(joint.name).v_index], 10.0) < CLOSE


def axis(k):
    return np.random.default_rng(k).normal(size=3)


RINGS = {
    "five hinges, rigid": [lw.Revolute(axis(k)) for k in range(5)],
    "seven hinges": [lw.Revolute(axis(k)) for k in range(7)],
    "ten hinges": [lw.Revolute(axis(k)) for k in range(10)],
    "ball, universal, slide": [lw.Revolute(axis(1)), lw.Spherical(), lw.Universal(axis(2), axis(3)), lw.Prismatic(axis(4))],
    "two balls": [lw.Revolute(axis(1)), lw.Spherical(), lw.Spherical(), lw.Revolute(axis(2))],
    "cylinders and screws": [lw.Cylindrical(axis(1)), lw.Screw(axis(2), 0.2), lw.Cylindrical(axis(3)), lw.Cylindrical(axis(4))],
    "a free joint": [lw.Revolute(axis(1)), lw.Free(), lw.Prismatic(axis(2))],
    "planar and translational": [lw.Planar(axis(1), axis(2)), lw.Translational(), lw.Revolute(axis(3), armature=0.3), lw.Revolute(axis(4))],
}


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("kinds", RINGS)
def test_spatial_rings(kinds, floating):
    check_moving(ring(RINGS[kinds], seed=len(kinds), floating=floating))


@pytest.mark.parametrize(
    ("mechanism", "rank"), [(four_bar(), 3), (parallelogram(), 5), (ladder(4), 12), (nested(), 9)], ids=lambda x: getattr(x, "name", None)
)
def test_planar_loops_have_redundant_rows(mechanism, rank):
    """Three of the six rows of a planar loop are redundant; a further parallel crank adds only two that count."""
    found = check_moving(mechanism)
    assert int(found.rank) == rank


def test_loops_with_gears_and_held_bodies():
    m = nested()
    m.add_constraint("gear", lw.Gear(0.7), "e0", "i0")
    m.add_constraint("slow", lw.Drive(spline(np.random.default_rng(0))), "a0")
    model, rng = m.build(), np.random.default_rng(6)
    q = lw.neutral(model)
    check(model, q, possible_velocity(model, q, rng, 0.3), rng.normal(size=model.nv), t=0.3)


def test_light_and_heavy_links():
    m = ring(RINGS["ten hinges"])
    for k, body in enumerate(m.bodies):
        factor = 10.0 ** (3 * (-1) ** k)
        m.change(body, mass=body.mass * factor, inertia=np.asarray(body.inertia) * factor)
    check_moving(m)


@pytest.mark.slow
def test_the_zoo():
    """Every mechanism of the zoo, in the motion that it has in its drawn pose."""
    zoo = pytest.importorskip("tests.zoo", reason="needs the zoo of mechanisms")
    for make in zoo.ZOO.values():
        example = make()
        model, rng = example.mechanism.build(), np.random.default_rng(3)
        q = zoo.configuration(model, example.guess)
        check(model, q, possible_velocity(model, q, rng), rng.normal(size=model.nv), rng.normal(size=(model.nb, 6)))


# ------------------------------------------------------------------------------------------------------- contradictions


def test_contradicting_drives_meet_half_way():
    """Over-constrained input gives the compromise of least squares, and says how much the rows lack."""
    m = chain(3)
    for k, acceleration in enumerate((1.0, 3.0)):
        m.add_constraint(f"drive {k}", lw.SpeedDrive(parabola(acceleration)), "joint 1")
    model = m.build()
    found = solve_propagation(model, np.zeros(3), np.zeros(3))
    assert (
        abs(found.residual - 0.5) < 1e-9 and int(found.rank) == 1
    )  # one drive of two was taken, the other lacks 2 of 1 + 3 (and ROUNDING)
    with pytest.warns(lw.ConstraintWarning, match="'drive 0', 'drive 1' contradict"):
        vdot = lw.forward_dynamics(model, np.zeros(3), np.zeros(3), solver="propagation")
    assert abs(vdot[model.joint("joint 1").v_index][0] - 2.0) < 1e-12


def parabola(slope):
    from scipy.interpolate import PPoly

    return PPoly([[slope], [0.0]], [0.0, 1.0])


def test_the_ground_held_to_the_ground_says_nothing():
    m = chain(2)
    m.add_body("plate")
    m.add_joint("bolts", lw.Weld(), m.ground, "plate")
    m.add_constraint("again", lw.Lock(), "plate")
    model = m.build()
    found = check(model, np.ones(2), np.ones(2))
    assert int(found.rank) == 0 and model.nc == 6


# ------------------------------------------------------------------------------------------------------------- the cost


def work(model):
    q = lw.neutral(model)
    found = Propagation(prepare(model, q, np.zeros(model.nv)))
    return found.ledger.work


@pytest.mark.parametrize(
    ("make", "sizes", "widest"),
    [
        (chain, (10, 20, 30), 7),
        (lambda n: ring([lw.Revolute(axis(k)) for k in range(n)]), (9, 19, 29), 18),
        (lambda n: ring([lw.Spherical()] * n), (6, 12, 18), 18),
        (lambda n: ring([lw.Spherical()] * n, floating=True), (6, 12, 18), 18),
        (ladder, (4, 8, 12), 24),
    ],
    ids=["chain", "loop of hinges", "loop of balls", "floating loop", "ladder of loops"],
)
def test_the_work_grows_in_proportion_to_the_number_of_links(make, sizes, widest):
    """Eliminations are as many for each further link, and none is larger than in a short mechanism."""
    done = [work(make(n).build()) for n in sizes]
    assert len(done[2]) - len(done[1]) == len(done[1]) - len(done[0]) > 0
    flops = [sum(rows * columns * min(rows, columns) for _, rows, columns in w) for w in done]
    # Ranks depend on directions, so sizes are bounded rather than equal.
    assert flops[2] - flops[1] < 1.5 * (flops[1] - flops[0])
    assert max(columns for w in done for _, _, columns in w) <= widest


def test_units_do_not_matter():
    """The same mechanism counted in millimetres and grams: the same accelerations, the same rank."""
    model, rng = parallelogram().build(), np.random.default_rng(0)
    q = lw.neutral(model)
    pieces = prepare(model, q, possible_velocity(model, q, rng))
    one, other = Propagation(pieces), Propagation(pieces.scaled(1e-3, 1e-3))
    assert error(other.vdot, one.vdot) < CLOSE and one.redundant == other.redundant
    assert error(other.multipliers / 1e9, one.multipliers) < CLOSE  # moments in g mm^2: 1e-9 kg m^2


# ------------------------------------------------------------------------------------------------------------- interface


def test_a_batch_is_state_after_state():
    model, rng = held_chain(ENDS["moved point"]), np.random.default_rng(4)
    q, v, times = rng.normal(size=(2, 3, model.nv)), rng.normal(size=(3, model.nv)), np.array([0.1, 0.5, 1.1])
    found = solve_propagation(model, q, v, t=times)
    assert found.vdot.shape == (2, 3, model.nv) and found.rank.shape == (2, 3)
    assert np.array_equal(found.vdot[1, 2], solve_propagation(model, q[1, 2], v[2], t=1.1).vdot)
    assert error(found.vdot, lw.forward_dynamics(model, q, v, t=times, solver="propagation")) == 0.0
    assert error(found.vdot, lw.forward_dynamics(model, q, v, t=times)) < CLOSE


def test_wrong_arguments_are_named():
    model = four_bar().build()
    with pytest.raises(StateError, match="tau: found shape"):
        solve_propagation(model, np.zeros(4), np.zeros(4), np.zeros(3))
    with pytest.raises(StateError, match="v: element"):
        solve_propagation(model, np.zeros(4), np.full(4, np.nan))
    with pytest.raises(StateError, match="t: element"):
        solve_propagation(model, np.zeros(4), np.zeros(4), t=np.inf)
