r"""Radau IIA with three stages: the coefficients, of order 5, stiffly accurate and L-stable (Hairer & Wanner 1996, section IV.8).

    Y_i = y_0 + h sum_j a_ij Y'_j,      c = ((4 - sqrt 6)/10, (4 + sqrt 6)/10, 1),      y_1 = Y_3

A^-1 = T diag(mu) T^-1 has one real eigenvalue and a complex pair, which take Newton's matrix of three coupled stages apart into one real matrix and
one complex matrix of the size of a single stage. Stages are the values of a polynomial of degree 3, which gives the states
inside the step, and the first guess of the next.
"""

import functools

import numpy as np

STAGES = 3
_r = np.sqrt(6.0)

C = np.array([(4.0 - _r) / 10.0, (4.0 + _r) / 10.0, 1.0])
A = np.array(
    [
        [(88.0 - 7.0 * _r) / 360.0, (296.0 - 169.0 * _r) / 1800.0, (-2.0 + 3.0 * _r) / 225.0],
        [(296.0 + 169.0 * _r) / 1800.0, (88.0 + 7.0 * _r) / 360.0, (-2.0 - 3.0 * _r) / 225.0],
        [(16.0 - _r) / 36.0, (16.0 + _r) / 36.0, 1.0 / 9.0],
    ]
)
INVERSE = np.linalg.inv(A)


def _eigen():
    values, vectors = np.linalg.eig(INVERSE)
    order = np.argsort(-values.imag + 10.0 * (values.imag == 0.0) * -1.0)  # the real one, then the one above the real axis
    values, vectors = values[order], vectors[:, order]
    return values, vectors, np.linalg.inv(vectors)


_values, _T, _T_inverse = _eigen()
MU = float(_values[0].real), complex(_values[1])  # the real eigenvalue of A^-1 and one of the complex pair
TO_REAL, TO_COMPLEX = np.ascontiguousarray(_T_inverse[0].real), np.ascontiguousarray(_T_inverse[1])  # rows of T^-1
FROM_REAL, FROM_COMPLEX = (
    np.ascontiguousarray(_T[:, 0].real),
    np.ascontiguousarray(2.0 * _T[:, 1]),
)  # columns of T; of a pair twice the real part

# The embedded formula of order 3 (Hairer & Wanner 1996, IV.8.19): error = h y'_0 / MU[0] + sum e_i (Y_i - y_0), filtered by the real matrix.
ERROR = np.array([-13.0 - 7.0 * _r, -13.0 + 7.0 * _r, -1.0]) / (3.0 * MU[0])

_NODES = np.concatenate([[0.0], C])


POWERS = np.linalg.inv(np.vander(_NODES, increasing=True))  # coefficients of 1, x, x^2, x^3 of the polynomial through (y_0, Y_1, Y_2, Y_3)


def values_at(x):
    """Weights of (y_0, Y_1, Y_2, Y_3) in the polynomial through them at the parts x of the step. (len(x), 4)"""
    return _lagrange(np.atleast_1d(np.asarray(x, dtype=float)), _NODES)


@functools.lru_cache(maxsize=64)
def beyond(ratio):
    """Weights that guess the stages of a next step, `ratio` times as long: of values (3, 4) as above, and of rates known at the three stages (3, 3)."""
    x = 1.0 + C * ratio
    return _lagrange(x, _NODES), _lagrange(x, C)


def integral_to(x):
    """Weights of the stages' rates in their integral from 0 to the part x of the step, in units of h. (3,)"""
    powers = np.arange(1, STAGES + 1)
    return (x**powers / powers) @ _MONOMIALS


def _lagrange(x, nodes):
    found = np.ones((len(x), len(nodes)))
    for i, a in enumerate(nodes):
        for j, b in enumerate(nodes):
            if i != j:
                found[:, i] *= (x - b) / (a - b)
    return found


_MONOMIALS = np.linalg.inv(np.vander(C, increasing=True))  # coefficients of 1, x, x^2 from values at C
