"""External wrenches on bodies, carried to the links that the bodies belong to."""

import numpy as np

from ..kernels import Scalar, kernel
from ..model.tables import count_bodies, count_links, open_tables
from ..spatial.motion import force_to_parent
from ..spatial.vectors import add6, load6, store6
from .call import as_floats, shaped
from .slots import fill, take
from .sweep import body_offset


@kernel
def link_forces(handle, work, at, f_ext, k, like) -> Scalar:
    """Sum of the wrenches on each link, in link coordinates, into slots `at` + 6 link. Returns 0, or NaN if one is not finite."""
    t = open_tables(handle)
    n, nb = count_links(t), count_bodies(t)
    given = at + 6 * n
    bad = take(work, given, f_ext, k, 6 * nb, like)
    fill(work, at, 6 * n, 0.0, like)
    for b in range(nb):
        body = t.bodies[b]
        if body.link >= 0:
            F = force_to_parent(body_offset(body, like), load6(work, given + 6 * b, like))
            to = at + 6 * body.link
            store6(work, to, add6(load6(work, to, like), F))
    return bad


def wrenches(model, f_ext, argument="f_ext"):
    """External wrenches as an input of `run`: an array (..., nb, 6), or a dict of wrenches by body name."""
    shape = (model.nb, 6)
    if not isinstance(f_ext, dict):
        return argument, f_ext, shape
    names = {name: f"{argument}[{name!r}]" for name in f_ext}
    values = [(names[name], as_floats(names[name], wrench), (6,)) for name, wrench in f_ext.items()]
    arrays, leading = shaped(values)
    array = np.zeros((*leading, *shape))
    for name, value in zip(f_ext, arrays, strict=True):
        array[..., model.body(name).index, :] = value
    return argument, array, shape
