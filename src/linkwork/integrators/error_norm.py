r"""How large an error is: for each linkage a root mean square of scaled components, of which the largest counts.

    | e | = max over linkages of  sqrt( 1/n sum_k (e_k / (atol + rtol size_k))^2 ),      e: n numbers of theta and of v in the linkage

A linkage that shakes fast is thus held to its tolerance however many slow ones stand beside it. Sizes are the larger at both ends of a step:
|v_k| and |q_k|, but an angle counts as 1 rad at most (turns do not loosen the tolerance, and where a ball has turned to does not matter), and
balls and free bodies count by the lengths of their vectors (axes do not matter).
"""

from math import sqrt

from ..dynamics.force_tables import open_loads
from ..kernels import kernel
from ..model.tables import AXIAL, BALL, FREE, at_v, count_links, count_v, open_tables
from .steps import at_q0, at_v0


@kernel
def _length(work, at) -> float:
    return sqrt(work[at] * work[at] + work[at + 1] * work[at + 1] + work[at + 2] * work[at + 2])


@kernel
def _vector(work, at, scale) -> float:
    """Sum of the squares of three scaled components."""
    size = _length(work, at) / scale
    return size * size


@kernel
def add_squares(handle, loads, work, first, error, linkage, sums, offset, rtol, atol) -> None:
    """Add the squares of scaled errors, (theta, v) from slot `error` on, to sums[offset + linkage]. Sizes: the state and that of the start."""
    t, f = open_tables(handle), open_loads(loads)
    nv, q0, v0, v1 = count_v(t), at_q0(t, f, first), at_v0(t, f, first), at_v(t)
    for i in range(count_links(t)):
        link = t.links[i]
        k, total = link.v, 0.0
        if link.kind == BALL or link.kind == FREE:
            total += _vector(work, error + k, atol + rtol)
            total += _vector(work, error + nv + k, atol + rtol * max(_length(work, v0 + k), _length(work, v1 + k)))
            if link.kind == FREE:
                total += _vector(work, error + k + 3, atol + rtol * max(_length(work, q0 + link.q), _length(work, link.q)))
                total += _vector(work, error + nv + k + 3, atol + rtol * max(_length(work, v0 + k + 3), _length(work, v1 + k + 3)))
        else:
            for j in range(link.nv):
                size = max(abs(work[q0 + link.q + j]), abs(work[link.q + j]))
                if link.kind == AXIAL and link.turn != 0.0:
                    size = min(size, 1.0)
                e = work[error + k + j] / (atol + rtol * size)
                total += e * e
                e = work[error + nv + k + j] / (atol + rtol * max(abs(work[v0 + k + j]), abs(work[v1 + k + j])))
                total += e * e
        sums[offset + linkage[i]] += total


@kernel
def largest(sums, counts) -> float:
    """The largest error of a linkage, from two estimates: with one, the root mean square; with two, Hairer, Norsett & Wanner (1993), II.10."""
    n = counts.shape[0]
    most = 0.0
    for g in range(n):
        main, other = sums[g], sums[n + g]
        if not main <= 1e300:
            return main
        if main > 0.0:
            most = max(most, main / sqrt((main + 0.01 * other) * counts[g]))
    return most


@kernel
def largest_turn(handle, work, at) -> float:
    """The largest angular part of balls and free bodies in a vector like v, from slot `at` on."""
    t = open_tables(handle)
    most = 0.0
    if t.quats.shape[0] > 0:
        for i in range(count_links(t)):
            link = t.links[i]
            if link.kind == BALL or link.kind == FREE:
                most = max(most, _length(work, at + link.v))
    return most
