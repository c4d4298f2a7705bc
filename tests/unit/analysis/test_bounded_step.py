"""The least of a quadratic function within bounds and on rows: against SciPy."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

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
def test_on_rows_it_is_as_low_as_what_scipy_finds(seed):
    A, b, G, lower, upper = problem(seed, 2)
    x, _ = solved(A, b, G, lower, upper)
    assert np.all(x >= lower) and np.all(x <= upper) and G @ x == pytest.approx(np.zeros(len(G)), abs=1e-12)

    def value(y):
        return 0.5 * np.sum((A @ y - b) ** 2)

    rows = {"type": "eq", "fun": lambda y: G @ y, "jac": lambda y: G}
    bounds = list(zip(lower, upper, strict=True))
    found = minimize(
        value, np.zeros(len(x)), jac=lambda y: A.T @ (A @ y - b), bounds=bounds, constraints=[rows], options={"ftol": 1e-15, "maxiter": 500}
    )
    assert value(x) == pytest.approx(found.fun, rel=1e-9)  # SciPy's accuracy


def test_a_batch_is_solved_as_its_members_are():
    A, b, G, lower, upper = problem(3, 1)
    scales = np.array([0.1, 1.0, 10.0])
    x, _ = bounded_step(
        np.repeat((A.T @ A)[None], 3, 0), -scales[:, None] * (A.T @ b), *(np.repeat(y[None], 3, 0) for y in (G, lower, upper))
    )
    for k, scale in enumerate(scales):
        assert x[k] == pytest.approx(solved(A, scale * b, G, lower, upper)[0], abs=1e-12)
