"""The coefficients of exp and log against their power series summed in exact fractions."""

from fractions import Fraction
from math import factorial

import pytest

from linkwork.spatial.exponential import SMALL, exp_slopes, half_angle, log_coefficients
from linkwork.spatial.plain import plain

SQUARES = [0.0, 1e-300, 1e-16, 1e-8, 1e-3, 0.1, SMALL * (1 - 1e-15), SMALL, SMALL * (1 + 1e-15), 0.5, 1.0, 4.0, 9.0]


def alternating(s, first):
    """Sum of (-s)^k / (2k + first)!."""
    return sum((-s) ** k / Fraction(factorial(2 * k + first)) for k in range(40))


def slope(s, first):
    """Its derivative."""
    return sum(-k * (-s) ** (k - 1) / Fraction(factorial(2 * k + first)) for k in range(1, 40))


@pytest.mark.parametrize("square", SQUARES)
def test_exp_coefficients(square):
    s = Fraction(square)
    A, B, C = (alternating(s, k) for k in (1, 2, 3))
    found = plain(exp_slopes)(square)
    # The closed forms divide a rounding of 1e-16 by s (C) or s^2 (C') at s >= 1/4; below that the series are exact.
    for value, exact, tolerance in zip(found, (A, B, C, slope(s, 2), slope(s, 3)), (4e-16, 4e-16, 6e-15, 3e-14, 3e-13), strict=True):
        assert value == pytest.approx(float(exact), rel=tolerance, abs=0.0)


@pytest.mark.parametrize("square", SQUARES)
def test_half_angle(square):
    x = Fraction(square) / 4
    assert plain(half_angle)(square) == pytest.approx((float(alternating(x, 0)), float(alternating(x, 1)) / 2), rel=4e-16, abs=0.0)


@pytest.mark.parametrize("square", [s for s in SQUARES if s > 0.0])
def test_log_coefficients(square):
    s = Fraction(square)
    cosine, sinc = alternating(s / 4, 0), alternating(s / 4, 1)
    G = (1 - cosine / sinc) / s
    dG = ((1 / sinc**2 - cosine / sinc) / (2 * s) - G) / s
    found = plain(log_coefficients)(square)
    assert found[0] == pytest.approx(float(G), rel=1e-14, abs=0.0)
    assert found[1] == pytest.approx(float(dG), rel=1e-12, abs=0.0)


def test_log_coefficients_at_zero_are_the_first_bernoulli_terms():
    assert plain(log_coefficients)(0.0) == (1.0 / 12.0, 1.0 / 720.0)
