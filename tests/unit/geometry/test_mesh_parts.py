"""What of a mesh touches: remembered by content, pieces by coacd, and what is said without it."""

import itertools
import sys

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.geometry import mesh_parts
from linkwork.geometry.hull import hull_arrays
from linkwork.geometry.mesh_parts import excess, hull_part, piece_parts, surface_part


def box_mesh(low, high):
    v = np.array(
        [[low[0] if i else high[0], low[1] if j else high[1], low[2] if k else high[2]] for i in (1, 0) for j in (1, 0) for k in (1, 0)]
    )
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return v, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def ell():
    """Two boxes as an L, closed each for itself."""
    one, other = box_mesh((0.0, 0.0, 0.0), (2.0, 1.0, 1.0)), box_mesh((0.0, 0.0, 1.0), (1.0, 1.0, 2.0))
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1] + 8])


def test_equal_contents_are_prepared_once():
    vertices, _ = ell()
    first = hull_part(vertices)
    assert hull_part(vertices.copy())[1] is first[1]
    assert hull_part(1.5 * vertices)[1] is not first[1]


def test_vertices_are_kept_about_their_middle():
    vertices = ell()[0] + [1e6, 0.0, -1e6]
    for middle, arrays in (hull_part(vertices), surface_part(*(vertices, ell()[1]))):
        np.testing.assert_allclose(middle, [1e6 + 1.0, 0.5, -1e6 + 1.0], rtol=1e-15)
        assert np.abs(arrays.points[:24]).max() <= 1.0


def test_how_much_larger_a_hull_is_than_its_mesh():
    assert excess(*box_mesh((0, 0, 0), (1, 2, 3))) == pytest.approx(1.0, rel=1e-14)
    assert excess(*ell()) == pytest.approx(3.5 / 3.0, rel=1e-13)  # half of the missing box is within the hull
    vertices, faces = ell()
    assert excess(vertices, faces[:-1]) == 1.0  # it is not closed


def test_the_triangles_of_a_hull_are_those_of_its_faces():
    hull = hull_arrays(np.array(list(itertools.product((0.0, 1.0), repeat=3))))
    a, b, c = (hull.vertices[hull.triangles[:, k]] for k in range(3))
    assert len(hull.triangles) == 12 and np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(1.0)


def test_without_coacd_it_is_said_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(ModelError, match=r"needs the package coacd, which is not installed; install it \(pip install coacd"):
        piece_parts(*(3.3 * ell()[0], ell()[1]))


class Fake:
    """In the place of coacd: what it finds is what it is given, in two halves."""

    calls = 0

    @staticmethod
    def set_log_level(_):
        pass

    @staticmethod
    def Mesh(vertices, faces):  # noqa: N802 - a name of coacd
        return vertices, faces

    @classmethod
    def run_coacd(cls, mesh, **_):
        cls.calls += 1
        return [(mesh[0][:8], None), (mesh[0][8:], None)]


def test_pieces_are_kept_in_the_users_cache_by_what_they_were_made_of(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "coacd", Fake)
    monkeypatch.setattr(mesh_parts, "_known", type(mesh_parts._known)())
    vertices, faces = ell()
    Fake.calls = 0
    one, other = piece_parts(vertices, faces)
    assert one[0].tolist() == [1.0, 0.5, 0.5] and other[0].tolist() == [0.5, 0.5, 1.5]
    mesh_parts._known.clear()
    again = piece_parts(vertices, faces)
    assert Fake.calls == 1 and [part[1].npoints for part in again] == [8, 8]
    [file] = (tmp_path / "linkwork" / "pieces").iterdir()
    file.write_bytes(b"damaged")
    mesh_parts._known.clear()
    assert len(piece_parts(vertices, faces)) == 2 and Fake.calls == 2


def test_a_mesh_that_is_too_large_to_cut_is_refused(monkeypatch):
    monkeypatch.setattr(mesh_parts, "MOST_FACES", 3)
    with pytest.raises(ModelError, match="24 triangles; allowed are 3"):
        piece_parts(*(7.7 * ell()[0], ell()[1]))


@pytest.mark.slow
def test_coacd_cuts_an_ell_into_its_boxes(monkeypatch, tmp_path):
    pytest.importorskip("coacd")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(mesh_parts, "_known", type(mesh_parts._known)())
    corners = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    vertices = np.array([(x, y, z) for z in (0, 1) for x, y in corners], dtype=float)
    below = [(0, 3, 1), (1, 3, 2), (0, 5, 3), (3, 5, 4)]
    sides = [t for k in range(6) for t in ((k, (k + 1) % 6, (k + 1) % 6 + 6), (k, (k + 1) % 6 + 6, k + 6))]
    faces = np.array(below + [(a + 6, c + 6, b + 6) for a, b, c in below] + sides)
    parts = piece_parts(vertices, faces)
    volume = sum(mesh_parts._volume(hull.vertices, hull.triangles) for _, hull in parts)
    assert len(parts) >= 2 and volume == pytest.approx(3.0, rel=0.05)  # the hull has 3.5
