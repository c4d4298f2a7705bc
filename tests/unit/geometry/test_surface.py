"""Height fields and surfaces of triangles against convex shapes."""

import itertools

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.geometry.pair import manifold_of
from linkwork.geometry.shape_table import SHAPE
from linkwork.geometry.surface import height_arrays, triangle_arrays
from tests.convex_cases import random_rotation, turn

N, STEP = 9, 0.25  # a plate of 2 m


def row(arrays):
    rows = np.zeros(1, dtype=SHAPE)
    arrays.fill(rows[0])
    rows["R"] = np.eye(3).ravel()
    return rows


def grid_mesh(heights, step, rng=None):
    """The vertices and triangles of a height field; with a generator its cells are cut along either diagonal."""
    ny, nx = heights.shape
    x, y = np.meshgrid((np.arange(nx) - (nx - 1) / 2) * step, (np.arange(ny) - (ny - 1) / 2) * step)
    faces = []
    for j, i in itertools.product(range(ny - 1), range(nx - 1)):
        k = j * nx + i
        if rng is None or rng.random() < 0.5:
            faces += [(k, k + 1, k + nx + 1), (k, k + nx + 1, k + nx)]
        else:
            faces += [(k, k + 1, k + nx), (k + 1, k + nx + 1, k + nx)]
    return np.stack([x.ravel(), y.ravel(), heights.ravel()], axis=1), np.array(faces)


def box_mesh(x, y, z):
    v = np.array([[i, j, k] for i in (-x, x) for j in (-y, y) for k in (-z, z)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return v, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def surfaces(heights, step=STEP):
    """The same ground as a height field, as a mesh, and as a mesh that is cut at random."""
    yield height_arrays(heights, step, step)
    yield triangle_arrays(*grid_mesh(heights, step))
    yield triangle_arrays(*grid_mesh(heights, step, np.random.default_rng(1)))


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("gap", [0.0, 1e-9, -1e-6, -1e-3, 1e-3, -0.2])
def test_a_ball_that_rolls_over_internal_edges_keeps_its_normal(which, gap):
    arrays = list(surfaces(np.zeros((N, N))))[which]
    ground = row(arrays)[0]
    ways = [((-0.6, 0.03), (1.0, 0.37)), ((-0.6, -0.6), (1.0, 1.0)), ((-0.5, 0.25), (1.0, 0.0)), ((0.1, -0.7), (0.01, 1.0))]
    for (x, y), (u, v) in ways:
        for t in [*np.linspace(0, 1.2, 97), *(np.arange(5) * STEP)]:
            found = manifold_of(("sphere", 0.5), (turn([1, 2, 3], t), (x + u * t, y + v * t, 0.5 + gap)), ground, None, reach=2e-3)
            if abs(x + u * t) > 0.95 or abs(y + v * t) > 0.95:
                continue
            assert len(found.points) == 1
            assert np.array_equal(found.points[0].n, [0, 0, -1])
            assert found.gap == pytest.approx(gap, abs=2e-15)
            assert np.abs(found.points[0].p - [x + u * t, y + v * t, 0]).max() < 1e-14


def test_a_ball_rolls_over_internal_edges_of_a_tilted_plate_in_the_world():
    arrays = triangle_arrays(*grid_mesh(np.zeros((N, N)), STEP))
    rng = np.random.default_rng(3)
    for _ in range(100):
        R, p = random_rotation(rng), rng.normal(size=3)
        at = np.array([*np.round(rng.uniform(-0.7, 0.7, size=2), rng.integers(1, 4)), 0.3])
        found = manifold_of(("sphere", 0.3), (random_rotation(rng), R @ at + p), row(arrays)[0], (R, p), reach=1e-6)
        assert len(found.points) == 1
        assert np.array_equal(found.points[0].n, -R[:, 2])
        assert abs(found.gap) < 4e-15


@pytest.mark.parametrize("which", range(3))
def test_a_box_stands_on_its_four_corners(which):
    arrays = list(surfaces(np.zeros((N, N))))[which]
    for x, y, angle in [(0.05, 0.03, 0.0), (0, 0, 0), (0.125, 0, 0.3), (-0.2, 0.1, 1.0)]:
        found = manifold_of(("box", 0.3, 0.4, 0.1), (turn([0, 0, 1], angle), (x, y, 0.1)), row(arrays)[0], None, reach=1e-3)
        corners = np.array([[i, j, 0] for i in (-0.3, 0.3) for j in (-0.4, 0.4)]) @ turn([0, 0, 1], angle).T + [x, y, 0]
        assert len(found.points) == 4
        assert all(np.array_equal(point.n, [0, 0, -1]) and abs(point.gap) < 1e-15 for point in found.points)
        assert all(min(np.linalg.norm(point.p - c) for point in found.points) < 1e-14 for c in corners)


def test_a_mesh_of_a_box_is_that_box_to_a_ball():
    """Faces, edges and corners: same gap and normal wherever the ball is outside or not deep in it."""
    arrays, rng = triangle_arrays(*box_mesh(0.5, 0.4, 0.3)), np.random.default_rng(7)
    for _ in range(300):
        nearest = rng.uniform(-1, 1, size=3) * [0.7, 0.6, 0.5]
        inside = np.clip(nearest, [-0.5, -0.4, -0.3], [0.5, 0.4, 0.3])
        d = nearest - inside
        if not np.linalg.norm(d) > 1e-3:
            continue
        d /= np.linalg.norm(d)
        r = rng.uniform(0.05, 0.5)
        centre = inside + d * (r + rng.choice([-0.3 * r, -1e-6, 0.0, 1e-3]))
        X = random_rotation(rng), rng.normal(size=3)
        Xa = np.eye(3), X[0] @ centre + X[1]
        mesh, box = (
            manifold_of(("sphere", r), Xa, row(arrays)[0], X, reach=2e-3),
            manifold_of(("sphere", r), Xa, ("box", 0.5, 0.4, 0.3), X, 2e-3),
        )
        best = min(mesh.points, key=lambda point: point.gap)
        assert best.gap == pytest.approx(box.gap, abs=1e-13)
        assert np.abs(best.n - box.points[0].n).max() < 1e-9
        # Whatever else touches does so as an outward direction of the box.
        assert all(point.gap >= box.gap - 1e-13 for point in mesh.points)


def test_shapes_on_a_ridge_and_in_a_valley():
    slope = np.abs(np.arange(N) - (N - 1) / 2) * STEP  # a valley along y, at 45 degrees
    n = np.array([1.0, 0.0, 1.0]) / np.sqrt(2)
    for valley in (height_arrays(np.tile(slope, (N, 1)), STEP, STEP), triangle_arrays(*grid_mesh(np.tile(slope, (N, 1)), STEP))):
        found = manifold_of(("sphere", 0.2), (0, 0.01, 0.2 * np.sqrt(2)), row(valley)[0], None, reach=1e-6)
        assert len(found.points) == 2
        assert sorted(np.round(point.n[0], 12) for point in found.points) == [-round(n[0], 12), round(n[0], 12)]
        assert all(abs(point.gap) < 1e-15 for point in found.points)
    for ridge in (height_arrays(np.tile(-slope, (N, 1)), STEP, STEP), triangle_arrays(*grid_mesh(np.tile(-slope, (N, 1)), STEP))):
        for tilt in (0.0, 0.1, -0.5, 0.7):  # within the cone of the ridge
            d = np.array([np.sin(tilt), 0, np.cos(tilt)])
            found = manifold_of(("sphere", 0.2), (np.eye(3), 0.2 * d + [0, 0.1, 0]), row(ridge)[0], None, reach=1e-6)
            assert all(np.abs(point.n + d).max() < 1e-12 and abs(point.gap) < 1e-14 for point in found.points)
            assert len(found.points) == 1


def test_random_ground_holds_random_shapes_as_its_triangles_do():
    """The least gap is not below that of any triangle as a hull of its own, given thickness below."""
    rng = np.random.default_rng(13)
    heights = rng.uniform(0, 0.15, size=(N, N))
    shapes = [
        ("sphere", 0.15),
        ("box", 0.1, 0.2, 0.15),
        ("cylinder", 0.1, 0.2),
        ("cone", 0.2, 0.2),
        ("capsule", 0.1, 0.2),
        ("ellipsoid", 0.1, 0.2, 0.3),
    ]
    field, mesh = height_arrays(heights, STEP, STEP), triangle_arrays(*grid_mesh(heights, STEP))
    touching = 0
    for k in range(60):
        shape = shapes[k % len(shapes)]
        X = random_rotation(rng), np.array([*rng.uniform(-0.6, 0.6, size=2), rng.uniform(0.1, 0.5)])
        on_field, on_mesh = (manifold_of(shape, X, row(arrays)[0], None, reach=0.05) for arrays in (field, mesh))
        if on_field.gap > -1e-3 and on_mesh.gap > -1e-3:
            assert on_field.gap == pytest.approx(on_mesh.gap, abs=1e-12)
            touching += len(on_field.points) > 0
        for point in (*on_field.points, *on_mesh.points):
            assert np.isfinite(point.gap)
            assert point.n[2] < 1e-9  # never pushed into the ground
    assert touching >= 5


def test_below_and_beside_a_surface_nothing_touches_a_mesh():
    plate = triangle_arrays(*grid_mesh(np.zeros((N, N)), STEP))
    assert manifold_of(("sphere", 0.2), (0, 0, -0.3), row(plate)[0], None, reach=0.05).points == ()
    assert manifold_of(("sphere", 0.2), (1.3, 0, 0), row(plate)[0], None, reach=0.05).points == ()
    assert manifold_of(("sphere", 0.2), (0, 0, 0.3), row(plate)[0], None, reach=0.05).points == ()


def test_what_sank_into_a_height_field_is_pushed_up():
    field = height_arrays(np.zeros((N, N)), STEP, STEP)
    found = manifold_of(("sphere", 0.2), (0.07, 0.03, -0.5), row(field)[0], None, reach=0.0)
    assert len(found.points) == 1
    assert np.array_equal(found.points[0].n, [0, 0, -1])
    assert found.gap == pytest.approx(-0.7, abs=1e-15)


def test_bad_surfaces_are_refused():
    with pytest.raises(ModelError, match="at least \\(2, 2\\)"):
        height_arrays([[1.0]], 1, 1)
    with pytest.raises(ModelError, match="dx of a height field"):
        height_arrays(np.zeros((2, 2)), 0, 1)
    with pytest.raises(ModelError, match="numbers of its 3 vertices"):
        triangle_arrays(np.eye(3), [[0, 1, 3]])
    with pytest.raises(ModelError, match="without an area"):
        triangle_arrays([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]])


def plane_of(step, count):
    return grid_mesh(np.zeros((count, count)), step)


@pytest.mark.parametrize("spoilt", ["repeated", "with backs", "with a wall below", "with slivers", "shuffled"])
def test_a_ball_rolls_over_a_plate_that_is_no_manifold(spoilt):
    """Triangles that are there twice, those that face down, walls that meet edges from below, and such without area change nothing above."""
    vertices, faces = plane_of(STEP, N)
    if spoilt == "repeated":
        faces = np.concatenate([faces, faces[::3], np.roll(faces[::2], 1, axis=1)])
    if spoilt == "with backs":
        faces = np.concatenate([faces, faces[:, ::-1]])
    if spoilt == "with a wall below":
        below = vertices - [0.0, 0.0, 0.3]
        wall = [(j * N + 4, j * N + 4 + N, N * N + j * N + 4) for j in range(N - 1)]
        vertices, faces = np.concatenate([vertices, below]), np.concatenate([faces, wall, np.array(wall)[:, ::-1]])
    if spoilt == "with slivers":
        vertices = np.concatenate([vertices, vertices[[0]] + [0.1, 0.0, 0.0]])
        faces = np.concatenate([faces, [(0, 1, len(vertices) - 1), (3, 3, 4)]])
    if spoilt == "shuffled":
        order = np.random.default_rng(2).permutation(len(vertices))
        vertices, faces = vertices[order], np.argsort(order)[faces]
    ground = triangle_arrays(vertices, faces)
    for t in [*np.linspace(-0.6, 0.6, 49), 0.0, STEP, -STEP]:
        found = manifold_of(("sphere", 0.5), (t, 0.37 * t, 0.5), row(ground)[0], None, reach=1e-3)
        assert len(found.points) == 1
        assert np.array_equal(found.points[0].n, [0, 0, -1]) and abs(found.gap) < 2e-15
