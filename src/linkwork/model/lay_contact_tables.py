"""From shapes to tables of contacts: what `build` does for bodies that touch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..geometry.hull import hull_arrays
from ..geometry.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FLOOR, HULL, SPHERE
from ..geometry.shape_table import SHAPE
from ..parts.part import Named
from ..parts.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Floor, Mesh, Sphere
from ..parts.surface import geometric_mean
from ..parts.touching import Touching, takes_contact
from ..spatial.pose import Pose
from .contact_tables import ADDRESSES, PAIR, contact_tables, no_contacts

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
    if not len(found):
        return no_contacts(), []
    names, table = bodies
    order = {"ground": -1} | {name: k for k, name in enumerate(names)}
    touches = sorted(np.unique(found).tolist(), key=lambda k: order[touching.bodies[k].name])
    infos, rows, first, hulls = [], [], {}, _Hulls()
    for k in touches:
        body, shapes = touching.bodies[k], touching.shapes_of(k)
        first[k] = len(rows)
        for m, shape in enumerate(shapes):
            name = body.name if len(shapes) == 1 else f"{body.name}/{m}"
            infos.append(ShapeInfo(name, len(rows), body.name, shape, touching.surface_of(k, m)))
            rows.append(_row(name, shape, (len(rows), order[body.name]), table, hulls))
    shapes = np.array(rows, dtype=SHAPE)
    return contact_tables(shapes, _pairs(touching, found, first, infos, shapes), *hulls.arrays(len(rows))), infos


def _pairs(touching, found, first, infos, shapes):
    """The table of pairs, ascending. found: pairs of bodies; first: {body: the number of its first shape}."""
    begin, count = (np.zeros(len(touching.bodies), dtype=np.int64) for _ in range(2))
    for k, start in first.items():
        begin[k], count[k] = start, len(touching.shapes_of(k))
    i, j = found.T
    each = count[i] * count[j]
    of = np.repeat(np.arange(len(found)), each)
    nth = np.arange(len(of)) - np.repeat(np.cumsum(each) - each, each)
    one, other = begin[i[of]] + nth // count[j[of]], begin[j[of]] + nth % count[j[of]]
    friction, restitution = (np.array([getattr(info.surface, name) for info in infos]) for name in ("friction", "restitution"))
    pairs = np.zeros(len(of), dtype=PAIR)
    pairs["a"], pairs["b"] = np.minimum(one, other), np.maximum(one, other)
    pairs["friction"] = geometric_mean(friction[one], friction[other])
    pairs["restitution"] = np.maximum(restitution[one], restitution[other])
    for k, (x, y) in enumerate(found.tolist() if touching.rules else ()):
        rule = touching.rule(x, y)
        if rule is not None and rule.surface is not None:
            pairs["friction"][of == k], pairs["restitution"][of == k] = rule.surface.friction, rule.surface.restitution
    pairs["link_a"], pairs["link_b"] = shapes["link"][pairs["a"]], shapes["link"][pairs["b"]]
    return pairs[np.lexsort((pairs["b"], pairs["a"]))]


def middle_of(mesh):
    """The middle of the box around a mesh, where the table has its origin."""
    return 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0))


class _Hulls:
    """The convex hulls of meshes, one after the other: vertices about the middle of the box around them, so that bounding spheres are small."""

    def __init__(self):
        self._known, self._points, self._integers, self._offsets = {}, [], [], {}

    def add(self, name, mesh, row):
        """(middle, count, bound, faces) of the hull of a mesh, which the shape with this row has."""
        found = self._known.get(id(mesh.vertices))
        if found is None:
            middle = middle_of(mesh)
            try:
                hull = hull_arrays(mesh.vertices - middle)
            except ModelError as error:
                raise ModelError(f"shape {name!r}: the convex hull of its Mesh touches, and has none: {error}") from error
            offsets = (
                self._put(self._points, hull.points),
                self._put(self._integers, hull.faces),
                self._put(self._integers, hull.neighbours),
                -1,
            )
            bound = float(np.linalg.norm(hull.vertices, axis=1).max())
            found = self._known[id(mesh.vertices)] = (middle, hull.npoints, bound, hull.nfaces), offsets
        self._offsets[row] = found[1]
        return found[0]

    @staticmethod
    def _put(arrays, array):
        """Where it begins among all of these arrays."""
        start = sum(map(len, arrays))
        arrays.append(array)
        return start

    def arrays(self, nshapes):
        """points, integers and offsets, as `contact_tables` takes them."""
        offsets = np.full((nshapes, len(ADDRESSES)), -1, dtype=np.int64)
        for row, starts in self._offsets.items():
            offsets[row] = starts
        return np.concatenate([np.zeros(0), *self._points]), np.concatenate([np.zeros(0, dtype=np.int64), *self._integers]), offsets


def _row(name, shape, place, table, hulls):
    """The row of a shape: its pose in the frame of its link. place: (number of the row, number of the body)."""
    row, body = place
    at = shape.plane if isinstance(shape, Floor) else shape.at
    count, nfaces = 0, 0
    if isinstance(shape, Mesh):
        middle, count, bound, nfaces = hulls.add(name, shape, row)
        kind, size, at = HULL, (0.0, 0.0, 0.0), at @ Pose(middle)
    elif type(shape) in SOLIDS:
        kind, size_of, bound_of = SOLIDS[type(shape)]
        size, bound = size_of(shape), bound_of(shape)
    else:
        allowed = ", ".join(kind.__name__ for kind in (*SOLIDS, Mesh))
        raise ModelError(
            f"shape {name!r}: a {type(shape).__name__} cannot touch others yet; allowed are {allowed}; give its body collisions=... made of these, "
            "or say m.contact = False"
        )
    link, R, p = -1, at.rotation, at.translation
    if body >= 0:
        holder = table[body]
        turn = holder["R"].reshape(3, 3)
        link, R, p = holder["link"], turn @ R, holder["p"] + turn @ p
    return (kind, link, body, count, size, R.ravel(), p, bound, nfaces, 0, 0, 0, 0, 0)
