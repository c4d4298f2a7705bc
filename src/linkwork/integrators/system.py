"""A model under its forces and controllers, with the memory to move it: what integrators advance.

The state stands in the first slots of the scratch memory (q, v); behind what solvers need come the slots of the loads, then those of the stepper:

q0 v0      the state at the start of the step              works     integral of each power: forces, controllers, prescribed motion
theta      local coordinates about q0                       audit     largest gap, projections
stages     theta', v' and powers of each stage              more      what else an integrator needs
held       joint forces that each controller holds          exchange  t, q, v and tau of one lane, for controllers
"""

from typing import NamedTuple

import numpy as np

from ..dynamics.force_tables import L_GAP, L_HELD, L_LAMBDA, L_POWERS, L_STORED
from ..dynamics.loads import Loads
from ..errors import ModelError
from ..kernels import JIT
from ..solvers.modes import ACCELERATION, GAPS, RATES
from ..solvers.sparse_program import RESERVED, workspace_of
from .group import rate_in_memory
from .rates import PlainSparseMemory, call_rates, rates_code
from .stepper import CONTROLLER, Controller, Controllers, Stepper, without_arrays

AUDIT = 4  # slots of the largest gap and of the number of projections, and two to spare


class Evaluation(NamedTuple):
    """What acts at a state: accelerations, joint forces, power and energy of each force, multipliers, largest gap and residual."""

    vdot: np.ndarray
    tau: np.ndarray
    powers: np.ndarray  # of each force, of controllers, of prescribed motion
    stored: np.ndarray
    multipliers: np.ndarray
    gap: float
    residual: float


class System:
    """A model with its loads, its solver and one scratch memory. `stages`: how many stages the stepper keeps.

    solver: "tree" for a model without constraints, else "articulated" or "sparse"; "auto" chooses. wide: LANES states side by side.
    """

    def __init__(self, model, forces=None, controllers=(), *, solver="auto", stages=0, more=0, wide=False):
        self.model, self.solver, self.wide = model, _solver(model, solver, wide), wide
        self.lanes = _lanes() if wide else 1
        base = workspace_of(model).floats + 8 if self.solver == "sparse" else model.work_slots
        self.loads = Loads(model, forces, first=base)
        self.first = self.loads.slots  # of the stepper
        nq, nv, nw = model.nq, model.nv, len(self.loads.infos) + 2
        self.at_theta = self.first + nq + nv
        self.at_works = self.at_theta + nv
        self.at_audit = self.at_works + nw
        self.at_stages = self.at_audit + AUDIT
        self.at_more = self.at_stages + stages * (2 * nv + nw)
        at_held = self.at_more + more
        exchange = at_held + len(controllers) * nv
        self.slots = exchange + 1 + nq + 2 * nv + 16
        self.rates = rates_code(self.solver, wide)
        self.memory, self.array = self.new_memory()
        self._aside = None
        self.controllers = list(controllers)
        self.controller_table = self._controller_table(at_held, exchange)
        self.stepper = self.stepper_on(self.memory, self.array)

    # ---- memory

    def new_memory(self):
        """Memory like the system's own: (what kernels take, the array of floats behind it)."""
        floats = self.slots * self.lanes
        if self.solver == "sparse":
            program = workspace_of(self.model).program
            if not JIT:
                array = np.zeros(floats).view(PlainSparseMemory)
                array.program = program
                return array, array
            whole = np.zeros(floats + RESERVED + 8)
            first = -whole.ctypes.data % 64 // 8
            whole.view(np.int64)[first] = program.ctypes.data
            array = whole[first + RESERVED :][:floats]
        else:
            whole = np.zeros(floats + 8)
            first = -whole.ctypes.data % 64 // 8
            array = whole[first:][:floats]
        return (int(array.ctypes.data) if JIT else array), array

    def slots_of(self, at, count, array=None):
        """A view on slots: (count,), or (count, LANES) of a wide system. `array`: of another memory than the system's own."""
        found = (self.array if array is None else array)[at * self.lanes : (at + count) * self.lanes]
        return found.reshape(count, self.lanes) if self.wide else found

    def stepper_on(self, memory, array):
        """A Stepper that works in a memory, which `new_memory` made."""
        model, header = self.model, self.loads.header
        s = without_arrays(Stepper, self.lanes)
        s.model, s.loads, s.rates, s.memory = model.handle, self.loads.handle, self.rates, memory
        s.controllers, s.constrained = self.controller_table, model.nc > 0
        s.nq, s.nv, s.nw = nq, nv, nw = model.nq, model.nv, len(self.loads.infos) + 2
        s.stride, s.at_q0, s.at_theta, s.at_stages = 2 * nv + nw, self.first, self.at_theta, self.at_stages
        places = {
            "q": (0, nq),
            "v": (nq, nv),
            "tau": (nq + nv, nv),
            "vdot": (nq + 2 * nv, nv),
            "held": (int(header[L_HELD]), nv),
            "powers": (int(header[L_POWERS]), nw),
            "gap": (int(header[L_GAP]), 1),
            "q0": (self.first, nq),
            "v0": (self.first + nq, nv),
            "theta": (self.at_theta, nv),
            "works": (self.at_works, nw),
            "largest_gap": (self.at_audit, 1),
            "projections": (self.at_audit + 1, 1),
            "stages": (self.at_stages, self.at_more - self.at_stages),
            "slots": (0, self.slots),
        }
        for name, (at, count) in places.items():
            setattr(s, name, self.slots_of(at, count, array))
        return s

    @property
    def q(self):
        return self.slots_of(0, self.model.nq)

    @property
    def v(self):
        return self.slots_of(self.model.nq, self.model.nv)

    @property
    def works(self):
        """The work done so far by each force, by controllers, and by prescribed motion."""
        return self.slots_of(self.at_works, len(self.loads.infos) + 2)

    @property
    def held(self):
        """The joint forces that controllers hold."""
        return self.slots_of(int(self.loads.header[L_HELD]), self.model.nv)

    @property
    def start(self):
        """(q, v) at the start of the last step."""
        nq, nv = self.model.nq, self.model.nv
        return self.slots_of(self.first, nq), self.slots_of(self.first + nq, nv)

    @property
    def largest_gap(self):
        return float(np.max(self.stepper.largest_gap))

    @property
    def projections(self):
        return int(np.max(self.stepper.projections))

    # ---- controllers

    def _controller_table(self, at_held, exchange):
        """The record of all controllers. `controller_codes`: their native functions; `numbers`: their parameters."""
        model = self.model
        table = without_arrays(Controllers)
        table.entries = Controller.over(np.zeros(len(self.controllers), CONTROLLER))
        table.limits = np.full(model.nv, np.inf)
        numbers, self._keep, self.controller_codes = [], [], []
        for k, (controller, entry) in enumerate(zip(self.controllers, table.entries, strict=True)):
            code, keep = controller.code(f"controller {controller.name!r}", model)
            self._keep.append(keep)
            self.controller_codes.append(code)
            entry.code, entry.every, entry.number, entry.held = code, 1, len(numbers), at_held + k * model.nv
            numbers += controller.numbers(model)
        self.numbers = np.array([*numbers, 0.0])
        for joint in model.joints:
            table.limits[joint.v_index] = joint.effort_limit
        table.count, table.exchange = len(self.controllers), exchange
        table.numbers = int(self.numbers.ctypes.data) if JIT else self.numbers
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

    def evaluate(self, t, q, v):
        """What acts at a state, without disturbing the motion."""
        if self._aside is None:
            self._aside = self.new_memory()
        memory, array = self._aside
        model, header = self.model, self.loads.header
        nq, nv, nf = model.nq, model.nv, len(self.loads.infos)
        array[:nq], array[nq : nq + nv] = q, v
        held = int(header[L_HELD])
        array[held : held + nv] = self.held
        call_plainly(self.rates, model.handle, self.loads.handle, memory, ACCELERATION, float(t))

        def read(at, count):
            return array[int(at) : int(at) + count].copy()

        gap, residual = read(header[L_GAP], 2) if model.nc else (0.0, 0.0)
        return Evaluation(
            read(nq + 2 * nv, nv),
            read(nq + nv, nv),
            read(header[L_POWERS], nf + 2),
            read(header[L_STORED], nf),
            read(header[L_LAMBDA], model.nc),
            float(gap),
            float(residual),
        )

    def correct(self, t, q, mode, v=None):
        """The correction of positions (mode POSITION) or of velocities (VELOCITY) in the mass metric, and the largest gap before it."""
        if self._aside is None:
            self._aside = self.new_memory()
        memory, array = self._aside
        model = self.model
        nq, nv = model.nq, model.nv
        array[:nq], array[nq : nq + nv] = q, 0.0 if v is None else v
        call_plainly(self.rates, model.handle, self.loads.handle, memory, mode, float(t))
        return array[nq + 2 * nv : nq + 3 * nv].copy(), float(array[int(self.loads.header[L_GAP])])

    def local_rate(self, theta, v):
        """theta', the rate of local coordinates theta when joints move with v (group.py)."""
        if not len(self.model.tables.quats):
            return np.array(v)
        if self._aside is None:
            self._aside = self.new_memory()
        memory, array = self._aside
        at, at_v, at_rate, nv = self.at_theta, self.model.nq, self.model.nq + 2 * self.model.nv, self.model.nv
        array[at : at + nv], array[at_v : at_v + nv] = theta, v
        rate_in_memory(self.model.handle, memory, at, at_v, at_rate)
        return array[at_rate : at_rate + nv].copy()

    def gaps(self, t, q, v):
        """(phi, phi_dot) of all rows."""
        if not self.model.nc:
            return np.zeros(0), np.zeros(0)
        at = int(self.loads.header[L_LAMBDA])
        found = []
        for mode in (GAPS, RATES):
            self.correct(t, q, mode, v)
            found.append(self._aside[1][at : at + self.model.nc].copy())
        return found[0], found[1]

    @property
    def has_controllers(self):
        return self.controller_table.count > 0


def call_plainly(code, handle, loads, memory, mode, time):
    """Call rates from Python."""
    if not JIT:
        return call_rates(code, handle, loads, memory, mode, time)
    import ctypes

    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)
    return kind(code)(handle, loads, memory, mode, time)


def _lanes():
    if not JIT:
        return 1
    from ..kernels.level import lanes

    return lanes()


def _solver(model, solver, wide):
    if not model.nc:
        return "tree"
    if solver == "auto":
        return "articulated" if wide else "sparse"
    if solver not in ("articulated", "sparse") or (wide and solver == "sparse"):
        allowed = "'articulated'" if wide else "'auto', 'articulated', 'sparse'"
        raise ModelError(f"solver: found {solver!r}; allowed are {allowed}")
    return solver
