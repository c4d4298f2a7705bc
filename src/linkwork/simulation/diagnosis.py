"""Why a step failed: which joint, which force, and one thing to try."""

import math

import numpy as np

from ..analysis.assembly import assemble
from ..analysis.mobility import mobility
from ..analysis.split_rows import split_rows
from ..constraints.rank import TOLERANCE
from ..constraints.state_arrays import row_arrays, state_arrays
from ..constraints.tolerance import comparable
from ..dynamics.configuration import integrate
from ..errors import LinkworkError, StateError
from ..integrators.energy_momentum.method import EnergyMomentum
from ..integrators.implicit.method import Implicit
from ..integrators.variational.method import Variational
from .samples import ContradictionError, OpenConstraintError
from .status import Status
from .user_errors import EventFunctionError, raised_in

GROWN = 1e10  # rad/s or m/s: no motion, but that of steps that are too large, on its way to overflow
NEARLY_SINGULAR = 1e-3  # of the largest: a singular value of the rows below it
ROUNDING = 1e-11  # of the largest: singular values below it are those of redundant rows, at poses closed to the tolerance of a run
TAKES_PART = 0.3  # of the fastest: a joint in the motion that a singular pose leaves free
NAMED = 4  # joints
SEEN = 10 * TOLERANCE  # of the natural size of a prescribed row: a gap that assembly sees whatever rows depend on each other
COARSE = 1e-8  # s: times further apart (beyond two years) leave few digits to steps of a microsecond, with which methods begin
SOON = 1e-6  # s, for times of 1 s: prescribed motion of 1 m/s opens a gap that assembly sees


def diagnose_step(sim, error, unsound=None):
    """The Status of a run whose last step could not be taken. It stands at its last good state. unsound: what was wrong with the state reached."""
    system, model, t = sim.system, sim.model, sim.time
    q, v = system.q.copy(), system.v.copy()
    step = getattr(sim.integrator, "step", None)
    if isinstance(unsound, ContradictionError):
        return _contradictory(sim, unsound, t, q)
    if isinstance(unsound, OpenConstraintError):
        reason, suggestion = unsound.reason.rsplit("; ", 1)
        suggestion = _dead_point(model, t, q, v, system.evaluate(t, q, v).vdot) or suggestion
        return Status("failed", reason, t, row=unsound.found.name, suggestion=suggestion)
    raised = raised_in(system)  # first: to evaluate is to call users' functions again
    evaluation = system.evaluate(t, q, v)
    joint = _worst_joint(model, evaluation.vdot)
    force, strange = _strongest(system, evaluation.powers)
    finite = bool(np.isfinite(evaluation.vdot).all())
    reason, grown = getattr(error, "reason", str(error)), unsound is not None and unsound.verdict is not None
    if isinstance(error.__cause__, EventFunctionError):
        reason, suggestion = error.__cause__.reason, error.__cause__.remedy
    elif raised is not None:
        reason, force, suggestion = f"{raised}", raised.force, "correct that function"
    elif grown:
        reason, force = unsound.reason, unsound.force or force
        gained = float(np.abs(evaluation.vdot).max(initial=0.0)) * (step or 1.0)
        suggestion = _dead_point(model, t, q, v, evaluation.vdot) or (
            _too_stiff(sim, t, q, v) if gained < GROWN else f"look at what force {force!r} does: one step gains {gained:.2g} rad/s or m/s"
        )
    elif not finite and strange:
        suggestion = f"look at what force {force!r} returns at this state"
    elif not finite:
        suggestion = "check the functions of time and the masses at this state with lw.forward_dynamics and lw.mobility"
    else:
        reason = reason if unsound is None else unsound.reason
        suggestion = (
            _pressing(sim, t, q)
            or _dead_point(model, t, q, v, evaluation.vdot)
            or _singular(model, t, q)
            or _coarse_clock(sim.integrator, t)
            or _smaller(sim.integrator)
        )
    name = None if joint is None else joint.name
    return Status("failed", reason, t, None if joint is None else joint.child, name, force, suggestion=suggestion)


def _contradictory(sim, found, t, q):
    """Which constraints cannot all hold."""
    try:
        said = mobility(sim.model, q, t).contradictions
    except LinkworkError:
        said = ()
    reason = f"{found.reason}: {'; '.join(map(str, said[:NAMED]))}" if said else found.reason
    row = said[0].names[0] if said else None
    return Status("failed", reason, t, row=row, suggestion="take one of them away, or let a spring or motor take its place")


def _worst_joint(model, vdot):
    """The first joint whose acceleration is not finite, or the one that is accelerated most."""
    finite = np.isfinite(vdot)
    worst = int(np.argmin(finite)) if not finite.all() else int(np.argmax(np.abs(vdot))) if model.nv else -1
    return next((j for j in model.joints if j.v_index.start <= worst < j.v_index.stop), None)


def _strongest(system, powers):
    """(name of the force whose power is not finite, or largest; is it not finite?)."""
    powers = powers[: len(system.active_forces.infos)]
    if not len(powers):
        return None, False
    strange = ~np.isfinite(powers)
    k = int(np.argmax(strange)) if strange.any() else int(np.argmax(np.abs(powers)))
    return (system.active_forces.names[k] if strange.any() or abs(powers[k]) > 0 else None), bool(strange.any())


def _too_stiff(sim, t, q, v):
    """What to do about steps that are too large for what they follow."""
    step, rate = getattr(sim.integrator, "step", None), fastest_rate(sim.system, t, q, v)
    if isinstance(sim.integrator, Implicit):
        return _smaller(sim.integrator)
    if step is None or not math.isfinite(rate) or step * rate <= STABLE:
        return _smaller(sim.integrator)
    other = "" if sim.integrator.takes_contact else ", or Implicit"
    return f"steps of {step:g} s are too large for a rate of {rate:.2g} 1/s; try a smaller step of {STABLE / rate:.1g} s{other}"


def _coarse_clock(integrator, t):
    """The advice where times are too far apart for the short steps of a method that follows the error."""
    if not hasattr(integrator, "rtol") or np.spacing(abs(t)) < COARSE:
        return None
    return (
        f"times near t = {t:.9g} s are {np.spacing(abs(t)):.1g} s apart, too far for short steps; begin near t = 0, and add the time of the "
        "start where a function of t wants it; or take a method with a fixed step"
    )


def _smaller(integrator):
    """The advice to take smaller steps, or a method for what is stiff where it is another one."""
    step, following = getattr(integrator, "step", None), hasattr(integrator, "rtol")
    if step is not None:
        said = f"try a smaller step, such as {step / 10:g} s"
    elif following:
        said = (
            "look for a force or a prescribed motion that jumps or is far faster than the rest (max_step= keeps steps from passing over it)"
        )
    else:
        said = "try a smaller step"
    if isinstance(integrator, Implicit):
        return f"{said}, or look for a force that jumps: this method follows smooth ones, however stiff"
    if isinstance(integrator, (Variational, EnergyMomentum)) or integrator.takes_contact:
        return said
    return f"{said}, or Implicit if a spring or damper is stiff"


def _pressing(sim, t, q):
    """What to say where no impulses were found while motion is prescribed: it may lead into a contact or a limit, which gives no way; "" elsewhere."""
    contact, model = sim.system.contact, sim.model
    if contact is None or contact.failed == 0 or not model.nc:
        return ""
    driven = np.abs(state_arrays(model, q, None, t).phi_t) > 0.0
    names = ", ".join(repr(c.name) for c in model.constraints if driven[c.rows].any())
    if not names:
        return ""
    return (
        f"no impulse stops what {names} prescribes: where that leads into a contact or a limit, prescribe what there is room for, or let a "
        "motor or spring, whose force has a bound, take its place"
    )


def _dead_point(model, t, q, v, vdot):
    """What to say where prescribed motion leads to a pose beyond which there is none; "" where it does not.

    On the way to a dead point at t_1 velocities grow as 1 / sqrt(t_1 - t), so that t_1 - t = v / (2 vdot); twice as far, nothing can be assembled. Nor can it
    be where what is prescribed has gone on by SEEN.
    """
    rates = np.abs(state_arrays(model, q, None, t).phi_t) if model.nc else np.zeros(0)
    driven = rates > 0.0
    if not driven.any() or not (np.isfinite(vdot).all() and np.abs(vdot).max(initial=0.0) > 0.0):
        return ""
    k = int(np.argmax(np.abs(vdot)))
    # At the dead point itself a row is redundant but for less than TOLERANCE, so that accelerations do not show it, and assembly sees only a gap beyond that.
    seen = SEEN * float((row_arrays(model, q, t).natural[driven] / rates[driven]).min())
    names = ", ".join(repr(c.name) for c in model.constraints if driven[c.rows].any())
    for ahead in sorted((max(abs(v[k] / vdot[k]), SOON * (1.0 + abs(t))), seen)):
        try:
            assemble(model, q, t=t + ahead)
        except StateError:  # a spline that is not given for that time
            return ""
        except LinkworkError:
            return (
                f"no pose was found for what {names} prescribes at t = {t + ahead:.6g} s: the motion leads to a dead point, on the way to which "
                "velocities grow beyond all bounds; prescribe what the mechanism can reach"
            )
    return ""


def _singular(model, t, q):
    """What to say where loops are at or near a singular pose; "" where they are not."""
    if not model.nc:
        return ""
    try:
        rows = split_rows(model, q, t)
    except LinkworkError:
        return ""
    if not rows.rank:
        return ""
    # All rows: what the rule of rank leaves out so near a singular pose is what makes it one. Redundant rows have rounding for singular values.
    _, sizes, motions = np.linalg.svd(rows.J / comparable(model), full_matrices=False)
    weak = np.flatnonzero((sizes < NEARLY_SINGULAR * sizes[0]) & (sizes > ROUNDING * sizes[0]))
    if not len(weak):
        return ""
    motion = np.abs(motions[weak[-1]])
    fastest = sorted(model.joints, key=lambda j: -motion[j.v_index].max(initial=0.0))
    names = [j.name for j in fastest if motion[j.v_index].max(initial=0.0) > TAKES_PART * motion.max()][:NAMED]
    return (
        f"the loops are near a singular pose, where {', '.join(map(repr, names))} can move on in more than one way: start elsewhere or change a "
        "length a little, and look at lw.mobility(model, q)"
    )


# ---- stiffness

# How fast a mechanism could move about a state, and so which steps of an explicit method would hold.
#
# The fastest rate lambda of the linear rates (dq, dv) -> (dv, d vdot), by power iteration. Explicit methods are stable for
#
#     h |lambda| <= 2 ... 2.8          (Hairer and Wanner 1996, section IV.2).

STABLE = 2.0
ITERATIONS, AVERAGED = 48, 16  # of the power iteration; an even number is averaged, since an oscillation takes turns


def fastest_rate(system, t, q, v) -> float:
    """The size of the largest eigenvalue of the linear rates about a state, 1/s."""
    model = system.model
    if not model.nv:
        return 0.0
    at_rest = np.array(system.evaluate(t, q, v).vdot)
    reach = 1.0 / comparable(model)
    near = 1e-6 * (1.0 + float(np.abs(v / reach).max())) * reach
    x, u = np.random.default_rng(0).normal(size=(2, model.nv))
    logs = []
    for _ in range(ITERATIONS):
        size = float(np.hypot(np.linalg.norm(x), np.linalg.norm(u)))
        if not np.isfinite(size) or size == 0.0:
            return size
        logs.append(np.log(size))
        x, u = x / size, u / size
        vdot = np.array(system.evaluate(t, integrate(model, q, near * x), v + near * u).vdot)
        x, u = u, (vdot - at_rest) / near
    return float(np.exp(np.mean(logs[-AVERAGED:])))
