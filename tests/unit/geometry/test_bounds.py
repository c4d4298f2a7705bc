"""Boxes along the world's axes: as far as the support function says, in all six directions."""

import numpy as np
import pytest

from linkwork.geometry.bounds import FAR, bounds
from linkwork.geometry.pair import overlapping_pairs, shape_row
from linkwork.geometry.shape_table import SHAPE
from linkwork.spatial.plain import plain

from ...geometry_cases import random_rotation, random_shape, support


def found_bounds(shape, R, p):
    row = np.array([shape_row(*shape)], dtype=SHAPE).view(np.recarray)[0]
    in_python = plain(bounds)(row, (tuple(R.ravel().tolist()), tuple(p.tolist())))
    _, phase = overlapping_pairs([shape], [(R, p)])  # compiled
    np.testing.assert_allclose(np.array(phase.box[:6]), in_python, rtol=0, atol=1e-14)
    return np.array(in_python)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder", "cone", "ellipsoid"])
def test_boxes_are_tight(kind):
    rng = np.random.default_rng(2)
    for _ in range(30):
        shape, R, p = random_shape(rng, kind), random_rotation(rng), rng.normal(size=3)
        expected = [p[k] - support(shape, R, -np.eye(3)[k]) for k in range(3)] + [p[k] + support(shape, R, np.eye(3)[k]) for k in range(3)]
        assert found_bounds(shape, R, p) == pytest.approx(expected, abs=1e-14)


def test_the_box_of_a_hull_is_that_of_its_vertices():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(40, 3))
    R, p = random_rotation(rng), rng.normal(size=3)
    world = points @ R.T + p
    assert found_bounds(("hull", points), R, p) == pytest.approx([*world.min(axis=0), *world.max(axis=0)], abs=1e-14)


def test_a_level_floor_ends_at_its_height():
    assert found_bounds(("floor",), np.eye(3), np.array([1.0, 2.0, 3.0])).tolist() == [-FAR, -FAR, -FAR, FAR, FAR, 3.0]
    leaning = random_rotation(np.random.default_rng(1))
    assert (np.abs(found_bounds(("floor",), leaning, np.zeros(3))) == FAR).all()
