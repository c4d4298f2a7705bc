"""Bringing a state back onto its constraints: gaps without a solve, corrections with a factor made before, and steps that use both."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.modes import ACCELERATION, GAPS, POSITION, RATES, REUSE_FACTOR, REUSE_ROWS, VELOCITY
from linkwork.integrators.system import System
from linkwork.kernels import JIT

from ... import reference as ref
from ...zoo import ZOO
from ..integrators.machines import four_bar
from ..test_reference import in_motion

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
        self.system.workspace.evaluate(self.system, 0.0, mode)
        return self.system.tree.vdot.copy()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", CLOSED)
def test_a_factor_used_again_gives_the_same_correction(name, solver):
    """At the pose where it was made, a factor is no approximation: of positions, then of velocities."""
    bench = Bench(name, solver)
    bench.call(GAPS)
    first = bench.call(POSITION + REUSE_ROWS)
    again = bench.call(POSITION + REUSE_FACTOR)
    assert np.abs(again - first).max() <= ROUNDING * np.abs(first).max()
    velocity = bench.call(VELOCITY + REUSE_FACTOR)
    assert np.array_equal(bench.system.v, bench.v), "a correction leaves v alone"
    fresh = bench.call(VELOCITY)
    assert np.abs(velocity - fresh).max() <= ROUNDING * np.abs(fresh).max()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["four-bar", "scissor lift", "RSSR", "Stewart platform", "delta robot", "gear train"])
def test_rows_looked_at_before_need_not_be_evaluated_again(name, solver):
    """The same bits, with REUSE_ROWS and without; and GAPS and RATES say what the rows of the survey say."""
    bench = Bench(name, solver)
    whole = bench.call(ACCELERATION)
    bench.call(GAPS)
    assert np.array_equal(bench.call(ACCELERATION + REUSE_ROWS), whole)
    phi, rate = bench.system.gaps(0.0, bench.q, bench.v)
    expected = lw.constraint_jacobian(bench.model, bench.q, bench.v)
    np.testing.assert_allclose(phi, expected.phi, rtol=0.0, atol=1e-14)  # rounding of positions of some metres
    np.testing.assert_allclose(rate, expected.phi_dot, rtol=0.0, atol=1e-13)
    # After v alone has changed, RATES is enough.
    bench.set(bench.q, 2.0 * bench.v)
    bench.call(RATES)
    twice = bench.system.workspace.accelerations.gap_rates
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


def loop_with_a_speed(kind):
    """A driven four-bar with an arm on its coupler, and what holds velocities only: a speed, and in space a skate beside it."""
    m = lw.Mechanism("driven", gravity=(1.0, 2.0, -9.81))
    a, b, c = (
        m.add_body(n, mass=1.0 + k, com=(x / 2, 0, 0), inertia=(0.01, 0.1, 0.1))
        for k, (n, x) in enumerate([("a", 0.3), ("b", 0.8), ("c", 0.6)])
    )
    hinge, ball = lw.Revolute((0, 1, 0)), lw.Spherical()
    m.add_joint("A", hinge, m.ground, a)
    m.add_joint("B", hinge, a.at(0.3, 0, 0), b)
    m.add_joint("C", ball if kind == "one ball" else hinge, b.at(0.8, 0, 0), c)
    m.add_joint("D", hinge, m.ground.at(0.9, 0, 0), c.at(0.6, 0, 0))
    arm = m.add_body("arm", mass=0.5, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.add_joint("E", ball if kind == "skate" else hinge, b.at(0.4, 0, 0.2), arm)
    m.add_constraint("speed", lw.SpeedDrive(lambda t: 3.0 + np.sin(7.0 * t)), "A")
    if kind == "skate":
        m.add_constraint("blade", lw.KnifeEdge((0, 1, 0)), arm.at(0.2, 0, 0), m.ground)
    return m.build()


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [lw.SemiImplicitEuler(1e-3), lw.RungeKutta4(1e-2)], ids=lambda i: type(i).__name__)
@pytest.mark.parametrize("kind", ["overconstrained", "one ball", "skate"])
def test_solvers_close_loops_beside_rows_of_velocities_alike(kind, integrator):
    """A correction of positions is no motion in time: rows that hold velocities only say nothing of it. The sparse solver let them hold their coordinate,
    the articulated one did not, and motions by SemiImplicitEuler parted by 2e-4 rad in 0.3 s."""
    model = loop_with_a_speed(kind)
    q = lw.assemble(model, lw.neutral(model), hold=["A"])
    v = lw.project_velocity(model, q, np.zeros(model.nv))
    sparse, other = (lw.simulate(model, 0.3, integrator, q=q, v=v, solver=solver) for solver in ("sparse", "articulated"))
    assert sparse.status == other.status == "finished"
    assert (
        np.abs(sparse.q - other.q).max() < 1e-11 and np.abs(sparse.v - other.v).max() < 1e-10
    )  # rounding of 300 steps, as the motion spreads it
    for rec in (sparse, other):
        rows = lw.constraint_jacobian(model, rec.q[-1], rec.v[-1], rec.time[-1])
        assert np.abs(rows.phi).max() < 1e-9
        assert np.abs(rows.phi_dot).max() < 1e-9  # speeds are held too, with another factor than that of positions
