"""Rows of constraints on their way inward: what the elimination of a link and its joint does to the rows that act on it.

With the pivots of the joint (dynamics/aba.py: U = I^A S, D = S^T U + armature, u, c) a row with wrench F on the link and coefficient k on the
joint's velocity keeps

    y = S^T F + k,      F <- F - U D^-1 y,      gamma += y D^-1 u + F . c,      K += y D^-1 y^T,      F_parent += X^T F.

These are the Schur complements of the node [[I^A, T], [T^T, 0]], T spanning the complement of S: its pivots are the pairs (acceleration along
T, multiplier of T), which are 2x2 and cost nothing, and then D. A link may thus be massless, as long as D is not zero.

For the rank decision each row also keeps its diagonal, sum y^2/D, before other constraints took from it, and its size, the diagonal
that its wrenches could have, were no motion forbidden to them (solvers/semidefinite.py).
"""

from ..dynamics.general import COLUMN, E_C, E_COLUMN, pose_general
from ..dynamics.sweep import STRIDE
from ..kernels import Scalar, kernel
from ..kernels.scalar import lane_sum, load, store, width, zero
from ..model.rules import open_rules
from ..model.tables import at_extras, at_links, open_tables
from ..parts.constraints.rows import R_GAMMA, ROW
from ..spatial.axial import force_in_axial, place_axial
from ..spatial.motion import force_to_parent
from ..spatial.vectors import add6, dot6, load6, scale6, store6, sub6
from .sparse_ball import force_alone_to_parent, is_plain_ball, wrench_through_ball
from .sparse_program import (
    C_PLACES,
    C_ROW,
    C_ROWS,
    C_VECTOR,
    CONSTRAINT,
    DIAGONAL,
    E_FROM,
    E_PACKS,
    E_ROWS,
    E_TERM,
    E_TO,
    E_VECTOR,
    ENTRY,
    GAMMA,
    HEADER,
    L_LIST,
    L_Y,
    LAMBDA,
    LINK,
    LINK_STORE,
    P_COUNT,
    P_FIRST,
    P_LAST,
    P_LINKS,
    P_ROWS,
    P_STORE,
    SIZE,
)


@kernel
def take_rows(P, work, wide) -> None:
    """Clear the memory of the factor, and bring the evaluated rows into lanes."""
    lanes = width(wide)
    for k in range(P[P_FIRST], P[P_LAST]):
        store(work, k, zero(wide))
    for e in range(P[P_COUNT]):
        c = HEADER + CONSTRAINT * e
        if P[c + C_ROW] < 0:
            continue
        for i in range(P[c + C_ROWS]):
            row = P[P_ROWS] + ROW * (P[c + C_ROW] + i)
            work[P[c + C_VECTOR] * lanes + i] = work[row + R_GAMMA]
            for side in range(2):
                wrench = P[c + C_PLACES + side]
                if wrench >= 0:
                    at = (wrench + 6 * (i // lanes)) * lanes + i % lanes
                    for k in range(6):
                        work[at + k * lanes] += work[row + 6 * side + k]


@kernel(inline=True)
def _squares(F, length):
    """n.n + length^2 f.f, and f.f."""
    f2 = F[3] * F[3] + F[4] * F[4] + F[5] * F[5]
    return F[0] * F[0] + F[1] * F[1] + F[2] * F[2] + length * length * f2, f2


@kernel(inline=True)
def _hand_on(work, source, target, F, wide):
    """A wrench to where the parent expects it: in place, or to that of another branch."""
    if source == target:
        store6(work, target, F)
    else:
        store6(work, target, add6(load6(work, target, wide), F))


@kernel
def _with_coefficient(handle, work, y, u, entry, P, g, v, wide) -> Scalar:
    """u plus the coefficient that the rows of an entry have on velocity v, in those lanes of pack g that hold rows."""
    c = open_rules(handle)
    block = c.blocks[P[entry + E_TERM]]
    lanes = width(wide)
    store(work, y, u)
    for j in range(block.terms):
        if c.terms[block.term + j].v == v:
            for i in range(g * lanes, min(P[entry + E_ROWS], (g + 1) * lanes)):
                work[y * lanes + i - g * lanes] += c.terms[block.term + j].coefficient
    return load(work, y, wide)


@kernel(inline=True)
def _keep(work, vector, packs, g, gamma, diagonal, size, wide):
    """Add to what a pack of rows keeps."""
    at = vector + GAMMA * packs + g
    store(work, at, load(work, at, wide) + gamma)
    at = vector + DIAGONAL * packs + g
    store(work, at, load(work, at, wide) + diagonal)
    at = vector + SIZE * packs + g
    store(work, at, load(work, at, wide) + size)


@kernel
def rows_through_axial(handle, P, work, i, wide) -> None:
    """All rows on an axial link, after the pivots of its joint are in the link's store."""
    t = open_tables(handle)
    length = open_rules(handle).numbers[0]
    link = t.links[i]
    at, w = P[P_STORE] + LINK_STORE * i, at_links(t) + STRIDE * i
    K, u, D = load6(work, at, 0.0), work[at + 6], work[at + 7]
    cx, cy, dx, dy = work[at + 8], work[at + 9], work[at + 10], work[at + 11]
    c, s, r = work[w], work[w + 1], place_axial(link, work[link.q])
    first = P[P[P_LINKS] + LINK * i + L_LIST]
    y = P[P[P_LINKS] + LINK * i + L_Y]
    for j in range(P[first]):
        entry = first + 1 + ENTRY * j
        source, target, packs = P[entry + E_FROM], P[entry + E_TO], P[entry + E_PACKS]
        for g in range(packs):
            F = load6(work, source + 6 * g, wide)
            n2, f2 = _squares(F, length)
            z = link.turn * F[2] + link.slide * F[5]
            if P[entry + E_TERM] >= 0:
                z = _with_coefficient(handle, work, y, z, entry, P, g, link.v, wide)
            store(work, y, z)
            y += 1
            F = sub6(F, scale6(z, K))
            gamma = z * u + (F[0] * cx + F[1] * cy + (F[3] * dx + F[4] * dy))
            size = D * (link.turn * link.turn * n2 + link.slide * link.slide * f2)
            _keep(work, P[entry + E_VECTOR], packs, g, gamma, z * z * D, size, wide)
            if target >= 0:
                _hand_on(work, source + 6 * g, target + 6 * g, force_in_axial(link, r, c, s, F), wide)
    _couple(P, work, i, 0, 1, D, wide)


@kernel
def rows_through_general(handle, P, work, i, wide) -> None:
    """All rows on a general link, after the pivots of its joint are in the link's extra memory."""
    t = open_tables(handle)
    length = open_rules(handle).numbers[0]
    link = t.links[i]
    x = at_extras(t, STRIDE) + link.extra
    nv = link.nv
    weight = 0.0
    for k in range(nv):
        weight += work[x + E_COLUMN + COLUMN * k + 13]
    c, X = load6(work, x + E_C, 0.0), pose_general(work, x, 0.0)
    first = P[P[P_LINKS] + LINK * i + L_LIST]
    y = P[P[P_LINKS] + LINK * i + L_Y]
    for j in range(P[first]):
        entry = first + 1 + ENTRY * j
        source, target, packs = P[entry + E_FROM], P[entry + E_TO], P[entry + E_PACKS]
        ball = P[entry + E_TERM] < 0 and is_plain_ball(link, t.generals[link.general])
        for g in range(packs):
            F = load6(work, source + 6 * g, wide)
            n2, f2 = _squares(F, length)
            gamma = dot6(F, c)
            if ball:
                f, more, diagonal = wrench_through_ball(work, x, y + g, packs, F)
                _keep(work, P[entry + E_VECTOR], packs, g, gamma + more, diagonal, weight * (n2 + f2), wide)
                if target >= 0:
                    _hand_on(work, source + 6 * g, target + 6 * g, force_alone_to_parent(X, f), wide)
                continue
            diagonal = zero(wide)
            for k in range(nv):
                column = x + E_COLUMN + COLUMN * k
                z = dot6(F, load6(work, column, 0.0))
                if P[entry + E_TERM] >= 0:
                    z = _with_coefficient(handle, work, y + k * packs + g, z, entry, P, g, link.v + k, wide)
                store(work, y + k * packs + g, z)
                F = sub6(F, scale6(z, load6(work, column + 6, 0.0)))
                gamma = gamma + z * work[column + 12]
                diagonal = diagonal + z * z * work[column + 13]
            _keep(work, P[entry + E_VECTOR], packs, g, gamma, diagonal, weight * (n2 + f2), wide)
            if target >= 0:
                _hand_on(work, source + 6 * g, target + 6 * g, force_to_parent(X, F), wide)
        y += nv * packs
    for k in range(nv):
        _couple(P, work, i, k, nv, work[x + E_COLUMN + COLUMN * k + 13], wide)


@kernel
def _couple(P, work, i, k, nv, D, wide) -> None:
    """K += y D^-1 y^T of velocity k, for every pair of constraints on the link."""
    lanes = width(wide)
    first = P[P[P_LINKS] + LINK * i + L_LIST]
    y, count = P[P[P_LINKS] + LINK * i + L_Y], P[first]
    pair = first + 1 + ENTRY * count
    for a in range(count):
        rows, packs = P[first + 1 + ENTRY * a + E_ROWS], P[first + 1 + ENTRY * a + E_PACKS]
        own = (y + k * packs) * lanes
        z = y
        for b in range(a, count):
            others = P[first + 1 + ENTRY * b + E_PACKS]
            target, stride = P[pair], P[pair + 1]
            pair += 2
            for g in range(others):
                value = load(work, z + k * others + g, wide) * D
                at = target + g
                for j in range(rows):
                    store(work, at, load(work, at, wide) + work[own + j] * value)
                    at += stride
            z += nv * others
        y += nv * packs


@kernel
def push(P, work, i, k, nv, wide) -> float:
    """sum y lambda of velocity k of a link: what the multipliers add to its joint's force."""
    first = P[P[P_LINKS] + LINK * i + L_LIST]
    y = P[P[P_LINKS] + LINK * i + L_Y]
    total = zero(wide)
    for j in range(P[first]):
        entry = first + 1 + ENTRY * j
        packs = P[entry + E_PACKS]
        multipliers = P[entry + E_VECTOR] + LAMBDA * packs
        for g in range(packs):
            total = total + load(work, y + k * packs + g, wide) * load(work, multipliers + g, wide)
        y += nv * packs
    return lane_sum(total)
