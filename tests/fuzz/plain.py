"""The same in plain Python: a process with LINKWORK_JIT=0 is given a mechanism and a state, and tells accelerations and where some steps lead.

It is started when it is first asked, and ends with the process that asked. Plain Python is a hundred times slower, so every fourth seed is asked.
"""

import functools
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

import linkwork as lw
from linkwork.kernels import JIT

from .agreement import SOLVED, Finding, asked, dense_accelerations

EVERY = 4
STEPS, STEP = 3, 1e-3
ROOT = Path(__file__).parents[2]


def answers(mechanism, q, v):
    """(accelerations, q and v after some steps of RungeKutta4), or what was said instead."""
    model = mechanism.build()
    vdot = asked(lw.forward_dynamics, model, q, v)
    run = asked(lw.simulate, model, STEPS * STEP, lw.RungeKutta4(STEP), q=q, v=v, record_interval=STEPS * STEP)
    if vdot.said or run.said or run.value.status != "finished":
        return None
    return vdot.value, run.value.q[-1], run.value.v[-1]


@functools.cache
def _process():
    environment = os.environ | {"LINKWORK_JIT": "0", "PYTHONPATH": os.pathsep.join([str(Path(lw.__file__).parents[1]), str(ROOT)])}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz.plain"],
        env=environment,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def plain(case, model):
    """Compiled and plain functions are one source: accelerations and steps agree to what sixteen digits leave open."""
    if not JIT or case.seed % EVERY or case.controllers:
        return []
    q, v = case.state(model)
    compiled = answers(case.mechanism, q, v)
    if compiled is None:
        return []
    process = _process()
    pickle.dump((case.mechanism, q, v), process.stdin)
    process.stdin.flush()
    interpreted = pickle.load(process.stdout)
    if not isinstance(interpreted, tuple):
        return [Finding("raw", "plain Python", str(interpreted or "it says something where compiled code does not"))]
    doubt = dense_accelerations(model, q, v, np.zeros(model.nv))[1]
    for what, a, b in zip(("accelerations", "q after some steps", "v after some steps"), compiled, interpreted, strict=True):
        scale = 1.0 + np.abs(compiled[0]).max(initial=0.0)
        error = float(np.abs(a - b).max(initial=0.0)) / scale
        if not error <= max(SOLVED, 10.0 * doubt):
            return [
                Finding("silent", "plain Python", f"{what} differ by {error:.2g} from compiled ones, relative to the largest acceleration")
            ]
    return []


def main():
    """Answer until the other process has gone."""
    while True:
        try:
            asked_for = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            found = answers(*asked_for)
        except Exception as error:  # told to the process that asked
            found = f"{type(error).__name__}: {error}"
        pickle.dump(found, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
