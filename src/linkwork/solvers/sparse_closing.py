"""Joints that close a loop: the twin and its weld are eliminated first, and the joint's own rows are left.

A joint that closes a loop carries a twin t of its far body b, welded to it by six rows W_t a_t + W_b a_b + gamma = 0 (ARCHITECTURE.md). W_t is
regular, so the twin's accelerations and the six multipliers can be the first pivots of all,

    a_t = Y a_b - g,    Y = -W_t^-1 W_b,  g = W_t^-1 gamma          I_b += Y^T I_t Y,    p_b -= Y^T (I_t g - p_t + f),    p_p += X^T f

(f: the joint's force). Y is the motion of a rigid body, from the body's link to the twin's, whatever the gap may be: both have the same axes e and n
of the weld, which drop out. So the twin's inertia goes to the body like that of any welded part. What remains of joint and weld are the
6 - nv directions k in which the joint does not move,

    (X^T e_k) . a_p - Y_k . a_b + g_k + c_k = 0

a constraint between the parent p and the body b: three rows for a ball instead of six, and one link less. Afterwards qddot = (a_t - X a_p - c)_k in
the other directions, and the weld's multipliers are W_t^-T (I_t a_t + p_t - f + sum e_k lambda_k). It is done where the joint moves along
axes of its link: turns, slides and balls without armature, that no other constraint refers to.
"""

from ..dynamics.general import E_C, force_in_general, joint_motion, motion_out_general
from ..dynamics.links import rigid_of
from ..dynamics.sweep import S_A, S_P, S_R, S_V, STRIDE
from ..kernels import kernel
from ..model.tables import AXIAL, BALL, at_extras, at_links, at_v, at_x, at_y, open_tables
from ..parts.constraints.rows import R_GAMMA, ROW
from ..spatial.articulated import articulated_plus_rigid, load_articulated, store_articulated
from ..spatial.axial import force_in_axial, motion_out_axial, place_axial, rigid_shift
from ..spatial.inertia import bias_force, inertia_times
from ..spatial.matrices import apply9, apply9_transposed, load9, rotate_symmetric, store9, times9, transposed9
from ..spatial.motion import cross_motion, force_to_parent, motion_to_child
from ..spatial.vectors import add6, cross3, load3, load6, store3, store6, sub3, sub6
from .sparse_program import (
    C_PACKS,
    C_PLACES,
    C_VECTOR,
    CONSTRAINT,
    HEADER,
    J_BODY,
    J_BODY_LOAD,
    J_CONSTRAINT,
    J_FREE,
    J_PARENT,
    J_PARENT_LOAD,
    J_ROW,
    J_STORE,
    J_TWIN,
    JOINT,
    LAMBDA,
    P_JOINTS,
    P_JOINTS_COUNT,
    P_LOADS,
    P_LOADS_END,
    P_ROWS,
)

# Floats of a closing joint (JOINT_STORE of them): pose of the twin in the body's link (R 9, p 3), g (6), N^-1 (9), E (9), c (6), p_t (6), f (6).
Y_, G_, N_, E_, C_, P_, F_ = 0, 12, 18, 27, 36, 42, 48


@kernel(inline=True)
def load_on(link, R, v, gravity):
    """What a link's own inertia adds to its bias force: v x* I v - I g."""
    g = apply9_transposed(R, gravity)
    p = bias_force(rigid_of(link), v)
    n = cross3((link.h[0], link.h[1], link.h[2]), g)
    return p[0] - n[0], p[1] - n[1], p[2] - n[2], p[3] - link.m * g[0], p[4] - link.m * g[1], p[5] - link.m * g[2]


@kernel(inline=True)
def _inverse(A):
    """The inverse of a 3x3 matrix."""
    a, b, c, d, e, f, g, h, i = A
    x, y, z = e * i - f * h, f * g - d * i, d * h - e * g
    k = 1.0 / (a * x + b * y + c * z)
    return (
        k * x,
        k * (c * h - b * i),
        k * (b * f - c * e),
        k * y,
        k * (a * i - c * g),
        k * (c * d - a * f),
        k * z,
        k * (b * g - a * h),
        k * (a * e - b * d),
    )


@kernel(inline=True)
def _rows9(work, at):
    """The 3x3 matrix whose rows stand in three records of rows, from `at` on."""
    a, b, c = load3(work, at, 0.0), load3(work, at + ROW, 0.0), load3(work, at + 2 * ROW, 0.0)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@kernel
def _map_body(work, s, rows, twin, body) -> None:
    """The pose of the twin in the body, and W_t^-1 from the six rows of the weld: shifts (0, E) and turns (N, 0) on the twin."""
    R, back = load9(work, body + S_R, 0.0), transposed9(load9(work, body + S_R, 0.0))
    store9(work, s + Y_, times9(back, load9(work, twin + S_R, 0.0)))
    store3(work, s + Y_ + 9, apply9_transposed(R, sub3(load3(work, twin + S_P, 0.0), load3(work, body + S_P, 0.0))))
    store9(work, s + N_, _inverse(_rows9(work, rows + 3 * ROW)))
    store9(work, s + E_, _rows9(work, rows + 3))


@kernel(inline=True)
def what_lacks(work, s, rows):
    """g = W_t^-1 gamma of the six rows of a weld, to the joint's store."""
    shift = work[rows + R_GAMMA], work[rows + ROW + R_GAMMA], work[rows + 2 * ROW + R_GAMMA]
    turn = work[rows + 3 * ROW + R_GAMMA], work[rows + 4 * ROW + R_GAMMA], work[rows + 5 * ROW + R_GAMMA]
    store3(work, s + G_, apply9(load9(work, s + N_, 0.0), turn))
    store3(work, s + G_ + 3, apply9_transposed(load9(work, s + E_, 0.0), shift))


@kernel(inline=True)
def twin_in_body(work, s):
    """(R, p) of the twin in the link of its body."""
    return load9(work, s + Y_, 0.0), load3(work, s + Y_ + 9, 0.0)


@kernel
def close_joints(handle, P, work, moving, lanes) -> int:
    """Eliminate twins and welds: loads to the bodies and parents, the rows that are left into lanes. `moving`: with gravity and velocities.

    Returns the number of rows eliminated.
    """
    t = open_tables(handle)
    links, gravity = at_links(t), (t.gravity[0], t.gravity[1], t.gravity[2])
    zero6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    gone = 0
    for k in range(P[P_LOADS], P[P_LOADS_END]):
        work[k] = 0.0
    for k in range(P[P_JOINTS_COUNT]):
        j = P[P_JOINTS] + JOINT * k
        i, s = P[j + J_TWIN], P[j + J_STORE]
        link = t.links[i]
        w, x = links + STRIDE * i, at_extras(t, STRIDE) + link.extra
        rows = P[P_ROWS] + ROW * P[j + J_ROW]
        _map_body(work, s, rows, w, links + STRIDE * P[j + J_BODY])
        what_lacks(work, s, rows)
        p, c, f = zero6, zero6, zero6
        if link.kind == AXIAL:
            if link.turn != 0.0:
                f = (0.0, 0.0, work[at_x(t) + link.v] / link.turn, 0.0, 0.0, 0.0)
            else:
                f = (0.0, 0.0, 0.0, 0.0, 0.0, work[at_x(t) + link.v] / link.slide)
        else:
            n = load3(work, at_x(t) + link.v, 0.0)
            f = (n[0], n[1], n[2], 0.0, 0.0, 0.0)
        if moving:
            v = load6(work, w + S_V, 0.0)
            if link.massive:
                p = load_on(link, load9(work, w + S_R, 0.0), v, gravity)
            if link.kind == AXIAL:
                qdot = work[at_v(t) + link.v]
                c = cross_motion(v, (0.0, 0.0, link.turn * qdot, 0.0, 0.0, link.slide * qdot))
            else:
                vJ = joint_motion(link, t.generals[link.general], work, x, at_v(t) + link.v, 0.0)
                c = add6(load6(work, x + E_C, 0.0), cross_motion(v, vJ))
        store6(work, s + P_, p)
        store6(work, s + C_, c)
        store6(work, s + F_, f)
        _load_body(work, s, link, P[j + J_BODY_LOAD])
        if P[j + J_PARENT] >= 0:
            force = _inward(t, link, work, w, x, load6(work, s + F_, 0.0))
            at = P[j + J_PARENT_LOAD] + 21
            store6(work, at, add6(load6(work, at, 0.0), force))
        gone += link.nv
        _lay_rows(t, link, P, work, j, w, x, lanes)
    return gone


@kernel(inline=True)
def _inward(t, link, work, w, x, F):
    if link.kind == AXIAL:
        return force_in_axial(link, place_axial(link, work[link.q]), work[w], work[w + 1], F)
    return force_in_general(work, x, F, 0.0)


@kernel
def _load_body(work, s, link, to) -> None:
    """I_b += Y^T I_t Y, p_b -= Y^T (I_t g - p_t + f)."""
    Y = twin_in_body(work, s)
    force = sub6(load6(work, s + F_, 0.0), load6(work, s + P_, 0.0))
    if link.massive:
        rigid = rigid_of(link)
        force = add6(force, inertia_times(rigid, load6(work, s + G_, 0.0)))
        m, hx, hy, hz, xx, xy, xz, yy, yz, zz = rigid
        m, h, I = rigid_shift(Y[1], m, apply9(Y[0], (hx, hy, hz)), rotate_symmetric(Y[0], (xx, xy, xz, yy, yz, zz)))
        rigid = (m, h[0], h[1], h[2], I[0], I[1], I[2], I[3], I[4], I[5])
        store_articulated(work, to, articulated_plus_rigid(load_articulated(work, to, 0.0), rigid))
    store6(work, to + 21, sub6(load6(work, to + 21, 0.0), force_to_parent(Y, force)))


@kernel
def _lay_rows(t, link, P, work, j, w, x, lanes) -> None:
    """The rows that are left, for the directions k in which the joint does not move and its loop could (sparse_planar.py)."""
    s, c = P[j + J_STORE], HEADER + CONSTRAINT * P[j + J_CONSTRAINT]
    near, far = P[c + C_PLACES], P[c + C_PLACES + 1]
    p = load3(work, s + Y_ + 9, 0.0)
    row = 0
    for k in range(6):
        if P[j + J_FREE] >> k & 1 == 0:
            place = 6 * (row // lanes) * lanes + row % lanes
            work[P[c + C_VECTOR] * lanes + row] = work[s + G_ + k] + work[s + C_ + k]
            at = s + Y_ + k % 3
            e = (-work[at], -work[at + 3], -work[at + 6])  # column k of R: minus the twin's axis
            n, f = e, (0.0, 0.0, 0.0)
            if k >= 3:
                n, f = cross3(p, e), e
            _spread(work, far * lanes + place, lanes, (n[0], n[1], n[2], f[0], f[1], f[2]))
            if near >= 0:
                _spread(work, near * lanes + place, lanes, _inward(t, link, work, w, x, _unit(k)))
            row += 1


@kernel(inline=True)
def _spread(work, at, lanes, F):
    """Add a wrench to one lane of six packs."""
    for value in F:
        work[at] += value
        at += lanes


@kernel(inline=True)
def _unit(k):
    return (
        1.0 if k == 0 else 0.0,
        1.0 if k == 1 else 0.0,
        1.0 if k == 2 else 0.0,
        1.0 if k == 3 else 0.0,
        1.0 if k == 4 else 0.0,
        1.0 if k == 5 else 0.0,
    )


@kernel
def open_joint(handle, P, work, k, lanes) -> None:
    """Accelerations of the closing joint k once all others are known; its six multipliers take the place of its force."""
    t = open_tables(handle)
    links = at_links(t)
    j = P[P_JOINTS] + JOINT * k
    i, s, c = P[j + J_TWIN], P[j + J_STORE], HEADER + CONSTRAINT * P[j + J_CONSTRAINT]
    link = t.links[i]
    w, x = links + STRIDE * i, at_extras(t, STRIDE) + link.extra
    at, body = w + S_A, links + STRIDE * P[j + J_BODY] + S_A
    store6(work, at, sub6(motion_to_child(twin_in_body(work, s), load6(work, body, 0.0)), load6(work, s + G_, 0.0)))
    a = load6(work, s + C_, 0.0)
    if P[j + J_PARENT] >= 0:
        up = load6(work, links + STRIDE * P[j + J_PARENT] + S_A, 0.0)
        if link.kind == AXIAL:
            a = add6(a, motion_out_axial(link, place_axial(link, work[link.q]), work[w], work[w + 1], up))
        else:
            a = add6(a, motion_out_general(work, x, up, 0.0))
    moved = sub6(load6(work, at, 0.0), a)
    if link.kind == BALL:
        work[at_y(t) + link.v], work[at_y(t) + link.v + 1], work[at_y(t) + link.v + 2] = moved[0], moved[1], moved[2]
    elif link.turn != 0.0:
        work[at_y(t) + link.v] = moved[2] / link.turn
    else:
        work[at_y(t) + link.v] = moved[5] / link.slide
    force = sub6(load6(work, s + P_, 0.0), load6(work, s + F_, 0.0))
    if link.massive:
        force = add6(force, inertia_times(rigid_of(link), load6(work, at, 0.0)))
    store6(work, s + F_, force)
    multiplier = (P[c + C_VECTOR] + LAMBDA * P[c + C_PACKS]) * lanes
    for d in range(6):
        if P[j + J_FREE] >> d & 1 == 0:
            work[s + F_ + d] += work[multiplier]
            multiplier += 1
    force = load6(work, s + F_, 0.0)
    n = apply9_transposed(load9(work, s + N_, 0.0), (force[0], force[1], force[2]))
    for d in range(3):
        e = s + E_ + 3 * d
        work[s + F_ + d] = work[e] * force[3] + work[e + 1] * force[4] + work[e + 2] * force[5]
        work[s + F_ + 3 + d] = n[d]
