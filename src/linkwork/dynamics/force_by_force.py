"""Every force by itself, in one pass: what each law exerts at its two ends, and what that is on the bodies.

The loads of a motion are added up link by link (dynamics/applied.py). Reactions need more: bodies that are welded together share a link, and the
weld between them feels which of them a force acts on; so does the ground under a body that is welded to it. With f and n of a law about its
marker's point p_m, world axes, a body with pose (R, p) gets

    f_body = R^T f,      n_body = R^T (n + (p_m - p) x f)
"""

import ctypes
import functools
from collections import deque
from typing import NamedTuple

import numpy as np

from ..data.forces import ALONG, GIVEN, MARKER, RESULT, ForceData, ForceTable
from ..data.lending import Data, cached
from ..data.tree import TreeData
from ..errors import ModelError
from ..kernels import JIT, address_of, kernel
from ..kernels.records import Record, integers, pointer, real, reals, reals_fixed, records
from ..kernels.views import floats_of
from ..model.custom import call_law
from ..model.tables import open_tables
from ..native_function import forget_errors
from ..spatial.matrices import apply9_transposed
from ..spatial.vectors import add3, cross3, get3, set3, sub3
from .active_forces import ActiveForces
from .applied import ALONG_GIVEN, give_memory
from .markers import marker, put_marker
from .sweep import VELOCITY_ORDER, body_pose, sweep_links


class ForceEnds(Record):
    """What a law exerts where it acts, and the energy in it, J. Between places: at both ends, in world axes."""

    n_a = reals_fixed(3, "moment on the first body about its place, N m", by="_each_force")
    f_a = reals_fixed(3, "force on it, N", by="_each_force")
    n_b = reals_fixed(3, "moment on the second body about its place", by="_each_force")
    f_b = reals_fixed(3, "force on it", by="_each_force")
    energy = real("J", by="_each_force")
    p_a = reals_fixed(3, "the first place, m", by="_each_force")
    p_b = reals_fixed(3, "the second place", by="_each_force")
    along = real("of a law along a joint: its force, N m or N", by="_each_force")


class ForceByForceData(Record):
    """What forces exert, each by itself."""

    tree = pointer(TreeData, "the state, and the motion of links")
    forces = pointer(ForceData, "exchange with laws")
    active = pointer(ForceTable, "the forces")
    bodies = integers("2 * entries", "the bodies of each entry's two ends, -1 for ground")
    ends = records(ForceEnds, "entries", "of each entry")
    wrenches = reals("6 * nb", "on bodies, each in its body's frame")


@kernel(address="i i d")
def _each_force(handle, data: ForceByForceData, time) -> int:
    """Fill the ends, and add to the wrenches."""
    model, tree, table, call = open_tables(handle), data.tree, data.active, data.forces.call
    given, result = call.given, call.result
    sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
    for e in range(table.count):
        entry, end = table.entries[e], data.ends[e]
        if entry.kind == ALONG:
            if table.on[entry.force] != 0:
                given[0] = tree.q[entry.q] if entry.q >= 0 else 0.0
                given[1] = tree.v[entry.v]
                given[2] = time
                give_memory(entry, data.forces, 0, 1, ALONG_GIVEN)
                call_law(entry.code, floats_of(given), entry.parameters, floats_of(result))
                end.along, end.energy = result[0], result[1]
        else:
            A, B = marker(tree.motion, entry.a, entry.Ra, entry.pa), marker(tree.motion, entry.b, entry.Rb, entry.pb)
            end.p_a, end.p_b = A[1], B[1]
            if table.on[entry.force] != 0:
                put_marker(given, 0, A)
                put_marker(given, MARKER, B)
                given[GIVEN - 1] = time
                give_memory(entry, data.forces, 0, 1, GIVEN)
                call_law(entry.code, floats_of(given), entry.parameters, floats_of(result))
                end.n_a, end.f_a = get3(result, 0), get3(result, 3)
                end.n_b, end.f_b = get3(result, 6), get3(result, 9)
                end.energy = result[RESULT - 1]
                _press(model, data, data.bodies[2 * e], (end.n_a, end.f_a), A[1])
                _press(model, data, data.bodies[2 * e + 1], (end.n_b, end.f_b), B[1])
    return 0


@kernel
def _press(model, data, body, wrench, point) -> None:
    """Add a wrench about a point, world axes, to what acts on a body."""
    if body >= 0:
        R, p = body_pose(model, data.tree.motion, body)
        (n, force), to, pressed = wrench, 6 * body, data.wrenches
        n = apply9_transposed(R, add3(n, cross3(sub3(point, p), force)))
        set3(pressed, to, add3(get3(pressed, to), n))
        set3(pressed, to + 3, add3(get3(pressed, to + 3), apply9_transposed(R, force)))


@functools.cache
def _code():
    if not JIT:
        return _each_force
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)(address_of(_each_force))


class Exerted(NamedTuple):
    """What forces exert at one state: joint forces of laws along joints (nv,), wrenches on bodies (nb, 6), each in its body's frame, and `ends`:
    a row for each entry of the loads, with the fields of ForceEnds."""

    tau: np.ndarray
    wrenches: np.ndarray
    ends: np.ndarray


class ForceByForce:
    """Forces with data to evaluate them in, force by force; a call from within a user's law, or from another thread, has data of its own."""

    def __init__(self, active_forces):
        self.active_forces, self.model = active_forces, active_forces.model
        self._free = deque()  # records that nobody works in
        self._along = np.flatnonzero(active_forces.entries["kind"] == ALONG)
        self._at_v = active_forces.entries["v"][self._along]
        self._code, self._known = _code(), (None, None)

    def at(self, t, q, v, memory=None) -> Exerted:
        """What all forces that are switched on exert. memory: what their laws remember; nothing if None."""
        try:
            record = self._free.pop()
        except IndexError:
            record = self._new_record()
        try:
            record.forces.memory[:] = 0.0 if memory is None else memory
            return self._at(record, t, q, v)
        finally:
            self._free.append(record)

    def explained(self, t, q, v) -> ModelError | None:
        """Why forces are not finite at a state: the error that names the force whose function raised; None if none did."""
        forget_errors(self.active_forces.codes)
        self.at(t, q, v)
        raised = self.active_forces.raised()
        if raised is None:
            return None
        name, error = raised
        return ModelError(f"force {name!r}: its function raised {type(error).__name__}: {error} at t = {t:g} s; correct it")

    def _new_record(self):
        active_forces = self.active_forces
        return Data(active_forces.model).new(
            ForceByForceData, entries=len(active_forces.entries), active=active_forces.table, **active_forces.sizes
        )

    def _at(self, record, t, q, v):
        model = self.model
        record.bodies[:] = self._sides()
        record.tree.q[:], record.tree.v[:] = q, v
        record.ends.rows[:] = 0.0
        record.wrenches[:] = 0.0
        self._code(model.handle, record.address if JIT else record, float(t))
        tau, wrenches, ends = np.zeros(model.nv), record.wrenches.reshape(model.nb, 6).copy(), record.ends.rows.copy()
        if len(self._along):
            np.add.at(tau, self._at_v, ends["along"][self._along])
        return Exerted(tau, wrenches, ends)

    def _sides(self):
        """The bodies of all ends; the infos of a force are others when it was moved elsewhere, as a hand is."""
        infos = tuple(self.active_forces.infos)
        known, sides = self._known
        if known is not None and all(map(_same, infos, known)):
            return sides
        sides = np.full((len(self.active_forces.entries), 2), -1, dtype=np.int64)
        for e, entry in enumerate(self.active_forces.entries):
            if entry["kind"] != ALONG:
                names = [body for body, _ in infos[entry["force"]].places]
                sides[e] = [-1 if body == "ground" else self.model.body(body).index for body in names]
        self._known = infos, sides.reshape(-1)
        return self._known[1]

    def entry_of(self, name):
        """The row of `ends` that belongs to a force between places."""
        return int(np.flatnonzero(self.active_forces.entries["force"] == self.active_forces.index(name))[0])


def _same(a, b):
    return a is b


def forces_of(model) -> ForceByForce:
    """The forces of a model itself, kept beside it."""
    return cached(model, "forces", lambda model: ForceByForce(ActiveForces(model)))
