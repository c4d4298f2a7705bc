"""Many copies of a mechanism at once: states fill the lanes of SIMD registers and walk side by side, blocks of them on all cores."""

import math
from typing import NamedTuple

import numpy as np

from ..dynamics.call import on_all, shaped, workers_for
from ..errors import ModelError, StateError
from ..integrators.fixed_step import FixedStep
from ..integrators.method import StepError
from ..integrators.runge_kutta4 import RungeKutta4
from ..integrators.system import System
from ..kernels import JIT
from ..kernels.array_fields import pack_width
from ..model.model import Model, need_model
from ..options import checked
from .own_forces import own_forces


class Rollout(NamedTuple):
    """What `rollout` returns: time (frames,), q (copies, frames, nq), v (copies, frames, nv), failed (copies,): NaN from the failed step on."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    failed: np.ndarray


# parameters: a public function; all but the states and the steps are options, given by name
@checked(steps="whole", t="time", every="count", gap="size", joint_forces="flag", threads="threads")
def rollout(model, q, v, steps, integrator=None, *, t=0.0, every=1, gap=1e-10, joint_forces=True, threads=1):
    """Advance many copies of a model from their own states by some steps.

    Args:
        model: a built Model (or a Mechanism).
        q, v: the states to begin with, (copies, nq) and (copies, nv), on the constraints.
        steps: how many. integrator: one with a fixed step; RungeKutta4(step=1e-3) if none is given.
        every: keep every so many steps; the first state is kept too. gap: as for Simulation. threads: cores to use (None: all).
    Returns:
        a Rollout. Results do not depend on the number of threads.

    >>> import linkwork as lw, numpy as np
    >>> m = lw.Mechanism("stones")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> model = m.build()
    >>> q, v = np.tile(lw.neutral(model), (3, 1)), np.zeros((3, 6))
    >>> v[:, 5] = 1.0, 2.0, 3.0
    >>> lw.rollout(model, q, v, 1000, every=1000).q[:, -1, 2].round(6).tolist()
    [-3.905, -2.905, -1.905]
    """
    model = model.build() if not isinstance(model, Model) and hasattr(model, "build") else model
    need_model(model)
    integrator = RungeKutta4() if integrator is None else integrator
    if not isinstance(integrator, FixedStep) or integrator.loop_wide is None:
        raise ModelError(
            f"rollout: found integrator {integrator!r}; allowed is one with a fixed step that runs in lanes, such as RungeKutta4(step=1e-3)"
        )
    for name, value in (("steps", steps), ("every", every)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < (0 if name == "steps" else 1):
            raise StateError(f"{name}: found {value!r}; allowed is a whole number from {0 if name == 'steps' else 1} on", name)
    (q, v), leading = shaped([("q", q, (model.nq,)), ("v", v, (model.nv,))])
    if len(leading) != 1:
        raise StateError(f"q, v: found leading axes {leading}; allowed is one axis of copies, (copies, nq) and (copies, nv)", "q")
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        raise StateError("q, v: found a number that is not finite; allowed are finite numbers; check how it was computed", "q")
    copies, frames = leading[0], steps // every + 1
    made = Rollout(
        t + integrator.step * every * np.arange(frames),
        np.empty((copies, frames, model.nq)),
        np.empty((copies, frames, model.nv)),
        np.zeros(copies, dtype=bool),
    )
    forces = [*model.forces, *(own_forces(model, integrator.step) if joint_forces else ())]
    workers = workers_for(threads)
    if copies == 0:
        return made

    def walk(blocks):
        walker = _Walker(model, forces, integrator, float(t), gap)
        for start in blocks:
            walker.walk(made, q, v, start, min(start + walker.lanes, copies), every)

    starts = range(0, copies, pack_width())
    share = max(1, math.ceil(len(starts) / workers))
    on_all(workers, walk, [starts[k : k + share] for k in range(0, len(starts), share)])
    return made


class _Walker:
    """One thread's systems: a wide one, and one for single states where a lane of a block has failed."""

    def __init__(self, model, forces, integrator, t, gap):
        self.model, self.forces, self.integrator, self.t, self.gap = model, forces, integrator, t, gap if model.nc else 0.0
        self.wide = self._system(True) if JIT else None
        self.narrow = self.states = None
        self.lanes = self.wide.lanes if self.wide else 1

    def _system(self, wide):
        return System(
            self.model, self.forces, stages=self.integrator.stages, solver="articulated" if wide and self.model.nc else "auto", wide=wide
        )

    def walk(self, made, q, v, start, stop, every):
        if self.wide is not None:
            try:
                self._block(made, q, v, start, stop, every)
                return
            except StepError:
                pass
        for k in range(start, stop):
            self._one(made, q, v, k, every)

    def _block(self, made, q, v, start, stop, every):
        system, count = self.wide, stop - start
        rows = np.minimum(np.arange(start, start + self.lanes), stop - 1)  # a short block repeats its last state
        system.place.clear()
        system.q[:], system.v[:] = q[rows].T, v[rows].T
        system.sample_every(self.integrator.step)
        nq, nv, frames = self.model.nq, self.model.nv, made.q.shape[1] - 1
        if self.states is None:
            self.states = np.empty((frames, (nq + nv) * self.lanes))
        made.q[start:stop, 0], made.v[start:stop, 0] = q[start:stop], v[start:stop]
        if self.integrator.run_keeping(system, self.t, 0, every, self.gap, self.states) < frames:
            raise StepError("a lane")
        states = self.states.reshape(frames, nq + nv, self.lanes)
        made.q[start:stop, 1:] = states[:, :nq, :count].transpose(2, 0, 1)
        made.v[start:stop, 1:] = states[:, nq:, :count].transpose(2, 0, 1)

    def _one(self, made, q, v, k, every):
        self.narrow = self.narrow or self._system(False)
        system = self.narrow
        system.q[:], system.v[:] = q[k], v[k]
        method = self._method(system)
        made.q[k], made.v[k] = np.nan, np.nan
        made.q[k, 0], made.v[k, 0] = q[k], v[k]
        try:
            for frame in range(1, made.q.shape[1]):
                method.take(every)
                made.q[k, frame], made.v[k, frame] = system.q, system.v
        except StepError:
            made.failed[k] = True

    def _method(self, system):
        method = self.integrator.start(system, self.t)
        method.tolerance = self.gap
        return method
