"""Contact on the page: floors, sliders of surfaces, what is dropped and thrown, marks of what touches, and words where an edit moves parts apart."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.contact_marks import pair_forces
from linkwork.studio.panels.build import BuildPanel
from linkwork.studio.panels.edit import EditPanel
from linkwork.studio.panels.touch import TouchPanel
from linkwork.studio.panels.view import ViewPanel
from linkwork.studio.readings import rows_of
from linkwork.studio.touching import ALWAYS, NEVER, add_floor, change_surface, lowest, surface_of, words_of

from ...waiting import answer, wait_for
from .people import body, done, event


def brick(live, name="brick", z=0.1, **more):
    return live.add_body(name, shape=lw.Box(0.2, 0.2, 0.2), density=500.0, pose=(0, 0, z), **more)


def test_a_floor_is_laid_at_zero_or_below_the_lowest_body(studio, person, panel):
    studio.act(brick, "brick", 0.5)
    touch = panel(TouchPanel)
    done(studio)
    assert "do not touch" in touch.words.content
    touch._lay(person)
    live = done(studio)
    assert [shape.height for shape in live.mechanism.ground.collisions] == [0.0] and "may touch; floor at 0 m" in touch.words.content
    studio.act(lambda live: live.undo())
    studio.act(lambda live: live.place("brick", (0, 0, -1.0)))
    touch._lay(person)
    live = done(studio)
    assert [shape.height for shape in live.mechanism.ground.collisions] == [-1.1] and live.last_edit.apart == ""
    studio.act(lambda live: live.undo())
    assert not done(studio).mechanism.touches
    touch.height.value = "0.25"
    touch._lay(person)
    live = done(studio)
    assert live.poses()["brick"].translation[2] == pytest.approx(0.35) and "moved apart" in studio.message[0]


def test_a_method_that_takes_no_contact_gives_way_to_one_that_does(studio, person, panel):
    live = lw.Live(lw.shipped("four-bar"), lw.SemiImplicitEuler(step=5e-4))
    with pytest.raises(lw.StateError, match="would overlap"):
        add_floor(live, 10.0)
    assert live.integrator == lw.SemiImplicitEuler(step=5e-4)
    add_floor(live)
    assert live.integrator == lw.ContactStepping(step=5e-4) and live.model.touches
    assert lowest(lw.Live()) == 0.0


def test_sliders_change_the_surface_of_the_mechanism_and_of_a_body(studio, person, panel):
    studio.act(lambda live: live.add_floor())
    studio.act(brick)
    done(studio)
    touch, edit = panel(TouchPanel), panel(EditPanel)
    assert touch.sliders["friction"].value == 0.5 and touch.sliders["restitution"].value == 0.0
    for value in (0.6, 0.7, 0.8):
        touch.sliders["friction"].value = value
        touch._slide("friction")(event(person, touch.sliders["friction"]))
    live = done(studio)
    assert live.mechanism.surface == lw.Surface(friction=0.8)
    studio.select("brick")
    done(studio)
    assert {name: slider.value for name, slider in edit._sliders.items()} == {"friction": 0.8, "restitution": 0.0}
    edit._sliders["restitution"].value = 0.9
    edit._slide("brick", "restitution")(event(person, edit._sliders["restitution"]))
    live = done(studio)
    assert live.mechanism.body("brick").surface == lw.Surface(friction=0.8, restitution=0.9) and live.model.pairs[0].restitution == 0.9
    count = len(live.edits)
    studio.act(lambda live: live.undo())
    live = done(studio)
    assert live.mechanism.body("brick").surface is None and edit._sliders["restitution"].value == 0.0 and len(live.edits) == count - 1
    studio.act(lambda live: live.undo())
    live = done(studio)
    assert surface_of(live.mechanism) == lw.Surface() and touch.sliders["friction"].value == 0.5  # all of one drag was one edit


def test_contact_is_switched_off_and_on(studio, person, panel):
    studio.act(lambda live: live.add_floor())
    studio.act(brick)
    touch = panel(TouchPanel)
    done(studio)
    touch.mode.value = NEVER
    touch._choose(person)
    assert not done(studio).model.touches and "switched off" in touch.words.content
    touch.mode.value = ALWAYS
    touch._choose(person)
    assert done(studio).model.touches
    studio.act(lambda live: live.undo())
    done(studio)
    assert touch.mode.value == NEVER


def test_bodies_without_contact_have_no_sliders_of_it(studio, panel):
    studio.act(brick)
    studio.select("brick")
    done(studio)
    assert panel(EditPanel)._sliders == {}


def test_dropped_bodies_fall_from_above_all_others_on_a_floor_that_is_laid_for_them(studio, person, panel):
    build = panel(BuildPanel)
    build.shape.value, build.where.value = "Ball", "0 0 0"
    build._shaped()
    build.place.value = "Drop"
    for _ in range(3):
        build._place(event(person, build.place))
    live = done(studio)
    heights = [pose.translation[2] for pose in live.poses().values()]
    assert live.model.touches and len(live.mechanism.ground.collisions) == 1
    assert heights[0] >= 0.16 and min(np.diff(heights)) >= 0.16  # of radius 0.08: there is air between them
    studio.act(lambda live: live.advance(1.5))
    live = done(studio)
    assert min(pose.translation[2] for pose in live.poses().values()) == pytest.approx(0.08, abs=1e-6)
    for _ in range(3):
        studio.act(lambda live: live.undo())
    assert not done(studio).mechanism.touches and done(studio).mechanism.ground.collisions == ()


def test_a_body_is_thrown_with_the_velocity_that_is_given(studio, person, panel):
    build = panel(BuildPanel)
    build.shape.value = "Box"
    build._shaped()
    build.where.value, build.along.value, build.velocity.value = "0 0 1", "x", "1 2 3"
    build.place.value = "Place"
    build._place(event(person, build.place))
    live = done(studio)
    k = lw.forward_kinematics(live.model, live.q, live.v)
    assert k.rotations[0] @ k.velocities[0][3:] == pytest.approx((1.0, 2.0, 3.0), abs=1e-12)
    build.velocity.value = "fast"
    with pytest.raises(lw.StudioError, match="thrown"):
        build._place(event(person, build.place))


def test_what_an_edit_puts_into_another_is_moved_apart_and_said(studio):
    studio.act(lambda live: live.add_floor())
    studio.act(brick)
    studio.act(brick, "other", 0.25)
    done(studio)
    assert studio.message[0] == "add body 'other': 'brick' and 'other' overlapped by 0.05 m and were moved apart" and not studio.message[1]
    studio.act(body("rod", x=3.0))
    done(studio)
    assert studio.message[0] == ""  # it told of another edit
    with pytest.raises(lw.StateError, match="would overlap"):
        answer(
            studio.act(
                lambda live: live.change(
                    "ground", collisions=[*live.mechanism.ground.collisions, lw.Floor(at=lw.Pose.from_rpy(np.pi, 0, 0))]
                )
            )
        )
    assert studio.message[1] and "them pass with ignore(" in studio.message[0]


def test_marks_are_where_bodies_press_and_go_when_they_are_not_wanted(studio, person, panel):
    studio.act(lambda live: live.add_floor())
    studio.act(brick)
    studio.act(lambda live: live.advance(0.1))
    done(studio)
    wait_for(lambda: studio.scene._dots.count == 4)
    arrow = studio.showing._arrows["contact"]["ground - brick"]
    assert arrow.at == pytest.approx((0, 0, 0), abs=1e-9) and arrow.vector == pytest.approx((0, 0, 4 * 9.81)) and arrow.text == "39.2 N"
    assert rows_of(done(studio), "brick")[-1] == ("touches 'ground'", "39.24 N, sticks")
    view = panel(ViewPanel)
    view.contacts.value = False
    view._mark(event(person, view.contacts))
    wait_for(lambda: studio.scene._dots.count == 0 and not studio.showing._arrows["contact"])
    view.contacts.value = True
    view._mark(event(person, view.contacts))
    wait_for(lambda: studio.scene._dots.count == 4)
    studio.act(lambda live: live.change_contact(False))
    done(studio)
    wait_for(lambda: studio.scene._dots.count == 0)


def test_a_force_is_drawn_at_the_middle_of_its_points():
    live = lw.Live()
    live.add_floor()
    brick(live)
    change_surface(live, None, "friction", 0.0)
    assert pair_forces(live.touching()) == {}  # no step yet
    live.place("brick", twist=(0, 0, 0, 1.0, 0, 0))
    live.advance(0.05)
    found = live.touching()
    assert found.sliding.all()  # without friction
    ((pair, (at, force)),) = pair_forces(found).items()
    assert (
        pair == ("ground", "brick")
        and force == pytest.approx((0, 0, 39.24))
        and at[:2] == pytest.approx(live.poses()["brick"].translation[:2], abs=2e-3)
    )
    assert "4 points press now" in words_of(live)


ROBOT = b"""<robot name="box on legs">
<link name="body"><inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.4 0.3 0.1"/></geometry></collision></link>
<link name="leg"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 -0.2"/><geometry><box size="0.2 0.2 0.3"/></geometry></collision></link>
<joint name="hip" type="revolute"><parent link="body"/><child link="leg"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="5"/></joint>
</robot>"""


def test_a_robot_that_is_uploaded_floating_lands_on_a_floor(studio):
    answer(studio.bring(studio.keeper.upload, "robot.urdf", ROBOT))
    live = done(studio)
    assert not live.model.touches and live.model.nv == 1
    answer(studio.bring(studio.keeper.upload, "robot.urdf", ROBOT, True))
    live = done(studio)
    assert live.model.nv == 7 and live.mechanism.ground.collisions == (lw.Floor(-0.45),)  # 0.35 m below its root, and 0.1 m
    studio.act(lambda live: live.advance(1.0))
    live = done(studio)
    assert live.status.ok and len(live.touching().pairs) >= 2
    assert min(touch.gap for touch in lw.contacts(live.model, live.q)) > -1e-6
    assert -0.45 < live.poses()["leg"].translation[2] < -0.0999


def test_meshes_outside_of_the_folder_are_not_read_for_contact(studio, person, panel, tmp_path):
    """What a file with meshes elsewhere is refused as a start, is refused as an edit too."""
    mechanism = lw.Mechanism("spy")
    body = mechanism.add_body("spy", mass=1.0, inertia=(1, 1, 1))
    mechanism.change(body, collisions=[lw.MeshFile(str(tmp_path.parent / "elsewhere.stl"))])
    answer(studio.open(lambda: lw.Live(mechanism)))
    touch = panel(TouchPanel)
    touch._lay(person)
    live = done(studio)
    assert live.mechanism.ground.collisions == () and "outside of the studio's folder" in studio.message[0]
    touch.mode.value = ALWAYS
    touch._choose(person)
    done(studio)
    assert "outside of the studio's folder" in studio.message[0] and touch.mode.value != ALWAYS
    build = panel(BuildPanel)
    build.place.value = "Drop"
    build._place(event(person, build.place))
    assert done(studio).edits == [] and "outside of the studio's folder" in studio.message[0]
