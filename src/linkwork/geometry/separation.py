"""The direction in which two convex cores are farthest apart, or overlap least.

    s(n) = min over b of n.b - max over a of n.a,        n a unit vector from a to b

is the separation along n; its greatest value is the distance, or minus the depth. Any n gives a valid bound, so whatever an algorithm proposes is judged
by s(n) of its own support points: GJK while the cores are apart, the expanding polytope where they overlap or nearly touch, then the normals of the faces
that look at each other. These are taken exactly as they are wherever they are as good to rounding: a resting face has its own normal.

Where the depth of curved shapes is left inexact by the polytope, n climbs: with b moved along n by t, just out of a, the direction n' of the gap satisfies
s(n') + t n'.n >= s(n) + t, hence s(n') >= s(n).
"""

from ..kernels import kernel
from ..spatial.vectors import add3, dot3, scale3, sub3
from .epa import epa
from .faces import choose_face, is_flat, triangle_normal
from .gjk import gjk, separation_along, unit
from .kinds import BOX, HULL
from .polish import is_curved, polish
from .support import TRIANGLE

KNOWN = 1e-9  # of the length: a depth that is known so well counts as exact
NEAR = 1e-5  # of the length: below it the direction of the gap is judged as if there were none
FACE_WINS = 1e-12  # of the length: a face's own normal is preferred to a direction that is better by less
CLIMBS = 24  # most rounds
CLIMBED = 1e-14  # of the length: gain that ends the climb


@kernel
def find_separation(data, far) -> None:
    """`n` and `s` of greatest separation. far: separations beyond it need not be exact."""
    zero = (0.0, 0.0, 0.0)
    first = data.first
    gjk(data, first, zero, far)
    data.face_of, data.slack = 0, 0.0
    if not data.overlap and data.s > far:
        return
    if data.overlap or data.s < NEAR * data.length:
        epa(data, first)
        if not data.converged and not (_is_polytope(data.a) and _is_polytope(data.b)):
            _climb(data)
        data.slack = max(0.0, -data.s - data.bound)
        data.converged = data.slack <= KNOWN * data.length
    elif data.size == 3:
        _try_simplex_normal(data)
    _try_faces(data)
    if data.face_of == 0 and (is_curved(data.a) or is_curved(data.b)):
        polish(data)


@kernel
def _is_polytope(core) -> bool:
    return core.kind == BOX or core.kind == HULL or core.kind == TRIANGLE


@kernel
def _climb(data) -> None:
    """Improve the direction of an overlap."""
    for _ in range(CLIMBS):
        n, s, wa, wb = data.n, data.s, data.witness_a, data.witness_b
        away = 1e-3 * data.length + 1.1 * abs(s)
        gjk(data, n, scale3(away, n), 1e300)
        better = data.n
        gain = separation_along(data, better) - s
        if data.overlap or not gain > 0.0:
            data.n, data.s, data.witness_a, data.witness_b = n, s, wa, wb
            return
        data.s = s + gain
        _stride(data, sub3(better, n))
        if gain <= CLIMBED * data.length:
            return


@kernel
def _stride(data, e) -> None:
    """Go on in the direction e as long as that is better, in strides of twice the length: climbs of deep overlaps are slow and straight."""
    for _ in range(8):
        e = scale3(2.0, e)
        m = unit(add3(data.n, e), data.n)
        s = separation_along(data, m)
        if not s > data.s:
            return
        data.n, data.s = m, s


@kernel
def _try_simplex_normal(data) -> None:
    """The normal of the triangle that is closest to the origin has no error of the distance in it."""
    p, q, r = data.vertices[0].w, data.vertices[1].w, data.vertices[2].w
    n = triangle_normal(p, q, r)
    if dot3(n, data.n) < 0.0:
        n = (-n[0], -n[1], -n[2])
    s = separation_along(data, n)
    if s > data.s:
        data.n, data.s = n, s


@kernel
def _try_faces(data) -> None:
    """The normals of the two faces that look at each other most."""
    margin = FACE_WINS * data.length
    n = data.n
    if choose_face(data.a, data.polygon_a, n) > 0.5:
        s = separation_along(data, data.polygon_a.n)
        if s >= data.s - margin:
            data.n, data.s, data.local = data.polygon_a.n, s, data.polygon_a.local
            data.face_of = 1 if is_flat(data.a, data.polygon_a.face) else 0
    if choose_face(data.b, data.polygon_b, (-n[0], -n[1], -n[2])) > 0.5:
        inward = data.polygon_b.n
        m = (-inward[0], -inward[1], -inward[2])
        s = separation_along(data, m)
        flat = is_flat(data.b, data.polygon_b.face)
        if s >= data.s + (margin if data.face_of == 1 else -margin) and (flat or data.face_of == 0):
            data.n, data.s, data.local, data.face_of = m, s, data.polygon_b.local, 2 if flat else 0
