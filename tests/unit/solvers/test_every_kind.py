"""Every constraint kind by every solver: the constraint acts, and all say the same."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian

from ...constraint_cases import CASES, mechanism, model, states


@pytest.mark.parametrize("solver", ["articulated", "propagation", "sparse"])
@pytest.mark.parametrize("name", CASES)
def test_a_constraint_acts_by_every_solver(name, solver):
    """J vdot + gamma = 0 to rounding of accelerations of some 100; without the constraint it is far from zero."""
    q, v, t = (x[0] for x in states(name))
    m, tau = model(name), np.linspace(-1.0, 1.0, model(name).nv)
    rows = constraint_jacobian(m, q, v, t)
    vdot = lw.forward_dynamics(m, q, v, tau, t=t, solver=solver)
    scale = 1.0 + np.max(np.abs(rows.J)) * np.max(np.abs(vdot)) + np.max(np.abs(rows.gamma))
    assert np.max(np.abs(rows.J @ vdot + rows.gamma)) < 1e-9 * scale
    free = lw.forward_dynamics(mechanism().build(), q, v, tau)
    assert np.max(np.abs(rows.J @ free + rows.gamma)) > 1e-3, "the constraint holds anyway: the test would prove nothing"
    agreed = lw.forward_dynamics(m, q, v, tau, t=t, solver="articulated")
    assert np.max(np.abs(vdot - agreed)) < 1e-9 * (1.0 + np.max(np.abs(agreed)))
