"""Sweep and prune against all pairs; the result depends on the boxes alone."""

import numpy as np
import pytest

from linkwork.geometry.broad_phase import BroadPhase, find_pairs
from linkwork.geometry.pair import overlapping_pairs
from linkwork.kernels import JIT

from ...geometry_cases import random_rotation, random_shape

KINDS = ["sphere", "capsule", "box", "cylinder", "cone", "ellipsoid"]


def scene(rng, n):
    """A floor and n - 1 other shapes, spread along y."""
    shapes = [("floor",), *(random_shape(rng, str(rng.choice(KINDS))) for _ in range(n - 1))]
    return shapes, [(np.eye(3), np.zeros(3)), *((random_rotation(rng), rng.normal(size=3) * [1, 4, 1]) for _ in shapes[1:])]


def all_pairs(phase):
    box = np.array(phase.box[: 6 * phase.count]).reshape(-1, 6)
    n = len(box)
    return [(i, j) for i in range(n) for j in range(i + 1, n) if (box[i, :3] <= box[j, 3:]).all() and (box[j, :3] <= box[i, 3:]).all()]


@pytest.mark.parametrize("n", [1, 2, 5, 60])
def test_pairs_are_those_of_all_comparisons_also_with_the_order_of_an_earlier_call(n):
    rng = np.random.default_rng(n)
    shapes, poses = scene(rng, n)
    kept = None
    for _ in range(6):
        pairs, kept = overlapping_pairs(shapes, poses, 0.01, kept)
        assert pairs == all_pairs(kept)
        assert pairs == overlapping_pairs(shapes, poses, 0.01)[0]
        poses = [poses[0], *((R, p + rng.normal(size=3) * [0.1, 0.1, 3.0]) for R, p in poses[1:])]  # the widest axis changes
    assert n < 5 or pairs


def test_equal_boxes_are_told_apart_by_their_numbers():
    pairs, _ = overlapping_pairs([("sphere", 1.0)] * 5, [None] * 5)
    assert pairs == [(i, j) for i in range(5) for j in range(i + 1, 5)]


def test_boxes_that_touch_are_a_pair_within_reach_only():
    shapes, poses = [("box", 1, 1, 1), ("box", 1, 1, 1)], [None, (0, 0, 2.5)]
    assert overlapping_pairs(shapes, poses, 0.4)[0] == []
    assert overlapping_pairs(shapes, poses, 0.5)[0] == [(0, 1)]


def test_too_small_a_capacity_is_told():
    _, whole = overlapping_pairs([("sphere", 1.0)] * 5, [None] * 5)
    phase = BroadPhase.allocate({"shapes": 5, "pairs": 3})
    phase.count, phase.capacity = 5, 3
    phase.box[:] = whole.box
    assert find_pairs(phase.address if JIT else phase) == phase.found == 10
    assert all(pair in list(whole.pairs) for pair in phase.pairs)
