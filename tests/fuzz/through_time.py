"""What is compared of motions: every integrator against the most accurate of them, each by what it says of its own error.

A method runs with a step and with half of it, and the difference bounds what may lie between it and the reference. So a stiff mechanism, on which every
explicit method is far off, is no finding as long as the method's own two runs disagree as much, or the run says that it failed. Of methods that follow
their error more is asked: with a tolerance of 1e-7 or less they may not be far off at all. A run whose audit alone says that energy does not balance has said
something, but it has finished: it is counted as *told*.
"""

import time
from typing import NamedTuple

import numpy as np

import linkwork as lw
from linkwork.dynamics.joint_limits_and_losses import limit_and_loss_forces

from .agreement import Finding, asked

DURATION = 0.2  # s of motion that is compared: long enough to turn through a radian, too short for chaos
STEP = 1e-3
REFERENCE = 1e-10  # rtol of the reference; what it differs from one of a hundredth of that is its doubt
# A method may be this many times farther from the reference than its own two runs are from each other: an error of order p falls by 2^p - 1 >= 1.
TRUST = 4.0
AGREED = 1e-6  # rad and m: what the projection of constraints and the reference's tolerance leave, with room
# s: where a force sets in at once the reference takes steps this short, so that it does not rest on the search for switches that it is to judge.
WATCHFUL = 2e-4
# A method of fixed steps whose own two runs are farther apart than this resolves nothing, and both say so. One that follows its error chose its steps.
LOST = 0.1
FOLLOWED = (
    1e-3  # rad and m: no method with a tolerance of 1e-7 or less may be beyond this in 0.2 s, unless the reference itself is in doubt
)
# s: a grid that shares no more than the samples of controllers with those of STEP and its halves. Were it the size alone, runs would be alike: 5 % in the step
# are at most 22 % of an error of order 5, and TRUST times that is less than the error.
BESIDE = 0.01 / 21.0
TURNING = (lw.Bushing, lw.TorsionSpring)  # whose moments jump where they pass half a turn, as rotation vectors do
ONE_SIDED = (lw.Support, lw.StickSlip, lw.LimitStop, lw.RubberString)
PATIENCE = 4.0  # s of processor time for one run: what takes longer is slow, and so told, but holds up no campaign
LOOKS = 20  # how often in a run it is asked how long it takes; frames lie between steps and change nothing (same_steps.py)
BEYOND = 1e9  # rad/s and m/s: no motion of 0.2 s from about 1 rad/s gets there


class Run(NamedTuple):
    """Where a way through time ended: q and v, or None; what was said of it (a failure, a warning), and what its audit says (energy that does not balance)."""

    q: np.ndarray | None
    v: np.ndarray | None
    said: str = ""
    audit: str = ""
    refused: bool = False
    slow: bool = False


class Start(NamedTuple):
    """A model with the state to begin in, and what acts: controllers, and the joints' own forces as they are for steps of STEP, whatever the step."""

    model: lw.Model
    q: np.ndarray
    v: np.ndarray
    controllers: tuple
    forces: tuple


def start_of(case, model):
    return Start(model, *case.state(model), case.controllers, tuple(limit_and_loss_forces(model, STEP)))


def simulated(start, integrator, **options):
    """A run by `simulate`."""
    model, q, v, controllers, forces = start
    given = {"q": q, "v": v, "controllers": controllers, "forces": forces, "joint_forces": False, "record_interval": DURATION / LOOKS}
    began = time.process_time()

    def run():
        sim = lw.Simulation(model, integrator, record=("q", "v", "energy", "gaps"), **given | options)
        return sim.run(DURATION, each_sample=lambda sim: sim.pause() if time.process_time() - began > PATIENCE else None)

    return ended(asked(run))


def ended(answer):
    """The Run of a Recording."""
    if answer.value is None:
        return Run(None, None, answer.said, refused=answer.refused)
    recording = answer.value
    if recording.status == "stopped":
        return Run(None, None, f"{recording.time[-1]:.2g} of {DURATION:g} s after {PATIENCE:g} s of processor time", slow=True)
    if recording.status != "finished":
        return Run(None, None, f"{answer.said} {recording.status}")
    return Run(recording.q[-1], recording.v[-1], answer.said, "; ".join(recording.audit.warnings))


def through_time(case, model):
    """Every integrator and solver against the most accurate of them, each within its own error."""
    start = start_of(case, model)
    if not np.any(np.abs(start.v) > 0.0):
        return []
    most = _most(start)
    truth = other = simulated(start, lw.Adaptive(order=8, rtol=REFERENCE, atol=0.01 * REFERENCE, max_step=most))
    if truth.q is not None:  # what takes too long with this tolerance takes longer with less, in one frame perhaps (seed 300098)
        other = simulated(start, lw.Adaptive(order=8, rtol=0.01 * REFERENCE, atol=1e-4 * REFERENCE, max_step=most))
    if truth.q is None or other.q is None:
        text = f"Adaptive: {truth.said or other.said}"
        return [Finding("slow" if truth.slow or other.slow else "loud", "through time", text)] if case.well_posed else []
    doubt = apart(model, truth, other)
    return [f for name in WAYS if name != "articulated" or model.nc for f in _judged(case, start, name, truth, doubt)]


def _most(start):
    """s: the longest step of the reference."""
    one_sided = any(isinstance(force.kind, ONE_SIDED) for force in (*start.model.forces, *start.forces))
    return WATCHFUL if one_sided else np.inf


def _judged(case, start, name, truth, doubt):
    check, model, way, floor = f"through time, {name}", start.model, WAYS[name], 10.0 * doubt + AGREED
    coarse = way(start, STEP)
    fine = coarse if coarse.slow else way(start, 0.5 * STEP)
    if coarse.slow or fine.slow:
        return [Finding("slow", check, coarse.said if coarse.slow else fine.said)] if case.well_posed else []
    if fine.q is None or coarse.q is None:
        allowed = not case.well_posed or (name in MAY_REFUSE and coarse.refused)
        return [] if allowed else [Finding("loud", check, coarse.said or fine.said)]
    if not (np.isfinite(fine.v).all() and np.max(np.abs(fine.v), initial=0.0) < BEYOND) and not fine.said:
        return [Finding("silent", check, f"finished with velocities of {np.max(np.abs(fine.v)):.2g}")]
    error, own = apart(model, fine, truth), apart(model, fine, coarse)
    follows = name in FOLLOW
    # A motion that amplifies makes more of a looser tolerance, in proportion to what it makes of the reference's.
    off = follows and error > FOLLOWED + floor * max(1.0, FOLLOW[name] / REFERENCE)
    off = off or (error > TRUST * own + floor and (follows or own < LOST))
    if not off or fine.said or coarse.said or truth.said:
        return []
    if follows and error <= TRUST * _amplified(start, truth, FOLLOW[name]) + floor:
        return []
    finest = way(start, 0.25 * STEP)
    if finest.q is not None and not follows and _converges(model, (truth, fine, finest), floor):
        return []
    if not follows and _jumps(start, name, fine, error - floor):
        return []
    text = f"{error:.2g} away from Adaptive, while steps of {STEP:g} and {0.5 * STEP:g} s are {own:.2g} apart"
    audit = fine.audit or coarse.audit or truth.audit
    return [Finding("told" if audit else "silent", check, f"{text}; {audit}" if audit else text)]


def _amplified(start, truth, tolerance):
    """How far apart the most accurate method ends where it begins a method's tolerance beside the start, in the worse of two directions.

    A motion that is chaotic makes as much of the tolerance, which is an error of each of its steps, as of such a start: seed 500306, 300 m/s in 0.2 s,
    makes 2 m/s of 1e-10. What a method is off beyond that is its own.
    """
    model, farthest = start.model, 0.0
    for k in (0, 1):
        rng = np.random.default_rng(k)
        q, v = lw.integrate(model, start.q, tolerance * rng.normal(size=model.nv)), start.v + tolerance * rng.normal(size=model.nv)
        if model.nc:
            near = asked(lambda q=q, v=v: (assembled := lw.assemble(model, q), lw.project_velocity(model, assembled, v)))
            if near.value is None:
                return 0.0
            q, v = near.value
        beside = simulated(start._replace(q=q, v=v), lw.Adaptive(order=8, rtol=REFERENCE, atol=0.01 * REFERENCE, max_step=_most(start)))
        farthest = max(farthest, 0.0 if beside.q is None else apart(model, truth, beside))
    return farthest


def _converges(model, runs, floor):
    """Is the error of the finest of three runs within its own difference, and no greater than before?

    Where a force has a kink (a one-way spring, a table), errors follow no power of the step, and those of two steps may happen to be alike; so they are where
    both steps are too long for an oscillation, which a stiff method damps out (seeds 597 and 1086, decision 0017).
    """
    truth, fine, finest = runs
    error = apart(model, finest, truth)
    return error <= TRUST * apart(model, finest, fine) + floor and error <= apart(model, fine, truth)


def _jumps(start, name, fine, error):
    """Is an error what a jump of a force leaves, which a fixed step does not locate (decision 0017)?

    It is h times the jump times a number that depends on where in its step the jump falls. STEP and its halves share points in time; where one of these
    lies just before the jump all of them see the force behind it from that point on, and have the same error (seed 300126). A grid beside them has another.
    """
    if not any(isinstance(force.kind, TURNING) for force in start.model.forces):
        return False
    beside = WAYS[name](start, BESIDE)
    return beside.q is not None and error <= TRUST * apart(start.model, fine, beside)


def apart(model, a, b):
    """The largest difference of positions and velocities; velocities count a tenth, as they amplify."""
    dq = np.max(np.abs(lw.difference(model, a.q, b.q)), initial=0.0) if np.isfinite(a.q).all() and np.isfinite(b.q).all() else np.inf
    return float(max(dq, 0.1 * np.max(np.abs(a.v - b.v), initial=0.0)))


def _tolerance(h):
    """For methods that choose their steps: half a step stands for a hundredth of the tolerance."""
    return 1e-7 * 100.0 ** -round(np.log2(STEP / h))


WAYS = {
    "RungeKutta4": lambda s, h: simulated(s, lw.RungeKutta4(h)),
    "articulated": lambda s, h: simulated(s, lw.RungeKutta4(h), solver="articulated"),
    "Adaptive of order 5": lambda s, h: simulated(s, lw.Adaptive(order=5, rtol=_tolerance(h), atol=0.01 * _tolerance(h))),
    "SemiImplicitEuler": lambda s, h: simulated(s, lw.SemiImplicitEuler(0.2 * h)),
    "Adams": lambda s, h: simulated(s, lw.Adams(rtol=_tolerance(h), atol=0.01 * _tolerance(h))),
    "Implicit": lambda s, h: simulated(s, lw.Implicit(h)),
    "Implicit that follows its error": lambda s, h: simulated(s, lw.Implicit(rtol=100.0 * _tolerance(h), atol=_tolerance(h))),
    "Variational": lambda s, h: simulated(s, lw.Variational(h)),
    "EnergyMomentum": lambda s, h: simulated(s, lw.EnergyMomentum(5.0 * h)),
}
# Methods that choose their steps, and the rtol of their second run.
FOLLOW = {"Adaptive of order 5": 1e-9, "Adams": 1e-9, "Implicit that follows its error": 1e-7}
MAY_REFUSE = ("EnergyMomentum",)  # which says what it takes: joints quadratic in poses, no armatures, no prescribed motion, no controllers
