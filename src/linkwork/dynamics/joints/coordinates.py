"""Coordinates of joints: q moved by a velocity, and the velocity between two q.

For joints with v = dq/dt these are sums and differences. A ball joint turns by its rotation vector, q * exp(w / 2); a free joint moves by its
displacement vector, X exp(V) on SE(3): both stay on the group without renormalising, and the difference is their exact inverse for turns below pi.

A step of an integrator starts at q_0 and is described by local coordinates theta: q = q_0 (+) theta. With velocities in body axes the differential
of the exponential gives (Munthe-Kaas 1998; Bullo & Murray 1995 for the closed form)

    theta' = v + 1/2 ad v + A ad^2 v + B ad^4 v,        ad v = theta x v   (SO(3)),  the cross product of motions (SE(3))
    x = |angular part of theta|,   a = (x/2) cot(x/2),   b = (x/2)^2 / sin(x/2)^2
    A = (2 (1 - a) + (a - b) / 2) / x^2,    B = (1 - a + (a - b) / 2) / x^4

so that a quaternion stays on its sphere whatever the method, without being pulled back. For all other joints theta' = v.
"""

from ...kernels import Vector, kernel
from ...kernels.scalar import sincos, sqrt, where
from ...model.tables import AXIAL, BALL, FREE
from ...spatial.matrices import apply9, apply9_transposed
from ...spatial.motion import cross_motion
from ...spatial.se3 import pose_exp
from ...spatial.so3 import (
    left_jacobian_inverse,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_normalised,
    quaternion_product,
    quaternion_to_matrix,
)
from ...spatial.vectors import add3, cross3, get3, get4, get6, set3, set4, set6, sub3


@kernel(inline=True)
def move_coordinates(joint, q, dv, new):
    """new = q (+) dv of one joint."""
    at, v = joint.q, joint.v
    if joint.kind == BALL:
        turn = quaternion_exp(get3(dv, v))
        set4(new, at, quaternion_normalised(quaternion_product(get4(q, at), turn)))
    elif joint.kind == FREE:
        V = get6(dv, v)
        quaternion = quaternion_normalised(get4(q, at + 3))
        _, step = pose_exp(V)
        turn = quaternion_exp((V[0], V[1], V[2]))
        set3(new, at, add3(get3(q, at), apply9(quaternion_to_matrix(quaternion), step)))
        set4(new, at + 3, quaternion_normalised(quaternion_product(quaternion, turn)))
    else:
        for k in range(joint.nv):
            new[at + k] = q[at + k] + dv[v + k]


@kernel(inline=True)
def subtract_coordinates(joint, q0, q1, dv):
    """dv with q1 = q0 (+) dv of one joint."""
    at, v = joint.q, joint.v
    if joint.kind == BALL or joint.kind == FREE:
        skip = 3 if joint.kind == FREE else 0
        a, b = get4(q0, at + skip), get4(q1, at + skip)
        w = quaternion_log(quaternion_normalised(quaternion_product(quaternion_conjugate(a), b)))
        set3(dv, v, w)
        if joint.kind == FREE:
            apart = sub3(get3(q1, at), get3(q0, at))
            local = apply9_transposed(quaternion_to_matrix(a), apart)
            set3(dv, v + 3, apply9(left_jacobian_inverse(w), local))
    else:
        for k in range(joint.nv):
            dv[v + k] = q1[at + k] - q0[at + k]


SMALL = 0.25  # x^2 below which the series are exact to rounding


@kernel
def _coefficients(square) -> Vector[2]:
    """A and B; series near zero: 1/12 - x^4/30240 - x^6/604800 - ..., -1/720 - x^2/15120 - x^4/403200 - ..."""
    x2 = square
    A = 1.0 / 12.0 - x2 * x2 * (1.0 / 30240.0 + x2 * (1.0 / 604800.0 + x2 * (1.0 / 15966720.0 + x2 * (691.0 / 326918592000.0))))
    B = -1.0 / 720.0 - x2 * (1.0 / 15120.0 + x2 * (1.0 / 403200.0 + x2 * (1.0 / 11975040.0 + x2 * (691.0 / 261534873600.0))))
    safe = where(x2 < SMALL, x2 * 0.0 + 1.0, x2)
    x = sqrt(safe)
    s, c = sincos(0.5 * x)
    half = 0.5 * x / s
    a, b = half * c, half * half
    far = 0.5 * (a - b)
    return where(x2 < SMALL, A, (2.0 * (1.0 - a) + far) / safe), where(x2 < SMALL, B, (1.0 - a + far) / (safe * safe))


@kernel(inline=True)
def local_rate_of(joint, theta, v, rates, at):
    """theta' of one joint from theta and v, to rates[at + joint.v..]; for joints with v = dq/dt it is v, which must stand there."""
    k = joint.v
    if joint.kind == BALL:
        x, w = get3(theta, k), get3(v, k)
        A, B = _coefficients(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
        once = cross3(x, w)
        twice = cross3(x, once)
        fourth = cross3(x, cross3(x, twice))
        set3(
            rates,
            at + k,
            (
                w[0] + 0.5 * once[0] + A * twice[0] + B * fourth[0],
                w[1] + 0.5 * once[1] + A * twice[1] + B * fourth[1],
                w[2] + 0.5 * once[2] + A * twice[2] + B * fourth[2],
            ),
        )
    elif joint.kind == FREE:
        X, V = get6(theta, k), get6(v, k)
        A, B = _coefficients(X[0] * X[0] + X[1] * X[1] + X[2] * X[2])
        first = cross_motion(X, V)
        second = cross_motion(X, first)
        last = cross_motion(X, cross_motion(X, second))
        set6(
            rates,
            at + k,
            (
                V[0] + 0.5 * first[0] + A * second[0] + B * last[0],
                V[1] + 0.5 * first[1] + A * second[1] + B * last[1],
                V[2] + 0.5 * first[2] + A * second[2] + B * last[2],
                V[3] + 0.5 * first[3] + A * second[3] + B * last[3],
                V[4] + 0.5 * first[4] + A * second[4] + B * last[4],
                V[5] + 0.5 * first[5] + A * second[5] + B * last[5],
            ),
        )


@kernel(inline=True)
def has_quaternion(joint):
    """Do its first three velocities turn a quaternion?"""
    return joint.kind == BALL or joint.kind == FREE


@kernel(inline=True)
def has_position(joint):
    """Are its last three velocities those of a point, its first three coordinates the point's?"""
    return joint.kind == FREE


@kernel(inline=True)
def is_angle(joint):
    """Is its coordinate an angle?"""
    return joint.kind == AXIAL and joint.turn != 0.0
