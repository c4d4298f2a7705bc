"""Corrections by the sparse solver: of velocities and positions in the mass metric, and with a factor that was made before."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian
from linkwork.constraints.modes import ACCELERATION, GAPS, POSITION, REUSE_ROWS, VELOCITY
from linkwork.data.lending import Data
from linkwork.data.sparse import SparseData
from linkwork.kernels import JIT, kernel
from linkwork.kernels.records import pointer_to
from linkwork.model.tables import open_tables
from linkwork.solvers.sparse.correct import correct
from linkwork.solvers.sparse.driver import solve_sparse
from linkwork.solvers.sparse.prepare import prepare
from linkwork.solvers.sparse.program import new_sparse_data
from linkwork.solvers.sparse.solve import solve as solve_sparse_state

from .... import reference as ref
from ....constraint_cases import CASES, model, states
from ...test_reference import in_motion

LOOPS = ["four-bar", "delta robot", "Stewart platform", "floating ring of hinges", "scissor lift", "Bricard, line-symmetric"]


@kernel(entry="i i i -> i")
def _solve(handle, data, mode):
    model, data = open_tables(handle), pointer_to(SparseData, data, 0.0)
    solve_sparse_state(model, data, mode, 0, (0.0, 0.0, 0.0))
    return 0


@kernel(entry="i i i -> i")
def _solve_with_factor(handle, data, level):
    model, data = open_tables(handle), pointer_to(SparseData, data, 0.0)
    prepare(model, data, GAPS)
    correct(model, data, level)
    return 0


class Solver:
    """The sparse solver on memory that can be looked at."""

    def __init__(self, model):
        self.model, self.data = model, Data(model).record(SparseData, new_sparse_data)

    def __call__(self, kernel, mode, q, v, t=0.0):
        data = self.data
        data.tree.q[:], data.tree.v[:], data.tree.tau[:], data.rows.time = q, v, 0.0, t
        kernel(self.model.handle, data.address if JIT else data, mode)
        return data.tree.vdot.copy()


def moving(name):
    """(model, q, v) of an animal whose velocity breaks its constraints."""
    s, _, _ = in_motion(name)
    model = s.mechanism.build()
    q, v = ref.state_vectors(model, s)
    return model, q, v + np.random.default_rng(0).normal(size=model.nv)


@pytest.mark.parametrize("name", LOOPS)
def test_velocities_are_corrected_in_the_mass_metric(name):
    """J (v + x) + phi_t = 0, and M x is in the span of J^T: the correction that the articulated solver finds."""
    model, q, v = moving(name)
    x = Solver(model)(_solve, VELOCITY, q, v)
    expected = lw.project_velocity(model, q, v) - v
    assert np.abs(expected).max() > 1e-2
    np.testing.assert_allclose(x, expected, atol=1e-9 * (1.0 + np.abs(expected).max()))


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("level", [VELOCITY, POSITION])
def test_with_the_factor_of_the_same_state_a_correction_is_the_same(name, level):
    model, q, v = moving(name)
    rng = np.random.default_rng(1)
    solve = Solver(model)
    q = lw.integrate(model, q, 1e-3 * rng.normal(size=model.nv))
    expected = solve(_solve, level, q, v)
    multipliers = solve.data.multipliers.copy()
    assert np.abs(expected).max() > 1e-4
    solve.data.tree.vdot[:], solve.data.multipliers[:] = 0.0, 0.0
    np.testing.assert_allclose(solve(_solve_with_factor, level, q, v), expected, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(solve.data.multipliers, multipliers, atol=1e-9 * (1.0 + np.abs(multipliers).max()))


@pytest.mark.parametrize("name", LOOPS)
def test_with_a_factor_from_nearby_it_is_off_by_as_much_as_the_pose(name):
    model, q, v = moving(name)
    direction = lw.project_velocity(model, q, np.random.default_rng(2).normal(size=model.nv))
    errors = []
    for size in (1e-4, 1e-5):
        solve, near = Solver(model), lw.integrate(model, q, size * direction)
        solve(_solve, VELOCITY, q, v)
        found = solve(_solve_with_factor, VELOCITY, near, v)
        exact = Solver(model)(_solve, VELOCITY, near, v)
        errors.append(np.abs(found - exact).max() / np.abs(exact).max())
    assert errors[0] < 0.1
    assert errors[1] < 0.2 * errors[0] + 1e-9


@pytest.mark.parametrize("name", CASES)
def test_rows_of_every_kind_are_corrected(name):
    q, v, t = (x[0] for x in states(name))
    m = model(name)
    v = v + np.random.default_rng(0).normal(size=m.nv)
    rows, x = constraint_jacobian(m, q, v, t), Solver(m)(_solve, VELOCITY, q, v, t)
    assert np.abs(rows.phi_dot).max() > 1e-3
    assert np.abs(rows.J @ x + rows.phi_dot).max() < 1e-9 * (1.0 + np.abs(rows.phi_dot).max())


def test_rows_that_were_evaluated_are_not_evaluated_again():
    """REUSE_ROWS: the same accelerations after a look at the state."""
    model, q, v = moving("delta robot")
    solve = Solver(model)
    expected = solve_sparse(model, q, v, np.zeros(model.nv)).vdot
    np.testing.assert_array_equal(solve(_solve, ACCELERATION, q, v), expected)
    solve.data.tree.motion.links[0].p = (9.0, 9.0, 9.0)  # would be found again
    found = solve(_solve, VELOCITY + REUSE_ROWS, q, v)
    assert solve.data.tree.motion.links[0].p == (9.0, 9.0, 9.0)
    np.testing.assert_allclose(found, lw.project_velocity(model, q, v) - v, atol=1e-9 * (1.0 + np.abs(found).max()))
