"""Every kind says the truth about itself (J, phi_dot, gamma against differences), in lanes and in plain Python too, and acts on the motion."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian
from linkwork.dynamics.inverse import newton_euler_forces
from linkwork.kernels import JIT
from linkwork.solvers.delassus.driver import solve_constrained
from linkwork.testing import check_constraint

from ....constraint_cases import CASES, all_rows, mechanism, model, states

ROOT = Path(__file__).parents[4]
# Sums of a few hundred terms of size 1 to 10: rounding of different orders of summation.
ROUNDING = 1e-12

every_case = pytest.mark.parametrize("name", CASES)


@pytest.mark.slow
@every_case
def test_equations_agree_with_differences(name):
    """J is the slope of phi, phi_dot its rate, gamma the rate of phi_dot at vdot = 0."""
    q, v, t = states(name)
    for k in range(3):
        report = check_constraint(model(name), name, q[k], v[k], t[k], tolerance=1e-8)
        assert report.rows == model(name).constraint(name).words
        assert len(report.rows) == CASES[name].rows == model(name).nc
        assert np.abs(constraint_jacobian(model(name), q[k], v[k], t[k]).J).max() > 1e-3, "a row of zeros proves nothing"


@every_case
def test_a_batch_is_its_states(name):
    q, v, t = states(name)
    together = constraint_jacobian(model(name), q, v, t)
    for k in range(len(q)):
        for one, many in zip(constraint_jacobian(model(name), q[k], v[k], t[k]), together, strict=True):
            assert np.allclose(one, many[k], rtol=ROUNDING, atol=ROUNDING)


@pytest.fixture(scope="module")
def plain():
    if not JIT:
        pytest.skip("this is the plain run itself")
    environment = os.environ | {"LINKWORK_JIT": "0", "PYTHONPATH": os.pathsep.join([str(Path(lw.__file__).parents[1]), str(ROOT)])}
    done = subprocess.run([sys.executable, "-m", "tests.constraint_cases"], env=environment, cwd=ROOT, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


@pytest.mark.slow
def test_compiled_rows_are_their_plain_source(plain):
    """Compiled and with LINKWORK_JIT=0, kernels, jets and users' functions give the same numbers."""
    compiled = all_rows()
    assert compiled.keys() == plain.keys()
    for name, found in compiled.items():
        for ours, theirs in zip(found, plain[name], strict=True):
            for x, y in zip(ours, theirs, strict=True):
                assert np.allclose(x, y, rtol=ROUNDING, atol=ROUNDING), name


@every_case
def test_the_constraint_acts(name):
    """Accelerations satisfy J vdot + gamma = 0; without the constraint they would not."""
    q, v, t = states(name)
    free = lw.forward_dynamics(mechanism().build(), q, v)
    rows = constraint_jacobian(model(name), q, v, t)
    found = solve_constrained(model(name), q, v, t=t)
    assert (found.rank == CASES[name].rows).all()
    size = 1.0 + np.abs(rows.gamma).max(axis=-1, keepdims=True) + np.abs(rows.J).max(axis=(-1, -2))[:, None] * np.abs(free).max()
    for vdot, holds in ((found.vdot, True), (free, False)):
        row_residual = np.abs(np.einsum("...ij,...j", rows.J, vdot) + rows.gamma) / size
        # A solve with a K of moderate condition loses a few digits of the 16.
        assert (row_residual.max(axis=-1) < 1e-9).all() == holds
    assert np.allclose(lw.forward_dynamics(model(name), q, v, t=t), found.vdot, rtol=1e-12, atol=1e-12)


@every_case
def test_the_force_of_a_constraint_does_no_other_work(name):
    """M vdot + bias = tau + J^T lambda: the multipliers act along J, and nothing else acts."""
    q, v, t = (x[0] for x in states(name))
    found = solve_constrained(model(name), q, v, t=t)
    rows = constraint_jacobian(model(name), q, v, t)
    left = newton_euler_forces(model(name), q, v, found.vdot, None) - rows.J.T @ found.multipliers
    assert np.abs(left).max() < 1e-9 * (1.0 + np.abs(rows.J.T @ found.multipliers).max())
