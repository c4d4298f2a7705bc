r"""The natural map of Alart and Curnier (1991): statuses, and the residual that every answer is judged by.

    z = l - r w,   r = 1 / G_nn for normals, bounds and rows of one,   1 / max(G_t1t1, G_t2t2) for tangents

    OPEN    z_n <= 0                      l = 0
    STICK   z_n > 0, |z_t| <= mu z_n      l = z, w = 0
    SLIDE   z_n > 0, |z_t| >  mu z_n      l_n = z_n,  l_t = mu z_n z_t / |z_t|
    residual = |l - P(z)| / r, a velocity

It is zero at solutions, and only there.
"""

import math

from ...data.contact_problem import BOX, FRICTION, LOWER, OPEN, SLIDE, STICK, UPPER, ContactIsland
from ...kernels import kernel

NOISE = 5e-14  # of the velocities in g: contacts that touch without need stay open, whatever rounding says


@kernel
def update_velocities(island: ContactIsland) -> None:
    """w = G l + g, afresh."""
    n, G, l, w = island.n, island.G, island.l, island.w
    for i in range(n):
        w[i] = island.g[i]
    for j in range(n):
        value, row = l[j], n * j
        if value != 0.0:
            for i in range(island.low[j], island.high[j]):
                w[i] += G[row + i] * value


@kernel
def find_residual(island: ContactIsland) -> float:
    """The largest residual of a contact, scaled as the island is."""
    worst = 0.0
    for c in range(island.m):
        found = residual_of(island, c)
        if not found <= worst:
            worst = found
            if found != found:
                return math.inf
    return worst


@kernel(inline=True)
def residual_of(island, c):
    """The residual of a contact."""
    i, kind, size = island.first[c], island.kind[c], island.normal_size[c]
    l, w = island.l[i], island.w[i]
    z = l - w / size
    if kind == BOX:
        z = min(max(z, island.lower[c]), island.upper[c])
        return abs(l - z) * size
    z = max(z, 0.0)
    found = abs(l - z) * size
    if kind == FRICTION:
        mu, size = island.mu[c], island.tangent_size[c]
        l1, l2 = island.l[i + 1], island.l[i + 2]
        z1, z2 = l1 - island.w[i + 1] / size, l2 - island.w[i + 2] / size
        square, most = z1 * z1 + z2 * z2, mu * z
        if square > most * most:
            share = most / math.sqrt(square)
            z1, z2 = z1 * share, z2 * share
        slip = math.sqrt((l1 - z1) * (l1 - z1) + (l2 - z2) * (l2 - z2)) * size
        found = max(found, slip) if slip == slip else slip
    return found


@kernel
def find_statuses(island: ContactIsland) -> None:
    """Statuses and directions at l and w; impulses are moved to what their status allows."""
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        z = island.l[i] - island.w[i] / island.normal_size[c]
        if kind == BOX:
            if z <= island.lower[c]:
                island.status[c], island.l[i] = LOWER, island.lower[c]
            elif z >= island.upper[c]:
                island.status[c], island.l[i] = UPPER, island.upper[c]
            else:
                island.status[c] = STICK
        elif z * island.normal_size[c] <= NOISE * island.velocity:
            island.status[c], island.l[i] = OPEN, 0.0
            if kind == FRICTION:
                island.l[i + 1] = island.l[i + 2] = 0.0
        else:
            island.status[c] = STICK
            if kind == FRICTION:
                _stick_or_slide(island, c, i, z)


@kernel(inline=True)
def _stick_or_slide(island, c, i, z):
    mu, size = island.mu[c], island.tangent_size[c]
    z1, z2 = island.l[i + 1] - island.w[i + 1] / size, island.l[i + 2] - island.w[i + 2] / size
    length = math.sqrt(z1 * z1 + z2 * z2)
    if length > mu * z or mu == 0.0:
        island.status[c] = SLIDE
        d1, d2 = (z1 / length, z2 / length) if length > 0.0 else (1.0, 0.0)
        island.direction[2 * c], island.direction[2 * c + 1] = d1, d2
        most = mu * max(island.l[i], 0.0)
        island.l[i + 1], island.l[i + 2] = most * d1, most * d2


@kernel
def move_into_cones(island: ContactIsland) -> None:
    """Normal impulses below zero become zero, those of friction beyond the cone are shortened: what is left of it is rounding, where the problem is solved."""
    for c in range(island.m):
        i = island.first[c]
        if island.kind[c] == BOX:
            island.l[i] = min(max(island.l[i], island.lower[c]), island.upper[c])
        else:
            island.l[i] = max(island.l[i], 0.0)
        if island.kind[c] == FRICTION:
            l1, l2, most = island.l[i + 1], island.l[i + 2], island.mu[c] * island.l[i]
            square = l1 * l1 + l2 * l2
            if square > most * most:
                share = most / math.sqrt(square)
                island.l[i + 1], island.l[i + 2] = l1 * share, l2 * share
