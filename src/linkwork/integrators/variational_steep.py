"""Forces with steep slopes in velocity (strong dampers on light bodies), which Newton's matrix does not contain.

Let C = -dF/dv / 2. The correction ought to solve (J + C) eps = r, and the factor of J gives P r = J^-1 r (loops closed) in linear time. So

    (1 + P C) eps = P r         by GMRES (Saad and Schultz 1986), in the energy norm of the factor, C eps by a difference of forces

needs about as many steps as there are strong dampers. Forces then change by  F(v + eps / h) - F(v), which is put on the right side: the ordinary
correction that follows is the one wanted. Dampings of joints that J has on its diagonal already are not counted again.

Memory, behind that of rows: basis [KRYLOV + 1, nv] | Hessenberg matrix by columns [KRYLOV + 1 each] | rotations [2 KRYLOV] | right side [KRYLOV + 1]
"""

import math

from ..kernels import kernel
from ..model.rules import has_rules
from ..model.tables import count_links, count_v, open_tables
from ..spatial.vectors import store6
from .variational_calls import VariationalRecord, call_forces, workspaces
from .variational_loops import answer_rows
from .variational_memory import (
    L_P,
    P_DAMPING,
    P_DELTA,
    P_EPS,
    P_FORCE,
    P_INVERSE,
    P_RIGHT,
    P_SHIFT,
    STRIDE,
    at_chain,
    at_mean,
    at_vector,
    end_slots,
    start_slots,
)
from .variational_newton import corrections, innovations
from .variational_rows import row_slots

KRYLOV = 40  # directions at most
ENOUGH = 1e-7  # of the right side; differences of forces are no better
TINY = 1e-7  # of the motion: the change of velocities for a difference of forces


@kernel(inline=True)
def at_basis(handle):
    """From the workspace `start` on."""
    t = open_tables(handle)
    return start_slots(t) + end_slots(t) + (row_slots(handle) if has_rules(handle) else 0)


@kernel(entry="i -> i")
def run_slots(handle) -> int:
    """All that a run needs behind the workspace of the tree."""
    return at_basis(handle) + (KRYLOV + 1) * (count_v(open_tables(handle)) + KRYLOV + 1) + 3 * KRYLOV + 8


@kernel
def _forces_beside(run: VariationalRecord, at_direction, size, target) -> None:
    """F(q_0, vm + size times a direction, t_0) to the slots `target`.. The mean velocities stand in `end`, and again when this returns."""
    t = open_tables(run.model)
    start, end = workspaces(run)
    mean, n = at_mean(t), count_v(t)
    for k in range(n):
        end[mean + k] += size * start[at_direction + k]
    call_forces(run, start, end, mean, run.time, target)
    for k in range(n):
        end[mean + k] -= size * start[at_direction + k]


@kernel
def _answer(run: VariationalRecord) -> None:
    """P w of the right side w in P_RIGHT, with no momenta and no gaps, to P_EPS."""
    t, o = open_tables(run.model), 0.0
    start, end = workspaces(run)
    for i in range(count_links(t)):
        store6(start, at_chain(t) + STRIDE * i + L_P, (o, o, o, o, o, o))
    innovations(run.model, start, o)
    if has_rules(run.model):
        answer_rows(run)
    corrections(run.model, start, end, o)


@kernel
def _dot(start, a, b, inverses, n) -> float:
    """In the energy norm: sum D a b."""
    total = 0.0
    for k in range(n):
        total += start[a + k] * start[b + k] / abs(start[inverses + k])
    return total


@kernel
def foresee_forces(run: VariationalRecord) -> None:
    """By how much (h/2) F changes in the correction to come, to P_SHIFT. Innovations of the present residual are in memory, F in P_FORCE.

    Momenta, right sides and gaps in memory are lost: the residual must be found again.
    """
    t, h = open_tables(run.model), run.h
    start, end = workspaces(run)
    n, V = count_v(t), at_basis(run.model)
    H = V + (KRYLOV + 1) * n
    turns, g = H + (KRYLOV + 1) * KRYLOV, H + (KRYLOV + 1) * KRYLOV + 2 * KRYLOV
    eps, right, inverses, deltas = at_vector(t, P_EPS), at_vector(t, P_RIGHT), at_vector(t, P_INVERSE), at_vector(t, P_DELTA)
    force, shift, dampings = at_vector(t, P_FORCE), at_vector(t, P_SHIFT), at_vector(t, P_DAMPING)
    corrections(run.model, start, end, 0.0)
    length = math.sqrt(_dot(start, eps, eps, inverses, n))
    for k in range(n):
        start[V + k] = start[eps + k] / length if length > 0.0 else 0.0
    start[g] = length
    step = TINY * math.sqrt(_dot(start, deltas, deltas, inverses, n) + length * length)
    count = 0
    while count < min(KRYLOV, n) and abs(start[g + count]) > ENOUGH * length:
        j = count
        _forces_beside(run, V + n * j, step / h, shift)
        for k in range(n):
            slope = 0.5 * h * (start[shift + k] - start[force + k]) / step
            start[right + k] = -slope - 0.5 * start[dampings + k] * start[V + n * j + k]
        _answer(run)
        new, column = V + n * (j + 1), H + (KRYLOV + 1) * j
        for k in range(n):
            start[new + k] = start[V + n * j + k] + start[eps + k]
        for i in range(j + 1):
            part = _dot(start, new, V + n * i, inverses, n)
            start[column + i] = part
            for k in range(n):
                start[new + k] -= part * start[V + n * i + k]
        rest = math.sqrt(_dot(start, new, new, inverses, n))
        for k in range(n):
            start[new + k] = start[new + k] / rest if rest > 0.0 else 0.0
        _rotate(start, column, turns, g, j, rest)
        count += 1
    for back in range(count):
        i = count - 1 - back
        value = start[g + i]
        for j in range(i + 1, count):
            value -= start[H + (KRYLOV + 1) * j + i] * start[g + j]
        start[g + i] = value / start[H + (KRYLOV + 1) * i + i]
    for k in range(n):
        total = 0.0
        for j in range(count):
            total += start[g + j] * start[V + n * j + k]
        start[eps + k] = total
    _forces_beside(run, eps, 1.0 / h, shift)
    for k in range(n):
        start[shift + k] = 0.5 * h * (start[shift + k] - start[force + k]) + 0.5 * start[dampings + k] * start[eps + k]


@kernel
def _rotate(start, column, turns, g, j, rest) -> None:
    """Givens: the new column of the Hessenberg matrix becomes triangular, and the right side follows."""
    for i in range(j):
        c, s = start[turns + 2 * i], start[turns + 2 * i + 1]
        a, b = start[column + i], start[column + i + 1]
        start[column + i], start[column + i + 1] = c * a + s * b, c * b - s * a
    a = start[column + j]
    size = math.sqrt(a * a + rest * rest)
    c, s = (a / size, rest / size) if size > 0.0 else (1.0, 0.0)
    start[turns + 2 * j], start[turns + 2 * j + 1] = c, s
    start[column + j] = size
    start[g + j + 1] = -s * start[g + j]
    start[g + j] = c * start[g + j]
