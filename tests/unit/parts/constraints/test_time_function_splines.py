"""Splines of SciPy as functions of time."""

import numpy as np
import pytest
from scipy.interpolate import BSpline, CubicSpline, PPoly, make_interp_spline

import linkwork as lw

TIMES = np.linspace(0.0, 2.0, 7)
POINTS = np.column_stack([np.sin(TIMES), np.cos(TIMES), 0.1 * TIMES**2])


def followed(path, t):
    """Where a body that follows a path must be: the gaps of one at the origin, at a time."""
    m = lw.Mechanism("follower")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.add_constraint("path", lw.FollowPath(path), body, m.ground)
    model = m.build()
    return lw.constraint_jacobian(model, lw.neutral(model), t=t).phi


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_a_path_may_be_a_b_spline(degree):
    """It was refused, though the text said that splines of SciPy are taken."""
    spline = make_interp_spline(TIMES, POINTS, k=degree)
    assert isinstance(spline, BSpline)
    for t in (0.0, 0.4, 1.31, 2.0):
        assert followed(spline, t) == pytest.approx(-spline(t), abs=1e-14)  # rounding of a polynomial of degree 5 at values of 1


def test_splines_of_scipy_that_are_equal_say_the_same():
    cubic = CubicSpline(TIMES, POINTS)
    b_spline = make_interp_spline(TIMES, POINTS, k=3, bc_type="not-a-knot")
    for t in (0.2, 1.0, 1.9):
        assert followed(b_spline, t) == pytest.approx(followed(cubic, t), abs=1e-14)  # rounding
        assert followed(PPoly(cubic.c, cubic.x), t).tolist() == followed(cubic, t).tolist()


def test_a_b_spline_of_one_value():
    spline = BSpline(np.arange(8.0), [0.3, 0.1, 0.4, 0.2], 3)
    law = lw.Nail(z=spline).z
    assert law.breaks == (3.0, 4.0)
    assert np.polyval(law.pieces[0], 0.5) == pytest.approx(float(spline(3.5)), abs=1e-15)
