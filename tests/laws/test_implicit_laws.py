"""Ways through time agree: what an implicit method finds at small steps is what an explicit one finds, whatever the mechanism."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

from ..unit.integrators.machines import error, start
from ..zoo import random_loops
from ..zoo_assembly import configuration

pytestmark = pytest.mark.skipif(not JIT, reason="hundreds of steps of many mechanisms take minutes in plain Python")
DURATION = 0.05


def with_forces(seed):
    """A random mechanism with loops, some of them joints that stand twice on one axis, and forces between its bodies: (model, q, v)."""
    example = random_loops(seed)
    m, rng = example.mechanism, np.random.default_rng(seed)
    bodies = [body for body in m.bodies if body.name != "ground"]
    for k in range(rng.integers(1, 4)):
        a, b = (bodies[i] for i in rng.integers(len(bodies), size=2))
        stiffness, damping = rng.uniform(1.0, 200.0), rng.uniform(0.0, 2.0)
        kind = (lw.SpringDamper(stiffness, damping, length=rng.uniform(0.1, 1.0)), lw.Bushing((5.0,) * 6, (0.5,) * 6))[rng.integers(2)]
        m.add_force(f"force {k}", kind, a.at(*rng.normal(size=3)), (m.ground if a is b else b).at(*rng.normal(size=3)))
    model = m.build()
    q = configuration(model, example.guess)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.ConstraintWarning)
        return model, q, lw.project_velocity(model, q, rng.normal(size=model.nv))


@pytest.mark.parametrize("seeds", [range(k, k + 8) for k in range(0, 40, 8)], ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_implicit_steps_find_the_motion_of_explicit_ones_on_random_loops_with_redundant_joints(seeds):
    """Explicit steps of 0.2 and 0.1 ms tell by their difference what they know; the implicit method has to be as near, or within 1e-6."""
    moved = redundant = 0
    for seed in seeds:
        model, q, v = with_forces(seed)
        found = []
        for step in (2e-4, 1e-4):
            explicit = start(lw.RungeKutta4(step=step), model, q, v, tolerance=1e-11)
            explicit.advance(DURATION)
            found.append(explicit.state(DURATION)[:2])
        known = max(
            np.abs(lw.difference(model, found[0][0], found[1][0])).max(initial=0.0), np.abs(found[0][1] - found[1][1]).max(initial=0.0)
        )
        implicit = start(lw.Implicit(step=1e-3), model, q, v)
        implicit.advance(DURATION)
        assert error(model, implicit, DURATION, *found[1]) < 1e-6 + 10.0 * known, seed
        phi, rate = implicit.system.gaps(implicit.time, implicit.system.q, implicit.system.v)
        assert np.abs(phi).max(initial=0.0) < 1e-10 and np.abs(rate).max(initial=0.0) < 1e-8, seed
        moved += np.abs(lw.difference(model, q, found[1][0])).max() > 1e-3
        redundant += np.linalg.matrix_rank(lw.constraint_jacobian(model, q).J, tol=1e-9) < model.nc
    assert moved >= len(seeds) - 2 and redundant >= 1
