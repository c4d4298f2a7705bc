"""Links: il sl pl connect. Any screw as six numbers, frames on both sides, the parent stays where it is."""

import numpy as np
import pytest

import linkwork as lw

ROD = "sb {0} -in 0.104167 8.35417 8.41667"


def pose(x, q=(1, 0, 0, 0)):
    return lw.Pose(x, np.array(q) / np.linalg.norm(q))


def test_a_link_is_a_hinge_about_z_of_its_parent(talk):
    talk.say("ib a\nsb a -t 1 2 3 -E 1 1 0 0 -vl 1 0 0 -vr 0 0 2\nil a b")
    (line,) = talk.say("pl")
    assert line == ("link b.joint Revolute a b -s 0 0 1 0 0 0 -q 0 -qdot 0 -pjt 0 0 0 -pjE 1 0 0 0 -djt 0 0 0 -djE 1 0 0 0")
    a, b = talk.say("pb")
    assert a.split()[2:] == b.split()[2:], "it begins where its parent is and moves along"
    assert talk.live.last_edit.energy_lost == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("six", "kind"),
    [
        ((0, 0, 1, 0, 0, 0), "Revolute"),
        ((0, 1, 0, 0, 0, 0), "Revolute"),
        ((0, 0, 0, 1, 0, 0), "Prismatic"),
        ((0, 0, 1, 0, 0, 0.25), "Screw"),
        ((0, 0, 1, 0.5, -2, 0), "Revolute"),
        ((0.6, 0, 0.8, 1, 2, 3), "Screw"),
        ((-0.6, 0.8, 0, 0.3, 0.1, -0.4), "Screw"),
    ],
)
def test_six_numbers_are_any_screw(talk, six, kind):
    """X_PC = X_PF exp(s q) X_CM^-1, for hinges, slides and screws, on an axis through the frames or beside them."""
    X_F, X_M, q = pose((4, 1, 0), (1, 0.2, 0, 0.1)), pose((-4, 0.5, 0.2), (1, 0, -0.3, 0)), 0.7
    talk.say(f"ib a\nsb a -t 1 2 3 -E .7 .1 .5 .2\nil a b\nsl a b -s {' '.join(map(str, six))} -q {q} -qdot .5")
    talk.say("sl a b -djt 4 1 0 -djE 1 .2 0 .1\nsl a b -pjt -4 .5 .2 -pjE 1 0 -.3 0")
    poses = talk.live.poses()
    assert poses["a"].isclose(pose((1, 2, 3), (0.7, 0.1, 0.5, 0.2)), 1e-12), "the parent stays"
    expected = poses["a"] @ X_F @ lw.Pose.exp(q * np.array(six)) @ X_M.inverse()
    assert poses["b"].isclose(expected, 1e-12)
    (line,) = talk.say("pl a b")
    assert line.split()[2] == kind
    words = line.split()
    assert [float(x) for x in words[words.index("-s") + 1 :][:6]] == pytest.approx(six, abs=1e-12)
    assert talk.numbers("pl a b", "-djt", 3) == pytest.approx([4, 1, 0], abs=1e-15)
    assert talk.numbers("pl a b", "-q", 1) == [q]
    # The child's velocity: that of the parent (at rest), and qdot along the axis.
    V = (X_M @ lw.Pose()).adjoint @ (0.5 * np.array(six))
    assert talk.live.twists()["b"] == pytest.approx(V, abs=1e-12)


def test_axis_and_frames_in_one_command_or_in_several_in_any_order_are_the_same(talk):
    parts = ["-s 0 0 1 .5 -2 .1", "-djt 4 0 0", "-pjt -4 0 0", "-djE 1 0 0 1", "-q 2"]
    talk.say("ib a\nil a b\nsl a b " + " ".join(parts))
    at_once, printed = talk.live.poses()["b"], talk.say("pl")
    talk.say("undo\n" + "\n".join(f"sl a b {part}" for part in reversed(parts)))
    assert talk.live.poses()["b"].isclose(at_once, 1e-12)
    assert talk.say("pl") == printed


def test_frames_beside_the_axis_come_and_go_with_it(talk):
    talk.say("ib a\nil a b\nsl a b -s 0 0 1 1 0 0")
    assert [frame.name for frame in talk.live.mechanism.frames] == ["b.joint.distal", "b.joint.proximal"]
    talk.say("sl a b -s 0 0 1 0 0 0")
    assert not talk.live.mechanism.frames


def test_the_length_of_an_axis_does_not_count(talk):
    talk.say("ib a\nil a b\nsl a b -s 0 0 2 0 0 1 -q 1")
    assert talk.numbers("pl", "-s", 6) == [0, 0, 1, 0, 0, 0.5]
    assert talk.live.poses()["b"].isclose(lw.Pose.exp((0, 0, 1, 0, 0, 0.5)), 1e-12)


def test_a_coordinate_beyond_a_turn_is_kept(talk):
    talk.say("il ground a\nsl ground a -q 20")
    assert talk.numbers("pl", "-q", 1) == [20.0]


def test_a_branch_moves_with_the_joint_it_hangs_on(talk):
    talk.say("il ground a\nil a b\nil b c\nsl a b -djt 1 0 0\nsl b c -djt 1 0 0\nsl ground a -q 1.5707963267948966")
    assert talk.live.poses()["c"].translation == pytest.approx([0, 2, 0], abs=1e-12)


def test_a_pendulum_swings_with_the_period_of_the_book(talk):
    """Small swings of a point mass at 1 m with inertia 1/6 about its middle: omega^2 = g / (1 + 1/6)."""
    talk.say("il ground bob\nsl ground bob -s 0 1 0 0 0 0 -pjt 0 0 1 -q 1e-3\nsb bob -if gravity g\nsacc -r 1e-10 -a 1e-12")
    period = 2 * np.pi / np.sqrt(9.81 / (1 + 1 / 6))
    talk.say(f"sstepsize {float(period)!r}\nstep 1")
    assert talk.numbers("pl", "-q", 1)[0] == pytest.approx(1e-3, rel=1e-5)  # q^2 / 16 of the period, and the tolerance


def test_connect_joins_bodies_that_are_there_and_keeps_momentum(talk):
    talk.say("ib a\nib b\nsb b -t 2 0 0 -vl 1 0 0\nconnect weld a b")
    assert talk.live.poses()["b"].translation == pytest.approx([2, 0, 0], abs=1e-12)
    assert talk.live.twists()["a"][3:] == pytest.approx([0.5, 0, 0], abs=1e-12)
    assert talk.live.last_edit.energy_lost == pytest.approx(0.25)


@pytest.mark.parametrize("kind", ["weld", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar"])
def test_connect_makes_every_kind_of_joint(talk, kind):
    talk.say(f"ib a\nib b\nsb b -t 2 0 0\nconnect {kind} a b -name j -one 1 0 0 -two -1 0 0 -axis 0 1 0")
    assert type(talk.live.mechanism.joint("j").kind).__name__.lower() == kind
    assert talk.live.poses()["b"].translation == pytest.approx([2, 0, 0], abs=1e-12)


def test_parts_that_do_not_meet_fly_together_and_it_is_said_how_far(talk):
    talk.say("ib a\nib b\nsb b -t 3 0 0")
    (line,) = talk.say("connect spherical a b -one .5 0 0 -two -.5 0 0")
    assert line.split()[0] == "moved"
    assert float(line.split()[1]) == pytest.approx(1.0, abs=1e-9), "two metres, shared by equal masses"
    assert "already a joint" in talk.refused("connect weld a b -name a-b")
    talk.say("connect weld a b")
    assert [joint.name for joint in talk.live.mechanism.joints] == ["a-b", "a-b-2"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("il z c", "no body is called 'z'"),
        ("il a b", "already a body 'b'"),
        ("sl b a -q 1", "leads from 'a' (parent) to 'b' (child)"),
        ("sl ground a -q 1", "no joint leads from 'ground' to 'a'"),
        ("sl a b", "nothing is given"),
        ("sl a b -s 0 0 0 0 0 0", "no direction"),
        ("sl a b -s 0 0 1e-12 1 0 0", "length 1e-12"),
        ("sl a b -pjE 0 0 0 0", "no direction"),
        ("sl a b -x 1", "no option"),
        ("connect weld a a", "same body"),
        ("connect glue a b", "allowed are weld"),
        ("connect revolute a b -axis 0 0 0", "axis"),
        ("pl a z", "no body is called 'z'"),
    ],
)
def test_refused(talk, line, said):
    talk.say("ib a\nil a b")
    assert said in talk.refused(line)


def test_coordinates_of_joints_with_several_are_not_set_by_one_number(talk):
    talk.say("ib a\nib b\nconnect spherical a b")
    assert "3 degrees of freedom" in talk.refused("sl a b -q 1")
    talk.say("sl a b -djt 1 0 0")
    assert talk.live.poses()["b"].translation == pytest.approx([1, 0, 0], abs=1e-12)
    talk.say("sl a b -s 0 0 1 0 0 0 -q .5")
    assert talk.numbers("pl", "-q", 1) == [0.5]


def test_a_link_takes_another_kind(talk):
    talk.say("ib a\nil ground b\nkind cylindrical ground b")
    assert talk.live.mechanism.joint("b.joint").kind == lw.Cylindrical((0, 0, 1))
    talk.live.add_force("spring", lw.JointSpring(stiffness=1.0), ("b.joint", 1))
    line = talk.refused("kind revolute ground b -axis 0 1 0")
    assert "spring" in line and "-all" in line and talk.live.mechanism.joint("b.joint").kind.nv == 2
    talk.say("kind revolute ground b -axis 0 1 0 -all -stay")
    assert talk.live.mechanism.joint("b.joint").kind == lw.Revolute((0, 1, 0)) and not talk.live.mechanism.forces
