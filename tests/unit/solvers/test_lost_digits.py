"""Inertias that differ widely take no digits from accelerations: gear trains and a loop, against rational numbers."""

from fractions import Fraction

import numpy as np
import pytest

import linkwork as lw

from .rank_cases import SOLVERS, exact_four_bar, four_bar

# Propagation, in NumPy, has no corrections: of 400 trains 6 were beyond 1e-9, the worst 2.9e-8.
RIGHT = {"articulated": 1e-9, "sparse": 1e-9, "propagation": 1e-7}


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


def found(model, tau, solver):
    still = np.zeros(model.nv)
    if solver == "batch":
        return lw.forward_dynamics(model, np.tile(still, (9, 1)), np.tile(still, (9, 1)), np.tile(tau, (9, 1)))[4]
    return lw.forward_dynamics(model, still, still, tau, solver=solver)


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
        assert np.abs(vdot / expected - 1.0).max() < RIGHT.get(solver, 1e-9), (inertias, ratios, tau)


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
