"""The state machine of StickSlip: every transition, which of two that are possible is taken, and the force in each state."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT
from linkwork.parts.forces.kind import GIVEN, MARKER, WRENCHES
from linkwork.parts.forces.stick_slip import FREE, SLIDING, STICKING

from ....force_cases import run

K, B, MU_D, MU_S, SLOW = 1000.0, 50.0, 0.4, 0.6, 0.01
KIND = lw.StickSlip(K, B, MU_D, MU_S, SLOW, shear_stiffness=400.0, shear_damping=8.0)


def law(state, anchor=(0.0, 0.0), *, p=(0.0, 0.0, -0.01), u=(0.0, 0.0, 0.0), kind=KIND, R_b=None, p_b=(0.0, 0.0, 0.0)):
    """(force on the point, energy, what it would remember) for a point at p with velocity u, a plane that stands still."""
    given = np.zeros(GIVEN + 3)
    given[:9], given[9:12], given[15:18] = np.eye(3).ravel(), p, u
    given[MARKER : MARKER + 9], given[MARKER + 9 : MARKER + 12] = (np.eye(3) if R_b is None else R_b).ravel(), p_b
    given[GIVEN:] = (state, *anchor)
    if JIT:
        out, _ = run(kind.code("here")[0], given, kind.law_words().view(float), WRENCHES + 3)
    else:
        out = np.full(WRENCHES + 3, 7.0)
        kind.code("here")[0](given, kind.law_given(kind.law_words()), out)
    assert np.allclose(out[6:12][3:], -out[3:6])
    return out[3:6], out[WRENCHES - 1], tuple(out[WRENCHES:])


@pytest.mark.parametrize("state", [FREE, SLIDING, STICKING])
def test_a_point_above_the_plane_leaves_from_every_state(state):
    force, energy, next_ = law(state, (0.3, 0.1), p=(0, 0, 1e-6), u=(1, 2, -3))
    assert not force.any() and energy == 0.0 and next_ == (FREE, 0.0, 0.0)


@pytest.mark.parametrize("state", [FREE, SLIDING, STICKING])
def test_a_normal_force_that_would_pull_is_none_and_drops_the_anchor(state):
    force, energy, next_ = law(state, (0.3, 0.1), u=(0, 0, 1.0))  # k x = 10 N, b x_dot = -50 N
    assert not force.any() and next_ == (SLIDING, 0.0, 0.0)
    assert energy == pytest.approx(0.5 * K * 0.01**2)


def test_leaving_is_before_pulling():
    assert law(STICKING, p=(0, 0, 0.0), u=(0, 0, 1.0))[2][0] == FREE


def test_pulling_is_before_slipping_and_sticking():
    assert law(STICKING, (5.0, 0.0), u=(0, 0, 0.5))[2] == (SLIDING, 0.0, 0.0)
    assert law(SLIDING, u=(0, 0, 0.5))[2] == (SLIDING, 0.0, 0.0)  # slow along the plane, but it does not stick


def test_a_point_that_was_free_slides_first_however_slow_it_is():
    force, _, next_ = law(FREE, u=(0.002, 0, 0))
    assert next_ == (SLIDING, 0.0, 0.0)
    assert np.allclose(force, (-MU_D * 10.0 * 0.2, 0, 10.0), rtol=1e-12)


def test_a_fast_point_slides_on():
    force, _, next_ = law(SLIDING, u=(0.3, -0.4, 0))
    assert next_ == (SLIDING, 0.0, 0.0)
    assert np.allclose(force, (-MU_D * 10.0 * 0.6, MU_D * 10.0 * 0.8, 10.0), rtol=1e-12)


@pytest.mark.parametrize("speed, sticks", [(0.999 * SLOW, True), (1.001 * SLOW, False)])
def test_the_threshold_of_sticking_is_that_of_the_length_of_the_velocity(speed, sticks):
    p = (0.2, -0.3, -0.01)
    _, _, next_ = law(SLIDING, p=p, u=(0.6 * speed, 0.8 * speed, 0))
    assert next_ == ((STICKING, 0.2, -0.3) if sticks else (SLIDING, 0.0, 0.0))


def test_the_force_of_sliding_is_continuous_at_the_threshold():
    a, b = (law(SLIDING, u=(x * SLOW, 0, 0))[0] for x in (1 - 1e-9, 1 + 1e-9))
    assert np.abs(a - b).max() < 1e-7  # 4 N x 1e-9


def test_a_sticking_point_is_held_by_spring_and_damper_and_keeps_its_anchor():
    p, u, anchor = (0.204, -0.3, -0.01), (0.0, 0.05, 0), (0.2, -0.3)
    force, energy, next_ = law(STICKING, anchor, p=p, u=u)
    assert np.allclose(force, (-400.0 * 0.004, -8.0 * 0.05, 10.0), rtol=1e-12)
    assert next_ == (STICKING, *anchor)
    assert energy == pytest.approx(0.5 * K * 0.01**2 + 0.5 * 400.0 * 0.004**2)


@pytest.mark.parametrize("share, holds", [(0.999, True), (1.001, False)])
def test_a_sticking_point_slips_where_the_length_of_its_force_exceeds_static_friction(share, holds):
    d = share * MU_S * 10.0 / 400.0
    force, _, next_ = law(STICKING, (0.0, 0.0), p=(0.6 * d, 0.8 * d, -0.01))
    assert next_ == ((STICKING, 0.0, 0.0) if holds else (SLIDING, 0.0, 0.0))
    assert np.hypot(*force[:2]) == pytest.approx(min(share, 1.0) * MU_S * 10.0)
    assert np.allclose(force[:2] / np.hypot(*force[:2]), (-0.6, -0.8))


def test_the_anchor_moves_with_the_plane():
    turn = lw.Pose.from_rpy(0.3, -0.2, 1.1).rotation
    shift = np.array((0.5, -2.0, 0.7))
    p = np.array((0.204, -0.3, -0.01))
    still, energy, _ = law(STICKING, (0.2, -0.3), p=p)
    moved, same, next_ = law(STICKING, (0.2, -0.3), p=shift + turn @ p, R_b=turn, p_b=shift)
    assert np.allclose(moved, turn @ still, atol=1e-11) and same == pytest.approx(energy, rel=1e-9)
    assert next_ == (STICKING, 0.2, -0.3)


def test_what_is_left_out_is_as_along_the_normal_and_as_when_sliding():
    values = lw.StickSlip(3.0, 2.0, 0.7).law_values()
    assert (values["static"], values["shear_stiffness"], values["shear_damping"]) == (0.7, 3.0, 2.0)


@pytest.mark.parametrize(
    "values, name", [({"static": 0.3}, "static"), ({"slip_speed": 0.0}, "slip_speed"), ({"shear_stiffness": -1.0}, "shear")]
)
def test_what_cannot_be_is_a_fault_by_name(values, name):
    assert [text for _, text in lw.StickSlip(1.0, friction=0.5, **values).faults() if text.startswith(name)]
