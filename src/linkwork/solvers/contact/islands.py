"""Islands: contacts that are coupled in G, directly or through others. Each is solved on its own, packed and scaled."""

import math

from ...data.contact_problem import BOX, FRICTION, ContactProblem
from ...kernels import kernel

FAR = 2.0**16


@kernel(inline=True)
def rows_of(kind):
    """Rows of a contact of this kind."""
    return 3 if kind == FRICTION else 1


@kernel
def find_islands(problem: ContactProblem) -> None:
    """The first contact of each contact's island (union-find; the root is always the first), and how many islands there are."""
    m, n, G, root = problem.m, problem.n, problem.G, problem.island_of
    for c in range(m):
        root[c] = c
    islands = m
    for c in range(1, m):
        for other in range(c):
            a, b = _root(root, c), _root(root, other)
            if a != b and _are_coupled(problem, G, n, c, other):
                root[max(a, b)] = min(a, b)
                islands -= 1
    for c in range(m):
        root[c] = _root(root, c)
    problem.islands = islands


@kernel(inline=True)
def _root(root, c):
    while root[c] != c:
        root[c] = root[root[c]]
        c = root[c]
    return c


@kernel(inline=True)
def _are_coupled(problem, G, n, c, other):
    for i in range(problem.first[c], problem.first[c] + rows_of(problem.kind[c])):
        for j in range(problem.first[other], problem.first[other] + rows_of(problem.kind[other])):
            if G[n * i + j] != 0.0 or G[n * j + i] != 0.0:
                return True
    return False


@kernel
def pack_island(problem: ContactProblem, root) -> None:
    """The contacts of an island to `problem.island`, with the present impulses."""
    island, n, row, at = problem.island, problem.n, 0, 0
    most, largest = 0.0, 1e-300
    for c in range(problem.m):
        if problem.island_of[c] == root:
            first, kind = problem.first[c], problem.kind[c]
            normal = problem.G[n * first + first]
            tangent = 0.0
            if kind == FRICTION:
                tangent = max(problem.G[(n + 1) * (first + 1)], problem.G[(n + 1) * (first + 2)])
            scale = _power_of_two(max(normal, tangent))
            largest = max(largest, scale)
            normal, tangent = normal / scale / scale, tangent / scale / scale
            island.member[at], island.kind[at], island.first[at] = c, kind, row
            island.scale[at], island.mu[at] = scale, problem.mu[c] if kind == FRICTION else 0.0
            island.normal_size[at] = normal if normal > 0.0 else 1.0
            island.tangent_size[at] = tangent if tangent > 0.0 else 1.0
            if kind == BOX:
                island.lower[at], island.upper[at] = problem.lower[c] * scale, problem.upper[c] * scale
                forced = max(max(island.lower[at], -island.upper[at]), 0.0)  # of the impulse, whatever moves
                most = max(most, forced * normal if forced < math.inf else 0.0)
            for k in range(rows_of(kind)):
                island.g[row + k] = problem.g[first + k] / scale
                guess = problem.l[first + k] * scale
                island.l[row + k] = guess if abs(guess) < math.inf else 0.0
                most = max(most, abs(island.g[row + k]))
            row += rows_of(kind)
            at += 1
    if most == 0.0:  # nothing moves, and nothing has to
        most = 1.0
        for k in range(row):
            island.l[k] = 0.0
    island.n, island.m, island.velocity, island.noise = row, at, most if most < math.inf else 1.0, problem.noise / largest
    for a in range(at):
        source, target, kind, scale = problem.first[island.member[a]], island.first[a], island.kind[a], island.scale[a]
        for k in range(rows_of(kind)):
            _pack_row(problem, island, n * (source + k), row * (target + k), 1.0 / scale)
            low, high = 0, row
            while low < target + k and island.G[row * (target + k) + low] == 0.0:
                low += 1
            while high > target + k + 1 and island.G[row * (target + k) + high - 1] == 0.0:
                high -= 1
            island.low[target + k], island.high[target + k] = low, high


@kernel(inline=True)
def _pack_row(problem, island, source, target, factor):
    """One row of G."""
    for b in range(island.m):
        other, at, share = source + problem.first[island.member[b]], target + island.first[b], factor / island.scale[b]
        island.G[at] = problem.G[other] * share
        if island.kind[b] == FRICTION:
            island.G[at + 1] = problem.G[other + 1] * share
            island.G[at + 2] = problem.G[other + 2] * share


@kernel
def unpack_island(problem: ContactProblem) -> None:
    """Impulses, velocities and statuses of the island to the problem."""
    island = problem.island
    for a in range(island.m):
        c, scale = island.member[a], island.scale[a]
        first, row = problem.first[c], island.first[a]
        problem.status[c] = island.status[a]
        for k in range(rows_of(island.kind[a])):
            problem.l[first + k] = island.l[row + k] / scale
            problem.w[first + k] = island.w[row + k] * scale


@kernel(inline=True)
def _power_of_two(x):
    """The power of two s for which x / s^2 is from 1 to 4: exact to multiply with. 1 for 0."""
    s = 1.0
    if 0.0 < x < math.inf:
        while x >= FAR * FAR:
            x, s = x / FAR / FAR, s * FAR
        while x * FAR * FAR < 1.0:
            x, s = x * FAR * FAR, s / FAR
        while x >= 4.0:
            x, s = x * 0.25, s * 2.0
        while x < 1.0:
            x, s = x * 4.0, s * 0.5
    return s
