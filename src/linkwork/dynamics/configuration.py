"""Moving about in configuration space: neutral, random, integrate, difference, clamp.

For joints with v = dq/dt these are sums and differences. A ball joint turns by its rotation vector, q * exp(w / 2); a free joint moves by its
displacement vector, X exp(V) on SE(3): both stay on the group without renormalising, and `difference` is their exact inverse for turns below pi.
"""

import numpy as np

from ..kernels import kernel
from ..kernels.scalar import beyond, load, scalar_for, store, width
from ..model.model import need_model
from ..model.tables import BALL, FREE, at_end, at_x, at_y, count_links, count_q, count_v, floats_at, open_tables
from ..spatial.matrices import apply9, apply9_transposed
from ..spatial.se3 import pose_exp
from ..spatial.so3 import (
    left_jacobian_inverse,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_normalised,
    quaternion_product,
    quaternion_to_matrix,
)
from ..spatial.vectors import add3, load3, load4, load6, store3, store4, sub3
from .bound import Bound, Route
from .call import Driver, deliver, diagnose, on_all, run, shaped, workers_for
from .slots import HUGE, give, take, take_q

STRIDE = 0


@kernel
def move(handle, work, at_q, at_dv, at_new, like) -> None:
    """new q = q (+) dv, joint by joint; all three are places in `work`."""
    t = open_tables(handle)
    for i in range(count_links(t)):
        link = t.links[i]
        if link.kind == BALL:
            turn = quaternion_exp(load3(work, at_dv + link.v, like))
            store4(work, at_new + link.q, quaternion_normalised(quaternion_product(load4(work, at_q + link.q, like), turn)))
        elif link.kind == FREE:
            V = load6(work, at_dv + link.v, like)
            quaternion = quaternion_normalised(load4(work, at_q + link.q + 3, like))
            _, step = pose_exp(V)
            turn = quaternion_exp((V[0], V[1], V[2]))
            place = add3(load3(work, at_q + link.q, like), apply9(quaternion_to_matrix(quaternion), step))
            store3(work, at_new + link.q, place)
            store4(work, at_new + link.q + 3, quaternion_normalised(quaternion_product(quaternion, turn)))
        else:
            for k in range(link.nv):
                store(work, at_new + link.q + k, load(work, at_q + link.q + k, like) + load(work, at_dv + link.v + k, like))


@kernel
def subtract(handle, work, at_from, at_to, at_dv, like) -> None:
    """dv with to = from (+) dv, joint by joint."""
    t = open_tables(handle)
    for i in range(count_links(t)):
        link = t.links[i]
        if link.kind == BALL or link.kind == FREE:
            skip = 3 if link.kind == FREE else 0
            a, b = load4(work, at_from + link.q + skip, like), load4(work, at_to + link.q + skip, like)
            w = quaternion_log(quaternion_normalised(quaternion_product(quaternion_conjugate(a), b)))
            store3(work, at_dv + link.v, w)
            if link.kind == FREE:
                gap = sub3(load3(work, at_to + link.q, like), load3(work, at_from + link.q, like))
                local = apply9_transposed(quaternion_to_matrix(a), gap)
                store3(work, at_dv + link.v + 3, apply9(left_jacobian_inverse(w), local))
        else:
            for k in range(link.nv):
                store(work, at_dv + link.v + k, load(work, at_to + link.q + k, like) - load(work, at_from + link.q + k, like))


@kernel
def _integrate(handle, memory, start, stop, q, dv, out) -> int:
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    new = at_end(t, STRIDE)
    for k in range(start, stop, width(like)):
        if beyond(take_q(t, work, q, k, like) + take(work, at_x(t), dv, k, count_v(t), like), 0.0):
            return k + 1
        move(handle, work, 0, at_x(t), new, like)
        give(work, new, out, k, count_q(t), like)
    return 0


@kernel
def _difference(handle, memory, start, stop, q0, q1, out) -> int:
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q0)
    at_to = at_end(t, STRIDE)
    for k in range(start, stop, width(like)):
        # q1 passes through q's slots to be checked, then moves on.
        bad = take_q(t, work, q1, k, like)
        for i in range(count_q(t)):
            store(work, at_to + i, load(work, i, like))
        if beyond(bad + take_q(t, work, q0, k, like), 0.0):
            return k + 1
        subtract(handle, work, 0, at_to, at_y(t), like)
        give(work, at_y(t), out, k, count_v(t), like)
    return 0


_move = Driver(_integrate, 1, 1, 1)
_subtract = Driver(_difference, 1, 1, 1)
_move_bound = Bound(Route(_move, ("nq", "nv"), (("nq",),)))
_subtract_bound = Bound(Route(_subtract, ("nq", "nq"), (("nv",),)))


def neutral(model):
    """The configuration with every joint at zero: quaternions 1, all else 0.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> lw.neutral(m.build()).tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    """
    need_model(model)
    q = np.zeros(model.nq)
    q[model.tables.quats] = 1.0
    return q


@_move_bound.public
def integrate(model, q, dv, *, out=None, threads=1):
    """q moved by dv (a velocity times a time), on the joints' own manifolds. (..., nq)

    >>> import linkwork as lw, numpy as np
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> model = m.build()
    >>> q = lw.integrate(model, lw.neutral(model), [0, 0, np.pi, 0, 0, 2.0])  # half a turn about z, and up
    >>> np.round(q, 9).tolist()
    [0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0]
    """
    need_model(model)
    return run(_move, model, [("q", q, (model.nq,)), ("dv", dv, (model.nv,))], [(model.nq,)], out, threads)


@_subtract_bound.public
def difference(model, q0, q1, *, out=None, threads=1):
    """The dv that moves q0 to q1: integrate(q0, difference(q0, q1)) = q1, up to the sign of quaternions. (..., nv)

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> lw.difference(m.build(), [0, 0, 0, 1, 0, 0, 0], [0, 0, 2.0, 1, 0, 0, 0]).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]
    """
    need_model(model)
    return run(_subtract, model, [("q0", q0, (model.nq,)), ("q1", q1, (model.nq,))], [(model.nv,)], out, threads)


def random_configuration(model, rng=None, size=None, *, span=np.pi, reach=1.0):
    """Random positions: limited joints within their limits, other turns within +-span (rad), slides within +-reach (m), quaternions uniform.

    Args:
        rng: a NumPy Generator, or a number, which is its seed and not a number of states; None for a fresh one.
        size: None for one state (nq,), a number or a tuple for a batch (*size, nq).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> lw.random_configuration(m.build(), rng=1, size=1000).shape
    (1000, 7)
    """
    need_model(model)
    rng = np.random.default_rng(rng)
    size = () if size is None else tuple(np.atleast_1d(size).astype(int))
    q = np.zeros((*size, model.nq))
    for joint in model.joints:
        kind, at = joint.kind, joint.q_index
        if kind.ball or kind.free:
            first = at.start + (3 if kind.free else 0)
            if kind.free:
                q[..., at.start : first] = rng.uniform(-reach, reach, (*size, 3))
            w = rng.normal(size=(*size, 4))
            q[..., first : first + 4] = w / np.linalg.norm(w, axis=-1, keepdims=True)
            continue
        for k in range(joint.nv):
            turns = kind.custom or kind.elements[k].turn != 0.0
            wide = span if turns else reach
            # Some files write +-1e16 for "no limit".
            low, high = (x if abs(x) < 1e6 else np.copysign(np.inf, x) for x in (joint.lower[k], joint.upper[k]))
            if not np.isfinite(low):
                low = min(-wide, high - 2 * wide) if np.isfinite(high) else -wide
            if not np.isfinite(high):
                high = max(wide, low + 2 * wide)
            q[..., at.start + k] = rng.uniform(low, high, size)
    return q


def clamp(model, q, *, out=None, threads=1):
    """q with every limited coordinate moved into its limits; a copy, or `out`. Quaternion joints have no limits. (..., nq)

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> door = m.add_body("door", mass=20.0, inertia=(3, 3, 3))
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1), lower=0.0, upper=1.5), m.ground, door)
    >>> lw.clamp(m.build(), [[-0.5], [0.5], [2.5]]).tolist()
    [[0.0], [0.5], [1.5]]
    """
    need_model(model)
    return deliver(_clamped(model, q, threads)[1], out)


def within_limits(model, q, tolerance=0.0, *, out=None, threads=1):
    """Is every limited coordinate inside its limits (widened by the tolerance)? A bool, or an array for a batch; `out` is an array of bool.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> door = m.add_body("door", mass=20.0, inertia=(3, 3, 3))
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1), lower=0.0, upper=1.5), m.ground, door)
    >>> lw.within_limits(m.build(), [[-0.5], [0.5], [2.5]]).tolist()
    [False, True, False]
    """
    need_model(model)
    given, clamped = _clamped(model, q, threads)
    return deliver((np.abs(clamped - given) <= tolerance).all(axis=-1), out)


def _clamped(model, q, threads):
    """q as an array, and a copy of it within the limits."""
    inputs = [("q", q, (model.nq,))]
    (q,), _ = shaped(inputs)
    workers = workers_for(threads)
    if not np.isfinite(q).all():
        diagnose(model, inputs, [q])
    lower, upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    for joint in model.joints:
        if not (joint.kind.ball or joint.kind.free):
            lower[joint.q_index], upper[joint.q_index] = joint.lower, joint.upper
    rows = q.reshape(-1, model.nq) if model.nq else q.reshape(1, -1)
    clamped = np.empty(rows.shape)
    step = max(1, -(-len(rows) // workers))

    def part(start):
        np.clip(rows[start : start + step], lower, upper, out=clamped[start : start + step])

    on_all(workers, part, range(0, max(1, len(rows)), step))
    return q, clamped.reshape(q.shape)
