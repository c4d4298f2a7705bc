"""The variational integrator as plain Python (LINKWORK_JIT=0) gives the numbers of its compiled self.

Run as a program, this file prints what is compared, pickled.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.variational.force_calls import FORCES_CALL
from linkwork.kernels import JIT
from linkwork.kernels.calling import c_signature

from ....laws.mechanisms import random_case
from ....variational_runs import variational_run
from ....zoo import ZOO

ROOT = Path(__file__).parents[4]


def _braked(data, q, v, t, out):
    for k in range(8):
        out[k] = -50.0 * v[k] + t


def ends():
    """Where three runs end: every joint kind, loops with forces that have steep slopes, rows on velocities."""
    _, model, q, v, _, _ = random_case(3, "every kind")
    found = [variational_run(model, q, v, 5e-3, 4)]
    model = ZOO["RSSR"]().mechanism.build()
    q = lw.neutral(model)
    v = lw.project_velocity(model, q, np.linspace(1.0, -1.0, model.nv))
    tau = _braked
    if JIT:
        import numba

        tau = numba.cfunc(c_signature(FORCES_CALL))(_braked)
    found.append(variational_run(model, q, v, 5e-3, 4, tau))
    m = lw.Mechanism("sleigh")
    m.add_joint("ice", lw.Planar(), m.ground, m.add_body("sleigh", mass=1.0, com=(0.2, 0.0, 0.0), inertia=(0.1, 0.1, 0.1)))
    m.add_constraint("edge", lw.KnifeEdge((0, 1, 0)), m.body("sleigh"))
    found.append(variational_run(m.build(), [0.0, 0.0, 0.0], [1.0, 0.0, 2.0], 1e-2, 10))
    return [tuple(np.array(x) for x in run[:3]) for run in found]


@pytest.mark.slow
def test_compiled_steps_are_their_plain_source():
    if not JIT:
        pytest.skip("this is the plain run itself")
    environment = os.environ | {"LINKWORK_JIT": "0", "PYTHONPATH": os.pathsep.join([str(Path(lw.__file__).parents[1]), str(ROOT)])}
    command = [sys.executable, "-m", "tests.unit.integrators.variational.test_run_plain"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    for plain, compiled in zip(pickle.loads(done.stdout), ends(), strict=True):
        for a, b in zip(plain, compiled, strict=True):
            # Both solve to rounding; compiled code fuses multiplications with additions, and multipliers are impulses over h.
            assert np.abs(a - b).max(initial=0.0) < 1e-10 * (1.0 + np.abs(a).max(initial=0.0))


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(ends()))
