"""Velocities of links, and phi_dot of rows, at a pose that has been swept before."""

from ..dynamics.general import joint_motion, motion_out_general
from ..dynamics.sweep import S_V, STRIDE
from ..kernels import kernel
from ..kernels.scalar import load, zero
from ..model.tables import AXIAL, at_extras, at_links, at_v, count_links, open_tables
from ..spatial.axial import motion_out_axial, place_axial
from ..spatial.vectors import add6, load6, store6


@kernel
def sweep_velocities(handle, motion, like) -> None:
    """The velocities of all links from v in `motion`, where `sweep_links` has left their poses."""
    t = open_tables(handle)
    o = zero(like)
    links, extras, qdots = at_links(t), at_extras(t, STRIDE), at_v(t)
    for i in range(count_links(t)):
        link = t.links[i]
        w = links + STRIDE * i
        v = (o, o, o, o, o, o)
        if link.parent >= 0:
            v = load6(motion, links + STRIDE * link.parent + S_V, like)
        if link.kind == AXIAL:
            qdot = load(motion, qdots + link.v, like)
            v = motion_out_axial(link, place_axial(link, load(motion, link.q, like)), load(motion, w, like), load(motion, w + 1, like), v)
            v = (v[0], v[1], v[2] + link.turn * qdot, v[3], v[4], v[5] + link.slide * qdot)
        else:
            e = extras + link.extra
            v = add6(motion_out_general(motion, e, v, like), joint_motion(link, t.generals[link.general], motion, e, qdots + link.v, like))
        store6(motion, w + S_V, v)
