"""Markers: frames on links, as laws and constraints see them after a sweep over the links."""

from ..kernels import Vector, kernel
from ..kernels.scalar import zero
from ..spatial.matrices import apply9, load9, store9, times9
from ..spatial.vectors import add3, cross3, load3, load6, store3
from .sweep import S_P, S_R, S_V
from .sweep import STRIDE as MOTION_STRIDE


@kernel(inline=True)
def _scalars9(R, like):
    o = zero(like)
    return o + R[0], o + R[1], o + R[2], o + R[3], o + R[4], o + R[5], o + R[6], o + R[7], o + R[8]


@kernel
def marker(motion, links, link, R, p, like) -> tuple[Vector[9], Vector[3], Vector[3], Vector[3]]:
    """(R, p, w, u) of a frame (R, p) on a link, in world axes; link -1 is the world."""
    o = zero(like)
    R_m, p_m = _scalars9(R, like), (o + p[0], o + p[1], o + p[2])
    w, u = (o, o, o), (o, o, o)
    if link >= 0:
        at = links + MOTION_STRIDE * link
        R_l, v = load9(motion, at + S_R, like), load6(motion, at + S_V, like)
        w_l = (v[0], v[1], v[2])
        w, u = apply9(R_l, w_l), apply9(R_l, add3((v[3], v[4], v[5]), cross3(w_l, p_m)))
        R_m, p_m = times9(R_l, R_m), add3(load3(motion, at + S_P, like), apply9(R_l, p_m))
    return R_m, p_m, w, u


@kernel(inline=True)
def put_marker(work, at, frame):
    """Lay a marker out in slots, as functions called by address read it: R, p, w, u."""
    R, p, w, u = frame
    store9(work, at, R)
    store3(work, at + 9, p)
    store3(work, at + 12, w)
    store3(work, at + 15, u)
