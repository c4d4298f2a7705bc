"""Corrections with a factor of the sparse solver that was made before, at a pose nearby: only right sides go inward and outward.

    twins       g = W_t^-1 r,      p_b -= Y^T I_t g                                               r: what each row lacks now
    a meeting   z = L^-1 gamma,    p_m += Z_F^T z,    gamma_j -= Z_j^T z
    a link      u = -S^T p,        gamma += y D^-1 u,    p_parent += X^T (p + U D^-1 u)
    outward     as ever

The pivots are those of the earlier pose, its rank included; the rows' right sides and the transforms between links are those of now. So the
answer is off by the size of the motion in between, times itself: a correction that is looked at and repeated converges at that rate.
"""

from ..dynamics.general import COLUMN, E_C, E_COLUMN, force_in_general
from ..dynamics.links import rigid_of
from ..dynamics.slots import add_slots
from ..dynamics.sweep import STRIDE
from ..kernels import kernel
from ..kernels.scalar import load, store, width
from ..model.tables import AXIAL, GATHER_SLOTS, at_carry, at_extras, at_gathers, at_links, count_links, open_tables
from ..parts.constraints.rows import R_GAMMA, ROW
from ..spatial.axial import force_in_axial, place_axial
from ..spatial.inertia import inertia_times
from ..spatial.motion import force_to_parent
from ..spatial.vectors import add6, dot6, load6, scale6, store6, sub6
from .semidefinite import FLOOR
from .sparse_closing import C_, F_, G_, P_, twin_in_body, what_lacks
from .sparse_factor import is_left
from .sparse_program import (
    C_LATER,
    C_LATERS,
    C_PACKS,
    C_PANEL,
    C_ROW,
    C_ROWS,
    C_STRIDE,
    C_VECTOR,
    CONSTRAINT,
    E_PACKS,
    E_VECTOR,
    ENTRY,
    HEADER,
    J_BODY_LOAD,
    J_CONSTRAINT,
    J_FREE,
    J_ROW,
    J_STORE,
    J_TWIN,
    JOINT,
    L_LIST,
    L_LOAD,
    L_MEET,
    L_MEETS,
    L_Y,
    LATER,
    LINK,
    LINK_STORE,
    P_COUNT,
    P_JOINTS,
    P_JOINTS_COUNT,
    P_LARGEST,
    P_LINKS,
    P_LOADS,
    P_LOADS_END,
    P_ROWS,
    P_STORE,
    P_TAIL,
    P_WORLD,
    PIVOTS,
    open_workspace,
)
from .sparse_sweep import go_outward, set_level

BIAS = 21  # where the bias force stands behind an articulated inertia


@kernel
def solve_again(handle, memory, level, wide) -> float:
    """The correction of velocities or positions, after `evaluate_state` at a state near to that of the last factor."""
    P, work = open_workspace(memory)
    work[P[P_LARGEST]] = FLOOR
    set_level(handle, P, work, level, 0.0, 0.0)
    for e in range(P[P_COUNT]):
        c = HEADER + CONSTRAINT * e
        if P[c + C_ROW] >= 0:
            for i in range(P[c + C_ROWS]):
                work[P[c + C_VECTOR] * width(wide) + i] = work[P[P_ROWS] + ROW * (P[c + C_ROW] + i) + R_GAMMA]
    _close(handle, P, work, width(wide))
    _inward(handle, P, work, wide)
    return go_outward(handle, P, work, wide)


@kernel
def _close(handle, P, work, lanes) -> None:
    """What the welds of twins lack, to their bodies and to the rows that are left."""
    t = open_tables(handle)
    nothing = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for at in range(P[P_LOADS] + BIAS, P[P_LOADS_END], GATHER_SLOTS):
        store6(work, at, nothing)
    for k in range(P[P_JOINTS_COUNT]):
        j = P[P_JOINTS] + JOINT * k
        s, link = P[j + J_STORE], t.links[P[j + J_TWIN]]
        what_lacks(work, s, P[P_ROWS] + ROW * P[j + J_ROW])
        store6(work, s + P_, nothing)
        store6(work, s + C_, nothing)
        store6(work, s + F_, nothing)
        if link.massive:
            at = P[j + J_BODY_LOAD] + BIAS
            force = inertia_times(rigid_of(link), load6(work, s + G_, 0.0))
            store6(work, at, sub6(load6(work, at, 0.0), force_to_parent(twin_in_body(work, s), force)))
        gamma = P[HEADER + CONSTRAINT * P[j + J_CONSTRAINT] + C_VECTOR] * lanes
        for d in range(6):
            if P[j + J_FREE] >> d & 1 == 0:
                work[gamma] = work[s + G_ + d]
                gamma += 1


@kernel
def _inward(handle, P, work, wide) -> None:
    t = open_tables(handle)
    n, links, extras, gathers = count_links(t), at_links(t), at_extras(t, STRIDE), at_gathers(t, STRIDE)
    bias = at_carry(t, STRIDE) + BIAS
    nothing = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for at in range(gathers + BIAS, bias + 1, GATHER_SLOTS):
        store6(work, at, nothing)
    for back in range(n):
        i = n - 1 - back
        link = t.links[i]
        w, at = links + STRIDE * i, P[P_LINKS] + LINK * i
        if P[at + L_LOAD] < 0:
            continue
        if P[at + L_LOAD] > 0:
            add_slots(work, P[at + L_LOAD] + BIAS, bias, 6, 0.0)
        if link.gather >= 0:
            add_slots(work, gathers + GATHER_SLOTS * link.gather + BIAS, bias, 6, 0.0)
        for e in range(P[at + L_MEET], P[at + L_MEET] + P[at + L_MEETS]):
            _meet(P, work, e, bias, wide)
        p = load6(work, bias, 0.0)
        if link.kind == AXIAL:
            s = P[P_STORE] + LINK_STORE * i
            u = -(link.turn * p[2] + link.slide * p[5])
            work[s + 6] = u * work[s + 7]
            for k in range(8, 12):
                work[s + k] = 0.0
            if P[at + L_LIST] > 0:
                _pass(P, work, at, 0, 1, work[s + 6], wide)
            if link.parent >= 0:
                p = add6(p, scale6(u, load6(work, s, 0.0)))
                store6(work, bias, force_in_axial(link, place_axial(link, work[link.q]), work[w], work[w + 1], p))
        else:
            x = extras + link.extra
            store6(work, x + E_C, nothing)
            for k in range(link.nv):
                column = x + E_COLUMN + COLUMN * k
                u = -dot6(load6(work, column, 0.0), p)
                work[column + 12] = u * work[column + 13]
                p = add6(p, scale6(u, load6(work, column + 6, 0.0)))
                if P[at + L_LIST] > 0:
                    _pass(P, work, at, k, link.nv, work[column + 12], wide)
            if link.parent >= 0:
                store6(work, bias, force_in_general(work, x, p, 0.0))
        if not link.follows:
            if link.parent >= 0:
                add_slots(work, bias, gathers + GATHER_SLOTS * t.links[link.parent].gather + BIAS, 6, 0.0)
            store6(work, bias, nothing)
    for e in range(P[P_WORLD], P[P_COUNT]):
        _meet(P, work, e, -1, wide)


@kernel
def _pass(P, work, at, k, nv, u, wide) -> None:
    """gamma += y D^-1 u of velocity k of a link, for all rows on it."""
    first, y = P[at + L_LIST], P[at + L_Y]
    for j in range(P[first]):
        entry = first + 1 + ENTRY * j
        packs, gamma = P[entry + E_PACKS], P[entry + E_VECTOR]
        for g in range(packs):
            store(work, gamma + g, load(work, gamma + g, wide) + u * load(work, y + k * packs + g, wide))
        y += nv * packs


@kernel
def _meet(P, work, e, bias, wide) -> None:
    """Eliminate the right side of constraint e; `bias`: where the bias force of the meeting link stands, or -1."""
    lanes = width(wide)
    c = HEADER + CONSTRAINT * e
    rows, panel, stride, gamma = P[c + C_ROWS], P[c + C_PANEL], P[c + C_STRIDE], P[c + C_VECTOR] * lanes
    pivots, tail = gamma + PIVOTS * P[c + C_PACKS] * lanes, (stride - P[P_TAIL]) * lanes
    kept = 0
    while kept < rows and work[pivots + kept] >= 0.0:
        i = int(work[pivots + kept])
        row = (panel + i * stride) * lanes
        z = _reduced(work, panel, stride, lanes, pivots, kept, tail, i, work[gamma + i]) / work[row + i]
        work[row + tail + 6] = z
        work[P[P_LARGEST]] = max(work[P[P_LARGEST]], abs(work[gamma + i]))
        if bias >= 0:
            store6(work, bias, add6(load6(work, bias, 0.0), scale6(z, load6(work, row + tail, 0.0))))
        for a in range(P[c + C_LATER]):
            later = P[c + C_LATERS] + LATER * a
            other, column = HEADER + CONSTRAINT * P[later], panel + i * stride + P[later + 1]
            for g in range(P[other + C_PACKS]):
                at = P[other + C_VECTOR] + g
                store(work, at, load(work, at, wide) - z * load(work, column + g, wide))
        kept += 1
    if kept < rows:
        for i in range(rows):
            if is_left(work, pivots, kept, i):
                at = (panel + i * stride) * lanes + tail + 6
                work[at] = _reduced(work, panel, stride, lanes, pivots, kept, tail, i, work[gamma + i])


@kernel(inline=True)
def _reduced(work, panel, stride, lanes, pivots, kept, tail, i, value):
    """The right side of row i after `kept` pivots."""
    for p in range(kept):
        row = (panel + int(work[pivots + p]) * stride) * lanes
        value -= work[row + i] * work[row + tail + 6]
    return value
