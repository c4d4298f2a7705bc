"""Fields of force kinds: turned into what is stored when a kind is made, judged by faults() later. Plain numbers are in kind.py."""

import math

from ..validation import refuse, vector

AXES = ("a", "b", "world")  # whose axes the components of a wrench are in; kernels know the place in this list


def keep_vectors(kind, *names):
    """Turn what was given for these fields into tuples of three floats."""
    for name in names:
        object.__setattr__(kind, name, vector(getattr(kind, name), 3, type(kind).__name__, name))


def keep_choice(kind, name, choices):
    """Refuse a word that is not among the choices."""
    value = getattr(kind, name)
    if not isinstance(value, str) or value not in choices:
        raise refuse(type(kind).__name__, name, value, f"give one of {', '.join(map(repr, choices))}")


def keep_flag(kind, name):
    """Refuse what is neither True nor False."""
    if not isinstance(getattr(kind, name), bool):
        raise refuse(type(kind).__name__, name, getattr(kind, name), "give True or False")


def positive_faults(kind, *names):
    """A fault for each field that is not finite and above 0."""
    for name in names:
        value = getattr(kind, name)
        if not 0.0 < value < math.inf:
            yield "force", f"{name} is {value:g}; allowed is a finite number above 0; correct it"


def finite_faults(kind, *names):
    """A fault for each vector that is not finite."""
    for name in names:
        value = getattr(kind, name)
        if not all(map(math.isfinite, value)):
            yield "force", f"{name} is ({', '.join(f'{x:g}' for x in value)}); allowed are finite numbers; correct it"


def direction_faults(kind, *names):
    """A fault for each vector that is no direction; the length of one that is does not matter."""
    for name in names:
        value = getattr(kind, name)
        if not 1e-9 < math.sqrt(sum(x * x for x in value)) < math.inf:
            shown = ", ".join(f"{x:g}" for x in value)
            yield "axis", f"{name} is ({shown}); allowed is a direction of finite length; give one such as (0, 0, 1)"


def unit(direction):
    """The direction with length 1."""
    length = math.hypot(*direction)
    return tuple(x / length for x in direction)
