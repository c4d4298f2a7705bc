r"""The compiled part of an implicit step: Newton's iterations on the stages, and the way onto the constraints at the end.

w = T (w_real, w_complex),     each from its own factor (iteration_matrix.py), T: eigenvectors of A^-1 (radau.py)
"""

import math

from ...data.stepper import Stepper
from ...dynamics.configuration import move
from ...kernels import kernel
from ...kernels.records import Record, flag, integer, pointer, real, scalars
from ...model.tables import open_tables
from ..lu_factor import NewtonFactor, solve_complex, solve_real
from .stage_equations import Stages, stage_residuals, state_rows

CONVERGED, NOT_FINITE, TOO_SLOW, OPEN = range(4)  # how Newton's method ended

SLOW = 0.5  # rate of convergence of an old matrix that requires a new one
LEFT = 0.1  # of the accuracy: what may be left of a step's error, since steps add up
FASTEST = 1e-6  # rate of convergence: one that is smaller tells that the change before was nonsense, not that nothing is left of this one
STUCK = 0.9  # rate of changes that do not shrink any more
ROUNDING = 100.0  # of the accuracy: changes this small that shrink no more are rounding
ROUNDED = 1e-14  # rad, lengths: rounding of positions that a step begins with, along some joints
ROUNDS = 8  # of the closing at the end of a step


class Newton(Record):
    """Newton's method for one step: its factors, its settings, how it went."""

    stages = pointer(Stages, "the stages")
    single = pointer(NewtonFactor, "of the real eigenvalue")
    pair = pointer(NewtonFactor, "of one of the complex pair")
    positions = pointer(NewtonFactor, "of the real eigenvalue with the rows that hold positions")
    coupled = pointer(NewtonFactor, "of all stages together, each with its own derivatives")
    mu = scalars(3, "eigenvalues: real; real and imaginary part")
    to = scalars(9, "rows of T^-1: real; real and imaginary part")
    back = scalars(9, "columns of T: real; twice the real, and twice the imaginary part")
    accuracy = real("of velocities, relative to those of the motion", by="caller")
    tolerance = real("of the constraints, by the units of their rows", by="caller")
    pace = real("1/s: how fast the motion is, or sets out to be, where the step begins", by="caller")
    reach = scalars("nv", "what makes velocities comparable: 1 for turns, the mechanism's length for slides")
    units = scalars("nc", "what rows are measured by: the mechanism's length, or 1 rad")
    most = integer("iterations at most", by="caller")
    old = flag("is the matrix one of an earlier step?", by="caller")
    together = flag("are the stages solved together?", by="caller")
    iterations = integer("how many it took", by="step_newton")
    size = real("the last change over the accuracy", by="step_newton")
    rate = real("the last change over the one before; 1 where there was one alone", by="step_newton")


@kernel(entry="i i A2 d d -> i")
def step_newton(stepper: Stepper, newton: Newton, J, time, h) -> int:
    """Iterate from the velocities and multipliers in the stages. Returns CONVERGED, NOT_FINITE or TOO_SLOW."""
    stages, last = newton.stages, 0.0
    for k in range(newton.most):
        newton.iterations = k + 1
        bad = stage_residuals(stepper, stages, J, time, h)
        if not bad == 0.0:
            return NOT_FINITE
        size = (_change_together(newton, h) if newton.together else _change(newton, h)) * max(0.1, h * newton.pace)
        newton.size = size
        if not size < math.inf:
            return NOT_FINITE
        rate = size / last if last > 0.0 else 0.0
        newton.rate = rate if k > 0 else 1.0
        left = size if k == 0 else size * max(rate, FASTEST) / max(1.0 - rate, 0.1)
        if left <= LEFT or (k > 2 and rate > STUCK and size < ROUNDING):
            return CONVERGED
        if newton.old and k > 1 and (rate > SLOW or size * rate ** (newton.most - k - 1) > 1.0):
            return TOO_SLOW
        if k > 2 and rate > 1.0:
            return TOO_SLOW
        last = size
    return TOO_SLOW


@kernel
def _change(newton: Newton, h) -> float:
    """Solve for the changes, add them, and return the largest of a velocity over what it may be (`_limit`)."""
    stages, one, two, mu, to, back = newton.stages, newton.single, newton.pair, newton.mu, newton.to, newton.back
    nv, nc, m, most = stages.nv, stages.nc, one.m, 0.0
    square = mu[1] * mu[1] + mu[2] * mu[2]
    re, im = -h * mu[1] / square, h * mu[2] / square  # -h / mu of the complex eigenvalue
    for k in range(nv + m):
        x = y = z = 0.0
        for i in range(3):
            value = stages.r[nv * i + k] if k < nv else stages.phi_dot[nc * i + one.rows[k - nv]]
            x += to[i] * value
            y += to[3 + i] * value
            z += to[6 + i] * value
        if k < nv:
            one.b[k] = -h / mu[0] * x
            two.b[k] = re * y - im * z
            two.b_im[k] = re * z + im * y
        else:
            one.b[k] = -x
            two.b[k] = -y
            two.b_im[k] = -z
    solve_real(one)
    solve_complex(two)
    for k in range(nv):
        for i in range(3):
            w = back[i] * one.b[k] + back[3 + i] * two.b[k] - back[6 + i] * two.b_im[k]
            stages.rates[nv * i + k] = w
            v = stages.v[nv * i + k] + w
            stages.v[nv * i + k] = v
            size = abs(w) / _limit(newton, k, v, h)
            most = size if not size <= most else most
        for i in range(3):
            turn = 0.0
            for j in range(3):
                turn += stages.A[3 * i + j] * stages.rates[nv * j + k]
            stages.theta[nv * i + k] += h * turn
    for k in range(m):
        row = one.rows[k]
        x = one.b[nv + k] * mu[0] / h
        y = (two.b[nv + k] * mu[1] - two.b_im[nv + k] * mu[2]) / h
        z = (two.b[nv + k] * mu[2] + two.b_im[nv + k] * mu[1]) / h
        for i in range(3):
            stages.multipliers[nc * i + row] += back[i] * x + back[3 + i] * y - back[6 + i] * z
    return most


@kernel(inline=True)
def _limit(newton: Newton, k, v, h):
    """The accuracy of a velocity: that of the motion, and no less than rounding of a position in the time of a step."""
    return newton.accuracy * (newton.pace * newton.reach[k] + abs(v)) + ROUNDED / h * newton.reach[k]


@kernel
def _change_together(newton: Newton, h) -> float:
    """The same with the factor of all stages."""
    stages, f = newton.stages, newton.coupled
    nv, nc, m, most = stages.nv, stages.nc, newton.single.m, 0.0
    for i in range(3):
        for k in range(nv):
            f.b[nv * i + k] = -h * stages.r[nv * i + k]
        for k in range(m):
            f.b[3 * nv + m * i + k] = -stages.phi_dot[nc * i + newton.single.rows[k]]
    solve_real(f)
    for k in range(3 * nv):
        v = stages.v[k] + f.b[k]
        stages.v[k] = v
        size = abs(f.b[k]) / _limit(newton, k % nv, v, h)
        most = size if not size <= most else most
    for k in range(nv):
        for i in range(3):
            turn = 0.0
            for j in range(3):
                turn += stages.A[3 * i + j] * f.b[nv * j + k]
            stages.theta[nv * i + k] += h * turn
    for i in range(3):
        for k in range(m):
            stages.multipliers[nc * i + newton.single.rows[k]] += f.b[3 * nv + m * i + k] / h
    return most


@kernel(entry="i i A2 d -> i")
def close_step(stepper: Stepper, newton: Newton, J, time) -> int:
    """q and v of the stepper from the last stage, brought onto the chosen rows. Returns CONVERGED, NOT_FINITE or OPEN."""
    model, stages, nv = open_tables(stepper.model), newton.stages, newton.stages.nv
    for k in range(nv):
        stepper.theta[k] = stages.theta[2 * nv + k]
        stepper.v[k] = stages.v[2 * nv + k]
    move(model, stepper.q0, stepper.theta, stepper.q)
    if stages.nc == 0:
        return CONVERGED
    bad = state_rows(stepper, stages, J, time)
    last = math.inf
    for _ in range(ROUNDS):
        if not bad == 0.0:
            return NOT_FINITE
        gap = _ask(newton, newton.positions, stages.gaps, nv)
        if gap <= newton.tolerance or (gap > 0.5 * last and gap < ROUNDING * newton.tolerance):
            last = -1.0
            break
        last = gap
        solve_real(newton.positions)
        for k in range(nv):
            stepper.theta[k] = newton.positions.b[k]
        move(model, stepper.q, stepper.theta, stepper.q)
        bad = state_rows(stepper, stages, J, time)
    if last >= 0.0:
        return OPEN
    last, fast = math.inf, newton.pace
    for k in range(nv):
        fast = max(fast, abs(stepper.v[k]) / newton.reach[k])
    limit = 10.0 * newton.tolerance * fast
    for _ in range(ROUNDS):
        speed = _ask(newton, newton.single, stages.speeds, nv)
        if speed <= limit or (speed > 0.5 * last and speed < ROUNDING * limit):
            return CONVERGED
        last = speed
        solve_real(newton.single)
        for k in range(nv):
            stepper.v[k] = stepper.v[k] + newton.single.b[k]
        bad = state_rows(stepper, stages, J, time)
        if not bad == 0.0:
            return NOT_FINITE
    return OPEN


@kernel
def _ask(newton: Newton, factor: NewtonFactor, values, nv) -> float:
    """The right side that takes values away from the rows of a factor; returns the largest of them by their units."""
    most = 0.0
    for k in range(nv):
        factor.b[k] = 0.0
    for k in range(factor.m):
        value = values[factor.rows[k]]
        factor.b[nv + k] = -value
        most = max(most, abs(value) / newton.units[factor.rows[k]])
    return most
