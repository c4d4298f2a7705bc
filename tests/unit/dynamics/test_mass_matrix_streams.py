"""Batches of mass matrices so large that they are written past the caches, in blocks of states that lie apart."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.dynamics.call import MANY
from linkwork.dynamics.matrix_entries import LARGE

COUNT = 4096 + 77  # the last states make no whole group, and no whole block


def _tree(nv, seed):
    """A floating base with chains of revolute joints on it, nv velocities in all."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("tree")
    base = m.add_body("base", mass=3.0, com=rng.normal(0, 0.1, 3), inertia=(0.2, 0.3, 0.4))
    m.add_joint("float", lw.Free(), m.ground, base)
    before = base
    for k in range(nv - 6):
        body = m.add_body(f"b{k}", mass=1.0, com=rng.normal(0, 0.1, 3), inertia=(0.02, 0.03, 0.04))
        m.add_joint(f"j{k}", lw.Revolute(axis=rng.normal(size=3)), (base if k % 5 == 0 else before).at(*rng.normal(0, 0.2, 3)), body)
        before = body
    return m.build()


@pytest.mark.parametrize("nv", (16, 17))  # matrices that begin on cache lines, and such that do not
@pytest.mark.parametrize("offset", (0, 1, 3))
def test_streamed_matrices_equal_single_ones(nv, offset):
    model = _tree(nv, seed=nv)
    assert COUNT >= MANY and COUNT * nv * nv >= LARGE
    q = lw.random_configuration(model, np.random.default_rng(0), COUNT)
    room = np.full(COUNT * nv * nv + 8, np.nan)
    out = room[offset : offset + COUNT * nv * nv].reshape(COUNT, nv, nv)
    lw.mass_matrix(model, q, out=out)
    assert np.array_equal(out, np.swapaxes(out, -1, -2))
    assert np.isnan(room[:offset]).all() and np.isnan(room[offset + out.size :]).all()  # nothing beside it was touched
    for k in (*range(40), *range(COUNT // 2, COUNT // 2 + 40), *range(COUNT - 110, COUNT)):
        np.testing.assert_allclose(out[k], lw.mass_matrix(model, q[k]), rtol=0, atol=1e-13 * np.abs(out[k]).max())
    for threads in (2, 3):
        assert np.array_equal(out, lw.mass_matrix(model, q, threads=threads))
