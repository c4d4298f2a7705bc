"""End-points: ilc pc. Nails and points that are held, and drawn elsewhere without a jump."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.console.ends import drawn_in

HANGING = "ib a\nil a b\nsl a b -s 0 1 0 0 0 0 -djt 1 0 0 -pjt -1 0 0\ngravity on\n"


def test_a_nailed_root_stays_and_its_reaction_is_the_weight_it_carries(talk):
    talk.say("ib a\nsb a -m 3 -t 0 0 5\ngravity on\nilc a nail\nstep 30")
    assert talk.live.poses()["a"].translation == pytest.approx([0, 0, 5], abs=1e-9)
    (line,) = talk.say("pc")
    assert line.startswith("constraint a.nail Nail a ground -n ")
    assert talk.numbers("pc", "-f", 3) == pytest.approx([0, 0, 3 * 9.81], abs=1e-6)


def test_a_nailed_tip_holds_its_chain_too(talk):
    talk.say(HANGING + "ilc b nail\nstep 30")
    assert talk.live.poses()["b"].translation == pytest.approx([2, 0, 0], abs=1e-9)
    assert talk.live.mobility().dof == 1
    assert np.linalg.norm(talk.live.poses()["a"].translation - [0, 0, 0]) > 0.1, "the root swings"


def test_free_lets_go_and_keeps_velocities(talk):
    talk.say(HANGING + "ilc a nail\nstep 30")
    before = talk.live.twists()["b"]
    talk.say("ilc a free")
    assert not talk.live.mechanism.constraints
    assert talk.live.twists()["b"] == pytest.approx(before, abs=1e-12)
    talk.say("ilc a free")  # free already: that is so


def test_a_point_is_held_and_the_body_turns_about_it(talk):
    talk.say("ib a\ngravity on\nilc a move_to_point -p 1 0 0\nstep 15")
    X = talk.live.poses()["a"]
    assert X.act((1, 0, 0)) == pytest.approx([1, 0, 0], abs=1e-9)
    assert X.translation[2] < -0.1


def test_a_nail_that_is_told_to_go_elsewhere_carries_the_body_there_without_a_jump(talk):
    talk.say("ib a\nsb a -t 1 0 0\nilc a nail\nilc a nail -t 0 2 0 -E 0 0 0 1 -tau .05\nsstepsize .01")
    speeds, last = [], talk.live.poses()["a"].translation
    for _ in range(150):
        talk.say("step 1")
        now = talk.live.poses()["a"].translation
        speeds.append(np.linalg.norm(now - last) / 0.01)
        last = now
    assert talk.live.poses()["a"].isclose(lw.Pose((0, 2, 0), (0, 0, 0, 1)), 1e-6)
    way = np.sqrt(5)
    assert max(speeds) < 1.05 * way / (0.05 * np.e), "the greatest speed of a critically damped pull is way / (e tau)"
    assert speeds[0] < 0.5 * max(speeds), "it begins at rest"


@pytest.mark.slow
def test_a_program_that_sends_a_target_every_frame_is_followed(talk):
    """A point at 1 m/s, followed with the lag 2 tau of a critically damped pull."""
    talk.say("ib car\nilc car move_to_point\nsstepsize .02")
    for k in range(1, 76):
        talk.say(f"ilc car move_to_point -t {0.02 * k} 0 0 -tau .05\nstep 1")
    assert talk.live.poses()["car"].translation == pytest.approx([1.5 - 0.1, 0, 0], abs=0.015)
    assert talk.live.twists()["car"][3:] == pytest.approx([1, 0, 0], abs=0.03)


@pytest.mark.parametrize(("offset", "speed"), [(1.0, 0.0), (0.0, 1.0), (-0.3, 2.0)])
def test_the_law_is_that_of_critical_damping(offset, speed):
    """Within the error of the quintic pieces, h^6 / 46080 of the sixth derivative; and it ends at rest in its target."""
    tau, t0 = 0.2, 5.0
    law = drawn_in(t0, offset, speed, tau)
    for s in np.linspace(0, 10 * tau, 77):
        k = min(int(s / tau), len(law.x) - 2)
        found = np.polyval(law.c[:, k], t0 + s - law.x[k])
        expected = (offset + (speed + offset / tau) * s) * np.exp(-s / tau)
        assert found == pytest.approx(expected, abs=3e-4 * (abs(offset) + abs(speed) * tau))
    assert not law.c[:, -1].any()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ilc z nail", "no body is called 'z'"),
        ("ilc ground nail", "does not move"),
        ("ilc a glue", "allowed are free, nail, move_to_point"),
        ("ilc a nail -p 1 0 0", "-p is for move_to_point"),
        ("ilc a move_to_point -E 1 0 0 0", "-E is for nail"),
        ("ilc a free -t 1 0 0", "mean nothing"),
        ("ilc a nail -tau 0", "-tau"),
        ("pc z", "no body is called 'z'"),
    ],
)
def test_refused(talk, line, said):
    talk.say("ib a")
    assert said in talk.refused(line)
