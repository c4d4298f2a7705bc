"""Ways that take the same steps come to the same end: solvers, lanes, threads, frames, checkpoints, `Live`.

Where the arithmetic is the same the bits are: a run that is looked at more often, one that was saved and resumed, lanes shared by threads. Another solver
or loop rounds otherwise, which a motion of 0.2 s amplifies little: then they agree to AGREED, and to what sixteen digits leave open of accelerations.
"""

import pathlib
import tempfile
import time

import numpy as np

import linkwork as lw

from .agreement import Answer, Finding, asked, dense_accelerations
from .through_time import AGREED, DURATION, PATIENCE, STEP, Run, apart, ended

UNRESOLVED = 0.05  # of what half the step changes: a motion that steps do not resolve amplifies rounding as it does their errors (seed 318: 0.002 of 0.13)
FALLS = 0.1  # of a difference of two runs with half the step: it is of an order beyond 3
FRAMES = 8  # of a run that is looked at more often
INTEGRATORS = {
    "RungeKutta4": lw.RungeKutta4(STEP),
    "SemiImplicitEuler": lw.SemiImplicitEuler(STEP),
    "Adaptive of order 5": lw.Adaptive(order=5, rtol=1e-6, atol=1e-8),
    "Adaptive of order 8": lw.Adaptive(order=8, rtol=1e-8, atol=1e-10),
    "Adams": lw.Adams(rtol=1e-6, atol=1e-8),
    "Implicit": lw.Implicit(2.0 * STEP),
    "Implicit that follows its error": lw.Implicit(),
    "Variational": lw.Variational(2.0 * STEP),
    "EnergyMomentum": lw.EnergyMomentum(5.0 * STEP),
}


def same_steps(case, model):
    """All ways with the same steps."""
    q, v = case.state(model)
    if not np.any(np.abs(v) > 0.0):
        return []
    settings = {"q": q, "v": v, "controllers": case.controllers}
    return [*_by_solvers_and_loops(case, model, settings), *_interrupted(case, model, settings)]


def _simulated(model, integrator, **options):
    return ended(asked(lw.simulate, model, DURATION, integrator, **{"record_interval": DURATION} | options))


def _bounded(model, integrator, **options):
    """The same, but given up, as slow, at the first frame after PATIENCE."""
    began = time.process_time()

    def run():
        sim = lw.Simulation(model, integrator, **options)
        return sim.run(DURATION, each_sample=lambda sim: sim.pause() if time.process_time() - began > PATIENCE else None)

    return ended(asked(run))


# ------------------------------------------------------------------------------------------------------- solvers and loops


def _by_solvers_and_loops(case, model, settings):
    """RungeKutta4 by every solver, by `rollout` and by `Live`."""
    q, v = settings["q"], settings["v"]
    ways = {"auto": lambda h: _simulated(model, lw.RungeKutta4(h), **settings)}
    if model.nc:
        for name in ("articulated", "sparse"):
            ways[name] = lambda h, name=name: _simulated(model, lw.RungeKutta4(h), solver=name, **settings)
    found = []
    if not case.controllers:
        ways["rollout"] = lambda h: _rolled(model, q, v, lw.RungeKutta4(h), found)
        # By the same solver: corrections of positions are as large as errors of order 1, and two solvers may take them along other directions.
        solver = "articulated" if model.nc else "auto"
        small = {
            "semi-implicit": lambda h: _simulated(model, lw.SemiImplicitEuler(h), solver=solver, **settings),
            "rollout, semi-implicit": lambda h: _rolled(model, q, v, lw.SemiImplicitEuler(h), found),
        }
        found += _compared(case, model, small)
    ways["Live"] = lambda h: _lived(case, model, q, v, h)
    found += _compared(case, model, ways)
    return found


def _compared(case, model, ways):
    """Findings for ways that differ from the first, or fail where it does not."""
    name = next(iter(ways))
    first = ways[name](STEP)
    if first.q is None:
        return []  # why is judged elsewhere
    start = case.state(model)
    vdot, doubt = dense_accelerations(model, *start, np.zeros(model.nv))
    floor = (AGREED + 10.0 * doubt * (1.0 + np.abs(vdot).max(initial=0.0)) * DURATION) * (1.0 + np.abs(first.v).max(initial=0.0))
    found, halves = [], {}
    for other in [*ways][1:]:
        run = ways[other](STEP)
        if run.q is None:
            if case.well_posed:
                found.append(Finding("loud", f"same steps, {other}", f"{name} finishes; {run.said}"))
        elif not apart(model, first, run) <= floor and not (first.said or run.said):
            if _unresolved(model, {name: first, other: run}, ways, halves):
                continue
            text = f"{apart(model, first, run):.2g} from {name}"
            audit = first.audit or run.audit
            found.append(Finding("told" if audit else "silent", f"same steps, {other}", f"{text}; {audit}" if audit else text))
    return found


def _unresolved(model, runs, ways, halves):
    """Is a difference of two runs a part of the error of their steps?

    It is if it is small beside what half the step changes, or if it is less than that and falls with the step: near a singular pose stages are evaluated
    where they project to, and how near that is each solver measures by its own pivots (decision 0016; seed 500121). `halves`: runs with half the step.
    """
    for way in runs:
        if way not in halves:
            halves[way] = ways[way](0.5 * STEP)
    (name, first), (other, run) = runs.items()
    a, b = halves[name], halves[other]
    difference = apart(model, first, run)
    if a.q is None or difference > apart(model, first, a):
        return False
    return difference <= UNRESOLVED * apart(model, first, a) or (b.q is not None and apart(model, a, b) <= FALLS * difference)


def _rolled(model, q, v, integrator, found):
    """A rollout in lanes: five copies, of which the middle one counts; that two threads give the bits of one, or not, goes to `found`."""
    steps, scales = round(DURATION / integrator.step), np.array([0.5, 0.9, 1.0, 1.0, 0.3])
    moving = v - (
        0.0 if not model.nc else lw.project_velocity(model, q, np.zeros(model.nv))
    )  # the part that prescribed motion does not ask for
    rates = v + (scales - 1.0)[:, None] * moving
    one, two = (asked(lw.rollout, model, np.tile(q, (5, 1)), rates, steps, integrator, every=max(steps, 1), threads=n) for n in (1, 2))
    if one.value is None:
        return Run(None, None, one.said)
    made = one.value
    if two.value is None or not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(made, two.value, strict=True)):
        found.append(Finding("silent", "same steps, rollout", "two threads give other bits than one"))
    if made.failed[2]:
        return Run(None, None, f"the copy failed {one.said}")
    return Run(made.q[2, -1], made.v[2, -1], one.said)


def _lived(case, model, q, v, h):
    """The same by `Live`, advanced by pictures of 1/50 s."""

    def live():
        made = lw.Live(case.mechanism, lw.RungeKutta4(h), setup=lw.Setup().starting_at(model, q, v), controllers=case.controllers)
        for _ in range(round(50 * DURATION)):
            if not made.advance(0.02).ok:
                break
        return made

    answer = asked(live)
    if answer.value is None:
        return Run(None, None, answer.said)
    made = answer.value
    if not made.status.ok or abs(made.time - DURATION) > 1e-9:
        return Run(None, None, f"{answer.said} {made.status}")
    return Run(made.q, made.v, answer.said, "; ".join(made.simulation.audit.warnings))


# ------------------------------------------------------------------------------------------------- frames and checkpoints


def _interrupted(case, model, settings):
    """A run with one frame, one with more, and one that was saved half way and resumed by another Simulation, by an integrator of the seed's."""
    name = list(INTEGRATORS)[case.seed % len(INTEGRATORS)]
    integrator = INTEGRATORS[name]
    if name != "EnergyMomentum":  # which refuses controllers
        settings = settings | {"controllers": case.controllers}
    often = _bounded(model, integrator, **settings | {"record_interval": DURATION / FRAMES})
    if often.slow:  # the others would take as long
        return [Finding("slow", "same steps", f"{name}: {often.said}")] if case.well_posed else []
    whole = _simulated(model, integrator, **settings)
    if whole.q is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        resumed = _resumed(model, integrator, settings | {"record_interval": DURATION / FRAMES}, pathlib.Path(folder) / "run")
    found = []
    for what, run in (("looked at more often", often), ("resumed", resumed)):
        if run.q is None:
            if case.well_posed:  # of others it depends on where one looks whether a contradiction is seen
                found.append(Finding("loud", f"same steps, {what}", f"{name}: {run.said}"))
        elif often.q is not None and not (np.array_equal(run.q, often.q) and np.array_equal(run.v, often.v)):
            found.append(Finding("silent", f"same steps, {what}", f"{name}: other bits, {apart(model, run, often):.2g} apart"))
    if often.q is not None and not (np.array_equal(whole.q, often.q) and np.array_equal(whole.v, often.v)):
        if apart(model, whole, often) > AGREED:
            found.append(Finding("silent", "same steps, looked at more often", f"{name}: {apart(model, whole, often):.2g} apart"))
    return found


def _resumed(model, integrator, settings, path):
    """Half of a run, saved; the other half by a Simulation that takes it up."""

    def halves():
        first = lw.Simulation(model, integrator, checkpoint=path, **settings)
        first.run(DURATION, each_sample=lambda sim: sim.pause() if sim.time > 0.4 * DURATION else None)
        again = lw.Simulation.resumed(
            path, model, integrator, **{name: value for name, value in settings.items() if name not in ("q", "v")}
        )
        return again.resume()

    answer = asked(halves)
    return ended(Answer(answer.value, answer.said, answer.refused))
