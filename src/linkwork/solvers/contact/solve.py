"""From a problem to its solution: islands one by one, each up the ladder of methods."""

from ...data.contact_problem import APPROXIMATE, EXACT, FAILED, SWEEPS, UNSOLVED, WARM, ContactIsland, ContactProblem
from ...kernels import kernel
from .islands import find_islands, pack_island, unpack_island
from .natural_map import find_residual, find_statuses, residual_of, update_velocities
from .sweeps import sweep

SOLVED = 1e-12  # of the velocities in g: the residual of a solution
APPROXIMATELY = 1e-6
MOST_SWEEPS = 20000


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
                if not residual <= problem.residual:
                    problem.residual, problem.worst = residual, island.member[c]
    return answer


@kernel
def solve_island(island: ContactIsland) -> int:
    """The ladder for one island."""
    island.rounds, island.sweeps, island.rung = 0, 0, WARM
    update_velocities(island)
    for _ in range(MOST_SWEEPS):
        island.residual = find_residual(island)
        if island.residual <= SOLVED * island.velocity:
            break
        island.rung = SWEEPS
        sweep(island)
    find_statuses(island)
    update_velocities(island)
    island.residual = find_residual(island)
    if island.residual <= SOLVED * island.velocity:
        return EXACT
    island.rung = UNSOLVED
    return APPROXIMATE if island.residual <= APPROXIMATELY * island.velocity else FAILED
