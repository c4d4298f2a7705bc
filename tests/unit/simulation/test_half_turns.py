"""Torsion springs that are turned past half a turn say so, and joint springs wind up."""

import warnings

import numpy as np
import pytest

import linkwork as lw


def wheel(kind, *where):
    """1 kg m^2 on an axle, without gravity, under one force."""
    m = lw.Mechanism("wheel", gravity=(0, 0, 0))
    disk = m.add_body("disk", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("axle", lw.Revolute((0, 0, 1)), m.ground, disk)
    m.add_force("spring", kind, *(where or (disk,)))
    return m


@pytest.mark.parametrize(
    "kind", [lw.TorsionSpring(1.0, axis=(0, 0, 1)), lw.TorsionSpring(1.0), lw.Bushing(stiffness=np.eye(6))], ids=["axis", "all", "bushing"]
)
def test_a_torsion_spring_that_is_wound_past_half_a_turn_is_told(kind):
    """A spring that winds up would stop the wheel at 4 rad: it turned on for ever, without a word. 4 sin t is half a turn at t = 0.904 s."""
    rec = lw.simulate(wheel(kind), 4.0, v=[4.0])
    (text,) = rec.audit.warnings
    assert text.startswith("force 'spring' was turned past half a turn before t = 0.92 s") and "JointSpring" in text
    assert rec.q[-1, 0] > 4.5


@pytest.mark.parametrize(
    "kind", [lw.TorsionSpring(1.0, axis=(0, 0, 1)), lw.TorsionSpring(1.0), lw.Bushing(stiffness=np.eye(6))], ids=["axis", "all", "bushing"]
)
def test_copies_of_a_rollout_that_wind_a_spring_past_half_a_turn_are_told(kind):
    """A rollout said nothing of it: copies 2 and 3 pass half a turn, the former at t = 0.904 s, between samples of 0.02 s."""
    v = np.array([[1.0], [-3.0], [4.0], [5.0]])
    with pytest.warns(lw.LimitWarning, match=r"force 'spring' was turned past half a turn before t = 0\.92 s of copy 2: ") as told:
        run = lw.rollout(wheel(kind), np.zeros((4, 1)), v, 2000, every=20)
    assert len(told) == 1 and not run.failed.any() and run.q[2].max() > 4.5


def test_copies_of_a_rollout_may_fail_before_half_a_turn():
    """Samples of a copy that has failed are NaN, and say nothing."""
    m = wheel(lw.TorsionSpring(1.0, axis=(0, 0, 1)))
    m.add_force("far too stiff", lw.JointSpring(1e9), "axle")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lw.rollout(m, [[0.0], [0.5]], np.zeros((2, 1)), 2000, lw.RungeKutta4(1e-2), every=20)
    assert run.failed.tolist() == [False, True] and np.isnan(run.q[1, -1]).all()


def test_a_rollout_within_half_a_turn_is_told_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.rollout(wheel(lw.TorsionSpring(1.0, axis=(0, 0, 1))), np.zeros((3, 1)), [[1.0], [2.0], [3.0]], 8000, every=20)


@pytest.mark.parametrize("rest", [0.0, 0.1, 2.0])
def test_springs_that_stay_within_half_a_turn_of_rest_are_told_nothing(rest):
    rec = lw.simulate(wheel(lw.TorsionSpring(1.0, axis=(0, 0, 1), rest=rest)), 8.0, q=[rest], v=[3.0])
    assert rec.audit.warnings == ()
    assert rec.q[:, 0].max() - rest == pytest.approx(3.0, abs=1e-3)  # v^2 = k turn^2, between samples


def test_a_joint_spring_counts_turns():
    rec = lw.simulate(wheel(lw.JointSpring(1.0), "axle"), 8.0, v=[4.0])
    assert rec.audit.warnings == ()
    assert rec.q.max() == pytest.approx(4.0, abs=1e-3) and rec.q.min() == pytest.approx(-4.0, abs=1e-3)
