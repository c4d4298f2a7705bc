"""External wrenches on bodies, carried to the links that the bodies belong to."""

import numpy as np

from ..errors import StateError
from ..kernel import kernel
from ..model.tables import count_bodies, count_links
from ..spatial.motion import force_to_parent
from ..spatial.vectors import add6, load6, store6
from .call import fill, take
from .sweep import body_offset


@kernel
def link_forces(t, work, at, f_ext, k, like):
    """Sum of the wrenches on each link, in link coordinates, into slots `at` + 6 link. Returns 0, or NaN if one is not finite."""
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


def wrenches(model, f_ext):
    """The argument f_ext as an input of `run`: an array (..., nb, 6), or a dict of wrenches by body name."""
    shape = (model.nb, 6)
    if not isinstance(f_ext, dict):
        return "f_ext", f_ext, shape
    values = {}
    for name, wrench in f_ext.items():
        index = model.body(name).index
        value = np.asarray(wrench, dtype=float)
        if value.shape[-1:] != (6,):
            raise StateError(f"f_ext[{name!r}]: found shape {value.shape}; allowed is (6,), or (..., 6) for a batch: moment first, then force", "f_ext")
        values[index] = value
    leading = np.broadcast_shapes(*(value.shape[:-1] for value in values.values())) if values else ()
    array = np.zeros((*leading, *shape))
    for index, value in values.items():
        array[..., index, :] = value
    return "f_ext", array, shape
