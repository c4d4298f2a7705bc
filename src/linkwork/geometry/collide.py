"""Which kernel answers for which pair of kinds."""

from ..kernels import kernel
from .manifold import clear, no_kernel, turn_normals


@kernel
def collide(a, b, Xa, Xb, reach, manifold) -> None:
    """All contact points of two shapes with gaps up to `reach`, to `manifold`.

    a, b: rows of SHAPE. Xa, Xb: world poses (R, p) of the shapes' own frames. reach: m. What links and bodies they belong to plays no role.
    """
    clear(manifold)
    if a.kind <= b.kind:
        _in_order(a, b, Xa, Xb, reach, manifold)
    else:
        _in_order(b, a, Xb, Xa, reach, manifold)
        turn_normals(manifold)


@kernel
def _in_order(a, b, Xa, Xb, reach, manifold) -> None:
    """The pair kernels, for a.kind <= b.kind."""
    _without_a_kernel(a, b, Xa, Xb, reach, manifold)


@kernel
def _without_a_kernel(a, b, Xa, Xb, reach, manifold) -> None:
    """Pairs that wait for `collide_convex`, height fields and triangles."""
    no_kernel(manifold)
