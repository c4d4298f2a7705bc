"""Forces on bodies: sf pf, and the kinds that `sb -if` adds. A new kind is one entry in TYPES.

type      law                                                          options
gravity   m g along -z of the world, at the centre of mass             -g (9.81)
motor     a constant force and torque in a frame of the body           -f fx fy fz nx ny nz, in the frame at -t -E
damping   -d V, on the whole velocity of the body at its origin        -d (1)
support   spring and damper that keep a point above z = 0              -k (1000) -d (10) -s: the point
foot      the same, which sticks to the ground and slips               -k (1000) -d (10) -m (0.5) -s: the point
brake     -d u, on the velocity of a point of the body                 -d (1) -t: the point

Other forces, of files or of the page, are set by the fields of their kind: `sf bob spring -stiffness 200`.
"""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import linkwork as lw

from . import find
from .errors import MisusedError, RefusedError
from .table import command
from .usage import Usage
from .words import quoted, shown

SF = "sf BODY FORCE"
DRAG = "drag"  # the global damping of a body


class ForceType(NamedTuple):
    """One type of force. usage: its options. make: the kind at first, for a body. read: what options change, given the force and the options.
    show: {option: value} of a force. tells: is a force of this type?"""

    usage: str
    make: Callable
    read: Callable
    show: Callable
    tells: Callable


def _point(force, given, flag):
    """A change of the place, if the option gives a point."""
    point = given[flag]
    return {} if point is None else {"a": lw.Place(force.a.name, lw.Pose(point, force.a.pose.rotation))}


def _numbers(given, **fields):
    """{field: value} of the options that are given."""
    return {field: given[flag] for field, flag in fields.items() if given[flag] is not None}


def _gravity_read(force, given):
    return {} if given["-g"] is None else {"acceleration": (0.0, 0.0, -given["-g"])}


def _motor_read(force, given):
    values = {}
    if given["-f"] is not None:
        values = {"force": given["-f"][:3], "torque": given["-f"][3:]}
    if given["-t"] is not None or given["-E"] is not None:
        p = force.a.pose.translation if given["-t"] is None else given["-t"]
        turn = force.a.pose.rotation if given["-E"] is None else find.rotation(given["-E"])
        values["a"] = lw.Place(force.a.name, lw.Pose(p, turn))
    return values


def _damping_read(force, given):
    return {} if given["-d"] is None else {"linear": given["-d"], "angular": given["-d"]}


def _brake_read(force, given):
    if given["-d"] is not None and not given["-d"] > 0.0:
        raise RefusedError(f"-d of brake {force.name!r} is {given['-d']:g}; allowed is a number above 0; `sb ... -f` switches a brake off")
    return _numbers(given, linear="-d") | _point(force, given, "-t")


TYPES = {
    "gravity": ForceType(
        "[-g g]",
        lambda body: lw.Gravity(body.mass_properties().mass),
        _gravity_read,
        lambda force: {"-g": -force.kind.acceleration[2]},
        lambda force: isinstance(force.kind, lw.Gravity) and force.kind.acceleration[:2] == (0.0, 0.0),
    ),
    "motor": ForceType(
        "[-f fx fy fz nx ny nz] [-t x y z] [-E w x y z]",
        lambda body: lw.Motor(reaction=False),
        _motor_read,
        lambda force: {
            "-f": (*force.kind.force, *force.kind.torque),
            "-t": force.a.pose.translation,
            "-E": force.a.pose.quaternion,
        },
        lambda force: isinstance(force.kind, lw.Motor) and force.kind.axes == "a" and not force.kind.reaction,
    ),
    "brake": ForceType(
        "[-d d] [-t x y z]",
        lambda body: lw.ViscousDamping(linear=1.0),
        _brake_read,
        lambda force: {"-d": force.kind.linear, "-t": force.a.pose.translation},
        lambda force: isinstance(force.kind, lw.ViscousDamping) and force.kind.angular == 0.0 != force.kind.linear and _scalar(force),
    ),
    "damping": ForceType(
        "[-d d]",
        lambda body: lw.ViscousDamping(1.0, 1.0),
        _damping_read,
        lambda force: {"-d": force.kind.linear},
        lambda force: isinstance(force.kind, lw.ViscousDamping) and force.kind.angular == force.kind.linear and _scalar(force),
    ),
    "support": ForceType(
        "[-k k] [-d d] [-s x y z]",
        lambda body: lw.Support(1000.0, 10.0),
        lambda force, given: _numbers(given, stiffness="-k", damping="-d") | _point(force, given, "-s"),
        lambda force: {"-k": force.kind.stiffness, "-d": force.kind.damping, "-s": force.a.pose.translation},
        lambda force: isinstance(force.kind, lw.Support),
    ),
    "foot": ForceType(
        "[-k k] [-d d] [-m mu] [-s x y z]",
        lambda body: lw.StickSlip(1000.0, 10.0),
        lambda force, given: _numbers(given, stiffness="-k", damping="-d", friction="-m") | _point(force, given, "-s"),
        lambda force: {"-k": force.kind.stiffness, "-d": force.kind.damping, "-m": force.kind.friction, "-s": force.a.pose.translation},
        lambda force: isinstance(force.kind, lw.StickSlip),
    ),
}


def _scalar(force):
    return isinstance(force.kind.linear, float)


def type_of(mechanism, force):
    """The word for a force of a body, or None."""
    if force.joints or force.b.name != "ground" or isinstance(mechanism.part(force.a.name), lw.Frame):
        return None
    return next((word for word, kind in TYPES.items() if kind.tells(force)), None)


def add_force(m, body_name, word, name):
    """Add a force of a type to a body, within an edit."""
    if word not in TYPES:
        raise MisusedError(f"sb: {lw.UnknownNameError('type of force', word, list(TYPES))}")
    body = m.mechanism.body(body_name)
    called = find.free_name(m.mechanism, find.force_name(body_name, name))
    place = lw.Pose(body.mass_properties().com) if word == "gravity" else lw.Pose()
    m.add_force(called, TYPES[word].make(body), lw.Place(body_name, place))


def with_drag(m, body_name):
    """Give a new body the global damping that the others have."""
    known = next((force for force in m.mechanism.forces if force.name.endswith(f".{DRAG}")), None)
    if known is not None:
        m.add_force(find.force_name(body_name, DRAG), known.kind, body_name, on=known.on)


@command(
    f"{SF} ...",
    "sets a force of a body: " + "; ".join(f"{word} {kind.usage}" for word, kind in TYPES.items()) + "; others by the fields of their kind",
)
def sf(console, words):
    body_name, name = Usage(SF).parse(words[:2]).values
    mechanism = console.mechanism
    mechanism.body(body_name)
    force = find.force(mechanism, body_name, name)
    word = type_of(mechanism, force)
    usage = Usage(f"{SF} {_fields_usage(force.kind) if word is None else TYPES[word].usage}")
    given = usage.parse(words)
    values = _fields_read(given) if word is None else TYPES[word].read(force, given)
    if not values:
        raise MisusedError(f"sf: nothing is given to set on {name!r}", usage.text)
    with console.live.edit(f"set force {force.name}") as m:
        m.change(force.name, **values)


def _settable(kind):
    """(field, how many numbers) of a kind that can be set by numbers."""
    for field in dataclasses.fields(kind):
        value = getattr(kind, field.name)
        if isinstance(value, float):
            yield field.name, 1
        elif isinstance(value, tuple) and value and all(isinstance(x, float) for x in value):
            yield field.name, len(value)


def _fields_usage(kind):
    return " ".join(f"[-{name} {' '.join(['x'] * count)}]" for name, count in _settable(kind))


def _fields_read(given):
    return {flag[1:]: values[-1] for flag, values in given.options.items()}


@command("pf [BODY] [FORCE]", "prints a force, the forces of a body, or all: body, name, type, on or off, parameters")
def pf(console, given):
    body_name, name = given.values
    mechanism = console.mechanism
    bodies = mechanism.bodies if body_name is None else [find.body(mechanism, body_name)]
    for body in bodies:
        forces = find.forces_of(mechanism, body.name) if name is None else [find.force(mechanism, body.name, name)]
        for force in forces:
            yield _line(mechanism, body.name, force)


def _line(mechanism, body_name, force):
    word = type_of(mechanism, force)
    if word is None:
        said = {f"-{name}": getattr(force.kind, name) for name, _ in _settable(force.kind)}
        word = type(force.kind).__name__
    else:
        said = TYPES[word].show(force)
    numbers = " ".join(f"{flag} {shown(value)}" for flag, value in said.items())
    return f"force {quoted(body_name)} {quoted(find.short_name(body_name, force.name))} {word} {'on' if force.on else 'off'} {numbers}".rstrip()


@command(
    "switch FORCE [{on|off}]", "switches a force by its whole name (a string, a spring, ball.gravity); without on or off, the other way"
)
def switch(console, given):
    name, to = given.values
    force = console.mechanism.force(name)
    on = not force.on if to is None else to == "on"
    with console.live.edit(f"switch {name} {'on' if on else 'off'}") as m:
        m.change(name, on=on)
    yield f"force {quoted(name)} {'on' if on else 'off'}"
