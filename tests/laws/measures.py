"""How laws are measured: results compared at the scale of what they were computed from, and rates by differences of high order.

`seeds` draws from a fixed set of mechanisms, which are built once; the profile "search" draws from a million.
"""

import functools

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import linkwork as lw

from . import mechanisms

seeds = st.integers(0, 149 if settings.default.derandomize else 999_999)
case = functools.lru_cache(maxsize=512)(mechanisms.random_case)

# Rounding of an O(n) recursion: some 1e-16 for each of a few hundred operations in a row, at the scale of its largest terms.
ROUNDING = 1e-12
# The differences below leave about 1e-11 (truncation (w h)^8 for motions of up to w = 20 rad/s; rounding 1e-16 / h); ten times that, twice.
DIFFERENCES = 1e-9

STEP = 2e-3
TIMES = STEP * np.array([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / STEP


def size(x):
    """The largest magnitude in an array; 0 for an empty one."""
    return float(np.max(np.abs(x), initial=0.0))


def assert_close(found, expected, tolerance=ROUNDING, scale=None):
    """|found - expected| <= tolerance * scale; the scale is that of what is expected unless given."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    scale = size(expected) if scale is None else scale
    error = size(found - expected)
    assert error <= tolerance * scale, (
        f"off by {error:.3g} at scale {scale:.3g}: {error / scale if scale else np.inf:.3g} > {tolerance:.3g}"
    )


def rate(values):
    """The derivative at time 0 of what has the given values, (8, ...), at TIMES: central differences of order 8."""
    return np.tensordot(WEIGHTS, np.asarray(values), axes=1)


def path(model, q, v, vdot=None):
    """q and v at TIMES on a path that passes through (q, v) with velocity v and acceleration vdot."""
    t = TIMES[:, None]
    return lw.integrate(model, q, t * v), v + t * (np.zeros_like(v) if vdot is None else vdot)


def force_scale(model, q, v, vdot, f_ext=None):
    """The size of the forces that meet in an equation of motion: what rounding in it is measured by."""
    inertial = size(lw.mass_matrix(model, q)) * size(vdot)
    return 1.0 + inertial + size(lw.bias_force(model, q, v)) + (0.0 if f_ext is None else 10.0 * size(f_ext))


def condition(model, q):
    """The condition number of the mass matrix: how much larger errors of accelerations may be than those of forces."""
    return float(np.linalg.cond(lw.mass_matrix(model, q))) if model.nv else 1.0


def body_jacobians(model, q):
    """J of every body in its own frame, (nb, 6, nv)."""
    return np.array([lw.jacobian(model, q, body.name, axes="body") for body in model.bodies]).reshape(model.nb, 6, model.nv)


def reflected_inertia(model):
    """What the drives add to the diagonal of M, from the options of the joint kinds: armature + rotor_inertia gear_ratio^2."""
    per_joint = [np.array(j.kind.armature) + np.array(j.kind.rotor_inertia) * np.array(j.kind.gear_ratio) ** 2 for j in model.joints]
    return np.concatenate(per_joint)


def armature_bias(model, v):
    """What the armatures take at constant velocities: V x* A V of a ball or free joint, whose V is in axes that turn; else nothing."""
    found, A = np.zeros(model.nv), reflected_inertia(model)
    for joint in model.joints:
        if joint.kind.ball or joint.kind.free:
            at = joint.v_index
            V, F = (np.pad(x[at], (0, 6 - joint.nv)) for x in (v, A * v))
            found[at] = cross_force(V, F)[: joint.nv]
    return found


def cross_force(V, F):
    """V x* F, the rate of a force (momentum) that is carried along."""
    w, u, n, f = V[..., :3], V[..., 3:], F[..., :3], F[..., 3:]
    return np.concatenate([np.cross(w, n) + np.cross(u, f), np.cross(w, f)], axis=-1)


def wrench_in_world(kinematics, wrenches):
    """Wrenches on the bodies, (nb, 6) in body frames, as one in world axes about the origin: (moment, force)."""
    R, p = kinematics.rotations, kinematics.positions
    f = np.einsum("...bij,...bj->...bi", R, wrenches[..., 3:])
    n = np.einsum("...bij,...bj->...bi", R, wrenches[..., :3]) + np.cross(p, f)
    return n.sum(axis=-2), f.sum(axis=-2)
