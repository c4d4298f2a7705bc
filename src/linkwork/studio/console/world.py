"""What is everywhere: gravity and damping, with their switches; and a hand that pulls.

gravity on and off switch the bodies' own gravity forces (sb -if gravity), if there are any, else that of the world. Numbers are the gravity
of the world, in place of the bodies' own, and gravity on turns that round: no body falls by both.
damping gives every body a force called `drag`, those that come later too.
"""

import linkwork as lw

from . import find
from .errors import MisusedError
from .forces import DRAG
from .table import COMMANDS, command
from .words import number, shown

G = (0.0, 0.0, -9.81)


@command("gravity [WORD]...", "gravity on, gravity off, gravity g (downwards, m/s^2) or gravity x y z; without a word, prints it")
def gravity(console, given):
    (words,) = given.values
    mechanism, live = console.mechanism, console.live
    own = [force for force in mechanism.forces if isinstance(force.kind, lw.Gravity)]
    if not words:
        yield f"gravity {shown(mechanism.gravity)}"
        yield f"own {sum(force.on for force in own)} {len(own)}"
        return
    on = words == ("on",)
    if words == ("off",) or (on and own):
        world = (0.0, 0.0, 0.0)
    else:
        world = G if on else _vector(words)
    with live.edit(" ".join(("gravity", *words))) as m:
        m.change_gravity(world)
        _switch(m, own, on)


def _vector(words):
    if len(words) not in (1, 3):
        raise MisusedError(f"gravity: found {len(words)} words; allowed are on, off, one number or three", COMMANDS["gravity"].usage.text)
    numbers = tuple(number(word, "gravity: a component") for word in words)
    return (0.0, 0.0, -numbers[0]) if len(numbers) == 1 else numbers


def _switch(m, forces, on):
    for force in forces:
        if force.on != on:
            m.change(force.name, on=on)


@command(
    "damping [WORD]", "global damping: damping d (N s/m and N m s/rad on every body), damping on, damping off; without a word, prints it"
)
def damping(console, given):
    (word,) = given.values
    mechanism, live = console.mechanism, console.live
    drags = [force for force in mechanism.forces if force.name.endswith(f".{DRAG}") and isinstance(force.kind, lw.ViscousDamping)]
    if word is None:
        yield f"damping {shown(drags[0].kind.linear) if drags else 0} {'on' if any(force.on for force in drags) else 'off'}"
    elif word == "off":
        with live.edit("damping off") as m:
            _switch(m, drags, False)
    else:
        d = None if word == "on" else number(word, "damping: d")
        d = d if d is not None else drags[0].kind.linear if drags else 1.0
        with live.edit("damping") as m:
            known = {force.name for force in drags}
            for body in mechanism.bodies:
                name = find.force_name(body.name, DRAG)
                if name in known:
                    m.change(name, linear=d, angular=d, on=True)
                else:
                    m.add_force(find.free_name(mechanism, name), lw.ViscousDamping(d, d), body.name)


@command(
    "pull BODY [-p x y z] [-t x y z] [-hard]",
    "pulls the point -p of a body to the place -t in the world until release, by a spring; -hard: as if held",
)
def pull(console, given):
    (name,) = given.values
    body = find.body(console.mechanism, name)
    p = given["-p"] or (0.0, 0.0, 0.0)
    target = given["-t"] or console.live.poses()[body.name].act(p)
    console.live.pull(body.name, p, target, hard=given["-hard"] is not None)


@command("release", "lets go of what is pulled")
def release(console, given):
    console.live.release()
