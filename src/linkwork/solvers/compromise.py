"""Where constraints contradict each other: the accelerations with the least squares of what the rows lack.

    min over lambda of | K^ lambda + r^ |,    K^, r^ scaled to a unit diagonal of K = J M^-1 J^T;   vdot = vdot_0 + M^-1 J^T lambda

lambda acts on the rows that the rule of rank takes (solvers/rank_rule.py); the sum is over all.

Dense, state by state: contradictions are rare, and a person must look at them anyway.
"""

import warnings

import numpy as np

from ..dynamics.factor import solve_mass_matrix
from ..dynamics.inverse import bias_force
from ..errors import ConstraintWarning, SolverError


def compromise(model, q, v, tau, f_ext, t, vdot, wrong):
    """`vdot` with the states listed in `wrong` (indices) replaced by the compromise; warns with the names of what contradicts."""
    from .chosen_rows import chosen_rows
    from .jacobian import constraint_jacobian

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


def refuse_unsolved(model, q, v, t, found):
    """Raise, by name, where rows that are independent do not hold: inertias on their way differ by more than numbers of 16 digits can tell."""
    from .jacobian import constraint_jacobian

    for where in map(tuple, np.argwhere(np.isinf(found.residual))):
        leading = found.residual.shape
        state = (
            np.broadcast_to(np.asarray(x, dtype=float), leading + trailing)[where]
            for x, trailing in ((q, (model.nq,)), (v, (model.nv,)), (t, ()))
        )
        rows = constraint_jacobian(model, *state)
        lack = np.abs(rows.J @ found.vdot[where] + rows.gamma)
        names = ", ".join(repr(c.name) for c in model.constraints if lack[c.rows].max(initial=0.0) > 1e-6 * lack.max())
        raise SolverError(
            f"model {model.name!r}: the constraints {names} can hold together, but the accelerations found lack up to {lack.max():.3g} of it: inertias or "
            "levers on their way differ by more than numbers of 16 digits can tell; allowed are ratios up to about 1e10 in a loop; make light parts "
            "heavier, or weld them to others"
        )
