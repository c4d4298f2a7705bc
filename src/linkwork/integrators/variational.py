"""The variational integrator as a plain function: run a model from a state for a number of steps.

Wendlandt 1997, chapters 2 and 5, in joint coordinates; see variational_step.py for the equations. It is symplectic, of second order, and conserves
momenta to rounding; its energy oscillates without trend.
"""

from typing import NamedTuple

import numpy as np

from ..dynamics.call import diagnose, shaped
from ..dynamics.external import wrenches
from ..dynamics.impulse import tree_impulse_response
from ..dynamics.inverse import mass_matrix_times
from ..errors import SolverError, StateError
from ..kernels import JIT
from ..solvers.correct import correction
from .stepper import for_kernels
from .variational_calls import EXHAUSTED, VariationalRecord, VariationalReport, VariationalSettings
from .variational_memory import P_DAMPING
from .variational_steep import run_slots
from .variational_step import begin_run, read_state, variational_steps

ITERATIONS = 40
TOLERANCE = 1e-16  # of the motion of a step: corrections are made until the next would be smaller


class VariationalRun(NamedTuple):
    """Where a run ended: q, v, the multipliers of its last step (forces at the step's beginning), and the kernel's report."""

    q: np.ndarray
    v: np.ndarray
    multipliers: np.ndarray
    report: VariationalReport


class VariationalMemory:
    """What the kernel works in, and carries from call to call of one run.

    damping: of each velocity, linear, if known: what Newton's matrix may take for granted of the forces' slopes. It makes no force by itself.
    """

    def __init__(self, model, damping=None):
        self.tree_slots = model.work_slots
        self.array = np.zeros(self.tree_slots + run_slots(model.handle))
        if damping is not None:
            at = self.tree_slots + model.nq + P_DAMPING * model.nv
            self.array[at : at + model.nv] = damping
        self.address = self.array.ctypes.data if JIT else self.array


class Run:
    """A run of one model through time: `memory` knows where it stands; (q, v) are read from it when asked for."""

    def __init__(self, model, q, v, t=0.0, tau=None, damping=None):
        self.model, self.t, self.kept = model, float(t), tau
        self.memory = VariationalMemory(model, damping)
        self.settings, self.report = VariationalSettings.allocate(), VariationalReport.allocate()
        self.settings.iterations, self.settings.tolerance = ITERATIONS, TOLERANCE
        self.record = VariationalRecord.allocate({"nc": model.nc})
        self.record.model, self.record.memory, self.record.tree_slots = model.handle, self.memory.address, self.memory.tree_slots
        self.record.settings, self.record.report, self.multipliers = self.settings, self.report, self.record.multipliers
        if tau is not None:
            self.set_forces(getattr(tau, "address", tau) if JIT else tau)
        inputs = [("q", q, (model.nq,)), ("v", v, (model.nv,))]
        arrays, leading = shaped(inputs)
        if leading:
            raise StateError(f"q: found {leading} states; allowed is one; make a run for each of them", "q")
        if not all(np.isfinite(array).all() for array in arrays):
            diagnose(model, inputs, arrays)
        begin_run(for_kernels(self.record), self.t, np.array(arrays[0]), mass_matrix_times(model, *arrays))

    def set_forces(self, code, data=0):
        """The function for forces (variational_calls.py): its address, in plain Python the function itself; `data`: what it is given first."""
        self.record.forces, self.record.data, self.record.forced = code, data, True

    def step(self, h, steps=1, iterations=ITERATIONS, real_time=False):
        """Go on by some steps of h; raises SolverError where one has no solution."""
        if not 0.0 < h < np.inf or steps < 0 or iterations < 1:
            raise StateError(
                f"step: found h = {h}, steps = {steps}, iterations = {iterations}; allowed are a positive, finite h (to go back in time, turn the "
                "velocities round), no steps or some, and at least one correction",
                "h",
            )
        self.settings.iterations, self.settings.real_time = int(iterations), bool(real_time)
        done = variational_steps(for_kernels(self.record), self.t, float(h), int(steps))
        self.t += h * self.report.steps
        if not done:
            raise SolverError(failure(self.model, self.report, self.t, h, iterations))

    def configuration(self):
        """q as it is now."""
        q, p = np.empty(self.model.nq), np.empty(self.model.nv)
        read_state(for_kernels(self.record), q, p)
        return q

    def state(self):
        """(q, v) as they are now: v = M^-1 p and, with rows, the v nearest to it (in the mass metric) for which they hold.

        That takes nothing from the run: what a projection changes in p is along G(q)^T, where the next multipliers would act all the same.
        """
        model = self.model
        q, p = np.empty(model.nq), np.empty(model.nv)
        read_state(for_kernels(self.record), q, p)
        v = tree_impulse_response(model, q, p, wrenches(model, {}))
        return q, (v + correction(model, q, v, self.t)[0] if model.nc else v)


def failure(model, report, t, h, iterations):
    """What to say where a step has no solution: when, which joint, what to do."""
    joint = next((j.name for j in model.joints if j.v_index.start <= report.worst < j.v_index.stop), "?")
    why = (
        f"not solved within {iterations} corrections"
        if report.ended == EXHAUSTED
        else "no correction brought its equations nearer to a solution"
    )
    return (
        f"variational step from t = {t:.9g} s: {why}; the largest residual is at joint {joint!r}. Take a shorter step (found {h:g} s); if it fails "
        "however short, a loop passes a singular pose here, or a force jumps; real_time=True goes on with what is reached"
    )


# More than eight arguments: all but the first five are options that callers name.
def variational_run(model, q, v, h, steps, tau=None, t=0.0, *, damping=None, iterations=ITERATIONS, real_time=False):
    """Run from (q, v) at time t for `steps` steps of h: a VariationalRun.

    tau: a compiled function as variational_calls.py describes it (with an `address`), in plain Python any function.
    """
    run = Run(model, q, v, t, tau, damping)
    run.step(h, steps, iterations, real_time)
    return VariationalRun(*run.state(), run.multipliers, run.report)
