"""`--set part.param=value`: one number of the mechanism, its start or its integrator changed for one run.

gravity=0,0,0            of the mechanism
crank.mass=2             a body's mass, com, inertia, density
spring.stiffness=200     what the kind of a joint, constraint or force says; fields of it
surface.friction=0.3     of all that touches, unless it has its own; of one body: crate.surface.friction=0.3
motor.q=0.3, motor.v=2   where a joint starts; a floating body's joint is <body>.free
integrator.rtol=1e-9     a setting of the integrator
"""

import linkwork as lw

from ..validation import is_number
from .messages import UsageError

PLACES = ("kind", "a", "b", "parent", "child", "place", "shape", "visuals", "collisions", "joints")  # no value of a line of text
SURFACE = ("friction", "restitution")


def apply_settings(source, texts):
    """Change mechanism and setup of a Source; returns the joints that were given a q or v. Wrong names and values are UsageErrors."""
    held, before = set(), source.mechanism.faults() if texts else []
    for text in texts:
        name, field, value = _parsed(text)
        try:
            if name == "":
                _set_gravity(source.mechanism, field, value)
            elif name == "integrator" and not _has_part(source.mechanism, name):
                source.setup.integrator = {**(source.setup.integrator or {}), field: value}
            elif field in SURFACE and _has_surface(source.mechanism, name):
                _set_surface(source.mechanism, name, field, value)
            elif field in ("q", "v") and _starts(source.mechanism, name):
                getattr(source.setup, field)[name] = _numbers(text, value)
                held.add(name)
            else:
                _set_field(source.mechanism, name, field, value)
        except (lw.LinkworkError, TypeError) as error:
            raise UsageError(f"--set {text}: {error}") from None
    new = [fault.message for fault in source.mechanism.faults() if fault not in before] if texts else []
    if new:
        raise UsageError(f"--set {' '.join(texts)}: {new[0]}")
    return held


def check_start(setup, model, texts):
    """Refuse a q or v that was set for a joint the model does not have, or with too few or too many numbers."""
    try:
        setup.state(model)
    except lw.LinkworkError as error:
        raise UsageError(f"--set {' '.join(texts)}: {error}") from None


def _parsed(text):
    """(name of a part or "", field, value)."""
    where, equals, value = text.partition("=")
    name, dot, field = where.strip().rpartition(".")
    if not equals or not field or (dot and not name):
        raise UsageError(f"--set {text}: found no assignment; allowed is part.param=value, such as spring.stiffness=200, or gravity=0,0,0")
    return name, field, _value(value.strip())


def _value(text):
    """A value as TOML has it (200, true, [1, 2], "text"), or numbers separated by commas, or plain text."""
    import tomllib  # imports stand where they are used: --help does not wait for them

    for written in (text, f"[{text}]") if "," in text else (text,):
        try:
            return tomllib.loads(f"value = {written}")["value"]
        except tomllib.TOMLDecodeError:
            continue
    return text


def _numbers(text, value):
    values = value if isinstance(value, list) else [value]
    if not all(map(is_number, values)):
        raise UsageError(f"--set {text}: allowed are numbers, such as 0.3, or 1,0,0,0 for a joint with several coordinates")
    return tuple(float(x) for x in values)


def _set_gravity(mechanism, field, value):
    if field != "gravity":
        raise lw.UnknownNameError("setting of the mechanism without a part (part.param=value)", field, ["gravity"])
    mechanism.gravity = value


def _has_surface(mechanism, name):
    return (name == "surface" and not _has_part(mechanism, name)) or (
        name.endswith(".surface") and _has_part(mechanism, name.removesuffix(".surface"))
    )


def _set_surface(mechanism, name, field, value):
    """Friction or restitution of the mechanism's surface, or of that of a body; what was not said of it before is as it would have been."""
    import dataclasses

    owner = mechanism if name == "surface" else mechanism.body(name.removesuffix(".surface"))
    before = owner.surface if owner.surface is not None else mechanism.surface if mechanism.surface is not None else lw.Surface()
    changed = dataclasses.replace(before, **{field: value})
    if owner is mechanism:
        mechanism.surface = changed
    else:
        mechanism.change(owner, surface=changed)


def _has_part(mechanism, name):
    try:
        return mechanism.part(name) is not None
    except lw.LinkworkError:
        return False


def _starts(mechanism, name):
    """Is it a joint, or the joint of a body that floats?"""
    return name in {*(joint.name for joint in mechanism.joints), *(f"{body.name}.free" for body in mechanism.bodies)}


def _set_field(mechanism, name, field, value):
    import dataclasses

    part = mechanism.part(name)
    kind = getattr(part, "kind", None)
    own = [known.name for known in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    settable = [known for known in (*part.fields, *own) if known not in PLACES] + (["q", "v"] if isinstance(part, lw.Joint) else [])
    if field not in settable:
        raise lw.UnknownNameError(f"parameter of {part}", field, settable)
    value = tuple(value) if isinstance(value, list) else value
    if field in own:
        mechanism.change(part, kind=dataclasses.replace(kind, **{field: value}))
    else:
        mechanism.change(part, **{field: value})
