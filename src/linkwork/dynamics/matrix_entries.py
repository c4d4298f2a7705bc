"""Symmetric matrices with the zeros of a tree, from a recursion to the arrays of a caller.

The matrix of one state is filled in place. For a block of LANES states the recursion lays the entries down one behind the other as it finds
them, each once: a tree's matrix is half zeros, and half of the rest is mirrored, so they stay in the nearest cache. The table `places` says
where each entry of the full matrix is; they are picked up in its order and transposed.

Large results go past the caches: a store that first fetches the line which it then overwrites takes twice the traffic, and the matrices of a
batch take longer to write than to compute. Such stores want whole cache lines. The matrices of neighbouring states do not begin at the same
place of a line, those of every eighth state do: a block then takes its states `apart`.
"""

from typing import NamedTuple

from ..kernels import compiled_form, kernel, when_compiling
from ..kernels.scalar import width
from .call import MANY

LARGE = 1 << 20  # numbers (8 MB) that no core finds in its caches later on


def enter(model, out, entries, at, i, j, value):
    """Entry (i, j) of a symmetric matrix: both places in `out` if that is one matrix, else entries[at]. Returns where the next one goes."""
    if out.ndim == 2:
        out[i, j] = value
        out[j, i] = value
    else:
        entries[at] = value
    return at + 1


@kernel
def block_at(k, stop, out, like) -> tuple[int, int]:
    """(first state, how far apart) of the block of states whose turn is at k; large results are written apart where that is possible."""
    lanes = width(like)
    if lanes == 1 or out.size < LARGE or out.shape[0] < MANY:
        return k, 1
    # Multiples of a cache line's eight doubles. Streams that lie a few lines beyond a multiple of a page were slow (nv = 63: 64 bytes).
    apart, nbytes = 8, out.size // out.shape[0] * 8
    while apart < 32 and not 256 <= apart * nbytes % 4096 <= 3840:
        apart *= 2
    group = lanes * apart  # a part of PIECE, so that groups do not depend on the number of threads
    start = k // group * group
    if start + group > stop:
        return k, 1
    return start + (k - start) // lanes, apart


class Leaving(NamedTuple):
    """Matrices on their way out: of states k, k + apart, ... in entries[at..], entries i to `stop` are still to go, `step` at a time."""

    at: int
    k: int
    apart: int
    i: int
    stop: int
    step: int


@kernel(inline=True)
def nothing_leaves(at):
    return Leaving(at, 0, 0, 0, 0, 0)


@kernel
def give_matrices(model, entries, at, out, k, apart) -> Leaving:
    """Copy the matrices of state(s) k, k + apart, ... from entries[at..] to `out`. The number at `at` is zero, the entries follow.

    Of those that go past the caches only the edges are copied at once; see `leave`.
    """
    return _give_matrices(model, entries, at, out, k, apart)


def _give_matrices(model, entries, at, out, k, apart):
    out[k].reshape(-1)[:] = entries[at + model.places]
    return nothing_leaves(at)


def leave(model, entries, out, leaving):
    """Let some cache lines of matrices go, and return what is left: memory takes them while the next matrices are computed.

    A recursion calls this at every link of its two sweeps; then all are gone.
    """
    return leaving


def streams_end():
    """All results that were written past the caches are in memory."""


@when_compiling
def _verbs():
    from ..kernels import lanes
    from ..kernels.views import floats_of

    @compiled_form(enter)
    def _enter(model, out, entries, at, i, j, value):
        if out.ndim == 2:

            def one(model, out, entries, at, i, j, value):
                n = model.size[2]
                lanes.store_element(out, n * i + j, value)
                lanes.store_element(out, n * j + i, value)
                return at

            return one

        def many(model, out, entries, at, i, j, value):
            entries[at] = value
            return at + 1

        return many

    @compiled_form(_give_matrices)
    def _give_matrices_overload(model, entries, at, out, k, apart):
        LANES = lanes.LANES

        def many(model, entries, at, out, k, apart):
            n = model.size[2] * model.size[2]
            values, places, work = lanes.flat(out), model.places, floats_of(entries)
            first = k * n
            if apart > 1:
                start = lanes.until_line(values, first)
                stop = n - (n - start) % lanes.LINE
                lanes.stream_edge(work, at, places, 0, start, values, first, apart * n)
                lanes.stream_edge(work, at, places, stop, n, values, first, apart * n)
                return Leaving(at, k, apart, start, stop, (n // (2 * lanes.LINE * model.size[0]) + 1) * lanes.LINE)
            if k + LANES <= out.shape[0] and n >= LANES:
                for i in range(0, n, LANES):
                    i = min(i, n - LANES)  # the last block may overlap the one before
                    lanes.chosen_to_rows(work, at, places, i, values, first + i, n)
            else:
                for i in range(n):
                    for lane in range(min(LANES, out.shape[0] - k)):
                        values[first + lane * n + i] = work[(at + places[i]) * LANES + lane]
            return nothing_leaves(at)

        return many

    @compiled_form(leave)
    def _leave(model, entries, out, leaving):
        if out.ndim == 2:
            return lambda model, entries, out, leaving: leaving

        def many(model, entries, out, leaving):
            at, k, apart, i, stop, step = leaving
            n = model.size[2] * model.size[2]
            values, work = lanes.flat(out), floats_of(entries)
            part = min(i + step, stop)
            while i < part:
                lanes.stream_lines(work, at, model.places, i, values, k * n + i, apart * n)
                i += lanes.LINE
            return Leaving(at, k, apart, i, stop, step)

        return many

    @compiled_form(streams_end)
    def _streams_end():
        return lambda: lanes.streams_end()
