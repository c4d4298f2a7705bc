"""Joints that close a loop: the twin and its weld are eliminated first, and the joint's own rows are left.

A joint that closes a loop carries a twin t of its far body b, welded to it by six rows W_t a_t + W_b a_b + gamma = 0 (ARCHITECTURE.md). W_t is
regular, so the twin's accelerations and the six multipliers can be the first pivots of all,

    a_t = -(B a_b + g),    B = W_t^-1 W_b,  g = W_t^-1 gamma          I_b += B^T I_t B,    p_b += B^T (I_t g - p_t + f),    p_p += X^T f

(f: the joint's force). What remains of joint and weld are the 6 - nv directions k in which the joint does not move,

    (X^T e_k) . a_p + B_k . a_b + g_k + c_k = 0

a constraint between the parent p and the body b: three rows for a ball instead of six, and one link less. Afterwards qddot = (a_t - X a_p - c)_k in
the other directions, and the weld's multipliers are W_t^-T (I_t a_t + p_t - f + sum e_k lambda_k). It is done where the joint moves along
axes of its link: turns, slides and balls without armature, that no other constraint refers to.
"""

from ..dynamics.general import E_C, force_in_general, joint_motion, motion_out_general
from ..dynamics.links import rigid_of
from ..dynamics.sweep import S_A, S_R, S_V, STRIDE
from ..kernel import kernel
from ..model.tables import AXIAL, BALL, at_extras, at_links, at_v, at_x, at_y, open_tables
from ..parts.constraints.rows import R_GAMMA, ROW
from ..spatial.axial import force_in_axial, motion_out_axial, place_axial
from ..spatial.inertia import bias_force, inertia_times
from ..spatial.matrices import apply9_transposed, load9
from ..spatial.motion import cross_motion
from ..spatial.vectors import add6, cross3, load6, store6, sub6
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

# Floats of a closing joint (JOINT_STORE of them): B (36), g (6), N^-1 (9), E (9), c (6), p_t (6), f (6).
B_, G_, N_, E_, C_, P_, F_ = 0, 36, 42, 51, 60, 66, 72


@kernel(inline=True)
def load_on(link, R, v, gravity):
    """What a link's own inertia adds to its bias force: v x* I v - I g."""
    g = apply9_transposed(R, gravity)
    p = bias_force(rigid_of(link), v)
    n = cross3((link.h[0], link.h[1], link.h[2]), g)
    return p[0] - n[0], p[1] - n[1], p[2] - n[2], p[3] - link.m * g[0], p[4] - link.m * g[1], p[5] - link.m * g[2]


@kernel(inline=True)
def _invert(work, to, at):
    """The inverse of the 3x3 matrix whose rows stand in three records of rows from `at` on (their moments)."""
    a, b, c = work[at], work[at + 1], work[at + 2]
    d, e, f = work[at + ROW], work[at + ROW + 1], work[at + ROW + 2]
    g, h, i = work[at + 2 * ROW], work[at + 2 * ROW + 1], work[at + 2 * ROW + 2]
    x, y, z = e * i - f * h, f * g - d * i, d * h - e * g
    k = 1.0 / (a * x + b * y + c * z)
    work[to], work[to + 1], work[to + 2] = k * x, k * (c * h - b * i), k * (b * f - c * e)
    work[to + 3], work[to + 4], work[to + 5] = k * y, k * (a * i - c * g), k * (c * d - a * f)
    work[to + 6], work[to + 7], work[to + 8] = k * z, k * (b * g - a * h), k * (a * e - b * d)


@kernel
def _map_body(work, s, rows):
    """B and g from the six rows of the weld: shifts (0, E) and turns (N, 0) on the twin."""
    _invert(work, s + N_, rows + 3 * ROW)
    for i in range(3):
        for j in range(3):
            work[s + E_ + 3 * i + j] = work[rows + ROW * i + 3 + j]
        for j in range(7):
            column = 6 + j if j < 6 else R_GAMMA
            turn, shift = 0.0, 0.0
            for k in range(3):
                turn += work[s + N_ + 3 * i + k] * work[rows + ROW * (3 + k) + column]
                shift += work[rows + ROW * k + 3 + i] * work[rows + ROW * k + column]
            if j < 6:
                work[s + B_ + 6 * i + j] = turn
                work[s + B_ + 18 + 6 * i + j] = shift
            else:
                work[s + G_ + i] = turn
                work[s + G_ + 3 + i] = shift


@kernel
def close_joints(handle, P, work, down, lanes):
    """Eliminate twins and welds: loads to the bodies and parents, the rows that are left into lanes. `down` scales gravity.

    Returns the number of rows eliminated.
    """
    t = open_tables(handle)
    links, gravity = at_links(t), (down * t.gravity[0], down * t.gravity[1], down * t.gravity[2])
    gone = 0
    for k in range(P[P_LOADS], P[P_LOADS_END]):
        work[k] = 0.0
    for k in range(P[P_JOINTS_COUNT]):
        j = P[P_JOINTS] + JOINT * k
        i, s = P[j + J_TWIN], P[j + J_STORE]
        link = t.links[i]
        w, x = links + STRIDE * i, at_extras(t, STRIDE) + link.extra
        v = load6(work, w + S_V, 0.0)
        _map_body(work, s, P[P_ROWS] + ROW * P[j + J_ROW])
        p = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        if link.massive:
            p = load_on(link, load9(work, w + S_R, 0.0), v, gravity)
        store6(work, s + P_, p)
        for d in range(6):
            work[s + F_ + d] = 0.0
        if link.kind == AXIAL:
            qdot = work[at_v(t) + link.v]
            store6(work, s + C_, cross_motion(v, (0.0, 0.0, link.turn * qdot, 0.0, 0.0, link.slide * qdot)))
            if link.turn != 0.0:
                work[s + F_ + 2] = work[at_x(t) + link.v] / link.turn
            else:
                work[s + F_ + 5] = work[at_x(t) + link.v] / link.slide
        else:
            vJ = joint_motion(link, t.generals[link.general], work, x, at_v(t) + link.v, 0.0)
            store6(work, s + C_, add6(load6(work, x + E_C, 0.0), cross_motion(v, vJ)))
            for d in range(3):
                work[s + F_ + d] = work[at_x(t) + link.v + d]
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


@kernel(inline=True)
def _place(row, column):
    """Where entry (row <= column) of a symmetric 6x6 matrix stands among the 21 numbers (I, H, M) of an articulated inertia."""
    if column < 3:
        return 3 * row - row * (row + 1) // 2 + column
    if row < 3:
        return 6 + 3 * row + column - 3
    return 15 + 3 * (row - 3) - (row - 3) * (row - 2) // 2 + column - 3


@kernel
def _load_body(work, s, link, to):
    """I_b += B^T I_t B, p_b += B^T (I_t g - p_t + f)."""
    force = sub6(load6(work, s + F_, 0.0), load6(work, s + P_, 0.0))
    if link.massive:
        force = add6(force, inertia_times(rigid_of(link), load6(work, s + G_, 0.0)))
        for j in range(6):
            b = s + B_ + j
            C = inertia_times(rigid_of(link), (work[b], work[b + 6], work[b + 12], work[b + 18], work[b + 24], work[b + 30]))
            for i in range(j + 1):
                b = s + B_ + i
                value = C[0] * work[b] + C[1] * work[b + 6] + C[2] * work[b + 12]
                work[to + _place(i, j)] += value + (C[3] * work[b + 18] + C[4] * work[b + 24] + C[5] * work[b + 30])
    for i in range(6):
        b = s + B_ + i
        value = force[0] * work[b] + force[1] * work[b + 6] + force[2] * work[b + 12]
        work[to + 21 + i] += value + (force[3] * work[b + 18] + force[4] * work[b + 24] + force[5] * work[b + 30])


@kernel
def _lay_rows(t, link, P, work, j, w, x, lanes):
    """The rows that are left, for the directions k in which the joint does not move."""
    s, c = P[j + J_STORE], HEADER + CONSTRAINT * P[j + J_CONSTRAINT]
    near, far = P[c + C_PLACES], P[c + C_PLACES + 1]
    row = 0
    for k in range(6):
        if P[j + J_FREE] >> k & 1 == 0:
            place = 6 * (row // lanes) * lanes + row % lanes
            work[P[c + C_VECTOR] * lanes + row] = work[s + G_ + k] + work[s + C_ + k]
            for d in range(6):
                work[far * lanes + place + d * lanes] += work[s + B_ + 6 * k + d]
            if near >= 0:
                unit = _inward(t, link, work, w, x, _unit(k))
                for d in range(6):
                    work[near * lanes + place + d * lanes] += unit[d]
            row += 1


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
def open_joint(handle, P, work, k, lanes):
    """Accelerations of the closing joint k once all others are known; its six multipliers take the place of its force."""
    t = open_tables(handle)
    links = at_links(t)
    j = P[P_JOINTS] + JOINT * k
    i, s, c = P[j + J_TWIN], P[j + J_STORE], HEADER + CONSTRAINT * P[j + J_CONSTRAINT]
    link = t.links[i]
    w, x = links + STRIDE * i, at_extras(t, STRIDE) + link.extra
    at, body = w + S_A, links + STRIDE * P[j + J_BODY] + S_A
    for d in range(6):
        value = work[s + G_ + d]
        for e in range(6):
            value += work[s + B_ + 6 * d + e] * work[body + e]
        work[at + d] = -value
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
