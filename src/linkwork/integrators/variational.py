"""The variational integrator as a function: run a model from a state for a number of steps."""

from typing import NamedTuple

import numpy as np

from ..kernel import JIT
from .variational_blocks import BLOCK
from .variational_memory import STRIDE, VECTORS
from .variational_rows import row_slots
from .variational_step import variational_steps

ITERATIONS = 30
TOLERANCE = 1e-16


class VariationalRun(NamedTuple):
    """Where a run ended: q, v, the multipliers of its last step, and the kernel's report."""

    q: np.ndarray
    v: np.ndarray
    multipliers: np.ndarray
    report: np.ndarray


class VariationalMemory:
    """What the kernel works in and carries from call to call."""

    def __init__(self, model):
        n, nq, nv, _, extras, gathers = (int(x) for x in model.tables.size[:6])
        self.tree_slots = model.work_slots
        rows = row_slots(model.handle) if model.nc else 0
        slots = self.tree_slots + 2 * nq + (VECTORS + 1) * nv + STRIDE * n + 2 * extras + BLOCK * (gathers + 1) + rows + 8
        self.array = np.zeros(slots)
        self.address = self.array.ctypes.data if JIT else self.array


def variational_run(model, q, v, h, steps, tau=None, t=0.0, iterations=ITERATIONS, real_time=False):
    memory = VariationalMemory(model)
    q, v, multipliers, report = np.array(q, dtype=float), np.array(v, dtype=float), np.zeros(model.nc), np.zeros(8)
    code = (0 if tau is None else tau.address) if JIT else tau
    variational_steps(
        *(model.handle, memory.address, memory.tree_slots, code, 0, float(t), float(h), steps),
        *(iterations, TOLERANCE, real_time, q, v, multipliers, report),
    )
    return VariationalRun(q, v, multipliers, report)
