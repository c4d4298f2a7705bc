"""Long chains by the variational integrator: a step ends where rounding at that length lets it end, and a step without a solution still fails."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.variational.force_calls import FORCES_CALL
from linkwork.integrators.variational.run import Run
from linkwork.kernels import JIT
from linkwork.kernels.calling import c_signature

from ....variational_runs import variational_run
from ....zoo_assembly import configuration
from ....zoo_chains import chain_between_poles, floating_ring

pytestmark = pytest.mark.skipif(not JIT, reason="hundreds of links take minutes in plain Python")


def chain(n, mixed=False):
    """n hinges about one axis; mixed: masses from 1 g to 10 kg in any order."""
    m, rng, last = lw.Mechanism("long chain"), np.random.default_rng(1), None
    for k in range(n):
        scale = 10.0 ** rng.uniform(-2.0, 2.0) if mixed else 1.0
        body = m.add_body(f"link {k}", mass=0.1 * scale, com=(0.05, 0, 0), inertia=(1e-5 * scale, 1e-4 * scale, 1e-4 * scale))
        m.add_joint(f"hinge {k}", lw.Revolute((0, 1, 0)), m.ground if last is None else last.at(0.1, 0, 0), body)
        last = body
    return m.build()


def gentle(n):
    rng = np.random.default_rng(0)
    return rng.uniform(-0.3, 0.3, n), rng.uniform(-0.1, 0.1, n)


@pytest.mark.parametrize("links", [300, 500, 1000])
@pytest.mark.parametrize("mixed", [False, True], ids=["equal masses", "mixed masses"])
def test_a_long_chain_that_is_solved_goes_on(links, mixed):
    """It stopped from 300 links on: "no correction brought its equations nearer". Its distance from Runge-Kutta is what it is by theory, O(h^2)."""
    model, (q, v) = chain(links, mixed), gentle(links)
    exact = lw.simulate(model, 0.02, lw.RungeKutta4(step=5e-5), q=q, v=v).q[-1]
    errors = []
    for integrator in (lw.Variational(), lw.Variational(step=5e-4)):
        found = lw.simulate(model, 0.02, integrator, q=q, v=v)
        assert found.status == "finished"
        errors.append(np.abs(found.q[-1] - exact).max())
    assert errors[0] < 5e-3
    assert errors[1] < 0.3 * errors[0], "a quarter, and rounding: 1e-8 in chains of mixed masses, whose M has a condition of 1e12 and more"


@pytest.mark.parametrize("links", [500, 1000])
@pytest.mark.parametrize("closed", [lambda n: chain_between_poles(n, "parallel"), lambda n: chain_between_poles(n, "ball"), floating_ring])
def test_a_long_closed_chain_goes_on(links, closed):
    example = closed(links)
    model = example.mechanism.build()
    q = configuration(model, example.guess)
    v = lw.project_velocity(model, q, np.random.default_rng(0).uniform(-0.1, 0.1, model.nv))
    run = variational_run(model, q, v, 1e-3, 20)
    exact = lw.simulate(model, 0.02, lw.RungeKutta4(step=2e-4), q=q, v=v).q[-1]
    # Places of 1000 links along a path of 100 m round by some 1e-13 m; the fault was that the step was refused.
    assert run.report.gap < 1e-11
    assert np.abs(lw.difference(model, run.q, exact)).max() < 2e-4 * max(1.0, np.abs(v).max())


def test_momentum_of_a_long_floating_chain_is_kept_to_rounding():
    """The looser end of a step is rounding, not less: 300 links, 200 steps."""
    example = floating_ring(300, "ball")
    example.mechanism.gravity = (0.0, 0.0, 0.0)
    model = example.mechanism.build()
    q = configuration(model, example.guess)
    v = lw.project_velocity(model, q, np.random.default_rng(0).uniform(-0.1, 0.1, model.nv))
    run = variational_run(model, q, v, 1e-3, 200)
    before, after = (lw.momentum(model, *state) for state in ((q, v), (run.q, run.v)))
    size = np.abs(before.about_origin).max()
    assert np.abs(after.about_origin - before.about_origin).max() < 1e-10 * size
    assert np.abs(after.linear - before.linear).max() < 1e-10 * np.abs(before.linear).max()


def test_a_long_chain_without_a_solution_still_fails():
    """A force on every hinge that jumps with the sign of its velocity, against every velocity that it would let pass, has no solution at the jump."""
    import numba

    def jump(data, q, v, t, out):
        for k in range(500):
            out[k] = 1.0 if v[k] < 0.05 else -1.0

    model, (q, v) = chain(500), gentle(500)
    run = Run(model, q, v, tau=numba.cfunc(c_signature(FORCES_CALL))(jump))
    with pytest.raises(lw.SolverError, match="variational step"):
        run.step(1e-3, 20)
