"""Poses nearby, and the motions along which a singular pose branches.

A motion N c breaks no row at first order. It can go on only if accelerations exist that keep the rows closed, J vdot + gamma(N c) = 0, so

    Q_k(c) = z_k . gamma(N c) = 0      for every self-stress z_k,

quadratic forms in c with gamma taken at fixed time. Where they all vanish, nothing hinders any motion (an over-constrained linkage in a
generic pose); otherwise their common zeros are the tangent cone, to second order (Mueller 2016, local kinematic analysis). Its zeros are sought from
random directions by Gauss and Newton. Lines and flat pieces of the cone are branches; a curved cone is reported, not listed.

The generic pose is found by walking: a small step along a random motion, closed again in the mass metric.
"""

from typing import NamedTuple

import numpy as np

from ..constraints.jacobian import constraint_jacobian
from ..constraints.tolerance import comparable, row_units
from ..dynamics.configuration import difference, integrate
from ..errors import LinkworkError
from ..solvers.delassus.correct import correction
from .split_rows import gaps_that_count, null_space, split_rows

CLOSED = 1e-11  # rad, lengths of the mechanism; where rounding of phi ends
STEPS = (
    0.1,
    0.03,
    0.1,
    0.03,
    0.01,
    0.01,
)  # rad: far enough that a singular value, which grows in proportion, is beyond the tolerance of 1e-5
MOST_MOTIONS = 24  # for forms of second order: their evaluation costs one state for each pair of motions
MOST_FORMS = 64  # motions in forms alone, without their common zeros
CROSSING = 1e-4  # of the largest singular value of J: what may be zero where a pose is singular within 1e-5 rad
REGULAR = 0.2  # of the largest singular value of J in a group: a pose where none is less is further than 0.1 rad from any singular one
STARTS = 120
FLAT = 1e-6  # forms below it vanish
MANY = 16  # more pieces than these are taken for a cone that is curved


def generic_dof(model, q, t, motions, scale):
    """The least degrees of freedom at poses nearby that can be reached; None if none was reached.

    `motions`: N; `scale`: per velocity, what makes slides comparable with turns.
    """
    rng = np.random.default_rng(0)
    least = None
    for step in STEPS:
        direction = motions @ rng.normal(size=motions.shape[1])
        direction *= step / np.max(np.abs(direction * scale))
        there = _closed(model, integrate(model, q, direction), t, step)
        if there is None:
            continue
        moved = np.max(np.abs(difference(model, q, there) * scale))
        if not 0.1 * step < moved < 20.0 * step:
            continue  # back where it came from, or on another branch far away
        dof = model.nv - split_rows(model, there, t).rank
        least = dof if least is None else min(least, dof)
        if least == max(model.nv - model.nc, 0):
            break  # there can be no less
    return least


def _closed(model, q, t, step):
    """q closed by Newton's method in the mass metric, or None."""
    held, units, scale = holonomic_rows(model), row_units(model), comparable(model)
    try:
        for _ in range(40):
            dv, residuals = correction(model, q, None, t)
            if np.max(np.abs(gaps_that_count(model, q, t, residuals, CLOSED * units) / units)[held], initial=0.0) < CLOSED:
                return q
            size = np.max(np.abs(scale * dv), initial=0.0)
            q = integrate(model, q, dv * min(1.0, 5.0 * step / size) if size > 0.0 else dv)
    except LinkworkError:
        pass
    return None


def holonomic_rows(model):
    """For each row: does it hold positions?"""
    holds = np.zeros(model.nc, dtype=bool)
    for block in model.constraint_tables.blocks:
        holds[block["row"] : block["row"] + block["rows"]] = block["holonomic"] != 0
    return holds


class Cone(NamedTuple):
    """The tangent cone to second order. `pieces`: flat pieces, each an array of motions (rows of joint velocities).

    `curved`: it has pieces that are not flat, which are not listed. `blocked`: motions (rows) that cannot go on.
    """

    pieces: tuple[np.ndarray, ...]
    curved: bool
    blocked: np.ndarray


def tangent_cone(model, q, t, motions, stress):
    """The Cone, or None if second order hinders nothing (or there are too many motions to look at)."""
    holonomic, scale = holonomic_rows(model), comparable(model)[:, None]
    Z = row_units(model)[:, None] * stress  # of rows by their units
    Z = Z[:, np.all(np.abs(Z[~holonomic]) < FLAT, axis=0)]
    if not 0 < motions.shape[1] <= MOST_MOTIONS or not Z.shape[1]:
        return None
    N = np.linalg.qr(scale * motions)[0] / scale
    forms = _forms(model, q, t, N, Z / np.linalg.norm(Z, axis=0))
    return _cone(forms, N) if len(forms) else None


def crossing_joints(model, q, t=0.0):
    """Names of the joints that move differently along the branches that cross in a singular pose, or within 1e-5 rad of one.

    Those that move along the range of the forms Q_k: where these vanish, motions do not hinder each other.
    """
    J = constraint_jacobian(model, q, np.zeros(model.nv), t).J
    holonomic = np.concatenate([np.full(c.rows.stop - c.rows.start, c.holonomic) for c in model.constraints])
    found = _null_spaces(model, J / row_units(model)[:, None])
    if found is None:
        return ()
    Z, N = found
    Z = Z[:, np.all(np.abs(Z[~holonomic]) < FLAT, axis=0)]
    if not Z.shape[1]:
        return ()
    forms = _forms(model, q, t, N, Z)
    if not len(forms):
        return ()
    _, sizes, Vt = np.linalg.svd(np.concatenate(list(forms)))
    rates = comparable(model) * np.abs(N @ Vt[: int(np.sum(sizes > 1e-6 * sizes[0]))].T).max(axis=1)
    return tuple(j.name for j in model.joints if rates[j.v_index].max(initial=0.0) > 1e-6 * rates.max())


def is_regular(model, q, t, rank):
    """Is the rank of J here `rank`, clearly, and no less than at poses nearby?

    Solvers take rows in their order: in a regular pose of an overconstrained loop one of them may hardly be independent of those before it.
    """
    J = constraint_jacobian(model, q, np.zeros(model.nv), t).J / row_units(model)[:, None]
    clear = sum(int(np.sum(sizes > REGULAR * sizes.max(initial=0.0))) for *_, sizes, _ in _singular_values(model, J))
    if clear < rank or (found := _null_spaces(model, J)) is None:
        return False
    return generic_dof(model, q, t, found[1], comparable(model)) == found[1].shape[1]


def _singular_values(model, J):
    """(rows, columns, U, sizes, Vt) of J, group by group (model/constraint_tables.py), columns by what makes slides comparable with turns."""
    tables, scale, parts = model.constraint_tables, comparable(model), []
    for first, count in tables.groups[["first", "rows"]].tolist():
        rows = tables.members[first : first + count]
        columns = np.flatnonzero(J[rows].any(axis=0))
        parts.append((rows, columns, *np.linalg.svd(J[np.ix_(rows, columns)] / scale[columns])))
    return parts


def _null_spaces(model, J):
    """(Z, N) with J^T Z = 0 and J N = 0, by singular values; None if there is no motion, or more than MOST_FORMS."""
    scale, free, parts = comparable(model), np.ones(model.nv, dtype=bool), _singular_values(model, J)
    for _, columns, *_ in parts:
        free[columns] = False
    least = CROSSING * max(max((sizes.max(initial=0.0) for *_, sizes, _ in parts), default=0.0), 1e-300)
    ranks = [int(np.sum(sizes > least)) for *_, sizes, _ in parts]
    motions = int(free.sum()) + sum(len(part[1]) - rank for part, rank in zip(parts, ranks, strict=True))
    if not 0 < motions <= MOST_FORMS:
        return None
    stresses = sum(len(part[0]) - rank for part, rank in zip(parts, ranks, strict=True))
    Z, N, z, n = np.zeros((len(J), stresses)), np.zeros((model.nv, motions)), 0, int(free.sum())
    N[np.flatnonzero(free), np.arange(n)] = 1.0 / scale[free]
    for (rows, columns, U, _, Vt), rank in zip(parts, ranks, strict=True):
        Z[rows, z : z + len(rows) - rank] = U[:, rank:]
        N[columns, n : n + len(columns) - rank] = Vt[rank:].T / scale[columns, None]
        z, n = z + len(rows) - rank, n + len(columns) - rank
    return Z, N


def _forms(model, q, t, N, Z):
    """The quadratic forms Q_k (k, d, d), independent ones only, of rows by their units. By polarisation: gamma of all pairs of motions, at fixed time."""
    d = N.shape[1]
    pairs = [(i, j) for i in range(d) for j in range(i + 1)]
    V = np.array([N[:, i] if i == j else N[:, i] + N[:, j] for i, j in pairs])
    states = np.concatenate([np.zeros((1, model.nv)), V, -V])
    gamma = constraint_jacobian(model, np.tile(q, (len(states), 1)), states, np.full(len(states), t)).gamma / row_units(model) @ Z
    even = 0.5 * (gamma[1 : 1 + len(V)] + gamma[1 + len(V) :]) - gamma[0]
    Q = np.zeros((Z.shape[1], d, d))
    own = {i: even[p] for p, (i, j) in enumerate(pairs) if i == j}
    for p, (i, j) in enumerate(pairs):
        Q[:, i, j] = Q[:, j, i] = even[p] if i == j else 0.5 * (even[p] - own[i] - own[j])
    _, sizes, Vt = np.linalg.svd(Q.reshape(len(Q), -1), full_matrices=False)
    return Vt[sizes > FLAT].reshape(-1, d, d)


def _cone(Q, N):
    d, rng = N.shape[1], np.random.default_rng(1)
    zeros = [c for c in (_zero(Q, rng.normal(size=d)) for _ in range(STARTS)) if c is not None]
    pieces, curved, going = [], False, _span(zeros) if zeros else np.zeros((d, 0))
    for c in zeros:
        if sum(abs(c @ other) > 1.0 - 1e-6 for other in zeros) > 1:
            piece = c[:, None]  # found from several directions: a line by itself, also where it is a double zero
        elif _within(Q, going):
            piece = going
        else:
            piece = null_space(c @ Q, 1e-4)
        if not _within(Q, piece):
            curved = True
        elif not any(p.shape == piece.shape and np.linalg.norm(piece - p @ (p.T @ piece)) < 1e-3 for p in pieces):
            pieces.append(piece)
    if len(pieces) > MANY:
        pieces, curved = [], True
    blocked = N @ null_space(going.T) if going.shape[1] < d else np.zeros((len(N), 0))
    pieces = [p for p in pieces if not any(p.shape[1] < o.shape[1] and np.linalg.norm(p - o @ (o.T @ p)) < 1e-3 for o in pieces)]
    pieces.sort(key=lambda p: tuple(np.round(-np.abs((N @ p)[:, 0]), 6)))
    return Cone(tuple((N @ p).T for p in pieces), curved, blocked.T)


def _zero(Q, c):
    """A common zero of the forms on the unit sphere near c, by Gauss and Newton; None if there is none."""
    c = c / np.linalg.norm(c)
    for _ in range(80):
        gradient = c @ Q
        values = gradient @ c
        if np.max(np.abs(values)) < 1e-14:
            return c
        c = c - np.linalg.lstsq(2.0 * gradient, values, rcond=1e-10)[0]
        size = np.linalg.norm(c)
        if size < 1e-3:  # on its way to the origin, the only zero of a definite form
            return None
        c = c / size
    return c if np.max(np.abs((c @ Q) @ c)) < 1e-11 else None


def _within(Q, piece):
    """Do all forms vanish on the span of some columns?"""
    return bool(np.max(np.abs(np.einsum("ia,kij,jb->kab", piece, Q, piece)), initial=0.0) < 1e-4)


def _span(vectors):
    U, sizes, _ = np.linalg.svd(np.array(vectors).T, full_matrices=False)
    return U[:, sizes > 1e-4 * sizes[0]]
