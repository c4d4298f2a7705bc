"""States between the ends of a step, as they are shown: by a cubic through both. The motion itself is not touched."""

from ..dynamics.configuration import difference, integrate


def cubic(system, h, x):
    """(q, v) at the part x of the last step, of size h: local coordinates by a cubic through both ends with their velocities, and its rate."""
    (q0, v0), q1, v1 = system.start, system.q, system.v
    end = difference(system.model, q0, q1)
    theta = (3 * x**2 - 2 * x**3) * end + h * ((x - 2 * x**2 + x**3) * v0 + (x**3 - x**2) * v1)
    rate = (6 * x - 6 * x**2) * end / h + (1 - 4 * x + 3 * x**2) * v0 + (3 * x**2 - 2 * x) * v1
    return integrate(system.model, q0, theta), rate
