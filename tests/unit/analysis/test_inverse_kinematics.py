"""Inverse kinematics: targets reached, weights, limits, loops kept closed, batches."""

import numpy as np
import pytest

import linkwork as lw

from ...zoo import configuration
from ...zoo_spatial import stewart


def arm(n=3, **options):
    """n links of 1 m in the plane z = 0, with a frame "hand" at the end."""
    m = lw.Mechanism("arm")
    near, at = m.ground, 0.0
    for k in range(n):
        far = m.add_body(f"link {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"joint {k}", lw.Revolute((0, 0, 1), **options), near.at(at, 0, 0), far)
        near, at = far, 1.0
    m.add_frame("hand", near.at(1, 0, 0))
    return m.build()


def hand(model, q):
    return lw.forward_kinematics(model, q).position("hand")


def test_a_position_is_reached():
    model = arm()
    found = lw.inverse_kinematics(model, [0.3, 0.3, 0.3], {"hand": (1.0, 1.5, 0.0)})
    assert found.reached and hand(model, found.q) == pytest.approx([1.0, 1.5, 0.0], abs=1e-8)


def test_a_pose_is_reached():
    model = arm()
    target = lw.Pose((1.2, 1.0, 0.0), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    found = lw.inverse_kinematics(model, [0.3, 0.3, 0.3], {"hand": target})
    assert found.reached
    assert np.allclose(lw.forward_kinematics(model, found.q).pose("hand").matrix, target.matrix, atol=1e-8)


def test_beyond_reach_the_arm_points_at_the_target():
    model = arm()
    found = lw.inverse_kinematics(model, [0.3, 0.3, 0.3], {"hand": (3.0, 4.0, 0.0)}, max_iterations=500)
    assert not found.reached
    assert hand(model, found.q) == pytest.approx([1.8, 2.4, 0.0], abs=1e-3)  # 3 m along the direction of a target 5 m away
    assert np.all(np.isfinite(found.q))


def test_weights_decide_between_targets_that_contradict():
    model = arm()
    targets = [lw.Target("hand", (3.0, 0.0, 0.0), weight=10.0), lw.Target("link 2", (0.0, 2.0, 0.0), weight=0.1)]
    found = lw.inverse_kinematics(model, [0.3, 0.3, 0.3], targets, max_iterations=500)
    assert np.linalg.norm(hand(model, found.q) - [3.0, 0.0, 0.0]) < 0.05


def test_limits_are_kept():
    model = arm(lower=-0.2, upper=0.6)
    found = lw.inverse_kinematics(model, [0.3, 0.3, 0.3], {"hand": (1.0, 1.5, 0.0)}, max_iterations=300)
    assert np.all(found.q >= -0.2) and np.all(found.q <= 0.6) and not found.reached
    assert lw.inverse_kinematics(model, [0.3, 0.3, 0.3], {"hand": (1.0, 1.5, 0.0)}, limits=False).reached


def test_held_joints_stay():
    model = arm()
    found = lw.inverse_kinematics(model, [0.3, 0.3, 0.3], {"hand": (1.0, 1.5, 0.0)}, hold="joint 0")
    assert found.q[0] == 0.3 and found.reached


def test_a_batch_of_targets_is_solved_together():
    model = arm()
    rng = np.random.default_rng(4)
    wanted = np.concatenate([rng.uniform(0.5, 1.5, size=(20, 2)), np.zeros((20, 1))], axis=1)
    found = lw.inverse_kinematics(model, [0.3, 0.3, 0.3], {"hand": wanted})
    assert found.q.shape == (20, 3) and found.reached.all()
    assert np.allclose(hand(model, found.q), wanted, atol=1e-8)


def test_loops_stay_closed():
    """The top of a Stewart platform is moved; all six legs follow."""
    mechanism, guess, _ = stewart()
    model = mechanism.build()
    q0 = configuration(model, guess)
    top = "platform"
    pose = lw.forward_kinematics(model, q0).pose(top)
    target = lw.Pose((0.03, -0.02, 0.05)) @ pose @ lw.Pose.exp([0.1, -0.05, 0.08, 0, 0, 0])
    found = lw.inverse_kinematics(model, q0, {top: target})
    assert found.reached and found.gap < 1e-9
    assert np.allclose(lw.forward_kinematics(model, found.q).pose(top).matrix, target.matrix, atol=1e-7)
    assert np.max(np.abs(found.q - q0)) > 0.01


@pytest.mark.parametrize(
    "targets",
    [{}, [], ["hand"], {"hand": (1.0, 2.0)}, {"hand": (np.nan, 0, 0)}, [lw.Target("hand")], [lw.Target("hand", (0, 0, 0), weight=-1.0)]],
)
def test_wrong_targets_are_refused(targets):
    with pytest.raises(lw.StateError) as caught:
        lw.inverse_kinematics(arm(), [0.3, 0.3, 0.3], targets)
    assert caught.value.argument == "targets"


def test_unknown_frames_are_refused_by_name():
    with pytest.raises(lw.UnknownNameError, match="hand"):
        lw.inverse_kinematics(arm(), [0.3, 0.3, 0.3], {"hnad": (0, 0, 0)})
