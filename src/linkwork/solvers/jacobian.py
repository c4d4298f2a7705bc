"""The rows of all constraints as dense arrays: phi, phi_dot, J, gamma, for one state or a batch.

    phi_dot = J v + phi_t,     phi_ddot = J vdot + gamma

A row gives wrenches on two links (see rows.py) and coefficients on joint velocities. With wrench F and column S of velocity k both in world
axes about one point, J_k = S . F for every velocity above the link: about the middle of all links, so that rounding does not grow with
the distance from the world's origin.
"""

from typing import NamedTuple

import numpy as np

from ..model.model import need_model
from .survey import survey


class Rows(NamedTuple):
    """phi (..., nc), phi_dot (..., nc), J (..., nc, nv), gamma (..., nc). Rows that hold velocities only have phi = 0."""

    phi: np.ndarray
    phi_dot: np.ndarray
    J: np.ndarray
    gamma: np.ndarray


def constraint_jacobian(model, q, v, t=0.0, *, threads=1):
    """All rows of a model's constraints, in the order of `model.constraints`.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("two wheels")
    >>> wheels = [m.add_body(name, mass=1.0, inertia=(1, 1, 1)) for name in "ab"]
    >>> joints = [m.add_joint(f"axle {w.name}", lw.Revolute((0, 0, 1)), m.ground, w) for w in wheels]
    >>> _ = m.add_constraint("mesh", lw.Gear(-2.0), "axle a", "axle b")
    >>> constraint_jacobian(m.build(), [0.1, -0.2], [1.0, 1.0]).J.tolist()
    [[2.0, 1.0]]
    """
    need_model(model)
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    if not model.nc:
        leading = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], np.shape(t))
        none = np.zeros((*leading, 0))
        return Rows(none, none, np.zeros((*leading, 0, model.nv)), none)
    found = survey(model, q, v, t, threads=threads)
    J = jacobian_of(model, found)
    phi_dot = np.einsum("...ij,...j->...i", J, np.broadcast_to(v, (*J.shape[:-2], model.nv))) + found.rows[..., 13]
    return Rows(found.rows[..., 12].copy(), phi_dot, J, found.rows[..., 14].copy())


def jacobian_of(model, found):
    """J (..., nc, nv) of a survey."""
    R, p = found.poses[..., :9].reshape(*found.poses.shape[:-1], 3, 3), found.poses[..., 9:]
    arm = p - p.mean(axis=-2, keepdims=True) if p.shape[-2] else p
    owner, above = _owners(model)
    S = _turned(R[..., owner, :, :], found.columns)
    S[..., 3:] += np.cross(arm[..., owner, :], S[..., :3])
    J = np.zeros((*found.rows.shape[:-1], model.nv))
    for side, at in (("a", 0), ("b", 6)):
        link = _of_rows(model, model.rules.blocks[side])
        used = link >= 0
        F = _turned(R[..., link[used], :, :], found.rows[..., used, at : at + 6])
        F[..., :3] += np.cross(arm[..., link[used], :], F[..., 3:])
        J[..., used, :] += (F @ np.swapaxes(S, -1, -2)) * above[link[used]]
    for block in model.rules.blocks:
        for term in model.rules.terms[block["term"] : block["term"] + block["terms"]]:
            J[..., block["row"] : block["row"] + block["rows"], term["v"]] += term["coefficient"]
    return J


def _turned(R, vectors):
    """Spatial vectors in world axes."""
    return np.concatenate([np.einsum("...ij,...j->...i", R, vectors[..., :3]), np.einsum("...ij,...j->...i", R, vectors[..., 3:])], axis=-1)


def _of_rows(model, column):
    """A column of the table of blocks, repeated for each of their rows."""
    return np.repeat(column, model.rules.blocks["rows"])


def _owners(model):
    """The link of every velocity; and for every link, which velocities move it (n, nv)."""
    links = model.tables.links
    owner = np.zeros(model.nv, dtype=np.int64)
    above = np.zeros((len(links), model.nv), dtype=bool)
    for i, link in enumerate(links):
        owner[link["v"] : link["v"] + link["nv"]] = i
        if link["parent"] >= 0:
            above[i] = above[link["parent"]]
        above[i, link["v"] : link["v"] + link["nv"]] = True
    return owner, above
