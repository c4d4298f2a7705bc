"""Boxes on boxes: exact faces, contact polygons, edges, ties, and points that keep their identity."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection

from linkwork.geometry.pair import manifold_of

from ...geometry_cases import Case, random_rotation, rotation

CUBE = ("box", 0.5, 0.5, 0.5)


def area_of(points):
    """The area of a convex polygon of points (n, 2)."""
    return ConvexHull(points).volume if len(points) > 2 else 0.0


def test_a_face_on_a_face_has_the_normal_of_the_axis_and_the_gap_without_rounding():
    for R in (np.eye(3), random_rotation(np.random.default_rng(1))):
        found = manifold_of(("box", 2.0, 2.0, 0.25), (R, np.zeros(3)), CUBE, (R, R @ [0.25, 0.5, 0.75]), reach=1e-9)
        assert len(found.points) == 4
        for point in found.points:
            assert (point.n == R[:, 2]).all()
            assert abs(point.gap) < 4e-16
    exact = manifold_of(("box", 2.0, 2.0, 0.25), None, CUBE, (0.25, 0.5, 0.75))
    assert {(*point.p.tolist(), point.gap) for point in exact.points} == {(x, y, 0.25, 0.0) for x in (-0.25, 0.75) for y in (0.0, 1.0)}


@pytest.mark.parametrize("seed", range(60))
def test_the_contact_polygon_of_two_faces_is_their_overlap(seed):
    """The area, by the intersection of half planes: two rectangles that lie on each other, turned and shifted."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.1, 1.0, size=3), rng.uniform(0.1, 1.0, size=3)
    angle, shift = rng.uniform(0, 2 * math.pi), rng.uniform(-0.95, 0.95, size=2) * a[:2]
    X = random_rotation(rng), rng.normal(size=3)
    case = Case(("box", *a), (np.eye(3), np.zeros(3)), ("box", *b), (rotation((0, 0, 1), angle), np.array([*shift, a[2] + b[2]]))).moved(X)
    u = rotation((0, 0, 1), angle)[:2, :2]
    half_planes = [[*sign * np.eye(2)[k], -a[k]] for k in range(2) for sign in (1, -1)]
    half_planes += [[*sign * u[:, k], -b[k] - sign * u[:, k] @ shift] for k in range(2) for sign in (1, -1)]
    expected = area_of(HalfspaceIntersection(np.array(half_planes), inner_point(np.array(half_planes))).intersections)
    found = manifold_of(*case, reach=1e-9)
    flat = np.array([X[0].T @ (point.p - X[1]) for point in found.points])
    assert area_of(flat[:, :2]) == pytest.approx(expected, rel=1e-12)
    assert flat[:, 2] == pytest.approx(a[2], abs=1e-15 * 10)
    assert 3 <= len(found.points) <= 8


def inner_point(half_planes):
    """The middle of the largest circle inside of half planes (a, b, c): a x + b y + c <= 0."""
    norm = np.linalg.norm(half_planes[:, :2], axis=1)
    A = np.column_stack([half_planes[:, :2], norm])
    return linprog([0, 0, -1], A_ub=A, b_ub=-half_planes[:, 2], bounds=[(None, None)] * 2 + [(0, None)]).x[:2]


def test_two_edges_that_cross_touch_in_one_point():
    """Two cubes, each standing on an edge: the edges are at a right angle, their middles at the distance of two half diagonals."""
    a, b = rotation((1, 0, 0), math.pi / 4), rotation((0, 1, 0), math.pi / 4)
    height = 2 * 0.5 * math.sqrt(2.0)
    for gap in (-1e-3, 0.0, 1e-3):
        (point,) = manifold_of(CUBE, (a, np.zeros(3)), CUBE, (b, [0.1, 0.2, height + gap]), reach=0.01).points
        assert point.gap == pytest.approx(gap, abs=1e-15)
        assert point.n == pytest.approx([0, 0, 1], abs=1e-15)
        assert point.p == pytest.approx([0.1, 0.0, height / 2], abs=1e-15)


def test_a_vertex_near_a_vertex_gives_the_way_between_them():
    found = manifold_of(CUBE, None, ("box", 0.25, 0.25, 0.25), (0.76, 0.77, 0.78), reach=0.1)
    nearest = min(found.points, key=lambda point: point.gap)
    way = np.array([0.01, 0.02, 0.03])
    assert nearest.gap == pytest.approx(np.linalg.norm(way), abs=1e-15)
    assert nearest.n == pytest.approx(way / np.linalg.norm(way), abs=1e-14)
    assert nearest.p.tolist() == [0.5, 0.5, 0.5]


def test_two_parallel_edges_touch_at_the_ends_of_what_they_share():
    found = manifold_of(CUBE, None, CUBE, (1.01, 1.01, 0.25), reach=0.1)
    assert sorted(point.p.tolist() for point in found.points) == [[0.5, 0.5, -0.25], [0.5, 0.5, 0.5]]
    for point in found.points:
        assert point.gap == pytest.approx(0.01 * math.sqrt(2.0), abs=1e-15)


@pytest.mark.parametrize("depth", [0.3, 0.49, 0.51, 0.7, 0.95])
def test_deep_overlap_beyond_half_the_width_leaves_by_the_nearest_face(depth):
    """A plate sunk into a block: out by the way it is nearest, with the true depth."""
    found = manifold_of(("box", 2.0, 2.0, 1.0), None, ("box", 0.3, 0.3, 0.25), (0.1, -0.2, 1.25 - depth), reach=0.0)
    assert found.gap == pytest.approx(-depth, abs=1e-15)
    assert all((point.n == [0, 0, 1]).all() for point in found.points) and len(found.points) == 4


def test_boxes_with_one_centre_still_get_a_normal():
    found = manifold_of(CUBE, None, CUBE, None)
    assert found.gap == -1.0 and all(np.linalg.norm(point.n) == 1.0 for point in found.points)


@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.5, 0.0), (0.3, -0.2)])
def test_boxes_that_rest_on_each_other_keep_their_points(shift):
    """Equal cubes in a stack: gaps at rounding level and tilts of 1e-9 must change neither the points nor what they are called."""
    rng = np.random.default_rng(4)
    features, normals = set(), set()
    for _ in range(200):
        tilt = rotation(rng.normal(size=3), 1e-9)
        p = np.array([*shift, 1.0]) + 1e-9 * rng.normal(size=3)
        found = manifold_of(CUBE, None, CUBE, (tilt, p), reach=1e-3)
        features.add(tuple(sorted(point.feature for point in found.points)))
        normals.add(tuple(found.points[0].n))
    assert len(features) == 1 and len(next(iter(features))) == 4
    assert normals == {(0.0, 0.0, 1.0)}  # the face of the first, always


def test_points_keep_their_names_when_the_reference_face_changes_sides():
    """A small difference of area decides which face is the reference; the same corners and crossings of edges have the same features."""
    found = [
        {point.feature for point in manifold_of(("box", a, 0.5, 0.5), None, ("box", b, 0.5, 0.5), (0.2, 0.3, 1.0), reach=0.01).points}
        for a, b in ((0.5001, 0.5), (0.5, 0.5001))
    ]
    assert found[0] == found[1] and len(found[0]) == 4


@pytest.mark.parametrize("seed", range(20))
def test_a_copy_that_is_turned_by_a_millionth_is_met_alike(seed):
    """Gaps move by no more than the points do; near-parallel edges give no axis that separates more."""
    rng = np.random.default_rng(seed)
    a, b = (("box", *rng.uniform(0.1, 1.0, size=3)) for _ in range(2))
    R = random_rotation(rng)
    p = R @ (np.array([0.1, 0.2, a[3] + b[3] - 1e-3]))
    exact, turned = (
        manifold_of(a, (R, np.zeros(3)), b, (R @ rotation(rng.normal(size=3), angle), p), reach=0.1).gap for angle in (0.0, 1e-6)
    )
    assert turned == pytest.approx(exact, abs=4e-6)  # the angle times the greatest diagonal, and the slack of ties
