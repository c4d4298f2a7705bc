"""Pieces on bodies, and ties between them, for given poses."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

from linkwork.studio.scene.colours import SLACK
from linkwork.studio.scene.layout import Layout, Spans, sag
from linkwork.studio.scene.pieces import GROUND, Piece, Tie
from linkwork.studio.scene.turns import matrices

DOWN = (0.0, 0.0, -1.0)


def poses(count, seed=3):
    """Random poses of bodies, ground last."""
    rng = np.random.default_rng(seed)
    P, Q = np.zeros((count + 1, 3)), np.tile((1.0, 0.0, 0.0, 0.0), (count + 1, 1))
    P[:-1], Q[:-1] = rng.normal(size=(count, 3)), Rotation.random(count, rng=rng).as_quat(scalar_first=True)
    return P, Q


def test_pieces_move_with_their_bodies_and_are_sorted_into_batches():
    rng = np.random.default_rng(0)
    pieces = [
        Piece(
            "bodies",
            ("box", "sphere")[k % 2],
            k % 4 - 1,
            Rotation.random(rng=rng).as_matrix(),
            rng.normal(size=3),
            (1, 2, 3),
            (k, 0, 0),
            f"p{k}",
        )
        for k in range(12)
    ]
    P, Q = poses(3)
    layout = Layout(pieces)
    positions, wxyzs = layout.place(P, Q)
    assert [rows.key for rows in layout.batches] == sorted({(p.group, p.mesh, "fixed" if p.body == GROUND else "moving") for p in pieces})
    by_name = {p.part: p for p in pieces}
    for rows in layout.batches:
        for k in range(rows.first, rows.last):
            piece = by_name[layout.parts[k]]
            assert rows.key[1] == piece.mesh
            R = matrices(Q[piece.body][None])[0]
            np.testing.assert_allclose(positions[k], P[piece.body] + R @ piece.p, atol=1e-13)
            np.testing.assert_allclose(matrices(wxyzs[k][None])[0], R @ piece.R, atol=1e-13)
            assert layout.color[k, 0] == piece.color[0]


def tie(**more):
    return Tie("forces", "coil", 0, np.array((0.1, 0.0, 0.0)), 1, np.array((0.0, 0.2, 0.0)), 0.05, (1, 2, 3), "spring", **more)


def test_a_spring_reaches_from_point_to_point():
    P, Q = poses(2)
    position, wxyz, scale = Spans([tie()], DOWN).place(P, Q)
    R = matrices(Q)
    A, B = P[0] + R[0] @ (0.1, 0.0, 0.0), P[1] + R[1] @ (0.0, 0.2, 0.0)
    half = 0.5 * scale[0, 2] * matrices(wxyz)[0, :, 2]
    np.testing.assert_allclose([position[0] - half, position[0] + half], [A, B], atol=1e-12)
    np.testing.assert_allclose(scale[0, :2], 0.05)


def test_a_dashpot_is_as_long_as_it_says_until_there_is_no_room():
    P, Q = poses(2)
    for distance, length in ((2.0, 0.5), (0.6, 0.36)):
        P[1], Q[:2] = P[0] + (distance + 0.1, -0.2, 0.0), (1.0, 0.0, 0.0, 0.0)
        _, _, scale = Spans([tie(start=(0.0, 0.0, 1.0), stop=(0.0, 0.5, 0.6))], DOWN).place(P, Q)
        assert scale[0, 2] == pytest.approx(length)


def test_points_that_meet_do_no_harm():
    P, Q = np.zeros((3, 3)), np.tile((1.0, 0.0, 0.0, 0.0), (3, 1))
    spans = Spans([tie()._replace(at=np.zeros(3), to=np.zeros(3))], DOWN)
    arrays = spans.place(P, Q)
    assert all(np.isfinite(array).all() for array in arrays)
    assert arrays[2][0, 2] < 1e-5


def test_a_slack_string_hangs_in_one_piece_and_looks_different():
    P, Q = np.array(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))), np.tile((1.0, 0.0, 0.0, 0.0), (3, 1))
    shares = [((k / 10, 0.0, 1.0), ((k + 1) / 10, 0.0, 1.0)) for k in range(10)]
    parts = [tie(start=a, stop=b, slack=1.3)._replace(mesh="rod", at=np.zeros(3), to=np.zeros(3)) for a, b in shares]
    spans = Spans(parts, DOWN)
    position, wxyz, scale = spans.place(P, Q)
    half = 0.5 * scale[:, 2:] * matrices(wxyz)[:, :, 2]
    np.testing.assert_allclose((position + half)[:-1], (position - half)[1:], atol=1e-12)
    assert (position[:, 2] < 0.0).all() and position[:, 2].min() < -0.3
    assert scale[:, 2].sum() == pytest.approx(1.3, rel=0.03), "it is as long as the string, to the parabola's approximation"
    assert (spans.color == SLACK).all()
    P[1] = (1.4, 0.0, 0.0)
    position, _, scale = spans.place(P, Q)
    assert np.abs(position[:, 2]).max() < 1e-12 and (spans.color == (1, 2, 3)).all()
    assert scale[:, 2].sum() == pytest.approx(1.4)


@pytest.mark.parametrize(("chord", "length", "close"), [(1.0, 1.01, 0.01), (1.0, 1.2, 0.03), (1.0, 2.0, 0.08)])
def test_the_sag_gives_a_parabola_of_the_strings_length(chord, length, close):
    depth = float(sag(chord, length))
    arc = quad(lambda x: math.hypot(1.0, 8.0 * depth * x / chord**2), -0.5 * chord, 0.5 * chord)[0]
    assert arc == pytest.approx(length, rel=close)


def test_a_string_with_its_ends_together_hangs_by_nearly_half_its_length():
    assert 0.4 < float(sag(0.0, 1.0)) <= 0.5
