"""A referee for the variational integrator: the discrete Lagrangian of whole bodies as a number, and its slopes by differences.

Nothing here knows of links, momenta or recursions. Bodies stand where forward kinematics says; their centres of mass x and quaternions r give

    L_d(q_0, q_1) = h sum_bodies (m |x_1 - x_0|^2 / h^2 / 2 + w . T w / 2 + m g . (x_0 + x_1) / 2) + h sum_joints rotors,     w = 2 Im(r_0^* r_1) / h

and p_0 = -D1 L_d, p_1 = D2 L_d are its slopes along displacements of q, of order 8 in their step.
"""

import numpy as np

import linkwork as lw

STEP = 4e-3
OFFSETS = np.array([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / STEP


def product(a, b):
    """Quaternions, (..., 4)."""
    w = a[..., 0] * b[..., 0] - (a[..., 1:] * b[..., 1:]).sum(-1)
    return np.concatenate([w[..., None], a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])], axis=-1)


def turn_between(R0, R1):
    """The vector part s of the quaternion of R0^T R1, scalar part positive."""
    R = np.swapaxes(R0, -1, -2) @ R1
    c = 0.5 * np.sqrt(1.0 + np.trace(R, axis1=-2, axis2=-1))
    skew = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    return skew / (4.0 * c[..., None])


def discrete_lagrangian(model, q0, q1, h):
    """L_d of a batch of pairs."""
    a, b = lw.forward_kinematics(model, q0), lw.forward_kinematics(model, q1)
    total = 0.0
    for k, body in enumerate(model.bodies):
        if model.tables.bodies["link"][k] < 0:
            continue  # welded to the ground
        inertia = body.inertia
        x0 = a.positions[..., k, :] + a.rotations[..., k, :, :] @ inertia.com
        x1 = b.positions[..., k, :] + b.rotations[..., k, :, :] @ inertia.com
        w = 2.0 * turn_between(a.rotations[..., k, :, :], b.rotations[..., k, :, :]) / h
        T = about_com(inertia)
        total = total + 0.5 * inertia.mass * ((x1 - x0) ** 2).sum(-1) / h + 0.5 * h * np.einsum("...i,ij,...j", w, T, w)
        total = total + 0.5 * h * inertia.mass * (x0 + x1) @ np.asarray(model.gravity)
    return total + sum(_rotor(joint, q0, q1, h) for joint in model.joints)


def about_com(inertia):
    """The tensor about the centre of mass, from the 6x6 matrix about the origin."""
    c = np.asarray(inertia.com, dtype=float)
    return inertia.matrix[:3, :3] - inertia.mass * (c @ c * np.eye(3) - np.outer(c, c))


def _rotor(joint, q0, q1, h):
    """The reflected rotor inertia: rates of turning are 2 s / h, the way of a free joint counts in axes halfway."""
    q0, q1, J = q0[..., joint.q_index], q1[..., joint.q_index], joint.armature
    if not (joint.kind.ball or joint.kind.free):
        return 0.5 * ((q1 - q0) ** 2 @ J) / h
    at = 3 if joint.kind.free else 0
    conjugate = q0[..., at:] * np.array([1.0, -1.0, -1.0, -1.0])
    r = product(conjugate, q1[..., at:])
    r = r * np.sign(r[..., :1])
    total = 2.0 * (r[..., 1:] ** 2 @ J[:3]) / h
    if joint.kind.free:
        half = product(q0[..., at:], (r + [1.0, 0, 0, 0]) / np.linalg.norm(r + [1.0, 0, 0, 0], axis=-1, keepdims=True))
        gap = np.concatenate([0.0 * r[..., :1], q1[..., :3] - q0[..., :3]], axis=-1)
        e = product(product(half * np.array([1.0, -1.0, -1.0, -1.0]), gap), half)[..., 1:]
        total = total + 0.5 * (e**2 @ J[3:]) / h
    return total


def momenta(model, q0, q1, h):
    """(-D1 L_d, D2 L_d) along displacements of the velocities' coordinates."""
    steps = STEP * OFFSETS[:, None, None] * np.eye(model.nv)
    first = discrete_lagrangian(model, lw.integrate(model, q0, steps), np.broadcast_to(q1, (8, model.nv, model.nq)), h)
    second = discrete_lagrangian(model, np.broadcast_to(q0, (8, model.nv, model.nq)), lw.integrate(model, q1, steps), h)
    return -WEIGHTS @ first, WEIGHTS @ second
