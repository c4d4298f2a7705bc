"""The variational integrator as a plain function: run a model from a state for a number of steps.

Wendlandt 1997, chapters 2 and 5, in joint coordinates; see variational_step.py for the equations. It is symplectic, of second order, and conserves
momenta to rounding; its energy oscillates without trend.
"""

from typing import NamedTuple

import numpy as np

from ..errors import SolverError
from ..kernel import JIT
from .variational_blocks import BLOCK
from .variational_memory import FLAGS, P_DAMPING, STRIDE, VECTORS
from .variational_rows import row_slots
from .variational_steep import steep_slots
from .variational_step import REPORT, variational_steps

ITERATIONS = 40
TOLERANCE = 1e-16  # of the motion of a step: corrections are made until the next would be smaller


class VariationalRun(NamedTuple):
    """Where a run ended: q, v, the multipliers of its last step (forces at the step's beginning), and the kernel's report."""

    q: np.ndarray
    v: np.ndarray
    multipliers: np.ndarray
    report: np.ndarray


class VariationalMemory:
    """What the kernel works in, and carries from call to call of one run.

    damping: of each velocity, linear, if known: what Newton's matrix may take for granted of the forces' slopes. It makes no force by itself.
    """

    def __init__(self, model, damping=None):
        n, nq, nv, _, extras, gathers = (int(x) for x in model.tables.size[:6])
        self.tree_slots = model.work_slots
        rows = row_slots(model.handle) if model.nc else 0
        own = 2 * nq + (VECTORS + 1) * nv + STRIDE * n + 2 * extras + BLOCK * (gathers + 1) + FLAGS
        self.array = np.zeros(self.tree_slots + own + rows + steep_slots(nv))
        if damping is not None:
            at = self.tree_slots + nq + P_DAMPING * nv
            self.array[at : at + nv] = damping
        self.address = self.array.ctypes.data if JIT else self.array
        self.report = np.zeros(REPORT)


def advance(model, memory, q, v, multipliers, h, steps, tau=None, t=0.0, iterations=ITERATIONS, real_time=False):
    """Advance (q, v) in place, going on where `memory` stands (from q and v anew if it is new); raises SolverError where a step has no solution.

    tau: a compiled function as variational_forces.py describes it (with an `address`), in plain Python any function.
    """
    code = (0 if tau is None else tau.address) if JIT else tau
    status = variational_steps(
        *(model.handle, memory.address, memory.tree_slots, code, 0, float(t), float(h), int(steps)),
        *(int(iterations), TOLERANCE, bool(real_time), q, v, multipliers, memory.report),
    )
    if status:
        raise SolverError(failure(model, memory.report, t, h, iterations))


def failure(model, report, t, h, iterations):
    """What to say where a step has no solution: when, which joint, what to do."""
    joint = next((j.name for j in model.joints if j.v_index.start <= report[6] < j.v_index.stop), "?")
    why = f"not solved within {iterations} corrections" if report[4] == 1 else "no correction brought its equations nearer to a solution"
    when = t + report[1] * h
    return (
        f"variational step from t = {when:.9g} s: {why}; the largest residual is at joint {joint!r}. Take a shorter step (found {h:g} s); if it fails "
        "however short, a loop passes a singular pose here, or a force jumps; real_time=True goes on with what is reached"
    )


def variational_run(model, q, v, h, steps, tau=None, t=0.0, *, damping=None, iterations=ITERATIONS, real_time=False):
    """Run from (q, v) at time t for `steps` steps of h: a VariationalRun."""
    q, v, multipliers = np.array(q, dtype=float), np.array(v, dtype=float), np.zeros(model.nc)
    memory = VariationalMemory(model, damping)
    advance(model, memory, q, v, multipliers, h, steps, tau, t, iterations, real_time)
    return VariationalRun(q, v, multipliers, memory.report)
