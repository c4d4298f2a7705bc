"""Distance of two cores by the algorithm of Gilbert, Johnson and Keerthi (1988), on their Minkowski difference {b - a}.

    v          closest point so far, of a simplex of support points; |v| bounds the distance from above
    s = n.w    with n = v/|v| and w the support point along -n; the separation along n, bounds the distance from below

Steps end where the bounds meet, or where a step brings nothing: then rounding is all that is left. Near contact v is rounding itself; what n is then is
decided by the penetration algorithm and by the faces of both shapes (separation.py).
"""

import math

from ..kernels import Vector, kernel
from ..spatial.vectors import add3, dot3, scale3, sub3
from .simplex import closest_point
from .support import support

STEPS = 100  # curved shapes take about 20 for ten digits; thin ones more
MEETS = 1e-13  # relative difference of the bounds
ROUNDING = 1e-15  # of the length of the pair


@kernel
def put_support(data, k, n) -> float:
    """The support point along -n, n a unit vector, as vertex k. Returns the separation along n."""
    a, b = support(data.a, n), support(data.b, (-n[0], -n[1], -n[2]))
    vertex = data.vertices[k]
    vertex.a, vertex.b = a, b
    w = sub3(b, a)
    vertex.w = w
    return dot3(n, w)


@kernel
def separation_along(data, n) -> float:
    """The separation of the cores along a unit vector from a to b: how far b can move along -n before the planes of support meet."""
    return dot3(n, sub3(support(data.b, (-n[0], -n[1], -n[2])), support(data.a, n)))


@kernel
def unit(v, otherwise) -> Vector[3]:
    """v/|v|, or `otherwise` of no length."""
    most = max(abs(v[0]), abs(v[1]), abs(v[2]))
    if not most > 0.0:
        return otherwise
    u = scale3(1.0 / most, v)
    return scale3(1.0 / math.sqrt(dot3(u, u)), u)


@kernel
def _is_known(data, k) -> bool:
    """Is vertex k one of those before it?"""
    w = data.vertices[k].w
    for i in range(k):
        u = data.vertices[i].w
        if u[0] == w[0] and u[1] == w[1] and u[2] == w[2]:
            return True
    return False


@kernel
def gjk(data, first, shift, far) -> None:
    """The direction of greatest separation `n`, the separation `s` along it, witness points; or `overlap`.

    first: direction to begin with. shift: how far b is moved, m, in the frame of a (zero but for penetrations, see separation.py). far: a separation
    beyond it need not be found exactly.
    """
    n = unit(first, (0.0, 0.0, 1.0))
    size, before = 0, 1e300
    data.s, data.n, data.overlap, data.converged = -1e300, n, False, False
    data.size = 0
    enough = ROUNDING * data.length
    for _ in range(STEPS):
        s = put_support(data, size, n) + dot3(n, shift)
        vertex = data.vertices[size]
        vertex.w = add3(vertex.w, shift)
        if s > data.s:
            data.s, data.n = s, n
        if data.s > far:
            data.converged = True
            break
        if size > 0 and (before - s <= MEETS * before or before - s <= enough or _is_known(data, size)):
            data.converged = True
            break
        data.size = size + 1
        v = closest_point(data)
        size = data.size
        distance = math.sqrt(dot3(v, v))
        if size == 4 or distance <= enough:
            data.overlap = True
            break
        if distance >= before:
            data.converged = before - data.s <= 1e3 * enough + 1e-9 * before
            break
        before = distance
        n = unit(v, n)
    set_witness(data, data.size)


@kernel
def set_witness(data, size) -> None:
    """The points of both cores by the shares of the simplex's vertices."""
    a, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(size):
        vertex = data.vertices[k]
        a, b = add3(a, scale3(vertex.share, vertex.a)), add3(b, scale3(vertex.share, vertex.b))
    data.witness_a, data.witness_b = a, b
