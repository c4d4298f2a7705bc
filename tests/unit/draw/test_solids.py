"""Faces of shapes: closed, outward, flat, and of the right volume."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw
from linkwork.draw.glyphs import foot, joint_sign, octahedron
from linkwork.draw.solids import MOST_CELLS, box, rod, solid_of, triangles
from linkwork.draw.sticks import equivalent_box, hull, stick_figure

AT = lw.Pose.from_rpy(0.3, -0.8, 1.2, (0.1, 0.2, -0.3))
SHAPES = [
    lw.Box(0.3, 0.2, 0.5, at=AT),
    lw.Sphere(0.3, at=AT),
    lw.Cylinder(0.2, 0.7, at=AT),
    lw.Capsule(0.2, 0.7, at=AT),
    lw.Cone(0.2, 0.7, at=AT),
    lw.Ellipsoid(0.3, 0.2, 0.1, at=AT),
]


def volume(solid):
    """By the divergence theorem, faces cut into fans: positive if faces look outward."""
    total = 0.0
    for face in solid.faces:
        a = solid.corners[face[0]]
        total += sum(a @ np.cross(solid.corners[b], solid.corners[c]) for b, c in pairwise(face[1:])) / 6.0
    return total


def assert_sound(solid):
    edges = Counter((face[k], face[(k + 1) % len(face)]) for face in solid.faces for k in range(len(face)))
    assert set(edges.values()) == {1}
    assert set(edges) == {(b, a) for a, b in edges}
    used = {k for face in solid.faces for k in face}
    assert len(used) - len(edges) // 2 + len(solid.faces) == 2  # Euler
    middle = solid.corners[sorted(used)].mean(axis=0)
    for face in solid.faces:
        X = solid.corners[list(face)]
        normal = np.cross(X - X.mean(axis=0), np.roll(X, -1, axis=0) - X.mean(axis=0)).sum(axis=0)
        normal /= np.linalg.norm(normal)
        assert np.abs((X - X[0]) @ normal).max() < 1e-12  # flat
        assert (X[0] - middle) @ normal > 0.0
        if solid.convex:
            assert ((solid.corners[sorted(used)] - X[0]) @ normal).max() < 1e-12


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_a_shape_is_a_closed_convex_solid_of_nearly_its_volume(shape):
    solid = solid_of(shape, sides=48)
    assert_sound(solid)
    exact = shape.solid().volume
    # A regular 48-gon has 1 - (2 pi / 48)^2 / 6 = 0.997 of its circle; a ball loses about twice as much again.
    assert 0.985 * exact < volume(solid) <= exact * (1 + 1e-12)
    middle = shape.at.act(shape.solid().com)
    assert np.linalg.norm(solid.corners - middle, axis=1).max() < 1.0


def test_a_mirror_keeps_faces_outward():
    mirrored = box(1, 2, 3).placed(np.diag((1.0, -1.0, 1.0)), (0, 0, 1))
    assert_sound(mirrored)
    assert volume(mirrored) == pytest.approx(6.0)


def test_a_mesh_hides_its_inside_only_if_it_is_closed():
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    assert triangles(corners, faces).closed
    assert not triangles(corners, faces[:3]).closed
    assert not triangles(corners, [face[::-1] for face in faces]).closed  # inside out
    assert len(triangles(corners, [*faces, (1, 1, 2)]).faces) == 4


KINDS = [
    lw.Revolute((1, 2, 0)),
    lw.Prismatic((0, 1, 1)),
    lw.Cylindrical((0, 0, 1)),
    lw.Screw((1, 0, 0), pitch=-0.02),
    lw.Universal((1, 0, 0), (0, 1, 0.2)),
    lw.Spherical(),
    lw.Planar((0, 0.3, 1)),
    lw.Translational(),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_every_joint_kind_has_a_sign_of_its_own(kind):
    sign = joint_sign(kind, 0.01)
    assert sign.solids
    for side, solid, _ in sign.solids:
        assert side in "FM"
        assert_sound(solid)
        assert np.abs(solid.corners).max() < 0.08  # small: a few radii
    shapes = {type(other).__name__: len(joint_sign(other, 0.01).solids[0][1].faces) for other in KINDS}
    assert shapes["Revolute"] != shapes["Prismatic"] != shapes["Spherical"]
    assert_sound(foot(kind, 0.01, (0.0, 0.0, -1.0))[0])


def test_a_weld_and_a_free_body_have_no_sign():
    assert not joint_sign(lw.Weld(), 0.01).solids
    assert not joint_sign(lw.Free(), 0.01).solids


def test_a_screw_shows_its_hand():
    right, left = (joint_sign(lw.Screw((0, 0, 1), pitch=p), 0.01).lines[0][1] for p in (0.01, -0.01))
    turn = [np.sign(np.sum(t[:-1, 0] * t[1:, 1] - t[:-1, 1] * t[1:, 0]) * (t[-1, 2] - t[0, 2])) for t in (right, left)]
    assert turn == [1.0, -1.0]


def test_the_octahedron_is_sound():
    assert_sound(octahedron(0.3))


def test_the_box_of_equal_inertia():
    """Any box, anywhere in its body, is found again from mass and tensor alone."""
    R = lw.Pose.from_rpy(0.4, 0.9, -0.2).rotation
    edges = np.array((0.5, 0.2, 0.3))
    moments = 2.0 / 12.0 * (np.sum(edges**2) - edges**2)
    found, axes = equivalent_box(lw.Inertia(2.0, (1, 2, 3), R @ np.diag(moments) @ R.T))
    assert sorted(found) == pytest.approx(sorted(edges))
    assert np.linalg.det(axes) == pytest.approx(1.0)
    for edge, axis in zip(found, axes.T, strict=True):
        assert abs(axis @ R[:, np.argmin(abs(edges - edge))]) == pytest.approx(1.0)


def test_no_box_has_an_impossible_inertia():
    assert equivalent_box(lw.Inertia(1.0, tensor=(1.0, 1.0, 3.0))) is None
    assert equivalent_box(lw.Inertia(0.0)) is None


INERTIA = lw.Inertia(1.0, (0.1, 0, 0), (0.001, 0.004, 0.004))


@pytest.mark.parametrize(
    ("places", "solids"),
    [
        ([], 1),
        ([(0, 0, 0)], 2),
        ([(0, 0, 0), (0.5, 0, 0)], 1),
        ([(0, 0, 0), (0.5, 0, 0), (0.2, 0, 0)], 1),
        ([(0, 0, 0), (0.5, 0, 0), (0.2, 0.3, 0)], 1),
        ([(0, 0, 0), (0.5, 0, 0), (0.2, 0.3, 0), (0.2, 0.1, 0.4)], 5),
    ],
)
def test_stick_figures(places, solids):
    made = stick_figure(places, INERTIA, 0.01, 1.0)
    assert len(made) == solids
    for solid in made:
        assert_sound(solid)
    reach = np.concatenate([solid.corners for solid in made])
    for place in places[:2]:  # of three in a row the third is between
        # A plate ends at its places, a rod with round ends a radius beyond.
        assert np.linalg.norm(reach - place, axis=1).min() < 0.03


def test_a_height_field_is_drawn_as_it_is_and_a_large_one_in_part():
    small = lw.HeightField(np.arange(12.0).reshape(3, 4), 0.5, 2.0, at=(0, 0, 1))
    solid = solid_of(small)
    assert len(solid.faces) == 2 * 2 * 3 and not solid.closed
    np.testing.assert_allclose(solid.corners[5], [-0.25, 0.0, 6.0])  # row 1, column 1
    for face in solid.faces:
        a, b, c = solid.corners[list(face)]
        assert np.cross(b - a, c - a)[2] > 0.0
    large = solid_of(lw.HeightField(np.zeros((500, 300)), 0.1))
    assert len(large.faces) <= 2 * MOST_CELLS
    np.testing.assert_allclose(np.abs(large.corners).max(axis=0), [14.95, 24.95, 0.0])


def test_a_hull_joins_triangles_of_one_plane():
    assert sorted(len(face) for face in hull(box(1, 2, 3).corners).faces) == [4] * 6


def test_a_rod_ends_where_it_should():
    solid = rod((0, 0, 0), (0, 1, 0), 0.1)
    assert solid.corners.min(axis=0)[1] == pytest.approx(-0.1)
    assert solid.corners.max(axis=0)[1] == pytest.approx(1.1)
    assert math.isclose(np.abs(solid.corners[:, [0, 2]]).max(), 0.1, rel_tol=1e-9)
