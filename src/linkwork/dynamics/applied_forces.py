"""The forces of a model at given states, as joint forces and wrenches on bodies: what all functions of states let act."""

import ctypes
import functools
import threading

import numpy as np

from ..kernel import JIT, address_of, kernel
from ..model.model import need_model
from ..model.tables import at_x, count_v, floats_at, open_tables
from .applied import apply_forces
from .call import diagnose, shaped
from .force_tables import L_WRENCHES
from .loads import Loads
from .slots import HUGE, fill


@kernel(native=True)
def _apply(handle, loads, memory, time):
    work = floats_at(memory, HUGE)
    t = open_tables(handle)
    fill(work, at_x(t), count_v(t), 0.0, 0.0)
    apply_forces(handle, loads, work, time, 0.0)
    return 0


@functools.cache
def _code():
    if not JIT:
        return _apply
    from numba import types

    code = address_of(_apply, types.int64(types.int64, types.int64, types.int64, types.float64))
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)(code)


class ForceEvaluator:
    """Loads with memory to evaluate them in: joint forces together, wrenches force by force, as bodies welded together share a link."""

    def __init__(self, loads):
        self.loads, self.model = loads, loads.model
        self.array = np.zeros(loads.slots)
        self.lock = threading.Lock()

    def at(self, t, q, v):
        """(tau (nv,), wrenches (nb, 6)) at one state."""
        with self.lock:
            return self._at(t, q, v)

    def _at(self, t, q, v):
        model, loads, array = self.model, self.loads, self.array
        nq, nv = model.nq, model.nv
        array[:nq], array[nq : nq + nv] = q, v
        wrenches, on = np.zeros((model.nb, 6)), loads.on.copy()
        between = [k for k, info in enumerate(loads.infos) if info.places and on[k]]
        try:
            loads.on[between] = 0.0
            self._call(t)
            tau = array[nq + nv : nq + 2 * nv].copy()
            loads.on[:] = 0.0
            for k in between:
                loads.on[k] = 1.0
                self._call(t)
                loads.on[k] = 0.0
                self._gather(loads.infos[k], wrenches)
        finally:
            loads.on[:] = on
        return tau, wrenches

    def _call(self, t):
        memory = int(self.array.ctypes.data) if JIT else self.array
        _code()(self.model.handle, self.loads.handle, memory, float(t))

    def _gather(self, info, wrenches):
        model, at = self.model, int(self.loads.header[L_WRENCHES])
        done = set()
        for name, _ in info.places:
            if name == "ground":
                continue
            index = model.body(name).index
            row = model.tables.bodies[index]
            if row["link"] >= 0 and row["link"] not in done:
                done.add(int(row["link"]))
                F = self.array[at + 6 * row["link"] :][:6]
                R, p = row["R"].reshape(3, 3), row["p"]
                wrenches[index] += np.concatenate([R.T @ (F[:3] - np.cross(p, F[3:])), R.T @ F[3:]])


def _evaluator(model):
    try:
        return model.kept["forces"]
    except KeyError:
        return model.kept.setdefault("forces", ForceEvaluator(Loads(model, first=model.work_slots)))


def applied_forces(model, q, v=None, t=0.0):
    """What the forces of a model exert at given states: (tau (..., nv), wrenches (..., nb, 6)), wrenches each in its body's frame.

    Springs, dampers, motors and all else that `Mechanism.add_force` added and that is switched on; damping, friction and limits of the joints
    themselves act in simulations only.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("slider")
    >>> block = m.add_body("block", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, block)
    >>> _ = m.add_force("spring", lw.SpringDamper(stiffness=10.0, length=1.0), block, m.ground.at(3, 0, 0))
    >>> tau, wrenches = lw.applied_forces(m.build(), [0.5])
    >>> wrenches.tolist()
    [[0.0, 0.0, 0.0, 15.0, 0.0, 0.0]]
    """
    need_model(model)
    inputs = [
        ("q", q, (model.nq,)),
        ("v", np.zeros(model.nv) if v is None else v, (model.nv,)),
        ("t", np.asarray(t, dtype=float)[..., None], (1,)),
    ]
    arrays, leading = shaped(inputs)
    if not all(np.isfinite(array).all() for array in arrays):
        diagnose(model, inputs, arrays)
    q, v, time = (array.reshape(-1, array.shape[-1]) for array in arrays)
    tau, wrenches = np.zeros((len(q), model.nv)), np.zeros((len(q), model.nb, 6))
    if model.forces:
        evaluator = _evaluator(model)
        for k in range(len(q)):
            tau[k], wrenches[k] = evaluator.at(time[k, 0], q[k], v[k])
    return tau.reshape(*leading, model.nv), wrenches.reshape(*leading, model.nb, 6)


def with_forces(model, q, v, t, tau, f_ext):
    """tau and f_ext, with what the model's forces exert added."""
    from .external import wrenches as wrench_input

    joint, body = applied_forces(model, q, v, t)
    if f_ext is not None:
        _, given, shape = wrench_input(model, f_ext)
        body = body + np.asarray(given, dtype=float).reshape(*np.shape(given)[: np.ndim(given) - 2], *shape)
    return joint if tau is None else joint + np.asarray(tau, dtype=float), body
