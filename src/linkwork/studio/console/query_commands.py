"""Questions: help state connectivity signals get audit python."""

import linkwork as lw

from . import find
from .table import COMMANDS, command
from .words import quoted, shown


@command("help [COMMAND]", "the usage of every command, or what one does", "?")
def help_(console, given):
    (name,) = given.values
    if name is not None:
        if name not in COMMANDS:
            raise lw.UnknownNameError("command", name, list(COMMANDS))
        found = COMMANDS[name]
        yield f"usage: {found.usage.text}"
        yield f"{found.says[0].upper()}{found.says[1:]}." + (f" Also called {', '.join(found.others)}." if found.others else "")
        return
    for name, found in sorted(COMMANDS.items()):
        if name == found.usage.name:
            yield found.usage.text


@command("state", "what there is and how it moves: time, counts, degrees of freedom, energy, every joint")
def state(console, given):
    live, mechanism = console.live, console.mechanism
    yield f"time {shown(live.time)}{' frozen' if console.frozen else ''}"
    for what in ("bodies", "joints", "constraints", "forces"):
        yield f"{what} {len(getattr(mechanism, what))}"
    if not mechanism.bodies:
        return
    found = live.mobility()
    yield f"dof {found.dof}"
    yield f"redundant {found.redundant}"
    now = live.energy()
    yield f"energy {shown(float(now.kinetic))} {shown(float(now.potential))}"
    for joint in live.model.joints:
        yield f"joint {quoted(joint.name)} -q {shown(live.q[joint.q_index])} -qdot {shown(live.v[joint.v_index])}"


@command(
    "connectivity [BODY]",
    "what is connected with what: joints, constraints, strings and other forces between two bodies; all, or those of a body",
)
def connectivity(console, given):
    (name,) = given.values
    mechanism = console.mechanism
    if name is not None:
        mechanism.body(name)
    for role, part, bodies in _connections(mechanism):
        if name is None or name in bodies:
            yield f"{role} {quoted(part.name)} {type(part.kind).__name__} {' '.join(map(quoted, bodies))}"


def _connections(mechanism):
    for joint in mechanism.joints:
        yield "joint", joint, (joint.parent_body, joint.child_body)
    for constraint in mechanism.constraints:
        yield "constraint", constraint, find.acts_on(mechanism, constraint)
    for force in mechanism.forces:
        bodies = find.acts_on(mechanism, force)
        if isinstance(force.kind, lw.RubberString):
            yield "string", force, bodies
        elif "ground" not in bodies:
            yield "force", force, bodies


@command("signals", "all numbers that get can read, with their units")
def signals(console, given):
    for signal in console.live.signals:
        yield f"signal {quoted(signal.name)} {quoted(signal.unit)}"


@command("get WORD...", 'reads numbers, such as get q arm.joint, get "reaction arm.nail", get energy total; signals lists them')
def get(console, given):
    name = " ".join(given.values[0])
    yield f"{quoted(name)} {shown(console.live.read(name))}"


@command("audit", "the receipt: energy, momentum and gaps since the last edit, and what each edit took")
def audit(console, given):
    yield from str(console.live.audit).splitlines()


@command("python", "all that was done, as a script in Python")
def python(console, given):
    yield from console.live.python.splitlines()
