"""The general pair of convex shapes: every gap is certified by support functions of the test's own (tests/convex_cases.py)."""

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from linkwork.geometry.convex_pair import general_manifold
from linkwork.geometry.hull import hull_row
from linkwork.geometry.pair import manifold_of, shape_row
from tests.convex_cases import KINDS, best_known, extent, length_of, random_pair, random_rotation, separation, turn

ROUNDING = 2e-14  # of the length of the pair: some hundred operations
FACE_WINS = 1e-12  # what a face's own normal may cost (geometry/separation.py)
FAR = 1e3


def collided(case, reach=FAR):
    """The general manifold of a pair; what hulls are made of lives until it is found."""
    (a, Xa), (b, Xb) = case
    rows = [hull_row(shape[1]) if shape[0] == "hull" else None for shape in (a, b)]
    return general_manifold(
        *(x for shape, row, X in zip((a, b), rows, (Xa, Xb)) for x in (shape if row is None else row[0][0], X)), reach=reach
    )


def deepest(found):
    return min(found.points, key=lambda point: point.gap)


def check_certificate(case, found, rng):
    length = length_of(case)
    assert found.points
    for point in found.points:
        assert np.isfinite(point.p).all() and np.isfinite(point.gap)
        assert abs(np.linalg.norm(point.n) - 1.0) < 1e-14
    point = deepest(found)
    assert abs(separation(case, point.n)[0] - point.gap) <= 1e-12 * length
    better, most = best_known(case, point.n, rng)
    allowed = FACE_WINS + ROUNDING if found.converged else 1e-4  # it said that it does not know better
    assert most <= point.gap + allowed * length, (case, better, most, point)
    return found.converged


@pytest.mark.parametrize(("kind_a", "kind_b"), list(itertools.product(KINDS, KINDS)))
def test_no_direction_separates_more_than_the_normal(kind_a, kind_b):
    rng = np.random.default_rng(KINDS.index(kind_a) * 10 + KINDS.index(kind_b))
    known = 0
    for _ in range(8):
        case = random_pair(rng, kind_a, kind_b)
        known += check_certificate(case, collided(case), rng)
    assert known >= 7


@pytest.mark.parametrize("ratio", [1e4, 1e-4])
def test_tiny_shapes_beside_huge_ones(ratio):
    rng = np.random.default_rng(5)
    for kind_a, kind_b in itertools.product(KINDS, KINDS):
        case = random_pair(rng, kind_a, kind_b, ratio)
        check_certificate(case, collided(case, reach=1e6), rng)


def test_gaps_agree_with_the_kernels_of_their_own():
    rng = np.random.default_rng(11)
    for kind_a, kind_b in itertools.product(("sphere", "capsule", "box"), repeat=2):
        for _ in range(15):
            case = random_pair(rng, kind_a, kind_b)
            (a, Xa), (b, Xb) = case
            own = manifold_of(a, Xa, b, Xb, reach=FAR)
            # Their kernels prefer face to edge normals within 1e-6 of the shortest length and 5 % of a depth (geometry/box.py).
            assert collided(case).gap >= own.gap - 1e-12 * length_of(case)
            assert collided(case).gap <= own.gap + 1.1e-6 * length_of(case) + 0.06 * max(0.0, -own.gap)


def test_the_distance_is_that_of_a_program_without_geometry():
    """Distance of hulls: least |A x - B y| over convex combinations, by a general optimiser."""
    rng = np.random.default_rng(2)
    compared = 0
    while compared < 6:
        case = random_pair(rng, "hull", "hull")
        (a, Xa), (b, Xb) = case
        A, B = a[1][:10] @ Xa[0].T + Xa[1], b[1][:10] @ Xb[0].T + Xb[1]
        if min(len(A), len(B)) < 4:
            continue
        still = np.eye(3), np.zeros(3)
        gap = collided(((("hull", np.ascontiguousarray(A)), still), (("hull", np.ascontiguousarray(B)), still))).gap
        if gap < 1e-3:
            continue
        compared += 1
        m = len(A)

        def squared(x, A=A, B=B, m=m):
            d = A.T @ x[:m] - B.T @ x[m:]
            return d @ d, 2 * np.concatenate([A @ d, -B @ d])

        sums = [{"type": "eq", "fun": lambda x, m=m: x[:m].sum() - 1}, {"type": "eq", "fun": lambda x, m=m: x[m:].sum() - 1}]
        start = np.concatenate([np.full(m, 1 / m), np.full(len(B), 1 / len(B))])
        found = minimize(squared, start, jac=True, bounds=[(0, 1)] * len(start), constraints=sums, options={"ftol": 1e-15, "maxiter": 500})
        assert gap == pytest.approx(np.sqrt(found.fun), rel=1e-5)  # SLSQP stops there


def test_overlap_is_told_apart_from_a_gap_as_linear_programming_does():
    rng = np.random.default_rng(4)
    seen = set()
    for _ in range(25):
        (a, Xa), (b, Xb) = case = random_pair(rng, "hull", "hull")
        gap = collided(case).gap
        if abs(gap) < 1e-7:
            continue
        A, B = a[1] @ Xa[0].T + Xa[1], b[1] @ Xb[0].T + Xb[1]
        rows = np.vstack([np.hstack([A.T, -B.T]), np.r_[np.ones(len(A)), np.zeros(len(B))], np.r_[np.zeros(len(A)), np.ones(len(B))]])
        common = linprog(np.zeros(rows.shape[1]), A_eq=rows, b_eq=[0, 0, 0, 1, 1], method="highs")
        assert (common.status == 0) == (gap < 0)
        seen.add(gap < 0)
    assert seen == {True, False}


def corners(*half):
    return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(half, dtype=float)


@pytest.mark.parametrize("gap", [0.0, 1e-12, -1e-12, 1e-9, -1e-6, 1e-3, -0.01])
def test_a_resting_hull_has_the_normal_of_the_face_and_gaps_to_rounding(gap):
    rng = np.random.default_rng(8)
    for k in range(12):
        R = random_rotation(rng) if k else np.eye(3)
        spin = R @ turn([0, 0, 1], rng.uniform(0, 6))
        p = rng.normal(size=3)
        q = p + R @ np.array([0.1, -0.05, 0.8 + gap])
        found = collided(((("hull", corners(0.6, 0.5, 0.5)), (R, p)), (("hull", corners(0.3, 0.2, 0.3)), (spin, q))), reach=0.02)
        box = general_manifold(("box", 0.6, 0.5, 0.5), (R, p), ("box", 0.3, 0.2, 0.3), (spin, q), reach=0.02)
        assert len(found.points) == len(box.points) == 4
        for point, same in zip(sorted(found.points, key=lambda x: x.p.tolist()), sorted(box.points, key=lambda x: x.p.tolist())):
            assert np.array_equal(point.n, R[:, 2])
            assert np.array_equal(same.n, R[:, 2])
            assert abs(point.gap - gap) <= 4e-15
            assert abs(same.gap - gap) <= 4e-15
            assert np.abs(point.p - same.p).max() <= 4e-15


def test_a_cylinder_stands_on_its_rim_and_lies_on_its_side():
    stands = general_manifold(("box", 1, 1, 0.5), None, ("cylinder", 0.2, 0.3), (0.1, 0, 0.8), reach=1e-3)
    assert len(stands.points) == 8
    assert all(np.array_equal(point.n, [0, 0, 1]) and abs(point.gap) < 1e-15 for point in stands.points)
    assert np.linalg.norm(np.mean([point.p - [0.1, 0, 0.5] for point in stands.points], axis=0)) < 1e-12
    lies = general_manifold(("box", 1, 1, 0.5), None, ("cylinder", 0.2, 0.3), (turn([0, 1, 0], np.pi / 2), (0, 0, 0.7)), reach=1e-3)
    assert sorted(round(float(point.p[0]), 12) for point in lies.points) == [-0.3, 0.3]
    assert all(np.array_equal(point.n, [0, 0, 1]) and abs(point.gap) < 1e-15 for point in lies.points)
    tilted = general_manifold(("box", 1, 1, 0.5), None, ("cylinder", 0.2, 0.3), (turn([0, 1, 0], 0.3), (0, 0, 0.9)), reach=0.1)
    lowest = 0.9 - 0.3 * np.cos(0.3) - 0.2 * np.sin(0.3) - 0.5
    assert tilted.gap == pytest.approx(lowest, abs=1e-14)


def test_two_cylinders_side_by_side_touch_at_two_points():
    found = general_manifold(("cylinder", 0.2, 0.3), None, ("cylinder", 0.1, 0.5), (0.3, 0.0, 0.1), reach=1e-3)
    assert sorted(round(float(point.p[2]), 12) for point in found.points) == [-0.3, 0.3]
    assert all(np.abs(point.n - [1, 0, 0]).max() < 1e-12 and abs(point.gap) < 1e-14 for point in found.points)


def test_points_lie_on_both_shapes_at_their_gaps():
    """p on the reference, and p moved by the gap along n on the other: both within their shape, seen by the support along all directions."""
    rng = np.random.default_rng(9)
    for kind_a, kind_b in itertools.product(KINDS, KINDS):
        case = random_pair(rng, kind_a, kind_b)
        (a, Xa), (b, Xb) = case
        for point in collided(case).points:
            inside = []
            for shape, X in ((a, Xa), (b, Xb)):
                ends = [separation(((shape, X), (("sphere", 1e-300), (np.eye(3), q))), DIRECTIONS).max() for q in _two(point)]
                inside.append(ends)
            on_a, on_b = inside
            tolerance = 1e-7 * length_of(case)  # of what counts as within a side, and of the normal of curved shapes
            assert (on_a[0] <= tolerance and on_b[1] <= tolerance) or (on_b[0] <= tolerance and on_a[2] <= tolerance)


DIRECTIONS = np.random.default_rng(0).normal(size=(800, 3))
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)


def _two(point):
    return point.p, point.p + point.gap * point.n, point.p - point.gap * point.n


def test_exchange_turns_the_normal_and_keeps_the_gap():
    rng = np.random.default_rng(21)
    for kind_a, kind_b in itertools.combinations_with_replacement(KINDS, 2):
        case = random_pair(rng, kind_a, kind_b)
        here, there = collided(case), collided((case[1], case[0]))
        if here.converged and there.converged:
            assert abs(here.gap - there.gap) <= 3e-12 * length_of(case)


def test_a_common_motion_moves_points_and_normals():
    rng = np.random.default_rng(22)
    for kind_a, kind_b in itertools.combinations_with_replacement(KINDS, 2):
        (a, Xa), (b, Xb) = case = random_pair(rng, kind_a, kind_b)
        R, p = random_rotation(rng), rng.normal(size=3)
        moved = (a, (R @ Xa[0], R @ Xa[1] + p)), (b, (R @ Xb[0], R @ Xb[1] + p))
        here, there = collided(case), collided(moved)
        if here.converged and there.converged:
            assert abs(here.gap - there.gap) <= 3e-12 * length_of(case)


@pytest.mark.parametrize(("kind_a", "kind_b"), list(itertools.combinations_with_replacement(KINDS, 2)))
def test_coincident_shapes_are_pushed_apart(kind_a, kind_b):
    """Same centre, same axes, same size: the deepest overlap there is."""
    shapes = {
        **{"sphere": ("sphere", 0.5), "capsule": ("capsule", 0.5, 0.5), "box": ("box", 0.5, 0.5, 0.5), "cylinder": ("cylinder", 0.5, 0.5)},
        **{"cone": ("cone", 0.5, 0.5), "ellipsoid": ("ellipsoid", 0.5, 0.5, 0.5), "hull": ("hull", corners(0.5, 0.5, 0.5))},
    }
    still = np.eye(3), np.zeros(3)
    case = (shapes[kind_a], still), (shapes[kind_b], still)
    found = collided(case)
    assert found.gap < 0.0
    check_certificate(case, found, np.random.default_rng(0))


def test_nothing_beyond_reach_is_told():
    assert general_manifold(("box", 1, 1, 1), None, ("cone", 0.5, 0.5), (0, 0, 1.51), reach=0.009).points == ()
    assert len(general_manifold(("box", 1, 1, 1), None, ("cone", 0.5, 0.5), (0, 0, 1.51), reach=0.011).points) == 8


def test_a_hull_of_bare_vertices_is_touched_at_its_corners():
    """Without faces and neighbours (see hull_arrays) one point is found, the right one."""
    rng = np.random.default_rng(17)
    points = np.ascontiguousarray(rng.normal(size=(200, 3)))
    whole, bare = hull_row(points), shape_row("hull", points)
    for _ in range(20):
        X = random_rotation(rng), rng.normal(size=3) * 3
        one = general_manifold(bare, X, ("box", 1, 2, 0.5), None, reach=10.0)
        many = general_manifold(whole[0][0], X, ("box", 1, 2, 0.5), None, reach=10.0)
        assert one.gap == pytest.approx(many.gap, abs=1e-12)


@pytest.mark.parametrize("power", [-20, 20])
def test_lengths_times_a_power_of_two_give_the_same_bits(power):
    rng, k = np.random.default_rng(18), 2.0**power
    for kind_a, kind_b in itertools.combinations_with_replacement(KINDS, 2):
        (a, Xa), (b, Xb) = case = random_pair(rng, kind_a, kind_b)
        a, b = ((shape[0], *(k * size for size in shape[1:])) for shape in (a, b))
        scaled = (a, (Xa[0], k * Xa[1])), (b, (Xb[0], k * Xb[1]))
        here, there = collided(case), collided(scaled, reach=k * FAR)
        assert [point.gap * k for point in here.points] == [point.gap for point in there.points]
        assert all(np.array_equal(p.n, q.n) for p, q in zip(here.points, there.points, strict=True))


def test_features_stay_while_a_box_slides():
    at = [general_manifold(("box", 1, 1, 0.5), None, ("box", 0.2, 0.2, 0.2), (x, 0.1, 0.7), reach=1e-3) for x in (0.1, 0.1001, 0.2)]
    assert len({tuple(sorted(point.feature for point in found.points)) for found in at}) == 1
    assert len({point.feature for point in at[0].points}) == 4


@pytest.mark.slow
def test_plain_python_finds_the_same():
    rng = np.random.default_rng(31)
    here = [_numbers(random_pair(rng, *pair)) for pair in itertools.combinations_with_replacement(KINDS, 2)]
    code = (
        "import itertools, json, numpy as np\n"
        "from tests.unit.geometry.test_convex import KINDS, _numbers, random_pair\n"
        "rng = np.random.default_rng(31)\n"
        "print(json.dumps([_numbers(random_pair(rng, *p)) for p in itertools.combinations_with_replacement(KINDS, 2)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "LINKWORK_JIT": "0" if os.environ.get("LINKWORK_JIT") != "0" else "",
            "PYTHONPATH": os.pathsep.join(["", *sys.path]),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for mine, other in zip(here, json.loads(done.stdout), strict=True):
        # Sums are contracted differently: rounding, beside edges of curved shapes the square root of it in the normal.
        assert min(mine)[0] == pytest.approx(min(other)[0], abs=1e-11)
        assert np.abs(np.array(min(mine)) - min(other)).max() < 1e-6


def _numbers(case):
    found = collided(case)
    return [(point.gap, *point.n) for point in found.points] if extent(case[0][0]) > 0 else []
