"""The variational integrator as a plain function: run a model from a state for a number of steps.

Wendlandt 1997, chapters 2 and 5, in joint coordinates; see step.py for the equations. It is symplectic, of second order, and conserves
momenta to rounding; its energy oscillates without trend.
"""

import numpy as np

from ...data.lending import Data
from ...data.snapshot import Snapshots
from ...data.stepper import for_kernels, numbers_of
from ...data.variational import VariationalData
from ...dynamics.call import diagnose, shaped
from ...dynamics.external import wrenches
from ...dynamics.impulse import tree_impulse_response
from ...dynamics.inverse import mass_matrix_times
from ...errors import SolverError, StateError
from ...kernels import JIT
from ...solvers.delassus.correct import correction
from ..saved_values import LARGEST, refuse_saved
from .newton_iteration import EXHAUSTED
from .step import begin_run, variational_steps

ITERATIONS = 40
TOLERANCE = 1e-16  # of the motion of a step: corrections are made until the next would be smaller


class Run:
    """A run of one model through time: `record` (VariationalData) holds the state; (q, v) are read from it on demand.

    damping: of each velocity, linear, if known: what Newton's matrix may take for granted of the forces' slopes. It makes no force by itself.
    """

    def __init__(self, model, q, v, t=0.0, tau=None, damping=None):
        self.model, self.kept = model, tau
        self.record = Data(model).new(VariationalData)
        self.settings, self.report, self.multipliers = self.record.settings, self.record.report, self.record.multipliers
        self.settings.iterations, self.settings.tolerance = ITERATIONS, TOLERANCE
        self._snapshots = Snapshots(self.record)
        if damping is not None:
            self.record.damping[:] = damping
        if tau is not None:
            self.set_forces(getattr(tau, "address", tau) if JIT else tau)
        self.begin(q, v, t)

    def begin(self, q, v, t):
        """Begin anew at a state and a time, without a past."""
        model, self.t = self.model, float(t)
        inputs = [("q", q, (model.nq,)), ("v", v, (model.nv,))]
        arrays, leading = shaped(inputs)
        if leading:
            raise StateError(f"q: found {leading} states; allowed is one; make a run for each of them", "q")
        if not all(np.isfinite(array).all() for array in arrays):
            diagnose(model, inputs, arrays)
        begin_run(model.handle, for_kernels(self.record), self.t, np.array(arrays[0]), mass_matrix_times(model, *arrays))

    def set_forces(self, code, data=0):
        """The function for forces (force_calls.py): its address, in plain Python the function itself; `data`: what it is given first."""
        self.record.forces, self.record.data, self.record.forced = code, data, True

    def save(self):
        """All that the run knows, as an array of 64-bit words: for `load`, here or in another process."""
        return self._snapshots.take()

    def load(self, words):
        """Go on from where `save` was called."""
        self._snapshots.put_back(words)

    def restore(self, words):
        """Continue from a file with the result of `save`: settings stay, counts and indices are checked; FormatError."""
        if words.shape != self._snapshots.take().shape or words.dtype != np.int64:
            raise refuse_saved("run", f"{words.dtype} {words.shape}", "what a run of this model saves")
        own, (nv, nc) = (self.record.forced, *numbers_of(self.settings)), (self.model.nv, self.model.nc)
        self.load(words)
        record, report, settings = self.record, self.report, self.settings
        record.forced, settings.iterations, settings.tolerance, settings.real_time = own[0], int(own[1]), own[2], bool(own[3])
        bounds = [("past", record.past, 3), ("steep", record.steep, LARGEST), ("rank", record.rank, nc), ("worst", report.worst, nv - 1)]
        bounds += [(name, getattr(report, name), LARGEST) for name in ("steps", "corrections", "most", "ended", "total")]
        bounds += [("order of rows", int(row), nc - 1) for row in record.rows.order]
        for name, found, most in bounds:
            if not 0 <= found <= max(most, 0):
                raise refuse_saved(f"{name} of the run", found, f"a whole number from 0 to {most}")

    def step(self, h, steps=1, iterations=ITERATIONS, real_time=False):
        """Go on by some steps of h; raises SolverError where one has no solution."""
        if not 0.0 < h < np.inf or steps < 0 or iterations < 1:
            raise StateError(
                f"step: found h = {h}, steps = {steps}, iterations = {iterations}; allowed are a positive, finite h (to go back in time, turn the "
                "velocities round), no steps or some, and at least one correction",
                "h",
            )
        self.settings.iterations, self.settings.real_time = int(iterations), bool(real_time)
        done = variational_steps(self.model.handle, for_kernels(self.record), self.t, float(h), int(steps))
        self.t += h * self.report.steps
        if not done:
            raise SolverError(failure(self.model, self.report, self.t, h, iterations))

    def configuration(self):
        """q as it is now."""
        return self.record.start.q.copy()

    def state(self):
        """(q, v) as they are now: v = M^-1 p and, with rows, the v nearest to it (in the mass metric) for which they hold.

        That takes nothing from the run: what a projection changes in p is along G(q)^T, where the next multipliers would act all the same.
        """
        model = self.model
        q = self.configuration()
        v = tree_impulse_response(model, q, self.record.momentum.copy(), wrenches(model, {}))
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
