"""Balls on everything round or square: closed forms, and centres that are inside."""

import math

import numpy as np
import pytest

from linkwork.geometry.pair import manifold_of


def only(found):
    (point,) = found.points
    return point


def test_two_balls():
    point = only(manifold_of(("sphere", 1.0), (1, 2, 3), ("sphere", 2.0), (4, 6, 3), reach=2.5))
    assert point.gap == 2.0 and point.n == pytest.approx([0.6, 0.8, 0.0], abs=1e-15)
    assert point.p == pytest.approx([1.6, 2.8, 3.0], abs=1e-15)


def test_two_balls_with_one_centre_get_a_normal_that_moves_along():
    point = only(manifold_of(("sphere", 1.0), None, ("sphere", 0.5), None))
    assert point.gap == -1.5 and point.n.tolist() == [0, 0, 1]


def test_nothing_beyond_reach():
    assert manifold_of(("sphere", 1.0), None, ("sphere", 1.0), (0, 0, 2.1), reach=0.05).points == ()


@pytest.mark.parametrize(
    ("x", "n", "gap", "p"),
    [
        ((0, 0, 1.25), (0, 0, -1), -0.25, (0, 0, 1)),  # over a face
        ((1.3, 1.4, 0.1), (-0.6, -0.8, 0), 0.0, (1, 1, 0.1)),  # beside an edge
        ((1.5, 1.5, -1.5), (-1 / math.sqrt(3), -1 / math.sqrt(3), 1 / math.sqrt(3)), math.sqrt(0.75) - 0.5, (1, 1, -1)),  # beyond a vertex
        ((0.2, -0.9, 0.3), (0, 1, 0), -0.6, (0.2, -1, 0.3)),  # inside
        ((0, 0, 0), (-1, 0, 0), -1.5, (1, 0, 0)),  # in the middle: faces of equal depth, the first is taken
    ],
)
def test_a_ball_and_a_box(x, n, gap, p):
    point = only(manifold_of(("sphere", 0.5), x, ("box", 1, 1, 1), None, reach=1.0))
    assert point.gap == pytest.approx(gap, abs=1e-15)
    assert point.n == pytest.approx(n, abs=1e-15) and point.p == pytest.approx(p, abs=1e-15)


@pytest.mark.parametrize(
    ("x", "n", "gap", "p"),
    [
        ((0, 2.5, 0.3), (0, -1, 0), 0.0, (0, 2, 0.3)),  # beside
        ((1.2, -0.3, 1.25), (0, 0, -1), -0.25, (1.2, -0.3, 1)),  # over an end
        ((2.3, 0, -1.4), (-0.6, 0, 0.8), 0.0, (2, 0, -1)),  # beyond the rim
        ((0, 1.9, 0.1), (0, -1, 0), -0.6, (0, 2, 0.1)),  # inside, near the side
        ((0, 0, -0.8), (0, 0, 1), -0.7, (0, 0, -1)),  # inside on the axis, near an end
    ],
)
def test_a_ball_and_a_cylinder(x, n, gap, p):
    point = only(manifold_of(("sphere", 0.5), x, ("cylinder", 2.0, 1.0), None, reach=1.0))
    assert point.gap == pytest.approx(gap, abs=1e-15)
    assert point.n == pytest.approx(n, abs=1e-15) and point.p == pytest.approx(p, abs=1e-15)


def test_a_ball_in_a_long_cylinder_on_its_axis_leaves_across_the_axis():
    point = only(manifold_of(("sphere", 0.5), None, ("cylinder", 1.0, 9.0), None))
    assert point.gap == -1.5 and np.abs(point.n).tolist() == [1, 0, 0]


@pytest.mark.parametrize("z", [-5.0, -0.3, 0.0, 2.0])
def test_a_ball_and_a_capsule(z):
    point = only(manifold_of(("sphere", 0.5), (0, 2, z), ("capsule", 0.25, 1.0), None, reach=10.0))
    beyond = max(abs(z) - 1.0, 0.0)
    assert point.gap == pytest.approx(math.hypot(2.0, beyond) - 0.75, abs=1e-15)
    assert point.feature == (0 if beyond == 0 else 1 if z > 0 else 2)
