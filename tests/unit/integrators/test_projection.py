"""Bringing a state back onto its constraints: gaps without a solve, corrections with a factor made before, and steps that use both."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.system import System
from linkwork.kernels import JIT
from linkwork.solvers.modes import ACCELERATION, AGAIN, GAPS, HERE, POSITION, RATES, VELOCITY

from ... import reference as ref
from ...zoo import ZOO
from ..test_reference import in_motion
from .machines import four_bar

SOLVERS = ("sparse", "articulated")
CLOSED = [name for name, make in ZOO.items() if not make().facts.isolated and make().mechanism.build().nc]
ROUNDING = 1e-9  # the condition of J M^-1 J^T, 1e5 or less away from singular poses, times rounding of two orders of the same sums


class Bench:
    """The rates of a system, called mode by mode at a state that is a little off its constraints."""

    def __init__(self, name, solver):
        s, _, _ = in_motion(name)
        self.model = model = s.mechanism.build()
        q, v = ref.state_vectors(model, s)
        rng = np.random.default_rng(5)
        self.q, self.v = lw.integrate(model, q, 1e-5 * rng.normal(size=model.nv)), v + 1e-3 * rng.normal(size=model.nv)
        self.system = System(model, (), solver=solver)
        self.set(self.q, self.v)

    def set(self, q, v):
        self.system.q[:], self.system.v[:] = q, v

    def call(self, mode):
        self.system.place.evaluate(self.system, 0.0, mode)
        return self.system.tree.vdot.copy()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", CLOSED)
def test_a_factor_used_again_gives_the_same_correction(name, solver):
    """At the pose where it was made, a factor is no approximation: of positions, then of velocities."""
    bench = Bench(name, solver)
    bench.call(GAPS)
    first = bench.call(POSITION + HERE)
    again = bench.call(POSITION + AGAIN)
    assert np.abs(again - first).max() <= ROUNDING * np.abs(first).max()
    velocity = bench.call(VELOCITY + AGAIN)
    assert np.array_equal(bench.system.v, bench.v), "a correction leaves v alone"
    fresh = bench.call(VELOCITY)
    assert np.abs(velocity - fresh).max() <= ROUNDING * np.abs(fresh).max()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["four-bar", "scissor lift", "RSSR", "Stewart platform", "delta robot", "gear train"])
def test_rows_looked_at_before_need_not_be_evaluated_again(name, solver):
    """The same bits, with HERE and without; and GAPS and RATES say what the rows of the survey say."""
    bench = Bench(name, solver)
    whole = bench.call(ACCELERATION)
    bench.call(GAPS)
    assert np.array_equal(bench.call(ACCELERATION + HERE), whole)
    phi, rate = bench.system.gaps(0.0, bench.q, bench.v)
    expected = lw.constraint_jacobian(bench.model, bench.q, bench.v)
    np.testing.assert_allclose(phi, expected.phi, rtol=0.0, atol=1e-14)  # rounding of positions of some metres
    np.testing.assert_allclose(rate, expected.phi_dot, rtol=0.0, atol=1e-13)
    # After v alone has changed, RATES is enough.
    bench.set(bench.q, 2.0 * bench.v)
    bench.call(RATES)
    twice = bench.system.place.rates.gap_rates
    np.testing.assert_allclose(twice, 2.0 * expected.phi_dot, rtol=0.0, atol=2e-13)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("method", [lw.SemiImplicitEuler, lw.RungeKutta4])
def test_steps_stay_on_the_constraints_however_they_are_cut(method, solver):
    """Gap and its rate within the tolerance (a second) after every step; one by one or all at once, the same bits."""
    model, q, v = four_bar()
    integrator, tolerance, count = method(step=2e-3), 1e-11, 40 if JIT else 4
    ends = []
    for pieces in (1, count):
        system = System(model, (), stages=integrator.stages, solver=solver)
        system.q[:], system.v[:] = q, v
        moving = integrator.start(system, 0.0)
        moving.tolerance = tolerance
        for _ in range(pieces):
            moving.take(count // pieces)
            phi, rate = system.gaps(moving.time, system.q, system.v)
            assert np.abs(phi).max() <= tolerance
            if system.projections:
                # of the rate that is found at the next look, so not sharper than what one step adds to a state that needs no projection
                assert np.abs(rate).max() <= (tolerance if method is lw.SemiImplicitEuler else 1e-8)
        ends.append(np.r_[system.q, system.v])
        assert system.projections >= (count if method is lw.SemiImplicitEuler else 0) * 0.9
    assert np.array_equal(*ends)
