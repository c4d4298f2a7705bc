r"""Newton's method on statuses: each contact is open, sticking, or sliding along a direction d, with equations of its own.

    STICK   w = 0                                             unknowns: changes of its impulses
    SLIDE   w_n = 0,  e.w_t = 0,  l_t = mu l_n d,  e normal to d     unknowns: dl_n along (1, mu d), s along e, which turns d by s / (mu l_n)

        n:  [G (n + mu d)] dl_n + [G e] s + others = -w_n
        e:  [G (n + mu d)] dl_n + [G e] s - (w_t.d) / (mu l_n) s + others = -e.w_t        the last term is positive while d opposes the slip

Rows of hyperstatic bodies are dependent. A share of the diagonal is added to the matrix, and the solution refined with the same factor: each correction
leaves share / (share + sigma) of the residual along a singular value sigma. Velocities come out to rounding, and along null vectors impulses keep what
they are: the least change from the last ones (the proximal point method). No rank is decided.

The first round adds next to nothing: where statuses are right, it solves the problem. Later rounds add the residual, relative to the velocities in g, as
Levenberg and Marquardt do: with wrong statuses the rows of a wall contradict each other, and a plain solve leaps.
"""

import math

from ...data.contact_problem import FRICTION, SLIDE, STICK, ContactIsland
from ...kernels import kernel
from .factor import factor_general, factor_symmetric, solve_general, solve_symmetric
from .natural_map import find_residual, find_statuses, update_velocities

LEAST_DAMPING = 1e-8  # of the diagonal
DAMPED, MOST_DAMPED = 1e-5, 0.1  # a damped round adds the residual by the velocities in g, within these, times its weight
IMMOBILE = 1e-14  # diagonal entries below it, where that of the contact is of order 1, are rounding
REFINEMENTS = 4
SLOW = 0.2
PATIENCE = 5  # rounds that do not halve the residual
POLISHED = 4e-15
NEAR = 1e-1  # of the velocities in g: a residual above it is not of the regularisation, but of statuses
FINE = 4e-15  # of the velocities in g: what refinement ends at


@kernel
def newton_rounds(island: ContactIsland, rounds, weight, tolerance, enough) -> None:
    """Rounds of Newton's method until the best residual is within the tolerance, or no longer falls: at once where it is `enough`, else after some patience."""
    stalled = 0
    for k in range(rounds):
        before = island.best_residual
        newton_round(island, weight if k > 0 else 0.0)
        if island.best_residual <= tolerance:
            if island.best_residual > POLISHED * island.velocity:
                newton_round(island, 0.0)
            return
        stalled = 0 if island.best_residual < 0.5 * before else stalled + 1
        if stalled == PATIENCE or (stalled > 0 and island.best_residual <= enough):
            return
        if k == 0 and stalled == 1:
            take_best(island)


@kernel
def newton_round(island: ContactIsland, weight) -> None:
    """Statuses, one linear solve, and refinement where the statuses were right; `best` is kept up to date."""
    island.rounds = island.rounds + 1
    find_statuses(island)
    update_velocities(island)
    residual = find_residual(island)
    island.damping = max(LEAST_DAMPING, weight * max(DAMPED, min(residual / island.velocity, MOST_DAMPED)))
    lay_unknowns(island)
    if island.unknowns > 0:
        fill_matrix(island)
        if not (factor_general(island) if island.sliding != 0 else factor_symmetric(island)):
            return
        _correct(island)
    update_velocities(island)
    residual = find_residual(island)
    keep_best(island, residual)
    for _ in range(REFINEMENTS):
        if island.unknowns == 0 or not FINE * island.velocity < residual <= NEAR * island.velocity:
            break
        _correct(island)
        update_velocities(island)
        before, residual = residual, find_residual(island)
        keep_best(island, residual)
        if residual > SLOW * before:
            break


@kernel
def keep_best(island: ContactIsland, residual) -> None:
    """Remember the impulses, if their residual is the least so far."""
    if residual < island.best_residual:
        island.best_residual = residual
        for i in range(island.n):
            island.best[i] = island.l[i]


@kernel
def take_best(island: ContactIsland) -> None:
    """Return to the impulses of the least residual."""
    for i in range(island.n):
        island.l[i] = island.best[i]
    update_velocities(island)
    island.residual = find_residual(island)


@kernel
def lay_unknowns(island: ContactIsland) -> None:
    """Number the unknowns of all contacts."""
    at, sliding = 0, 0
    for c in range(island.m):
        status, count = island.status[c], 0
        if status == STICK:
            count = 3 if island.kind[c] == FRICTION else 1
        elif status == SLIDE:
            turns = island.mu[c] > 0.0 and island.l[island.first[c]] > 0.0
            count = 2 if turns else 1
            if island.mu[c] > 0.0:
                sliding = 1
        island.unknown[c], island.count[c] = at, count
        at += count
    island.unknowns, island.sliding = at, sliding


@kernel
def fill_matrix(island: ContactIsland) -> None:
    """The matrix of the present statuses, regularised."""
    n, G, A, size = island.n, island.G, island.A, island.unknowns
    for c in range(island.m):
        i, at = island.first[c], island.unknown[c]
        for k in range(island.count[c]):
            if island.status[c] == SLIDE and k == 1:
                d1, d2 = island.direction[2 * c], island.direction[2 * c + 1]
                t1, t2 = n * (i + 1), n * (i + 2)
                for j in range(n):
                    island.line[j] = G[t2 + j] * d1 - G[t1 + j] * d2
                _fill_row(island, island.line, 0, size * (at + 1))
                base = island.tangent_size[c]
                slip = island.w[i + 1] * d1 + island.w[i + 2] * d2
                A[(size + 1) * (at + 1)] += max(-slip, 0.0) / (island.mu[c] * island.l[i])
            else:
                _fill_row(island, G, n * (i + k), size * (at + k))
                base = island.normal_size[c] if k == 0 else island.tangent_size[c]
            diagonal = A[(size + 1) * (at + k)]
            if island.sliding == 0 and diagonal <= IMMOBILE:
                A[(size + 1) * (at + k)] = math.inf
            else:
                A[(size + 1) * (at + k)] += island.damping * max(abs(diagonal), 1e-3 * base)


@kernel(inline=True)
def _fill_row(island, source, start, target):
    """One row, from numbers of all rows of the island."""
    A = island.A
    for b in range(island.m):
        j, to, status = start + island.first[b], target + island.unknown[b], island.status[b]
        if status == STICK:
            A[to] = source[j]
            if island.kind[b] == FRICTION:
                A[to + 1] = source[j + 1]
                A[to + 2] = source[j + 2]
        elif status == SLIDE:
            mu, d1, d2 = island.mu[b], island.direction[2 * b], island.direction[2 * b + 1]
            A[to] = source[j] + mu * (source[j + 1] * d1 + source[j + 2] * d2)
            if island.count[b] == 2:
                A[to + 1] = source[j + 2] * d1 - source[j + 1] * d2


@kernel
def _correct(island) -> None:
    """One correction of the impulses with the present factor."""
    x, w, l = island.x, island.w, island.l
    for c in range(island.m):
        i, at = island.first[c], island.unknown[c]
        for k in range(island.count[c]):
            if island.status[c] == SLIDE and k == 1:
                x[at + 1] = -(w[i + 2] * island.direction[2 * c] - w[i + 1] * island.direction[2 * c + 1])
            else:
                x[at + k] = -w[i + k]
    if island.sliding != 0:
        solve_general(island)
    else:
        solve_symmetric(island)
    for c in range(island.m):
        i, at, status = island.first[c], island.unknown[c], island.status[c]
        if status == STICK:
            for k in range(island.count[c]):
                l[i + k] += x[at + k]
        elif status == SLIDE:
            mu, d1, d2 = island.mu[c], island.direction[2 * c], island.direction[2 * c + 1]
            if island.count[c] == 2:
                along, across = mu * l[i], x[at + 1]
                length = math.sqrt(along * along + across * across)
                d1, d2 = (along * d1 - across * d2) / length, (along * d2 + across * d1) / length
                island.direction[2 * c], island.direction[2 * c + 1] = d1, d2
            l[i] += x[at]
            l[i + 1], l[i + 2] = mu * l[i] * d1, mu * l[i] * d2
