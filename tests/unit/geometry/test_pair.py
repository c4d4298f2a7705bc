"""Shapes and poses given as plain values."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.geometry.pair import manifold_of, shape_row
from linkwork.geometry.shape_table import SHAPE, floats_at, integers_at


def test_poses_may_be_given_in_every_form():
    R = np.eye(3)
    found = [manifold_of(("floor",), None, ("sphere", 0.5), X).gap for X in ((0, 0, 0.25), (R, (0, 0, 0.25)), lw.Pose((0, 0, 0.25)))]
    assert found == [-0.25] * 3


def test_the_gap_of_no_points_is_infinite():
    assert manifold_of(("floor",), None, ("sphere", 0.5), (0, 0, 1)).gap == math.inf


def test_rows_may_be_given_too():
    row = shape_row("box", 1, 2, 3, link=4, body=5)
    assert row["bound"] == pytest.approx(math.sqrt(14)) and (row["link"], row["body"]) == (4, 5)
    assert manifold_of(("floor",), None, row, (0, 0, 2.5)).gap == -0.5


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (("ball", 1.0), "shape_row: found kind 'ball'; allowed are floor, sphere, capsule, box, cylinder, cone, ellipsoid, hull"),
        (("box", 1.0, 2.0), r"found lengths \(1.0, 2.0\) of a box; allowed are 3 finite numbers above 0"),
        (("sphere", -1.0), "1 finite numbers above 0"),
        (("capsule", 1.0, math.inf), "2 finite numbers above 0"),
        (("hull", [(0, 0, 0)]), "vertices of a hull are a C-contiguous float64 array"),
    ],
)
def test_what_is_no_shape_is_explained(shape, text):
    with pytest.raises(ValueError, match=text):
        shape_row(*shape)


def test_rows_have_no_padding_so_that_equal_shapes_have_equal_bytes():
    assert SHAPE.itemsize == sum(SHAPE[name].itemsize for name in SHAPE.names)
    assert shape_row("box", 1, 2, 3).tobytes() == shape_row("box", 1, 2, 3).tobytes()


def test_numbers_behind_an_address_are_read_in_plain_python_too():
    numbers, whole = np.array([1.5, 2.5]), np.array([7, 8])
    assert floats_at(numbers.ctypes.data).values[1] == 2.5
    assert integers_at(whole.ctypes.data).values[1] == 8
