"""Inertias that differ widely take no digits from accelerations: gear trains and a loop, against rational numbers."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import linkwork as lw
from linkwork.dynamics.inverse import newton_euler_forces
from linkwork.solvers.delassus.driver import solve_constrained
from linkwork.solvers.sparse.driver import solve_sparse

from ....zoo import ZOO, configuration
from ...constraints.rank_cases import SOLVERS, exact_four_bar, four_bar

# Where inertias differ by less than 1e6, as couplings make them felt, the sparse solver corrects nothing: an error of eps times that. The articulated one
# looks where less than 1e-3 is left of something. Propagation is corrected until its equations hold as numbers of 16 digits can.
RIGHT = {"articulated": 1e-11, "batch": 1e-11, "sparse": 1e-9, "propagation": 1e-12}


def train(inertias, ratios):
    """Rotors in a row, each geared to the next."""
    m = lw.Mechanism("train", gravity=(0, 0, 0))
    for k, inertia in enumerate(inertias):
        wheel = m.add_body(f"wheel {k}", mass=1.0, inertia=(inertia, inertia, inertia))
        m.add_joint(f"axle {k}", lw.Revolute((0, 0, 1)), m.ground.at(k, 0, 0), wheel)
    for k, ratio in enumerate(ratios):
        m.add_constraint(f"mesh {k}", lw.Gear(ratio), f"axle {k}", f"axle {k + 1}")
    return m.build()


def exact(inertias, ratios, tau):
    """All rotors turn with the first, by the products g of the ratios: vdot = g (sum g tau) / (sum g^2 I)."""
    g = [Fraction(1)]
    for ratio in ratios:
        g.append(g[-1] * Fraction(ratio))
    first = sum(a * Fraction(t) for a, t in zip(g, tau, strict=True)) / sum(a * a * Fraction(i) for a, i in zip(g, inertias, strict=True))
    return np.array([float(a * first) for a in g])


def found(model, tau, solver, q=None):
    still = np.zeros(model.nv)
    q = still if q is None else q
    if solver == "batch":
        return lw.forward_dynamics(model, np.tile(q, (9, 1)), np.tile(still, (9, 1)), np.tile(tau, (9, 1)), solver="articulated")[4]
    return lw.forward_dynamics(model, q, still, tau, solver=solver)


@pytest.mark.parametrize("solver", [*SOLVERS, "batch"])
@pytest.mark.parametrize("inertias", [(1e-9, 100.0), (1e-6, 1.0), (1e-9, 1e3)])
def test_a_force_on_the_light_side_of_a_gear_is_felt_by_both_rotors(inertias, solver):
    """1 N m on the light one: 1.4e-3 and 3.1e-4 of the accelerations were rounding, without a word."""
    tau = np.array([1.0, 0.0])
    for ratio in (10.0, 0.1):
        vdot = found(train(inertias, [ratio]), tau, solver)
        np.testing.assert_allclose(vdot, exact(inertias, [ratio], tau), rtol=1e-12)  # K is one number: nothing is lost in a correction


@pytest.mark.parametrize("solver", [*SOLVERS, "batch"])
def test_random_gear_trains_agree_with_rational_numbers(solver):
    """Two to six rotors of 1e-9 to 1e3 kg m^2, geared up and down, a torque on one or on all: every acceleration, however small."""
    rng = np.random.default_rng(7)
    for k in range(80):
        n = int(rng.integers(2, 7))
        inertias, ratios = 10.0 ** rng.uniform(-9.0, 3.0, n), rng.choice([-1, 1], n - 1) * 10.0 ** rng.uniform(-1.3, 1.3, n - 1)
        tau = rng.normal(size=n) if k % 3 == 0 else np.eye(n)[rng.integers(n)]
        vdot, expected = found(train(inertias, ratios), tau, solver), exact(inertias, ratios, tau)
        assert np.abs(vdot / expected - 1.0).max() < RIGHT[solver], (inertias, ratios, tau)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_four_bar_of_grains_and_houses_agrees_with_rational_numbers(solver):
    """Masses of 1e-6 to 1e6 kg: of 300 the sparse and the articulated solver had 17 beyond 1e-9, up to 5e-8."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        masses = tuple(10.0 ** rng.uniform(-6.0, 6.0, 3))
        model, expected = four_bar(0.0, masses), exact_four_bar(masses)
        vdot = lw.forward_dynamics(model, lw.neutral(model), np.zeros(model.nv), solver=solver)
        error = max(abs(float(vdot[joint.v_index][0]) - expected[joint.name]) for joint in model.joints)
        assert error < 1e-9 * max(map(abs, expected.values())), masses


def test_a_light_rotor_that_turns_fast_keeps_its_digits():
    """Speeds are no accelerations: gears have no centripetal terms that would excuse a residual."""
    inertias, ratios, tau = (1e-9, 100.0), [10.0], np.array([1.0, 0.0])
    model = train(inertias, ratios)
    for solver in ("articulated", "sparse"):
        vdot = lw.forward_dynamics(model, np.zeros(2), np.array([1e4, 1e5]), tau, solver=solver)
        np.testing.assert_allclose(vdot, exact(inertias, ratios, tau), rtol=1e-12)


@pytest.mark.parametrize("solver", [*SOLVERS, "batch"])
@pytest.mark.parametrize("pushed", ["", "a", "c"])
def test_light_bars_that_turn_heavily_agree_with_rational_numbers(pushed, solver):
    """Masses of 1e-9 kg, inertias of 1e-9 to 1e3 kg m^2: the error was along the motion itself, where rows lack nothing. Of 100, 15 were beyond 1e-9, the
    worst by 6.2e-6; by propagation 64, the worst by 1.9e-4."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        masses, inertias = (1e-9, 1e-9, 1e-9), tuple(10.0 ** rng.uniform(-9.0, 3.0, 3))
        model, expected = four_bar(0.0, masses, inertias), exact_four_bar(masses, inertias, {pushed: 1} if pushed else ())
        tau = np.zeros(model.nv)
        if pushed:
            tau[model.joint(pushed).v_index] = -1.0 if model.joint(pushed).backwards else 1.0
        vdot = found(model, tau, solver, lw.neutral(model))
        error = max(abs(float(vdot[joint.v_index][0]) - expected[joint.name]) for joint in model.joints)
        assert error < RIGHT[solver] * 10.0 * max(map(abs, expected.values())), inertias  # a sum of ten terms


@pytest.mark.parametrize("solver", [*SOLVERS, "batch"])
@pytest.mark.parametrize("ratio", [5e8, 5e9, 5e10, 1e15])
def test_gears_of_any_ratio_turn_both_rotors(ratio, solver):
    """Propagation was off by 7e-6 between 5e8 and 5e10; at 1e15 reactions were refused, naming nothing."""
    for tau in np.eye(2):
        model, expected = train((1.0, 1.0), [ratio]), exact((1.0, 1.0), [ratio], tau)
        np.testing.assert_allclose(found(model, tau, solver), expected, rtol=1e-12)
        if solver != "batch":
            assert lw.reactions(model, np.zeros(2), np.zeros(2), tau, solver=solver).names[-1] == "mesh 0"


@pytest.mark.parametrize("solver", ["articulated", "sparse"])
def test_what_corrections_cannot_solve_is_refused_with_name_ratio_and_remedy(solver):
    """Rotors whose inertias, as the gears make them felt, are 1e15 apart: no correction comes to an end, though every row holds. An empty list of
    constraints was named before."""
    model, tau = train((0.35, 3.3e-6, 63.0, 53.0), [1e-5, 0.075, -4.2e4]), np.array([0.0, 1.0, 0.0, 0.0])
    for ask in (lw.forward_dynamics, lw.reactions):
        with pytest.raises(
            lw.SolverError,
            match=r"constraints 'mesh 0', 'mesh 1' tie together.* differ by .e\+14 or more.*allowed are ratios up to.*make light parts",
        ):
            ask(model, np.zeros(4), np.zeros(4), tau, solver=solver)


@pytest.mark.parametrize("name", [*ZOO])
def test_corrections_leave_alone_what_is_right(name):
    """Corrections of the whole system know every force: joint forces on balls and free joints, armatures, external wrenches, velocities, gravity, and none of
    the last two for impulses. A term that they did not know would be taken for rounding, and spoil the solution."""
    example = ZOO[name]()
    for k, joint in enumerate(example.mechanism.joints):
        if k % 2 and joint.kind.nv:
            example.mechanism.change(joint.name, kind=dataclasses.replace(joint.kind, armature=0.3))
    model = example.mechanism.build()
    q, rng = configuration(model, example.guess), np.random.default_rng(4)
    v = lw.project_velocity(model, q, rng.normal(size=model.nv))
    tau, f_ext = rng.normal(size=model.nv), rng.normal(size=(model.nb, 6))
    rank_revealing = solve_constrained(model, q, v, tau, f_ext, rank_revealing=True)
    plain = solve_sparse(model, q, v, tau, f_ext)
    np.testing.assert_allclose(
        rank_revealing.vdot, plain.vdot, atol=1e-9 * max(1.0, np.abs(plain.vdot).max())
    )  # the condition of the zoo's mechanisms, 1e6
    rows = lw.constraint_jacobian(model, q, v)
    row_residual = newton_euler_forces(model, q, v, rank_revealing.vdot, f_ext) - tau - rank_revealing.multipliers @ rows.J
    assert np.abs(row_residual).max() < 1e-11 * max(1.0, np.abs(rank_revealing.multipliers).max(initial=0.0))
