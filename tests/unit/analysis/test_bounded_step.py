"""The least of a quadratic function within bounds and on rows: against SciPy, and by its conditions."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from linkwork.analysis.bounded_step import bounded_step


def problem(seed, rows):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    A = rng.normal(size=(n + 2, n))
    lower, upper = -rng.random(n) * (rng.random(n) < 0.7), rng.random(n) * (rng.random(n) < 0.7)
    return A, 3.0 * rng.normal(size=n + 2), rng.normal(size=(min(rows, n - 1), n)), lower, upper


def solved(A, b, G, lower, upper):
    x, held = bounded_step((A.T @ A)[None], -(A.T @ b)[None], G[None], lower[None], upper[None])
    return x[0], held[0]


@pytest.mark.parametrize("seed", range(30))
def test_within_bounds_it_is_what_scipy_finds(seed):
    A, b, G, lower, upper = problem(seed, 0)
    x, _ = solved(A, b, G, lower, upper)
    moves = lower < upper  # SciPy wants room between bounds
    expected = np.zeros(len(x))
    if moves.any():
        expected[moves] = lsq_linear(A[:, moves], b, (lower[moves], upper[moves]), method="bvls", tol=1e-15).x
    assert x == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_on_rows_no_allowed_direction_leads_down(seed):
    """The slope is a sum of rows and of bounds that push inwards: least squares over multipliers of known sign leave nothing."""
    A, b, G, lower, upper = problem(seed, 2)
    x, _ = solved(A, b, G, lower, upper)
    assert np.all(x >= lower) and np.all(x <= upper) and G @ x == pytest.approx(np.zeros(len(G)), abs=1e-9)
    slope, eye = A.T @ (A @ x - b), np.eye(len(x))
    normals = [*G, *eye[x <= lower], *-eye[x >= upper]]
    least = [-np.inf] * len(G) + [0.0] * (len(normals) - len(G))
    found = lsq_linear(np.array(normals).T, slope, (least, np.inf), tol=1e-14)
    assert np.array(normals).T @ found.x == pytest.approx(slope, abs=1e-6 * np.abs(slope).max())  # SciPy's accuracy


def test_a_batch_is_solved_as_its_members_are():
    A, b, G, lower, upper = problem(3, 1)
    scales = np.array([0.1, 1.0, 10.0])
    x, _ = bounded_step(
        np.repeat((A.T @ A)[None], 3, 0), -scales[:, None] * (A.T @ b), *(np.repeat(y[None], 3, 0) for y in (G, lower, upper))
    )
    for k, scale in enumerate(scales):
        assert x[k] == pytest.approx(solved(A, scale * b, G, lower, upper)[0], abs=1e-12)
