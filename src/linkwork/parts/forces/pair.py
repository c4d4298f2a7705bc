"""Action and reaction: what two bodies do to each other at one point.

A wrench (n, f) acts on the first body, about its marker's point p_a; the opposite acts on the second at the same point of space, which about the
second marker's point p_b is  f_b = -f,  n_b = -n - (p_a - p_b) x f. So forces, and moments about any point, add up to zero. Its power is

    n . w + f . u,    w = w_a - w_b,    u = u_a - u_b - w_b x (p_a - p_b),

with u the velocity of the first marker's point seen from the second body. Forces against it at bounded strength are regularised by

    s(x) = tanh x:    f = -F (u / |u|) tanh(|u| / u_0),         slope -F / u_0 at rest.
"""

import math

from ...kernels import kernel
from ...kernels.scalar import sqrt
from ...spatial.matrices import apply9
from ...spatial.vectors import add3, cross3, dot3, scale3, sub3
from .kind import MARKER, marker, put_wrenches

SMALL = 1e-4  # x below which tanh x / x = 1 - x^2 / 3 to 1e-17


@kernel(inline=True)
def put_pair(out, given, n, f, stored):
    """Fill what a law gives back with (n, f), world axes, on the first body and the opposite on the second."""
    _, p_a, _, _ = marker(given, 0)
    _, p_b, _, _ = marker(given, MARKER)
    back = add3(n, cross3(sub3(p_a, p_b), f))
    put_wrenches(out, n, f, scale3(-1.0, back), scale3(-1.0, f), stored)


@kernel(inline=True)
def put_driven(out, given, n, f, axes, reaction):
    """The same for (n, f) in the axes of the first place (0), of the second (1) or of the world (2); reaction: is there any?"""
    R_a, p_a, _, _ = marker(given, 0)
    R_b, p_b, _, _ = marker(given, MARKER)
    if axes == 0:
        n, f = apply9(R_a, n), apply9(R_a, f)
    elif axes == 1:
        n, f = apply9(R_b, n), apply9(R_b, f)
    back = add3(n, cross3(sub3(p_a, p_b), f))
    opposite = -1.0 if reaction else -0.0
    put_wrenches(out, n, f, scale3(opposite, back), scale3(opposite, f), 0.0)


@kernel(inline=True)
def relative_motion(given):
    """(w, u) of the first marker as seen from the second body, world axes."""
    _, p_a, w_a, u_a = marker(given, 0)
    _, p_b, w_b, u_b = marker(given, MARKER)
    return sub3(w_a, w_b), sub3(sub3(u_a, u_b), cross3(w_b, sub3(p_a, p_b)))


@kernel(inline=True)
def direction_against(u, slip):
    """(u / |u|) tanh(|u| / slip)."""
    x = sqrt(dot3(u, u)) / slip
    if x > SMALL:
        return scale3(math.tanh(x) / (x * slip), u)
    return scale3((1.0 - x * x / 3.0) / slip, u)


@kernel(inline=True)
def smooth_step(x):
    """0 up to x = 0, 1 from x = 1 on, and 3 x^2 - 2 x^3 between."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)
