"""Corrections by propagation of constraints: residuals of a solution, and the accelerations and multipliers that remove them."""

from dataclasses import replace

import numpy as np

from .link_arrays import force_to_parent
from .solve import solve

# Of the terms of a joint or row: an equation with a larger residual has lost digits, and the solution is corrected. Rounding of some dozen terms is less.
EXACT = 1e-13
CORRECTIONS = 4  # at most, and no more where one does not halve what is lacking; the last is of the rows alone
# Of forces across a joint's axis, and of the greatest acceleration that a row could see: along the axis, or at a part that rests, there may be nothing
# but rounding of these.
ACROSS = 1e-3


def correct(state, forces, rows):
    """The correction of a solution with residuals `forces` along the joints and `rows`: accelerations and multipliers of the same mechanism without bias."""
    return solve(replace(state, c=np.zeros_like(state.c), bias=np.zeros_like(state.bias), tau=forces, gamma=rows))


def solve_exactly(state):
    """The solution of a state, corrected by the residual of its equations where they have lost digits.

    solvers/delassus/rank_revealing.py does the same by another recursion.
    """
    found = solve(state)
    before = np.inf
    for k in range(CORRECTIONS):
        imbalance = Imbalance(state, found.vdot, found.multipliers)
        worst = max(imbalance.of_forces, imbalance.of_rows)
        if worst <= EXACT:
            break
        stuck = not worst < 0.5 * before
        rows_alone = k > 0 and (stuck or imbalance.of_forces <= EXACT or k + 1 == CORRECTIONS)
        correction = correct(state, np.zeros_like(state.tau) if rows_alone else imbalance.forces, imbalance.rows)
        found.vdot, found.multipliers = found.vdot + correction.vdot, found.multipliers + correction.multipliers
        if stuck:
            break
        before = worst
    return found


class Imbalance:
    """Residuals of accelerations and multipliers: `forces` tau - M vdot - h + J^T lambda, `rows` J vdot + gamma; `of_forces`, `of_rows`: the
    most of it, relative to what adds up at its joint or in its row (Oettli and Prager 1964: the change of the equations with which it would be exact)."""

    def __init__(self, state, vdot, multipliers):
        a = state.accelerations(vdot)
        f, size = (
            np.einsum("ijk,ik->ij", state.I, a) + state.bias,
            np.einsum("ijk,ik->ij", np.abs(state.I), np.abs(a)) + np.abs(state.bias),
        )
        fastest = np.abs(a).max(axis=0, initial=0.0)
        self.forces, forces = state.tau - state.armature * vdot, np.abs(state.tau) + np.abs(state.armature * vdot)
        self.rows, rows = state.along_rows(a, vdot) + state.gamma, np.abs(state.gamma)
        for group in state.groups:
            for side, link in enumerate(group.links):
                if link >= 0:
                    W, x = state.wrenches[group.rows, side], multipliers[group.rows]
                    f[link] -= x @ W
                    size[link] += np.abs(x) @ np.abs(W)
                    rows[group.rows] += _products(W, a[link], fastest)
            for term in group.terms:
                self.forces[term.v] += term.coefficient * multipliers[group.rows].sum()
                forces[term.v] += np.abs(term.coefficient * multipliers[group.rows]).sum()
                rows[group.rows] += abs(term.coefficient * vdot[term.v])
        for i in reversed(range(len(f))):
            S, v, parent = state.S[i], state.v_index[i], state.parent[i]
            self.forces[v] -= S.T @ f[i]
            forces[v] += _products(S.T, size[i], size[i])
            if parent >= 0:
                f[parent] += force_to_parent(state.R[i], state.p[i], f[i])
                size[parent] += _sizes_to_parent(state.R[i], state.p[i], size[i])
        with np.errstate(invalid="ignore", divide="ignore"):
            self.of_forces, self.of_rows = (
                float(np.nanmax(np.abs(imbalance) / of, initial=0.0)) for imbalance, of in ((self.forces, forces), (self.rows, rows))
            )


def _products(A, x, most):
    """What adds up in the products of rows of A (m, 6) with x (6,), and some of what they could be, were x as large as `most` (6,) and along them."""
    turns, shifts = (np.linalg.norm(A[:, part], axis=1) * np.linalg.norm(most[part]) for part in (slice(3), slice(3, 6)))
    return np.abs(A) @ np.abs(x) + ACROSS * (turns + shifts)


def _sizes_to_parent(R, p, F):
    """Bounds of the components of a force vector, from child to parent coordinates."""
    f, (x, y, z) = np.abs(R) @ F[3:], np.abs(p)
    return np.concatenate([np.abs(R) @ F[:3] + (y * f[2] + z * f[1], z * f[0] + x * f[2], x * f[1] + y * f[0]), f])
