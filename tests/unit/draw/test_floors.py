import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.draw.figure import Figure
from linkwork.draw.floors import floor_planes, is_level, level_height, slab
from linkwork.draw.look import floor_of

SLOPE = lw.Floor(-0.1, at=lw.Pose.from_rpy(0, math.radians(15), 0))


def box(*floors):
    m = lw.Mechanism("box")
    m.add_body("box", shape=lw.Box(0.4, 0.2, 0.3, at=(0, 0, 0.15)), density=1000)
    m.change("ground", collisions=floors)
    return m


def figure_of(m):
    model = m.build()
    return Figure(model, lw.neutral(model)), lw.neutral(model)[None]


def test_a_level_floor_is_the_floor_of_the_picture_wherever_it_is():
    for height in (0.0, -0.4, 0.05):
        figure, q = figure_of(box(lw.Floor(height)))
        assert floor_of(figure, q, True)[2] == height
        assert not any(piece.backdrop for piece in figure.pieces)
    assert floor_of(*figure_of(box(lw.Floor(-1.0), lw.Floor(-0.5))), True)[2] == -0.5


def test_a_floor_that_slopes_is_a_slab_whose_upper_face_is_on_the_plane():
    figure, q = figure_of(box(SLOPE))
    assert floor_of(figure, q, True) is None and floor_of(figure, q, -1.0)[2] == -1.0
    [piece] = [piece for piece in figure.pieces if piece.backdrop]
    above = (piece.solid.corners - SLOPE.plane.translation) @ SLOPE.plane.rotation[:, 2]
    np.testing.assert_allclose(np.sort(above)[4:], 0.0, atol=1e-15)
    assert (np.sort(above)[:4] < 0.0).all()


@pytest.mark.parametrize("floor", [lw.Floor(), lw.Floor(-0.01), SLOPE])
def test_a_floor_does_not_move_the_camera(floor):
    assert lw.Camera.around(box(floor)).eye == lw.Camera.around(box()).eye


@pytest.mark.parametrize("floors", [(lw.Floor(),), (SLOPE,), (lw.Floor(-0.2), SLOPE)])
def test_pictures_with_floors_are_drawn(floors):
    without = len(lw.draw(box(), floor=False).marks)
    assert len(lw.draw(box(*floors)).marks) > without
    assert lw.draw(box(*floors)).svg().startswith("<svg")


def test_a_floor_that_looks_down_is_no_level_floor():
    ceiling = lw.Floor(at=lw.Pose((0, 0, 2), (0.0, 1.0, 0.0, 0.0)))
    assert [is_level(plane) for plane in floor_planes(box(ceiling))] == [False]
    assert level_height(floor_planes(box(ceiling))) is None and floor_planes(None) == []


def test_a_slab_lies_under_what_is_above_it():
    middle = np.array((3.0, -2.0, 1.0))
    corners = slab((np.eye(3), np.zeros(3)), middle, 1.0).corners
    np.testing.assert_allclose(corners.mean(axis=0)[:2], middle[:2], atol=1e-15)
    assert corners[:, 2].max() == 0.0
