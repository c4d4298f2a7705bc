"""The contact points of one pair of a model's shapes, called from Python: for questions about one state."""

from ..geometry.collide import collide
from ..geometry.manifold import Manifold
from ..kernels import kernel
from ..model.contact_tables import open_contacts


@kernel(entry="i i A1 d i -> n")
def collide_pair(handle, pair, poses, reach, manifold: Manifold) -> None:
    """The contact points of one pair of a model's table. poses: R, p of its first shape in the world, then of its second."""
    tables = open_contacts(handle)
    row = tables.pairs[pair]
    a, b = tables.shapes[row.a], tables.shapes[row.b]
    collide(a, b, _pose(poses, 0), _pose(poses, 12), reach, manifold)


@kernel(inline=True)
def _pose(x, k):
    return (x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7], x[k + 8]), (x[k + 9], x[k + 10], x[k + 11])
