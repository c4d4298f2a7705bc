"""Depth order: at every point of the screen the polygon painted last is the nearest one."""

import numpy as np
import pytest

from linkwork.draw.depth import _middle_depth, order
from linkwork.draw.overlap import APART, BEFORE, BEHIND, THROUGH, clip_flat, meeting, overlap, pairs_on_screen, plane_tests

from .eyesight import polygons_of, wrong_share

POINTS = np.random.default_rng(8).uniform(-0.6, 0.6, (4000, 2))


def square(z, half=1.0, x=0.0, y=0.0):
    return [(x - half, y - half, z), (x + half, y - half, z), (x + half, y + half, z), (x - half, y + half, z)]


# A card stands on a long floor, beyond the floor's middle.
FLOOR = [(-6, 2, 2), (6, 2, 2), (6, 2, 12), (-6, 2, 12)]
CARD = [(-4, -1, 9), (4, -1, 9), (4, 1.99, 9), (-4, 1.99, 9)]
# Three planks, each over the next: no order paints them without a cut.
PLANKS = [
    [(-1.5, -0.8, 3.0), (1.5, -0.8, 4.0), (1.5, -0.4, 4.0), (-1.5, -0.4, 3.0)],
    [(0.7, -1.5, 3.0), (1.2, -1.5, 3.0), (-0.2, 1.5, 4.2), (-0.7, 1.5, 4.2)],
    [(-1.0, -1.4, 4.4), (-0.5, -1.4, 4.4), (0.9, 1.4, 2.6), (0.4, 1.4, 2.6)],
]
CROSS = [[(-1, -0.5, 2.5), (1, -0.5, 3.5), (1, 0.5, 3.5), (-1, 0.5, 2.5)], [(-1, -0.4, 3.5), (1, -0.4, 2.5), (1, 0.4, 2.5), (-1, 0.4, 3.5)]]


def test_a_case_in_which_middles_mislead():
    """A card stands on a long floor, beyond the floor's middle: sorting by middles paints the floor over it."""
    polygons = polygons_of([FLOOR, CARD])
    assert wrong_share(polygons, polygons, np.argsort(-_middle_depth(polygons), kind="stable"), POINTS) > 0.03
    painted, rows = order(polygons)
    assert len(painted) == 2  # no cut was needed
    assert wrong_share(polygons, painted, rows, POINTS) == 0.0


@pytest.mark.parametrize(("corners", "pieces"), [(PLANKS, 4), (CROSS, 3)], ids=["planks in a cycle", "through each other"])
def test_what_no_order_can_paint_is_cut(corners, pieces):
    polygons = polygons_of(corners)
    best = min(wrong_share(polygons, polygons, rows, POINTS) for rows in _all_orders(len(corners)))
    assert best > 0.005, "some order would do: the case shows nothing"
    painted, rows = order(polygons)
    assert len(painted) >= pieces
    assert wrong_share(polygons, painted, rows, POINTS) == 0.0


def _all_orders(n):
    from itertools import permutations

    return [np.array(rows) for rows in permutations(range(n))]


@pytest.mark.parametrize("seed", range(6))
def test_random_triangles_through_each_other(seed):
    rng = np.random.default_rng(seed)
    corners = [rng.uniform((-1, -1, 2), (1, 1, 4), 3) + rng.uniform(-0.8, 0.8, (3, 3)) for _ in range(14)]
    polygons = polygons_of(corners)
    painted, rows = order(polygons)
    assert sorted(rows.tolist()) == list(range(len(painted)))
    assert len(painted) > 14
    assert wrong_share(polygons, painted, rows, POINTS[:2000]) == 0.0
    # Cutting loses nothing: the pieces of each have its area.
    assert _areas(painted) == pytest.approx(_areas(polygons), rel=1e-9)


def _areas(polygons):
    X = polygons.X
    size = 0.5 * np.linalg.norm(np.cross(X - X[:, :1], np.roll(X, -1, axis=1) - X[:, :1]).sum(axis=1), axis=1)
    return np.bincount(polygons.item, size)


def test_a_line_is_hidden_where_it_is_behind():
    """A line passes through a card: it is cut there, one half painted before the card and one after."""
    polygons = polygons_of([square(3.0), [(-0.5, 0.1, 2.0), (0.5, 0.1, 4.0)]])
    painted, rows = order(polygons)
    assert sorted(painted.count.tolist()) == [2, 2, 4]
    place = {
        ("line" if painted.count[k] == 2 else "card", round(float(painted.corners(k)[:, 2].mean()), 2)): at
        for at, k in enumerate(rows.tolist())
    }
    assert place[("line", 3.5)] < place[("card", 3.0)] < place[("line", 2.5)]


def test_faces_of_one_convex_solid_make_no_pairs():
    corners = [square(3.0), square(3.5, x=0.2)]
    assert len(pairs_on_screen(polygons_of(corners))[0]) == 1
    assert len(pairs_on_screen(polygons_of(corners, solids=[4, 4]))[0]) == 0


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        (square(3.5, x=0.2), BEFORE),
        (square(2.5, x=0.2), BEHIND),
        (square(3.0, x=0.5), APART),  # in one plane: neither hides the other
        (square(3.5, x=6.0), APART),
        ([(-0.5, 0, 2), (0.5, 0, 2), (0.5, 0.2, 4), (-0.5, 0.2, 4)], THROUGH),
    ],
)
def test_verdicts(other, verdict):
    polygons = polygons_of([square(3.0), other])
    assert overlap(polygons, 0, 1) == verdict
    swapped = polygons_of([other, square(3.0)])
    assert overlap(swapped, 0, 1) == {BEFORE: BEHIND, BEHIND: BEFORE}.get(verdict, verdict)
    cheap = plane_tests(polygons, np.array([0]), np.array([1]))[0]
    assert cheap in (verdict, THROUGH) or verdict == APART


def test_meeting_is_exact_for_polygons_of_any_length():
    """Boxes overlap, polygons do not; many corners among few, in pictures that are not around the origin."""
    turn = np.linspace(0, 2 * np.pi, 21)[:-1]
    disc = np.column_stack([5 + np.cos(turn), 4 + np.sin(turn), np.full(20, 3.0)])
    corner = np.array([(5.8, 4.75, 3.0), (6.2, 4.75, 3.0), (6.2, 5.2, 3.0), (5.8, 5.2, 3.0)])
    touching = corner - (0.2, 0.1, 0.0)
    line_by, line_through = [(5.0, 5.2, 3), (6.1, 4.6, 3)], [(4.0, 3.5, 3), (6.0, 4.5, 3)]
    polygons = polygons_of([disc, corner, touching, line_by, line_through])
    i, j = np.zeros(4, dtype=int), np.arange(1, 5)
    assert meeting(polygons, i, j).tolist() == [False, True, False, True]
    assert meeting(polygons, j, i).tolist() == [False, True, False, True]


@pytest.mark.parametrize("seed", range(3))
def test_meeting_and_clipping_agree(seed):
    rng = np.random.default_rng(seed)
    corners = []
    for _ in range(40):
        n = int(rng.integers(3, 9))
        turn = np.sort(rng.uniform(0, 2 * np.pi, n))
        at, size = rng.uniform(-1, 1, 2), rng.uniform(0.1, 0.8)
        corners.append(
            np.column_stack([at + size * np.column_stack([np.cos(turn), np.sin(turn)]), np.full(n, 1.0)])[:: int(rng.choice((-1, 1)))]
        )
    polygons = polygons_of(corners)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(40), np.arange(40)))
    met = meeting(polygons, i, j)
    for a, b, meets in zip(i.tolist(), j.tolist(), met.tolist(), strict=True):
        common = clip_flat(polygons.corners(a)[:, :2], polygons.corners(b)[:, :2])
        area = 0.0 if len(common) < 3 else abs(float(common[:, 0] @ np.roll(common[:, 1], -1) - common[:, 1] @ np.roll(common[:, 0], -1)))
        if area > 1e-4:
            assert meets
        elif area == 0.0:
            assert not meets
    assert 100 < met.sum() < 1500
