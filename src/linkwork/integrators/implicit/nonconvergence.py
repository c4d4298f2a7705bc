"""Why an implicit step could not be taken, in words: which constraint stayed open, or which joint was out of balance and which force acts most on it."""

import numpy as np


def why_not_converged(system, failure, t):
    """The reason, in words. t: the time of the state that the system stands at."""
    model = system.model
    if failure.what == "not finite":
        return "forces or constraints were not finite on the way"
    if failure.gaps is not None:
        row = int(np.argmax(np.abs(failure.gaps)))
        name = next(c.name for c in model.constraints if c.rows.start <= row < c.rows.stop)
        return (
            f"constraint {name!r} stayed open by {abs(failure.gaps[row]):.3g} m or rad: the pose may be singular, or constraints contradict each "
            "other; lw.mobility tells"
        )
    if failure.residual is None or not model.nv:
        return "its matrix is singular: a part without inertia may be free to move, or the pose be singular; lw.mobility tells"
    k = int(np.argmax(np.abs(failure.residual)))
    joint = next(j.name for j in model.joints if j.v_index.start <= k < j.v_index.stop)
    said = f"joint {joint!r} would move {abs(failure.residual[k]):.3g} rad or m further than was foreseen" if failure.what == "far" else ""
    said = said or f"joint {joint!r} was out of balance by {abs(failure.residual[k]):.3g} N or N m"
    force = _strongest(system, t, k)
    return said if force is None else f"{said}, most of what acts on it is force {force!r}"


def _strongest(system, t, k):
    """The force without which the acceleration k changes most."""
    active_forces = system.active_forces
    on, pulls = active_forces.on.copy(), []
    try:
        for f in range(len(active_forces.infos)):
            found = []
            for acts in (on[f], 0.0):
                active_forces.on[f] = acts
                found.append(system.evaluate(t, system.q.copy(), system.v.copy()).vdot[k])
            active_forces.on[f] = on[f]
            pulls.append(abs(found[0] - found[1]))
    finally:
        active_forces.on[:] = on
    pulls = np.nan_to_num(pulls, nan=np.inf)
    return active_forces.names[int(np.argmax(pulls))] if len(pulls) and pulls.max() > 0.0 else None
