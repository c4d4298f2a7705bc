"""Every force by itself, in one pass: what each law exerts at its two ends, and what that is on the bodies.

The loads of a motion are added up link by link (dynamics/applied.py). Reactions need more: bodies that are welded together share a link, and the
weld between them feels which of them a force acts on; so does the ground under a body that is welded to it. With f and n of a law about its
marker's point p_m, world axes, a body with pose (R, p) gets

    f_body = R^T f,      n_body = R^T (n + (p_m - p) x f)

ends     a row for each entry of the loads: n_a f_a | n_b f_b | energy | p_a | p_b; of a law along a joint: the force, then the energy
"""

import ctypes
import functools
import threading
from typing import NamedTuple

import numpy as np

from ..kernels import JIT, address_of, kernel
from ..model.custom import call_native
from ..model.tables import at_links, at_v, floats_at, ints_at, open_tables
from ..parts.forces.kind import GIVEN, MARKER, WRENCHES
from ..spatial.matrices import apply9_transposed
from ..spatial.vectors import add3, cross3, load3, store3, sub3
from .force_tables import ALONG, L_ENTRIES, L_SCRATCH, open_loads
from .loads import Loads
from .markers import marker, put_marker
from .slots import HUGE
from .sweep import body_pose, sweep_links

E_FORCE, E_POINTS, END = 3, WRENCHES, WRENCHES + 6


@kernel(address="i i i i i i d")
def _each_force(handle, loads, memory, sides, ends, wrenches, time) -> int:
    """Fill `ends`, and add to `wrenches` (6 for each body); `sides`: the bodies of each entry's two ends, -1 for ground."""
    t, f = open_tables(handle), open_loads(loads)
    work, bodies, out, pressed = floats_at(memory, HUGE), ints_at(sides, HUGE), floats_at(ends, HUGE), floats_at(wrenches, HUGE)
    links, raw = at_links(t), f.size[L_SCRATCH]
    sweep_links(handle, work, 1, 0.0)
    for e in range(f.size[L_ENTRIES]):
        entry, row = f.entries[e], END * e
        if entry.kind == ALONG:
            if f.on[entry.force] != 0.0:
                work[raw] = work[entry.q] if entry.q >= 0 else 0.0
                work[raw + 1] = work[at_v(t) + entry.v]
                work[raw + 2] = time
                call_native(entry.code, work, raw, f.numbers, entry.number, raw + 3)
                out[row], out[row + 1] = work[raw + 3], work[raw + 4]
        else:
            A, B = marker(work, links, entry.a, entry.Ra, entry.pa, 0.0), marker(work, links, entry.b, entry.Rb, entry.pb, 0.0)
            store3(out, row + E_POINTS, A[1])
            store3(out, row + E_POINTS + 3, B[1])
            if f.on[entry.force] != 0.0:
                put_marker(work, raw, A)
                put_marker(work, raw + MARKER, B)
                work[raw + 2 * MARKER] = time
                call_native(entry.code, work, raw, f.numbers, entry.number, raw + GIVEN)
                for k in range(WRENCHES):
                    out[row + k] = work[raw + GIVEN + k]
                _press(handle, work, bodies[2 * e], out, row, A[1], pressed)
                _press(handle, work, bodies[2 * e + 1], out, row + 6, B[1], pressed)
    return 0


@kernel
def _press(handle, work, body, out, at, point, pressed) -> None:
    """Add the wrench at `at`, about a point, to what acts on a body."""
    if body >= 0:
        R, p = body_pose(handle, work, body, 0.0)
        n, force, to = load3(out, at, 0.0), load3(out, at + 3, 0.0), 6 * body
        n = apply9_transposed(R, add3(n, cross3(sub3(point, p), force)))
        store3(pressed, to, add3(load3(pressed, to, 0.0), n))
        store3(pressed, to + 3, add3(load3(pressed, to + 3, 0.0), apply9_transposed(R, force)))


@functools.cache
def _code():
    if not JIT:
        return _each_force
    code = address_of(_each_force)
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 6, ctypes.c_double)(code)


class Exerted(NamedTuple):
    """What forces exert at one state: joint forces of laws along joints (nv,), wrenches on bodies (nb, 6), each in its body's frame, and `ends`."""

    tau: np.ndarray
    wrenches: np.ndarray
    ends: np.ndarray


class ForceByForce:
    """Loads with memory to evaluate them in, force by force."""

    def __init__(self, loads):
        self.loads, self.model = loads, loads.model
        self._array = np.zeros(loads.slots)
        self._lock = threading.Lock()
        self._along = np.flatnonzero(loads.entries["kind"] == ALONG)
        self._at_v = loads.entries["v"][self._along]
        self._code, self._infos, self._sides = _code(), None, None

    def at(self, t, q, v) -> Exerted:
        """What all forces that are switched on exert."""
        with self._lock:
            return self._at(t, q, v)

    def _at(self, t, q, v):
        model, loads, array = self.model, self.loads, self._array
        nq, nv = model.nq, model.nv
        self._find_sides()
        array[:nq], array[nq : nq + nv] = q, v
        tau, wrenches, ends = np.zeros(nv), np.zeros((model.nb, 6)), np.zeros((len(loads.entries), END))
        flat = array, self._sides, ends.reshape(-1), wrenches.reshape(-1)
        self._code(model.handle, loads.handle, *((a.ctypes.data for a in flat) if JIT else flat), float(t))
        if len(self._along):
            np.add.at(tau, self._at_v, ends[self._along, 0])
        return Exerted(tau, wrenches, ends)

    def _find_sides(self):
        """The bodies of all ends; the infos of a force are others when it was moved elsewhere, as a hand is."""
        infos = tuple(self.loads.infos)
        if self._infos is not None and all(map(_same, infos, self._infos)):
            return
        sides = np.full((len(self.loads.entries), 2), -1, dtype=np.int64)
        for e, entry in enumerate(self.loads.entries):
            if entry["kind"] != ALONG:
                names = [body for body, _ in infos[entry["force"]].places]
                sides[e] = [-1 if body == "ground" else self.model.body(body).index for body in names]
        self._infos, self._sides = infos, sides.reshape(-1)

    def entry_of(self, name):
        """The row of `ends` that belongs to a force between places."""
        return int(np.flatnonzero(self.loads.entries["force"] == self.loads.index(name))[0])


def _same(a, b):
    return a is b


def forces_of(model) -> ForceByForce:
    """The forces of a model itself, kept beside it."""
    try:
        return model.kept["forces"]
    except KeyError:
        return model.kept.setdefault("forces", ForceByForce(Loads(model, first=model.work_slots)))
