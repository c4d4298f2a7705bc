"""Momentum of the whole mechanism, about the centre of mass, and its matrix A_G: h_G = A_G(q) v (Orin and Goswami 2008).

The column of joint i is the momentum of everything outboard when only joint i moves at unit rate: I^C_i S_i, carried to the centre of
mass and to world axes. Rows: angular momentum about the centre of mass, then linear momentum.
"""

from typing import NamedTuple

import numpy as np

from ..kernels import kernel
from ..kernels.scalar import beyond, load, scalar_for, width, zero
from ..model.model import need_model
from ..model.tables import AXIAL, at_end, at_extras, at_links, count_links, floats_at, open_tables
from ..spatial.axial import place_axial, rigid_in_axial
from ..spatial.inertia import inertia_sum, inertia_times, inertia_transform, load_inertia, store_inertia, zero_inertia
from ..spatial.matrices import apply9, load9
from ..spatial.vectors import add3, cross3, load3, load6, scale3, sub3
from .bound import Bound, Route
from .call import Driver, deliver, diagnose, need_kind, run, shaped
from .energy import center_of_mass, first_moment
from .general import COLUMN, E_COLUMN, pose_general
from .links import rigid_of
from .slots import HUGE, clear, put, take_q
from .sweep import S_P, S_R, STRIDE, sweep_links


@kernel
def composite_inertias(handle, work, base, like) -> None:
    """I^C of every link, ten slots from `base` + 10 i on. Needs sines and cosines in the scratch of the links."""
    t = open_tables(handle)
    n, links, extras = count_links(t), at_links(t), at_extras(t, STRIDE)
    for i in range(n):
        store_inertia(work, base + 10 * i, inertia_sum(zero_inertia(like), rigid_of(t.links[i])))
    for j in range(n):
        i = n - 1 - j
        link = t.links[i]
        if link.parent < 0:
            continue
        w = links + STRIDE * i
        rigid = load_inertia(work, base + 10 * i, like)
        if link.kind == AXIAL:
            r = place_axial(link, load(work, link.q, like))
            rigid = rigid_in_axial(link, r, load(work, w, like), load(work, w + 1, like), rigid)
        else:
            rigid = inertia_transform(pose_general(work, extras + link.extra, like), rigid)
        up = base + 10 * link.parent
        store_inertia(work, up, inertia_sum(load_inertia(work, up, like), rigid))


@kernel
def _centroidal(handle, memory, start, stop, q, out) -> int:
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    o = zero(like)
    at = at_end(t, STRIDE)
    for k in range(start, stop, width(like)):
        if beyond(take_q(t, work, q, k, like), 0.0):
            return k + 1
        clear(out, k, like)
        sweep_links(handle, work, 0, like)
        mass, moment = first_moment(handle, work, like)
        com = scale3(1.0 / mass if mass > 0.0 else 0.0, moment)
        composite_inertias(handle, work, at, like)
        for i in range(count_links(t)):
            link = t.links[i]
            w = at_links(t) + STRIDE * i
            composite = load_inertia(work, at + 10 * i, like)
            R, arm = load9(work, w + S_R, like), sub3(load3(work, w + S_P, like), com)
            for column in range(link.nv):
                S = (o, o, o + link.turn, o, o, o + link.slide)
                if link.kind != AXIAL:
                    S = load6(work, at_extras(t, STRIDE) + link.extra + E_COLUMN + COLUMN * column, like)
                F = inertia_times(composite, S)
                linear = apply9(R, (F[3], F[4], F[5]))
                angular = add3(apply9(R, (F[0], F[1], F[2])), cross3(arm, linear))
                for j in range(3):
                    put(out, k, j, link.v + column, angular[j], like)
                    put(out, k, j + 3, link.v + column, linear[j], like)
    return 0


_driver = Driver(_centroidal, 1, 2)
_bound = Bound(Route(_driver, ("nq",), ((6, "nv"),)))


class Momentum(NamedTuple):
    """Momentum in world axes. `angular` is about the centre of mass (kg m^2/s), `linear` in kg m/s; `about_origin` is about the world's origin."""

    angular: np.ndarray
    linear: np.ndarray
    about_origin: np.ndarray


@_bound.public
def centroidal_momentum_matrix(model, q, *, out=None, threads=1):
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


def momentum(model, q, v, *, out=None, threads=1):
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
    (q, v), _ = shaped([("q", q, (model.nq,)), ("v", v, (model.nv,))])
    A = centroidal_momentum_matrix(model, q, threads=threads)
    if not np.isfinite(v).all():
        diagnose(model, [("v", v, (model.nv,))], [v])
    h = np.einsum("...ij,...j->...i", A, v)
    com = center_of_mass(model, q, threads=threads) if model.mass > 0.0 else np.zeros(3)
    return deliver(Momentum(h[..., :3], h[..., 3:], h[..., :3] + np.cross(com, h[..., 3:])), out)
