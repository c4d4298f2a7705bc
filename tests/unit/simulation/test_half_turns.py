"""Torsion springs that are turned past half a turn say so, and joint springs wind up."""

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


@pytest.mark.parametrize("rest", [0.0, 0.1, 2.0])
def test_springs_that_stay_within_half_a_turn_of_rest_are_told_nothing(rest):
    rec = lw.simulate(wheel(lw.TorsionSpring(1.0, axis=(0, 0, 1), rest=rest)), 8.0, q=[rest], v=[3.0])
    assert rec.audit.warnings == ()
    assert rec.q[:, 0].max() - rest == pytest.approx(3.0, abs=1e-3)  # v^2 = k turn^2, between samples


def test_a_joint_spring_counts_turns():
    rec = lw.simulate(wheel(lw.JointSpring(1.0), "axle"), 8.0, v=[4.0])
    assert rec.audit.warnings == ()
    assert rec.q.max() == pytest.approx(4.0, abs=1e-3) and rec.q.min() == pytest.approx(-4.0, abs=1e-3)
