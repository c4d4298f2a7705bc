"""Arguments are judged alike whether a model has loops or not: what a tree does not need is refused all the same if it is wrong."""

import numpy as np
import pytest

import linkwork as lw

NAN, Q, V = float("nan"), [0.1], [0.2]


@pytest.fixture(scope="module")
def tree():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    return m.build()


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("t", lambda m: lw.inverse_kinematics(m, Q, {"bob": (0, 0, 0)}, t="abc")),
        ("t", lambda m: lw.inverse_kinematics(m, Q, {"bob": (0, 0, 0)}, t=10**400)),
        ("t", lambda m: lw.inverse_kinematics(m, Q, {"bob": (0, 0, 0)}, t=[0.0, 1.0])),
        ("hold", lambda m: lw.inverse_kinematics(m, Q, {"bob": (0, 0, 0)}, hold=1)),
        ("max_iterations", lambda m: lw.inverse_kinematics(m, Q, {"bob": (0, 0, 0)}, max_iterations=None)),
        ("limits", lambda m: lw.inverse_kinematics(m, Q, {"bob": (0, 0, 0)}, limits="yes")),
        ("q", lambda m: lw.constraint_jacobian(m, [1, [2]])),
        ("q", lambda m: lw.constraint_jacobian(m, [1.0, 2.0])),
        ("v", lambda m: lw.constraint_jacobian(m, Q, v="abc")),
        ("t", lambda m: lw.constraint_jacobian(m, Q, t=NAN)),
        ("v", lambda m: lw.assemble(m, Q, v0=[np.inf])),
        ("t", lambda m: lw.inverse_dynamics(m, Q, V, V, t=NAN)),
        ("t", lambda m: lw.energy(m, Q, V, t="abc")),
        ("t", lambda m: lw.energy(m, Q, V, t=NAN)),
        ("t", lambda m: lw.forward_dynamics(m, [Q, Q], [V, V], t=[0.0, 0.5, 1.0])),
    ],
)
def test_what_is_wrong_is_refused_by_name(tree, argument, call):
    with pytest.raises(lw.StateError, match=f"^{argument}: "):
        call(tree)


def test_an_unknown_joint_to_hold_is_refused(tree):
    with pytest.raises(lw.UnknownNameError, match="no joint is called 'nobody'"):
        lw.project_velocity(tree, Q, V, hold="nobody")


def test_results_have_the_axes_of_the_times_whether_anything_depends_on_time_or_not(tree):
    times = [0.0, 0.5, 1.0]
    assert lw.forward_dynamics(tree, Q, V, t=times).shape == (3, 1)
    assert lw.inverse_dynamics(tree, Q, V, V, t=times).shape == (3, 1)
    assert lw.constraint_jacobian(tree, Q, t=times).phi.shape == (3, 0)


def test_joints_to_hold_may_be_an_array_of_truth_values(tree):
    assert lw.project_velocity(tree, Q, V, hold=np.array([True])) == pytest.approx(V)
