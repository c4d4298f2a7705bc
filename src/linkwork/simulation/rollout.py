"""Many copies of a mechanism at once: states fill the lanes of SIMD registers and walk side by side, blocks of them on all cores."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arguments import checked
from ..constraints.drift_control import projection_tolerance
from ..constraints.modes import GAPS, RATES
from ..data.need_memory import need_result_memory
from ..dynamics.call import on_all, shaped, workers_for
from ..errors import ModelError, SingularPoseWarning, StateError
from ..integrators.defaults import default_integrator, refuse_contact
from ..integrators.fixed_step import FixedStep
from ..integrators.integrator import StepError
from ..integrators.system import System
from ..kernels import JIT
from ..kernels.array_fields import pack_width
from ..kernels.lane_flags import flagged_lanes
from ..model.model import built_model
from .ambiguous_branch import ambiguous_branch_text
from .beginning import acting_forces, allowed_gaps, checked_states, counted_gaps, refuse_endless_energy, refuse_open, started_method
from .constraint_faults import PARTS, PrescribedMotion
from .energy_bound import EnergyAccount
from .half_turns import warn_of_half_turns
from .limits import warn_beyond_limits

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..integrators.integrator import Integrator
    from ..model.model import ForceInfo, Model

FAST = 1e3  # rad/s or m/s, and times the fastest at the start: copies that get so fast are checked for energy from nowhere


class Rollout(NamedTuple):
    """What `rollout` returns: time (samples,), q (copies, samples, nq), v (copies, samples, nv), failed (copies,): NaN after the last valid sample.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> run = lw.rollout(m.build(), [[0.1], [0.2]], [[0.0], [0.0]], 100, every=50)
    >>> run.q.shape, run.time.round(9).tolist(), run.failed.tolist()
    ((2, 3, 1), [0.0, 0.05, 0.1], [False, False])
    """

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    failed: np.ndarray


# parameters: a public function; all but the states and the steps are options, given by name
@checked(steps="whole", t="time", every="count", constraint_tolerance="size", joint_forces="flag", threads="threads")
def rollout(
    model: Any,
    q: ArrayLike,
    v: ArrayLike,
    steps: int,
    integrator: Integrator | None = None,
    *,
    t: float = 0.0,
    every: int = 1,
    constraint_tolerance: float = 1e-10,
    joint_forces: bool = True,
    threads: int | None = 1,
) -> Rollout:
    """Advance many copies of a model from their own states by some steps.

    Args:
        model: a built Model, or what is built into one: a Mechanism, a Document.
        q, v: the states to begin with, (copies, nq) and (copies, nv), on the constraints as those of a Simulation: lw.assemble and
            lw.project_velocity make them so.
        steps: how many. integrator: one with a fixed step; RungeKutta4(step=1e-3) if none is given, ContactStepping(step=1e-3) where
            bodies touch.
        every: keep every so many steps; the first state is kept too. constraint_tolerance: as for Simulation. threads: cores to use (None: all).
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
    model = built_model(model, "model")
    integrator = default_integrator(model) if integrator is None else integrator
    if not isinstance(integrator, FixedStep) or (integrator.loop_wide is None and not integrator.hard_limits):
        raise ModelError(
            f"rollout: found integrator {integrator!r}; allowed is one with a fixed step that runs in lanes, such as RungeKutta4(step=1e-3)"
        )
    refuse_contact(model, integrator, lanes=True)
    (q, v), leading = shaped([("q", q, (model.nq,)), ("v", v, (model.nv,))])
    if len(leading) != 1:
        remedy = "lw.simulate runs one state" if not leading else "reshape them"
        raise StateError(f"q, v: found leading axes {leading}; allowed is one axis of copies, (copies, nq) and (copies, nv); {remedy}", "q")
    q = checked_states(model, q, v)
    refuse_endless_energy(model, q, v)
    copies, frames, workers = leading[0], steps // every + 1, workers_for(threads)
    lanes = pack_width() if integrator.loop_wide is not None else 1  # with contact, copies go one by one
    kept = copies + workers * lanes  # states of a sample: the results, and the lanes of each thread before they are put there
    need_result_memory(
        "steps",
        f"{steps} of {copies} copies, {frames} kept of each,",
        8 * frames * (1 + kept * (model.nq + model.nv)),
        "keep fewer with every=, or roll fewer copies or steps at once",
    )
    made = Rollout(
        t + integrator.step * every * np.arange(frames),
        np.empty((copies, frames, model.nq)),
        np.empty((copies, frames, model.nv)),
        np.zeros(copies, dtype=bool),
    )
    forces, own = acting_forces(model, integrator, joint_forces)
    ambiguous_branch: dict[int, Any] = {}
    if copies == 0:
        return made
    warn_beyond_limits(model, own, q, hard=joint_forces and integrator.hard_limits)

    def run(blocks: range) -> None:
        worker = _Worker(model, forces, integrator, float(t), constraint_tolerance, ambiguous_branch, joint_forces)
        for start in blocks:
            worker.run(made, q, v, start, min(start + worker.lanes, copies), every)

    starts = range(0, copies, lanes)
    share = max(1, math.ceil(len(starts) / workers))
    on_all(workers, run, [starts[k : k + share] for k in range(0, len(starts), share)])
    _end_where_none_can_follow(made, model, every)
    warn_of_half_turns(model, forces, made.time, made.q, threads)
    if ambiguous_branch:
        first = min(ambiguous_branch)
        others = f" of copy {first}" + (f" (and in {len(ambiguous_branch) - 1} more copies)" if len(ambiguous_branch) > 1 else "")
        warnings.warn(ambiguous_branch_text(model, *ambiguous_branch[first], others), SingularPoseWarning, stacklevel=2)  # type: ignore[call-arg]
    return made


def _end_where_none_can_follow(made: Rollout, model: Model, every: int) -> None:
    """All copies fail where prescribed motion is none that can be followed (constraint_faults.py): it is the same for all."""
    prescribed = PrescribedMotion(model)
    for frame in range(1, len(made.time)):
        found = prescribed.first_fault(made.time[frame - 1], made.time[frame], min(every, PARTS))
        if found is not None and found.refused:
            made.q[:, frame:], made.v[:, frame:], made.failed[:] = np.nan, np.nan, True
            return


class _Worker:
    """One thread's systems: a wide one, and one for single states where a lane of a block has failed, or is in doubt.

    undecided: {copy: (time, q)} of the first singular pose in which nothing decided how a copy goes on.
    """

    # parameters: what all copies have in common
    def __init__(
        self,
        model: Model,
        forces: list[ForceInfo],
        integrator: Any,
        t: float,
        constraint_tolerance: float,
        ambiguous_branch: dict[Any, Any],
        joint_forces: bool,
    ) -> None:
        self.ambiguous_branch, self.joint_forces = ambiguous_branch, joint_forces
        self.model, self.forces, self.integrator, self.t, self.constraint_tolerance = model, forces, integrator, t, constraint_tolerance
        self.tolerance = projection_tolerance(constraint_tolerance)
        self.wide: Any = self._system(True) if JIT and integrator.loop_wide is not None else None
        self.narrow: Any = None
        self.states: Any = None
        self.lanes = self.wide.lanes if self.wide else 1
        if self.wide:
            self.lane_q, self.lane_v = self.wide.q, self.wide.v

    def _system(self, wide: bool) -> System:
        solver = "articulated" if wide and self.model.nc else "auto"
        hard = self.integrator.hard_limits
        contact = hard or (self.integrator.takes_contact and self.model.touches)
        stages, own = self.integrator.stages, self.joint_forces and hard
        return System(self.model, self.forces, stages=stages, solver=solver, wide=wide, takes_contact=contact, joint_forces=own)

    def check(self, q: NDArray[np.float64], v: NDArray[np.float64], start: int, stop: int) -> None:
        """Refuse states that are not on the constraints, as a Simulation does. Those of the block are in the lanes already."""
        if self.wide is None:
            for k in range(start, stop):
                self._refuse(self._one_system().gaps(self.t, q[k], v[k]), q, v, k)
            return
        workspace = self.wide.workspace
        for mode in (GAPS, RATES):
            workspace.evaluate(self.wide, self.t, mode)
        phi, rate = (rows[:, : stop - start] for rows in (workspace.accelerations.gaps, workspace.accelerations.gap_rates))
        phi_allowed, rate_allowed = allowed_gaps(self.model, v[start:stop], self.constraint_tolerance)
        closed = (np.abs(phi) <= np.atleast_2d(phi_allowed).T).all(axis=0) & (np.abs(rate) <= np.atleast_2d(rate_allowed).T).all(axis=0)
        for k in np.flatnonzero(~closed):  # type: ignore[assignment]
            self._refuse((phi[:, k].copy(), rate[:, k].copy()), q, v, start + k)

    def _refuse(self, gaps: Any, q: Any, v: Any, k: Any) -> None:
        gaps = counted_gaps(self.model, q[k], self.t, gaps, v[k], self.constraint_tolerance)
        refuse_open(self.model, *gaps, v[k], self.constraint_tolerance, f"[{k}]")  # type: ignore[call-arg]

    def _put(self, q: NDArray[np.float64], v: NDArray[np.float64], start: int, stop: int) -> None:
        self.wide.workspace.clear()
        full = stop - start == self.lanes
        rows = (
            slice(start, stop) if full else np.minimum(np.arange(start, start + self.lanes), stop - 1)
        )  # a short block repeats its last state
        self.lane_q[:], self.lane_v[:] = q[rows].T, v[rows].T

    def run(self, made: Any, q: Any, v: Any, start: Any, stop: Any, every: int) -> None:
        if self.wide is not None:
            self._put(q, v, start, stop)
        if self.model.nc:
            self.check(q, v, start, stop)
        in_lanes = self.wide is not None and self._block(made, q, v, start, stop, every)
        again = sorted({*self._fast(made, start, stop), *self._regular}) if in_lanes else range(start, stop)
        for k in again:
            self._one(made, q, v, k, every, whole=not in_lanes)

    def _block(self, made: Rollout, q: NDArray[np.float64], v: NDArray[np.float64], start: int, stop: int, every: int) -> bool:
        """All lanes at once; False if a step of one of them has failed."""
        system, count = self.wide, stop - start
        system.sample_every(self.integrator.step)
        nq, nv, frames = self.model.nq, self.model.nv, made.q.shape[1] - 1
        if self.states is None:
            self.states = np.empty((frames, (nq + nv) * self.lanes))
        made.q[start:stop, 0], made.v[start:stop, 0] = q[start:stop], v[start:stop]
        if self.integrator.run_recording(system, self.t, 0, every, self.tolerance, self.states) < frames:
            return False
        self._regular = self._note_ambiguous_branch(system, start, count)
        states = self.states.reshape(frames, nq + nv, self.lanes)
        made.q[start:stop, 1:] = states[:, :nq, :count].transpose(2, 0, 1)
        made.v[start:stop, 1:] = states[:, nq:, :count].transpose(2, 0, 1)
        return True

    def _fast(self, made: Rollout, start: int, stop: int) -> Any:
        """The copies of a block that are so fast that their energy is in doubt."""
        v = self.states[:, self.model.nq * self.lanes :]
        if not v.size or max(v.max(), -v.min()) <= FAST:
            return ()
        return [k for k in range(start, stop) if np.abs(made.v[k]).max() > FAST * max(1.0, np.abs(made.v[k, 0]).max())]

    def _one(self, made: Any, q: Any, v: Any, k: Any, every: Any, whole: Any) -> None:
        """One copy alone, its energy and its branch judged at every sample. `whole`: it is to be written; else the lanes have, and only a failure counts."""
        system, frames = self._one_system(), made.q.shape[1]
        system.workspace.clear()
        system.q[:], system.v[:] = q[k], v[k]
        method = started_method(self.integrator, system, self.t, "project", self.constraint_tolerance)
        found_q, found_v = np.full((frames, self.model.nq), np.nan), np.full((frames, self.model.nv), np.nan)
        found_q[0], found_v[0] = q[k], v[k]
        valid, failed = 1, False
        account = EnergyAccount(system, self.t)
        try:
            for frame in range(1, frames):
                method.take(every)
                verdict = account.judge(method.time)
                if verdict.grown:
                    raise StepError("energy has grown from nowhere")
                found_q[frame], found_v[frame] = system.q, system.v
                valid = valid if verdict.suspect else frame + 1
                if k not in self.ambiguous_branch:
                    self._note_ambiguous_branch(system, k, 1)
        except StepError:
            failed = made.failed[k] = True
            found_q[valid:], found_v[valid:] = np.nan, np.nan
        if k not in self.ambiguous_branch:
            self._note_ambiguous_branch(system, k, 1)
        if whole or failed:
            made.q[k], made.v[k] = found_q, found_v

    def _one_system(self) -> Any:
        self.narrow = self.narrow or self._system(False)
        return self.narrow

    def _note_ambiguous_branch(self, system: Any, start: int, count: int) -> list[int]:
        """Keep the poses of copies that were flagged. Returns copies whose pose is regular: it hides those that may have followed."""
        regular = []
        for lane in flagged_lanes(int(system.stepper.ambiguous_branch[0]), count):
            if (pose := system.workspace.ambiguous_pose(lane)) is not None:
                self.ambiguous_branch[start + lane] = pose
            else:
                regular.append(start + lane)
        return regular
