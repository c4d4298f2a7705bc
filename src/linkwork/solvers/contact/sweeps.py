"""Gauss-Seidel: contact by contact, each solved exactly with all others held."""

from ...data.contact_problem import BOX, FRICTION, SLIDE, ContactIsland
from ...kernels import kernel
from .one_contact import solve_one


@kernel
def sweep(island: ContactIsland) -> None:
    """One sweep over all contacts; w = G l + g is kept up to date."""
    island.sweeps = island.sweeps + 1
    for c in range(island.m):
        if island.kind[c] == FRICTION:
            _sweep_friction(island, c)
        else:
            i = island.first[c]
            size = island.G[(island.n + 1) * i]
            if size > 0.0:
                value = island.l[i] - island.w[i] / size
                value = min(max(value, island.lower[c]), island.upper[c]) if island.kind[c] == BOX else max(value, 0.0)
                _change(island, i, value)


@kernel
def _sweep_friction(island, c) -> None:
    i, n, G, l, w = island.first[c], island.n, island.G, island.l, island.w
    at = n * i + i
    nn, n1, n2, t11, t12, t22 = G[at], G[at + 1], G[at + 2], G[at + n + 1], G[at + n + 2], G[at + 2 * n + 2]
    ln, l1, l2 = l[i], l[i + 1], l[i + 2]
    bn = w[i] - (nn * ln + n1 * l1 + n2 * l2)
    b1 = w[i + 1] - (n1 * ln + t11 * l1 + t12 * l2)
    b2 = w[i + 2] - (n2 * ln + t12 * l1 + t22 * l2)
    d1, d2 = 0.0, 0.0
    if island.status[c] == SLIDE:
        d1, d2 = island.direction[2 * c], island.direction[2 * c + 1]
    if nn > 0.0:
        ln, l1, l2, status, d1, d2 = solve_one(nn, n1, n2, t11, t12, t22, bn, b1, b2, island.mu[c], d1, d2)
        if status >= 0.0:
            island.status[c] = int(status)
            island.direction[2 * c], island.direction[2 * c + 1] = d1, d2
            _change(island, i, ln)
            _change(island, i + 1, l1)
            _change(island, i + 2, l2)


@kernel(inline=True)
def _change(island, i, value):
    """Give one impulse a value, and add what it changes to w."""
    change, n, G, w = value - island.l[i], island.n, island.G, island.w
    island.l[i] = value
    if change != 0.0:
        for k in range(island.low[i], island.high[i]):
            w[k] += G[n * i + k] * change
