"""Forces of bodies and rubber strings: sf pf ir sr pr, the switches of the world."""

import numpy as np
import pytest

import linkwork as lw


def test_every_type_of_the_erector_set_is_set_and_printed(talk):
    talk.say("ib car\nsb car -m 2000 -if gravity g -if motor m -if damping d -if support s -if brake b")
    talk.say("sf car g -g 1.62\nsf car m -f 1 2 3 4 5 6 -t 1 0 0 -E 0 0 0 2\nsf car d -d .5\nsf car s -k 50000 -d 2500 -s 1.95 .897 0")
    talk.say("sf car b -d 1000 -t 0 0 -.5")
    assert talk.say("pf car") == [
        "force car g gravity on -g 1.62",
        "force car m motor on -f 1 2 3 4 5 6 -t 1 0 0 -E 0 0 0 1",
        "force car d damping on -d 0.5",
        "force car s support on -k 50000 -d 2500 -s 1.95 0.897 0",
        "force car b brake on -d 1000 -t 0 0 -0.5",
    ]
    assert talk.say("pf car b") == ["force car b brake on -d 1000 -t 0 0 -0.5"]


def test_two_bodies_may_each_have_a_force_of_one_name(talk):
    talk.say("ib a\nib b\nsb a -if damping damping\nsb b -if damping damping\nsf b damping -d 7")
    assert talk.say("pf") == ["force a damping damping on -d 1", "force b damping damping on -d 7"]


def test_gravity_lets_a_body_fall_and_its_switch_holds_it(talk):
    talk.say("ib ball\nsb ball -m 3 -if gravity g\nsstepsize .5\nstep 1")
    assert talk.live.poses()["ball"].translation == pytest.approx([0, 0, -9.81 / 8], abs=1e-5)
    talk.say("sb ball -f g -vl 0 0 0")
    assert talk.say("pf") == ["force ball g gravity off -g 9.81"]
    before = talk.live.poses()["ball"].translation
    talk.say("step 2")
    assert talk.live.poses()["ball"].translation == pytest.approx(before, abs=1e-12)


def test_a_motor_turns_with_its_body_and_takes_force_before_torque(talk):
    """Force vectors of the thesis are [force; torque]: 1 N along the body's x, which is the world's y here, for 1 s on 1 kg."""
    talk.say("ib jet\nsb jet -E 1 0 0 1 -if motor m\nsf jet m -f 1 0 0 0 0 0\nsstepsize 1\nstep 1")
    assert talk.live.poses()["jet"].translation == pytest.approx([0, 0.5, 0], abs=1e-5)


def test_damping_acts_on_the_whole_velocity_and_a_brake_on_its_point_alone(talk):
    talk.say("ib a\nib b\nsb a -vl 1 0 0 -vr 0 0 1 -if damping d\nsb b -vl 1 0 0 -vr 0 0 1 -if brake d\nsstepsize 1\nstep 1")
    a, b = talk.live.twists()["a"], talk.live.twists()["b"]
    assert np.hypot(*a[3:5]) == pytest.approx(np.exp(-1), rel=1e-4)
    assert a[2] == pytest.approx(np.exp(-6), rel=1e-2)  # inertia 1/6; slow at the end, so told to atol = 1e-7 of the steps before
    assert np.hypot(*b[3:5]) == pytest.approx(np.exp(-1), rel=1e-4)
    assert b[2] == pytest.approx(1.0, rel=1e-6)


def test_support_carries_the_weight_at_its_points(talk):
    """A body of 4 kg on four springs of 1000 N/m rests 4 g / 4000 below the plane."""
    talk.say("ib table\nsb table -m 4 -in .5 .5 .5 -if gravity g\nsstepsize 20")
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        talk.say(f"sb table -if support leg{k}\nsf table leg{k} -k 1000 -d 40 -s {x} {y} 0")
    talk.say("step 1")
    assert talk.live.poses()["table"].translation == pytest.approx([0, 0, -4 * 9.81 / 4000], abs=1e-5)


def test_forces_of_other_kinds_are_set_by_their_fields(talk):
    talk.say("ib ball")
    talk.live.add_force("band", lw.SpringDamper(stiffness=50.0, damping=0.2, length=1.0), "ball", lw.Place("ground", lw.Pose((0, 0, 2))))
    talk.say("sf ball band -stiffness 80 -damping .5")
    assert talk.say("pf ball")[0].startswith("force ball band SpringDamper on -stiffness 80 -damping 0.5 -length 1")
    talk.say("switch band off")
    assert not talk.live.mechanism.force("band").on
    assert "no option is called '-stifness'; did you mean '-stiffness'" in talk.refused("sf ball band -stifness 1")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sf ball g -d 1", "no option is called '-d'"),
        ("sf ball g", "nothing is given"),
        ("sf ball h -g 1", "there are 3: 'g', 'd', 'b'"),
        ("sf bal g -g 1", "did you mean 'ball'?"),
        ("sf ball", "FORCE is missing"),
        ("sf ball d -d -1", "from 0 on"),
        ("sf ball b -d 0", "above 0"),
        ("sb ball -if gravity g", "already a force 'ball.g'"),
        ("pf ball h", "there are 3"),
        ("switch g", "no force is called 'g'"),
    ],
)
def test_refused(talk, line, said):
    talk.say("ib ball\nsb ball -if gravity g -if damping d -if brake b")
    assert said in talk.refused(line)


def test_a_wrong_option_shows_the_usage_of_that_force(talk):
    talk.say("ib ball\nsb ball -if motor m")
    assert talk.console.execute("sf ball m -g 1")[0] == "usage: sf BODY FORCE [-f fx fy fz nx ny nz] [-t x y z] [-E w x y z]"


# ---- strings


def test_a_string_pulls_when_it_is_longer_than_its_rest_length(talk):
    talk.say("ib a\nib b\nsb b -t 3 0 0\nir s a b -k 20 -l 2 -lone .5 0 0 -ltwo -.25 0 0 -e 1 -s .5")
    (line,) = talk.say("pr")
    assert line == "string s a b -k 20 -l 2 -e 1 -s 0.5 -lone 0.5 0 0 -ltwo -0.25 0 0 length 2.25 tension 5 full 5"
    talk.say("sr s -l 4")
    assert talk.numbers("pr s", "tension", 1) == [0.0]


def test_a_string_is_by_default_as_long_as_it_is_and_its_tension_is_that_of_the_law(talk):
    talk.say("ib a\nib b\nsb b -t 3 4 0 -vl .01 .02 0\nir s a b -k 10")
    assert talk.numbers("pr s", "-l", 1) == [5.0]
    talk.say("sr s -l 4 -e .25")
    assert talk.numbers("pr s", "tension", 1)[0] == pytest.approx(talk.live.read("tension s"), rel=1e-12)
    assert 0.25 * 10 < talk.live.read("tension s") < 10, "within the smoothing, between shortening and stretching"


def test_a_string_is_tied_elsewhere_and_other_ends_stay(talk):
    talk.say("ib a\nib b\nib c\nir s a b -lone 1 2 3 -ltwo 4 5 6\nsr s -two c")
    assert talk.say("pr s")[0].startswith("string s a c -k 1 ")
    assert talk.numbers("pr s", "-ltwo", 3) == [4, 5, 6]
    assert "both its places are on 'a'" in talk.refused("sr s -two a")
    assert "no string is called 't'" in talk.refused("sr t -k 1")
    assert "already" in talk.refused("ir s a b")
    assert "no body is called 'z'" in talk.refused("ir t a z")
    assert "restitution" in talk.refused("sr s -e 2")
    assert "nothing is given" in talk.refused("sr s")


# ---- what is everywhere


def test_gravity_of_the_world_and_of_bodies(talk):
    talk.say("ib a\ngravity on")
    assert talk.say("gravity") == ["gravity 0 0 -9.81", "own 0 0"]
    talk.say("gravity 1.62")
    assert talk.live.mechanism.gravity == (0, 0, -1.62)
    talk.say("gravity 1 2 3")
    assert talk.live.mechanism.gravity == (1, 2, 3)
    talk.say("gravity off\nsb a -if gravity g\ngravity on")
    assert talk.say("gravity") == ["gravity 0 0 0", "own 1 1"], "bodies with weights of their own are not given another"
    talk.say("gravity off")
    assert talk.say("gravity") == ["gravity 0 0 0", "own 0 1"]
    talk.say("gravity on\ngravity 9.81")
    assert talk.say("gravity") == ["gravity 0 0 -9.81", "own 0 1"], "it fell with 2 g"
    talk.say("gravity on")
    assert talk.say("gravity") == ["gravity 0 0 0", "own 1 1"]
    assert "found 2 words" in talk.refused("gravity 1 2")


def test_global_damping_is_on_every_body_and_on_those_that_come_later(talk):
    talk.say("ib a\ndamping 3\nib b\nil b c")
    assert talk.say("pf") == [f"force {name} drag damping on -d 3" for name in "abc"]
    talk.say("damping off")
    assert talk.say("damping") == ["damping 3 off"]
    talk.say("ib d\ndamping on")
    assert talk.say("pf d") == ["force d drag damping on -d 3"]
