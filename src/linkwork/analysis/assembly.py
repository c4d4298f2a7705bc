"""Assembly: the pose nearest a guess in which all constraints hold, and the velocity nearest a guess that they allow.

    q <- q + s dv,      dv = -M^-1 J^T (K + mu)^-1 phi            Newton in the mass metric, damped (Levenberg 1944, Marquardt 1963)

The mass metric moves light parts rather than heavy ones. Steps are kept short (`REACH`), so that the branch nearest the guess is found;
mu grows where a step does not help: near singular poses and where constraints contradict each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import checked, need
from ..constraints.tolerance import comparable, largest_gap, reachable, rest_pace, row_units
from ..dynamics.call import finite, shaped
from ..dynamics.configuration import clamp, integrate
from ..dynamics.mass_matrix import mass_matrix
from ..errors import AssemblyError, StateError
from ..model.model import need_model
from ..solvers.delassus.correct import correction
from .animated_assembly import pull_together
from .split_rows import gaps_that_count, split_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model

REACH = 0.4  # the longest step, rad, or in lengths of the mechanism
LEAST, MOST = 1e-14, 1e4  # of mu, relative to a unit diagonal
NUDGES = 6  # how often a pose from which no step helps is disturbed


# parameters: a public function; all but the guess are options, given by name
@checked(hold="names", limits="flag", t="time", method="word", max_iterations="count")
def assemble(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    hold: Any = (),
    limits: bool = True,
    t: ArrayLike = 0.0,
    method: str = "newton",
    tau: float = 0.2,
    tolerance: float = 1e-10,
    max_iterations: int = 300,
) -> Any:
    """The configuration nearest q0 in which all constraints hold, (..., nq); with v0 also the velocity nearest v0 that they allow.

    Nearest in the mass metric of the model's tree: of a guess that leaves loops open it depends on where they are cut (`prefer_cut`); what must not
    move is told by `hold`.

    Args:
        q0, v0: guesses, one state or a batch.
        hold: joints (names), or a boolean array (nv,), that keep their coordinates.
        limits: keep joints within their limits.
        t: time, for prescribed motion.
        method: "newton", or "pull": parts fly together under critically damped constraint forces with the time constant `tau` (s).
        tolerance: of each row, rad or, of rows in m, lengths of the mechanism; at least rounding, 7e-15.
    Returns:
        q, or (q, v) if v0 is given; with method="pull" a Pull: the motion, with its end as `q`.
    Raises:
        AssemblyError: says which constraints cannot close, by how much, and what was tried.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("triangle")
    >>> for k in (0, 1):
    ...     rod = m.add_body(f"rod {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    ...     _ = m.add_joint(f"foot {k}", lw.Revolute((0, -1, 0)), m.ground.at(k, 0, 0), rod)
    >>> _ = m.add_joint("top", lw.Revolute((0, -1, 0)), m.body("rod 0").at(1, 0, 0), m.body("rod 1").at(1, 0, 0))
    >>> model = m.build()
    >>> q = lw.assemble(model, [1.0, 0.5, 2.0])
    >>> [round(float(q[model.joint(f"foot {k}").q_index][0]), 6) for k in (0, 1)]
    [1.047198, 2.094395]
    """
    need_model(model)
    if method not in ("newton", "pull"):
        raise StateError(f"method: found {method!r}; allowed are 'newton' and 'pull'", "method")
    check_tolerance(tolerance)
    inputs = [("q0", q0, (model.nq,))] + ([] if v0 is None else [("v0", v0, (model.nv,))])
    arrays, leading = shaped(inputs)
    held = held_flags(model, hold)
    if method == "pull":
        return pull_together(model, arrays[0], held, t, tau, tolerance)
    q = np.empty(leading + (model.nq,))
    times = np.broadcast_to(np.asarray(t, dtype=float), leading)
    for index in np.ndindex(*leading):
        q[index] = close(model, arrays[0][index], held, limits, float(times[index]), tolerance, max_iterations)
    if v0 is None:
        return q
    return q, project_velocity(model, q, arrays[1], hold=hold, t=t)


@checked(hold="names", t="time")
def project_velocity(
    model: Model, q: ArrayLike, v: ArrayLike, *, hold: Any = (), t: ArrayLike = 0.0, tolerance: float = 1e-9
) -> NDArray[np.float64]:
    """The velocity nearest v, in the mass metric of the model's tree, that all constraints allow, (..., nv). `hold` as in `assemble`.

    tolerance: of each row's rate, of the fastest velocity (slides by the mechanism's length) or of the pace of gravity, sqrt(|g| / length).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("gears")
    >>> for name in ("driver", "driven"):
    ...     wheel = m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    ...     _ = m.add_joint(f"{name} axle", lw.Revolute(axis=(0, 0, 1)), m.ground, wheel)
    >>> _ = m.add_constraint("mesh", lw.Gear(ratio=-1.0), "driver axle", "driven axle")
    >>> lw.project_velocity(m.build(), [0.0, 0.0], [1.0, 0.0]).round(9).tolist()  # rad/s
    [0.5, -0.5]
    """
    need_model(model)
    check_tolerance(tolerance)
    held = held_flags(model, hold)
    if not model.nc:
        return np.array(finite(model, [("q", q, (model.nq,)), ("v", v, (model.nv,))])[1])
    before = shaped([("v", v, (model.nv,))])[0][0]
    after = before + correction(model, q, before, t, held=held)[0]
    more, left = correction(model, q, after, t, held=held)
    scale = reachable(tolerance) * (rest_pace(model) + np.abs(comparable(model) * before).max(initial=0.0)) * row_units(model)
    if not (np.abs(left) <= scale).all():  # masses that differ much leave few digits: a second correction has the others
        after = after + more
        left = correction(model, q, after, t, held=held)[1]
    if not (np.abs(left) <= scale).all():
        left = _rates_that_count(model, q, t, left, scale, after)
    if not (np.abs(left) <= scale).all():
        gaps = _gaps(model, np.abs(left).reshape(-1, model.nc).max(axis=0), scale)
        raise AssemblyError(
            f"model {model.name!r}: no velocity satisfies all constraints; {_listed(gaps, 'per second')} remain; "
            "hold fewer joints, or look at lw.mobility for constraints that contradict each other",
            gaps=gaps,
        )
    return after


def _rates_that_count(
    model: Model, q: Any, t: Any, left: NDArray[np.float64], scale: NDArray[np.float64], v: NDArray[np.float64]
) -> NDArray[np.float64]:
    """phi_dot (..., nc) of a batch at velocities v, without what rows that the rule of rank leaves out may lack."""
    q, times = np.broadcast_to(q, left.shape[:-1] + (model.nq,)), np.broadcast_to(np.asarray(t, dtype=float), left.shape[:-1])
    found = np.empty_like(left)
    for index in np.ndindex(*left.shape[:-1]):
        found[index] = gaps_that_count(model, q[index], float(times[index]), left[index], scale, v[index])
    return found


def check_tolerance(tolerance: bool | float | str | None) -> None:
    """Refuse a tolerance that nothing, or anything, would meet."""
    need("positive", "tolerance", tolerance)


def held_flags(model: Model, hold: Any) -> NDArray[np.bool_]:
    """(nv,) booleans: is the velocity held?"""
    hold = () if hold is None else hold
    if isinstance(hold, np.ndarray) and hold.dtype == bool:
        if hold.shape != (model.nv,):
            raise StateError(f"hold: found shape {hold.shape}; allowed is ({model.nv},), or names of joints", "hold")
        return hold.copy()
    flags = np.zeros(model.nv, dtype=bool)
    for name in [hold] if isinstance(hold, str) or hasattr(hold, "name") else hold:
        flags[model.joint(name).v_index] = True
    return flags


def close(
    model: Model, q0: NDArray[np.float64], held: NDArray[np.bool_], limits: bool, t: float, tolerance: float, max_iterations: int
) -> NDArray[np.float64]:
    """One state: Newton with damping, limits as an active set, and a nudge where no step helps.

    Where rows are nearly redundant, by the rule of rank, they neither pull nor count: damping alone would let them, by their sine's square.
    """
    q = clamp(model, q0) if limits else np.array(q0, dtype=float)
    if not model.nc:
        return q
    tolerance = reachable(tolerance)
    unit, rng = step_units(model), None
    held = held.copy()
    mu, nudges, tried = 1e-10, 0, 0
    look = _all_rows
    step, gaps = look(model, q, t, held, mu)
    if largest_gap(model, gaps) > tolerance and split_rows(model, q, t).nearly:
        look = _rows_that_count
        step, gaps = look(model, q, t, held, mu)
    best, best_q = largest_gap(model, gaps), q
    while best > tolerance and tried < max_iterations:
        tried += 1
        reach = np.max(np.abs(step) / unit, initial=0.0)
        wanted = integrate(model, q, step * min(1.0, REACH / max(reach, 1e-300)))
        trial = clamp(model, wanted) if limits else wanted
        new_step, new_gaps = look(model, trial, t, held, mu)
        if _merit(model, new_gaps) < _merit(model, gaps) * (1.0 - 1e-6):
            if limits and not np.array_equal(trial, wanted):
                held = held | _at_limits(model, trial, wanted)
                new_step, new_gaps = look(model, trial, t, held, mu)
            q, step, gaps, mu = trial, new_step, new_gaps, max(mu / 10.0, LEAST)
        elif mu < MOST and reach > 1e-9:
            mu = max(10.0 * mu, 1e-8)
            step, _ = look(model, q, t, held, mu)
        elif nudges < NUDGES:
            nudges, mu = nudges + 1, 1e-6
            rng = np.random.default_rng(1990) if rng is None else rng  # np.random is loaded on first use
            disturbed = integrate(model, best_q, rng.normal(size=model.nv) * unit * 10.0 ** (nudges - 5) * ~held)
            q = clamp(model, disturbed) if limits else disturbed
            step, gaps = look(model, q, t, held, mu)
        else:
            break
        if largest_gap(model, gaps) < best:
            best, best_q = largest_gap(model, gaps), q
    if best > tolerance:
        _refuse(model, best_q, look(model, best_q, t, held, mu)[1], held, tolerance, tried, nudges, limits)
    return best_q


def _merit(model: Model, gaps: NDArray[np.float64]) -> Any:
    """The sum of the squares of all gaps by their units."""
    gaps = gaps / row_units(model)
    return gaps @ gaps


def _all_rows(
    model: Model, q: NDArray[np.float64], t: float, held: NDArray[np.bool_], mu: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(step, gaps) of all rows."""
    return correction(model, q, t=t, held=held, damping=mu)


def _rows_that_count(
    model: Model, q: NDArray[np.float64], t: float, held: NDArray[np.bool_], mu: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(step, gaps) of the rows that the rule of rank takes here; what the others may lack is no gap."""
    split, gaps = split_rows(model, q, t), correction(model, q, t=t, held=held, damping=mu)[1]
    free, own = ~held, split.without(held)
    step = np.zeros(model.nv)
    if len(own):
        A = split.J[own][:, free]
        B = np.linalg.solve(mass_matrix(model, q)[np.ix_(free, free)], A.T)
        K = A @ B
        size = np.sqrt(np.diag(K))
        step[free] = -B @ (np.linalg.solve(K / np.outer(size, size) + mu * np.eye(len(own)), gaps[own] / size) / size)
    return step, split.counted(gaps)


def _refuse(
    model: Model,
    q: NDArray[np.float64],
    gaps: Any,
    held: NDArray[np.bool_],
    tolerance: Any,
    tried: int,
    nudges: int,
    limits: bool,
) -> None:
    gaps = _gaps(model, np.abs(gaps), tolerance * row_units(model))
    kept = [j.name for j in model.joints if held[j.v_index].any()]
    also = f", with {', '.join(map(repr, kept))} held or at a limit" if kept else ""
    raise AssemblyError(
        f"model {model.name!r} cannot be assembled from this guess: {_listed(gaps)} remain; tried {tried} damped Newton steps"
        f" and {nudges} nudges{also}; give a guess nearer to a closed pose, "
        f"{'allow limits=False, ' if limits else ''}hold fewer joints, or check the lengths",
        gaps=gaps,
        q=q,
    )


def _gaps(model: Model, rows: NDArray[np.float64], tolerance: NDArray[np.float64]) -> dict[str, float]:
    """The largest gap of every constraint that is not closed (tolerance: of each row), by name, the largest first."""
    found = {c.name: float(rows[c.rows].max(initial=0.0)) for c in model.constraints if (rows[c.rows] > tolerance[c.rows]).any()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _listed(gaps: Any, per: str = "") -> str:
    shown = [f"{gap:.3g} at {name!r}" for name, gap in list(gaps.items())[:5]]
    more = f" and {len(gaps) - 5} more" if len(gaps) > 5 else ""
    return f"gaps (m or rad{' ' + per if per else ''}) of {', '.join(shown)}{more}"


def _at_limits(model: Model, q: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(nv,) booleans: was the coordinate of this velocity stopped by a limit? Coordinates of such joints are their own integrals."""
    flags = np.zeros(model.nv, dtype=bool)
    for joint in model.joints:
        if joint.nq == joint.nv:
            flags[joint.v_index] = q[joint.q_index] != wanted[joint.q_index]
    return flags


def step_units(model: Model) -> NDArray[np.float64]:
    """What counts as one unit of each velocity: 1 rad, or a length of the mechanism."""
    return np.where(sliding(model), float(model.constraint_tables.length[0]), 1.0)


def sliding(model: Model) -> NDArray[np.bool_]:
    """(nv,) booleans: is a velocity one of sliding?"""
    found = np.zeros(model.nv, dtype=bool)
    for joint in model.joints:
        first = joint.v_index.start
        if joint.kind.free:
            found[first + 3 : first + 6] = True
        for k, element in enumerate(joint.kind.elements or ()):
            found[first + k] = element.turn == 0.0
    return found
