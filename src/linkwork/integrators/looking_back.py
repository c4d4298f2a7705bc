"""States between the ends of a step, as they are shown: by a cubic, and brought onto the constraints. The motion itself is not touched."""

from ..dynamics.configuration import difference, integrate
from ..solvers.modes import POSITION, VELOCITY

ROUNDS = 4


def cubic(system, h, x):
    """(q, v) at the part x of the last step, of size h: local coordinates by a cubic through both ends with their velocities, and its rate."""
    (q0, v0), q1, v1 = system.start, system.q, system.v
    end = difference(system.model, q0, q1)
    theta = (3 * x**2 - 2 * x**3) * end + h * ((x - 2 * x**2 + x**3) * v0 + (x**3 - x**2) * v1)
    rate = (6 * x - 6 * x**2) * end / h + (1 - 4 * x + 3 * x**2) * v0 + (3 * x**2 - 2 * x) * v1
    return integrate(system.model, q0, theta), rate


def onto_constraints(system, t, q, v, tolerance):
    """(q, v) moved by the least, in the mass metric, that brings gaps below the tolerance and velocities onto the constraints."""
    if not system.model.nc or not tolerance > 0.0:
        return q, v
    for _ in range(ROUNDS):
        change, gap = system.correct(t, q, POSITION)
        if not gap > 0.1 * tolerance:
            break
        q = integrate(system.model, q, change)
    return q, v + system.correct(t, q, VELOCITY, v)[0]
