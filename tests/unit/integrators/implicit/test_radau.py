"""The coefficients of Radau IIA, and factors as compiled steps use them."""

import numpy as np
import pytest

from linkwork.data.stepper import for_kernels
from linkwork.integrators.implicit import radau
from linkwork.integrators.lu_factor import LARGE, fill_factor, is_positive, new_factor, solve_complex, solve_real


def test_order_conditions():
    """B(5) and C(3): quadrature to order 5, stages to order 3 (Hairer & Wanner 1996, section IV.5)."""
    b = radau.A[-1]
    for k in range(1, 6):
        assert abs(b @ radau.C ** (k - 1) - 1.0 / k) < 1e-15
    for k in range(1, 4):
        assert np.abs(radau.A @ radau.C ** (k - 1) - radau.C**k / k).max() < 1e-15


def test_stiff_decay_without_overshoot():
    """R(z) = b A^-1 ... of a stiffly accurate method: |R| < 1 on the left, and it vanishes like 9 / |z|."""
    for z in (-1.0, -1e3, 1e3j, -1e2 + 1e4j, -1e6):
        R = np.linalg.solve(np.eye(3) - z * radau.A, np.ones(3))[-1]
        assert abs(R) < 1.0 and (abs(z) < 1e3 or abs(R) < 9.5 / abs(z))


def test_stages_are_taken_apart():
    """T diag(mu) T^-1 = A^-1, with one real eigenvalue and one of a pair."""
    found = radau.MU[0] * np.outer(radau.FROM_REAL, radau.TO_REAL) + (radau.MU[1] * np.outer(radau.FROM_COMPLEX, radau.TO_COMPLEX)).real
    assert np.abs(found - np.linalg.inv(radau.A)).max() < 1e-13
    assert radau.MU[1].imag > 0.0


def test_the_polynomial_goes_through_the_stages_and_on():
    x = np.array([0.0, *radau.C])
    assert np.abs(radau.values_at(x) - np.eye(4)).max() < 1e-14
    cubic, square = lambda t: t**3 - t + 1.0, lambda t: 2.0 * t**2 - t
    of_values, of_rates = radau.beyond(0.5)
    assert np.abs(of_values @ cubic(x) - cubic(1.0 + 0.5 * radau.C)).max() < 1e-13
    assert np.abs(of_rates @ square(radau.C) - square(1.0 + 0.5 * radau.C)).max() < 1e-13
    assert abs(radau.integral_to(0.4) @ square(radau.C) - (2.0 * 0.4**3 / 3.0 - 0.4**2 / 2.0)) < 1e-15
    assert np.abs(radau.integral_to(1.0) - radau.A[-1]).max() < 1e-15


@pytest.mark.parametrize("n", [1, 7, LARGE + 1])
@pytest.mark.parametrize("is_complex", [False, True])
def test_factors_solve(n, is_complex):
    rng = np.random.default_rng(n)
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    if is_complex:
        A, b = A + 1j * rng.normal(size=(n, n)), b + 1j * rng.normal(size=n)
    A *= np.exp(rng.uniform(-5.0, 5.0, n))[:, None]  # rows of very different size
    factor = new_factor(n, 0, is_complex)
    assert fill_factor(factor, A, np.zeros(0, dtype=int))
    factor.b[:n] = b.real
    if is_complex:
        factor.b_im[:n] = b.imag
    (solve_complex if is_complex else solve_real)(for_kernels(factor))
    x = factor.b[:n] + (1j * factor.b_im[:n] if is_complex else 0.0)
    assert np.abs(A @ x - b).max() < 1e-9 * np.abs(A).max() * np.abs(x).max()


def test_a_singular_matrix_is_known():
    for A in (
        np.array([[1.0, 2.0], [2.0, 4.0]]),
        np.zeros((2, 2)),
        np.array([[1.0, np.nan], [0.0, 1.0]]),
        1j * np.array([[1.0, 1.0], [2.0, 2.0]]),
    ):
        assert not fill_factor(new_factor(2, 0, np.iscomplexobj(A)), A, np.zeros(0, dtype=int))


def test_positive_definite_matrices_are_known():
    A = np.random.default_rng(0).normal(size=(5, 5))
    assert is_positive(A @ A.T + 0.1 * np.eye(5)) and not is_positive(A @ A.T - 2.0 * np.eye(5))
