"""Screws: a motion or force vector as axis, pitch and magnitude, and back (Featherstone 1987, sections 2.3.1 and 2.8.1).

Any (a, b) with a not zero is magnitude * (u, r x u + pitch u): a turn about the line through r along the unit vector u together
with a slide of `pitch` metres per radian. With a = 0 it is a free vector: pitch infinite, magnitude |b|, and no line.
The same holds for a force (n, f) written as (f, n): the line of the force and the couple along it.
"""

import math

from ..kernels import kernel
from ..kernels.scalar import real, sqrt, where
from .vectors import add3, cross3, dot3, scale3

INFINITE = math.inf


@kernel
def screw_of(V):
    """(u, r, pitch, magnitude) of V = (a, b): r is the point of the axis nearest the origin; infinite pitch gives r = 0.

    A zero vector has u = r = 0, infinite pitch and magnitude 0.
    """
    a, b = (V[0], V[1], V[2]), (V[3], V[4], V[5])
    a2, b2 = dot3(a, a), dot3(b, b)
    turning, sliding = real(a2) > 0.0, real(b2) > 0.0
    n, m = sqrt(where(turning, a2, 1.0)), sqrt(where(sliding, b2, 1.0))
    along = scale3(1.0 / n, a)
    slide = scale3(1.0 / m, b)
    u = (where(turning, along[0], slide[0]), where(turning, along[1], slide[1]), where(turning, along[2], slide[2]))
    r = scale3(1.0 / n, cross3(along, b))  # a = 0 makes it zero
    pitch = where(turning, dot3(along, b) / n, INFINITE)
    return u, r, pitch, where(turning, n, where(sliding, m, 0.0))


@kernel
def vector_of_screw(u, r, pitch, magnitude):
    """magnitude * (u, r x u + pitch u), or magnitude * (0, u) if the pitch is infinite; u of unit length."""
    finite = real(pitch) < INFINITE
    h = where(finite, pitch, 1.0)
    k = where(finite, magnitude, 0.0)
    a = scale3(k, u)
    b = add3(cross3(r, a), scale3(h * magnitude, u))
    return a[0], a[1], a[2], b[0], b[1], b[2]
