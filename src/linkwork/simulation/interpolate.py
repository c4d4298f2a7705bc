"""Between two samples: a cubic on the manifold of every joint that has the recorded positions and velocities at both ends.

With h the interval, s from 0 to 1 in it, and H the cubic with H(0) = 0, H(1) = e_1, H'(0) = d_0, H'(1) = d_1:

vector:  q(s) = q_0 + u s + H(s)                          u = q_1 - q_0,  e_1 = 0,  d_k = h v_k - u
ball:    q(s) = q_0 exp(u s) exp(H(s))                    u = h (v_0 + v_1)/2
         e_1 = log(exp(-u) q_0^-1 q_1),   d_0 = h v_0 - u,   d_1 = J_r(e_1)^-1 (h v_1 - R(e_1)^T u)
free:    its place as a vector, with dp/dt = R v_linear at both ends; its turn as a ball

The steady turn u takes most of the motion, so that a body that spins evenly is interpolated exactly, however many turns it makes between
two samples, and H stays small. The error is O(h^4), as of any cubic Hermite interpolation, since in the chart exp(u s) exp(.) both the motion
and the cubic are smooth and agree to first order at both ends. Quaternions are products of exponentials: they stay of unit length.
Velocities are those of this motion, so that they are v of the samples there, and dq/dt = v between. Without recorded velocities the motion is
even in between (d = 0): linear, or a slerp.
"""

import numpy as np

from ..integrators.integrator import cubic, cubic_slope
from .columns import Layout
from .rotation_arrays import conjugate, exp, log, product, right_jacobian_inverse_times, right_jacobian_times, rotate


def coordinates_at(layout: Layout, q, v, before, s, h):
    """(q, v) at the fraction s (k,) of the intervals that begin at the samples `before` (k,) and are h (k,) long; v is None if it was not given."""
    s, h = s[:, None], h[:, None]
    new_q, new_v = np.empty((len(before), layout.nq)), None if v is None else np.empty((len(before), layout.nv))
    for joint, iq, iv in layout.spans():
        q0, q1 = q[before, iq], q[before + 1, iq]
        v0, v1 = (None, None) if v is None else (v[before, iv], v[before + 1, iv])
        found_q, found_v = _JOINTS[joint.manifold](q0, q1, v0, v1, s, h)
        new_q[:, iq] = found_q
        if new_v is not None:
            new_v[:, iv] = found_v
    return new_q, new_v


def _vector(q0, q1, v0, v1, s, h):
    u = q1 - q0
    if v0 is None:
        return q0 + s * u, None
    d0, d1 = h * v0 - u, h * v1 - u
    return q0 + s * u + cubic(s, 0.0, 0.0, d0, d1), (u + cubic_slope(s, 0.0, 0.0, d0, d1)) / h


def _ball(q0, q1, v0, v1, s, h):
    if v0 is None:
        return product(q0, exp(s * log(product(conjugate(q0), q1)))), None
    u = 0.5 * h * (v0 + v1)
    e1 = log(product(exp(-u), product(conjugate(q0), q1)))
    d0 = h * v0 - u
    d1 = right_jacobian_inverse_times(e1, h * v1 - rotate(exp(-e1), u))
    e = cubic(s, 0.0, e1, d0, d1)
    rate = rotate(exp(-e), u) + right_jacobian_times(e, cubic_slope(s, 0.0, e1, d0, d1))
    return product(q0, product(exp(s * u), exp(e))), rate / h


def _free(q0, q1, v0, v1, s, h):
    w0, w1, l0, l1 = (None,) * 4 if v0 is None else (v0[:, :3], v1[:, :3], rotate(q0[:, 3:], v0[:, 3:]), rotate(q1[:, 3:], v1[:, 3:]))
    place, speed = _vector(q0[:, :3], q1[:, :3], l0, l1, s, h)
    turn, omega = _ball(q0[:, 3:], q1[:, 3:], w0, w1, s, h)
    if v0 is None:
        return np.hstack([place, turn]), None
    return np.hstack([place, turn]), np.hstack([omega, rotate(conjugate(turn), speed)])


_JOINTS = {"vector": _vector, "ball": _ball, "free": _free}


def poses_of(model, q):
    """Poses x y z qw qx qy qz of all bodies in the world, (..., nb, 7), by the model from q."""
    from scipy.spatial.transform import Rotation

    from ..dynamics.kinematics import forward_kinematics

    found = forward_kinematics(model, q)
    turns = Rotation.from_matrix(found.rotations.reshape(-1, 3, 3)).as_quat(canonical=True)[:, [3, 0, 1, 2]]
    return np.concatenate([found.positions, turns.reshape(*found.positions.shape[:-1], 4)], axis=-1)


def poses_between(first, second, s):
    """Poses (k, nb, 7) of bodies on the straight way from one to another, turning evenly (slerp)."""
    s = s[:, None, None]
    turn = product(first[..., 3:], exp(s * log(product(conjugate(first[..., 3:]), second[..., 3:]))))
    return np.concatenate([(1.0 - s) * first[..., :3] + s * second[..., :3], turn], axis=-1)
