"""Laws of motion without forces, over random mechanisms of every joint kind: poses, velocities, accelerations, Jacobians."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw

from .measures import DIFFERENCES, assert_close, case, path, rate, seeds, size


def joint_pose(kind, q):
    """X_J(q) of a joint kind, from its own definition."""
    if kind.custom:
        x, y, z, *quaternion = kind.pose(q)
        return lw.Pose((x, y, z), quaternion)
    if kind.free:
        return lw.Pose(q[:3], q[3:])
    if kind.ball:
        return lw.Pose((0.0, 0.0, 0.0), q)
    X = lw.Pose()
    for element, angle in zip(kind.elements, q, strict=True):
        axis = np.array(element.axis)
        X = X @ lw.Pose.exp(angle * np.concatenate([element.turn * axis, element.slide * axis]))
    return X


def frame_names(model):
    return [*(body.name for body in model.bodies), *(frame.name for frame in model.frames), "ground"]


@given(seeds)
def test_bodies_are_where_their_joints_say(seed):
    """X_PC = X_PF X_J(q) X_CM^-1 for every joint, whichever way the tree walks it; frames go with their bodies."""
    mechanism, model, q, *_ = case(seed)
    kinematics = lw.forward_kinematics(model, q)
    for joint in mechanism.joints:
        X_WP, X_WC = kinematics.pose(joint.parent_body), kinematics.pose(joint.child_body)
        X_J = joint_pose(joint.kind, q[model.joint(joint.name).q_index])
        expected = X_WP @ joint.parent_pose @ X_J @ joint.child_pose.inverse()
        assert X_WC.isclose(expected, 1e-13 * (1.0 + size(kinematics.positions)))  # a dozen rotations in a row
    for info in model.joints:
        if info.name.endswith(".free"):
            assert kinematics.pose(info.child).isclose(joint_pose(info.kind, q[info.q_index]), 1e-13)
    for frame in mechanism.frames:
        assert kinematics.pose(frame.name).isclose(kinematics.pose(frame.body) @ frame.pose, 1e-14 * (1.0 + size(kinematics.positions)))


@given(seeds)
def test_velocities_are_the_rates_of_poses(seed):
    """V = (vee(R^T dR/dt), R^T dp/dt) along integrate(q, v t), for bodies and frames, in body and world axes."""
    _, model, q, v, *_ = case(seed)
    now, moving = lw.forward_kinematics(model, q, v), lw.forward_kinematics(model, path(model, q, v)[0])
    assert size(now.velocities) > 1e-3
    for name in frame_names(model):
        R, dR, dp = now.rotation(name), rate(moving.rotation(name)), rate(moving.position(name))
        W, U = R.T @ dR, dR @ R.T
        scale = 1.0 + size(now.velocities) * (1.0 + size(now.positions))
        assert_close(now.velocity(name), [W[2, 1], W[0, 2], W[1, 0], *(R.T @ dp)], DIFFERENCES, scale)
        assert_close(now.velocity(name, axes="world"), [U[2, 1], U[0, 2], U[1, 0], *dp], DIFFERENCES, scale)


@given(seeds)
def test_accelerations_are_the_rates_of_velocities(seed):
    """The components of a velocity change at the rate that is called acceleration, in body and in world axes."""
    _, model, q, v, vdot, _ = case(seed)
    now, moving = lw.forward_kinematics(model, q, v, vdot), lw.forward_kinematics(model, *path(model, q, v, vdot))
    assert size(now.accelerations) > 1e-3
    scale = 1.0 + size(now.accelerations) + size(now.velocities) ** 2 * (1.0 + size(now.positions))
    for name in frame_names(model):
        for axes in ("body", "world"):
            assert_close(now.acceleration(name, axes), rate(moving.velocity(name, axes)), DIFFERENCES, scale)


@given(seeds)
def test_jacobians_give_velocities_and_accelerations(seed):
    """J v is the velocity, J vdot + dJ/dt v the acceleration, and dJ/dt v the rate of J at constant v."""
    _, model, q, v, vdot, _ = case(seed)
    now = lw.forward_kinematics(model, q, v, vdot)
    around = path(model, q, v)[0]
    for name in frame_names(model):
        for axes in ("body", "world"):
            J, drift = lw.jacobian(model, q, name, axes=axes), lw.jacobian_rate_times_v(model, q, v, name, axes=axes)
            assert J.shape == (6, model.nv)
            scale = size(J) * (size(v) + size(vdot) + size(v) ** 2) * model.nv + size(drift)
            assert_close(J @ v, now.velocity(name, axes), scale=scale)
            assert_close(J @ vdot + drift, now.acceleration(name, axes), scale=scale)
            assert_close(rate(lw.jacobian(model, around, name, axes=axes)) @ v, drift, DIFFERENCES, scale)


@given(seeds)
def test_a_jacobian_has_columns_only_for_the_joints_that_carry_the_frame(seed):
    """What does not lie between a frame and the ground does not move it: these columns are exactly zero."""
    _, model, q, *_ = case(seed)
    above = {"ground": set()}
    for joint in model.joints:
        above[joint.child] = above[joint.parent] | {joint.name}
    for body in model.bodies:
        J = lw.jacobian(model, q, body.name)
        for joint in model.joints:
            if joint.name not in above[body.name]:
                assert (J[:, joint.v_index] == 0.0).all()
            elif joint.nv:
                assert size(J[:, joint.v_index]) > 0.0


@given(seeds)
def test_centre_of_mass_is_the_mean_of_mass(seed):
    """The centre of mass is the weighted mean of the bodies' centres; its velocity and acceleration are its rates."""
    _, model, q, v, vdot, _ = case(seed)
    position, velocity, acceleration = lw.center_of_mass(model, q, v, vdot)
    kinematics = lw.forward_kinematics(model, q)
    fixed = {"ground"}
    for joint in model.joints:
        fixed |= {joint.child} if joint.parent in fixed and not joint.nv else set()
    moving = [body for body in model.bodies if body.name not in fixed]
    masses = np.array([body.inertia.mass for body in moving])
    centres = np.array([kinematics.pose(body.name).act(body.inertia.com) for body in moving])
    assert_close(masses.sum(), model.mass)
    scale = 1.0 + size(kinematics.positions)
    assert_close(position, masses @ centres / masses.sum(), scale=scale)
    qs, vs = path(model, q, v, vdot)
    scale *= (1.0 + size(v)) ** 2 * (1.0 + size(vdot)) * model.nv
    assert_close(velocity, rate(lw.center_of_mass(model, qs)), DIFFERENCES, scale)
    assert_close(acceleration, rate(lw.center_of_mass(model, qs, vs)[1]), DIFFERENCES, scale)
    assert_close(lw.center_of_mass(model, q, v)[1], velocity)


# ------------------------------------------------------------------------------------------------------ configuration space


def short_turns(model, dv, most=3.0):
    """dv with every turn of a ball or free joint cut to less than pi, where the logarithm is the inverse of the exponential."""
    dv = dv.copy()
    for joint in model.joints:
        if joint.kind.ball or joint.kind.free:
            turn = dv[..., joint.v_index.start : joint.v_index.start + 3]
            turn *= np.minimum(1.0, most / np.linalg.norm(turn, axis=-1, keepdims=True))
    return dv


@pytest.mark.slow
@given(seeds, st.sampled_from([1e-9, 1e-3, 1.0, 10.0]))
def test_difference_undoes_integrate(seed, length):
    """difference(q, integrate(q, dv)) = dv for turns below pi, from the smallest displacements to the largest."""
    _, model, q, v, *_ = case(seed)
    dv = short_turns(model, length * v)
    moved = lw.integrate(model, q, dv)
    assert size(moved - q) > 0.1 * min(length, 0.1) * size(v) / model.nv
    # Coordinates of size 1 and of size dv are rounded; near a turn of pi the logarithm loses a digit.
    assert_close(lw.difference(model, q, moved), dv, 1e-14, scale=10.0 * (size(q) + size(dv)) * (1.0 + size(dv)))


@given(seeds)
def test_integrate_reaches_what_difference_measured(seed):
    """integrate(q0, difference(q0, q1)) = q1, up to the sign of quaternions, and the way back is the opposite displacement."""
    _, model, q0, *_ = case(seed)
    q1 = lw.random_configuration(model, seed + 7)
    dv = lw.difference(model, q0, q1)
    reached = lw.integrate(model, q0, dv)
    assert size(dv) > 0.1
    for at in model.tables.quats:
        if reached[at : at + 4] @ q1[at : at + 4] < 0.0:
            reached[at : at + 4] *= -1.0
    assert_close(reached, q1, 1e-13, scale=1.0 + size(q1))
    back = lw.difference(model, q1, q0)
    turns = [np.linalg.norm(dv[j.v_index][:3]) for j in model.joints if j.kind.ball or j.kind.free]
    if max(turns, default=0.0) < 3.0:  # at half a turn both ways round are right
        assert_close(back, -dv, 1e-12, scale=1.0 + size(dv))


@given(seeds)
def test_displacements_along_one_line_add_up(seed):
    """integrate(integrate(q, a dv), b dv) = integrate(q, (a + b) dv); quaternions stay of unit length."""
    _, model, q, v, *_ = case(seed)
    twice = lw.integrate(model, lw.integrate(model, q, 0.4 * v), 0.3 * v)
    once = lw.integrate(model, q, 0.7 * v)
    assert_close(lw.difference(model, once, twice), np.zeros(model.nv), 1e-13, scale=1.0 + size(q) + size(v))
    for at in model.tables.quats:
        assert abs(np.linalg.norm(twice[at : at + 4]) - 1.0) < 1e-15 * 4


@given(seeds)
def test_random_configurations_stay_within_limits_and_clamp_leaves_them_alone(seed):
    """A random configuration is allowed, and clamping what is allowed changes nothing."""
    _, model, *_ = case(seed)
    q = lw.random_configuration(model, seed, 4)
    assert lw.within_limits(model, q).all()
    assert (lw.clamp(model, q) == q).all()
    assert (lw.random_configuration(model, seed, 4) == q).all()
