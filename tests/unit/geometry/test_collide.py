"""Contact points of any two shapes: the gap by an independent route, points on both surfaces, exchange of the shapes, common motions, plain Python."""

import itertools

import numpy as np
import pytest

from linkwork.geometry import kinds
from linkwork.geometry.collide import collide
from linkwork.geometry.manifold import MAX_POINTS, Manifold
from linkwork.geometry.pair import FoundManifold, manifold_of, pose_numbers, shape_row
from linkwork.geometry.shape_table import SHAPE
from linkwork.spatial.plain import plain

from ...geometry_cases import ROUND, height_over, random_pair, random_rotation, signed_distance, support

FLOOR_PAIRS = [("floor", kind) for kind in ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid")]
ROUND_PAIRS = list(itertools.combinations_with_replacement(ROUND, 2))
PAIRS = [*ROUND_PAIRS, ("sphere", "cylinder"), *FLOOR_PAIRS]
REACHES = (1.3e-9, 1.2345e-3, 0.31)  # none of them a gap that `random_pair` makes, where rounding would decide what is within reach
ROUNDING = 1e-12  # a few hundred roundings of numbers of order 1


def cases(kinds, count, seed=8):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield random_pair(rng, *kinds), float(rng.choice(REACHES))


def by_name(pairs):
    return pytest.mark.parametrize("kinds", pairs, ids=lambda kinds: "-".join(kinds))


@by_name(ROUND_PAIRS)
def test_the_least_gap_is_the_signed_distance(kinds):
    """By least squares and by the hull of differences. Ties (geometry/box.py) may cost 1e-6 of the shortest length, and 5 % of a depth."""
    overlapping = 0
    for case, _ in cases(kinds, 400):
        gap, expected = manifold_of(*case, reach=10.0).gap, signed_distance(case)
        tolerance = 1.01e-6 * min(case.a[1:] + case.b[1:]) + 4e-9  # the second part: Qhull and SciPy
        assert (expected if expected > 0.0 else expected / 0.95) - tolerance <= gap <= expected + tolerance
        overlapping += expected < -1e-3
    assert overlapping > 20


@by_name(FLOOR_PAIRS)
def test_the_least_gap_over_a_floor_is_that_of_the_support_function(kinds):
    """1e-8 of the radius: what a round edge that is tilted by less is taken for flat (geometry/floor.py)."""
    for case, _ in cases(kinds, 400):
        n = case.Xa[0][:, 2]
        expected = n @ (case.Xb[1] - case.Xa[1]) - support(case.b, case.Xb[0], -n)
        assert manifold_of(*case, reach=10.0).gap == pytest.approx(expected, abs=1e-8 if kinds[1] in ("cylinder", "cone") else ROUNDING)


@by_name([("sphere", "cylinder")])
def test_the_gap_of_a_ball_is_the_height_of_its_centre(kinds):
    for case, _ in cases(kinds, 400):
        expected = height_over(case.b, case.Xb, case.Xa[1]) - case.a[1]
        assert manifold_of(*case, reach=10.0).gap == pytest.approx(expected, abs=ROUNDING)


@by_name(PAIRS)
def test_points_are_within_reach_on_one_surface_and_a_gap_away_from_the_other(kinds):
    """p is on the reference shape, and p +- gap n on the other one: of capsules on a ball of them, which may be inside."""
    several = 0
    for case, reach in cases(kinds, 300):
        found = manifold_of(*case, reach=reach)
        assert found.supported and len(found.points) <= MAX_POINTS
        several += len(found.points) > 1
        assert len({point.feature for point in found.points}) == len(found.points)
        for p, n, gap, _ in found.points:
            assert gap <= reach
            assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-15)
            over_a = [height_over(case.a, case.Xa, x) for x in (p, p - gap * n)]
            over_b = [height_over(case.b, case.Xb, x) for x in (p + gap * n, p)]
            tolerance = 1e-7  # of half edges, which are at most 1: a vertex that far beyond the side of a face counts as over it
            if "capsule" in kinds:
                assert min(max(a, b) for a, b in zip(over_a, over_b)) < tolerance
            else:
                assert min(max(abs(a), abs(b)) for a, b in zip(over_a, over_b)) < tolerance
    assert several > 0 or "sphere" in kinds or kinds == ("floor", "ellipsoid")


@by_name(PAIRS)
def test_exchange_turns_the_normals_and_keeps_the_gaps(kinds):
    """Another box may give the reference face, so that gaps differ by rounding; points and their number are the same, as seen from the other side."""
    for case, reach in cases(kinds, 300):
        found, other = manifold_of(*case, reach=reach), manifold_of(*case.exchanged(), reach=reach)
        assert len(found.points) == len(other.points)
        assert sorted(point.gap for point in found.points) == pytest.approx(sorted(point.gap for point in other.points), abs=1e-9)
        if kinds[0] != kinds[1]:
            for one, two in zip(found.points, other.points):
                assert (one.p == two.p).all() and (one.n == -two.n).all() and (one.gap, one.feature) == (two.gap, two.feature)


@by_name(PAIRS)
def test_a_common_motion_moves_the_points_along(kinds):
    """1e-8: the direction in which a cylinder leans is known to rounding over the sine of the tilt, which is 1e-8 at least."""
    rng = np.random.default_rng(2)
    for case, reach in cases(kinds, 300):
        X = random_rotation(rng), rng.normal(size=3)
        found, moved = manifold_of(*case, reach=reach), manifold_of(*case.moved(X), reach=reach)
        assert [point.feature for point in found.points] == [point.feature for point in moved.points]
        for one, two in zip(found.points, moved.points):
            np.testing.assert_allclose(two.p, X[0] @ one.p + X[1], rtol=0, atol=1e-8)
            np.testing.assert_allclose(two.n, X[0] @ one.n, rtol=0, atol=1e-8)
            assert two.gap == pytest.approx(one.gap, abs=ROUNDING)


@by_name(PAIRS)
@pytest.mark.parametrize("scale", [2.0**-20, 2.0**20])
def test_no_threshold_has_a_unit(kinds, scale):
    """Lengths times a power of two give the same points, times that power, bit by bit: micrometres are treated as kilometres are."""
    for case, reach in cases(kinds, 100):
        found = manifold_of(*case, reach=reach)
        scaled = manifold_of(*case.scaled(scale), reach=scale * reach)
        assert [point.feature for point in scaled.points] == [point.feature for point in found.points]
        for one, two in zip(found.points, scaled.points):
            assert two.gap == scale * one.gap and (two.n == one.n).all() and (two.p == scale * one.p).all()


def in_plain_python(case, reach):
    rows = np.array([shape_row(*case.a), shape_row(*case.b)], dtype=SHAPE).view(np.recarray)
    manifold = Manifold.allocate()
    Xa, Xb = ((tuple(x[:9]), tuple(x[9:])) for x in (pose_numbers(X).tolist() for X in (case.Xa, case.Xb)))
    plain(collide)(rows[0], rows[1], Xa, Xb, reach, manifold)
    return [manifold.points[k] for k in range(manifold.count)]


@by_name(PAIRS)
def test_compiled_kernels_agree_with_plain_python(kinds):
    """Fused multiplication and addition changes the last digits; of directions of a tilt they count up to 1e8 times as much."""
    for case, reach in cases(kinds, 60):
        found, other = manifold_of(*case, reach=reach).points, in_plain_python(case, reach)
        assert [point.feature for point in found] == [point.feature for point in other]
        for one, two in zip(found, other):
            np.testing.assert_allclose(one.p, two.p, rtol=0, atol=1e-8)
            np.testing.assert_allclose(one.n, two.n, rtol=0, atol=1e-8)
            assert one.gap == pytest.approx(two.gap, abs=ROUNDING)


def test_every_pair_of_kinds_is_answered_or_said_to_be_unsupported():
    """Nothing is passed over in silence: a pair without a kernel has the flag."""
    lengths = {"floor": (), "sphere": (1,), "capsule": (1, 1), "box": (1, 1, 1), "cylinder": (1, 1), "cone": (1, 1), "ellipsoid": (1, 1, 1)}
    for a, b in itertools.product(lengths, repeat=2):
        found = manifold_of((a, *lengths[a]), None, (b, *lengths[b]), (0.1, 0.2, 0.3), reach=0.1)
        if found.supported:
            assert found.points, (a, b)
        else:
            assert found == FoundManifold((), False)
    assert len(kinds.NAMES) == 10 and kinds.TRIANGLES == 9
