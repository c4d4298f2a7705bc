"""Displacements of a frame: a unit quaternion r = (c, s) and the way d of its origin, in its axes before the displacement.

Turns are applied as differences, (R(r) - 1) x, so that nothing cancels however small a displacement is.
"""

from ..kernels import kernel
from .matrices import apply9_transposed
from .vectors import add3, cross3


@kernel(inline=True)
def turned_away(r, x):
    """(R(r) - 1) x = 2 c s x x + 2 s x (s x x)."""
    s = (r[1], r[2], r[3])
    y = cross3(s, x)
    z = cross3(s, y)
    return 2.0 * (r[0] * y[0] + z[0]), 2.0 * (r[0] * y[1] + z[1]), 2.0 * (r[0] * y[2] + z[2])


@kernel(inline=True)
def turned(r, x):
    """R(r) x."""
    return add3(x, turned_away(r, x))


@kernel(inline=True)
def turned_back(r, x):
    """R(r)^T x."""
    return add3(x, turned_away((r[0], -r[1], -r[2], -r[3]), x))


@kernel(inline=True)
def carried_to(R, p, r, d):
    """The displacement (r, d) of a frame as one of a frame that stands at (R, p) in it and is carried along: s' = R^T s, d' = R^T (d + (R(r) - 1) p)."""
    s = apply9_transposed(R, (r[1], r[2], r[3]))
    return (r[0], s[0], s[1], s[2]), apply9_transposed(R, add3(d, turned_away(r, p)))
