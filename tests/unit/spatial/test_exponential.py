"""The coefficients of exp and log against their power series summed in exact fractions."""

from fractions import Fraction
from math import factorial

import pytest

from linkwork.spatial.exponential import SMALL, exp_coefficients, half_angle, log_coefficient
from linkwork.spatial.plain import plain

SQUARES = [0.0, 1e-300, 1e-16, 1e-8, 1e-3, 0.1, SMALL * (1 - 1e-15), SMALL, SMALL * (1 + 1e-15), 0.5, 1.0, 4.0, 9.0]


def alternating(s, first):
    """Sum of (-s)^k / (2k + first)!."""
    return sum((-s) ** k / Fraction(factorial(2 * k + first)) for k in range(40))


@pytest.mark.parametrize("square", SQUARES)
def test_exp_coefficients(square):
    s = Fraction(square)
    A, B, C = (alternating(s, k) for k in (1, 2, 3))
    found = plain(exp_coefficients)(square)
    # The closed form of C divides a rounding of 1e-16 by s >= 1/4; below that the series are exact.
    for value, exact, tolerance in zip(found, (A, B, C), (4e-16, 4e-16, 6e-15), strict=True):
        assert value == pytest.approx(float(exact), rel=tolerance, abs=0.0)


@pytest.mark.parametrize("square", SQUARES)
def test_half_angle(square):
    x = Fraction(square) / 4
    assert plain(half_angle)(square) == pytest.approx((float(alternating(x, 0)), float(alternating(x, 1)) / 2), rel=4e-16, abs=0.0)


@pytest.mark.parametrize("square", [s for s in SQUARES if s > 0.0])
def test_log_coefficient(square):
    s = Fraction(square)
    cosine, sinc = alternating(s / 4, 0), alternating(s / 4, 1)
    G = (1 - cosine / sinc) / s
    assert plain(log_coefficient)(square) == pytest.approx(float(G), rel=1e-14, abs=0.0)


def test_log_coefficient_at_zero_is_the_first_bernoulli_term():
    assert plain(log_coefficient)(0.0) == 1.0 / 12.0
