"""Contacts of one state: where bodies touch, or nearly touch, and how they move against each other there.

For the points p of a pair of shapes a and b, with the unit normal n from a to b and the gap g along n:

    u = velocity of the point of b at p, less that of a        u . n = dg/dt,      u - (u . n) n is the velocity of sliding
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from ..arguments import explained
from ..dynamics.kinematics import forward_kinematics
from ..errors import ModelError, StateError
from ..geometry.features import EDGE, FACE, PAIR
from ..geometry.kinds import BOX, FLOOR, NAMES, SPHERE
from ..geometry.manifold import Manifold
from ..kernels import JIT
from ..model.model import need_model
from .collide_pair import collide_pair
from .report_text import counted, short, table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model

NEAR = 1e-3  # of the length of the scene (model/contact_tables.py): points with larger gaps are not shown unless they are asked for
MOST_SHOWN = 40  # points in a printed table


@dataclass(frozen=True, eq=False)
class Contact:
    """A point at which two shapes touch, or nearly touch; vectors are in world axes.

    a, b: names of the shapes. p: the point, m. n: unit normal, from a to b. gap: m, negative where they overlap. friction, restitution: of the pair.
    features: what touches, of a and of b, in words, "" where a shape has no features. velocity: of b against a at p, m/s; None without v.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    >>> _ = m.add_floor()
    >>> [contact] = lw.contacts(m.build(), [0.3, 0, 0.1, 1, 0, 0, 0])
    >>> contact.a, contact.b, contact.p.tolist(), contact.n.tolist()
    ('ground', 'ball', [0.3, 0.0, 0.0], [0.0, 0.0, 1.0])
    """

    a: str
    b: str
    p: np.ndarray = field(repr=False)
    n: np.ndarray = field(repr=False)
    gap: float
    friction: float
    restitution: float
    features: tuple[str, str] = ("", "")
    velocity: np.ndarray | None = field(default=None, repr=False)

    @property
    def approach(self) -> float:
        """How fast the gap closes, m/s: -u . n."""
        return -float(self._moving() @ self.n)

    @property
    def sliding(self) -> NDArray[np.float64]:
        """The part of the velocity along the surface, m/s."""
        u = self._moving()
        return u - (u @ self.n) * self.n

    def _moving(self) -> Any:
        if self.velocity is None:
            raise StateError("contact: its velocity is not known, since contacts(model, q) was given no v; give v", "v")
        return self.velocity


class Contacts(Sequence["Contact"]):
    """The contacts of one state, in the order of `model.pairs`. `print(found)` shows a table.

    reach: m, the largest gap that was looked for. points, normals (n, 3) and gaps (n,): of all contacts, as arrays.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("box")
    >>> _ = m.add_body("box", shape=lw.Box(0.4, 0.2, 0.1), density=500)
    >>> _ = m.add_floor()
    >>> found = lw.contacts(m.build(), [0, 0, 0.05, 1, 0, 0, 0], v=[0, 0, 0, 0.5, 0, 0])
    >>> len(found), found.points[:, 2].tolist(), found[0].features[1], found[0].sliding.tolist()
    (4, [0.0, 0.0, 0.0, 0.0], 'vertex -x -y -z', [0.5, 0.0, 0.0])
    """

    def __init__(self, model: Model, reach: float, contacts: Sequence[Contact]) -> None:
        self.model, self.reach = model, reach
        self._contacts = tuple(contacts)

    @property
    def points(self) -> NDArray[np.float64]:
        return np.array([contact.p for contact in self._contacts]).reshape(-1, 3)

    @property
    def normals(self) -> NDArray[np.float64]:
        return np.array([contact.n for contact in self._contacts]).reshape(-1, 3)

    @property
    def gaps(self) -> NDArray[np.float64]:
        return np.array([contact.gap for contact in self._contacts])

    @property
    def depth(self) -> float:
        """The largest depth by which shapes overlap, m; 0 if none do."""
        return max([0.0, *(-contact.gap for contact in self._contacts)])

    def __len__(self) -> int:
        return len(self._contacts)

    def __iter__(self) -> Iterator[Contact]:
        return iter(self._contacts)

    @overload
    def __getitem__(self, index: int) -> Contact: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Contact, ...]: ...

    def __getitem__(self, index: int | slice) -> Contact | tuple[Contact, ...]:
        return self._contacts[index]

    def between(self, a: Any, b: Any) -> tuple[Contact, ...]:
        """The contacts of two bodies or shapes, given as themselves or by name, in either order."""
        wanted = {self._shapes_called(a), self._shapes_called(b)}
        return tuple(contact for contact in self._contacts if any(contact.a in x and contact.b in y for x in wanted for y in wanted - {x}))

    def _shapes_called(self, name: Any) -> frozenset[str]:
        name = getattr(name, "name", name)
        found = frozenset(shape.name for shape in self.model.shapes if name in (shape.body, shape.name))
        return found or frozenset((self.model.shape(name).name,))  # which raises

    def __str__(self) -> str:
        moving = any(contact.velocity is not None for contact in self._contacts)
        head = f"{counted(len(self), 'contact')} of {self.model.name!r} with gaps up to {self.reach:.3g} m"
        if not self._contacts:
            return head
        columns = ("pair", "x", "y", "z", "normal", "gap", *(("approach", "sliding") if moving else ()), "features")
        rows = [self._row(contact, moving) for contact in self._contacts[:MOST_SHOWN]]
        more = [f"... and {len(self) - MOST_SHOWN} more"] if len(self) > MOST_SHOWN else []
        units = "positions and gaps in m" + (", speeds in m/s" if moving else "") + "; normals from the first of a pair to the second"
        return "\n".join([head, *table(columns, rows), *more, units])

    def _row(self, contact: Contact, moving: bool) -> tuple[str, ...]:
        rounding = 1e-12 * float(self.model.contact_tables.length[0])
        x, y, z = (short(c, rounding) for c in contact.p)
        n = f"({', '.join(short(c, 1e-12) for c in contact.n)})"
        speeds = (short(contact.approach, 1e-12), short(float(np.linalg.norm(contact.sliding)), 1e-12)) if moving else ()
        features = " on ".join(word for word in contact.features[::-1] if word)
        return f"{contact.a} - {contact.b}", x, y, z, n, short(contact.gap, rounding), *speeds, features

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'contact')} of {self.model.name!r}>"


@explained
def contacts(model: Model, q: ArrayLike, v: ArrayLike | None = None, *, reach: float | None = None) -> Contacts:
    """Where bodies touch or nearly touch in one state: points, normals, gaps, and with v how bodies move against each other there.

    model: one whose bodies touch (a floor, a Surface, `m.touch`, or `m.contact = True`). q (nq,), v (nv,).
    reach: m, the largest gap that is shown; by default a thousandth of the radius of the smaller shape of a pair (the largest
    of these). Raises ModelError for shapes that cannot touch.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("two balls")
    >>> for name in ("one", "other"):
    ...     _ = m.add_body(name, shape=lw.Sphere(0.1), density=500)
    >>> m.contact = True
    >>> print(lw.contacts(m.build(), [0, 0, 0, 1, 0, 0, 0, 0.19, 0, 0, 1, 0, 0, 0]))
    1 contact of 'two balls' with gaps up to 0.0001 m
    pair           x  y  z     normal    gap  features
    --------------------------------------------------
    one - other  0.1  0  0  (1, 0, 0)  -0.01
    positions and gaps in m; normals from the first of a pair to the second
    """
    need_model(model)
    if not model.touches:
        raise ModelError(
            f"contacts: no bodies of model {model.name!r} touch: it was built without contact, or no two shapes may touch; "
            "add a floor, a Surface, m.touch(a, b) or m.contact = True before build(); m.why_not_touching(a, b) says why two bodies do not"
        )
    found = forward_kinematics(model, q, v)
    if found.positions.ndim != 2:
        raise StateError(f"q: found shape {np.shape(q)}; allowed is one state, ({model.nq},); call it for each state", "q")
    tables = model.contact_tables
    reach = NEAR * float(tables.length[0]) if reach is None else _checked_reach(reach)
    made, motions = [], None if v is None else _motions(model, found)
    for k, p, n, gap, feature in found_points(model, found, reach):
        row = tables.pairs[k]
        a, b = (model.shapes[row[side]] for side in "ab")
        u = None if motions is None else _at(motions[b.body], p) - _at(motions[a.body], p)
        words = _feature_words(int(tables.shapes["kind"][row["a"]]), int(tables.shapes["kind"][row["b"]]), feature)
        made.append(Contact(a.name, b.name, p, n, gap, float(row["friction"]), float(row["restitution"]), words, u))
    return Contacts(model, reach, made)


class FoundPoint(NamedTuple):
    """A point of contact: the number of its pair, position, normal, gap, and which features meet (geometry/features.py)."""

    pair: int
    p: np.ndarray
    n: np.ndarray
    gap: float
    feature: int


def found_points(model: Model, found: Any, reach: float) -> Iterator[FoundPoint]:
    """All points with gaps up to a reach, pair by pair; `found`: the Kinematics of one state."""
    tables, manifold, poses = model.contact_tables, Manifold.allocate(), _shape_poses(model, found)
    for k in _near(tables, poses, reach):
        row = tables.pairs[k]
        collide_pair(model.handle, k, np.concatenate([poses[row["a"]], poses[row["b"]]]), reach, manifold.address if JIT else manifold)
        if manifold.unsupported:
            a, b = (model.shapes[row[side]] for side in "ab")
            kinds = " and a ".join(NAMES[tables.shapes["kind"][row[side]]] for side in "ab")
            raise ModelError(
                f"contacts: shapes {a.name!r} and {b.name!r} of model {model.name!r} cannot touch yet (a {kinds}); give one of the bodies "
                f"collisions=... of other shapes, or say m.ignore({a.body!r}, {b.body!r})"
            )
        for j in range(manifold.count):
            point = manifold.points[j]
            yield FoundPoint(k, np.array(point.p), np.array(point.n), float(point.gap), int(point.feature))


def _checked_reach(reach: Any) -> float:
    if isinstance(reach, bool) or not isinstance(reach, (int, float, np.number)) or not 0.0 <= reach < np.inf:
        raise StateError(f"reach: found {reach!r}; allowed is a finite number from 0 on, m; correct it", "reach")
    return float(reach)


def _shape_poses(model: Any, found: Any) -> Any:
    """(nshapes, 12): R and p of every shape in the world, as its row has it on its link: a hull stands about the middle of its vertices."""
    poses = np.empty((len(model.shapes), 12))
    for k, info in enumerate(model.shapes):
        at = info.at
        R, p = (np.eye(3), np.zeros(3)) if info.body == "ground" else (found.rotation(info.body), found.position(info.body))
        poses[k, :9], poses[k, 9:] = (R @ at.rotation).ravel(), p + R @ at.translation
    return poses


def _near(tables: Any, poses: Any, reach: float) -> Any:
    """The pairs whose bounding spheres are within reach of each other."""
    a, b, bound, p = tables.pairs["a"], tables.pairs["b"], tables.shapes["bound"], poses[:, 9:]
    apart = np.linalg.norm(p[a] - p[b], axis=1) - bound[a] - bound[b]
    for one, other in ((a, b), (b, a)):
        floor = np.flatnonzero(tables.shapes["kind"][one] == FLOOR)
        normal = poses[one[floor]][:, [2, 5, 8]]
        apart[floor] = np.einsum("ij,ij->i", normal, p[other[floor]] - p[one[floor]]) - bound[other[floor]]
    return np.flatnonzero(apart <= reach).tolist()


def _motions(model: Any, found: Any) -> Any:
    """{body: (origin, angular velocity, velocity of the origin)} in the world."""
    made = {"ground": (np.zeros(3), np.zeros(3), np.zeros(3))}
    for body in model.bodies:
        V = found.velocity(body.name, axes="world")
        made[body.name] = found.position(body.name), V[:3], V[3:]
    return made


def _at(motion: Any, p: Any) -> Any:
    origin, omega, u = motion
    return u + np.cross(omega, p - origin)


# ---- words for features


def _feature_words(a: int, b: int, feature: int) -> tuple[str, str]:
    """What touches, of both shapes, in words; "" where a kind has no features or none are numbered."""
    if a > b:
        one, other = _feature_words(b, a, feature)
        return other, one
    if (a, b) == (FLOOR, BOX):
        return "", _box_words(feature)
    if (a, b) == (SPHERE, BOX):
        return "", _box_words(feature % PAIR)
    if (a, b) == (BOX, BOX):
        return _box_words(feature // PAIR), _box_words(feature % PAIR)
    return "", ""


def _box_words(feature: int) -> str:
    """A feature of a box (geometry/features.py): "vertex +x -y -z", "edge +x -y", "face -z"."""
    if feature < EDGE:
        return "vertex " + " ".join(_side(axis, feature >> axis & 1) for axis in range(3))
    if feature < FACE:
        axis, bits = divmod(feature - EDGE, 4)
        sides = {(axis + 1) % 3: bits & 1, (axis + 2) % 3: bits >> 1}
        return "edge " + " ".join(_side(k, sides[k]) for k in sorted(sides))
    return "face " + _side((feature - FACE) // 2, (feature - FACE) % 2)


def _side(axis: int, positive: int) -> str:
    return ("-", "+")[positive] + "xyz"[axis]
