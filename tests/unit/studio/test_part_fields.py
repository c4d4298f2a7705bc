"""Fields of a part, put into effect on a live mechanism."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.part_fields import change_slider, groups_of, sliders_of
from linkwork.studio.state_fields import is_floating, rows_of, rpy_of, set_state, state_fields


@pytest.fixture
def live():
    m = lw.Mechanism("swing")
    rod = m.add_body("rod", shape=lw.Box(0.4, 0.03, 0.03), density=2700.0)
    m.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, rod.at(-0.2, 0, 0))
    m.add_force("spring", lw.SpringDamper(stiffness=100.0, length=0.1), rod.at(0.2, 0, 0), m.ground.at(0.2, 0, 0.3))
    m.add_constraint("rope", lw.Distance(1.0), "ball", m.ground.at(0, 0, 1))
    m.add_frame("tip", rod.at(0.2, 0, 0))
    return lw.Live(m)


def change(live, name, field, value):
    """As the form does: the group that has the field puts it into effect."""
    group = next(g for g in groups_of(live.mechanism, live.mechanism.part(name)) if field in [f.name for f in g.fields])
    group.apply(live, name, {field: value})
    return live.mechanism.part(name)


def test_a_dimension_changes_the_mass_that_comes_from_it(live):
    before = live.model.body("rod").inertia.mass
    assert change(live, "rod", "x", 0.8).shape == lw.Box(0.8, 0.03, 0.03)
    assert live.model.body("rod").inertia.mass == pytest.approx(2.0 * before, rel=1e-12)


def test_fields_of_every_role_take_effect(live):
    assert change(live, "rod", "density", 1000.0).density == 1000.0
    assert change(live, "ball", "mass", 3.0).mass == 3.0
    assert change(live, "pivot", "damping", 0.1).kind.damping == (0.1,)
    assert change(live, "pivot", "axis", (0.0, 0.0, 1.0)).kind.axis == (0.0, 0.0, 1.0)
    assert change(live, "spring", "on", False).on is False
    assert change(live, "rope", "length", 1.2).kind.length.value == 1.2
    assert change(live, "tip", "place at", (0.1, 0.0, 0.0)).pose.translation.tolist() == [0.1, 0.0, 0.0]


def test_a_place_moves_to_another_body_with_its_point(live):
    part = change(live, "spring", "b", "ball")
    assert part.b.name == "ball" and part.b.pose.translation.tolist() == [0.2, 0.0, 0.3]


def test_a_turn_of_length_zero_is_refused_and_nothing_changes(live):
    before = live.mechanism
    with pytest.raises(lw.StudioError, match="quaternion"):
        change(live, "pivot", "parent turn", (0.0, 0.0, 0.0, 0.0))
    assert live.mechanism is before


def test_a_value_that_no_mechanism_has_is_refused_and_nothing_changes(live):
    before = live.mechanism
    for name, field, value in (("rod", "x", -1.0), ("spring", "stiffness", float("inf")), ("rod", "density", -5.0)):
        with pytest.raises(lw.LinkworkError, match=name):
            change(live, name, field, value)
    assert live.mechanism is before


def test_a_slider_that_is_drawn_is_one_edit(live):
    edits = len(live.edits)
    for k in range(20):
        change_slider(live, "spring", "stiffness", 100.0 + k)
    assert len(live.edits) == edits + 1
    live.undo()
    assert live.mechanism.force("spring").kind.stiffness == 100.0


def test_sliders_are_for_numbers_of_forces_only(live):
    assert [field.name for field in sliders_of(live.mechanism.force("spring"))] == ["stiffness", "damping", "length"]
    assert sliders_of(live.mechanism.joint("pivot")) == [] and sliders_of(None) == []


# ---- state


def test_a_floating_body_can_be_put_and_a_held_one_cannot(live):
    assert is_floating(live.mechanism, "ball") and not is_floating(live.mechanism, "rod")
    assert state_fields(live, live.mechanism.body("rod")) == []
    set_state(live, "ball", {"at": (0.5, 0.0, 0.4), "turn": (0.0, 0.0, 90.0)})
    pose = live.poses()["ball"]
    rope = np.linalg.norm(pose.translation - (0, 0, 1))
    assert rope == pytest.approx(1.0, abs=1e-9)  # the rope holds it at its length
    assert rpy_of(pose.rotation)[2] == pytest.approx(90.0, abs=30.0)


def test_a_joint_is_set_to_its_coordinate_and_speed(live):
    set_state(live, "pivot", {"q": (0.3,), "v": (1.5,)})
    joint = live.model.joint("pivot")
    assert live.q[joint.q_index] == pytest.approx([0.3]) and live.v[joint.v_index] == pytest.approx([1.5])
    assert dict(rows_of(live, live.mechanism.joint("pivot")))["q"] == "0.3000"


@pytest.mark.parametrize("rpy", [(0.0, 0.0, 0.0), (10.0, -20.0, 130.0), (0.0, 90.0, 0.0), (45.0, -90.0, 0.0)])
def test_roll_pitch_yaw_are_those_of_the_pose(rpy):
    R = lw.Pose.from_rpy(*np.radians(rpy)).rotation
    assert lw.Pose.from_rpy(*np.radians(rpy_of(R))).rotation == pytest.approx(R, abs=1e-12)
