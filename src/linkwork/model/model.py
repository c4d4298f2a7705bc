"""The frozen model: names for people, tables for kernels."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np

from ..errors import ModelError, StateError, UnknownNameError
from ..kernels import JIT
from ..parts.part import Named
from ..parts.place import Place, part_name
from ..spatial.pose import Pose
from ..validation import described
from .compiled import function_said, functions_said, recompile
from .constraint_tables import CONSTRAINT_SIZES, ConstraintTables, no_constraints
from .contact_tables import ADDRESSES, CONTACT_SIZES, ContactTables, contact_header, lay_addresses, no_contacts, with_plain_rows
from .custom import compile_custom
from .tables import CUSTOM, SIZES, Tables, pack_header

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .lay_contact_tables import ShapeInfo

T = TypeVar("T")

# Up to this many velocities a batch of mass matrices is computed in lanes, in the entries of CompositeData.
MATRIX_LIMIT = 256
# What a joint's degrees of freedom were given, each an array.
_OPTIONS = ("lower", "upper", "velocity_limit", "effort_limit", "armature", "damping", "friction")
# Attributes for algorithms, not for people: dir(model) leaves them out.
_INSIDE = frozenset(("handle", "constraint_tables", "contact_tables", "looks", "sizes", "tables"))
# Columns of tables that are no content: addresses of code and of arrays.
_ADDRESSES = frozenset(("code", *ADDRESSES))


@dataclass(frozen=True, eq=False)
class JointInfo(Named):
    """A joint of a model. Array fields have one entry a velocity.

    `closes_loop`: the joint is no part of the spanning tree; it carries a cut body of its child, which a weld holds to the child itself.
    `links` are the elementary links it became. `parent` and `child` are sides of the tree; `backwards`: the joint was given the other way round.
    `parent_pose`, `child_pose`: the frames F and M on the bodies that the joint was given for, its own parent and its own child.
    """

    name: str
    kind: Any
    parent: str
    child: str
    backwards: bool
    closes_loop: bool
    links: tuple[Any, ...]
    q_index: slice
    v_index: slice
    lower: np.ndarray
    upper: np.ndarray
    velocity_limit: np.ndarray
    effort_limit: np.ndarray
    armature: np.ndarray
    damping: np.ndarray
    friction: np.ndarray
    parent_pose: Any = field(repr=False)
    child_pose: Any = field(repr=False)

    @property
    def nq(self) -> int:
        count: int = self.q_index.stop - self.q_index.start
        return count

    @property
    def nv(self) -> int:
        count: int = self.v_index.stop - self.v_index.start
        return count


@dataclass(frozen=True, eq=False)
class BodyInfo(Named):
    """A body of a model. `parent` is the name of the body that its tree joint hangs on."""

    name: str
    index: int
    parent: str
    inertia: Any


@dataclass(frozen=True, eq=False)
class ConstraintInfo(Named):
    """A constraint of a model, or a joint that closes a loop. `rows`: its rows among all, `words`: a word for each of them.

    `holonomic`: all its rows hold positions; otherwise some hold velocities only. `places`: the (body, pose) pairs, `joints` the
    (joint, degree of freedom) pairs that a constraint was given for; a joint that closes a loop has neither.
    """

    name: str
    kind: Any
    is_loop: bool
    rows: slice
    words: tuple[Any, ...]
    holonomic: bool
    places: tuple[Any, ...] = field(default=(), repr=False)
    joints: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class ForceInfo(Named):
    """A force of a model: its kind, the (body, pose) pairs or the (joint, degree of freedom) pairs it acts on (-1: all), and whether it acts."""

    name: str
    kind: Any
    places: tuple[Any, ...] = field(default=(), repr=False)
    joints: tuple[Any, ...] = ()
    on: bool = True


@dataclass(frozen=True, eq=False)
class FrameInfo(Named):
    """A named frame: a pose on a body (body index -1: the ground)."""

    name: str
    body: int
    pose: Any = field(repr=False)


class BodyLook(NamedTuple):
    """What is to be seen of a body of a model, or of "ground": its shapes, as they were given; for pictures alone."""

    body: str
    shape: Any
    visuals: tuple[Any, ...]
    collisions: tuple[Any, ...]


class ModelParts(NamedTuple):
    """What a model is made of, for people, each a tuple. looks: for pictures; no content, models that only look different are equal."""

    bodies: tuple[Any, ...]
    joints: tuple[Any, ...]
    frames: tuple[Any, ...]
    constraints: tuple[Any, ...] = ()
    forces: tuple[Any, ...] = ()
    shapes: tuple[Any, ...] = ()
    looks: tuple[BodyLook, ...] = ()


class PairInfo(NamedTuple):
    """Two shapes of a model that may touch, by their names, and what holds between them."""

    a: str
    b: str
    friction: float
    restitution: float


class Model:
    """What the algorithms work on: immutable, hashable, picklable, safe to share between threads.

    Made by `Mechanism.build()`. Sizes are `nq` (positions), `nv` (velocities), `nb` (bodies). `model.joint("elbow").q_index` is a slice of q.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, m.add_body("bob", mass=2.0, inertia=(1, 1, 1)))
    >>> model = m.build()
    >>> model.nq, model.nv, model.nb, model.mass
    (1, 1, 1, 2.0)
    >>> model.joint("pivot").q_index, model.body("bob").index
    (slice(0, 1, None), 0)
    """

    def __init__(
        self,
        name: str,
        parts: ModelParts,
        tables: Any,
        constraint_tables: Any = None,
        custom_kinds: Sequence[Any] = (),
        alive: Sequence[Any] = (),
        contact_tables: Any = None,
    ) -> None:
        constraint_tables = no_constraints() if constraint_tables is None else constraint_tables
        contact_tables = no_contacts() if contact_tables is None else contact_tables
        for array in (
            *tables,
            *constraint_tables,
            *contact_tables,
            *(getattr(joint, option) for joint in parts.joints for option in _OPTIONS),
        ):
            array.flags.writeable = False
        self.name = name
        self.tables = tables
        self.nq, self.nv, self.nb = tables.nq, tables.nv, tables.nb
        self.constraint_tables, self.nc = constraint_tables, constraint_tables.nc
        self.contact_tables = contact_tables
        self.bodies, self.joints, self.frames, self.constraints, self.forces, self.shapes, self.looks = map(tuple, parts)
        self._custom_kinds, self._alive = tuple(custom_kinds), tuple(alive)
        self._body: Mapping[str, BodyInfo] = MappingProxyType({b.name: b for b in self.bodies})
        self._joint: Mapping[str, JointInfo] = MappingProxyType({j.name: j for j in self.joints})
        self._frame: Mapping[str, FrameInfo] = MappingProxyType({f.name: f for f in self.frames})
        self._constraint: Mapping[str, ConstraintInfo] = MappingProxyType({c.name: c for c in self.constraints})
        self._force: Mapping[str, ForceInfo] = MappingProxyType({f.name: f for f in self.forces})
        self._constraints_header = np.array(
            [*constraint_tables.size, *(table.ctypes.data for table in constraint_tables[1:])], dtype=np.int64
        )
        self._contacts_header = contact_header(contact_tables)
        header = pack_header(tables, self._constraints_header.ctypes.data)
        self._header = np.append(header, np.int64(self._contacts_header.ctypes.data))
        self.handle = int(self._header.ctypes.data) if JIT else _with_attributes(tables, constraint_tables, contact_tables)
        self._frozen = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_frozen" in self.__dict__:
            raise AttributeError(f"model {self.name!r} is frozen, so its {name} cannot be set; change the mechanism and build again")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"model {self.name!r} is frozen, so its {name} cannot be deleted; change the mechanism and build again")

    def __dir__(self) -> list[str]:
        """What a person may ask for; what algorithms need besides is left out."""
        return [name for name in super().__dir__() if name not in _INSIDE and (not name.startswith("_") or name.endswith("__"))]

    # ------------------------------------------------------------------ names

    def body(self, name: str | Named) -> BodyInfo:
        """The body called `name`."""
        return _find("body", self._body, name)

    def joint(self, name: str | Named) -> JointInfo:
        """The joint called `name`."""
        return _find("joint", self._joint, name)

    def frame(self, name: str | Named | Place) -> FrameInfo:
        """The frame called `name`; a body's name gives the body's own frame, "ground" the world. Parts themselves will do.

        A place (body.at(...)) gives the frame that stands there: all that asks for a frame takes places.
        """
        if isinstance(name, Place):
            on = self.frame(name.part)
            return FrameInfo(repr(name), on.body, on.pose @ name.pose)
        name = part_name(name, "frame or body")
        if isinstance(name, str) and name in self._frame:
            return self._frame[name]
        if isinstance(name, str) and name == "ground":
            return FrameInfo("ground", -1, Pose())
        if isinstance(name, str) and name in self._body:
            return FrameInfo(name, self._body[name].index, Pose())
        raise UnknownNameError("frame or body", name, [*self._frame, *self._body, "ground"])

    def constraint(self, name: str | Named) -> ConstraintInfo:
        """The constraint called `name`; a joint that closes a loop is one too."""
        return _find("constraint or joint that closes a loop", self._constraint, name)

    def force(self, name: str | Named) -> ForceInfo:
        """The force called `name`."""
        return _find("force", self._force, name)

    def joint_at_q(self, index: int) -> str | None:
        """The name of the joint that owns position coordinate `index`."""
        return next((j.name for j in self.joints if j.q_index.start <= index < j.q_index.stop), None)

    @property
    def gravity(self) -> NDArray[np.float64]:
        """Gravitational acceleration in world axes, m/s^2."""
        gravity: NDArray[np.float64] = self.tables.gravity
        return gravity

    @property
    def touches(self) -> bool:
        """May bodies touch each other or the ground? Then there are `pairs` of `shapes`."""
        return bool(self.contact_tables.npairs)

    @property
    def pairs(self) -> tuple[PairInfo, ...]:
        """The pairs of shapes that may touch, in the order of the tables.

        >>> import linkwork as lw
        >>> m = lw.Mechanism("ball", gravity=(0, 0, -9.81))
        >>> _ = m.add_body("ball", shape=lw.Sphere(0.1), density=500)
        >>> _ = m.add_floor()
        >>> m.build().pairs
        (PairInfo(a='ground', b='ball', friction=0.5, restitution=0.0),)
        """
        rows = self.contact_tables.pairs[["a", "b", "friction", "restitution"]].tolist()
        return tuple([PairInfo(self.shapes[a].name, self.shapes[b].name, mu, e) for a, b, mu, e in rows])

    def shape(self, name: str | Named) -> ShapeInfo:
        """The shape called `name`, of those that may touch: its body's name, or "body/1" where a body has several."""
        found: ShapeInfo = _find("shape that touches", {shape.name: shape for shape in self.shapes}, name)
        return found

    @property
    def mass(self) -> float:
        """Total mass of what moves, kg: bodies welded to the ground belong to it."""
        bodies = self.tables.bodies
        return float(bodies["m"][bodies["link"] >= 0].sum())

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes by name, for what computations keep (data/)."""
        constraint_tables = zip(CONSTRAINT_SIZES, self.constraint_tables.size.tolist(), strict=False)
        contact_tables = zip(CONTACT_SIZES, self.contact_tables.size.tolist(), strict=True)
        return dict(zip(SIZES, self.tables.size.tolist(), strict=True)) | dict(constraint_tables) | dict(contact_tables)

    # ------------------------------------------------------------------ value semantics

    def _content(self) -> bytes:
        parts = [self.name.encode(), *map(_table_said, (*self.tables, *self.constraint_tables[:-1]))]
        parts += [repr((c.name, c.rows.start, c.rows.stop, c.words, c.joints)).encode() for c in self.constraints]
        parts += [repr(body).encode() + pose.matrix.tobytes() for c in self.constraints for body, pose in c.places]
        parts += [repr(said).encode() for said in functions_said(self.constraints)]
        parts += [repr((b.name, b.parent)).encode() for b in self.bodies]
        parts += [repr((f.name, force_said(f.kind), f.joints, f.on)).encode() for f in self.forces]
        parts += [repr(body).encode() + pose.matrix.tobytes() for f in self.forces for body, pose in f.places]
        near, far = _matrices([j.parent_pose for j in self.joints]), _matrices([j.child_pose for j in self.joints])
        for k, j in enumerate(self.joints):
            parts.append(repr((j.name, _said(j.kind), j.parent, j.child, j.backwards)).encode())
            parts += [near[k].tobytes(), far[k].tobytes()]
            parts += [getattr(j, option).tobytes() for option in _OPTIONS]
        parts += [repr((f.name, f.body)).encode() + f.pose.matrix.tobytes() for f in self.frames]
        if self.touches:
            parts += [*map(_table_said, self.contact_tables), *(repr((s.name, s.body)).encode() for s in self.shapes)]
        return b"\0".join(parts)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything the model says: equal models, equal fingerprints, on every machine."""
        return hashlib.sha256(self._content()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Model) and self._content() == other._content())

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        groups = (self.tables, self.constraint_tables, self.contact_tables)
        tables, constraint_tables, contact_tables = (tuple(np.array(t) for t in group) for group in groups)
        return _restore, (self.name, self.parts, tables, constraint_tables, self._custom_kinds, contact_tables)

    @property
    def parts(self) -> ModelParts:
        """Bodies, joints, frames, constraints, forces, shapes that may touch, and what is to be seen."""
        return ModelParts(self.bodies, self.joints, self.frames, self.constraints, self.forces, self.shapes, self.looks)

    def __repr__(self) -> str:
        bodies, joints = "body" if self.nb == 1 else "bodies", "joint" if len(self.joints) == 1 else "joints"
        rows = f", {self.nc} rows of constraints" if self.nc else ""
        pairs = self.contact_tables.npairs
        touching = f", {pairs} {'pair' if pairs == 1 else 'pairs'} of shapes that may touch" if pairs else ""
        return f"Model({self.name!r}: {self.nb} {bodies}, {len(self.joints)} {joints}, nq={self.nq}, nv={self.nv}{rows}{touching})"


def need_model(model: object) -> None:
    """Refuse anything but a Model as first argument of a public function."""
    if not isinstance(model, Model):
        remedy = "give what Mechanism.build() returned, before q"
        if hasattr(model, "build") and not isinstance(model, type):
            remedy = f"call build() first: model = {'document' if hasattr(model, 'setup') else 'mechanism'}.build()"
        raise ModelError(f"model: found {described(model)}; allowed is a Model; {remedy}")


def built_model(given: Any, what: str = "mechanism") -> Model:
    """The Model of what a person has: a Model itself, or what is built into one (a Mechanism, a Document)."""
    if isinstance(given, Model):
        return given
    if not isinstance(given, type) and callable(getattr(given, "build", None)):
        built: Model = given.build()
        return built
    raise ModelError(f"{what}: found {described(given)}; allowed is a Mechanism, a Document or a Model; {_remedy(given)}")


def _remedy(given: object) -> str:
    return (
        "lw.read(path) reads one from a file, lw.shipped(name) gives one that comes with Linkwork" if isinstance(given, str) else "give one"
    )


class _PlainHandle(Tables):
    """The handle of a model in plain Python: its tables, and those of constraints and contacts beside them."""

    constraint_tables: Any
    contact_tables: Any


def by_name(argument: str, given: Mapping[Any, Any]) -> dict[Any, Any]:
    """A dict by parts or their names as one by names alone; places stay what they are. Refuses a part that stands in it twice, as itself and by its name."""
    found = {}
    for part, value in given.items():
        name = part if isinstance(part, Place) else part_name(part, argument)
        if name in found:
            raise StateError(
                f"{argument}[{name!r}]: found twice, as a part and by its name; allowed is each part once; leave one out", argument
            )
        found[name] = value
    return found


def need_tree(model: Model, function: str, remedy: str) -> None:
    """Refuse a model with constraints where a function would ignore them."""
    need_model(model)
    if model.nc:
        raise ModelError(f"{function}: model {model.name!r} has loops or constraints ({model.nc} rows), allowed is a tree; {remedy}")


def _with_attributes(tables: Any, constraint_tables: Any, contact_tables: Any) -> Any:
    """For plain Python: rows that know their fields as attributes, as compiled records do."""
    handle = _PlainHandle(*tables._replace(**{name: getattr(tables, name).view(np.recarray) for name in ("links", "generals", "bodies")}))
    handle.constraint_tables = constraint_tables._replace(
        **{name: getattr(constraint_tables, name).view(np.recarray) for name in ("blocks", "terms", "time_functions", "groups")}
    )
    handle.contact_tables = with_plain_rows(contact_tables)
    return handle


# parameters: what __reduce__ hands over, one thing after the other
def _restore(name: str, parts: ModelParts, tables: Any, constraint_tables: Any, custom_kinds: Sequence[Any], contact_tables: Any) -> Model:
    """Unpickle: custom joints are compiled anew, and vertices found again, since addresses mean nothing in another process."""
    tables, constraint_tables = Tables(*tables), ConstraintTables(*constraint_tables)
    kinds = iter(custom_kinds)
    alive = []
    for link in tables.links:
        if link["kind"] == CUSTOM:
            code, keep = compile_custom("custom", next(kinds))
            tables.generals["code"][link["general"]] = code
            alive.append(keep)
    alive += recompile(parts.constraints, constraint_tables)
    return Model(name, parts, tables, constraint_tables, custom_kinds, alive, lay_addresses(ContactTables(*contact_tables)))


def _table_said(table: NDArray[Any]) -> bytes:
    """The bytes of a table, but those between its fields, which may be anything, and addresses of code and arrays, which are not content."""
    if not table.dtype.names:
        return table.tobytes()
    said = np.zeros(table.shape, table.dtype)
    for name in table.dtype.names:
        if name not in _ADDRESSES:
            said[name] = table[name]
    return said.tobytes()


def _matrices(poses: Sequence[Pose]) -> NDArray[np.float64]:
    """The homogeneous 4x4 matrices of poses, all at once."""
    M = np.zeros((len(poses), 4, 4))
    M[:, :3, :3] = np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3)
    M[:, :3, 3] = np.array([pose.translation for pose in poses]).reshape(-1, 3)
    M[:, 3, 3] = 1.0
    return M


def _said(kind: Any) -> str:
    """A joint kind in words that mean the same in every process: functions by their names and their code, not by their addresses."""
    if not kind.custom:
        return repr(kind)
    return repr((kind.nv, [function_said(f) for f in (kind.pose, kind.motion, kind.rate)]))


def force_said(kind: Any) -> str:
    """A force kind in words that mean the same in every process."""
    return repr((type(kind).__name__, kind.numbers(), function_said(kind.function) if kind.function is not None else ""))


def _find(what: str, table: Mapping[str, T], name: Any) -> T:
    name = part_name(name, what)  # the part itself will do
    try:
        return table[name]
    except (KeyError, TypeError):
        raise UnknownNameError(what, name, list(table)) from None
