"""External wrenches on bodies, carried to the links that the bodies belong to."""

import numpy as np

from ..kernels import Scalar, kernel
from ..kernels.scalar import zero
from ..model.model import by_name
from ..spatial.motion import force_to_parent
from ..spatial.vectors import add6, get6
from .call import as_floats, shaped
from .exchange import take
from .sweep import body_offset


@kernel
def link_forces(model, tree, f_ext, k) -> Scalar:
    """Sum of the wrenches on each link, in link coordinates, to tree.wrenches. Returns 0, or NaN if one is not finite."""
    bad = take(tree.motions, f_ext, k, 6 * model.nb)
    clear_wrenches(model, tree.wrenches)
    for b in range(model.nb):
        body = model.bodies[b]
        if body.link >= 0:
            wrench = tree.wrenches[body.link]
            wrench.f = add6(wrench.f, force_to_parent(body_offset(body, tree), get6(tree.motions, 6 * b)))
    return bad


@kernel
def clear_wrenches(model, wrenches) -> None:
    """No force on any link."""
    o = zero(wrenches)
    for i in range(model.n):
        wrenches[i].f = o, o, o, o, o, o


def wrenches(model, f_ext, argument="f_ext"):
    """External wrenches as an input of `run`: an array (..., nb, 6), or a dict of wrenches by bodies or their names."""
    shape = (model.nb, 6)
    if not isinstance(f_ext, dict):
        return argument, f_ext, shape
    f_ext = by_name(argument, f_ext)
    names = {name: f"{argument}[{name!r}]" for name in f_ext}
    values = [(names[name], as_floats(names[name], wrench), (6,)) for name, wrench in f_ext.items()]
    arrays, leading = shaped(values)
    array = np.zeros((*leading, *shape))
    for name, value in zip(f_ext, arrays, strict=True):
        array[..., model.body(name).index, :] = value
    return argument, array, shape
