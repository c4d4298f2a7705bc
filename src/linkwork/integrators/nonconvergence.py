"""Why Newton's method did not converge, in words: which constraint stayed open, or which joint was out of balance and which force acts most on it."""

import numpy as np

OPEN = 1e-6  # m, rad: a constraint that stays open by more is named before any joint


def why_not_converged(equations, residual, t):
    """In words; `residual`: the last one, None if it was not finite. t: the time of the state that the system stands at."""
    model = equations.system.model
    if residual is None:
        return "forces or constraints were not finite on the way"
    if len(residual.phi) and np.abs(residual.phi).max() > OPEN:
        row = int(np.argmax(np.abs(residual.phi)))
        name = next(c.name for c in model.constraints if c.rows.start <= row < c.rows.stop)
        return f"constraint {name!r} stayed open by {abs(residual.phi[row]):.3g} m or rad"
    k = int(np.argmax(np.abs(residual.r)))
    joint = next(j.name for j in model.joints if j.v_index.start <= k < j.v_index.stop)
    said = f"joint {joint!r} was out of balance by {abs(residual.r[k]):.3g} N or N m"
    force = _strongest(equations, t, k)
    return said if force is None else f"{said}, most of what acts on it is force {force!r}"


def _strongest(equations, t, k):
    """The force that does most along velocity k."""
    s = equations.system
    on, zero, pulls = s.loads.on.copy(), np.zeros(s.model.nv), []
    try:
        for f in range(len(s.loads.infos)):
            found = []
            for acts in (on[f], 0.0):
                s.loads.on[f] = acts
                residual = equations.residual(t, s.q.copy(), s.v.copy(), zero, np.zeros(s.model.nc))
                found.append(0.0 if residual is None else residual.r[k])
            s.loads.on[f] = on[f]
            pulls.append(abs(found[0] - found[1]))
    finally:
        s.loads.on[:] = on
    return s.loads.names[int(np.argmax(pulls))] if pulls and max(pulls) > 0.0 else None
