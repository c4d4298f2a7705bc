r"""An interior-point method: where Newton's method on statuses alternates, impulses in the middle of all solutions, from which statuses can be read.

In a wall or an arch the solutions are many, and those of least change need not be inside the cones: statuses are then changed one after the other without
end. An interior point of the cones has no statuses. With x = (mu l_n, l_t), u = (w_n / mu + |w_t|, w_t), both in the Lorentz cone x_0 >= |x_12| (de Saxce's
form of Coulomb's law; UNILATERAL: x = l, u = w, numbers from 0 on),

    u = G x + g + |u_12| e_0,       x o u = 0,      o: (a.b, a_0 b_12 + b_0 a_12)

is followed along x o u = tau e from large tau to 0 (Mehrotra's predictor and corrector, scaling of Nesterov and Todd; Vandenberghe 2010, Acary and others
2023). W is the symmetric matrix with W x = W^-1 u = lambda; with dx, du for the changes and r for what the equation lacks

    G dx + r = du,      lambda o (W dx + W^-1 du) = -lambda o lambda - (W dx') o (W^-1 du') + sigma tau e      (', sigma: of the predictor)

with the derivative of |u_12|, d.du_12, d the direction of the slip: T adds d.(rows of the tangents) to the row of the normal, and

    (T G + W^2) dx = W (lambda \ right side) - T r

With |u_12| of the last round instead, the matrix is symmetric, but faces that slide at their limit are found by halves only. A BOX has a multiplier at each
of its bounds.
"""

import math

from ...data.contact_problem import BOX, FRICTION, ContactIsland
from ...kernels import kernel
from .factor import factor_general, solve_general
from .natural_map import find_residual, update_velocities
from .status_newton import keep_best

ROUNDS = 60
LEAST_FRICTION = 1e-3  # cones that are narrower are taken to be so wide: Newton's method, which follows, knows better
REGULARISED = 1e-12  # of the diagonal: rows of hyperstatic bodies are dependent, and W goes to 0 where they stick
INSIDE = 0.99  # of the way to the boundary of the cones
LAST = 1e-20  # of the first complementarity: what is left of it is rounding
SHORTEST = 1e-8  # a step that is shorter leads nowhere
BOUNDLESS = (
    1e9  # times the velocities in g, which in a scaled island are of the size of impulses: they grow without end where there is no solution
)
REFINEMENTS = 1
FIRST_LOOK = 6  # rounds before which no solution is expected


@kernel
def interior_point(island: ContactIsland, tolerance, every) -> None:
    """Rounds until the residual is within the tolerance or the path ends; impulses at its end to `l`, those of the least residual to `best`.

    every: the derivative of |u_12| is taken in one round of so many. Slips that come and go turn d by large angles: where the path ends early with it, it
    may go on without.
    """
    p = island.interior
    first = _begin(island)
    for k in range(ROUNDS):
        gap = _lay_residuals(island, k % every == 0)
        if not gap > LAST * first:
            break
        _scale(island)
        if not _factor(island):
            break
        _lay_predictor(island)
        _solve(island)
        way = min(1.0, _longest_step(island))
        _lay_corrector(island, (1.0 - way) * (1.0 - way) * (1.0 - way) * gap)
        _solve(island)
        way = min(1.0, INSIDE * _longest_step(island))
        if not way > SHORTEST:
            break
        most = 0.0
        for i in range(island.n):
            p.x[i], p.u[i] = p.x[i] + way * p.dx[i], p.u[i] + way * p.du[i]
            most = max(most, abs(p.x[i]))
        if not most < BOUNDLESS * island.velocity:
            return
        for c in range(island.m):
            p.v[c] = p.v[c] + way * p.dv[c]
        if k >= FIRST_LOOK:
            _take_impulses(island)
            keep_best(island, find_residual(island))
            if island.best_residual <= tolerance:
                return
    _take_impulses(island)
    keep_best(island, find_residual(island))


@kernel(inline=True)
def _unit(island, c, k):
    """x = l / unit, u = w * unit, for row k of contact c."""
    return 1.0 / max(island.mu[c], LEAST_FRICTION) if island.kind[c] == FRICTION and k == 0 else 1.0


@kernel
def _begin(island) -> float:
    """x and u on the axes of their cones, of the size of the velocities in g; multipliers of bounds likewise. Returns their complementarity."""
    p, speed, total = island.interior, island.velocity, 0.0
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        p.v[c] = p.dv[c] = 0.0
        size = max(island.normal_size[c] * _unit(island, c, 0) * _unit(island, c, 0), island.tangent_size[c] if kind == FRICTION else 0.0)
        p.x[i], p.u[i] = speed / size, speed
        if kind == FRICTION:
            p.x[i + 1] = p.x[i + 2] = p.u[i + 1] = p.u[i + 2] = 0.0
        elif kind == BOX:
            lower, upper = island.lower[c], island.upper[c]
            if lower > -math.inf and upper < math.inf:
                p.x[i] = 0.5 * (lower + upper)
            else:
                p.x[i] = lower + speed / size if lower > -math.inf else upper - speed / size if upper < math.inf else 0.0
            p.u[i] = speed if lower > -math.inf and upper > lower else 0.0
            p.v[c] = speed if upper < math.inf and upper > lower else 0.0
        total += speed * speed / size
    return total


@kernel
def _take_impulses(island) -> None:
    """x as impulses, and their velocities."""
    for c in range(island.m):
        i = island.first[c]
        island.l[i] = island.interior.x[i] * _unit(island, c, 0)
        if island.kind[c] == FRICTION:
            island.l[i + 1], island.l[i + 2] = island.interior.x[i + 1], island.interior.x[i + 2]
    update_velocities(island)


@kernel
def _lay_residuals(island, turning) -> float:
    """T r with r = G x + g + |u_12| e_0 - u; returns the mean complementarity of the contacts. turning: T, else 1 in its place."""
    p, gap = island.interior, 0.0
    _take_impulses(island)
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        if kind == BOX:
            p.r[i] = island.w[i] - p.u[i] + p.v[c]
            if p.u[i] > 0.0:
                gap += p.u[i] * (p.x[i] - island.lower[c])
            if p.v[c] > 0.0:
                gap += p.v[c] * (island.upper[c] - p.x[i])
        else:
            p.r[i] = island.w[i] * _unit(island, c, 0) - p.u[i]
            gap += p.x[i] * p.u[i]
            if kind == FRICTION:
                slip = math.sqrt(p.u[i + 1] * p.u[i + 1] + p.u[i + 2] * p.u[i + 2])
                p.r[i] += slip
                for k in range(1, 3):
                    p.r[i + k] = island.w[i + k] - p.u[i + k]
                    gap += p.x[i + k] * p.u[i + k]
                    along = p.u[i + k] / slip if turning and slip > 0.0 else 0.0
                    p.along[2 * c + k - 1] = along
                    p.r[i] += along * p.r[i + k]
    return gap / island.m


@kernel(inline=True)
def _determinant(x, i):
    """x_0^2 - |x_12|^2, without cancellation."""
    length = math.sqrt(x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2])
    return max((x[i] - length) * (x[i] + length), 1e-300)


@kernel
def _scale(island) -> None:
    """W = eta (w as a Lorentz boost), and lambda = W x."""
    p = island.interior
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        if kind == FRICTION:
            dx, du = math.sqrt(_determinant(p.x, i)), math.sqrt(_determinant(p.u, i))
            cosine = (p.x[i] * p.u[i] + p.x[i + 1] * p.u[i + 1] + p.x[i + 2] * p.u[i + 2]) / dx / du
            share = 1.0 / (2.0 * math.sqrt(0.5 * (1.0 + cosine)))
            p.eta[c] = math.sqrt(du / dx)
            p.w[i] = share * (p.u[i] / du + p.x[i] / dx)
            for k in range(1, 3):
                p.w[i + k] = share * (p.u[i + k] / du - p.x[i + k] / dx)
            _boost(island, c, 1.0, p.x, p.scaled)
        elif kind != BOX:
            p.eta[c] = math.sqrt(p.u[i] / p.x[i])
            p.scaled[i] = math.sqrt(p.u[i] * p.x[i])


@kernel(inline=True)
def _boost(island, c, sign, source, target):
    """W of a vector of contact c, sign 1; W^-1, sign -1."""
    p, i = island.interior, island.first[c]
    eta = p.eta[c] if sign > 0.0 else 1.0 / p.eta[c]
    w0, w1, w2 = p.w[i], sign * p.w[i + 1], sign * p.w[i + 2]
    a, b1, b2 = source[i], source[i + 1], source[i + 2]
    along = w1 * b1 + w2 * b2
    share = a + along / (1.0 + w0)
    target[i], target[i + 1], target[i + 2] = eta * (w0 * a + along), eta * (b1 + share * w1), eta * (b2 + share * w2)


@kernel
def _factor(island) -> bool:
    """The factor of T G + W^2."""
    p, n, A, G = island.interior, island.n, island.A, island.G
    island.unknowns = n
    for c in range(island.m):
        i = island.first[c]
        for k in range(3 if island.kind[c] == FRICTION else 1):
            row, unit = n * (i + k), _unit(island, c, k)
            for other in range(island.m):
                j, share = island.first[other], unit * _unit(island, other, 0)
                A[row + j] = G[row + j] * share
                if island.kind[other] == FRICTION:
                    A[row + j + 1], A[row + j + 2] = G[row + j + 1] * unit, G[row + j + 2] * unit
        size = A[(n + 1) * i]
        if island.kind[c] == FRICTION:
            for k in range(1, 3):
                along, row = p.along[2 * c + k - 1], n * (i + k)
                if along != 0.0:
                    for j in range(n):
                        A[n * i + j] += along * A[row + j]
                A[row + i + k] *= 1.0 + REGULARISED
        A[(n + 1) * i] += REGULARISED * size
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        at = (n + 1) * i
        if kind == FRICTION:
            square = p.eta[c] * p.eta[c]
            w0, w1, w2 = p.w[i], p.w[i + 1], p.w[i + 2]
            A[at] += square * (2.0 * w0 * w0 - 1.0)
            A[at + 1] += square * 2.0 * w0 * w1
            A[at + 2] += square * 2.0 * w0 * w2
            A[at + n] += square * 2.0 * w0 * w1
            A[at + n + 1] += square * (2.0 * w1 * w1 + 1.0)
            A[at + n + 2] += square * 2.0 * w1 * w2
            A[at + 2 * n] += square * 2.0 * w0 * w2
            A[at + 2 * n + 1] += square * 2.0 * w1 * w2
            A[at + 2 * n + 2] += square * (2.0 * w2 * w2 + 1.0)
        elif kind == BOX:
            if not island.upper[c] > island.lower[c]:  # it stays where it is
                for j in range(n):
                    A[n * i + j] = 0.0
                A[at] = 1.0
            if p.u[i] > 0.0:
                A[at] += p.u[i] / (p.x[i] - island.lower[c])
            if p.v[c] > 0.0:
                A[at] += p.v[c] / (island.upper[c] - p.x[i])
        else:
            A[at] += p.u[i] / p.x[i]
    return factor_general(island)


@kernel
def _lay_predictor(island) -> None:
    """-lambda o lambda, for tau = 0."""
    p, s = island.interior, island.interior.scaled
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        p.target[c] = 0.0
        if kind == FRICTION:
            p.right[i] = -(s[i] * s[i] + s[i + 1] * s[i + 1] + s[i + 2] * s[i + 2])
            p.right[i + 1], p.right[i + 2] = -2.0 * s[i] * s[i + 1], -2.0 * s[i] * s[i + 2]
        elif kind != BOX:
            p.right[i] = -s[i] * s[i]
        else:
            p.right[i] = p.lower_product[c] = p.upper_product[c] = 0.0


@kernel
def _lay_corrector(island, tau) -> None:
    """The same with tau, and what the predictor's step leaves of second order. dx and du hold W dx and W^-1 du afterwards."""
    p = island.interior
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        p.target[c] = tau
        if kind == FRICTION:
            _boost(island, c, 1.0, p.dx, p.dx)
            _boost(island, c, -1.0, p.du, p.du)
            a, b = p.dx, p.du
            p.right[i] += tau - (a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2])
            p.right[i + 1] -= a[i] * b[i + 1] + b[i] * a[i + 1]
            p.right[i + 2] -= a[i] * b[i + 2] + b[i] * a[i + 2]
        elif kind != BOX:
            p.right[i] += tau - p.dx[i] * p.du[i]
        else:
            p.lower_product[c], p.upper_product[c] = p.dx[i] * p.du[i], -p.dx[i] * p.dv[c]


@kernel
def _solve(island) -> None:
    """dx and du of the present right sides."""
    p, s, x = island.interior, island.interior.scaled, island.x
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        if kind == FRICTION:  # W (lambda \ right side)
            a, b1, b2 = p.right[i], p.right[i + 1], p.right[i + 2]
            first = (s[i] * a - s[i + 1] * b1 - s[i + 2] * b2) / _determinant(s, i)
            p.du[i], p.du[i + 1], p.du[i + 2] = first, (b1 - first * s[i + 1]) / s[i], (b2 - first * s[i + 2]) / s[i]
            _boost(island, c, 1.0, p.du, p.du)
            for k in range(3):
                x[i + k] = p.du[i + k] - p.r[i + k]
        elif kind != BOX:
            p.du[i] = p.right[i] / p.x[i]
            x[i] = p.du[i] - p.r[i]
        else:
            x[i] = -p.r[i] if island.upper[c] > island.lower[c] else 0.0
            if p.u[i] > 0.0:
                x[i] += (p.target[c] - p.lower_product[c]) / (p.x[i] - island.lower[c]) - p.u[i]
            if p.v[c] > 0.0:
                x[i] -= (p.target[c] - p.upper_product[c]) / (island.upper[c] - p.x[i]) - p.v[c]
    for i in range(island.n):
        p.given[i] = x[i]
    solve_general(island)
    for i in range(island.n):
        p.dx[i] = x[i]
    for _ in range(REFINEMENTS):
        _lay_lack(island)
        solve_general(island)
        for i in range(island.n):
            p.dx[i] += x[i]
            x[i] = p.dx[i]
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        if kind == FRICTION:
            w, square = p.w, p.eta[c] * p.eta[c]
            along = 2.0 * (w[i] * x[i] + w[i + 1] * x[i + 1] + w[i + 2] * x[i + 2])
            p.du[i] -= square * (along * w[i] - x[i])
            for k in range(1, 3):
                p.du[i + k] -= square * (along * w[i + k] + x[i + k])
        elif kind != BOX:
            p.du[i] -= p.u[i] / p.x[i] * x[i]
        else:
            p.du[i] = p.dv[c] = 0.0
            if p.u[i] > 0.0:
                p.du[i] = (p.target[c] - p.lower_product[c] - p.u[i] * x[i]) / (p.x[i] - island.lower[c]) - p.u[i]
            if p.v[c] > 0.0:
                p.dv[c] = (p.target[c] - p.upper_product[c] + p.v[c] * x[i]) / (island.upper[c] - p.x[i]) - p.v[c]


@kernel
def _lay_lack(island) -> None:
    """What the equation of dx lacks: the factor is that of a regularised matrix."""
    p, n, G, x = island.interior, island.n, island.G, island.x
    for i in range(n):
        x[i] = 0.0
    for c in range(island.m):
        for k in range(3 if island.kind[c] == FRICTION else 1):
            row, change = n * (island.first[c] + k), p.dx[island.first[c] + k] * _unit(island, c, k)
            if change != 0.0:
                for i in range(n):
                    x[i] += G[row + i] * change
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        moved = x[i] * _unit(island, c, 0)
        if kind == FRICTION:
            moved += p.along[2 * c] * x[i + 1] + p.along[2 * c + 1] * x[i + 2]
        x[i] = p.given[i] - moved
        if kind == FRICTION:
            w, d, square = p.w, p.dx, p.eta[c] * p.eta[c]
            along = 2.0 * (w[i] * d[i] + w[i + 1] * d[i + 1] + w[i + 2] * d[i + 2])
            x[i] -= square * (along * w[i] - d[i])
            for k in range(1, 3):
                x[i + k] = p.given[i + k] - x[i + k] - square * (along * w[i + k] + d[i + k])
        elif kind != BOX:
            x[i] -= p.u[i] / p.x[i] * p.dx[i]
        elif not island.upper[c] > island.lower[c]:
            x[i] = 0.0
        else:
            if p.u[i] > 0.0:
                x[i] -= p.u[i] / (p.x[i] - island.lower[c]) * p.dx[i]
            if p.v[c] > 0.0:
                x[i] -= p.v[c] / (island.upper[c] - p.x[i]) * p.dx[i]


@kernel
def _longest_step(island) -> float:
    """How far all stay in their cones and bounds."""
    p, way = island.interior, math.inf
    for c in range(island.m):
        i, kind = island.first[c], island.kind[c]
        if kind == FRICTION:
            way = min(way, min(_step_in_cone(p.x, p.dx, i), _step_in_cone(p.u, p.du, i)))
        elif kind != BOX:
            way = min(way, min(_step_to(p.x[i], p.dx[i]), _step_to(p.u[i], p.du[i])))
        else:
            if p.u[i] > 0.0:
                way = min(way, min(_step_to(p.x[i] - island.lower[c], p.dx[i]), _step_to(p.u[i], p.du[i])))
            if p.v[c] > 0.0:
                way = min(way, min(_step_to(island.upper[c] - p.x[i], -p.dx[i]), _step_to(p.v[c], p.dv[c])))
    return way


@kernel(inline=True)
def _step_to(x, d):
    return -x / d if d < 0.0 else math.inf


@kernel(inline=True)
def _step_in_cone(x, d, i):
    """The least positive root of  a t^2 + 2 b t + c,  the determinant of x + t d, and of its first component."""
    way = _step_to(x[i], d[i])
    a = d[i] * d[i] - d[i + 1] * d[i + 1] - d[i + 2] * d[i + 2]
    b = x[i] * d[i] - x[i + 1] * d[i + 1] - x[i + 2] * d[i + 2]
    c = _determinant(x, i)
    root = b * b - a * c
    if root >= 0.0 and (a < 0.0 or b < 0.0):
        denominator = math.sqrt(root) - b
        if denominator > 0.0:
            way = min(way, c / denominator)
    return way
