"""Inverse kinematics: what it answers is a nearest pose, by the projected gradient; what can be reached is reached; loops are closed."""

import numpy as np
import pytest

import linkwork as lw


def chain(rng, limited):
    """(model, q): links of about 1 m with random axes, hinges and, with limits, some slides, and a pose within the limits."""
    m, near, q = lw.Mechanism("chain"), None, []
    for k in range(int(rng.integers(2, 7))):
        body = m.add_body(f"link {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        at, axis = rng.uniform(-1.0, 1.0), rng.normal(size=3)
        bounds = {"lower": at - rng.uniform(0.1, 1.5), "upper": at + rng.uniform(0.1, 1.5)} if limited and rng.random() < 0.7 else {}
        kind = lw.Prismatic if bounds and rng.random() < 0.3 else lw.Revolute  # a slide without limits reaches anything
        m.add_joint(f"joint {k}", kind(tuple(axis), **bounds), m.ground if near is None else near.at(1, 0, 0), body)
        near, q = body, [*q, at]
    m.add_frame("hand", near.at(1, 0, 0))
    return m.build(), np.array(q)


def loop(rng):
    """(model, q): a planar five-bar, or a spatial loop with a ball, closed, with some limits."""
    m = lw.Mechanism("loop")
    lengths, feet = rng.uniform(0.7, 1.3, size=4), rng.uniform(0.6, 1.2)
    for side, x in (("left", 0.0), ("right", feet)):
        low = m.add_body(f"{side} crank", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
        high = m.add_body(f"{side} rod", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
        bounds = {"lower": -0.5, "upper": 2.6} if rng.random() < 0.5 else {}
        m.add_joint(f"{side} foot", lw.Revolute((0, 0, 1), **bounds), m.ground.at(x, 0, 0), low)
        m.add_joint(f"{side} knee", lw.Revolute((0, 0, 1)), low.at(lengths[0 if side == "left" else 1], 0, 0), high)
    rod = lengths[2:]
    m.add_joint(
        "top",
        lw.Revolute((0, 0, 1)) if rng.random() < 0.5 else lw.Spherical(),
        m.body("left rod").at(rod[0], 0, 0),
        m.body("right rod").at(rod[1], 0, 0),
    )
    m.add_frame("hand", m.body("left rod").at(rod[0], 0, 0))
    model = m.build()
    q = lw.neutral(model)
    for name, x in {"left foot": 2.0, "left knee": -1.2, "right foot": 1.1, "right knee": 1.2}.items():
        q[model.joint(name).q_index] = x
    return model, lw.assemble(model, q)


def free_slope(model, q, target):
    """|the gradient of 1/2 |hand - target|^2 along what constraints and limits allow|, by the distance: least squares over multipliers of known sign.

    Independent of the solver: min |g - G^T l - sum of limits z| with z >= 0, by SciPy.
    """
    from scipy.optimize import lsq_linear

    error = lw.forward_kinematics(model, q).position("hand") - target
    g = lw.jacobian(model, q, "hand")[3:].T @ error
    rows = [*lw.constraint_jacobian(model, q).J]
    least = [-np.inf] * len(rows)
    for joint in model.joints:
        if joint.nq == joint.nv:
            for k in range(joint.nv):
                i, x = joint.v_index.start + k, q[joint.q_index.start + k]
                for at, sign in ((joint.lower[k], 1.0), (joint.upper[k], -1.0)):
                    if abs(x - at) < 1e-12:
                        rows.append(sign * np.eye(model.nv)[i])
                        least.append(0.0)
    if not rows:
        return np.abs(g).max() / np.linalg.norm(error)
    A = np.array(rows).T
    found = lsq_linear(A, g, bounds=(least, np.inf), tol=1e-14, method="bvls" if min(A.shape) else "trf")
    return np.abs(A @ found.x - g).max() / np.linalg.norm(error)


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_the_projected_gradient_vanishes_beyond_reach(seed, limited):
    """At the answer no motion that limits and loops allow brings the hand nearer."""
    rng = np.random.default_rng(seed)
    model, q = chain(rng, limited)
    target = rng.normal(size=3)
    target *= 3.0 * (model.nv + 2.0) / np.linalg.norm(target)
    found = lw.inverse_kinematics(model, q, {"hand": target})
    assert lw.within_limits(model, found.q) and not found.reached and np.abs(found.q - q).max() > 0.01
    assert free_slope(model, found.q, target) < 1e-8  # STATIONARY, and what differences of poses lose


@pytest.mark.parametrize("seed", range(40))
def test_beyond_reach_loops_are_closed_and_the_projected_gradient_vanishes(seed):
    rng = np.random.default_rng(seed)
    model, q = loop(rng)
    target = lw.forward_kinematics(model, q).position("hand") + [*(3.0 * rng.normal(size=2)), 0.0]
    found = lw.inverse_kinematics(model, q, {"hand": target})
    assert found.gap < 1e-9 * 10 and lw.within_limits(model, found.q)
    if not found.reached:
        assert free_slope(model, found.q, target) < 1e-6


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_what_can_be_reached_is_reached(seed, limited):
    """The place of the hand in some pose within the limits is a target that it reaches from another."""
    rng = np.random.default_rng(100 + seed)
    model, q = chain(rng, limited)
    goal = lw.clamp(model, q + rng.uniform(-0.5, 0.5, size=model.nq))
    found = lw.inverse_kinematics(model, q, {"hand": lw.forward_kinematics(model, goal).position("hand")})
    assert found.reached and lw.within_limits(model, found.q)


def arm(n, **limits):
    m, near = lw.Mechanism("arm"), None
    for k in range(n):
        body = m.add_body(f"link {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"joint {k}", lw.Revolute((0, 0, 1), **limits), m.ground if near is None else near.at(1, 0, 0), body)
        near = body
    m.add_frame("hand", near.at(1, 0, 0))
    return m.build()


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{}, {"lower": -2.5, "upper": 2.5}], ids=["no limits", "limits"])
@pytest.mark.parametrize("n", [2, 3])
def test_an_arm_stopped_short_of_the_nearest_pose_or_stuck_at_a_limit(n, limits):
    """Outstretched towards the target is nearest, r - n by geometry; a target within n m, in front, is reached."""
    model = arm(n, **limits)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        r, angle, q0 = n + rng.random(), rng.uniform(-2, 2), rng.uniform(-1, 1, n)
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        found = lw.inverse_kinematics(model, q0, {"hand": r * way})
        left = np.linalg.norm(lw.forward_kinematics(model, found.q).position("hand") - r * way)
        assert left == pytest.approx(r - n, abs=1e-9) and not found.reached
        assert lw.inverse_kinematics(model, q0, {"hand": (n - 0.05 - 0.8 * rng.random()) * way}).reached


def test_an_outstretched_arm_bends_towards_a_target_on_its_line():
    """The gradient is zero there, the pose no minimum: the way is along the curvature."""
    found = lw.inverse_kinematics(arm(2), [0.4, 0.0], {"hand": (1.2 * np.cos(0.4), 1.2 * np.sin(0.4), 0.0)})
    assert found.reached
