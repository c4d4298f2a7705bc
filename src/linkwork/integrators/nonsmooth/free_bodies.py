"""Free bodies within a step: momentum is carried on, not accelerations of components in axes that turn.

v of a free joint is in axes of the body. Its derivative contains terms of these axes, and steps along it gain energy, (h omega)^2 / 2 of it in each. So a
free body is advanced in axes that stand still during the step,

    velocities      v_free = v_0 + h M^-1 (forces)                        without the terms of the turning axes
    displacement    centre of mass: h v_c,    turn: exp(h w_m),  w_m = w - h/2 I^-1 (w x I w)
    afterwards      v_c and I w of the end are those behind the impulses, in the axes of the body where it stands now

Linear and angular momentum are conserved to rounding, whatever bodies exchange. A body that nothing is near falls along its parabola. A base that carries other
links is treated so with its origin in place of the centre of mass, and its gyroscopic terms stay in the accelerations.
"""

from ...data.stepper import Stepper
from ...dynamics.joints.coordinates import has_position
from ...dynamics.joints.general import has_armature, is_free_base
from ...kernels import Vector, kernel
from ...kernels.scalar import zero
from ...model.tables import open_tables
from ...spatial.matrices import apply9, apply9_transposed, apply_symmetric
from ...spatial.so3 import (
    quaternion_act,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_normalised,
    quaternion_product,
    quaternion_to_matrix,
)
from ...spatial.vectors import add3, cross3, get3, get4, scale3, set3, set4, sub3


@kernel
def _is_single(model, i) -> bool:
    """Is link i a rigid body without further links?"""
    joint = model.links[i]
    return (i + 1 == model.n or model.links[i + 1].parent != i) and joint.m > 0.0 and not has_armature(model.generals[joint.general])


@kernel
def _center_of(joint) -> Vector[3]:
    m, h = joint.m, joint.h
    return h[0] / m, h[1] / m, h[2] / m


@kernel
def _inertia_about_center(joint) -> Vector[6]:
    """xx xy xz yy yz zz about the centre of mass."""
    m, c, I = joint.m, _center_of(joint), joint.I
    x, y, z = c
    return (
        I[0] - m * (y * y + z * z),
        I[1] + m * x * y,
        I[2] + m * x * z,
        I[3] - m * (x * x + z * z),
        I[4] + m * y * z,
        I[5] - m * (x * x + y * y),
    )


@kernel
def _solve_symmetric(S, b) -> Vector[3]:
    """S^-1 b of a positive definite matrix."""
    xx, xy, xz, yy, yz, zz = S
    l10, l20 = xy / xx, xz / xx
    d1 = yy - l10 * xy
    l21 = (yz - l20 * xy) / d1
    d2 = zz - l20 * xz - l21 * l21 * d1
    y1 = b[1] - l10 * b[0]
    y2 = b[2] - l20 * b[0] - l21 * y1
    x2 = y2 / d2
    x1 = y1 / d1 - l21 * x2
    return b[0] / xx - l10 * x1 - l20 * x2, x1, x2


@kernel
def _gyroscopic(S, w) -> Vector[3]:
    """I^-1 (w x I w)."""
    return _solve_symmetric(S, cross3(w, apply_symmetric(S, w)))


@kernel
def free_velocities(model, v0, vdot, h, out) -> None:
    """Velocities at the end of a step without impulses, in the axes of its start."""
    for k in range(model.nv):
        out[k] = v0[k] + h * vdot[k]
    for i in range(model.n):
        joint = model.links[i]
        if has_position(joint) and is_free_base(joint, model.generals[joint.general]):
            w, u, dw, du = get3(v0, joint.v), get3(v0, joint.v + 3), get3(vdot, joint.v), get3(vdot, joint.v + 3)
            if _is_single(model, i):
                c = _center_of(joint)
                moved = add3(u, cross3(w, c))
                rate = add3(add3(du, cross3(dw, c)), cross3(w, moved))
                turned = add3(w, scale3(h, add3(dw, _gyroscopic(_inertia_about_center(joint), w))))
                set3(out, joint.v, turned)
                set3(out, joint.v + 3, sub3(add3(moved, scale3(h, rate)), cross3(turned, c)))
            else:
                set3(out, joint.v + 3, add3(u, scale3(h, add3(du, cross3(w, u)))))


@kernel
def move_free_bodies(stepper: Stepper, contact, h) -> None:
    """q of free joints at the end of a step, from velocities in the axes of its start (contact.v_mean), and those of its end in the axes of its end."""
    model, q0, q, v = open_tables(stepper.model), stepper.q0, stepper.q, stepper.v
    for i in range(model.n):
        joint = model.links[i]
        if has_position(joint) and is_free_base(joint, model.generals[joint.general]):
            at, o = joint.q, zero(stepper)
            mean, slides = get3(contact.v_mean, joint.v), get3(contact.v_mean, joint.v + 3)
            Q = quaternion_normalised(get4(q0, at + 3))
            R = quaternion_to_matrix(Q)
            c, single = (o, o, o), _is_single(model, i)
            S = (o, o, o, o, o, o)
            if single:
                c, S = _center_of(joint), _inertia_about_center(joint)
            p = add3(get3(q0, at), apply9(R, add3(c, scale3(h, add3(slides, cross3(mean, c))))))
            if single:
                mean = sub3(mean, scale3(0.5 * h, _gyroscopic(S, mean)))
            turn = quaternion_exp(scale3(h, mean))
            new, back = quaternion_normalised(quaternion_product(Q, turn)), quaternion_conjugate(turn)
            p = sub3(p, apply9(quaternion_to_matrix(new), c))
            if single and contact.near[i] == 0:
                g, F = model.gravity, model.generals[joint.general].R
                F = (F[0], F[1], F[2], F[3], F[4], F[5], F[6], F[7], F[8])
                p = sub3(p, scale3(0.5 * h * h, apply9_transposed(F, (g[0], g[1], g[2]))))
            set3(q, at, p)
            set4(q, at + 3, new)
            _turn_axes(model, i, back, v)


@kernel
def keep_momentum(model, theta, v) -> None:
    """v of free joints after a displacement theta (of all coordinates, as velocities are) that is no motion: in axes that have turned by it.

    Linear and angular momentum of a single body stay, and so do the velocities of a base that carries further links."""
    for i in range(model.n):
        joint = model.links[i]
        if has_position(joint) and is_free_base(joint, model.generals[joint.general]):
            back = quaternion_conjugate(quaternion_exp(get3(theta, joint.v)))
            if not _is_single(model, i):
                set3(v, joint.v, quaternion_act(back, get3(v, joint.v)))
            _turn_axes(model, i, back, v)


@kernel
def _turn_axes(model, i, back, v) -> None:
    """The velocities of a free joint in axes that have turned; `back` turns vectors into them. A single body keeps its momentum; a base with further links
    the velocity of its origin, and the components of its angular velocity."""
    joint = model.links[i]
    w, u = get3(v, joint.v), get3(v, joint.v + 3)
    if _is_single(model, i):
        c, S = _center_of(joint), _inertia_about_center(joint)
        moved, turned = quaternion_act(back, add3(u, cross3(w, c))), _solve_symmetric(S, quaternion_act(back, apply_symmetric(S, w)))
        set3(v, joint.v, turned)
        set3(v, joint.v + 3, sub3(moved, cross3(turned, c)))
    else:
        set3(v, joint.v + 3, quaternion_act(back, u))
