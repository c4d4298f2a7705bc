"""Forces with steep slopes in velocity (strong dampers on light bodies), which Newton's matrix does not contain.

Let C = -dF/dv / 2. The correction ought to solve (J + C) eps = r, and the factor of J gives P r = J^-1 r (loops closed) in linear time. So

    (1 + P C) eps = P r         by GMRES (Saad and Schultz 1986), in the energy norm of the factor, C eps by a difference of forces

needs about as many steps as there are strong dampers. What forces change by, -C eps, is then put on the right side: the ordinary correction that
follows is the one wanted, that of Newton's method. (F(v + eps / h) - F(v) in its place is no slope: with friction, which saturates, corrections
would point nowhere near a solution, and no part of them be accepted.) Dampings of joints that J has on its diagonal already are not counted again.
"""

import math

from ...data.variational import KRYLOV
from ...kernels import kernel
from ...kernels.scalar import zero
from ...model.constraint_tables import has_constraints
from .force_calls import forces_shifted
from .loops import answer_rows
from .newton import corrections, innovations

ENOUGH = 1e-7  # of the right side; differences of forces are no better
TINY = 1e-7  # of the motion: the change of velocities for a difference of forces


@kernel
def _answer(model, run) -> None:
    """P w of the right side w in memory, with no momenta and no gaps, to the corrections."""
    o = zero(run)
    for i in range(model.n):
        run.links[i].p = o, o, o, o, o, o
    innovations(model, run)
    if has_constraints(model):
        answer_rows(model, run)
    corrections(model, run)


@kernel
def _dot(model, run, a, b) -> float:
    """In the energy norm: sum D a b."""
    total = 0.0
    for k in range(model.nv):
        total += a[k] * b[k] / abs(run.inverse[k])
    return total


@kernel
def foresee_forces(model, run) -> None:
    """By how much (h/2) F changes, by its slope, in the correction to come, to `run.shift`. Innovations of the present residual are in memory, and F.

    Momenta, right sides and gaps in memory are lost: the residual must be found again.
    """
    n, h, directions, g, eps, shift = model.nv, run.h, run.krylov.directions, run.krylov.g, run.correction, run.shift
    corrections(model, run)
    length = math.sqrt(_dot(model, run, eps, eps))
    _set_direction(directions[0].x, eps, length, n)
    g[0] = length
    step = TINY * math.sqrt(_dot(model, run, run.displacement, run.displacement) + length * length)
    count = 0
    while count < min(KRYLOV, n) and abs(g[count]) > ENOUGH * length:
        _next_direction(model, run, count, step)
        count += 1
    for back in range(count):
        i = count - 1 - back
        value = g[i]
        for j in range(i + 1, count):
            value -= directions[j].h[i] * g[j]
        g[i] = value / directions[i].h[i]
    for k in range(n):
        total = 0.0
        for j in range(count):
            total += g[j] * directions[j].x[k]
        eps[k] = total
    length = math.sqrt(_dot(model, run, eps, eps))
    part = step / length if length > 0.0 else 0.0
    forces_shifted(model, run, eps, part / h, shift)
    for k in range(n):
        slope = 0.5 * h * (shift[k] - run.force[k]) / part if part > 0.0 else 0.0
        shift[k] = slope + 0.5 * run.damping[k] * eps[k]


@kernel
def _next_direction(model, run, j, step) -> None:
    """Direction j + 1 = (1 + P C) times direction j, orthogonal to all before (Arnoldi); `step`: of the difference of forces."""
    n, directions = model.nv, run.krylov.directions
    direction, x, new = directions[j], directions[j].x, directions[j + 1].x
    forces_shifted(model, run, x, step / run.h, run.shift)
    for k in range(n):
        slope = 0.5 * run.h * (run.shift[k] - run.force[k]) / step
        run.right[k] = -slope - 0.5 * run.damping[k] * x[k]
    _answer(model, run)
    for k in range(n):
        new[k] = x[k] + run.correction[k]
    for i in range(j + 1):
        other = directions[i].x
        part = _dot(model, run, new, other)
        direction.h[i] = part
        for k in range(n):
            new[k] = new[k] - part * other[k]
    rest = math.sqrt(_dot(model, run, new, new))
    _set_direction(new, new, rest, n)
    _rotate(run.krylov, j, rest)


@kernel
def _set_direction(x, given, length, n) -> None:
    """x = given / length."""
    for k in range(n):
        x[k] = given[k] / length if length > 0.0 else 0.0


@kernel
def _rotate(krylov, j, rest) -> None:
    """Givens: the new column of the Hessenberg matrix becomes triangular, and the right side follows."""
    g, direction = krylov.g, krylov.directions[j]
    column = direction.h
    for i in range(j):
        c, s = krylov.directions[i].c, krylov.directions[i].s
        a, b = column[i], column[i + 1]
        column[i], column[i + 1] = c * a + s * b, c * b - s * a
    a = column[j]
    size = math.sqrt(a * a + rest * rest)
    c, s = (a / size, rest / size) if size > 0.0 else (1.0, 0.0)
    direction.c, direction.s = c, s
    column[j] = size
    g[j + 1] = -s * g[j]
    g[j] = c * g[j]
