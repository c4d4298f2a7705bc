"""From a problem to its solution: islands one by one, each up the ladder of methods."""

import math

from ...data.contact_problem import (
    APPROXIMATE,
    EXACT,
    FAILED,
    INTERIOR,
    NEWTON,
    PROXIMAL,
    SLIDE,
    SWEEPS,
    UNSOLVED,
    WARM,
    ContactIsland,
    ContactProblem,
)
from ...kernels import kernel
from .interior_point import interior_point
from .islands import find_islands, pack_island, unpack_island
from .natural_map import find_residual, find_statuses, move_into_cones, residual_of, update_velocities
from .proximal import proximal_step
from .status_newton import keep_best, newton_rounds, take_best
from .sweeps import sweep

CERTIFIED = 1e-12  # of the velocities in g: the residual of impulses that need no solve
AIM = 2e-13  # of them: what the status Newton aims at
ENOUGH = 5e-12  # of them: what it may leave where it comes to a halt: rows that are all but dependent contradict each other by so much
SOLVED = 1e-10  # of them: the residual of a solution. Most have rounding; between these two are hyperstatic faces at their slip limit (decision 0024)
ROUNDING = 1e-15  # of the sum of impulses, which in a scaled island bounds what cancels in a velocity
MOST_ROUNDING = 1e-8  # of the velocities in g: impulses that are so large that more may cancel solve nothing
APPROXIMATELY = 1e-6  # of them: what the last turns aim at
REFUSED = 1e-4  # of them: more is no solution. Below it the run goes on, and the audit tells: 1e-4 of what gravity adds in a step, for a body at rest
INNER = 0.2  # of it: what is left for moving impulses onto their bounds
FIRST_ROUNDS, ROUNDS = 8, 12  # of the status Newton
RELAXED = 3.0  # each turn accepts a larger residual than the one before
FIRST_TURNS, TURNS, MOST_TURNS, FIRST_SWEEPS = 2, 6, 10, 15  # sweeps double from turn to turn; the last turns are for what would fail
PROXIMAL_STEPS, WEIGHT, LEAST_WEIGHT, MOST_WEIGHT = 30, 1e-2, 1e-6, 10.0


@kernel(entry="i -> i")
def solve_contacts(problem: ContactProblem) -> int:
    """Solve a problem (data/contact_problem.py). Returns EXACT, APPROXIMATE (the residual tells how well) or FAILED."""
    find_islands(problem)
    problem.residual, problem.worst, problem.rung, problem.rounds, problem.sweeps, problem.painleve = 0.0, -1, WARM, 0, 0, 0
    answer, island = EXACT, problem.island
    for root in range(problem.m):
        if problem.island_of[root] == root:
            pack_island(problem, root)
            found = solve_island(island)
            unpack_island(problem)
            answer = max(answer, found)
            problem.rung = max(problem.rung, island.rung)
            problem.rounds, problem.sweeps = problem.rounds + island.rounds, problem.sweeps + island.sweeps
            for c in range(island.m):
                residual = residual_of(island, c) * island.scale[c]
                residual = residual if residual == residual else math.inf
                if residual > problem.residual:
                    problem.residual, problem.worst = residual, island.member[c]
                if island.status[c] == SLIDE and _adds_approach(island, c):
                    problem.painleve = problem.painleve + 1
    return answer


@kernel(inline=True)
def _adds_approach(island, c):
    """G_nn + mu G_nt.d <= 0: is more normal impulse no way to stop this contact?"""
    at = (island.n + 1) * island.first[c]
    along = island.G[at + 1] * island.direction[2 * c] + island.G[at + 2] * island.direction[2 * c + 1]
    return island.G[at] + island.mu[c] * along <= 0.0


@kernel
def solve_island(island: ContactIsland) -> int:
    """The ladder for one island."""
    island.rounds, island.sweeps = 0, 0
    island.rung = _climb(island)
    _end(island)
    if island.residual > APPROXIMATELY * island.velocity:  # the first guess may be what leads nowhere
        before = island.residual
        for i in range(island.n):
            island.first_end[i], island.l[i] = island.l[i], 0.0
        island.rung = _climb(island)
        _end(island)
        if not island.residual < before:
            for i in range(island.n):
                island.best[i] = island.first_end[i]
            _end(island)
    if island.residual <= tolerance(island, SOLVED):
        island.rung = min(island.rung, PROXIMAL)
        return EXACT
    return APPROXIMATE if island.residual <= REFUSED * island.velocity else FAILED


@kernel
def _end(island: ContactIsland) -> None:
    """The best impulses, as their statuses and cones want them."""
    take_best(island)
    find_statuses(island)
    move_into_cones(island)
    update_velocities(island)
    island.residual = find_residual(island)


@kernel
def tolerance(island: ContactIsland, share) -> float:
    """A share of the velocities in g, and what rounding may add to it, in the solution and in g."""
    total = 0.0
    for i in range(island.n):
        total += abs(island.l[i])
    return share * island.velocity + min(ROUNDING * total, MOST_ROUNDING * island.velocity) + island.noise


@kernel(inline=True)
def _is_solved(island, share):
    return island.best_residual <= tolerance(island, share)


@kernel
def _climb(island) -> int:
    """Leaves the best impulses in `best`; returns the rung on which they were found."""
    n = island.n
    update_velocities(island)
    residual = find_residual(island)
    if residual > island.velocity:  # no impulses at all are nearer to the solution: the blow that the last step knew of is over
        for i in range(n):
            island.l[i] = 0.0
        update_velocities(island)
        residual = find_residual(island)
    island.best_residual = residual
    for i in range(n):
        island.best[i] = island.l[i]
        island.swept[i] = island.l[i]
    if residual <= CERTIFIED * island.velocity + island.noise:
        return WARM
    if not residual < math.inf:
        return UNSOLVED  # there is a number in it that is none
    newton_rounds(island, FIRST_ROUNDS, 1.0, tolerance(island, AIM), ENOUGH * island.velocity)
    if _is_solved(island, ENOUGH):
        return NEWTON
    for turn in range(FIRST_TURNS):
        if _swept(island, turn):
            return SWEEPS
    for every in range(1, 3):
        interior_point(island, tolerance(island, AIM), every)
        newton_rounds(island, ROUNDS, 1.0, tolerance(island, AIM), 0.0)
        if _is_solved(island, INNER * SOLVED):
            return INTERIOR
    for turn in range(FIRST_TURNS, TURNS):
        if _swept(island, turn):
            return SWEEPS
    if _proximal(island):
        return PROXIMAL
    for turn in range(TURNS, MOST_TURNS):
        if island.best_residual <= INNER * APPROXIMATELY * island.velocity:
            break
        if _swept(island, turn):
            return SWEEPS
    return UNSOLVED


@kernel
def _proximal(island) -> bool:
    """Proximal steps from the best impulses, with weights that fall while they succeed. Solved?"""
    take_best(island)
    weight = WEIGHT
    for _ in range(PROXIMAL_STEPS):
        before = island.residual
        solved = proximal_step(island, weight)
        keep_best(island, island.residual)
        if _is_solved(island, INNER * SOLVED):
            return True
        if not solved:
            weight = min(weight * 10.0, MOST_WEIGHT)
        elif island.residual > 0.1 * before:
            weight = max(weight * 0.2, LEAST_WEIGHT)
    return False


@kernel
def _swept(island, turn) -> bool:
    """Gauss-Seidel from where it was last, then the status Newton from there. Solved?"""
    n = island.n
    for i in range(n):
        island.l[i] = island.swept[i]
    update_velocities(island)
    find_statuses(island)
    update_velocities(island)
    for _ in range(FIRST_SWEEPS << turn):
        sweep(island)
    for i in range(n):
        island.swept[i] = island.l[i]
    update_velocities(island)
    keep_best(island, find_residual(island))
    newton_rounds(island, ROUNDS, 1.0 if turn % 2 == 0 else 10.0, tolerance(island, AIM), 0.0)
    return _is_solved(island, min(AIM * RELAXED**turn, INNER * SOLVED))
