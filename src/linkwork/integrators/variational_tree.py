"""Sweeps over the tree: displacements of all links during a step outward, momenta at its end inward.

Link i stands at X_i = X_l T_i(q), so it is displaced by   X_i(q_0)^-1 X_i(q_1) = [T_0^-1 (r_l, d_l) T_0] [T_0^-1 T_1]:
its parent's displacement in its own axes, then that of its joint, for a screw about z a turn by the half-angle and a slide.
"""

from ..dynamics.general import force_in_general, place_general
from ..dynamics.links import rigid_of
from ..kernels import Scalar, kernel
from ..kernels.scalar import load, sincos, store, zero
from ..model.tables import AXIAL, count_links, count_v, open_tables
from ..spatial.axial import force_in_axial, place_axial
from ..spatial.inertia import inertia_to_com
from ..spatial.vectors import add3, add6, dot6, load3, load4, load6, store3, store4, store6
from .variational_blocks import BLOCK
from .variational_body import end_momentum, start_momentum, turned, turned_away
from .variational_general import armature_momentum, arrive_general, displace_general, has_armature, move_joint
from .variational_memory import (
    L_COM,
    L_D,
    L_G,
    L_P,
    L_R,
    L_SIN1,
    L_T,
    P_BASE,
    P_DELTA,
    P_EPS,
    P_NOW,
    STRIDE,
    at_branch,
    at_chain,
    at_general,
    at_general_end,
    at_mean,
    at_vector,
    column_of,
)


@kernel(inline=True)
def out_axial(link, c, s, v):
    """A vector from parent to child axes."""
    x, y, z = v
    if link.turned:
        x, y = link.c0 * x + link.s0 * y, link.c0 * y - link.s0 * x
    y, z = link.ca * y + link.sa * z, link.ca * z - link.sa * y
    return c * x + s * y, c * y - s * x, z


@kernel
def settle(handle, start, like) -> None:
    """Once for a run: the links' inertias about their centres of mass; joints at q_0."""
    t = open_tables(handle)
    chain = at_chain(t)
    o = zero(like)
    for i in range(count_links(t)):
        link = t.links[i]
        w = chain + STRIDE * i
        m, a, T = inertia_to_com(rigid_of(link))
        store3(start, w + L_COM, (o + a[0], o + a[1], o + a[2]))
        store6(start, w + L_T, (o + T[0], o + T[1], o + T[2], o + T[3], o + T[4], o + T[5]))
        if link.kind == AXIAL:
            s, c = sincos(link.turn * load(start, link.q, like) + link.offset)
            store(start, w, c)
            store(start, w + 1, s)
        else:
            place_general(link, t.generals[link.general], start, at_general(t) + link.extra, at_vector(t, P_DELTA), 1, like)


@kernel
def displace_links(handle, start, end, h, last, like) -> Scalar:
    """Displacements of all links; their momenta at the start of the step, or (`last`) at its end. Returns twice the action of the motion.

    q_1 stands in `end`. Cosines and sines at q_1 follow from those at q_0, and at the end of a step from q_1 itself.
    """
    t = open_tables(handle)
    chain, deltas = at_chain(t), at_vector(t, P_DELTA)
    o = zero(like)
    e = o + 1.0
    r, d, g = (e, o, o, o), (o, o, o), (o, o, o)
    action = o
    gravity = (o + t.gravity[0], o + t.gravity[1], o + t.gravity[2])
    weight = h * h * h * (t.gravity[0] * t.gravity[0] + t.gravity[1] * t.gravity[1] + t.gravity[2] * t.gravity[2])
    for i in range(count_links(t)):
        link = t.links[i]
        w = chain + STRIDE * i
        if not link.follows:
            r, d, g = (e, o, o, o), (o, o, o), gravity
            if link.parent >= 0:
                up = chain + STRIDE * link.parent
                r, d, g = load4(start, up + L_R, like), load3(start, up + L_D, like), load3(start, up + L_G, like)
        if link.kind == AXIAL:
            c, s = load(start, w, like), load(start, w + 1, like)
            q, x = load(start, link.q, like), load(start, deltas + link.v, like)
            d = add3(d, turned_away(r, place_axial(link, q)))
            d = out_axial(link, c, s, d)
            g = out_axial(link, c, s, g)
            k = out_axial(link, c, s, (r[1], r[2], r[3]))
            sine, cosine = sincos((0.5 * link.turn) * x)
            if link.slide != 0.0:
                d = add3(d, turned((r[0], k[0], k[1], k[2]), (o, o, link.slide * x)))
            r = (
                r[0] * cosine - k[2] * sine,
                k[0] * cosine + k[1] * sine,
                k[1] * cosine - k[0] * sine,
                k[2] * cosine + r[0] * sine,
            )
            if last:
                s1, c1 = sincos(link.turn * load(end, link.q, like) + link.offset)
            else:
                a, b = 1.0 - 2.0 * sine * sine, 2.0 * sine * cosine
                c1, s1 = c * a - s * b, s * a + c * b
            store(start, w + L_SIN1, c1)
            store(start, w + L_SIN1 + 1, s1)
            store4(start, w + L_R, r)
            store3(start, w + L_D, d)
            store3(start, w + L_G, g)
        else:
            displace_general(
                link,
                t.generals[link.general],
                t,
                start,
                end,
                at_general(t) + link.extra,
                at_general_end(t) + link.extra,
                w,
                r,
                d,
                g,
                like,
            )
            r, d, g = load4(start, w + L_R, like), load3(start, w + L_D, like), load3(start, w + L_G, like)
        if link.massive:
            com, T = load3(start, w + L_COM, like), load6(start, w + L_T, like)
            if last:
                store6(start, w + L_P, end_momentum(link.m, com, T, r, d, g, h))
            else:
                p, size, _ = start_momentum(link.m, com, T, r, d, g, h)
                store6(start, w + L_P, p)
                action = action + size + link.m * weight
        else:
            store6(start, w + L_P, (o, o, o, o, o, o))
    return action


@kernel
def end_momenta(handle, start, end, h, like) -> None:
    """Momentum of every joint at the end of the step, from momenta of links in their slots: p = sum J(q_1)^T mu_1, plus armatures."""
    t = open_tables(handle)
    n, chain, branches, results, deltas = count_links(t), at_chain(t), at_branch(t), at_vector(t, P_NOW), at_vector(t, P_DELTA)
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    for i in range(n):
        if t.links[i].gather >= 0:
            store6(start, branches + BLOCK * t.links[i].gather, zero6)
    f = zero6
    for j in range(n):
        i = n - 1 - j
        link = t.links[i]
        w = chain + STRIDE * i
        f = add6(f, load6(start, w + L_P, like))
        if link.gather >= 0:
            f = add6(f, load6(start, branches + BLOCK * link.gather, like))
        if link.kind == AXIAL:
            rotor = (link.armature / h) * load(start, deltas + link.v, like)
            store(start, results + link.v, link.turn * f[2] + link.slide * f[5] + rotor)
            if link.parent >= 0:
                r = place_axial(link, load(end, link.q, like))
                f = force_in_axial(link, r, load(start, w + L_SIN1, like), load(start, w + L_SIN1 + 1, like), f)
        else:
            e = at_general_end(t) + link.extra
            for k in range(link.nv):
                store(start, results + link.v + k, dot6(load6(end, column_of(e, k), like), f))
            if has_armature(t.generals[link.general]):
                armature_momentum(link, t.generals[link.general], t, start, True, h, results + link.v, 1.0, like)
            if link.parent >= 0:
                f = force_in_general(end, e, f, like)
        if not link.follows:
            if link.parent >= 0:
                at = branches + BLOCK * t.links[link.parent].gather
                store6(start, at, add6(load6(start, at, like), f))
            f = zero6


@kernel
def take_armatures(handle, start, h, target, like) -> None:
    """Take the momenta that armatures have at the start of the step from the slots `target`.. of all joints."""
    t = open_tables(handle)
    deltas = at_vector(t, P_DELTA)
    for i in range(count_links(t)):
        link = t.links[i]
        if link.kind == AXIAL:
            if link.armature != 0.0:
                at = target + link.v
                store(start, at, load(start, at, like) - (link.armature / h) * load(start, deltas + link.v, like))
        elif has_armature(t.generals[link.general]):
            armature_momentum(link, t.generals[link.general], t, start, False, h, target + link.v, -1.0, like)


@kernel
def arrive(handle, start, end, h, like) -> None:
    """q_1 and mean velocities from q_0 and displacements."""
    t = open_tables(handle)
    deltas, means = at_vector(t, P_DELTA), at_mean(t)
    for i in range(count_links(t)):
        link = t.links[i]
        if link.kind == AXIAL:
            x = load(start, deltas + link.v, like)
            store(end, link.q, load(start, link.q, like) + x)
            store(end, means + link.v, x / h)
        else:
            arrive_general(link, t, start, end, h, like)


@kernel
def apply_correction(handle, start, scale, like) -> None:
    """Displacements = those before, in the slots of P_BASE, and then scale times the correction."""
    t = open_tables(handle)
    deltas, base, eps = at_vector(t, P_DELTA), at_vector(t, P_BASE), at_vector(t, P_EPS)
    if t.size[7] == 0:
        for k in range(count_v(t)):
            store(start, deltas + k, load(start, base + k, like) + scale * load(start, eps + k, like))
    else:
        for i in range(count_links(t)):
            link = t.links[i]
            move_joint(link, start, base + link.v, deltas + link.v, eps + link.v, scale, like)


@kernel
def turn_page(handle, start, end, like) -> None:
    """The end of a step becomes the start of the next: q, sines and cosines, general joints."""
    t = open_tables(handle)
    for k in range(t.size[1]):
        store(start, k, load(end, k, like))
    for i in range(count_links(t)):
        w = at_chain(t) + STRIDE * i
        if t.links[i].kind == AXIAL:
            store(start, w, load(start, w + L_SIN1, like))
            store(start, w + 1, load(start, w + L_SIN1 + 1, like))
    for k in range(t.size[4]):
        store(start, at_general(t) + k, load(end, at_general_end(t) + k, like))
