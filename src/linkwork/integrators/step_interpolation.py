"""Cubic Hermite interpolation between two states: of steps (integrator.py), and of samples (simulation/interpolate.py), in local coordinates.

    y(x) = y0 + (3 x^2 - 2 x^3) (y1 - y0) + (x - 2 x^2 + x^3) d0 + (x^3 - x^2) d1        y and its slope dy/dx at x = 0 and at x = 1

Compiled loops that look for events lay the same cubic as coefficients (event_screen.py).
"""


def cubic(x, y0, y1, d0, d1):
    """The cubic with values y and slopes d (by x) at x = 0 and x = 1."""
    return y0 + (3 * x**2 - 2 * x**3) * (y1 - y0) + (x - 2 * x**2 + x**3) * d0 + (x**3 - x**2) * d1


def cubic_slope(x, y0, y1, d0, d1):
    """Its slope."""
    return 6 * (x - x**2) * (y1 - y0) + (1 - 4 * x + 3 * x**2) * d0 + (3 * x**2 - 2 * x) * d1
