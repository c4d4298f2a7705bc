"""Where a simulation, or each copy of a rollout, begins: what is given must lie on the constraints; what is not given is found."""

import numpy as np

from ..analysis.assembly import assemble, project_velocity
from ..analysis.split_rows import gaps_that_count
from ..arguments import need_array
from ..constraints.drift_control import set_drift
from ..constraints.tolerance import comparable, reachable, rest_pace, row_units
from ..data.need_memory import need_result_memory
from ..dynamics.call import QUATERNION_TOLERANCE, diagnose, shaped
from ..dynamics.configuration import neutral
from ..dynamics.energy import energy_or_infinity
from ..dynamics.joint_limits_and_losses import limit_and_loss_forces
from ..errors import StateError
from .named_state import is_named, named_state

ROUNDING = 4e-16
LEAST_GAP = 1e-8  # rad, or of the length: what a start may be open by, however small the constraint_tolerance that a run keeps
FASTEST = 1e100  # rad/s, m/s: energies of slower motions are numbers
DEFAULTS = {"t": 0.0, "record_interval": 0.02, "drift": "project", "solver": "auto"}
STATE = ("t", "q", "v")
SPEED_GAP = 1e-6  # of the fastest velocity, or of the pace of gravity: a first velocity that is further off is refused


def with_setup(mechanism, model, given):
    """`given` ({name: value} of a Simulation, None for what was not) with what the setup of a Document says of it, then with the defaults.

    A state that was given, even in part, is not mixed with that of the document.
    """
    if hasattr(mechanism, "setup"):
        named = given["controllers"] if isinstance(given["controllers"], dict) else None
        plain = named is None and given["controllers"] not in (
            (),
            [],
        )  # controllers as they are: those that the document names are not asked for
        said = mechanism.options(model, named, with_controllers=not plain)
        if any(given[name] is not None for name in STATE):
            said = {name: value for name, value in said.items() if name not in STATE}
        given = given | {name: value for name, value in said.items() if given[name] is None or (name == "controllers" and not plain)}
    return {name: DEFAULTS.get(name) if value is None else value for name, value in given.items()}


def output_times(times, t):
    """The times to record at, as an array."""
    if hasattr(times, "__len__"):
        need_result_memory("times", f"{len(times)} of them", 8 * len(times), "record at fewer times")
    found = need_array("times", times, "times in s, such as [0.0, 0.1, 0.5]")
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        shown = f"an array of shape {found.shape}" if found.ndim != 1 else "none" if not len(found) else "a time that is not finite"
        raise StateError(f"times: found {shown}; allowed are one or more finite times in s, in a row", "times")
    wrong = np.flatnonzero(np.diff(found) <= 0.0)
    if len(wrong):
        a, b = found[wrong[0]], found[wrong[0] + 1]
        raise StateError(
            f"times: found {b:.9g} s after {a:.9g} s; allowed are times that increase; sort them, and leave out doubles", "times"
        )
    if found[0] < t:
        raise StateError(f"times: found {found[0]:.9g} s, but the run begins at {t:.9g} s; allowed are times from there on", "times")
    return found


def acting_forces(model, integrator, joint_forces, more=()):
    """(all forces that act in a motion, those of them that joints bring along: damping, and friction and stops that suit the step).

    A method with hard limits has limits and dry friction as rows of its problem, not as forces.
    """
    step = getattr(integrator, "step", None) or 1e-3
    own = limit_and_loss_forces(model, step, hard=integrator.hard_limits) if joint_forces else []
    return [*model.forces, *own, *more], own


def started_method(integrator, system, t, drift, constraint_tolerance):
    """The method that carries a system on from where it stands, with its drift control."""
    method = integrator.start(system, t)
    set_drift(drift, method, system, constraint_tolerance)
    return method


def initial_state(model, system, q, v, t, constraint_tolerance):
    """(q, v) to begin with at time t. By names: loops are closed by the others."""
    if is_named(q):
        q, held = named_state(model, "q", q)
        q = assemble(model, checked_states(model, q, np.zeros(0)), hold=held, t=t) if model.nc else q
    if q is None:
        q = neutral(model)
        q = assemble(model, q, t=t) if model.nc else q
    if is_named(v):
        v, held = named_state(model, "v", v)
        v = project_velocity(model, q, v, hold=held, t=t) if model.nc else v
    inputs = [("q", q, (model.nq,)), ("v", np.zeros(model.nv) if v is None else v, (model.nv,))]
    (given_q, given_v), leading = shaped(inputs)
    if leading:
        raise StateError(f"q, v: found a batch of states {leading}; allowed is one state; simulate one at a time", "q")
    given_q = checked_states(model, given_q, given_v)
    if not model.nc:
        return given_q, given_v
    phi, rate = system.gaps(t, given_q, given_v)
    phi, rate = counted_gaps(model, given_q, t, (phi, rate), given_v, constraint_tolerance)
    if v is None:
        refuse_open(model, phi, None, given_v, constraint_tolerance)
        return given_q, project_velocity(model, given_q, given_v, t=t)
    refuse_open(model, phi, rate, given_v, constraint_tolerance)
    return given_q, given_v


def allowed_gaps(model, v, constraint_tolerance):
    """(allowed phi, allowed phi_dot), each (..., nc), of a state, or of many by rows (..., nv)."""
    units, fastest = row_units(model), np.maximum(rest_pace(model), np.abs(comparable(model) * v).max(axis=-1, initial=0.0))
    return reachable(max(constraint_tolerance, LEAST_GAP)) * units, SPEED_GAP * fastest[..., None] * units


def counted_gaps(model, q, t, gaps, v, constraint_tolerance):
    """(phi, phi_dot) of one state, without what rows that the rule of rank leaves out may lack."""
    phi_allowed, rate_allowed = allowed_gaps(model, v, constraint_tolerance)
    phi = gaps_that_count(model, q, t, gaps[0], phi_allowed)
    return phi, gaps_that_count(model, q, t, gaps[1], rate_allowed, v)


def checked_states(model, q, v):
    """q of one state or of many, (..., nq), with quaternions of unit length to the last digit; a StateError for numbers that are none."""
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        diagnose(model, [("q", q, (model.nq,)), ("v", v, (model.nv,))], [q, v])
    for at in model.tables.quats:
        norm = np.linalg.norm(q[..., at : at + 4], axis=-1, keepdims=True)
        if (np.abs(norm - 1.0) > QUATERNION_TOLERANCE).any():
            diagnose(model, [("q", q, (model.nq,))], [q])
        off = (
            np.abs(norm - 1.0) > ROUNDING
        )  # one that is as good as unit stays as it is, bit by bit: going on from a state is no change of it
        if off.any():
            q = q.copy()
            q[..., at : at + 4] = np.where(off, q[..., at : at + 4] / norm, q[..., at : at + 4])
    return q


def refuse_endless_energy(model, q, v):
    """A StateError where the kinetic energy of one of many states (copies, nv) is beyond all numbers."""
    for k in np.flatnonzero(np.abs(v).max(axis=-1, initial=0.0) > FASTEST):
        if energy_or_infinity(model, q[k], v[k]).kinetic == np.inf:
            raise StateError(
                f"v[{k}]: the kinetic energy is inf J; allowed are velocities whose energy is a number; give smaller ones", "v"
            )


def refuse_open(model, phi, rate, v, constraint_tolerance, which=""):
    """A StateError where residuals of constraints exceed the tolerance, or (rate: phi_dot, None if v is not checked) their rates do.

    which: the index of the state, of many.
    """
    phi_allowed, rate_allowed = allowed_gaps(model, v, constraint_tolerance)
    _refuse_open(model, phi, phi_allowed, f"q{which}", "is open by", "lw.assemble(model, q) closes it")
    if rate is not None:
        _refuse_open(model, rate, rate_allowed, f"v{which}", "opens at", "lw.project_velocity(model, q, v) makes it fit")


def _refuse_open(model, rows, allowed, where, verb, remedy):
    worst, argument = int(np.argmax(np.abs(rows) / allowed)), where[0]
    if not abs(rows[worst]) <= allowed[worst]:
        name = next(c.name for c in model.constraints if c.rows.start <= worst < c.rows.stop)
        unit = "m or rad" if argument == "q" else "m/s or rad/s"
        raise StateError(
            f"{where}: constraint {name!r} {verb} {abs(rows[worst]):.3g} {unit}; allowed is {allowed[worst]:.1g}; {remedy}", argument
        )
