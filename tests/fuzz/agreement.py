"""What is compared on a random mechanism: every way to an answer with the others, and with a referee that shares nothing with them.

Accelerations are compared at the scale of the largest, motions by what a method says of its own error: it runs with a step and with half of it, and the
difference bounds what may lie between it and the reference. So a stiff mechanism, on which every explicit method is far off, is no finding as long as
the method's own two runs disagree as much, or the run says that it failed.
"""

import traceback
import warnings
from typing import NamedTuple

import numpy as np

import linkwork as lw
from linkwork.analysis.rank import split_rows

from .. import reference
from ..laws.mechanisms import cam_motion, cam_pose, cam_rate, crane_motion, crane_pose, crane_rate

SOLVERS = ("sparse", "articulated", "propagation")
# Rounding of a solve, a condition number of 1e6 included. Accelerations at the limit of what the constraints determine lose more, and have a warning.
SOLVED = 1e-8
EPS = float(np.finfo(float).eps)
OTHER_ROWS = 10.0  # of the sine by which a row is nearly redundant: what leaving out another one of its set changes
DURATION = 0.2  # s of motion that is compared: long enough to turn through a radian, too short for chaos
STEP = 1e-3
# A method may be this many times farther from the reference than its own two runs are from each other: an error of order p falls by 2^p - 1 >= 1.
TRUST = 4.0
AGREED = 1e-6  # rad and m: what the projection of constraints and the reference's tolerance leave, with room
# s: where a force sets in at once the reference takes steps this short, so that it does not rest on the search for switches that it is to judge.
WATCHFUL = 2e-4
LOST = 0.1  # a method whose own two runs are farther apart than this resolves nothing, and both say so
ONE_SIDED = (lw.Support, lw.LimitStop, lw.RubberString)
BEYOND = 1e9  # rad/s and m/s: no motion of 0.2 s from about 1 rad/s gets there


class Finding(NamedTuple):
    """`kind`: "silent", "raw" or "loud"; `check`: which comparison; `text`: what was seen."""

    kind: str
    check: str
    text: str


def findings(case):
    """All that is wrong with a case, in the order of the checks."""
    model = case.mechanism.build()
    found = []
    for check in CHECKS:
        try:
            found += check(case, model)
        except lw.LinkworkError as error:
            found.append(Finding("loud", check.__name__, _first_line(error)))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {_first_line(error)} ({where.filename.rsplit('/', 1)[-1]}:{where.lineno})"
            found.append(Finding("raw", check.__name__, text))
    return found


def _first_line(error):
    return str(error).split("\n")[0][:300]


class Answer(NamedTuple):
    """A value, and what was said with it: warnings, or the error in its place."""

    value: object
    said: str


def asked(function, *arguments, **options):
    """An answer, or what was said instead of one."""
    with warnings.catch_warnings(record=True) as heard, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            value = function(*arguments, **options)
        except lw.LinkworkError as error:
            return Answer(None, _first_line(error))
    return Answer(value, "; ".join(_first_line(w.message) for w in heard if issubclass(w.category, (lw.ConstraintWarning, RuntimeWarning))))


# -------------------------------------------------------------------------------------------------------------- one state


def accelerations(case, model):
    """All solvers, one state and a batch of it, and two referees: dense linear algebra on the rows, and on maximal coordinates."""
    q, v = case.state(model)
    tau = np.random.default_rng(case.seed).normal(size=model.nv)
    answers = {s: asked(lw.forward_dynamics, model, q, v, tau, solver=s) for s in (SOLVERS if model.nc else ("auto",))}
    answers["batch"] = asked(lambda: lw.forward_dynamics(model, np.tile(q, (3, 1)), np.tile(v, (3, 1)), tau)[1])
    if not case.mechanism.constraints and not case.mechanism.forces:
        answers["referee by bodies"] = Answer(_referee(case.mechanism, model, q, v, tau), "")
    dense, doubt = _dense(model, q, v, tau)
    answers["referee by rows"] = Answer(dense, "")
    said = "; ".join(f"{name}: {answer.said}" for name, answer in answers.items() if answer.said)
    found = [Finding("loud", "accelerations", said)] if said and case.well_posed else []
    return found + _differences("accelerations", answers, max(SOLVED, doubt))


def _dense(model, q, v, tau):
    """(vdot, doubt): M vdot + bias = tau + J^T lambda, J vdot + gamma = 0 by the null space N of J; and what sixteen digits leave open of it.

    Rows are those that the rule of rank takes (docs/decisions/0015); all else is dense linear algebra. doubt: eps times the condition numbers of N^T M N and
    of J J^T (solvers that square J have no better), and the sine of rows that are nearly redundant.
    """
    joint_forces, wrenches = lw.applied_forces(model, q, v)
    force = tau + joint_forces - lw.bias_force(model, q, v, wrenches)
    M = lw.mass_matrix(model, q)
    if not model.nc:
        return np.linalg.solve(M, force), EPS * np.linalg.cond(M)
    rows, split = lw.constraint_jacobian(model, q, v), split_rows(model, q)
    own, unit = split.independent, np.where(split.arrays.reach > 0.0, split.arrays.reach, 1.0)  # velocities by their reach
    size = split.arrays.natural[own]
    U, sizes, Vt = np.linalg.svd(rows.J[own] * unit / size[:, None])
    M, force, N = unit[:, None] * M * unit, unit * force, Vt[len(own) :].T
    vdot = Vt[: len(own)].T @ ((U.T @ (-rows.gamma[own] / size)) / sizes)
    doubt = EPS * (sizes[0] / sizes[-1]) ** 2 if len(own) else 0.0
    if N.shape[1]:
        reduced = N.T @ M @ N
        vdot, doubt = vdot + N @ np.linalg.solve(reduced, N.T @ (force - M @ vdot)), doubt + EPS * np.linalg.cond(reduced)
    return unit * vdot, doubt + OTHER_ROWS * np.max(split.sine[split.dependent], initial=0.0)


def _referee(mechanism, model, q, v, tau):
    snapshot = reference.of_model(mechanism, model, q, v)
    return reference.as_vector(model, reference.solve(snapshot, reference.by_joint(model, tau)).vdot)


def _differences(check, answers, tolerance):
    """A silent finding for the largest difference beyond tolerance of two answers with which nothing was said."""
    values = {name: answer.value for name, answer in answers.items() if answer.value is not None and not answer.said}
    scale = 1.0 + max((float(np.max(np.abs(x), initial=0.0)) for x in values.values()), default=0.0)
    names, worst = list(values), (0.0, "")
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            error = float(np.max(np.abs(values[a] - values[b]), initial=0.0)) / scale
            worst = max(worst, (error if error == error else np.inf, f"{a} and {b}"))
    if worst[0] <= tolerance:
        return []
    return [Finding("silent", check, f"{worst[1]} differ by {worst[0]:.2g}, relative to the largest")]


def inverse(case, model):
    """Forward dynamics undoes inverse dynamics, in a tree."""
    if model.nc:
        return []
    q, v = case.state(model)
    vdot = np.random.default_rng(case.seed).normal(size=model.nv)
    back = lw.forward_dynamics(model, q, v, lw.inverse_dynamics(model, q, v, vdot, forces=False), forces=False)
    return _differences(
        "inverse", {"given": Answer(vdot, ""), "found": Answer(back, "")}, max(SOLVED, EPS * np.linalg.cond(lw.mass_matrix(model, q)))
    )


def questions(case, model):
    """Questions about one state answer, in numbers that are finite and in words; of a mechanism that is well posed a refusal is told."""
    q, v = case.state(model)
    found = []
    for ask in (mobility_text, reactions_text, cross_check_text, energies, momenta):
        answer = asked(ask, model, q, v)
        if answer.value is None and case.well_posed:
            found.append(Finding("loud", f"questions, {ask.__name__}", answer.said))
        elif isinstance(answer.value, np.ndarray) and not np.isfinite(answer.value).all():
            found.append(Finding("silent", f"questions, {ask.__name__}", f"found {answer.value}"))
    asked(lw.equilibrium, model, q)  # a random mechanism may have none
    text = asked(lw.to_toml, case.mechanism, functions=FUNCTIONS)
    if text.value is not None and lw.from_toml(text.value, functions=FUNCTIONS) != case.mechanism:
        found.append(Finding("silent", "questions, file", "a mechanism is another one after it was written and read"))
    return found


def mobility_text(model, q, v):
    return str(lw.mobility(model, q))


def reactions_text(model, q, v):
    return str(lw.reactions(model, q, v))


def cross_check_text(model, q, v):
    return str(lw.cross_check(model, q, v))


def energies(model, q, v):
    return np.array([*lw.energy(model, q, v)])


def momenta(model, q, v):
    return np.concatenate([np.ravel(part) for part in lw.momentum(model, q, v)])


# ----------------------------------------------------------------------------------------------------------- through time


class Run(NamedTuple):
    """Where a way through time ended: q and v, or None, and what was said of it (a failure, a warning, an energy that does not balance)."""

    q: np.ndarray | None
    v: np.ndarray | None
    said: str


def simulated(model, q, v, integrator, **options):
    """A run by `simulate`."""
    answer = asked(lw.simulate, model, DURATION, integrator, q=q, v=v, frame=DURATION, record=("q", "v", "energy", "gaps"), **options)
    if answer.value is None:
        return Run(None, None, answer.said)
    recording = answer.value
    said = answer.said + ("" if recording.status == "finished" else str(recording.status))
    if recording.status != "finished":
        return Run(None, None, said)
    said += "; ".join(recording.audit.warnings)
    return Run(recording.q[-1], recording.v[-1], said)


def rolled(model, q, v, integrator):
    """The same by `rollout`, in lanes."""
    steps = round(DURATION / integrator.step)
    answer = asked(lw.rollout, model, np.tile(q, (2, 1)), np.tile(v, (2, 1)), steps, integrator, every=max(steps, 1))
    if answer.value is None:
        return Run(None, None, answer.said)
    made = answer.value
    return Run(None, None, "failed") if made.failed[0] else Run(made.q[0, -1], made.v[0, -1], answer.said)


def through_time(case, model):
    """Every integrator, solver and loop against the most accurate of them, each within its own error."""
    q, v = case.state(model)
    if not np.any(np.abs(v) > 0.0):
        return []
    one_sided = any(isinstance(force.kind, ONE_SIDED) for force in case.mechanism.forces)
    most = WATCHFUL if one_sided else np.inf
    truth = simulated(model, q, v, lw.Adaptive(order=8, rtol=1e-10, atol=1e-12, max_step=most))
    other = simulated(model, q, v, lw.Adaptive(order=8, rtol=1e-12, atol=1e-14, max_step=most))
    found = []
    if truth.q is None or other.q is None:
        text = f"Adaptive: {truth.said or other.said}"
        return [Finding("loud", "through time", text)] if case.well_posed else []
    doubt = _apart(model, truth, other)
    for name, way in WAYS.items():
        if name == "articulated" and not model.nc:
            continue
        coarse, fine = (way(model, q, v, h) for h in (STEP, 0.5 * STEP))
        if fine.q is None or coarse.q is None:
            if case.well_posed:
                found.append(Finding("loud", f"through time, {name}", coarse.said or fine.said))
            continue
        if not (np.isfinite(fine.v).all() and np.max(np.abs(fine.v), initial=0.0) < BEYOND) and not fine.said:
            found.append(Finding("silent", f"through time, {name}", f"finished with velocities of {np.max(np.abs(fine.v)):.2g}"))
            continue
        floor = 10.0 * doubt + AGREED
        error, own = _apart(model, fine, truth), _apart(model, fine, coarse)
        if error > TRUST * own + floor and own < LOST and not (fine.said or coarse.said or truth.said):
            finest = way(model, q, v, 0.25 * STEP)
            if finest.q is not None and _converges(model, (truth, fine, finest), floor):
                continue
            text = f"{error:.2g} away from Adaptive, while steps of {STEP:g} and {0.5 * STEP:g} s are {own:.2g} apart"
            found.append(Finding("silent", f"through time, {name}", text))
    return found


def _converges(model, runs, floor):
    """Is the error of the finest of three runs within its own difference, and no greater than before?

    Where a force has a kink (a one-way spring, a table), errors follow no power of the step, and those of two steps may happen to be alike.
    """
    truth, fine, finest = runs
    error = _apart(model, finest, truth)
    return error <= TRUST * _apart(model, finest, fine) + floor and error <= _apart(model, fine, truth)


def _apart(model, a, b):
    """The largest difference of positions and velocities; velocities count a tenth, as they amplify."""
    dq = np.max(np.abs(lw.difference(model, a.q, b.q)), initial=0.0) if np.isfinite(a.q).all() and np.isfinite(b.q).all() else np.inf
    return float(max(dq, 0.1 * np.max(np.abs(a.v - b.v), initial=0.0)))


def _tolerance(h):
    """For methods that choose their steps: half a step stands for a hundredth of the tolerance."""
    return 1e-7 * 100.0 ** -round(np.log2(STEP / h))


WAYS = {
    "RungeKutta4": lambda m, q, v, h: simulated(m, q, v, lw.RungeKutta4(h)),
    "articulated": lambda m, q, v, h: simulated(m, q, v, lw.RungeKutta4(h), solver="articulated"),
    "rollout": lambda m, q, v, h: rolled(m, q, v, lw.RungeKutta4(h)),
    "Adaptive of order 5": lambda m, q, v, h: simulated(m, q, v, lw.Adaptive(order=5, rtol=_tolerance(h), atol=0.01 * _tolerance(h))),
    "SemiImplicitEuler": lambda m, q, v, h: simulated(m, q, v, lw.SemiImplicitEuler(0.2 * h)),
    "Adams": lambda m, q, v, h: simulated(m, q, v, lw.Adams(rtol=_tolerance(h), atol=0.01 * _tolerance(h))),
    "Implicit": lambda m, q, v, h: simulated(m, q, v, lw.Implicit(h)),
    "Variational": lambda m, q, v, h: simulated(m, q, v, lw.Variational(h)),
}

FUNCTIONS = {f.__name__: f for f in (cam_pose, cam_motion, cam_rate, crane_pose, crane_motion, crane_rate)}  # a file names them
CHECKS = (accelerations, inverse, questions, through_time)
