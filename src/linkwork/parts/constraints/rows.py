"""A row in scratch memory, as constraint kernels write it.

slot    0..2  3..5   6..8  9..11   12    13      14
content n_a   f_a    n_b   f_b     phi   phi_t   gamma          (wrenches about the markers' points, world axes; see kind.py)

A marker is a tuple (R, p, w, u): orientation (9 numbers, row-major), position, angular velocity, velocity of its point; all in world axes.
"""

from ...kernels import kernel
from ...kernels.scalar import store
from ...spatial.vectors import store3

ROW = 16
R_PHI, R_RATE, R_GAMMA = 12, 13, 14


@kernel(inline=True)
def put_row(work, at, n_a, f_a, n_b, f_b, phi, rate, gamma):
    """Write one row to the slots from `at` on."""
    store3(work, at, n_a)
    store3(work, at + 3, f_a)
    store3(work, at + 6, n_b)
    store3(work, at + 9, f_b)
    store(work, at + R_PHI, phi)
    store(work, at + R_RATE, rate)
    store(work, at + R_GAMMA, gamma)
