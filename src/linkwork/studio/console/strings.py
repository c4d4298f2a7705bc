"""Rubber strings between two bodies: ir sr pr. A string pulls when it is longer than its rest length, and less while it shortens."""

import numpy as np

import linkwork as lw

from . import find
from .errors import RefusedError
from .table import command
from .words import quoted, shown

OPTIONS = "[-k k] [-l l] [-e e] [-s speed] [-lone x y z] [-ltwo x y z]"
NUMBERS = {"stiffness": "-k", "length": "-l", "restitution": "-e", "smoothing": "-s"}


@command(
    f"ir NAME BODY1 BODY2 {OPTIONS}",
    "a new rubber string between points -lone and -ltwo of two bodies: stiffness (1), rest length (the distance now), "
    "part of the pull that is left while it shortens (1), speed over which that sets in (.1)",
)
def ir(console, given):
    name, one, two = given.values
    mechanism = console.mechanism
    find.free_name(mechanism, name)
    for body in (one, two):
        mechanism.body(body)
    a, b = (lw.Place(body, lw.Pose(given[flag] or (0.0, 0.0, 0.0))) for body, flag in ((one, "-lone"), (two, "-ltwo")))
    length = _span(console.live, a, b)[0] if given["-l"] is None else given["-l"]
    values = {field: given[flag] for field, flag in NUMBERS.items() if given[flag] is not None}
    with console.live.edit(f"string {name}") as m:
        m.add_force(name, lw.RubberString(**{"stiffness": 1.0, "length": length, **values}), a, b)


@command(f"sr NAME [-one BODY] [-two BODY] {OPTIONS}", "sets a rubber string; -one and -two tie its ends to other bodies")
def sr(console, given):
    (name,) = given.values
    mechanism = console.mechanism
    force = _string(mechanism, name)
    values = {field: given[flag] for field, flag in NUMBERS.items() if given[flag] is not None}
    for side, tie, point in (("a", "-one", "-lone"), ("b", "-two", "-ltwo")):
        if given[tie] is None and given[point] is None:
            continue
        body, pose = find.where(mechanism, getattr(force, side))
        body = body if given[tie] is None else mechanism.body(given[tie]).name
        values[side] = lw.Place(body, pose if given[point] is None else lw.Pose(given[point]))
    if not values:
        raise RefusedError(f"sr: nothing is given to set on {name!r}; pr {quoted(name)} shows it")
    with console.live.edit(f"set string {name}") as m:
        m.change(name, **values)


@command(
    "pr [NAME]",
    "prints a rubber string, or all: ends, parameters, its length now and its pull; full: what it would pull if stretched slowly",
)
def pr(console, given):
    (name,) = given.values
    mechanism = console.mechanism
    chosen = strings(mechanism) if name is None else [_string(mechanism, name)]
    for force in chosen:
        yield _line(console.live, force)


def strings(mechanism):
    return [force for force in mechanism.forces if isinstance(force.kind, lw.RubberString)]


def _string(mechanism, name):
    found = {force.name: force for force in strings(mechanism)}
    if name not in found:
        raise lw.UnknownNameError("string", name, list(found))
    return found[name]


def _span(live, a, b):
    """(distance of two places, its rate)."""
    (p, u), (q, w) = (find.point(live, place) for place in (a, b))
    length = float(np.linalg.norm(q - p))
    return length, float((q - p) @ (w - u)) / length if length > 0.0 else 0.0


def _line(live, force):
    kind, mechanism = force.kind, live.mechanism
    length, rate = _span(live, force.a, force.b)
    full = kind.stiffness * max(length - kind.length, 0.0)
    x = min(max(0.5 * (rate + kind.smoothing) / kind.smoothing, 0.0), 1.0)
    pull = full * (kind.restitution + (1.0 - kind.restitution) * x * x * (3.0 - 2.0 * x)) if force.on else 0.0
    (one, at_one), (two, at_two) = (find.where(mechanism, place) for place in (force.a, force.b))
    said = {
        **{flag: getattr(kind, field) for field, flag in NUMBERS.items()},
        "-lone": at_one.translation,
        "-ltwo": at_two.translation,
        "length": length,
        "tension": pull,
        "full": full,
    }
    return f"string {quoted(force.name)} {quoted(one)} {quoted(two)} " + " ".join(f"{flag} {shown(value)}" for flag, value in said.items())
