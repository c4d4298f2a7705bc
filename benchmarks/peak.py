"""What one core can do at most: billions of floating-point operations a second, measured with the same lanes that the kernels use."""

import functools
import time

import numpy as np

from linkwork.kernels import kernel
from linkwork.kernels.lanes import LANES, spread, store_pack

CHAINS = 12  # independent accumulators: enough to hide the latency of a fused multiply-add, few enough for 16 registers


@kernel
def _multiply_add(rounds, factor, term, out):
    k, t = spread(factor), spread(term)
    a, b, c, d, e, f = t, t + 1.0, t + 2.0, t + 3.0, t + 4.0, t + 5.0
    u, v, w, x, y, z = t + 6.0, t + 7.0, t + 8.0, t + 9.0, t + 10.0, t + 11.0
    for _ in range(rounds):
        a, b, c, d, e, f = a * k + t, b * k + t, c * k + t, d * k + t, e * k + t, f * k + t
        u, v, w, x, y, z = u * k + t, v * k + t, w * k + t, x * k + t, y * k + t, z * k + t
    store_pack(out, 0, (a + b + c + d + e + f) + (u + v + w + x + y + z))


@functools.cache
def peak_gflops(rounds=200_000, repeats=30):
    """Best of many runs of multiply-adds in registers, two operations each."""
    out = np.zeros(LANES)
    _multiply_add(1, 0.5, 1.0, out)
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        _multiply_add(rounds, 0.5, 1.0, out)
        best = min(best, time.perf_counter() - start)
    return 2 * CHAINS * LANES * rounds / best / 1e9
