"""Laws of motion, over random mechanisms of every joint kind: forces, accelerations, energy, momentum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw

from .measures import (
    DIFFERENCES,
    armature_bias,
    assert_close,
    body_jacobians,
    case,
    condition,
    cross_force,
    force_scale,
    path,
    rate,
    reflected_inertia,
    seeds,
    size,
    wrench_in_world,
)
from .mechanisms import FAMILIES, KINDS, with_gravity


@pytest.mark.slow
def test_the_families_hold_every_joint_kind_both_ways():
    """The mechanisms of this folder have every joint kind, walked forwards and backwards; branches; several roots; floating bases."""
    models = [case(seed).model for seed in range(150)]
    walked = {(joint.kind.__class__.__name__, joint.backwards) for model in models for joint in model.joints}
    kinds = {kind(np.random.default_rng(0)).__class__.__name__ for kind in KINDS.values()}
    assert walked == {(kind, way) for kind in kinds for way in (False, True)}
    assert {case(seed).mechanism.name.rsplit(" ", 1)[0] for seed in range(150)} == set(FAMILIES)
    roots = [sum(joint.parent == "ground" for joint in model.joints) for model in models]
    assert max(roots) >= 3
    assert any(joint.kind.__class__ is lw.Weld and joint.parent == "ground" for model in models for joint in model.joints)
    assert any(joint.armature.any() for model in models for joint in model.joints)
    assert any(body.inertia.mass == 0.0 for model in models for body in model.bodies)
    assert any(joint.name.endswith(".free") for model in models for joint in model.joints)


@given(seeds)
def test_inverse_dynamics_undoes_forward_dynamics(seed):
    """The forces that the accelerations need are the forces that caused them, with external wrenches and without."""
    _, model, q, v, tau, f_ext = case(seed)
    for f in (None, f_ext):
        vdot = lw.forward_dynamics(model, q, v, tau, f)
        assert size(vdot) > 1e-3
        assert_close(lw.inverse_dynamics(model, q, v, vdot, f), tau, scale=force_scale(model, q, v, vdot, f))


@given(seeds)
def test_forward_dynamics_undoes_inverse_dynamics(seed):
    """The accelerations that the forces cause are those the forces were computed for."""
    _, model, q, v, vdot, f_ext = case(seed)
    tau = lw.inverse_dynamics(model, q, v, vdot, f_ext)
    # Rounding of the forces reaches the accelerations through M^-1.
    scale = force_scale(model, q, v, vdot, f_ext) * size(lw.inverse_mass_matrix(model, q))
    assert_close(lw.forward_dynamics(model, q, v, tau, f_ext), vdot, scale=scale)


@given(seeds)
def test_newton_euler_is_the_principle_of_virtual_power(seed):
    """tau = sum over bodies of J^T (I a + V x* I V - m g - f) + A vdot + V x* A V, A the armatures, with accelerations and Jacobians from kinematics alone."""
    _, model, q, v, vdot, f_ext = case(seed)
    kinematics = lw.forward_kinematics(model, q, v, vdot)
    J, V, A = body_jacobians(model, q), kinematics.velocities, kinematics.accelerations
    inertias = np.array([body.inertia.matrix for body in model.bodies])
    field = np.zeros((model.nb, 6))
    field[:, 3:] = np.einsum("bji,j->bi", kinematics.rotations, model.gravity)
    momenta = np.einsum("bij,bj->bi", inertias, V)
    forces = np.einsum("bij,bj->bi", inertias, A - field) + cross_force(V, momenta) - f_ext
    expected = np.einsum("bij,bi->j", J, forces) + reflected_inertia(model) * vdot + armature_bias(model, v)
    assert_close(lw.inverse_dynamics(model, q, v, vdot, f_ext), expected, scale=force_scale(model, q, v, vdot, f_ext))


@given(seeds)
def test_mass_matrix_is_symmetric_and_positive_definite(seed):
    """M = M^T, bit by bit, and x^T M x > 0."""
    _, model, q, *_ = case(seed)
    M = lw.mass_matrix(model, q)
    assert M.shape == (model.nv, model.nv)
    assert (M == M.T).all()
    assert np.linalg.eigvalsh(M)[0] > 0.0


@given(seeds)
def test_columns_of_the_mass_matrix_are_differences_of_inverse_dynamics(seed):
    """M e_k = ID(q, v, e_k) - ID(q, v, 0), whatever v and gravity are."""
    _, model, q, v, *_ = case(seed)
    M, nv = lw.mass_matrix(model, q), model.nv
    columns = lw.inverse_dynamics(model, q, v, np.eye(nv)) - lw.bias_force(model, q, v)
    assert_close(columns.T, M, scale=size(M) + size(lw.bias_force(model, q, v)))
    assert_close(lw.mass_matrix_times(model, q, np.eye(nv)).T, M)


@given(seeds)
def test_mass_matrix_times_is_the_product_with_the_mass_matrix(seed):
    """mass_matrix_times(q, x) = M(q) x."""
    _, model, q, v, *_ = case(seed)
    M = lw.mass_matrix(model, q)
    assert_close(lw.mass_matrix_times(model, q, v), M @ v, scale=size(M) * size(v))


@given(seeds)
def test_mass_matrix_is_the_inertia_of_the_bodies_seen_through_their_jacobians(seed):
    """M = sum over bodies of J^T I J + armature on the diagonal; so kinetic energy is v^T M v / 2."""
    _, model, q, v, *_ = case(seed)
    J, M = body_jacobians(model, q), lw.mass_matrix(model, q)
    inertias = np.array([body.inertia.matrix for body in model.bodies])
    assert_close(M, np.einsum("bki,bkl,blj->ij", J, inertias, J) + np.diag(reflected_inertia(model)))
    kinetic = lw.energy(model, q, v).kinetic
    assert kinetic > 1e-6
    assert_close(kinetic, v @ M @ v / 2.0, scale=size(M) * size(v) ** 2)


# ------------------------------------------------------------------------------------------------------------------ energy


@settings(max_examples=25)
@given(seeds)
def test_the_action_is_stationary_under_the_forces_of_inverse_dynamics(seed):
    """Hamilton's principle: for any path q(t), and any variation w(t) of it that vanishes at both ends, with tau what inverse dynamics finds,

        d/d eps  integral of (T - V)(q (+) eps w) dt  +  integral of tau . w dt  =  0.

    Only poses and energies are looked at beside tau, so every velocity term that a joint kind or its armature needs is in it.
    """
    _, model, q0, _, _, _ = case(seed)
    rng = np.random.default_rng(seed)
    a, b, c = 0.4 * rng.normal(size=(3, model.nv))
    nodes, weights = np.polynomial.legendre.leggauss(16)
    times, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    eps, h = 1e-2, 5e-3
    stencil, first = h * np.arange(-3, 4), np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / (60.0 * h)

    def motion(t, shift):
        """Positions and velocities at times t, on the path that is moved by `shift` times the variation."""
        s = t[:, None, None] + stencil[:, None]
        q = lw.integrate(model, q0, a * s + b * np.sin(3.0 * s))
        q = lw.integrate(model, q, shift * c * (4.0 * s * (1.0 - s)) ** 2)
        return q[:, 3], np.einsum("k,tkj->tj", first, lw.difference(model, q[:, 3:4], q))

    def action(shift):
        e = lw.energy(model, *motion(times, shift))
        return weights @ (e.kinetic - e.potential)

    variation = (8.0 * (action(eps) - action(-eps)) - (action(2 * eps) - action(-2 * eps))) / (12.0 * eps)
    q, v = motion(times, 0.0)
    vdot = np.einsum("k,tkj->tj", first, np.stack([motion(times + s, 0.0)[1] for s in stencil], axis=1))
    tau = lw.inverse_dynamics(model, q, v, vdot)
    work = weights @ np.einsum("tj,tj->t", tau, c * (4.0 * times * (1.0 - times))[:, None] ** 2)
    # Differences err by (3 h)^6 and eps^4 of what they differentiate, some 1e-8 of the forces.
    assert abs(variation + work) < 1e-6 * np.abs(tau).max() * np.abs(c).max() * model.nv


@given(seeds)
def test_power_of_all_forces_is_the_rate_of_energy(seed):
    """d(T + V)/dt = tau . v + sum of f . V, along the motion that the forces cause."""
    _, model, q, v, tau, f_ext = case(seed)
    vdot = lw.forward_dynamics(model, q, v, tau, f_ext)
    power = tau @ v + np.sum(f_ext * lw.forward_kinematics(model, q, v).velocities)
    energies = lw.energy(model, *path(model, q, v, vdot))
    assert abs(power) > 1e-6
    scale = abs(power) + size(energies.kinetic) + size(energies.potential)
    assert np.ptp(energies.kinetic) > 1e-6 * scale
    assert_close(rate(energies.total), power, DIFFERENCES, scale)


@given(seeds)
def test_gravity_force_is_the_gradient_of_potential_energy(seed):
    """gravity_force = dV/dq along every velocity coordinate; it is the bias force at rest."""
    _, model, q, *_ = case(seed)
    gradient = [rate(lw.energy(model, *path(model, q, e)).potential) for e in np.eye(model.nv)]
    force = lw.gravity_force(model, q)
    scale = 1.0 + size(force) + abs(lw.energy(model, q, np.zeros(model.nv)).potential)
    assert_close(force, gradient, DIFFERENCES, scale)
    assert_close(lw.bias_force(model, q, np.zeros(model.nv)), force)


@given(seeds)
def test_gravity_is_the_same_as_weights_on_the_bodies(seed):
    """A field of gravity acts as the weight of every body at its centre of mass, given as an external wrench."""
    mechanism, model, q, v, tau, _ = case(seed)
    assert size(model.gravity) > 1.0
    weightless = with_gravity(mechanism, (0.0, 0.0, 0.0)).build()
    rotations = lw.forward_kinematics(model, q).rotations
    masses, coms = np.array([b.inertia.mass for b in model.bodies]), np.array([b.inertia.com for b in model.bodies])
    f = masses[:, None] * np.einsum("bji,j->bi", rotations, model.gravity)
    weights = np.concatenate([np.cross(coms, f), f], axis=1)
    vdot = lw.forward_dynamics(model, q, v, tau)
    assert_close(lw.forward_dynamics(weightless, q, v, tau, weights), vdot, scale=size(vdot) * condition(model, q))
    scale = force_scale(model, q, v, vdot)
    assert_close(lw.inverse_dynamics(weightless, q, v, vdot, weights), tau, scale=scale)
    assert size(lw.forward_dynamics(weightless, q, v, tau) - vdot) > 1e-3


# ---------------------------------------------------------------------------------------------------------------- momentum


@given(seeds)
def test_momentum_is_the_sum_of_the_momenta_of_the_bodies(seed):
    """h = sum of I V, in world axes about the origin; A_G v is the same about the centre of mass."""
    _, model, q, v, *_ = case(seed)
    kinematics = lw.forward_kinematics(model, q, v)
    momenta = np.array([b.inertia.matrix @ V for b, V in zip(model.bodies, kinematics.velocities, strict=True)])
    angular, linear = wrench_in_world(kinematics, momenta)
    h = lw.momentum(model, q, v)
    scale = size(momenta) * model.nb * (1.0 + size(kinematics.positions))
    assert size(angular) > 1e-3
    assert_close(h.linear, linear, scale=scale)
    assert_close(h.about_origin, angular, scale=scale)
    assert_close(h.angular, angular - np.cross(lw.center_of_mass(model, q), linear), scale=scale)
    assert_close(lw.centroidal_momentum_matrix(model, q) @ v, np.concatenate([h.angular, h.linear]), scale=scale)


@given(seeds)
def test_momentum_of_a_floating_tree_without_gravity_is_conserved(seed):
    """Nothing outside, no change: joint forces are internal, so linear and angular momentum keep their values."""
    _, model, q, v, tau, _ = case(seed, "floating", (0.0, 0.0, 0.0))
    tau = tau.copy()
    tau[model.joints[0].v_index] = 0.0  # the free joint of the base has no drive
    vdot = lw.forward_dynamics(model, q, v, tau)
    h = lw.momentum(model, *path(model, q, v, vdot))
    assert model.joints[0].name.endswith(".free")
    assert size(vdot) > 1e-3
    assert size(h.linear) > 1e-3
    # Momenta of single bodies change; only their sum does not.
    scale = size(lw.centroidal_momentum_matrix(model, q)) * (size(vdot) + size(v)) * (1.0 + size(q))
    assert_close(rate(h.linear), np.zeros(3), DIFFERENCES, scale)
    assert_close(rate(h.about_origin), np.zeros(3), DIFFERENCES, scale)


@given(seeds)
def test_external_wrenches_and_weight_change_the_momentum_of_a_floating_tree(seed):
    """dh/dt = sum of external wrenches + weight, about the world's origin; the centre of mass moves as a point with all the mass."""
    _, model, q, v, tau, f_ext = case(seed, "floating")
    tau = tau.copy()
    tau[model.joints[0].v_index] = 0.0
    vdot = lw.forward_dynamics(model, q, v, tau, f_ext)
    moment, force = wrench_in_world(lw.forward_kinematics(model, q), f_ext)
    com, weight = lw.center_of_mass(model, q), model.mass * model.gravity
    moment, force = moment + np.cross(com, weight), force + weight
    assert size(force) > 1e-3
    h = lw.momentum(model, *path(model, q, v, vdot))
    scale = size(lw.centroidal_momentum_matrix(model, q)) * (size(vdot) + size(v)) * (1.0 + size(q)) + size(force) + size(moment)
    assert_close(rate(h.linear), force, DIFFERENCES, scale)
    assert_close(rate(h.about_origin), moment, DIFFERENCES, scale)
    assert_close(lw.center_of_mass(model, q, v, vdot)[2], force / model.mass, scale=scale / model.mass)


# ------------------------------------------------------------------------------------------------------ hybrid and impulses


@given(seeds, st.integers(0, 2**16))
def test_hybrid_dynamics_agrees_with_forward_and_inverse_dynamics(seed, choice):
    """Any split into known forces and known accelerations gives back the motion both were taken from."""
    _, model, q, v, tau, f_ext = case(seed)
    vdot = lw.forward_dynamics(model, q, v, tau, f_ext)
    driven = np.random.default_rng(choice).uniform(size=model.nv) < 0.5
    found_vdot, found_tau = lw.hybrid_dynamics(model, q, v, np.where(driven, vdot, tau), driven, f_ext)
    scale = force_scale(model, q, v, vdot, f_ext)
    assert (found_vdot[driven] == vdot[driven]).all()
    assert (found_tau[~driven] == tau[~driven]).all()
    assert_close(found_tau, tau, scale=scale * condition(model, q))
    assert_close(found_vdot, vdot, scale=scale * size(lw.inverse_mass_matrix(model, q)) * condition(model, q))


@given(seeds)
def test_hybrid_dynamics_of_all_or_no_joints_is_inverse_or_forward_dynamics(seed):
    """With all joints driven only forces are unknown, with none only accelerations; names choose whole joints."""
    _, model, q, v, known, f_ext = case(seed)
    vdot, tau = lw.hybrid_dynamics(model, q, v, known, [joint.name for joint in model.joints], f_ext)
    assert (vdot == known).all()
    assert_close(tau, lw.inverse_dynamics(model, q, v, known, f_ext), scale=force_scale(model, q, v, known, f_ext))
    vdot, tau = lw.hybrid_dynamics(model, q, v, known, [], f_ext)
    assert (tau == known).all()
    expected = lw.forward_dynamics(model, q, v, known, f_ext)
    assert_close(vdot, expected, scale=size(expected) * condition(model, q))


@given(seeds)
def test_a_driven_joint_accelerates_as_told(seed):
    """Driving one joint by name fixes its accelerations, and its force is what makes forward dynamics do the same."""
    _, model, q, v, known, _ = case(seed)
    name = max(model.joints, key=lambda joint: joint.nv).name
    vdot, tau = lw.hybrid_dynamics(model, q, v, known, name)
    at = model.joint(name).v_index
    assert (vdot[at] == known[at]).all()
    assert size(tau[at] - known[at]) > 1e-6
    assert_close(lw.forward_dynamics(model, q, v, tau), vdot, scale=(1.0 + size(vdot)) * condition(model, q))


@given(seeds)
def test_impulses_change_velocity_through_the_inverse_mass_matrix(seed):
    """M dv = joint impulse + sum of J^T (impulsive wrench); gravity and velocity do not matter."""
    _, model, q, _, impulse, wrenches = case(seed)
    M, J = lw.mass_matrix(model, q), body_jacobians(model, q)
    total = impulse + np.einsum("bij,bi->j", J, wrenches)
    dv = lw.impulse_response(model, q, impulse, wrenches)
    assert size(dv) > 1e-6
    assert_close(M @ dv, total, scale=size(M) * size(dv) + size(total))
    by_name = {body.name: wrenches[body.index] for body in model.bodies}
    assert (lw.impulse_response(model, q, impulse, by_name) == dv).all()
    columns = lw.impulse_response(model, q, np.eye(model.nv))
    assert_close(columns @ M, np.eye(model.nv), scale=condition(model, q))


@given(seeds)
def test_inverse_inertia_is_the_mobility_of_a_frame(seed):
    """inverse_inertia(F, G) = J_F M^-1 J_G^T in the axes asked for."""
    _, model, q, *_ = case(seed)
    inverse = np.linalg.inv(lw.mass_matrix(model, q))
    frames = [model.bodies[-1].name, "mark 1", "mark 2", "ground"]
    for axes in ("world", "body"):
        J = {frame: lw.jacobian(model, q, frame, axes=axes) for frame in frames}
        for one, other in zip(frames, frames[1:] + frames[:1], strict=True):
            scale = 1e-300 + size(J[one]) * size(inverse) * max(size(J[one]), size(J[other])) * condition(model, q)
            assert_close(lw.inverse_inertia(model, q, one, axes=axes), J[one] @ inverse @ J[one].T, scale=scale)
            assert_close(lw.inverse_inertia(model, q, one, other, axes=axes), J[one] @ inverse @ J[other].T, scale=scale)
    moving = next(joint.child for joint in model.joints if joint.nv)
    assert size(lw.inverse_inertia(model, q, moving)) > 1e-6


# ---------------------------------------------------------------------------------------------------------- the mass matrix


@pytest.mark.parametrize("method", ["factor", "square"])
@given(seeds)
def test_inverse_mass_matrix_inverts_the_mass_matrix(method, seed):
    """M^-1 M = 1, by the sparse factor and by the factors of articulated inertias; solving with M gives the same."""
    _, model, q, _, b, _ = case(seed)
    M, inverse = lw.mass_matrix(model, q), lw.inverse_mass_matrix(model, q, method=method)
    assert_close(inverse @ M, np.eye(model.nv), scale=condition(model, q))
    assert_close(inverse, inverse.T)
    x = lw.solve_mass_matrix(model, q, b)
    assert_close(x, inverse @ b, scale=size(x) * condition(model, q))


def supports(model):
    """supports[i, j]: does the joint of velocity i carry that of velocity j, or the other way round? From the names of bodies alone."""
    above = {}
    for joint in model.joints:
        above[joint.child] = {joint.name} | above.get(joint.parent, set())
    related = np.zeros((model.nv, model.nv), dtype=bool)
    for a in model.joints:
        for b in model.joints:
            related[a.v_index, b.v_index] = a.name in above[b.child] or b.name in above[a.child]
    return related


@given(seeds)
def test_sparse_factor_reproduces_the_mass_matrix_and_keeps_its_zeros(seed):
    """L^T L = M; M and L are exactly zero between joints of which neither carries the other; log det M from the diagonal."""
    _, model, q, *_ = case(seed)
    M, factor = lw.mass_matrix(model, q), lw.factor_mass_matrix(model, q)
    unrelated = ~supports(model)
    assert (M[unrelated] == 0.0).all()
    assert (factor.L[unrelated] == 0.0).all()
    assert_close(factor.L.T @ factor.L, M)
    assert_close(factor.log_determinant, np.linalg.slogdet(M)[1], scale=model.nv * condition(model, q))


# ---------------------------------------------------------------------------------------------------------- external forces


@given(seeds)
def test_external_wrenches_act_through_the_jacobians_of_their_bodies(seed):
    """A wrench on a body is the joint forces J^T f; by name and by row are the same, and what is not named is zero."""
    _, model, q, v, vdot, f_ext = case(seed)
    J = body_jacobians(model, q)
    effect = lw.bias_force(model, q, v) - lw.bias_force(model, q, v, f_ext)
    assert size(effect) > 1e-3
    scale = force_scale(model, q, v, vdot, f_ext)
    assert_close(effect, np.einsum("bij,bi->j", J, f_ext), scale=scale)
    one = model.bodies[model.nb // 2]
    alone = np.zeros_like(f_ext)
    alone[one.index] = f_ext[one.index]
    for function in (lw.forward_dynamics, lw.inverse_dynamics):
        assert (function(model, q, v, vdot, {one.name: f_ext[one.index]}) == function(model, q, v, vdot, alone)).all()
        by_name = {body.name: f_ext[body.index] for body in reversed(model.bodies)}
        assert (function(model, q, v, vdot, by_name) == function(model, q, v, vdot, f_ext)).all()
        # No wrench at all: another kernel, the same sums but for the added zeros.
        assert_close(function(model, q, v, vdot, {}), function(model, q, v, vdot), scale=scale * condition(model, q))
