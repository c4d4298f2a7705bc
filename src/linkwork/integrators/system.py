"""A model under its forces and controllers, with the data to move it: what integrators advance.

A `Workspace` is the memory in which a system is evaluated: its own, where the motion is, and others beside it, so that looking never changes the motion.
"""

import contextlib
import ctypes
import functools
from typing import NamedTuple

import numpy as np

from ..analysis.branches import is_regular
from ..constraints.modes import GAPS, RATES, VELOCITY
from ..constraints.singular_poses import accelerations, learn_current_rank
from ..constraints.solver_call import call_accelerations
from ..constraints.tolerance import comparable, rest_pace
from ..data.forces import ForceData
from ..data.lending import Data
from ..data.stepper import STATE, Controllers, Stepper, for_kernels
from ..dynamics.active_forces import ActiveForces
from ..errors import ModelError
from ..kernels import JIT
from ..kernels.array_fields import pack_width
from ..kernels.lane_flags import flagged_lanes
from ..solvers.registry import acceleration_address, acceleration_function, solver_in_motion
from .force_memory import accept_memory_of
from .nonsmooth.memory import CONTACT_LOSSES, load_contact, new_contact, new_mode, save_contact, solver_with_contact
from .saved_values import LARGEST, refuse_saved
from .step_ends import rate_of_theta


class Evaluation(NamedTuple):
    """What acts at a state: accelerations, joint forces, power and energy of each force, multipliers, largest gap and residual.

    clearance: about how far it is from a singular pose, as a part of how far the motion has been from one; 1 without constraints.
    unbalanced: rad/s^2, what of the accelerations no multipliers explain; in a singular pose the forces that would grow without bound.
    """

    vdot: np.ndarray
    tau: np.ndarray
    powers: np.ndarray  # of each force, of controllers, of prescribed motion
    stored: np.ndarray
    multipliers: np.ndarray
    gap: float
    residual: float
    clearance: float
    unbalanced: float


@functools.cache
def native_accelerations(code):
    """The accelerations at an address as a function for Python."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)(code)


class Workspace:
    """The data of a system and a Stepper on it; `accelerations` is the record that accelerations are evaluated in (data/accelerations.py).

    solver: "tree", "articulated" or "sparse", if the record is to be that of another solver than the system's.
    """

    def __init__(self, system, solver=None):
        self.model = model = system.model
        active_forces = system.active_forces
        self.data = Data(model, system.lanes)
        self.tree = self.data.tree
        self.forces = self.data.record(ForceData, lambda data: data.new(ForceData, **active_forces.sizes))
        mode = () if system.mode is None else (system.mode,)
        self.accelerations = acceleration_function(solver or system.solver, bool(mode)).memory(self.data, *mode)
        self.stepper = self._stepper(system)
        self._state = [getattr(self.stepper, name).reshape(-1) for name in STATE]
        system.workspaces.append(self)

    def _stepper(self, system):
        model, found = system.model, self.accelerations
        nv, nw = model.nv, len(system.active_forces.infos) + 2
        sizes = {"nq": model.nq, "nv": nv, "nw": nw, "stages": system.stages, "controllers": len(system.controllers), "lanes": system.lanes}
        sizes["slots"] = system.active_forces.table.slots
        sizes["losses"] = CONTACT_LOSSES if system.takes_contact else 0
        s = Stepper.allocate(sizes, system.lanes)
        s.model, s.active, s.accelerations = model.handle, system.active_forces.handle, system.acceleration_address
        s.data = found.address if JIT else found
        s.controllers, s.constrained = system.controller_table, model.nc > 0
        s.nq, s.nv, s.nw, s.stride = model.nq, nv, nw, 2 * nv + nw
        for name in ("q", "v", "tau", "vdot"):
            setattr(s, name, getattr(self.tree, name))
        s.held, s.powers, s.memory = self.forces.held, self.forces.powers, self.forces.memory
        s.gap, s.gap_rate, s.rank, s.pivot, s.redundant = found.gap, found.gap_rate, found.rank, found.pivot, found.redundant
        s.ahead, s.follows, s.branch_vdot = found.ahead, found.follows, found.branch_vdot
        s.scale[:], s.pace = comparable(model), rest_pace(model)
        if system.mode is not None:
            s.contact = system.mode.contact
        return s

    def save(self):
        """What a restart needs, as one array."""
        return np.concatenate(self._state)

    def load(self, saved):
        """Take up what `save` gave, of this workspace or of another of the same system."""
        at = 0
        for part in self._state:
            part[:] = saved[at : at + len(part)]
            at += len(part)

    def refuse_wrong_integers(self, saved):
        """FormatError for what `save` cannot have given: a count or a flag that is no whole number."""
        at = 0
        for name, part in zip(STATE, self._state, strict=True):
            found = saved[at : at + len(part)]
            if part.dtype == np.int64 and not ((found >= 0) & (found <= LARGEST) & (found == np.floor(found))).all():
                raise refuse_saved(f"motion, {name}", found.tolist(), f"whole numbers from 0 to {LARGEST}")
            at += len(part)

    def clear(self):
        """Begin with zeros."""
        for part in self._state:
            part[:] = 0.0

    def ambiguous_pose(self, lane):
        """(time, q) of the first singular pose in which nothing decided how the motion of a lane continues, if it is flagged in stepper.ambiguous_branch.

        None, and no longer flagged, if that pose is regular.
        """
        s = self.stepper
        t, q = float(s.ambiguous_branch_time.reshape(-1)[lane]), s.ambiguous_branch_q.reshape(s.nq, -1)[:, lane].copy()
        if is_regular(self.model, q, t, s.known_rank.reshape(-1)[lane]):
            s.ambiguous_branch[0] &= ~(1 << lane)
            return None
        return t, q

    @property
    def size(self):
        """How many numbers `save` gives."""
        return sum(map(len, self._state))

    def evaluate(self, system, t, mode):
        """Call the function of accelerations from Python."""
        arguments = system.model.handle, system.active_forces.handle, self.stepper.data, mode, float(t)
        if not JIT:
            return call_accelerations(system.acceleration_address, *arguments)
        return native_accelerations(system.acceleration_address)(*arguments)


class System:
    """A model with its forces, its solver and a workspace for its motion. `stages`: how many stages the stepper keeps.

    solver: "tree" for a model without constraints, else "articulated" or "sparse"; "auto" chooses. wide: LANES states side by side.
    takes_contact: for a method that lets bodies touch. joint_forces: and joints have hard limits and dry friction. by_events: and contact is a part of the
    accelerations from event to event, in a mode (data/contact_mode.py).
    """

    # parameters: the settings of a system, given by name
    def __init__(
        self,
        model,
        forces=None,
        controllers=(),
        *,
        solver="auto",
        stages=0,
        wide=False,
        takes_contact=False,
        joint_forces=True,
        by_events=False,
    ):
        if takes_contact:
            solver = solver_with_contact(model, solver)
        self.model, self.solver, self.wide, self.stages = model, solver_in_motion(model, solver, wide), wide, stages
        self.takes_contact = takes_contact
        self.lanes = pack_width() if wide else 1
        self.active_forces = ActiveForces(model, forces)
        self.mode = new_mode(model, new_contact(model, False)) if by_events else None
        self.workspaces = []  # of the motion, and those beside it
        self.acceleration_address = acceleration_address(self.solver, wide, by_events)
        self.controllers = list(controllers)
        self.controller_table = self._controller_table()
        self.workspace = Workspace(self)
        self.data, self.tree, self.forces, self.stepper = (
            self.workspace.data,
            self.workspace.tree,
            self.workspace.forces,
            self.workspace.stepper,
        )
        self._aside = None
        self.contact_events = lambda: None  # a weak reference to the ContactEvents of a method that goes from event to event
        if takes_contact and not by_events:
            self.stepper.contact = new_contact(model, joint_forces)

    def points_at(self, t, q, v):
        """The points of contact of the last step, or of a time within it, as rows of an array."""
        if (events := self.contact_events()) is not None:
            return events.points_at(t, q, v)
        memory = self.contact.memory
        return memory.points.rows[: int(memory.count[0])]

    def where_contact_begins(self, statuses):
        """What a method that locates events knows of a change of statuses, else None."""
        events = self.contact_events()
        return None if events is None else events.beginning(statuses)

    @property
    def contact(self):
        """The ContactData of the motion; None if its method does not take contact."""
        return self.stepper.contact if self.takes_contact else None

    def give_room(self):
        """Twice the room for points in a mode of contact, with what was remembered."""
        old, contact = self.mode, new_contact(self.model, False, 2 * self.mode.contact.room)
        load_contact(contact, save_contact(old.contact))
        self.mode = new_mode(self.model, contact)
        self.mode.count, self.mode.still = old.count, old.still
        self.mode.points.rows[: old.count] = old.points.rows[: old.count]
        for workspace in self.workspaces:
            workspace.accelerations.mode, workspace.stepper.contact = self.mode, contact

    @property
    def q(self):
        return self.stepper.q

    @property
    def v(self):
        return self.stepper.v

    @functools.cached_property
    def prescribes_rates(self):
        """Do constraints prescribe motion, or hold velocities alone?"""
        return self.prescribes_motion or not bool(self.model.constraint_tables.blocks["holonomic"].all())

    @functools.cached_property
    def prescribes_motion(self):
        """Do constraints make the mechanism move?"""
        return any(block.moves for info in self.model.constraints if not info.is_loop for block in info.kind.blocks())

    @functools.cached_property
    def prescribes_velocities(self):
        """Do constraints prescribe velocities other than zero, and so may do work?"""
        return any(block.drives for info in self.model.constraints if not info.is_loop for block in info.kind.blocks())

    @property
    def works(self):
        """The work done so far by each force, by controllers, and by prescribed motion."""
        return self.stepper.works

    @property
    def held(self):
        """The joint forces that controllers hold."""
        return self.stepper.held

    @property
    def start(self):
        """(q, v) at the start of the last step."""
        return self.stepper.q0, self.stepper.v0

    @property
    def largest_gap(self):
        return float(np.max(self.stepper.largest_gap))

    @property
    def projections(self):
        return int(np.max(self.stepper.projections))

    @property
    def ambiguous_branch(self):
        """(time, q) of the first singular pose in which the continuation is ambiguous, of the motion or of a state evaluated separately; or None."""
        for workspace in (self.workspace, self._aside):
            lanes = flagged_lanes(int(workspace.stepper.ambiguous_branch[0]), self.lanes) if workspace is not None else ()
            if lanes and (pose := workspace.ambiguous_pose(lanes[0])) is not None:
                return pose
        return None

    def save(self):
        """What a restart needs of the motion, as one array."""
        return self.workspace.save()

    def load(self, saved):
        """Take up what `save` gave."""
        self.workspace.load(saved)

    @contextlib.contextmanager
    def kept(self):
        """What happens to the motion in here is undone."""
        motion, numbers, contact = self.save(), self.numbers.copy(), None if self.contact is None else save_contact(self.contact)
        try:
            yield
        finally:
            self.load(motion)
            self.numbers[:] = numbers
            if contact is not None:
                load_contact(self.contact, contact)

    # ---- what force laws remember

    def remember(self, t):
        """A step has been accepted, from Python. Returns whether a force law remembers anything new (force_memory.py)."""
        return bool(accept_memory_of(for_kernels(self.stepper), float(t)))

    def forget_step(self):
        """What force laws remembered at the start of the last step."""
        self.stepper.memory[:] = self.stepper.memory0

    @property
    def memory(self):
        """{force: what its law remembers}, of forces that remember anything."""
        table = self.active_forces
        where = {info.name: table.memory_of(info.name) for info in table.infos if info.kind.slots}
        return {name: self.stepper.memory[at].copy() for name, at in where.items()}

    @memory.setter
    def memory(self, values):
        table = self.active_forces
        for info in table.infos:
            if info.kind.slots and info.name in values:
                at = table.memory_of(info.name)
                if at.stop - at.start == len(values[info.name]):
                    self.stepper.memory[at] = self.stepper.memory0[at] = values[info.name]

    # ---- controllers

    def _controller_table(self):
        """The record of all controllers. `controller_codes`: their native functions; `numbers`: their parameters."""
        model, count, numbers = self.model, len(self.controllers), []
        self._keep, self.controller_codes, firsts = [], [], []
        for controller in self.controllers:
            code, keep = controller.code(f"controller {controller.name!r}", model)
            self._keep.append(keep)
            self.controller_codes.append(code)
            firsts.append(len(numbers))
            numbers += controller.numbers(model)
        table = Controllers.allocate({"nq": model.nq, "nv": model.nv, "count": count, "numbers": len(numbers) + 1})
        self.numbers = table.numbers
        self.numbers[:-1] = numbers
        table.limits[:] = np.inf
        for joint in model.joints:
            table.limits[joint.v_index] = joint.effort_limit
        table.count = count
        for entry, code, first in zip(table.entries, self.controller_codes, firsts, strict=True):
            entry.code, entry.every, entry.number = code, 1, first
        return table

    def sample_every(self, step):
        """Let controllers be sampled in a loop of fixed steps: their periods must be whole numbers of steps."""
        for k, controller in enumerate(self.controllers):
            every = 1.0 / (controller.rate * step)
            whole = round(every)
            if whole < 1 or abs(every - whole) > 1e-6 * every:
                raise ModelError(
                    f"controller {controller.name!r}: its period 1/{controller.rate:g} s is {every:.6g} steps of {step:g} s; allowed is a whole "
                    f"number of steps; choose a rate that divides {1.0 / step:g} Hz, or another step"
                )
            self.controller_table.entries[k].every = whole

    # ---- evaluation beside the motion

    def workspace_at(self, q, v):
        """A workspace beside that of the motion, at a state."""
        if self._aside is None:
            self._aside = Workspace(self)
        known, motion = self._aside.stepper, self.stepper
        if np.any(motion.known_rank):  # of the motion: states that are evaluated separately are judged by the same rank
            known.known_rank[:], known.known_pivot[:] = motion.known_rank, motion.known_pivot
        known.memory[:] = motion.memory
        self._aside.tree.q[:], self._aside.tree.v[:] = q, 0.0 if v is None else v
        return self._aside

    def evaluate(self, t, q, v, within_step=False):
        """What acts at a state, without disturbing the motion. within_step: as in the last step, with what force laws remembered at its start."""
        workspace = self.workspace_at(q, v)
        if within_step:
            workspace.stepper.memory[:] = self.stepper.memory0
        workspace.forces.held[:] = self.held
        workspace.stepper.unbalanced[:] = 0.0
        accelerations(for_kernels(workspace.stepper), float(t))
        if not np.any(self.stepper.known_rank):
            learn_current_rank(for_kernels(workspace.stepper))  # a method of its own equations: what it passes is known from looking
        found, tree, forces = workspace.accelerations, workspace.tree, workspace.forces
        gap, residual = (float(found.gap[0]), float(found.residual[0])) if self.model.nc else (0.0, 0.0)
        return Evaluation(
            tree.vdot.copy(),
            tree.tau.copy(),
            forces.powers.copy(),
            forces.stored.copy(),
            found.multipliers.copy(),
            gap,
            residual,
            self._clearance(workspace.stepper),
            float(workspace.stepper.unbalanced[0]),
        )

    def clearance(self, t, q):
        """How far a pose is from a singular one, as in an Evaluation."""
        self.correct(t, q, VELOCITY)
        return self._clearance(self._aside.stepper)

    def _clearance(self, stepper):
        if not self.model.nc or not stepper.known_rank[0] > 0.0:
            return 1.0
        return 0.0 if stepper.rank[0] < stepper.known_rank[0] else float(np.sqrt(stepper.pivot[0] / stepper.known_pivot[0]))

    def correct(self, t, q, mode, v=None):
        """The correction of positions (mode POSITION) or of velocities (VELOCITY) in the mass metric, and the largest gap before it."""
        workspace = self.workspace_at(q, v)
        workspace.evaluate(self, t, mode)
        return workspace.tree.vdot.copy(), float(workspace.accelerations.gap[0])

    def local_rate(self, theta, v):
        """theta', the rate of local coordinates theta when joints move with v (dynamics/joints/coordinates.py)."""
        if not len(self.model.tables.quats):
            return np.array(v)
        stepper = self.workspace_at(self.q, v).stepper
        stepper.theta[:] = theta
        rate_of_theta(for_kernels(stepper))
        return stepper.vdot.copy()

    def gaps(self, t, q, v):
        """(phi, phi_dot) of all rows."""
        if not self.model.nc:
            return np.zeros(0), np.zeros(0)
        workspace = self.workspace_at(q, v)
        for mode in (GAPS, RATES):
            workspace.evaluate(self, t, mode)
        return workspace.accelerations.gaps.copy(), workspace.accelerations.gap_rates.copy()

    @property
    def has_controllers(self):
        return self.controller_table.count > 0
