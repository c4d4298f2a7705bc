"""The frozen model: names for people, tables for kernels."""

import contextlib
import hashlib
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import ModelError, UnknownNameError
from ..kernel import JIT
from .custom import compile_custom
from .tables import CUSTOM, GATHER_SLOTS, Tables, pack_header

# Slots that any algorithm may use per link and per body, beyond extras and gathers; see the STRIDE of each algorithm.
LINK_SLOTS, BODY_SLOTS = 42, 30
# Up to this many velocities a batch of mass matrices is computed in lanes, in scratch memory.
MATRIX_LIMIT = 256


@dataclass(frozen=True, eq=False)
class JointInfo:
    """A tree joint of a model. Array fields have one entry a velocity."""

    name: str
    kind: Any
    parent: str
    child: str
    backwards: bool
    q_index: slice
    v_index: slice
    lower: np.ndarray
    upper: np.ndarray
    velocity_limit: np.ndarray
    effort_limit: np.ndarray
    armature: np.ndarray
    damping: np.ndarray
    friction: np.ndarray

    @property
    def nq(self):
        return self.q_index.stop - self.q_index.start

    @property
    def nv(self):
        return self.v_index.stop - self.v_index.start


@dataclass(frozen=True, eq=False)
class BodyInfo:
    """A body of a model. `parent` is the name of the body that its tree joint hangs on."""

    name: str
    index: int
    parent: str
    inertia: Any


@dataclass(frozen=True, eq=False)
class FrameInfo:
    """A named frame: a pose on a body (body index -1: the ground)."""

    name: str
    body: int
    pose: Any = field(repr=False)


class Model:
    """What the algorithms work on: immutable, hashable, picklable, safe to share between threads.

    Made by `Mechanism.build()`. Sizes are `nq` (positions), `nv` (velocities), `nb` (bodies). `model.joint("elbow").q_index` is a slice of q.
    """

    def __init__(self, name, tables, bodies, joints, frames, custom_kinds=(), alive=()):
        for array in (*tables, *(array for joint in joints for array in vars(joint).values() if isinstance(array, np.ndarray))):
            array.flags.writeable = False
        self.name = name
        self.tables = tables
        self.nq, self.nv, self.nb = int(tables.size[1]), int(tables.size[2]), int(tables.size[3])
        self.bodies, self.joints, self.frames = tuple(bodies), tuple(joints), tuple(frames)
        self._custom_kinds, self._alive = tuple(custom_kinds), tuple(alive)
        self._body = MappingProxyType({b.name: b for b in self.bodies})
        self._joint = MappingProxyType({j.name: j for j in self.joints})
        self._frame = MappingProxyType({f.name: f for f in self.frames})
        self._header = pack_header(tables)
        self.handle = int(self._header.ctypes.data) if JIT else _with_attributes(tables)
        self.pool = []  # free scratch memories: addresses of arrays kept in _memories
        self._memories = []
        self.scratch = self.new_memory(lanes=1)  # for calls that hold the GIL
        self._frozen = True

    def __setattr__(self, name, value):
        if "_frozen" in self.__dict__:
            raise AttributeError(f"model {self.name!r} is frozen, so its {name} cannot be set; change the mechanism and build again")
        super().__setattr__(name, value)

    # ------------------------------------------------------------------ names

    def body(self, name):
        """The body called `name`."""
        return _find("body", self._body, name)

    def joint(self, name):
        """The joint called `name`."""
        return _find("joint", self._joint, name)

    def frame(self, name):
        """The frame called `name`; a body's name gives the body's own frame, "ground" the world."""
        name = getattr(name, "name", name)
        if isinstance(name, str) and name in self._frame:
            return self._frame[name]
        from ..spatial.pose import Pose

        if name == "ground":
            return FrameInfo("ground", -1, Pose())
        if isinstance(name, str) and name in self._body:
            return FrameInfo(name, self._body[name].index, Pose())
        raise UnknownNameError("frame or body", name, [*self._frame, *self._body, "ground"])

    def joint_at_q(self, index):
        """The name of the joint that owns position coordinate `index`."""
        return next((j.name for j in self.joints if j.q_index.start <= index < j.q_index.stop), None)

    @property
    def gravity(self):
        """Gravitational acceleration in world axes, m/s^2."""
        return self.tables.gravity

    @property
    def mass(self):
        """Total mass of what moves, kg: bodies welded to the ground belong to it."""
        bodies = self.tables.bodies
        return float(bodies["m"][bodies["link"] >= 0].sum())

    # ------------------------------------------------------------------ scratch memory

    @property
    def work_slots(self):
        """Slots of scratch memory that every algorithm can live with."""
        n, nq, nv, nb, extras, gathers = (int(x) for x in self.tables.size[:6])
        return (
            nq
            + 5 * nv
            + LINK_SLOTS * n
            + BODY_SLOTS * nb
            + extras
            + (GATHER_SLOTS + 6) * (gathers + 1)
            + (nv * (nv + 1) + 2 if nv <= MATRIX_LIMIT else 0)
            + 64
        )

    def new_memory(self, lanes=None):
        """One more scratch memory; the pool grows to as many as are ever in use at once."""
        if not JIT:
            return np.zeros(self.work_slots)
        from ..lanes import LANES

        array = np.zeros(self.work_slots * (lanes or LANES) + 8)
        self._memories.append(array)
        # Vector loads like their data on cache lines.
        return int(array.ctypes.data + (-array.ctypes.data) % 64)

    @contextlib.contextmanager
    def memory(self):
        """Borrow scratch memory: `with model.memory() as memory: driver(model.handle, memory, ...)`."""
        try:
            memory = self.pool.pop()
        except IndexError:
            memory = self.new_memory()
        try:
            yield memory
        finally:
            self.pool.append(memory)

    # ------------------------------------------------------------------ value semantics

    def _content(self):
        tables = self.tables
        generals = tables.generals.copy()
        generals["code"] = 0  # an address, not content
        parts = [self.name.encode()]
        for table in tables._replace(generals=generals):
            parts.append(table.tobytes())
        parts += [repr((b.name, b.parent)).encode() for b in self.bodies]
        for j in self.joints:
            parts.append(repr((j.name, _said(j.kind), j.parent, j.child, j.backwards)).encode())
            parts += [x.tobytes() for x in (j.lower, j.upper, j.velocity_limit, j.effort_limit, j.armature, j.damping, j.friction)]
        parts += [repr((f.name, f.body)).encode() + f.pose.matrix.tobytes() for f in self.frames]
        return b"\0".join(parts)

    @property
    def fingerprint(self):
        """SHA-256 of everything the model says: equal models, equal fingerprints, on every machine."""
        return hashlib.sha256(self._content()).hexdigest()

    def __eq__(self, other):
        return self is other or (isinstance(other, Model) and self._content() == other._content())

    def __hash__(self):
        return hash(self.fingerprint)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _restore, (self.name, tuple(np.array(t) for t in self.tables), self.bodies, self.joints, self.frames, self._custom_kinds)

    def __repr__(self):
        bodies, joints = "body" if self.nb == 1 else "bodies", "joint" if len(self.joints) == 1 else "joints"
        return f"Model({self.name!r}: {self.nb} {bodies}, {len(self.joints)} {joints}, nq={self.nq}, nv={self.nv})"


def need_model(model):
    """Refuse anything but a Model as first argument of a public function."""
    if not isinstance(model, Model):
        remedy = "call build() first" if hasattr(model, "build") else "give what Mechanism.build() returned, before q"
        raise ModelError(f"model: found a {type(model).__name__}; allowed is a Model; {remedy}")


def _with_attributes(tables):
    """For plain Python: rows that know their fields as attributes, as compiled records do."""
    return tables._replace(**{name: getattr(tables, name).view(np.recarray) for name in ("links", "generals", "bodies")})


def _restore(name, tables, bodies, joints, frames, custom_kinds):
    """Unpickle: custom joints are compiled anew, since addresses mean nothing in another process."""
    tables = Tables(*tables)
    kinds = iter(custom_kinds)
    alive = []
    for link in tables.links:
        if link["kind"] == CUSTOM:
            code, keep = compile_custom("custom", next(kinds))
            tables.generals["code"][link["general"]] = code
            alive.append(keep)
    return Model(name, tables, bodies, joints, frames, custom_kinds, alive)


def _said(kind):
    """A joint kind in words that mean the same in every process: functions by their names and their code, not by their addresses."""
    if not kind.custom:
        return repr(kind)
    functions = [
        (f.__module__, f.__qualname__, f.__code__.co_code, repr(f.__code__.co_consts)) for f in (kind.pose, kind.motion, kind.rate)
    ]
    return repr((kind.nv, functions))


def _find(what, table, name):
    name = getattr(name, "name", name)  # the part itself will do
    try:
        return table[name]
    except (KeyError, TypeError):
        raise UnknownNameError(what, name, list(table)) from None
