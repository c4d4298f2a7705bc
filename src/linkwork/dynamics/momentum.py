"""Momentum of the whole mechanism, about the centre of mass, and its matrix A_G: h_G = A_G(q) v (Orin and Goswami 2008).

The column of joint i is the momentum of everything outboard when only joint i moves at unit rate: I^C_i S_i, carried to the centre of
mass and to world axes. Rows: angular momentum about the centre of mass, then linear momentum.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.tree import TreeData
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.model import need_model
from ..model.tables import open_tables, rigid_of
from ..spatial.inertia import inertia_sum, inertia_times, zero_inertia
from ..spatial.matrices import apply9
from ..spatial.vectors import add3, cross3, scale3, sub3
from .bound import Bound, Route
from .call import Driver, need_kind, run
from .energy import first_moment
from .exchange import SINGULAR, clear, give_tuple, put, take, take_q
from .joints.joint import column_of, inertia_in
from .sweep import POSE_ORDER, VELOCITY_ORDER, sweep_links

if TYPE_CHECKING:
    from ..model.model import Model


@kernel
def composite_inertias(model: Any, motion: Any, q: Any) -> None:
    """I^C of every link, after `sweep_links`."""
    n, composites = model.n, motion.composites
    for i in range(n):
        composites[i].I = inertia_sum(zero_inertia(zero(motion)), rigid_of(model.links[i]))
    for j in range(n):
        i = n - 1 - j
        parent = model.links[i].parent
        if parent >= 0:
            composites[parent].I = inertia_sum(composites[parent].I, inertia_in(model, motion, i, q, composites[i].I))


@kernel
def _centroidal(handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], out: NDArray[np.float64]) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    motion = tree.motion
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k), 0.0):
            return k + 1
        clear(out, k)
        sweep_links(model, motion, tree.q, tree.v, tree.vdot, POSE_ORDER)
        mass, moment = first_moment(model, motion)
        com = scale3(1.0 / mass if mass > 0.0 else 0.0, moment)
        composite_inertias(model, motion, tree.q)
        for i in range(model.n):
            joint, link = model.links[i], motion.links[i]
            R, arm, composite = link.R, sub3(link.p, com), motion.composites[i].I
            for column in range(joint.nv):
                F = inertia_times(composite, column_of(model, motion, i, column))
                linear = apply9(R, (F[3], F[4], F[5]))
                angular = add3(apply9(R, (F[0], F[1], F[2])), cross3(arm, linear))
                for j in range(3):
                    put(out, k, j, joint.v + column, angular[j])
                    put(out, k, j + 3, joint.v + column, linear[j])
    return 0


_driver = Driver(_centroidal, 1, 2)
_bound = Bound(Route(_driver, ("nq",), ((6, "nv"),)))


class Momentum(NamedTuple):
    """Momentum in world axes. `angular` is about the centre of mass (kg m^2/s), `linear` in kg m/s; `about_origin` is about the world's origin.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> p = lw.momentum(m.build(), [0, 1.0, 0, 1, 0, 0, 0], [0, 0, 0, 3.0, 0, 0])
    >>> p.linear.tolist(), p.about_origin.tolist()
    ([6.0, 0.0, 0.0], [0.0, 0.0, -6.0])
    """

    angular: np.ndarray
    linear: np.ndarray
    about_origin: np.ndarray


@_bound.public
def centroidal_momentum_matrix(
    model: "Model", q: ArrayLike, *, out: NDArray[np.float64] | None = None, threads: int | None = 1
) -> NDArray[np.float64]:
    """A_G(q) with h_G = A_G v, (..., 6, nv): angular momentum about the centre of mass, then linear, in world axes.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> A = lw.centroidal_momentum_matrix(m.build(), [0, 0, 3.0, 1, 0, 0, 0])
    >>> A.diagonal().tolist()
    [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    """
    need_model(model)
    return run(_driver, model, [("q", q, (model.nq,))], [(6, model.nv)], out, threads)


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _momentum(handle: int, data: int, start: int, stop: int, q: Any, v: Any, angular: Any, linear: Any, about_origin: Any) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    motion, o = tree.motion, zero(tree)
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, model.nv), 0.0):
            return k + 1
        sweep_links(model, motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
        mass, moment = first_moment(model, motion)
        com = scale3(1.0 / mass if mass > 0.0 else 0.0, moment)
        n, f = (o, o, o), (o, o, o)
        for i in range(model.n):
            link = motion.links[i]
            h = inertia_times(rigid_of(model.links[i]), link.v)
            part = apply9(link.R, (h[3], h[4], h[5]))
            f = add3(f, part)
            n = add3(n, add3(apply9(link.R, (h[0], h[1], h[2])), cross3(sub3(link.p, com), part)))
        bad = give_tuple(n, angular, k) + give_tuple(f, linear, k) + give_tuple(add3(n, cross3(com, f)), about_origin, k)
        if beyond(bad, 0.0):
            return SINGULAR - k
    return 0


def _momentum_of(model: "Model", *parts: Any) -> "Momentum":
    return Momentum(*parts)


_momenta = Driver(_momentum, 1, 1, 1, 1, 1)
_momentum_bound = Bound(Route(_momenta, ("nq", "nv"), ((3,), (3,), (3,)), finish=_momentum_of))


@_momentum_bound.public
def momentum(model: "Model", q: ArrayLike, v: ArrayLike, *, out: "Momentum | None" = None, threads: int | None = 1) -> "Momentum":
    """Linear momentum, and angular momentum about the centre of mass and about the world's origin.

    out: a Momentum to fill, such as an earlier result for as many states.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> h = lw.momentum(m.build(), [0, 0, 3.0, 1, 0, 0, 0], [0, 0, 0, 4.0, 0, 0])
    >>> h.linear.tolist(), h.about_origin.tolist()
    ([8.0, 0.0, 0.0], [0.0, 24.0, 0.0])
    """
    need_model(model)
    need_kind(out, Momentum)
    made = run(_momenta, model, [("q", q, (model.nq,)), ("v", v, (model.nv,))], [(3,), (3,), (3,)], out, threads)
    return Momentum(*made) if out is None else out
