"""Momentum of the whole mechanism, about the centre of mass, and its matrix A_G: h_G = A_G(q) v (Orin and Goswami 2008).

The column of joint i is the momentum of everything outboard when only joint i moves at unit rate: I^C_i S_i, carried to the centre of
mass and to world axes. Rows: angular momentum about the centre of mass, then linear momentum.
"""

from typing import NamedTuple

import numpy as np

from ..kernel import kernel
from ..model.tables import AXIAL, at_end, at_extras, at_links, count_links, floats_at, open_tables
from ..scalar import beyond, scalar_for, width, zero
from ..spatial.inertia import inertia_times, load_inertia
from ..spatial.matrices import apply9, load9
from ..spatial.vectors import add3, cross3, load3, load6, scale3, sub3
from .call import HUGE, Driver, clear, diagnose, put, run, shaped, take_q
from .crba import composite_inertias
from .energy import center_of_mass, first_moment
from .general import COLUMN, E_COLUMN
from .sweep import S_P, S_R, STRIDE, sweep_links


@kernel
def _centroidal(handle, memory, start, stop, q, out):
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    o = zero(like)
    at = at_end(t, STRIDE)
    for k in range(start, stop, width(like)):
        if beyond(take_q(t, work, q, k, like), 0.0):
            return k + 1
        clear(out, k, like)
        sweep_links(t, work, 0, like)
        mass, moment = first_moment(t, work, like)
        com = scale3(1.0 / mass, moment)
        composite_inertias(t, work, STRIDE, at, 10, like)
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


class Momentum(NamedTuple):
    """Momentum in world axes. `angular` is about the centre of mass (kg m^2/s), `linear` in kg m/s; `about_origin` is about the world's origin."""

    angular: np.ndarray
    linear: np.ndarray
    about_origin: np.ndarray


def centroidal_momentum_matrix(model, q, *, out=None, threads=1):
    """A_G(q) with h_G = A_G v, (..., 6, nv): angular momentum about the centre of mass, then linear, in world axes."""
    return run(_driver, model, [("q", q, (model.nq,))], [(6, model.nv)], out, threads)


def momentum(model, q, v, *, threads=1):
    """Linear momentum, and angular momentum about the centre of mass and about the world's origin."""
    (q, v), _ = shaped([("q", q, (model.nq,)), ("v", v, (model.nv,))])
    A = centroidal_momentum_matrix(model, q, threads=threads)
    if not np.isfinite(v).all():
        diagnose(model, [("v", v, (model.nv,))], [v])
    h = np.einsum("...ij,...j->...i", A, v)
    com = center_of_mass(model, q, threads=threads)
    return Momentum(h[..., :3], h[..., 3:], h[..., :3] + np.cross(com, h[..., 3:]))
