"""Markers: frames on links, as laws and constraints see them after a sweep over the links."""

from ..kernels import Vector, kernel
from ..kernels.scalar import zero
from ..spatial.matrices import apply9, times9
from ..spatial.vectors import add3, cross3, set3, set6


@kernel(inline=True)
def _scalars9(R, like):
    o = zero(like)
    return o + R[0], o + R[1], o + R[2], o + R[3], o + R[4], o + R[5], o + R[6], o + R[7], o + R[8]


@kernel
def marker(motion, link, R, p) -> tuple[Vector[9], Vector[3], Vector[3], Vector[3]]:
    """(R, p, w, u) of a frame (R, p) on a link, in world axes; link -1 is the world. `motion`: MotionData after `sweep_links`."""
    o = zero(motion)
    R_m, p_m = _scalars9(R, motion), (o + p[0], o + p[1], o + p[2])
    w, u = (o, o, o), (o, o, o)
    if link >= 0:
        moving = motion.links[link]
        R_l, v = moving.R, moving.v
        w_l = (v[0], v[1], v[2])
        w, u = apply9(R_l, w_l), apply9(R_l, add3((v[3], v[4], v[5]), cross3(w_l, p_m)))
        R_m, p_m = times9(R_l, R_m), add3(moving.p, apply9(R_l, p_m))
    return R_m, p_m, w, u


@kernel(inline=True)
def put_marker(values, at, frame):
    """Lay a marker out as functions called by address read it: R, p, w, u."""
    R, p, w, u = frame
    set3(values, at, (R[0], R[1], R[2]))
    set6(values, at + 3, (R[3], R[4], R[5], R[6], R[7], R[8]))
    set3(values, at + 9, p)
    set3(values, at + 12, w)
    set3(values, at + 15, u)
