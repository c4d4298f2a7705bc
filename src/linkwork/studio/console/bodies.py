"""Bodies: ib sb pb.

A new body has mass 1 and the inertia of a cube of edge 1 m. It is shown as the uniform box that has its mass and inertia,

    x^2 = 6 (Iy + Iz - Ix) / m     and so on,

which for the beams of the thesis is the very beam (10 x 1 x 0.5 m), as long as it has no other shape.
"""

import math

import numpy as np

import linkwork as lw

from . import find
from .errors import RefusedError
from .forces import add_force, with_drag
from .table import command
from .words import quoted, shown

MASS, INERTIA = 1.0, (1.0 / 6.0,) * 3


@command("ib NAME", "a new body: mass 1, inertia of a cube of edge 1, at rest in the origin")
def ib(console, given):
    (name,) = given.values
    find.free_name(console.mechanism, name)
    with console.live.edit(f"body {name}") as m:
        new_body(m, name)


def new_body(m, name, **where):
    """Add a body as ib does."""
    m.add_body(name, mass=MASS, inertia=INERTIA, shape=box_of(MASS, INERTIA), **where)
    with_drag(m, name)


@command(
    "sb BODY [-vl x y z] [-vr x y z] [-t x y z] [-E w x y z] [-in Ix Iy Iz] [-m mass] [-box x y z] [-if TYPE NAME]... [-f NAME]...",
    "sets a body: velocity (-vl), angular velocity (-vr), position and orientation, all in the world; principal moments, mass, "
    "or the inertia of a box; -if adds a force (gravity, motor, damping, support, foot, brake), -f switches one off or on",
)
def sb(console, given):
    (name,) = given.values
    mechanism = console.mechanism
    body = find.body(mechanism, name)
    if not given.options:
        raise RefusedError(f"sb: nothing is given to set on {name!r}; pb {quoted(name)} shows it")
    pose, twist = _placed(console.live, name, given)
    with console.live.edit(f"set body {name}") as m:
        if any(given[flag] is not None for flag in ("-in", "-m", "-box")):
            _weigh(m, body, given)
        for kind, called in given.all("-if"):
            add_force(m, name, kind, called)
        for called in given.all("-f"):
            force = find.force(m.mechanism, name, called)
            m.change(force, on=not force.on)
        if pose is not None:
            m.place(name, pose, twist)


def _placed(live, name, given):
    """(pose, twist in the body's axes) that -t -E -vl -vr ask for, what is not given as it is; (None, None) if none is given."""
    if all(given[flag] is None for flag in ("-t", "-E", "-vl", "-vr")):
        return None, None
    here = live.poses()[name]
    rotation = here.rotation if given["-E"] is None else find.rotation(given["-E"])
    pose = lw.Pose(here.translation if given["-t"] is None else given["-t"], rotation)
    turning, moving = find.velocity(live, name)
    turning = turning if given["-vr"] is None else np.array(given["-vr"])
    moving = moving if given["-vl"] is None else np.array(given["-vl"])
    back = pose.rotation.T
    return pose, np.concatenate([back @ turning, back @ moving])


def _weigh(m, body, given):
    """Mass and inertia; weights of the body follow, and so does its look if it was that of its inertia."""
    before = body.mass_properties()
    mass = before.mass if given["-m"] is None else given["-m"]
    if not mass > 0.0:
        raise RefusedError(f"the mass of {body.name!r} is {mass:g} kg; allowed is a number above 0")
    values = {"mass": mass}
    if given["-box"] is not None:
        if given["-in"] is not None:
            raise RefusedError("-in and -box both say the inertia; give one of them")
        x, y, z = given["-box"]
        moments = tuple(mass / 12.0 * (a * a + b * b) for a, b in ((y, z), (x, z), (x, y)))
        values |= {"inertia": moments, "com": (0.0, 0.0, 0.0), "shape": lw.Box(x, y, z)}
    elif given["-in"] is not None or body.inertia is not None:
        moments = before.tensor if given["-in"] is None else given["-in"]
        values |= {"inertia": moments, "com": tuple(before.com)}
        if body.shape is None or body.shape == box_of(before.mass, np.diag(before.tensor)):
            values["shape"] = box_of(mass, np.diag(moments) if given["-in"] is None else moments)
    m.change(body.name, **values)
    for force in find.forces_of(m.mechanism, body.name):
        if isinstance(force.kind, lw.Gravity) and force.kind.mass == before.mass:
            m.change(force.name, mass=mass)


def box_of(mass, moments):
    """The uniform box with this mass and these moments, as far as there is one; no edge is thinner than a thousandth of the longest."""
    a, b, c = (float(x) for x in moments)
    squares = [6.0 * max(s, 0.0) / mass for s in (b + c - a, a + c - b, a + b - c)]
    longest = math.sqrt(max(squares))
    if not 0.0 < longest < math.inf:
        return lw.Box(1.0, 1.0, 1.0)
    return lw.Box(*(max(round(math.sqrt(s), 6), 1e-3 * longest) for s in squares))


@command("pb [BODY]", "prints a body, or all: mass, inertia, position, orientation, velocity, angular velocity")
def pb(console, given):
    (name,) = given.values
    mechanism, live = console.mechanism, console.live
    poses = live.poses()
    chosen = mechanism.bodies if name is None else [find.body(mechanism, name)]
    for body in chosen:
        yield _line(body, poses[body.name], *find.velocity(live, body.name))


def _line(body, pose, turning, moving):
    weight = body.mass_properties()
    said = {
        "-m": weight.mass,
        "-in": np.diag(weight.tensor),
        "-t": pose.translation,
        "-E": pose.quaternion,
        "-vl": moving,
        "-vr": turning,
    }
    return f"body {quoted(body.name)} " + " ".join(f"{flag} {shown(value)}" for flag, value in said.items())
