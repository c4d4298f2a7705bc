"""What must not matter: the root of a floating tree, the frame of the world, the order of parts, how a joint or a body is put together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw

from .measures import assert_close, case, condition, force_scale, seeds, size
from .mechanisms import add_random_body, direction, random_pose, reordered


def carried_over(model, values, other, which):
    """Values by joint of one model in the order of another; joints that the first does not have are zero."""
    result = np.zeros(other.nq if which == "q_index" else other.nv)
    for joint in other.joints:
        if joint.name in [mine.name for mine in model.joints]:
            result[getattr(joint, which)] = values[getattr(model.joint(joint.name), which)]
    return result


def by_body(model, rows, other):
    """Rows of the bodies of one model in the order of another."""
    return np.array([rows[model.body(body.name).index] for body in other.bodies])


def free_joints(model):
    return [joint for joint in model.joints if joint.name.endswith(".free")]


@given(seeds, st.integers(0, 2**16))
def test_the_root_of_a_floating_tree_does_not_matter(seed, choice):
    """Whichever body carries the free joint: the same energy, the same accelerations of all joints and bodies."""
    mechanism, model, q, v, tau, f_ext = case(seed, "floating")
    base = free_joints(model)[0]
    others = [body.name for body in model.bodies if body.name != base.child]
    root = others[choice % len(others)]
    turned = mechanism.clone()
    turned.reroot(root)
    other = turned.build()
    free = other.joint(f"{root}.free")
    assert [joint.name for joint in free_joints(other)] == [free.name]
    assert other != model

    kinematics = lw.forward_kinematics(model, q, v)
    q2, v2 = carried_over(model, q, other, "q_index"), carried_over(model, v, other, "v_index")
    pose = kinematics.pose(root)
    q2[free.q_index] = np.concatenate([pose.translation, pose.quaternion])
    v2[free.v_index] = kinematics.velocity(root)
    tau = tau.copy()
    tau[base.v_index] = 0.0
    tau2, f2 = carried_over(model, tau, other, "v_index"), by_body(model, f_ext, other)

    vdot = lw.forward_dynamics(model, q, v, tau, f_ext)
    vdot2 = lw.forward_dynamics(other, q2, v2, tau2, f2)
    scale = (1.0 + force_scale(model, q, v, vdot, f_ext)) * size(lw.inverse_mass_matrix(model, q)) * (1.0 + size(q)) ** 2
    for joint in model.joints:
        if joint is not base:
            assert_close(vdot2[other.joint(joint.name).v_index], vdot[joint.v_index], scale=scale)
    one, two = lw.forward_kinematics(model, q, v, vdot), lw.forward_kinematics(other, q2, v2, vdot2)
    spread = scale * (1.0 + size(one.positions))
    assert size(one.accelerations) > 1e-3
    assert_close(by_body(other, two.accelerations, model), one.accelerations, scale=spread)
    assert_close(by_body(other, two.velocities, model), one.velocities, scale=spread)
    # Armature is felt by a joint, not by a body, so it does not depend on the root either.
    assert_close(lw.energy(other, q2, v2).kinetic, lw.energy(model, q, v).kinetic)
    assert_close(
        lw.energy(other, q2, v2).potential, lw.energy(model, q, v).potential, scale=100.0 * model.mass * (1.0 + size(one.positions))
    )


@given(seeds)
def test_the_frame_of_the_world_does_not_matter(seed):
    """Everything turned and shifted, gravity included: the same joint accelerations, the same motion of bodies in their own frames."""
    mechanism, model, q, v, tau, f_ext = case(seed)
    X = random_pose(np.random.default_rng(seed), reach=2.0)
    moved = lw.Mechanism("moved", X.rotation @ mechanism.gravity)
    moved.merge(mechanism, at=X)
    other = moved.build()
    q2 = q.copy()
    for joint in free_joints(model):  # where floating bodies are is a matter of the state
        pose = X @ lw.Pose(q[joint.q_index][:3], q[joint.q_index][3:])
        q2[joint.q_index] = np.concatenate([pose.translation, pose.quaternion])
    vdot, vdot2 = lw.forward_dynamics(model, q, v, tau, f_ext), lw.forward_dynamics(other, q2, v, tau, f_ext)
    scale = force_scale(model, q, v, vdot, f_ext) * size(lw.inverse_mass_matrix(model, q))
    assert_close(vdot2, vdot, scale=scale)
    assert_close(lw.inverse_dynamics(other, q2, v, vdot, f_ext), tau, scale=force_scale(model, q, v, vdot, f_ext))
    assert_close(lw.mass_matrix(other, q2), lw.mass_matrix(model, q))
    one, two = lw.forward_kinematics(model, q, v, vdot), lw.forward_kinematics(other, q2, v, vdot)
    assert_close(two.accelerations, one.accelerations, scale=size(one.accelerations) + size(one.velocities) ** 2)
    assert_close(two.positions, X.act(one.positions), scale=1.0 + size(two.positions))
    energy, energy2 = lw.energy(model, q, v), lw.energy(other, q2, v)
    assert_close(energy2.kinetic, energy.kinetic)
    lifted = energy.potential - model.mass * other.gravity @ X.translation
    assert_close(energy2.potential, lifted, scale=100.0 * model.mass * (1.0 + size(two.positions)))
    assert size(two.positions - one.positions) > 0.1


@given(seeds, st.integers(0, 2**16))
def test_the_order_of_parts_does_not_matter(seed, choice):
    """Parts added in another order give the same numbers under the same names."""
    mechanism, model, q, v, tau, f_ext = case(seed)
    other = reordered(mechanism, choice).build()
    q2, v2, tau2 = (carried_over(model, x, other, w) for x, w in ((q, "q_index"), (v, "v_index"), (tau, "v_index")))
    f2 = by_body(model, f_ext, other)
    vdot, vdot2 = lw.forward_dynamics(model, q, v, tau, f_ext), lw.forward_dynamics(other, q2, v2, tau2, f2)
    scale = force_scale(model, q, v, vdot, f_ext) * size(lw.inverse_mass_matrix(model, q))
    assert_close(carried_over(other, vdot2, model, "v_index"), vdot, scale=scale)
    bias = lw.bias_force(model, q, v, f_ext)
    assert_close(carried_over(other, lw.bias_force(other, q2, v2, f2), model, "v_index"), bias, scale=force_scale(model, q, v, v, f_ext))
    columns = [carried_over(other, column, model, "v_index") for column in lw.mass_matrix(other, q2)]
    assert_close(np.array([carried_over(other, row, model, "v_index") for row in np.array(columns).T]), lw.mass_matrix(model, q))
    one, two = lw.forward_kinematics(model, q, v), lw.forward_kinematics(other, q2, v2)
    assert_close(by_body(other, two.positions, model), one.positions, scale=1.0 + size(one.positions))
    assert_close(by_body(other, two.velocities, model), one.velocities, scale=1.0 + size(one.velocities))
    assert_close(lw.energy(other, q2, v2).kinetic, lw.energy(model, q, v).kinetic)


# -------------------------------------------------------------------------------------- the same joint or body, put together


def _single(rng, *kinds):
    """A chain: a hinge with a body, then the given joint kinds with massless bodies between, then a body with a hinge and another."""
    m = lw.Mechanism("compound", (1.0, -2.0, -9.0))
    first = add_random_body(m, "first", rng)
    m.add_joint("root", lw.Revolute(direction(rng)), m.ground.at(random_pose(rng)), first.at(random_pose(rng)))
    near, far = random_pose(rng), random_pose(rng)
    last = add_random_body(m, "last", rng)
    tip = add_random_body(m, "tip", rng)
    m.add_joint("tip joint", lw.Revolute(direction(rng)), last.at(random_pose(rng)), tip.at(random_pose(rng)))
    at = first.at(near)
    for k, kind in enumerate(kinds):
        end = k == len(kinds) - 1
        body = last if end else m.add_body(f"between {k}")
        m.add_joint(f"joint {k}", kind, at, body.at(far) if end else body)
        at = body.at()
    return m.build()


X, Y, N = (1.0, 2.0, -0.5), (0.3, -1.0, 0.4), (2.0, 0.5, 1.0)
PLANE = lw.Planar(N, X).elements
COMPOUNDS = {
    "universal": (lw.Universal(X, Y), (lw.Revolute(X), lw.Revolute(Y))),
    "cylindrical": (lw.Cylindrical(X), (lw.Revolute(X), lw.Prismatic(X))),
    "planar": (lw.Planar(N, X), (lw.Prismatic(PLANE[0].axis), lw.Prismatic(PLANE[1].axis), lw.Revolute(N))),
    "translational": (lw.Translational(), (lw.Prismatic((1, 0, 0)), lw.Prismatic((0, 1, 0)), lw.Prismatic((0, 0, 1)))),
}


@pytest.mark.parametrize("name", COMPOUNDS)
@given(seed=st.integers(0, 2**16))
def test_a_joint_of_several_freedoms_is_a_chain_of_single_ones(name, seed):
    """A joint of several freedoms moves as its single joints in a row with massless bodies between (Featherstone 1987, section 7.4)."""
    whole, parts = COMPOUNDS[name]
    one, many = _single(np.random.default_rng(seed), whole), _single(np.random.default_rng(seed), *parts)
    assert (one.nv, one.nb) == (many.nv, many.nb - len(parts) + 1)
    rng = np.random.default_rng(seed + 1)
    q, v, tau = lw.random_configuration(one, rng), rng.normal(size=one.nv), rng.normal(size=one.nv)
    vdot = lw.forward_dynamics(one, q, v, tau)
    assert_close(lw.forward_dynamics(many, q, v, tau), vdot, scale=size(vdot) * condition(one, q))
    assert_close(lw.mass_matrix(many, q), lw.mass_matrix(one, q))
    assert_close(lw.bias_force(many, q, v), lw.bias_force(one, q, v), scale=force_scale(one, q, v, v))


@given(st.integers(0, 2**16))
def test_a_free_joint_is_a_translation_and_a_ball(seed):
    """Free = Translational, then Spherical on a massless body: the bodies accelerate alike."""
    one, many = _single(np.random.default_rng(seed), lw.Free()), _single(np.random.default_rng(seed), lw.Translational(), lw.Spherical())
    rng = np.random.default_rng(seed + 1)
    q, v = lw.random_configuration(one, rng), rng.normal(size=one.nv)
    v2 = v.copy()
    free = one.joint("joint 0")
    R = lw.Pose((0, 0, 0), q[free.q_index][3:]).rotation
    v2[many.joint("joint 0").v_index] = R @ v[free.v_index][3:]
    v2[many.joint("joint 1").v_index] = v[free.v_index][:3]
    vdot, vdot2 = lw.forward_dynamics(one, q, v), lw.forward_dynamics(many, q, v2)
    a, b = lw.forward_kinematics(one, q, v, vdot), lw.forward_kinematics(many, q, v2, vdot2)
    for body in ("first", "last", "tip"):
        scale = (1.0 + size(a.accelerations)) * condition(one, q)
        assert_close(b.velocity(body), a.velocity(body), scale=1.0 + size(a.velocities))
        assert_close(b.acceleration(body), a.acceleration(body), scale=scale)


@given(st.integers(0, 2**16))
def test_bodies_welded_together_are_one_body(seed):
    """A body cut in two and welded moves as it did; wrenches on either piece act on the whole."""
    rng = np.random.default_rng(seed)
    whole, cut = lw.Mechanism("whole"), lw.Mechanism("cut")
    places = [random_pose(rng) for _ in range(4)]
    axes = [direction(rng), direction(rng)]
    pieces = lw.Mechanism("pieces")
    one, two = (add_random_body(pieces, name, rng).mass_properties() for name in ("one", "two"))
    X = random_pose(rng)  # of the second piece in the first
    far = add_random_body(pieces, "far", rng).mass_properties()
    near = whole.add_body("near", inertia=one + two.transformed(X))
    tip = whole.add_body("tip", inertia=far)
    whole.add_joint("a", lw.Screw(axes[0], 0.1), whole.ground.at(places[0]), near.at(places[1]))
    whole.add_joint("b", lw.Revolute(axes[1]), near.at(places[2]), tip.at(places[3]))
    near, other, tip = cut.add_body("near", inertia=one), cut.add_body("other", inertia=two), cut.add_body("tip", inertia=far)
    weld = near.at(X), other.at()
    cut.add_joint("weld", lw.Weld(), *(weld if seed % 2 else reversed(weld)))
    cut.add_joint("a", lw.Screw(axes[0], 0.1), cut.ground.at(places[0]), near.at(places[1]))
    cut.add_joint("b", lw.Revolute(axes[1]), other.at(X.inverse() @ places[2]), tip.at(places[3]))
    one, two = whole.build(), cut.build()
    q, v, tau, wrench = rng.normal(size=2), rng.normal(size=2), rng.normal(size=2), rng.normal(size=6)
    on_whole = X.force_adjoint @ wrench
    expected = lw.forward_dynamics(one, q, v, tau, {"near": on_whole})
    assert_close(lw.forward_dynamics(two, q, v, tau, {"other": wrench}), expected, scale=(1.0 + size(expected)) * condition(one, q))
    assert_close(lw.mass_matrix(two, q), lw.mass_matrix(one, q))
    assert_close(lw.energy(two, q, v).total, lw.energy(one, q, v).total, scale=100.0)
