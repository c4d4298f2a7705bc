"""Coordinates of joints: q moved by a velocity, and the velocity between two q.

For joints with v = dq/dt these are sums and differences. A ball joint turns by its rotation vector, q * exp(w / 2); a free joint moves by its
displacement vector, X exp(V) on SE(3): both stay on the group without renormalising, and the difference is their exact inverse for turns below pi.
"""

from ...kernels import kernel
from ...model.tables import BALL, FREE
from ...spatial.matrices import apply9, apply9_transposed
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
from ...spatial.vectors import add3, get3, get4, get6, set3, set4, sub3


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
            gap = sub3(get3(q1, at), get3(q0, at))
            local = apply9_transposed(quaternion_to_matrix(a), gap)
            set3(dv, v + 3, apply9(left_jacobian_inverse(w), local))
    else:
        for k in range(joint.nv):
            dv[v + k] = q1[at + k] - q0[at + k]
