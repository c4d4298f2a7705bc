"""Runs one test kernel in every way a kernel can run: compiled on floats, on complex numbers and on lanes, and as plain Python."""

import numpy as np
import pytest

from linkwork.kernels import JIT
from linkwork.spatial.plain import plain

if JIT:
    from linkwork.kernels import numba_ready

    numba = numba_ready()
    from linkwork.kernels.lanes import LANES, spread

    # Not a kernel, because kernels are cached on disk: its type holds the address of `body`, which differs in every run.
    @numba.njit
    def _in_lanes(body, x, y):
        body(x, y, spread(0.0))


def _row_by_row(body, rows, size, like):
    out = np.zeros((len(rows), size), dtype=type(like))
    for x, y in zip(np.ascontiguousarray(rows, dtype=type(like)), out, strict=True):
        body(x, y, like)
    return out


def _lane_by_lane(body, rows, size):
    out = np.zeros((len(rows), size))
    for start in range(0, len(rows), LANES):
        part = rows[start : start + LANES]
        x, y = np.ones((rows.shape[1], LANES)), np.zeros((size, LANES))
        x[:, : len(part)] = part.T
        _in_lanes(body, x.ravel(), y.ravel())  # ravel of a contiguous array is a view
        out[start : start + LANES] = y[:, : len(part)].T
    return out


@pytest.fixture
def run():
    """run(kind, body, rows, size): the (N, size) results of body(x, y, like) on each of the N rows x."""

    def run(kind, body, rows, size):
        rows = np.atleast_2d(rows)
        if kind == "lanes":
            return _lane_by_lane(body, rows, size)
        if kind.startswith("plain"):
            body = plain(body)
        return _row_by_row(body, rows, size, 0j if kind.endswith("complex") else 0.0)

    return run


@pytest.fixture(params=["plain", *(["float", "complex", "lanes"] if JIT else [])])
def kind(request):
    """Every way of running, for kernels that compare or branch: that is where kinds of scalars differ."""
    return request.param


@pytest.fixture(params=["plain", "plain complex", *(["lanes"] if JIT else [])])
def algebra_kind(request):
    """For kernels of sums and products only. Lanes stand for all that is compiled: each kind costs seconds to compile."""
    return request.param
