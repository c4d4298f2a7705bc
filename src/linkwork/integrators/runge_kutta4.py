"""The classical Runge-Kutta method on the joints' groups: its table of coefficients for runge_kutta.py."""

from typing import ClassVar

import numpy as np

from ..kernels import kernel
from ..kernels.scalar import widest
from ..model.tables import floats_at
from .fixed_step import FixedStep
from .runge_kutta import runge_kutta_steps
from .walk import LOOP_CALL


def tableau(c, b, a):
    """Coefficients as kernels read them: c, b, then the rows of a."""
    return np.concatenate([np.asarray(c, dtype=float), np.asarray(b, dtype=float), np.asarray(a, dtype=float).ravel()])


CLASSICAL = tableau([0, 0.5, 0.5, 1], [1 / 6, 1 / 3, 1 / 3, 1 / 6], [[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]])


@kernel(address=LOOP_CALL)
def _loop(handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance) -> int:
    coefficients = floats_at(table, 24)
    return runge_kutta_steps(handle, loads, rates, memory, control, first, coefficients, 4, start, step, h, steps, tolerance, 0.0)


@kernel(address=LOOP_CALL)
def _loop_wide(handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance) -> int:
    coefficients = floats_at(table, 24)
    return runge_kutta_steps(handle, loads, rates, memory, control, first, coefficients, 4, start, step, h, steps, tolerance, widest())


class RungeKutta4(FixedStep):
    """The classical Runge-Kutta method on the joints' groups (Munthe-Kaas 1998): order 4, fixed step.

    >>> import linkwork as lw
    >>> lw.RungeKutta4(step=1e-3)
    RungeKutta4(step=0.001)
    """

    order: ClassVar[int] = 4
    stages: ClassVar[int] = 4

    loop, loop_wide, table = _loop, _loop_wide, CLASSICAL
