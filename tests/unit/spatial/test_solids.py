"""Solids against integrals over random points and against meshes of themselves."""

import itertools

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.stats import qmc

from linkwork.errors import ModelError
from linkwork.spatial import solids


def in_cylinder(p):
    return (p[:, 0] ** 2 + p[:, 1] ** 2 < 0.3**2) & (np.abs(p[:, 2]) < 0.5)


def in_capsule(p):
    z = np.maximum(np.abs(p[:, 2]) - 0.3, 0.0)
    return p[:, 0] ** 2 + p[:, 1] ** 2 + z**2 < 0.2**2


CASES = {
    "box": (solids.box(0.4, 0.6, 1.0), (0.2, 0.3, 0.5), lambda p: np.ones(len(p), bool)),
    "sphere": (solids.sphere(0.5), (0.5, 0.5, 0.5), lambda p: np.sum(p**2, axis=1) < 0.25),
    "ellipsoid": (solids.ellipsoid(0.2, 0.3, 0.5), (0.2, 0.3, 0.5), lambda p: np.sum((p / (0.2, 0.3, 0.5)) ** 2, axis=1) < 1.0),
    "cylinder": (solids.cylinder(0.3, 1.0), (0.3, 0.3, 0.5), in_cylinder),
    "capsule": (solids.capsule(0.2, 0.6), (0.2, 0.2, 0.5), in_capsule),
    "cone": (solids.cone(0.3, 1.0), (0.3, 0.3, 0.5), lambda p: np.hypot(p[:, 0], p[:, 1]) < 0.3 * (0.5 - p[:, 2])),
}


@pytest.mark.parametrize("name", CASES)
def test_solids_against_integration_over_points(name):
    solid, half, inside = CASES[name]
    points = (qmc.Sobol(3, seed=1).random_base2(16) * 2.0 - 1.0) * half
    kept = points[inside(points)]
    volume = 8.0 * np.prod(half) * len(kept) / len(points)
    com = kept.mean(axis=0)
    second = volume * np.cov(kept.T, bias=True)
    tensor = np.trace(second) * np.eye(3) - second
    # 65536 quasi-random points: errors of about 1e-3 of the size.
    assert solid.volume == pytest.approx(volume, rel=2e-3, abs=0.0)
    np.testing.assert_allclose(solid.com, com, atol=2e-3)
    np.testing.assert_allclose(solid.tensor, tensor, atol=3e-3 * np.trace(tensor))


def outward(points):
    """The convex hull as triangles that turn counter-clockwise seen from outside."""
    faces = ConvexHull(points).simplices
    a, b, c = points[faces].transpose(1, 0, 2)
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - points.mean(axis=0)) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return faces


def box_mesh(x=0.4, y=0.6, z=1.0):
    points = np.array(list(itertools.product((-x / 2, x / 2), (-y / 2, y / 2), (-z / 2, z / 2))))
    return points, outward(points)


def assert_same(found, expected, tolerance, com=None):
    assert found.volume == pytest.approx(expected.volume, rel=tolerance, abs=0.0)
    np.testing.assert_allclose(found.com, expected.com if com is None else com, atol=tolerance)
    np.testing.assert_allclose(found.tensor, expected.tensor, atol=tolerance * np.trace(expected.tensor))


def test_mesh_of_a_box_is_the_box_wherever_it_lies():
    points, faces = box_mesh()
    assert_same(solids.mesh(points, faces), solids.box(0.4, 0.6, 1.0), 1e-15)
    # A kilometre away the tensor about the centre of mass still has all digits that the vertices have.
    far = np.array([1000.0, -2000.0, 500.0])
    assert_same(solids.mesh(points + far, faces), solids.box(0.4, 0.6, 1.0), 1e-12, com=far)


def test_fine_mesh_of_a_sphere_tends_to_the_sphere():
    """An inscribed polyhedron lacks volume in proportion to the square of its edge length: 5000 vertices lack 0.15 percent."""
    errors = []
    for n in (1250, 5000):
        k = np.arange(n) + 0.5
        z, turn = 1.0 - 2.0 * k / n, k * np.pi * (3.0 - np.sqrt(5.0))
        points = np.stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z], axis=1)
        found, exact = solids.mesh(points, outward(points)), solids.sphere(1.0)
        errors.append(1.0 - found.volume / exact.volume)
        assert_same(found, exact, 2.0 * errors[-1])
    assert 0.0 < errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1, abs=0.0)


def test_loose_triangles_and_cavities():
    points, faces = box_mesh()
    loose = points[faces].reshape(-1, 3)
    assert_same(solids.mesh(loose, np.arange(len(loose)).reshape(-1, 3)), solids.box(0.4, 0.6, 1.0), 1e-15)
    both = np.concatenate([points, 0.5 * points])
    hollow = solids.mesh(both, np.concatenate([faces, faces[:, ::-1] + 8]))
    outer, inner = solids.box(0.4, 0.6, 1.0), solids.box(0.2, 0.3, 0.5)
    assert_same(hollow, solids.Solid(outer.volume - inner.volume, outer.com, outer.tensor - inner.tensor), 1e-15)


def test_bodies_that_touch_along_an_edge_or_a_face_are_no_broken_mesh():
    """Their edges have four triangles, and the mass is right."""
    points, faces = box_mesh()
    for shift in ((0.4, 0.6, 0.0), (0.4, 0.0, 0.0)):
        both = solids.mesh(np.concatenate([points, points + shift]), np.concatenate([faces, faces + 8]))
        assert both.volume == pytest.approx(2.0 * 0.24, rel=1e-14)


def broken_meshes():
    points, faces = box_mesh()
    flipped = faces.copy()
    flipped[3] = flipped[3][::-1]
    doubled = faces.copy()
    doubled[0, 1] = doubled[0, 0]
    flat = points * (1, 1, 0)
    nan = points.copy()
    nan[5, 1] = np.nan
    line = np.concatenate([points, 0.5 * (points[[faces[0, 0]]] + points[[faces[0, 1]]])])
    return {
        "open": (points, faces[1:], r"the surface is open: 3 of 18 edges"),
        "turned": (points, flipped, r"turned opposite ways at 3 of 18 edges; order the vertices"),
        "inside out": (points, faces[:, ::-1], r"inside out \(volume -0.24"),
        "repeated vertex": (points, doubled, r"1 of 12 triangles have no area \(triangles 0\)"),
        "on a line": (line, np.concatenate([faces, [[faces[0, 0], 8, faces[0, 1]]]]), r"1 of 13 triangles have no area \(triangles 12\)"),
        "flat": (flat, faces, "no area|no volume"),
        "folded": (points[:3] * (1, 1, 1), np.array([[0, 1, 2], [0, 2, 1], [0, 1, 2], [0, 2, 1]]), "encloses no volume"),
        "no such vertex": (points, faces + 1, "name vertices 1 to 8; there are 8"),
        "negative index": (points, faces - 1, "name vertices -1 to 6"),
        "not finite": (nan, faces, "vertex 5 is not finite"),
        "every triangle twice": (
            points,
            np.concatenate([faces, np.roll(faces, 1, axis=1)]),
            r"12 of 24 triangles stand in it twice \(such as triangle 12\)",
        ),
        "too few": (points, faces[:2], "has 2 triangles"),
        "floats": (points, faces.astype(float), "whole numbers"),
        "shape": (points[:, :2], faces, r"shapes \(8, 2\) and \(12, 3\)"),
    }


@pytest.mark.parametrize("name", broken_meshes())
def test_broken_meshes_are_refused_with_the_reason(name):
    points, faces, message = broken_meshes()[name]
    with pytest.raises(ModelError, match="mesh: .*" + message):
        solids.mesh(points, faces)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: solids.box(1, 0, 1), "box: y is 0; it must be positive and finite"),
        (lambda: solids.sphere(-1), "sphere: radius is -1"),
        (lambda: solids.cylinder(1, np.inf), "cylinder: length is inf"),
        (lambda: solids.capsule(np.nan, 1), "capsule: radius is nan"),
        (lambda: solids.ellipsoid(1, 1, "x"), "ellipsoid: c is 'x'; it must be a number"),
        (lambda: solids.cone(None, 1), "cone: radius is None"),
    ],
)
def test_impossible_dimensions_are_named(make, message):
    with pytest.raises(ModelError, match=message):
        make()
