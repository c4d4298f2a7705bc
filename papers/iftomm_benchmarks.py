"""The basic IFToMM benchmark problems (A01 to A05): energy error against processor time, for all integrators.

    python papers/iftomm_benchmarks.py            the tables (some minutes)
    python papers/iftomm_benchmarks.py --json     the numbers
    python papers/iftomm_benchmarks.py --write    to docs/papers

The problems, their parameters and their references are in iftomm_problems.py. Energy error: the largest part of the energy, over 100 frames, that no force explains
(the audit's "numerical"); state error: the largest difference of what is measured at the end from the reference.
"""

import time

import iftomm_problems
import numpy as np
from paper import machine, publish, table

import linkwork as lw

# Steps (s) of methods with fixed steps, by problem, and tolerances of the others.
STEPS = {"A01": (1e-2, 1e-3), "A02": (1e-2, 1e-3), "A03": (1e-4, 1e-5), "A04": (1e-2, 1e-3), "A05": (1e-4, 2e-5)}
IMPLICIT = {"A05": (1e-2, 1e-3)}  # where stiffness asks for it
VARIATIONAL = {"A05": ()}  # its forces are not for springs as stiff as these
TOLERANCES = ((1e-4, 1e-5), (1e-6, 1e-7), (1e-8, 1e-10))

# Published: processor s of the models for OpenSim 3.2 (i5-4570, 3.2 GHz; 10 s of A01, A02 and A04), without their errors.
OPENSIM = {"A01": 0.637, "A02": 0.455, "A04": 0.258}


def integrators(key):
    """(name, setting, integrator) of all that is run on a problem."""
    for step in STEPS[key]:
        for kind in (lw.SemiImplicitEuler, lw.RungeKutta4, lw.Variational):
            if kind is not lw.Variational or key not in VARIATIONAL:
                yield kind.__name__, f"{step:g} s", kind(step=step)
    for step in IMPLICIT.get(key, ()):
        yield "Implicit", f"{step:g} s", lw.Implicit(step=step)
    for rtol, atol in TOLERANCES:
        for name, make in (
            ("Adaptive, order 5", lambda **t: lw.Adaptive(order=5, **t)),
            ("Adaptive, order 8", lambda **t: lw.Adaptive(order=8, **t)),
            ("Adams", lw.Adams),
        ):
            yield name, f"rtol {rtol:g}, atol {atol:g}", make(rtol=rtol, atol=atol)


def run(problem, integrator, frames=100):
    """Errors of one run."""
    sim = lw.Simulation(problem.model, integrator, q=problem.q, v=problem.v, frame=problem.duration / frames)
    recording = sim.run(problem.duration)
    audit = recording.audit
    error = None
    if problem.reference is not None and recording.status.word == "finished":
        error = float(np.abs(problem.measured(recording) - problem.reference).max())
    return {
        "status": recording.status.word,
        "energy_error": audit.largest_numerical,
        "scale": audit.scale,
        "state_error": error,
        "gap": audit.gap.value if audit.gap else None,
        "steps": audit.steps,
        "evaluations": audit.evaluations,
    }


def processor_time(problem, integrator, repeats=3):
    """Least processor time, s, of a run that nobody looks at."""
    best = np.inf
    for _ in range(repeats):
        sim = lw.Simulation(problem.model, integrator, q=problem.q, v=problem.v, frame=problem.duration)
        begun = time.process_time()
        sim.run(problem.duration)
        best = min(best, time.process_time() - begun)
        if best > 2.0:
            break
    return best
