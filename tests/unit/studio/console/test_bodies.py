"""Bodies: ib sb pb."""

import numpy as np
import pytest

import linkwork as lw

HALF = np.sqrt(0.5)


def test_a_new_body_has_mass_1_and_the_inertia_of_a_unit_cube_and_rests_in_the_origin(talk):
    (line,) = talk.say("ib ball\npb ball")
    sixth = 1 / 6
    assert line == f"body ball -m 1 -in {sixth} {sixth} {sixth} -t 0 0 0 -E 1 0 0 0 -vl 0 0 0 -vr 0 0 0"
    assert talk.live.mechanism.gravity == (0, 0, 0), "gravity is a force that is added"


def test_all_that_sb_sets_pb_prints(talk):
    talk.say("ib ball\nsb ball -m 2 -in 1 2 2.5 -t 1 -.5 3 -E 0 0 1 0 -vl .1 .2 .3 -vr 1 -2 3")
    (line,) = talk.say("pb")
    assert line == "body ball -m 2 -in 1 2 2.5 -t 1 -0.5 3 -E 0 0 1 0 -vl 0.1 0.2 0.3 -vr 1 -2 3"


def test_quaternions_are_normalised_and_one_of_length_0_is_refused(talk):
    talk.say("ib stick\nsb stick -E .5 0 .5 0")
    assert talk.numbers("pb stick", "-E", 4) == pytest.approx([HALF, 0, HALF, 0], abs=1e-15)
    assert "has no direction" in talk.refused("sb stick -E 0 0 0 0")


def test_velocities_are_those_of_the_world_however_the_body_is_turned(talk):
    talk.say("ib ball\nsb ball -E .7 .1 .5 .2 -vl 1 2 3 -vr .1 .2 .3\nsstepsize .001\nstep 1")
    assert talk.live.poses()["ball"].translation == pytest.approx([1e-3, 2e-3, 3e-3], abs=1e-9)


def test_what_is_not_given_stays(talk):
    talk.say("ib ball\nsb ball -t 1 2 3 -vr 0 0 5\nsb ball -m 4\nsb ball -vl 1 0 0")
    (line,) = talk.say("pb")
    assert "-m 4 " in line
    assert line.endswith("-t 1 2 3 -E 1 0 0 0 -vl 1 0 0 -vr 0 0 5")


def test_the_look_of_a_body_is_the_box_with_its_inertia(talk):
    talk.say("ib beam\nsb beam -in 0.104167 8.35417 8.41667")
    box = talk.live.mechanism.body("beam").shape
    assert (box.x, box.y, box.z) == pytest.approx((10, 1, 0.5), rel=1e-5), "the beams of the thesis"


def test_a_box_gives_its_inertia_and_a_weight_follows_the_mass(talk):
    talk.say("ib beam\nsb beam -box 10 1 .5 -if gravity g\nsb beam -m 3")
    assert talk.numbers("pb beam", "-in", 3) == pytest.approx([0.104167, 8.35417, 8.41667], rel=1e-5)
    assert talk.live.mechanism.force("beam.g").kind.mass == 3.0
    assert "give one of them" in talk.refused("sb beam -box 1 1 1 -in 1 1 1")


def test_the_shape_and_centre_of_a_body_from_a_file_survive_a_change_of_mass(talk):
    talk.live.add_body("cone", density=1000.0, shape=lw.Cone(0.1, 0.2))
    com = talk.live.mechanism.body("cone").mass_properties().com
    talk.say("sb cone -m 2\nsb cone -in .1 .1 .1")
    body = talk.live.mechanism.body("cone")
    assert body.shape == lw.Cone(0.1, 0.2)
    assert body.mass_properties().com == pytest.approx(com)
    assert body.mass_properties().mass == 2.0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ib ball", "already a body 'ball'"),
        ("ib ground", "already a part 'ground'"),
        ("sb bal -m 1", "did you mean 'ball'?"),
        ("sb ground -m 1", "does not move"),
        ("sb ball", "nothing is given"),
        ("sb ball -m 0", "above 0"),
        ("sb ball -m -1", "above 0"),
        ("sb ball -in 1 1 3", "triangle"),
        ("sb ball -if magnet m", "no type of force is called 'magnet'"),
        ("sb ball -f glue", "no force of body 'ball' is called 'glue'"),
        ("pb bal", "did you mean 'ball'?"),
    ],
)
def test_refused(talk, line, said):
    talk.say("ib ball")
    assert said in talk.refused(line)


def test_a_body_that_is_held_to_ground_cannot_be_put_elsewhere(talk):
    talk.say("il ground arm")
    assert "is held to ground" in talk.refused("sb arm -t 1 0 0")


def test_one_command_is_one_step_of_undo(talk):
    talk.say("ib ball\nsb ball -m 2 -t 1 0 0 -if gravity g -if damping d")
    talk.say("undo")
    assert talk.numbers("pb ball", "-m", 1) == [1.0]
    assert not talk.live.mechanism.forces
