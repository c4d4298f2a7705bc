"""Tools and what was picked become parts; bodies from the palette; gravity and air."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.connecting import connect, direction
from linkwork.studio.gravity_and_drag import air_forces, is_weightless, let_air, let_gravity, still_air
from linkwork.studio.palette_bodies import STOCK, NewBody, half_height, place_body, stock, turn_to
from linkwork.studio.pick_steps import Picking
from linkwork.studio.spots import Spot
from linkwork.studio.tools import TOOLS, free_name, tool

END_A = Spot("a", (0.2, 0.0, 0.0), "an end")
END_B = Spot("b", (-0.2, 0.0, 0.0), "an end")
HERE = Spot("ground", (-0.2, 0.0, 0.3), "the ground")


@pytest.fixture
def live():
    """Two rods end to end, the second turned about x and y, and a hinge at the first."""
    live = lw.Live()
    live.add_body("a", shape=lw.Box(0.4, 0.03, 0.03), density=2700.0, pose=(0.0, 0.0, 0.3))
    live.add_body("b", shape=lw.Box(0.4, 0.03, 0.03), density=2700.0, pose=lw.Pose.from_rpy(0.4, -0.6, 0.0, (0.5, 0.1, 0.3)))
    live.add_joint("pivot", lw.Revolute((0, 1, 0)), lw.Place("ground", lw.Pose((-0.2, 0, 0.3))), lw.Place("a", lw.Pose((-0.2, 0, 0))))
    return live


@pytest.mark.parametrize("each", TOOLS, ids=lambda each: each.label)
def test_every_tool_makes_its_part_and_time_runs_on(live, each):
    """With the numbers that its form shows at first."""
    live.add_joint("slide", lw.Prismatic((1, 0, 0)), "a", lw.Place("b", lw.Pose((-0.2, 0, 0)))) if each.picks == "joints" else None
    picked = ["pivot", "slide"][: each.count] if each.picks == "joints" else [END_A, END_B][: each.count]
    values = {field.name: field.value for field in each.fields}
    name = connect(live, each, picked, values=values)
    part = live.mechanism.part(name)
    assert (part.role, type(part.kind)) == (each.role, type(each.kind))
    assert live.advance(0.02).ok, live.status
    live.undo()
    assert name not in {p.name for p in (*live.mechanism.joints, *live.mechanism.forces, *live.mechanism.constraints)}


def test_a_hinge_closes_where_it_was_picked_and_its_line_of_python_says_so(live):
    name = connect(live, tool("Hinge"), [END_A, END_B])
    joint = live.mechanism.joint(name)
    poses = live.poses()
    assert poses["a"].act((0.2, 0, 0)) == pytest.approx(poses["b"].act((-0.2, 0, 0)), abs=1e-9)
    assert (joint.parent_body, joint.child_body) == ("a", "b")
    assert live.last_edit.python.startswith("live.add_joint('hinge', lw.Revolute(axis=(0.0, 1.0, 0.0)), lw.Place('a', ")


def test_ground_is_the_parent_whichever_was_picked_first(live):
    for picked in ([Spot("b", (0.2, 0.0, 0.0), ""), HERE], [HERE, Spot("b", (0.2, 0.0, 0.0), "")]):
        name = connect(live, tool("Ball"), picked)
        assert live.mechanism.joint(name).parent_body == "ground"
        live.undo()


def test_two_places_on_one_body_are_refused_and_nothing_changes(live):
    before = live.mechanism
    with pytest.raises(lw.StudioError, match=r"Hinge: both places are on 'a'"):
        connect(live, tool("Hinge"), [END_A, END_A])
    with pytest.raises(lw.StudioError, match=r"Nail: the place is on the ground"):
        connect(live, tool("Nail"), [HERE])
    assert live.mechanism is before


def test_a_spring_is_as_long_as_it_is_unless_it_is_told(live):
    length = np.linalg.norm(live.poses()["a"].act((0.2, 0, 0)) - live.poses()["b"].act((-0.2, 0, 0)))
    connect(live, tool("Spring"), [END_A, END_B], values={"stiffness": 50.0, "length": None})
    made = live.mechanism.force("spring")
    assert made.kind.stiffness == 50.0 and made.kind.length == pytest.approx(length, rel=1e-5)
    connect(live, tool("Spring"), [END_A, END_B], values={"length": 0.33})
    assert live.mechanism.force("spring 2").kind.length == 0.33


def test_a_nail_holds_a_body_where_it_is(live):
    before = live.poses()["b"]
    connect(live, tool("Nail"), [END_B])
    assert live.last_edit.moved < 1e-9
    live.advance(0.2)
    assert live.poses()["b"].isclose(before, 1e-9)
    assert np.abs(live.poses()["a"].rotation - np.eye(3)).max() > 1e-3  # the other falls


def test_the_automatic_axis_is_that_of_the_other_hinges_else_across_the_body():
    live = lw.Live()
    live.add_body("x rod", shape=lw.Box(0.4, 0.03, 0.03), density=1.0)
    live.add_body("y rod", shape=lw.Box(0.03, 0.4, 0.03), density=1.0, pose=(1.0, 0, 0))
    hinge, slider = tool("Hinge"), tool("Slider")
    x, y = Spot("x rod", (0.2, 0, 0), ""), Spot("y rod", (0, 0.2, 0), "")
    assert direction(live, hinge, [x, HERE]).tolist() == [0.0, 1.0, 0.0]
    assert direction(live, hinge, [y, HERE]).tolist() == [1.0, 0.0, 0.0]
    assert np.abs(direction(live, slider, [HERE, y])).tolist() == [0.0, 1.0, 0.0]
    live.add_joint("tilted", lw.Revolute((0, 3, 4)), "ground", "x rod")
    assert direction(live, hinge, [y, HERE]) == pytest.approx((0.0, 0.6, 0.8))


def test_axes_can_be_those_of_the_world_of_the_body_and_of_the_viewer(live):
    hinge = tool("Hinge")
    picked = [END_B, HERE]
    assert direction(live, hinge, picked, "world z").tolist() == [0.0, 0.0, 1.0]
    assert direction(live, hinge, picked, "body z") == pytest.approx(live.poses()["b"].rotation[:, 2])
    assert direction(live, hinge, picked, "towards me", sight=(0.0, 2.0, 0.0)) == pytest.approx((0.0, -1.0, 0.0))


def test_a_motor_turns_its_joint_forward_about_its_axis():
    live = lw.Live()
    live.change_gravity((0, 0, 0))
    live.add_body("disc", shape=lw.Cylinder(0.1, 0.02), density=1000.0)
    live.add_joint("axle", lw.Revolute((0, 0, 1)), "ground", "disc")
    connect(live, tool("Motor (constant torque)"), ["axle"], values={"torque": 0.3})
    live.advance(0.1)
    spin = 0.3 * 0.1 / live.model.body("disc").inertia.tensor[2, 2]
    assert live.v == pytest.approx([spin], rel=1e-9)
    with pytest.raises(lw.StudioError, match="has no axis"):
        live.add_body("ball", mass=1.0, inertia=(1, 1, 1))
        live.add_joint("socket", lw.Spherical(), "ground", "ball")
        connect(live, tool("Motor (constant torque)"), ["socket"])


def test_a_gear_wants_two_joints(live):
    live.add_joint("second", lw.Revolute((0, 1, 0)), "a", lw.Place("b", lw.Pose((-0.2, 0, 0))))
    with pytest.raises(lw.StudioError, match="picked twice"):
        connect(live, tool("Gear"), ["pivot", "pivot"])
    name = connect(live, tool("Gear"), ["pivot", "second"], values={"ratio": -2.0})
    assert live.mechanism.constraint(name).joints == (("pivot", 0), ("second", 0))


def test_names_are_made_that_no_part_has(live):
    assert free_name(live.mechanism, "pivot") == "pivot 2" and free_name(live.mechanism, "hinge") == "hinge"
    assert connect(live, tool("Hinge"), [END_A, END_B], name="  elbow ") == "elbow"


# ---- picking


def test_picking_says_what_to_do_next():
    picking = Picking(tool("Hinge"), 7)
    assert "Now click the first place on a body, or on the ground" in picking.words and not picking.offers_ground
    picking.take(END_A)
    assert "First: an end of 'a'" in picking.words and "the second place" in picking.words and picking.offers_ground
    picking.take(HERE)
    assert picking.done and not picking.offers_ground


def test_joints_are_picked_by_their_names():
    picking = Picking(tool("Gear"), 7)
    picking.take("pivot")
    assert "First: 'pivot'" in picking.words and "the second joint" in picking.words and not picking.offers_ground


# ---- bodies


@pytest.mark.parametrize("each", STOCK, ids=lambda each: each.label)
@pytest.mark.parametrize("along", ["x", "y", "z"])
def test_a_body_put_on_the_ground_touches_it(each, along):
    live = lw.Live()
    name = place_body(live, NewBody(each, each.usual, 1000.0, along=along, on=Spot("ground", (0.3, 0.1, 0.0), "")))
    pose = live.poses()[name]
    assert pose.rotation[:, each.main].tolist() == np.eye(3)["xyz".index(along)].tolist()
    assert pose.translation == pytest.approx((0.3, 0.1, half_height(live.mechanism.body(name).shape, pose.rotation)))
    assert pose.translation[2] > 0.0


def test_turns_of_the_palette_are_exact():
    for main in range(3):
        for axis in range(3):
            R = turn_to(main, axis)
            assert np.array_equal(R @ np.eye(3)[main], np.eye(3)[axis]) and np.linalg.det(R) == 1.0


def test_bodies_at_one_place_are_put_beside_each_other():
    live = lw.Live()
    for _ in range(3):
        place_body(live, NewBody(stock("Ball"), (0.05,), 1.0, by="mass", where=(0.0, 0.0, 0.5)))
    assert [body.name for body in live.mechanism.bodies] == ["ball", "ball 2", "ball 3"]
    assert live.pose_arrays()[0][:, 2] == pytest.approx((0.5, 0.6, 0.7))


@pytest.mark.parametrize("sizes", [(0.4,), (0.4, 0.03, 0.03), (-1.0, 0.03), (0.4, float("inf"))])
def test_sizes_that_no_rod_has_are_refused(sizes):
    live = lw.Live()
    with pytest.raises(lw.LinkworkError):
        place_body(live, NewBody(stock("Rod"), sizes, 1000.0))
    assert not live.mechanism.bodies


# ---- weather


def test_air_calms_a_body_to_a_third_within_its_time_and_goes_away_again(live):
    live.remove("pivot")
    let_gravity(live, False)
    assert is_weightless(live.mechanism)
    live.place("a", twist=(0, 0, 0, 1.0, 0, 0))
    let_air(live, 0.5)
    assert still_air(live.mechanism) == pytest.approx(0.5) and len(air_forces(live.mechanism)) == 2
    live.advance(0.5)
    assert np.linalg.norm(live.twists()["a"][3:]) == pytest.approx(np.exp(-1.0), rel=2e-3)  # one step of 1 ms in 500
    let_air(live, None)
    assert air_forces(live.mechanism) == [] and still_air(live.mechanism) is None


def test_a_body_that_comes_into_the_air_feels_it(live):
    let_air(live, 2.0)
    place_body(live, NewBody(stock("Ball"), (0.05,), 1.0, by="mass"))
    assert len(air_forces(live.mechanism)) == 3
    live.undo()
    assert len(air_forces(live.mechanism)) == 2 and [body.name for body in live.mechanism.bodies] == ["a", "b"]


def test_gravity_comes_back_as_it_was(live):
    live.change_gravity((0, 0, -1.62))
    let_gravity(live, False)
    let_gravity(live, True, (0, 0, -1.62))
    assert live.mechanism.gravity == (0, 0, -1.62)
