r"""How large an error is: for each island a root mean square of scaled components, of which the largest counts.

    | e | = max over islands of  sqrt( 1/n sum_k (e_k / (atol + rtol size_k))^2 ),      e: n numbers of theta and of v in the island      (1)

An island that shakes fast is thus held to its tolerance however many slow ones stand beside it. Sizes are the larger at both ends of a step:
|v_k| and |q_k|, but an angle counts as 1 rad at most (turns do not loosen the tolerance, and where a ball has turned to does not matter), and
balls and free bodies count by the lengths of their vectors (axes do not matter).

Of two estimates e, e* (order 8), with the sums S and S* of (1) (Hairer, Norsett & Wanner 1993, II.10):

    | e | = max over islands of  S / sqrt(n (S + 0.01 S*))                                                                                 (2)
"""

from math import sqrt

from ..data.stepper import Stepper
from ..dynamics.joints.coordinates import has_position, has_quaternion, is_angle
from ..kernels import kernel
from ..kernels.records import Record, integer, integers, real, reals
from ..model.tables import open_tables


class ErrorEstimate(Record):
    """An error of theta and v, how it is measured, and what it amounts to."""

    rtol = real("relative tolerance")
    atol = real("absolute tolerance")
    islands = integer("number of islands")
    island = integers("n", "the island of each link")
    counts = integers("islands", "how many numbers of theta and v each island has")
    error = reals("2 * nv", "error of theta, then of v")
    second = reals("2 * nv", "second estimate of the same")
    sums = reals("islands", "sum of squares of (1) for each island")
    second_sums = reals("islands", "the same of the second estimate")


@kernel
def _length(vector, at) -> float:
    return sqrt(vector[at] * vector[at] + vector[at + 1] * vector[at + 1] + vector[at + 2] * vector[at + 2])


@kernel
def _longer(vector, other, at) -> float:
    """The larger length of three components of two vectors."""
    return max(_length(vector, at), _length(other, at))


@kernel
def _square(error, at, scale) -> float:
    """Sum of the squares of three scaled components."""
    size = _length(error, at) / scale
    return size * size


@kernel
def add_squares(stepper: Stepper, estimate: ErrorEstimate, error, sums) -> None:
    """The sums of (1) for an error (theta, v), island by island. Sizes: those of q and v, and of q0 and v0."""
    t, nv, rtol, atol = open_tables(stepper.model), stepper.nv, estimate.rtol, estimate.atol
    q0, v0, q, v = stepper.q0, stepper.v0, stepper.q, stepper.v
    for g in range(estimate.islands):
        sums[g] = 0.0
    for i in range(t.n):
        link = t.links[i]
        k, total = link.v, 0.0
        if has_quaternion(link):
            total += _square(error, k, atol + rtol)
            total += _square(error, nv + k, atol + rtol * _longer(v0, v, k))
            if has_position(link):
                total += _square(error, k + 3, atol + rtol * _longer(q0, q, link.q))
                total += _square(error, nv + k + 3, atol + rtol * _longer(v0, v, k + 3))
        else:
            for j in range(link.nv):
                size = max(abs(q0[link.q + j]), abs(q[link.q + j]))
                if is_angle(link):
                    size = min(size, 1.0)
                e = error[k + j] / (atol + rtol * size)
                total += e * e
                e = error[nv + k + j] / (atol + rtol * max(abs(v0[k + j]), abs(v[k + j])))
                total += e * e
        sums[estimate.island[i]] += total


@kernel
def norm_of_one(stepper: Stepper, estimate: ErrorEstimate) -> float:
    """The norm (1) of `estimate.error`."""
    add_squares(stepper, estimate, estimate.error, estimate.sums)
    for g in range(estimate.islands):
        estimate.second_sums[g] = 0.0
    return _largest(estimate)


@kernel
def norm_of_two(stepper: Stepper, estimate: ErrorEstimate) -> float:
    """The norm (2) of `estimate.error` and `estimate.second`."""
    add_squares(stepper, estimate, estimate.error, estimate.sums)
    add_squares(stepper, estimate, estimate.second, estimate.second_sums)
    return _largest(estimate)


@kernel
def _largest(estimate: ErrorEstimate) -> float:
    """The largest norm (2) of an island, which is (1) where the second sum is zero. A sum that is not finite is returned as it is."""
    most = 0.0
    for g in range(estimate.islands):
        main, other = estimate.sums[g], estimate.second_sums[g]
        if not main <= 1e300:
            return main
        if main > 0.0:
            most = max(most, main / sqrt((main + 0.01 * other) * estimate.counts[g]))
    return most


@kernel
def largest_turn(stepper: Stepper, vector) -> float:
    """The largest angular part of balls and free bodies in a vector like v."""
    t = open_tables(stepper.model)
    most = 0.0
    if t.quats.shape[0] > 0:
        for i in range(t.n):
            link = t.links[i]
            if has_quaternion(link):
                most = max(most, _length(vector, link.v))
    return most
