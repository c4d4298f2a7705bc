"""Bodies from the palette: shapes by a few lengths, put somewhere."""

from typing import Any, NamedTuple

import numpy as np

import linkwork as lw

from .gravity_and_drag import air_of, still_air
from .spots import Spot, world_of
from .tools import free_name
from .touching import lowest, with_contact


class Stock(NamedTuple):
    """A shape of the palette. sizes: what its lengths are called; usual: m; main: its axis, 0 1 2; make(*lengths)."""

    label: str
    sizes: str
    usual: tuple
    main: int
    make: Any


STOCK = (
    Stock("Rod", "length, thickness", (0.4, 0.03), 0, lambda length, thick: lw.Box(length, thick, thick)),
    Stock("Box", "x, y, z", (0.2, 0.2, 0.2), 2, lw.Box),
    Stock("Ball", "radius", (0.08,), 2, lw.Sphere),
    Stock("Cylinder", "radius, length", (0.06, 0.2), 2, lw.Cylinder),
    Stock("Disc", "radius, thickness", (0.15, 0.02), 2, lw.Cylinder),
    Stock("Capsule", "radius, length", (0.03, 0.3), 2, lw.Capsule),
    Stock("Cone", "radius, height", (0.08, 0.2), 2, lw.Cone),
    Stock("Ellipsoid", "half axes a, b, c", (0.15, 0.1, 0.08), 2, lw.Ellipsoid),
)


def stock(label) -> Stock:
    """A shape by its label. Raises UnknownNameError."""
    found = {each.label: each for each in STOCK}
    if label not in found:
        raise lw.UnknownNameError("shape", label, list(found))
    return found[label]


def turn_to(main, axis):
    """The rotation that brings axis `main` (0 1 2) of a body along the world's axis: axes change places in a cycle, so it is exact."""
    return np.roll(np.eye(3), (axis - main) % 3, axis=0)


class NewBody(NamedTuple):
    """A body that is wanted. weight: kg/m^3 or kg, as `by` says. on: a Spot that it is put on instead of `where` (m). along: its main axis. velocity: m/s,
    with which it is thrown. above: m, dropped from above this height, and onto a floor: one is laid if nothing touches anything yet.
    """

    stock: Stock
    sizes: tuple
    weight: float
    by: str = "density"
    where: tuple = (0.0, 0.0, 0.0)
    along: str = "x"
    name: str = ""
    on: Spot | None = None
    velocity: tuple = (0.0, 0.0, 0.0)
    above: float | None = None


def place_body(live, new: NewBody) -> str:
    """Put a body into the world; returns its name."""
    chosen = new.stock
    wanted, found = len(chosen.usual), len(new.sizes)
    if found != wanted:
        raise lw.StudioError(f"size: found {found} numbers; allowed are {wanted} for a {chosen.label} ({chosen.sizes}); give these")
    if new.by not in ("density", "mass"):
        raise lw.StudioError(f"weight: found {new.by!r}; allowed are 'density' and 'mass'; choose one")
    shape = chosen.make(*new.sizes)
    R = turn_to(chosen.main, "xyz".index(new.along))
    point = np.asarray(new.where, dtype=float) if new.on is None else _upon(live, new.on, shape, R)
    name = new.name.strip() or free_name(live.mechanism, chosen.label.lower())
    point = _next_to(live, point) if new.above is None else _dropped(live, new, point, half_height(shape, R))
    pose = lw.Pose(tuple(point.round(9).tolist()), None if np.array_equal(R, np.eye(3)) else R)
    calm, floor = still_air(live.mechanism), None
    if new.above is not None and not live.mechanism.touches:
        floor = round(min(0.0, lowest(live)), 9)
    moves = {"twist": (0.0, 0.0, 0.0, *(R.T @ np.asarray(new.velocity)).tolist())} if any(new.velocity) else {}

    def edit():
        with live.edit(f"{'place' if new.above is None else 'drop'} {name!r}") as m:
            if floor is not None:
                m.change_contact(None)
                m.add_floor(floor)
            m.add_body(name, shape=shape, **{new.by: new.weight}, pose=pose, **moves)
            if calm is not None:
                m.add_force(free_name(m.mechanism, f"air {name}"), air_of(m.mechanism.body(name), calm), name)

    with_contact(live, edit)
    return name


def _dropped(live, new, point, half):
    """Above all that is there, or where it is wanted if that is higher still."""
    top = new.above if live.mechanism.bodies else 0.0
    return np.array((point[0], point[1], max(point[2], top + 2.0 * half)))


def _upon(live, spot, shape, R):
    """On the ground: so that it touches it from above. On a body: its middle there."""
    point = np.array(world_of(live, spot))
    if spot.body == "ground":
        point[2] += half_height(shape, R)
    return point


def half_height(shape, R):
    """Half of what a shape reaches over along the world's z, m; exact for axes along the world's."""
    if isinstance(shape, lw.Box):
        return 0.5 * float(np.abs(R[2]) @ (shape.x, shape.y, shape.z))
    if isinstance(shape, lw.Sphere):
        return shape.radius
    if isinstance(shape, lw.Ellipsoid):
        return float(np.linalg.norm(R[2] * (shape.a, shape.b, shape.c)))
    length = shape.height if isinstance(shape, lw.Cone) else shape.length
    c = abs(float(R[2, 2]))
    if isinstance(shape, lw.Capsule):
        return 0.5 * length * c + shape.radius
    return 0.5 * length * c + shape.radius * float(np.sqrt(max(0.0, 1.0 - c * c)))


def _next_to(live, point):
    """A bit higher where another body's origin is already, so that both are seen."""
    P = live.pose_arrays()[0]
    while len(P) and np.linalg.norm(P - point, axis=1).min() < 0.01:
        point = point + (0.0, 0.0, 0.1)
    return point
