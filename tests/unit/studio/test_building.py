"""Building by pointing: bodies from a form, joints by two clicks."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.panels.build import BuildPanel
from linkwork.studio.scene import Click

from .people import Person, body, click, done, event


def test_a_hinge_by_two_clicks(studio, person, panel):
    studio.act(body("a"))
    studio.act(body("b", x=0.5))
    done(studio)
    build = panel(BuildPanel)
    build.begin(person)
    assert "first place" in build.words.content and build.cancel.visible
    studio._clicked(click(person, "a", (0.19, -0.015, 0.0)))
    done(studio)
    assert "First: an end of" in build.words.content and build.here.visible
    assert [tuple(mark.position) for mark in build._marks._made] == [pytest.approx((0.2, 0.0, 0.3))]
    studio._clicked(click(person, "b", (-0.19, -0.015, 0.0)))
    live = done(studio)
    assert [joint.name for joint in live.mechanism.joints] == ["hinge"] and build.picking is None and studio.selected == "hinge"
    assert build._marks._made == []
    assert live.poses()["a"].act((0.2, 0, 0)) == pytest.approx(live.poses()["b"].act((-0.2, 0, 0)), abs=1e-9)


def test_a_hinge_to_the_ground_right_there(studio, person, panel):
    studio.act(body("a"))
    done(studio)
    build = panel(BuildPanel)
    build.begin(person)
    studio._clicked(click(person, "a", (-0.19, -0.015, 0.0)))
    done(studio)
    build._to_ground(person)
    live = done(studio)
    assert live.mechanism.joint("hinge").parent_pose.translation == pytest.approx((-0.2, 0, 0.3)) and live.last_edit.moved < 1e-9


def test_picking_can_be_cancelled_and_takes_only_the_clicks_of_who_began(studio, person, panel):
    other = Person(2)
    studio.act(body("a"))
    done(studio)
    build = panel(BuildPanel)
    build.begin(person)
    studio._clicked(click(other, "a"))
    done(studio)
    assert studio.selected == "a" and build.picking.picked == []
    build.stop()
    studio._clicked(click(person))
    done(studio)
    assert studio.selected is None and build.words.content == ""
    build.begin(person)
    build._left(person)
    assert build.picking is None and studio.picker is None


def test_a_click_that_means_no_place_is_told_and_picking_goes_on(studio, person, panel):
    studio.act(body("a"))
    done(studio)
    build = panel(BuildPanel)
    build.begin(person)
    studio._clicked(Click("spring", "force", None, None, np.zeros(3), frozenset(), person))
    done(studio)
    assert "lies between two bodies" in person.told[-1] and build.picking.picked == []


def test_a_number_that_cannot_be_read_is_refused_before_anything_is_picked(studio, person, panel):
    build = panel(BuildPanel)
    build.what.value = "Spring"
    build._tooled()
    build._options["stiffness"][1].value = "stiff"
    studio._guarded(build.begin, person)
    assert build.picking is None and "stiffness: found 'stiff'" in studio.message[0]


def test_bodies_are_placed_from_the_form_and_bad_sizes_are_told(studio, person, panel):
    build = panel(BuildPanel)
    build.size.value, build.where.value = "0.3 0.02", "1 2 3"
    build.place._impl.value = "Place"
    build._place(event(person, build.place))
    live = done(studio)
    assert live.mechanism.body("rod").shape == lw.Box(0.3, 0.02, 0.02) and live.poses()["rod"].translation.tolist() == [1.0, 2.0, 3.0]
    build.size.value = "-1 0.02"
    build._place(event(person, build.place))
    assert len(done(studio).mechanism.bodies) == 1 and "allowed is a finite number above 0" in person.told[-1]
