"""The proximal point method, for problems on which statuses alternate: (G + eps D) l + g - eps D center, D the diagonal of G, has a unique answer nearby; its
solution is the next center.
"""

import math

from ...data.contact_problem import ContactIsland
from ...kernels import kernel
from .natural_map import find_residual, update_velocities
from .status_newton import newton_rounds
from .sweeps import sweep

ROUNDS, SWEEPS = 12, 30
SOLVED = 2e-12  # of the velocities in g


@kernel
def proximal_step(island: ContactIsland, weight) -> bool:
    """Impulses that solve the problem near the present ones, and become the next center. False: not solved, they are unchanged."""
    n, G = island.n, island.G
    best = island.best_residual
    for i in range(n):
        island.center[i], island.given[i] = island.l[i], island.g[i]
        island.diagonal[i] = G[(n + 1) * i]
        added = weight * island.diagonal[i]
        G[(n + 1) * i] += added
        island.g[i] -= added * island.l[i]
        island.y[i] = island.best[i]
    island.best_residual = math.inf
    solved = _solve(island)
    for i in range(n):
        island.l[i] = island.best[i] if solved else island.center[i]
        island.best[i], island.g[i] = island.y[i], island.given[i]
        G[(n + 1) * i] = island.diagonal[i]
    island.best_residual = best
    update_velocities(island)
    island.residual = find_residual(island)
    return solved


@kernel
def _solve(island) -> bool:
    """The status Newton, sweeps, and the status Newton again."""
    for k in range(2):
        if k == 1:
            for i in range(island.n):
                island.l[i] = island.center[i]
            update_velocities(island)
            for _ in range(SWEEPS):
                sweep(island)
        newton_rounds(island, ROUNDS, 1.0, SOLVED * island.velocity, 0.0)
        if island.best_residual <= SOLVED * island.velocity:
            return True
    return False
