"""Where constraints contradict each other: the accelerations with the least squares of the residuals.

    min over lambda of | K^ lambda + r^ |,    K^, r^ scaled to a unit diagonal of K = J M^-1 J^T;   vdot = vdot_0 + M^-1 J^T lambda

lambda acts on the rows that the rule of rank takes (constraints/rank.py); the sum is over all.

Dense, state by state: contradictions are rare, and a person must look at them anyway.
"""

import warnings

import numpy as np

from ..dynamics.factor import solve_mass_matrix
from ..dynamics.inverse import bias_force
from ..errors import ConstraintWarning, SolverError


def compromise(model, q, v, tau, f_ext, t, vdot, wrong):
    """`vdot` with the states listed in `wrong` (indices) replaced by the compromise; warns with the names of what contradicts."""
    from ..constraints.independent_rows import chosen_rows
    from ..constraints.jacobian import constraint_jacobian

    leading = vdot.shape[:-1]

    def state(value, trailing):
        return None if value is None or isinstance(value, dict) else np.broadcast_to(np.asarray(value, dtype=float), leading + trailing)

    qs, vs, taus, times = state(q, (model.nq,)), state(v, (model.nv,)), state(tau, (model.nv,)), state(t, ())
    forces = state(f_ext, (model.nb, 6))
    vdot = vdot.copy()
    worst, named = 0.0, set()
    for where in map(tuple, wrong):
        f = f_ext if isinstance(f_ext, dict) else None if forces is None else forces[where]
        choice = chosen_rows(model, qs[where], float(times[where])).choice
        rows = constraint_jacobian(model, qs[where], vs[where], float(times[where]))
        force = (0.0 if taus is None else taus[where]) - bias_force(model, qs[where], vs[where], f)
        free = solve_mass_matrix(model, qs[where], force)
        response = np.array([solve_mass_matrix(model, qs[where], row) for row in rows.J])
        K, r = rows.J @ response.T, rows.J @ free + rows.gamma
        unit = 1.0 / np.sqrt(np.where(np.diag(K) > 0.0, np.diag(K), np.inf))
        taken = choice.independent
        lam = np.linalg.lstsq((unit[:, None] * K[:, taken]) * unit[taken], -unit * r, rcond=None)[0]
        vdot[where] = free + response[taken].T @ (unit[taken] * lam)
        left = np.abs(rows.J @ vdot[where] + rows.gamma)
        worst = max(worst, float(left.max()))
        named |= {c.name for c in model.constraints if left[c.rows].max(initial=0.0) > 1e-6 * left.max()}
    shown = ", ".join(map(repr, sorted(named)))
    warnings.warn(
        f"model {model.name!r}: the constraints {shown} contradict each other (they lack up to {worst:.3g} in acceleration); "
        "the accelerations are the best compromise; lw.mobility says which sets contradict",
        ConstraintWarning,
        stacklevel=4,
    )
    return vdot


def refuse_unsolved(model, given, found):
    """Raise, by name, where rows that are independent do not hold, or so little is left of accelerations that it is rounding: inertias, levers or ratios on
    their way differ by more than numbers of 16 digits can tell. `given`: q, v and t."""
    from ..constraints.jacobian import constraint_jacobian

    q, v, t = given
    for where in map(tuple, np.argwhere(np.isinf(found.residual))):
        leading = found.residual.shape

        def state(x, *trailing, leading=leading, where=where):
            return np.broadcast_to(np.asarray(x, dtype=float), leading + trailing)[where]

        rows = constraint_jacobian(model, state(q, model.nq), state(v, model.nv), float(state(t)))
        vdot = found.vdot[where]
        row_residual, moves = np.abs(rows.J @ vdot + rows.gamma), np.abs(rows.J) @ np.abs(vdot) + np.abs(rows.gamma)
        names = ", ".join(
            repr(c.name) for c in model.constraints if row_residual[c.rows].max(initial=0.0) > 1e-6 * moves[c.rows].max(initial=0.0)
        )
        remedy = "make light parts heavier, gear ratios and levers more alike, or weld parts to others"
        if names:
            raise SolverError(
                f"model {model.name!r}: the constraints {names} can hold together, but the accelerations found lack up to {row_residual.max():.3g} of it: "
                f"inertias or levers on their way differ by more than numbers of 16 digits can tell; allowed are ratios up to about 1e10 in a loop; {remedy}"
            )
        names, ratio = _least_determined(model, state(q, model.nq), float(state(t)), rows.J)
        raise SolverError(
            f"model {model.name!r}: corrections of the accelerations do not come to an end: inertias that the constraints {names} tie together, as gears and "
            f"levers make them felt, differ by {ratio:.0e} or more; allowed are ratios up to about 1e13, as numbers of 16 digits can tell; {remedy}"
        )


def _least_determined(model, q, t, J):
    """(names, ratio): which constraints K = J M^-1 J^T, scaled to a unit diagonal, distinguishes least, and its condition."""
    from ..constraints.independent_rows import chosen_rows

    taken = chosen_rows(model, q, t).choice.independent
    K = J[taken] @ np.array([solve_mass_matrix(model, q, row) for row in J[taken]]).T
    unit = 1.0 / np.sqrt(np.diag(K))
    sizes, ways = np.linalg.eigh(unit[:, None] * K * unit)
    shares = np.zeros(len(J))
    shares[taken] = np.abs(ways[:, 0])
    names = ", ".join(repr(c.name) for c in model.constraints if shares[c.rows].max(initial=0.0) > 0.1)
    return names, 1.0 / max(float(sizes[0]), 1e-16)
