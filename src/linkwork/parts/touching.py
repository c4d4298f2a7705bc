"""Which bodies of a mechanism touch, and why others do not.

A mechanism takes contact as soon as anything of contact is declared in it: a Floor or any other shape in the `collisions` of the ground, a Surface of a shape,
of a body or of the mechanism, or `m.touch(a, b)`. `m.contact = True` or `False` decides otherwise. Then all bodies with shapes touch each other, but

    two bodies that are welded together, or both to the ground             nothing can move between them
    two bodies that `m.ignore(a, b)` names
    two bodies that a joint (other than Free) joins directly               unless `m.touch(a, b)` asks for it
    two bodies of one linkage: connected through joints without            unless `m.touch(a, b)` asks for it
    going through the ground

Where a mechanism is put together from constraints instead of joints, those that keep points of two bodies together (HOLDING) count as joints. A body that is
welded to the ground belongs to the linkages that stand on it, but connects none of them with each other: two robots on one table touch each other.

Of a body its `collisions` touch if it has any, else its `shape`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ModelError, UnknownNameError
from .graph import connections
from .shapes import Floor, HeightField, Mesh, MeshFile
from .surface import DEFAULT, Surface

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .body import Body
    from .mechanism import Mechanism
    from .shapes import Shape

# Kinds of constraints that keep points of two bodies together, by their names: their bodies overlap or touch as those of a joint do.
HOLDING = frozenset(("Lock", "Coincident", "PointOnLine", "PointOnPlane", "FollowPath", "RollingDisc", "RollingBall", "KnifeEdge"))

MOST_BODIES = 10_000  # with shapes that touch: pairs of them are looked at one by one


class TouchRule(NamedTuple):
    """What a mechanism says about two of its bodies, by their names. `surface`: what holds between them, None: what their surfaces give.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("two balls")
    >>> for name in ("one", "other"):
    ...     _ = m.add_body(name, shape=lw.Sphere(0.1), density=1000)
    >>> m.ignore("one", "other")
    TouchRule(a='one', b='other', touches=False, surface=None)
    """

    a: str
    b: str
    touches: bool
    surface: Surface | None = None

    @property
    def pair(self) -> frozenset[str]:
        return frozenset((self.a, self.b))

    def called(self, names: dict[str, str]) -> TouchRule:
        """The same with other names, {old: new}."""
        return self._replace(a=names.get(self.a, self.a), b=names.get(self.b, self.b))

    def __str__(self) -> str:
        return f"{'touch' if self.touches else 'ignore'}({self.a!r}, {self.b!r})"


def contact_shapes(body: Body) -> tuple[Shape, ...]:
    """The shapes of a body that touch others."""
    return body.collisions or (() if body.shape is None else (body.shape,))


def declares_contact(mechanism: Mechanism) -> bool:
    """Is anything of contact declared?"""
    ground = mechanism.ground
    if mechanism.surface is not None or ground.collisions or ground.surface is not None:
        return True
    if any(rule.touches for rule in mechanism.touch_rules):
        return True
    for body in mechanism.bodies:
        if body.surface is not None:
            return True
        for shape in body.collisions or (body.shape,):
            if shape is not None and shape.surface is not None:
                return True
    return False


def takes_contact(mechanism: Mechanism) -> bool:
    """Do bodies of the mechanism touch? What `Mechanism.contact` says, or else whether anything of contact is declared."""
    contact: bool | None = mechanism.contact
    return declares_contact(mechanism) if contact is None else contact


class Touching:
    """The bodies of a mechanism (ground first) and which of them touch. It holds as long as the mechanism is not changed."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.bodies = [mechanism.ground, *mechanism.bodies]
        self.rules = {rule.pair: rule for rule in mechanism.touch_rules}
        self._index = {body.name: k for k, body in enumerate(self.bodies)}
        self._shapes = [contact_shapes(body) for body in self.bodies]
        self.takes_contact = takes_contact(mechanism)
        joined = list(_joined(mechanism))
        self._joined = {frozenset((a, b)): what for what, a, b, _ in joined}
        solid = _Groups(len(self.bodies))
        for _, a, b, welded in joined:
            if welded:
                solid.join(self._index[a], self._index[b])
        self._solid = np.array([solid.find(k) for k in range(len(self.bodies))])
        fixed = self._solid == self._solid[0]
        linkage = _Groups(len(self.bodies))
        pairs = [(self._index[a], self._index[b]) for _, a, b, _ in joined]
        for i, j in pairs:
            if not fixed[i] and not fixed[j]:
                linkage.join(i, j)
        self._linkage = np.array([linkage.find(k) for k in range(len(self.bodies))])
        self._standing: dict[int, set[int]] = {}  # bodies that are welded to the ground: the linkages that stand on them
        for i, j in [*pairs, *((j, i) for i, j in pairs)]:
            if i and fixed[i] and not fixed[j]:
                self._standing.setdefault(i, set()).add(int(self._linkage[j]))

    def why_not(self, a: str, b: str) -> str | None:
        """Why two bodies do not touch, in words; None if they do."""
        if not self.takes_contact:
            if self.mechanism.contact is False:
                return "contact is switched off: m.contact = False"
            return "nothing of contact is declared; add a floor or a Surface, call m.touch(a, b), or say m.contact = True"
        for name in (a, b):
            if not self._shapes[self._index[name]]:
                return f"{name!r} has no shape to touch with; give it a shape, or collisions"
        i, j = self._index[a], self._index[b]
        if self._solid[i] == self._solid[j]:
            if i == j:
                return "a body does not touch itself"
            return self._why_welded(i)
        rule = self.rules.get(frozenset((a, b)))
        if rule is not None:
            return None if rule.touches else f"m.ignore({a!r}, {b!r}) says so"
        joint = self._joined.get(frozenset((a, b)))
        if joint is not None:
            return f"{joint} joins them; m.touch({a!r}, {b!r}) lets them touch nevertheless"
        if self._of_one_linkage(i, j):
            return f"they belong to one linkage; m.touch({a!r}, {b!r}) lets them touch nevertheless"
        return None

    def _of_one_linkage(self, i: int, j: int) -> bool:
        same = i and j and self._linkage[i] == self._linkage[j]
        return bool(same or self._linkage[j] in self._standing.get(i, ()) or self._linkage[i] in self._standing.get(j, ()))

    def pairs(self) -> NDArray[np.intp]:
        """(n, 2): the pairs i < j of `bodies` that touch, those for which `why_not` is None, in order."""
        if not self.takes_contact or self.too_many:
            return np.zeros((0, 2), dtype=np.intp)
        shaped = np.flatnonzero([bool(shapes) for shapes in self._shapes])
        place = {int(k): n for n, k in enumerate(shaped)}
        linkage, solid = self._linkage[shaped], self._solid[shaped]
        touch = linkage[:, None] != linkage
        for a, linkages in self._standing.items():
            if a in place:
                stands = np.isin(linkage, list(linkages))
                touch[place[a], stands] = touch[stands, place[a]] = False
        for pair in self._joined:
            self._set(touch, place, pair, False)
        for pair, rule in self.rules.items():
            self._set(touch, place, pair, rule.touches)
        touch &= solid[:, None] != solid
        return shaped[np.argwhere(np.triu(touch, 1))]

    def _set(self, touch: Any, place: dict[int, int], pair: frozenset[str], value: bool) -> None:
        if len(pair) == 2 and all(self._index.get(name) in place for name in pair):
            i, j = (place[self._index[name]] for name in pair)
            touch[i, j] = touch[j, i] = value

    def shapes_of(self, body: int) -> tuple[Shape, ...]:
        """The shapes of a body, by its number, that touch others."""
        return self._shapes[body]

    def surface_of(self, body: int, shape: int) -> Surface:
        """Friction and restitution of a shape of a body: its own, else those of its body, else those of the mechanism."""
        return self._shapes[body][shape].surface or self.bodies[body].surface or self.mechanism.surface or DEFAULT

    def falling(self) -> list[str]:
        """Bodies that nothing holds and that have no shape to land with, although there is something to land on: they fall through it."""
        mechanism = self.mechanism
        if not self.takes_contact or not self._shapes[0] or not np.any(mechanism.gravity):
            return []
        held = _Groups(len(self.bodies))
        for joint, parent, child in connections(mechanism):
            if not joint.kind.free:
                held.join(self._index[parent], self._index[child])
        trace = mechanism._registry.trace
        for part in (*mechanism.constraints, *mechanism.forces):
            places = (getattr(part, "a", None), getattr(part, "b", None))
            ends = [trace(place)[0] for place in places if place is not None]
            for name in ends:
                held.join(self._index[ends[0]], self._index[name] if len(ends) > 1 else 0)
        lands = {held.find(k) for k, shapes in enumerate(self._shapes) if shapes} | {held.find(0)}
        return [body.name for k, body in enumerate(self.bodies) if held.find(k) not in lands]

    def rule(self, a: int, b: int) -> TouchRule | None:
        """What is said about two bodies, by their numbers."""
        return self.rules.get(frozenset((self.bodies[a].name, self.bodies[b].name)))

    # ---- faults

    def faults(self) -> Iterator[tuple[Any, str, str]]:
        """(part or None, kind of fault, what is wrong) of what is declared about touching; shapes and bodies are judged with the bodies."""
        yield from surface_faults(self.mechanism)
        for rule in self.mechanism.touch_rules:
            yield from ((None, "touch", f"{rule}: {text}") for text in self._rule_faults(rule))
        if self.too_many:
            yield (
                None,
                "touch",
                f"{self.too_many} bodies have shapes that touch; allowed are {MOST_BODIES}, since every pair of them is looked at; make one body of those "
                "that do not move, or say m.contact = False",
            )
        elif any(map(_is_read_or_surface, (shape for shapes in self._shapes for shape in shapes))):
            yield from self._mesh_faults(self.pairs())

    @property
    def too_many(self) -> int:
        """How many bodies have shapes that touch, if there are too many; else 0."""
        count = sum(map(bool, self._shapes)) if self.takes_contact else 0
        return count if count > MOST_BODIES else 0

    def _mesh_faults(self, pairs: NDArray[np.intp]) -> Iterator[tuple[Any, str, str]]:
        """Files that cannot be read, and surfaces that should touch each other."""
        for k in np.unique(pairs).tolist():
            for shape in self._shapes[k]:
                if isinstance(shape, MeshFile) and not next(shape.faults(), None):
                    try:
                        shape.triangles()
                    except ModelError as error:
                        yield (
                            self.bodies[k],
                            "touch",
                            f"it touches others with a file that cannot be read: {error}; correct the file, give it collisions=lw.Box(...) and the like, "
                            "m.ignore(...) it, or say m.contact = False",
                        )
        surfaces = {k for k, shapes in enumerate(self._shapes) if any(map(is_surface, shapes))}
        for i, j in pairs.tolist() if len(surfaces) > 1 else ():
            if i in surfaces and j in surfaces:
                yield (
                    self.bodies[j],
                    "touch",
                    f"a surface of its should touch one of {self.bodies[i].name!r}, and surfaces of triangles and height fields do not touch each other; "
                    f"give one of the two a Mesh with touching='hull' or 'pieces', or say m.ignore({self.bodies[i].name!r}, {self.bodies[j].name!r})",
                )

    def _rule_faults(self, rule: TouchRule) -> Iterator[str]:
        unknown = [name for name in (rule.a, rule.b) if name not in self._index]
        for name in unknown:
            text = str(UnknownNameError("body", name, list(self._index)))
            yield f"{text}{'' if text.endswith('?') else '.'} Add it, or take the rule back with forget_touch"
        if unknown:
            return
        i, j = self._index[rule.a], self._index[rule.b]
        if rule.surface is not None:
            yield from (text.replace("its Surface", "the Surface") for _, text in rule.surface.faults())
        if i == j:
            yield "a body does not touch itself; give two different bodies"
        elif rule.touches and self._solid[i] == self._solid[j]:
            yield f"{self._why_welded(i)}, so nothing can move between them; leave the rule out, or connect them by another joint"
        elif rule.touches and self.mechanism.contact is not False:
            for name in (rule.a, rule.b):
                if not self._shapes[self._index[name]]:
                    yield f"{name!r} has no shape to touch with; give it a shape, or collisions"

    def _why_welded(self, i: int) -> str:
        return "both are fixed to the ground" if self._solid[i] == self._solid[0] else "they are welded together"


def surface_faults(mechanism: Mechanism) -> Iterator[tuple[None, str, str]]:
    """What is wrong with the surface that a mechanism declares for all its bodies."""
    for kind, text in mechanism.surface.faults() if mechanism.surface is not None else ():
        yield None, kind, text


def floor_faults(body: Body) -> Iterator[tuple[str, str]]:
    """A Floor or a HeightField on a body that is not the ground."""
    for shape in (body.shape, *body.visuals, *body.collisions):
        if isinstance(shape, HeightField):
            yield (
                "floor",
                "it has a HeightField, which has no volume; allowed is one on the ground: m.change('ground', collisions=[...]); "
                "give the body a Mesh with touching='triangles' instead",
            )
        if isinstance(shape, Floor):
            yield (
                "floor",
                "it has a Floor, which has no end and no volume; allowed is a Floor on the ground; use m.add_floor(), or give the body a Box",
            )


def is_surface(shape: Shape) -> bool:
    """Does it touch with a surface that is not convex?"""
    return isinstance(shape, HeightField) or (isinstance(shape, Mesh | MeshFile) and shape.touching == "triangles")


def _is_read_or_surface(shape: Shape) -> bool:
    return isinstance(shape, MeshFile) or is_surface(shape)


def _joined(mechanism: Mechanism) -> Iterator[tuple[str, str, str, bool]]:
    """(what joins, body, body, are they welded) of all joints but Free, and of constraints that keep points together."""
    for joint, parent, child in connections(mechanism):
        if not joint.kind.free:
            yield str(joint), parent, child, joint.kind.nv == 0
    trace = mechanism._registry.trace
    for part in mechanism.constraints:
        if part.a is not None and part.b is not None and any(base.__name__ in HOLDING for base in type(part.kind).__mro__):
            a, b = trace(part.a)[0], trace(part.b)[0]
            if a is not None and b is not None and a != b:
                yield str(part), a, b, False


def falling_text(names: list[str]) -> str:
    """What is said of bodies that will fall."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    one = len(names) == 1
    return (
        f"{names[0]!r}{more} {'has' if one else 'have'} no shape to touch with, and nothing holds {'it' if one else 'them'}: "
        f"{'it falls' if one else 'they fall'} through the ground; give shape=... or collisions=[...], or join {'it' if one else 'them'} to what stands"
    )


class _Groups:
    """Union-find; the leader of a group is its least member."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def find(self, k: int) -> int:
        above = self._above
        while above[k] != k:
            above[k] = k = above[above[k]]
        return k

    def join(self, a: int, b: int) -> None:
        a, b = self.find(a), self.find(b)
        self._above[max(a, b)] = min(a, b)
