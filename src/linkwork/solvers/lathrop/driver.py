"""Constrained forward dynamics by propagation of constraints, as it is called from Python: state by state, in NumPy."""

import numpy as np

from ...constraints.independent_rows import chosen_rows
from ...dynamics.call import shaped
from ...dynamics.external import wrenches
from ...errors import SolverError
from ...model.model import need_model
from ..delassus.driver import Constrained, solve_doubtful
from ..delassus.semidefinite import FLOOR, LEAST, SURE
from .correct import solve_exactly
from .prepare import prepare

HOLDS = 1e-3  # of the tolerated residual of rows left out: rows that were taken hold better than that


def solve_propagation(model, q, v, tau=None, f_ext=None, t=0.0, *, threads=1):
    """The accelerations of a constrained model by propagation of constraints, state by state; arguments as those of `solve_constrained`.

    It is given the rows that the rule of rank takes, and corrected where digits are lost; where rows do not hold as they should, or others contradict them,
    rows are chosen and corrected as in solvers/delassus/rank_revealing.py. The multipliers are one solution of those that give these accelerations.
    `threads` is not used.
    """
    need_model(model)
    return solve_doubtful(propagate_states(model, q, v, tau, f_ext, t), model, q, v, tau, f_ext, t)


def propagate_states(model, q, v, tau=None, f_ext=None, t=0.0):
    """The solution of the recursion itself. The residual is that of the rows (`contradiction_residual`)."""
    nv = (model.nv,)
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv), ("t", time, (1,))]
    inputs.append(wrenches(model, np.zeros((model.nb, 6)) if f_ext is None else f_ext))
    arrays, leading = shaped(inputs)
    vdot, multipliers = np.zeros((*leading, model.nv)), np.zeros((*leading, model.nc))
    rank, residual = np.zeros(leading, dtype=int), np.zeros(leading)
    for k in np.ndindex(leading):
        q_, v_, tau_, t_, f_ = (array[k] for array in arrays)
        state = prepare(model, q_, v_, tau_, f_, float(t_[0]))
        choice = chosen_rows(model, q_, float(t_[0])).choice
        kept = choice.independent
        try:
            found = solve_exactly(state.with_rows(kept))
        except np.linalg.LinAlgError as error:  # numbers that are not finite
            raise SolverError(
                f"model {model.name!r}: the recursion met numbers that are not finite; is a part nearly massless, or a force beyond all measure?"
            ) from error
        vdot[k], multipliers[(*k, kept)] = found.vdot, found.multipliers
        rank[k], residual[k] = len(kept) - found.redundant, contradiction_residual(state, found.vdot, choice)
    return Constrained(vdot, multipliers, rank, residual)


def contradiction_residual(state, vdot, choice):
    """The largest |J vdot + gamma|, relative to the largest part of a row. Infinite where it is too much for what the rows of its group add up."""
    if len(state.gamma) == 0:
        return 0.0
    a = state.accelerations(vdot)
    parts = np.abs(state.gamma)
    for group in state.groups:
        for side, link in enumerate(group.links):
            if link >= 0:
                parts[group.rows] += np.abs(state.wrenches[group.rows, side] * a[link]).sum(axis=1)
        for term in group.terms:
            parts[group.rows] += abs(term.coefficient * vdot[term.v])
    largest = np.zeros(len(parts))
    np.maximum.at(largest, choice.group, parts)
    allowed = LEAST + SURE * largest[choice.group]
    allowed[choice.independent] *= HOLDS
    imbalance = np.abs(state.along_rows(a, vdot) + state.gamma)
    return np.inf if np.any(imbalance > allowed) else float(imbalance.max() / max(FLOOR, parts.max()))
