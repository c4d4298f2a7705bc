"""Laws of time and relations given as plain Python functions, made callable from kernels."""

from ..errors import ModelError


def compile_law(name, function):
    raise ModelError(f"constraint {name!r}: laws given as functions come with the next change; give a spline")


def compile_relation(name, function, rows):
    raise ModelError(f"constraint {name!r}: relations come with the next change")


def recompile(constraints, rules):
    """Compile the functions of a restored model anew and put their addresses into its tables; returns what must be kept alive."""
    return []
