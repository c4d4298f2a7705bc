"""From shapes to tables of contacts: what `build` does for bodies that touch."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..geometry.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FLOOR, HEIGHT_FIELD, HULL, SPHERE, TRIANGLES
from ..geometry.mesh_parts import WORTH_A_NOTE, excess, hull_part, piece_parts, surface_part
from ..geometry.shape_table import SHAPE
from ..parts.part import Named
from ..parts.place import IDENTITY
from ..parts.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Floor, HeightField, Mesh, MeshFile, Sphere
from ..parts.surface import geometric_mean
from ..parts.touching import Touching, takes_contact
from ..spatial.pose import Pose
from .contact_tables import ADDRESSES, PAIR, contact_tables, no_contacts

MOST_PAIRS = 5_000_000  # of shapes: 32 bytes each, and every step looks at them

LEAST_SIZE, MOST_SIZE = 1e-50, 1e50  # m, of shapes that touch: geometry multiplies up to four lengths, and squares that

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
    """A shape of a model that may touch others. Its name is that of its body if this has one such shape, else "body/0", "body/1", ...; of a mesh in pieces
    each is a shape, "body piece 0", "body piece 1", ...

    `body`: the name of its body ("ground" for those of the ground). `index`: its row in the tables. `surface`: friction and restitution as declared for it,
    for its body or for the mechanism. `at`: where the row's own frame is in the body. `note`: what touches instead of the shape, "" if it does itself.
    """

    name: str
    index: int
    body: str
    shape: Any
    surface: Any
    at: Any = IDENTITY
    note: str = ""


class _Piece(NamedTuple):
    """What a shape becomes: the name of a row, its shape's number, and the row but for where it stands."""

    name: str
    kind: int
    at: Pose
    size: tuple = (0.0, 0.0, 0.0)
    bound: float = 0.0
    npoints: int = 0
    nfaces: int = 0
    arrays: Any = None
    note: str = ""


def lay_contacts(mechanism, bodies):
    """(ContactTables, [ShapeInfo]) of a mechanism without faults. bodies: (names in the order of the model, its table BODY)."""
    touching = Touching(mechanism) if takes_contact(mechanism) else None
    found = touching.pairs() if touching is not None else ()
    if not len(found):
        return no_contacts(), []
    names, table = bodies
    order = {"ground": -1} | {name: k for k, name in enumerate(names)}
    touches = sorted(np.unique(found).tolist(), key=lambda k: order[touching.bodies[k].name])
    infos, rows, spans, arrays = [], [], {}, _Arrays()
    for k in touches:
        body, shapes = touching.bodies[k], touching.shapes_of(k)
        first = len(rows)
        for m, shape in enumerate(shapes):
            surface = touching.surface_of(k, m)
            for piece in _pieces(body.name if len(shapes) == 1 else f"{body.name}/{m}", shape):
                _refuse_sizes(piece, type(shape).__name__)
                infos.append(ShapeInfo(piece.name, len(rows), body.name, shape, surface, piece.at, piece.note))
                arrays.put(len(rows), piece.arrays)
                rows.append(_row(piece, order[body.name], table))
        spans[k] = first, len(rows) - first
    shapes = np.array(rows, dtype=SHAPE)
    return contact_tables(shapes, _pairs(touching, found, spans, infos, shapes), *arrays.joined(len(rows))), infos


def _pairs(touching, found, spans, infos, shapes):
    """The table of pairs, ascending. found: pairs of bodies; spans: {body: (the number of its first row, how many it has)}."""
    begin, count = (np.zeros(len(touching.bodies), dtype=np.int64) for _ in range(2))
    for k, (start, number) in spans.items():
        begin[k], count[k] = start, number
    i, j = found.T
    each = count[i] * count[j]
    if each.sum() > MOST_PAIRS:
        raise ModelError(
            f"build: {len(shapes)} shapes make {int(each.sum())} pairs that may touch; allowed are {MOST_PAIRS}; put shapes that do not move into one "
            "Mesh(..., touching='triangles') or HeightField of the ground, m.ignore(...) bodies, or say m.contact = False"
        )
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


def _refuse_sizes(piece, owner):
    """Sizes whose squares, or products of four of them, are no numbers."""
    bounds = [] if piece.kind == FLOOR else [("radius about its middle", piece.bound)]
    bounds += [("size of a cell", x) for x in piece.size[:2]] if piece.kind == HEIGHT_FIELD else []
    for what, size in bounds:
        if not LEAST_SIZE <= size <= MOST_SIZE:
            raise ModelError(
                f"shape {piece.name!r}: the {what} of its {owner} is {size:g} m; allowed where bodies touch are {LEAST_SIZE:g} to {MOST_SIZE:g} m; "
                "correct it, or say m.contact = False"
            )
    away = float(np.abs(piece.at.translation).max())
    if not away <= MOST_SIZE:
        raise ModelError(
            f"shape {piece.name!r}: its {owner} stands {away:g} m away; allowed where bodies touch are {MOST_SIZE:g} m; correct its pose"
        )


class _Arrays:
    """What rows lead to, one after the other: equal ones once."""

    def __init__(self):
        self._known, self._points, self._integers, self._offsets = {}, [], [], {}
        self._ends = {id(self._points): 0, id(self._integers): 0}

    def put(self, row, arrays):
        """arrays: an object with arrays by the names of ADDRESSES, as a hull has; None: there are none."""
        if arrays is None:
            return
        if id(arrays) not in self._known:
            given = [getattr(arrays, name, None) for name in ADDRESSES]
            starts = [-1 if x is None else self._add(self._points if k == 0 else self._integers, x) for k, x in enumerate(given)]
            self._known[id(arrays)] = starts, arrays
        self._offsets[row] = self._known[id(arrays)][0]

    def _add(self, where, array):
        """Where it begins among all of these arrays."""
        start = self._ends[id(where)]
        where.append(array)
        self._ends[id(where)] = start + len(array)
        return start

    def joined(self, nshapes):
        """points, integers and offsets, as `contact_tables` takes them."""
        offsets = np.full((nshapes, len(ADDRESSES)), -1, dtype=np.int64)
        for row, starts in self._offsets.items():
            offsets[row] = starts
        return np.concatenate([np.zeros(0), *self._points]), np.concatenate([np.zeros(0, dtype=np.int64), *self._integers]), offsets


def _pieces(name, shape):
    """What a shape becomes: rows but for where they stand."""
    if isinstance(shape, Mesh | MeshFile):
        return _mesh_pieces(name, shape)
    if isinstance(shape, HeightField):
        return [_height_piece(name, shape)]
    if type(shape) not in SOLIDS:
        allowed = ", ".join(kind.__name__ for kind in (*SOLIDS, Mesh, MeshFile, HeightField))
        raise ModelError(
            f"shape {name!r}: a {type(shape).__name__} cannot touch others yet; allowed are {allowed}; give its body collisions=... made of these, "
            "or say m.contact = False"
        )
    kind, size_of, bound_of = SOLIDS[type(shape)]
    return [_Piece(name, kind, shape.plane if isinstance(shape, Floor) else shape.at, size_of(shape), bound_of(shape))]


def _mesh_pieces(name, shape):
    owner = type(shape).__name__
    try:
        vertices, faces = shape.triangles()
        if shape.touching == "triangles":
            middle, arrays = surface_part(vertices, faces)
            return [
                _Piece(
                    name,
                    TRIANGLES,
                    shape.at @ Pose(middle),
                    bound=arrays.bound,
                    npoints=arrays.npoints,
                    nfaces=arrays.nfaces,
                    arrays=arrays,
                )
            ]
        if shape.touching == "pieces":
            made = piece_parts(vertices, faces)
            called = [f"{name} piece {k}" for k in range(len(made))] if len(made) > 1 else [name]
            return [
                _hull_piece(each, shape.at, part, f"one of {len(made)} convex pieces of its {owner}") for each, part in zip(called, made)
            ]
        part = hull_part(vertices)
        times = excess(vertices, faces)
    except ModelError as error:
        raise ModelError(f"shape {name!r}: its {owner} touches with {_TOUCHES[shape.touching]}, which cannot be made: {error}") from error
    note = ""
    if times > WORTH_A_NOTE:
        note = f"the convex hull of its {owner}, {times:.3g} times the volume; touching='pieces' or 'triangles' follows its hollows"
    return [_hull_piece(name, shape.at, part, note)]


_TOUCHES = {"hull": "its convex hull", "pieces": "convex pieces", "triangles": "its triangles"}


def _hull_piece(name, at, part, note):
    middle, hull = part
    bound = float(np.linalg.norm(hull.vertices, axis=1).max())
    return _Piece(name, HULL, at @ Pose(middle), bound=bound, npoints=hull.npoints, nfaces=hull.nfaces, arrays=hull, note=note)


def _height_piece(name, shape):
    """The heights are kept about the middle between the lowest and the highest."""
    low, high = float(shape.heights.min()), float(shape.heights.max())
    middle = low + 0.5 * (high - low)
    ny, nx = shape.heights.shape
    bound = 0.5 * math.hypot((nx - 1) * shape.dx, (ny - 1) * shape.dy, high - low)
    at, arrays = shape.at @ Pose((0.0, 0.0, middle)), _Heights((shape.heights - middle).ravel())
    return _Piece(name, HEIGHT_FIELD, at, (shape.dx, shape.dy, high - low), bound, nx, ny, arrays)


class _Heights(NamedTuple):
    points: Any


def _row(piece, body, table):
    """The row of a piece: its pose in the frame of its link. body: the number of its body."""
    link, R, p = -1, piece.at.rotation, piece.at.translation
    if body >= 0:
        holder = table[body]
        turn = holder["R"].reshape(3, 3)
        link, R, p = holder["link"], turn @ R, holder["p"] + turn @ p
    return (piece.kind, link, body, piece.npoints, piece.size, R.ravel(), p, piece.bound, piece.nfaces, 0, 0, 0, 0, 0)
