"""The three stories, told from beginning to end: what each is about must come true."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.stories import ANIMATOR, ENGINEER, STORIES, STUDENT, Telling


@pytest.fixture(scope="module")
def engineer():
    return ENGINEER.tell()


@pytest.fixture(scope="module")
def animator():
    return ANIMATOR.tell()


@pytest.fixture(scope="module")
def student():
    return STUDENT.tell()


@pytest.mark.slow
def test_the_engineers_arm_is_nailed_and_settles(engineer):
    assert engineer.told["flown"] > 0.3  # it floated elsewhere
    assert engineer.told["settled speed"] < 1e-6


def test_the_engineers_hand_explores_the_reach(engineer):
    """The hand goes around in a circle of 0.75 m about the pedestal: the tip follows on all sides, the pull is bounded by 20 weights."""
    reached = np.array(engineer.told["reached"])
    assert (np.abs(reached[:, :2]).max(axis=0) > 0.6).all() and np.ptp(reached[:, 2]) > 0.3
    assert 10.0 < engineer.told["largest pull"] <= 20.0 * engineer.live.model.mass * 9.81
    assert engineer.told["nail"] == pytest.approx(0.25)


def test_the_engineers_elbow_carries_the_tool(engineer):
    """At rest the controller's torque balances gravity: by inverse dynamics, and the tool's share is its weight times its lever."""
    live, (before, after) = engineer.live, engineer.told["torque"]
    elbow = live.model.joint("elbow").v_index
    balance = lw.inverse_dynamics(live.model, live.q, np.zeros(live.model.nv), np.zeros(live.model.nv))[elbow][0]
    assert after == pytest.approx(balance, rel=1e-3)
    assert after - before == pytest.approx(engineer.told["statics"], rel=0.05)  # the arm sags by a degree under the tool
    assert abs(engineer.told["statics"]) > 3.0


@pytest.mark.slow
def test_the_animators_pieces_fly_together(animator):
    assert len(animator.told["flown"]) == 3 and min(animator.told["flown"]) > 0.1


def test_the_animators_cans_swing_out_and_bounce(animator):
    heights = np.array(animator.told["heights"])
    assert heights.min() > 0.05 - 1e-6  # nothing sinks into the ground: a can that lies on it has its middle a radius above it
    assert (np.ptp(heights[len(heights) // 4 :], axis=0) > 0.03).all()  # a can's radius is 0.05 m: it bounces
    assert max(animator.told["off track"][len(heights) // 3 :]) > 0.3  # swung out of the car's track
    assert animator.live.audit.run.gap.value < 1e-8  # the car is on its path, the chain is whole
    contact = animator.live.audit.run.contact
    assert contact.approximate <= 0.01 * contact.steps and contact.residual.value < 1e-10 and contact.gap.value < 1e-9
    assert {pair.b for pair in contact.impacts_of} >= {"can 0", "can 1", "can 2"} and contact.friction > 10.0  # they are dragged
    positions = animator.live.poses()
    assert np.linalg.norm(positions["car"].translation[:2] - (12.0, 0.0)) < 0.5


@pytest.mark.slow
def test_the_students_mistake_is_found(student):
    assert student.told["suspicious"] == ["top 1", "top 3"]
    assert student.told["collapsed height"] < 0.6 * student.told["standing height"]


def test_the_students_tensegrity_stands_and_breathes(student):
    heights = student.told["plate heights"]
    assert student.told["standing height"] > 0.4
    assert heights[500.0] > heights[160.0] + 0.01


def test_the_students_rod_feels_the_load(student):
    load, compression = np.array(sorted(student.told["compression"].items())).T
    assert (np.diff(compression) > 0.3).all()
    assert compression[0] > 10.0
    assert student.live.poses()["plate"].translation[2] > 0.3


def test_stories_can_be_told_step_by_step():
    telling = Telling(STUDENT, STUDENT.live())
    telling.act()
    assert len(telling.live.mechanism.bodies) == 6 and telling.left == 0.0
    telling.next()
    assert "Fifteen" in telling.words
    assert set(STORIES) == {"engineer", "animator", "student"}
