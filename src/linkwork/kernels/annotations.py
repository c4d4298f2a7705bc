"""What a kernel says of its result: the annotation after the arrow.

A caller of a unit needs the type of its result, not its body. `None`, `int`, `float` and `bool` are these types; `Scalar` is a float or a pack of lanes, as the
arguments are; `Vector[n]` a tuple of n scalars. A kernel without annotation is compiled in its caller's process to find its type out: that costs
time, nothing else.
"""

import functools
from typing import get_args, get_origin


class Scalar:
    """A float for one state, a pack for a block of states."""


class Vector:
    """Vector[n]: a tuple of n scalars."""

    def __init__(self, count):
        self.count = count

    def __class_getitem__(cls, count):
        return cls(count)


def declared_return(kernel, argtypes):
    """The Numba type of a kernel's result by its annotation, or None where it has none."""
    from numba import types

    annotations = kernel.py_func.__annotations__
    if "return" not in annotations:
        return None
    said = annotations["return"]
    return _resolved(said, functools.partial(_scalar_among, argtypes), types)


def _resolved(said, scalar, types):
    plain = {None: types.none, int: types.int64, float: types.float64, bool: types.boolean}
    if said in plain:
        return plain[said]
    if said is Scalar:
        return scalar()
    if isinstance(said, Vector):
        return types.UniTuple(scalar(), said.count)
    if isinstance(said, type) and get_origin(said) is None and issubclass(said, tuple):
        fields = [_resolved(kind, scalar, types) for kind in said.__annotations__.values()]
        return types.BaseTuple.from_types(fields, said)
    if get_origin(said) is tuple:
        return types.Tuple([_resolved(part, scalar, types) for part in get_args(said)])
    raise TypeError(
        f"a kernel's result is annotated with {said!r}; allowed are None, int, float, bool, Scalar, Vector[n] and tuples of these"
    )


def _scalar_among(argtypes):
    """The scalar kind of a call: a pack or complex number if one is among the arguments, else a float."""
    from numba import types

    for kind in argtypes:
        while isinstance(kind, types.UniTuple):
            kind = kind.dtype
        if isinstance(kind, types.BaseTuple):
            found = _scalar_among(kind.types)
            if found is not types.float64:
                return found
        found = getattr(kind, "scalar", None) if not isinstance(kind, types.Complex) else kind
        if found is not None and found != types.float64:
            return found
    return types.float64
