"""Dense rows: J and gamma against differences of phi and phi_dot along a path; batches; models without rows."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian

from ...zoo import random_loops


def with_everything(seed):
    """A random mechanism with loops, a lock that moves, a coupling and two drives."""
    mechanism, rng = random_loops(seed).mechanism, np.random.default_rng(seed)
    law = CubicSpline(np.linspace(0.0, 1.0, 5), rng.normal(size=5))
    mechanism.add_constraint("lock", lw.Lock(x=law, z=None, ry=law, rx=None), mechanism.bodies[-1].at(0.3, 0.1, -0.2), mechanism.bodies[0])
    single = [j.name for j in mechanism.joints if j.kind.nv == 1]
    if len(single) > 1:
        mechanism.add_constraint("gear", lw.Gear(-0.7), *single[:2])
        mechanism.add_constraint("drive", lw.Drive(law), single[0])
        mechanism.add_constraint("speed", lw.SpeedDrive(law), single[1])
    return mechanism.build()


@pytest.mark.parametrize("seed", range(6))
def test_rates_of_rows_are_what_differences_say(seed):
    """phi_dot = J v + phi_t and phi_ddot = J vdot + gamma along a path with acceleration; rows on velocities have no phi."""
    model, rng, t, h = with_everything(seed), np.random.default_rng(seed), 0.4, 1e-5
    q, v, vdot = lw.random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)

    def at(s):
        return constraint_jacobian(model, lw.integrate(model, q, s * v + 0.5 * s * s * vdot), v + s * vdot, t + s)

    here, before, after = at(0.0), at(-h), at(h)
    holds = np.concatenate([np.full(c.rows.stop - c.rows.start, c.holonomic) for c in model.constraints])
    scale = 1.0 + np.max(np.abs(here.gamma))
    # Central differences: h^2 times a third derivative, and rounding over h.
    assert np.max(np.abs((after.phi - before.phi) / (2 * h) - here.phi_dot)[holds]) < 1e-7 * scale
    assert np.max(np.abs((after.phi_dot - before.phi_dot) / (2 * h) - here.J @ vdot - here.gamma)) < 1e-7 * scale
    assert np.max(np.abs(here.J @ v)) > 0.1


@pytest.mark.slow
def test_a_batch_is_its_states():
    model, rng = with_everything(1), np.random.default_rng(0)
    q, v, t = lw.random_configuration(model, rng, 5), rng.normal(size=(5, model.nv)), rng.uniform(0, 1, 5)
    batch = constraint_jacobian(model, q, v, t)
    for k in range(5):
        for one, many in zip(constraint_jacobian(model, q[k], v[k], t[k]), batch, strict=True):
            assert np.allclose(one, many[k], rtol=0.0, atol=1e-11)
    assert batch.J.shape == (5, model.nc, model.nv)


def test_a_tree_has_no_rows():
    m = lw.Mechanism("pendulum")
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, inertia=(1, 1, 1)))
    rows = constraint_jacobian(m.build(), np.zeros((3, 1)), np.zeros((3, 1)), 0.0)
    assert rows.J.shape == (3, 0, 1)
    assert rows.phi.shape == (3, 0)
