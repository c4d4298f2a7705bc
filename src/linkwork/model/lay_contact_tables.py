"""From shapes to tables of contacts: what `build` does for bodies that touch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..geometry.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FLOOR, SPHERE
from ..geometry.shape_table import SHAPE
from ..parts.part import Named
from ..parts.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Floor, Sphere
from ..parts.touching import Touching, takes_contact
from .contact_tables import PAIR, contact_tables, no_contacts

# class: (kind, its size, the radius of its bounding sphere)
SOLIDS: dict[type, Any] = {
    Floor: (FLOOR, lambda s: (0.0, 0.0, 0.0), lambda s: math.inf),
    Sphere: (SPHERE, lambda s: (s.radius, 0.0, 0.0), lambda s: s.radius),
    Capsule: (CAPSULE, lambda s: (s.radius, 0.5 * s.length, 0.0), lambda s: 0.5 * s.length + s.radius),
    Box: (BOX, lambda s: (0.5 * s.x, 0.5 * s.y, 0.5 * s.z), lambda s: 0.5 * math.hypot(s.x, s.y, s.z)),
    Cylinder: (CYLINDER, lambda s: (s.radius, 0.5 * s.length, 0.0), lambda s: math.hypot(s.radius, 0.5 * s.length)),
    Cone: (CONE, lambda s: (s.radius, 0.5 * s.height, 0.0), lambda s: math.hypot(s.radius, 0.5 * s.height)),
    Ellipsoid: (ELLIPSOID, lambda s: (s.a, s.b, s.c), lambda s: max(s.a, s.b, s.c)),
}


@dataclass(frozen=True, eq=False)
class ShapeInfo(Named):
    """A shape of a model that may touch others. Its name is that of its body if this has one such shape, else "body/0", "body/1", ...

    `body`: the name of its body ("ground" for those of the ground). `index`: its row in the tables. `surface`: friction and restitution as declared for it,
    for its body or for the mechanism.
    """

    name: str
    index: int
    body: str
    shape: Any
    surface: Any


def lay_contacts(mechanism, bodies):
    """(ContactTables, [ShapeInfo]) of a mechanism without faults. bodies: (names in the order of the model, its table BODY)."""
    touching = Touching(mechanism) if takes_contact(mechanism) else None
    found = touching.pairs() if touching is not None else ()
    if not found:
        return no_contacts(), []
    names, table = bodies
    order = {"ground": -1} | {name: k for k, name in enumerate(names)}
    touches = sorted({k for pair in found for k in pair}, key=lambda k: order[touching.bodies[k].name])
    infos, rows, first = [], [], {}
    for k in touches:
        body, shapes = touching.bodies[k], touching.shapes_of(k)
        first[k] = len(rows)
        for m, shape in enumerate(shapes):
            name = body.name if len(shapes) == 1 else f"{body.name}/{m}"
            infos.append(ShapeInfo(name, len(rows), body.name, shape, touching.surface_of(k, m)))
            rows.append(_row(name, shape, order[body.name], table))
    shapes = np.array(rows, dtype=SHAPE)
    return contact_tables(shapes, _pairs(touching, found, first, infos, shapes)), infos


def _pairs(touching, found, first, infos, shapes):
    """The table of pairs, ascending."""
    rows = []
    for i, j in found:
        one, other = (range(first[k], first[k] + len(touching.shapes_of(k))) for k in (i, j))
        rule = touching.rule(i, j)
        surface = None if rule is None else rule.surface
        for a in one:
            for b in other:
                held = surface if surface is not None else infos[a].surface.against(infos[b].surface)
                rows.append((min(a, b), max(a, b), 0, 0, held.friction, held.restitution))
    pairs = np.array(sorted(rows), dtype=PAIR)
    pairs["link_a"], pairs["link_b"] = shapes["link"][pairs["a"]], shapes["link"][pairs["b"]]
    return pairs


def _row(name, shape, body, table):
    """The row of a shape: its pose in the frame of its link."""
    if type(shape) not in SOLIDS:
        allowed = ", ".join(kind.__name__ for kind in SOLIDS)
        raise ModelError(
            f"shape {name!r}: a {type(shape).__name__} cannot touch others yet; allowed are {allowed}; give its body collisions=... made of these, "
            "or say m.contact = False"
        )
    kind, size, bound = SOLIDS[type(shape)]
    at = shape.plane if isinstance(shape, Floor) else shape.at
    link, R, p = -1, at.rotation, at.translation
    if body >= 0:
        holder = table[body]
        turn = holder["R"].reshape(3, 3)
        link, R, p = holder["link"], turn @ R, holder["p"] + turn @ p
    return (kind, link, body, 0, size(shape), R.ravel(), p, bound(shape), 0, 0, 0, 0, 0, 0)
