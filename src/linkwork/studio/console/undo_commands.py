"""Taking back and taking away: undo redo remove rename copy reset rewind."""

from . import find
from .errors import RefusedError
from .table import command
from .words import quoted


@command("undo [n]", "takes the last command back, or the last n that changed something")
def undo(console, given):
    yield from _several(console.live, "undo", given.values[0])


@command("redo [n]", "does again what undo took back")
def redo(console, given):
    yield from _several(console.live, "redo", given.values[0])


def _several(live, which, n):
    for _ in range(1 if n is None else n):
        if not getattr(live, f"can_{which}"):
            if n is None:
                raise RefusedError(f"{which}: there is nothing to {which}")
            return
        words = getattr(live, which)().words  # "undo: set body b"
        yield f"{which} {quoted(words.removeprefix(f'{which}: '))}"


@command(
    "remove NAME [OTHER]",
    "removes a part with all that stands on it; with two names, a force of a body, or what joins two bodies",
    "unpost",
)
def remove(console, given):
    name, other = given.values
    mechanism = console.mechanism
    chosen = [mechanism.part(name)] if other is None else _between(mechanism, name, other)
    if chosen[0] is mechanism.ground:
        raise RefusedError("ground cannot be removed; everything stands on it; remove a joint or constraint")
    gone = []
    with console.live.edit(f"remove {name}" if other is None else f"remove {name} {other}") as m:
        for part in chosen:
            gone += [(part.role, part.name) for part in m.remove(part.name)]
    for role, called in gone:
        yield f"removed {role} {quoted(called)}"


def _between(mechanism, name, other):
    """A force of a body, or else all joints, constraints and forces between two bodies."""
    mechanism.body(name)
    bodies = {body.name for body in (*mechanism.bodies, mechanism.ground)}
    if other not in bodies:
        return [find.force(mechanism, name, other)]
    ends = {name, other}
    found = [joint for joint in mechanism.joints if {joint.parent_body, joint.child_body} == ends]
    found += [
        part for part in (*mechanism.constraints, *mechanism.forces) if not part.joints and set(find.acts_on(mechanism, part)) == ends
    ]
    if not found:
        raise RefusedError(f"nothing connects {name!r} and {other!r}; connectivity {quoted(name)} shows what there is")
    return found


@command("rename NAME NEW", "gives a part another name")
def rename(console, given):
    name, new = given.values
    mechanism = console.mechanism
    part = mechanism.part(name)
    if new != name:
        find.free_name(mechanism, new)
        with console.live.edit(f"rename {name} {new}") as m:
            m.rename(part.name, new)


@command("copy BODY PREFIX [-t x y z]", "copies a body with all that hangs on it, names with a prefix, shifted by -t")
def copy(console, given):
    name, prefix = given.values
    find.body(console.mechanism, name)
    made = console.live.copy(name, prefix, offset=given["-t"] or (0.0, 0.0, 0.0))
    for part in made:
        yield f"{part.role} {quoted(part.name)}"


@command("reset", "back to the beginning: bodies where they started, parts as they are now")
def reset(console, given):
    console.live.reset()


@command("rewind t", "back to a time that has passed, with the mechanism of then")
def rewind(console, given):
    console.live.rewind(given.values[0])
