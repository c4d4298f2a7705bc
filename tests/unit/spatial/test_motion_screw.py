"""Screw axis, pitch and magnitude, both ways."""

import math

import numpy as np
import pytest

from linkwork.kernels import kernel
from linkwork.spatial.motion import screw_of, vector_of_screw
from linkwork.spatial.plain import plain

from .slots import load, load6, store, store3, store6


@kernel
def both_ways(x, y, like):
    u, r, pitch, magnitude = screw_of(load6(x, 0, like))
    store3(y, 0, u)
    store3(y, 3, r)
    store(y, 6, pitch)
    store(y, 7, magnitude)
    store6(y, 8, vector_of_screw(u, r, pitch, magnitude))
    store(y, 14, load(x, 0, like))


def rows():
    rows = np.random.default_rng(0).normal(size=(9, 6))
    rows[0, :3] = 0.0  # a free vector
    rows[1] = 0.0
    rows[2, 3:] = 0.0  # a line through the origin
    rows[3] = (0, 0, 2, 0, -2, 0.5)  # the line x = 1, y = 0 along z, pitch 1/4
    return rows


def test_screws_there_and_back(run, algebra_kind):
    V = rows()
    y = run(algebra_kind, both_ways, V, 15).real
    np.testing.assert_allclose(y[:, 8:14], V, rtol=0, atol=2e-15)
    u, r, pitch, magnitude = y[:, :3], y[:, 3:6], y[:, 6], y[:, 7]
    turning = np.linalg.norm(V[:, :3], axis=1) > 0
    np.testing.assert_array_equal(np.isinf(pitch), ~turning)
    np.testing.assert_allclose(np.linalg.norm(np.delete(u, 1, axis=0), axis=1), 1.0, rtol=4e-16)
    np.testing.assert_allclose(magnitude[turning], np.linalg.norm(V[turning, :3], axis=1), rtol=4e-16)
    np.testing.assert_allclose(np.sum(u * r, axis=1), 0.0, atol=1e-15)  # the foot of the perpendicular from the origin
    assert magnitude[0] == pytest.approx(np.linalg.norm(V[0]), rel=1e-15, abs=0.0)
    assert magnitude[1] == 0.0
    assert (r[0] == 0.0).all()
    np.testing.assert_allclose([*u[3], *r[3], pitch[3], magnitude[3]], [0, 0, 1, 1, 0, 0, 0.25, 2], atol=1e-15)


def test_a_point_anywhere_on_the_axis_gives_the_same_vector():
    u, r = (0.6, 0.0, 0.8), (1.0, 2.0, -0.75)
    moved = tuple(a + 5.0 * b for a, b in zip(r, u, strict=True))
    found = plain(vector_of_screw)(u, moved, 0.1, 3.0)
    assert found == pytest.approx(plain(vector_of_screw)(u, r, 0.1, 3.0), abs=2e-14)
    assert plain(vector_of_screw)(u, moved, math.inf, 3.0) == pytest.approx((0, 0, 0, 1.8, 0, 2.4))
