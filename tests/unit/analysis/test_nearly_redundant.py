"""Questions obey the rule of rank (decision 0015): an axis tilted by rounding holds no planar four-bar, also away from where it was drawn."""

import warnings

import numpy as np
import pytest

import linkwork as lw

from ..constraints.rank_cases import four_bar, motion_of

TILTS = (1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 8e-6)
HELD = "a"  # the crank
ANGLE = 0.6  # rad: of the crank, away from where it was drawn


@pytest.fixture(autouse=True)
def warnings_of_the_loop_are_known():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.ConstraintWarning)
        yield


def away(model):
    """The four-bar with its crank turned, a guess that is not closed yet."""
    q = lw.neutral(model)
    q[model.joint(HELD).q_index] = ANGLE
    return q


@pytest.fixture(scope="module")
def exact():
    model = four_bar()
    q = lw.assemble(model, away(model), hold=HELD)
    assert np.max(np.abs(q)) > 0.5
    return model, q


@pytest.mark.parametrize("tilt", TILTS)
def test_a_tilted_axis_does_not_keep_a_mechanism_from_assembly(tilt, exact):
    model, near = four_bar(tilt), exact[1] + 0.01
    np.testing.assert_allclose(lw.assemble(model, away(model), hold=HELD), exact[1], atol=10.0 * tilt + 1e-9)
    np.testing.assert_allclose(lw.assemble(model, near), lw.assemble(exact[0], near), atol=10.0 * tilt + 1e-9)


@pytest.mark.parametrize("tilt", TILTS)
def test_a_tilted_axis_does_not_stop_velocities(tilt, exact):
    model, q = four_bar(tilt), exact[1]
    v = motion_of(*exact, 3.0)
    np.testing.assert_allclose(lw.project_velocity(model, q, v), v, atol=100.0 * tilt + 1e-9)
    found = lw.state_from_bodies(model, velocities={"crank": (0, float(v[model.joint(HELD).v_index][0]), 0, 0, 0, 0)}, q=q)
    np.testing.assert_allclose(found.v, v, atol=100.0 * tilt + 1e-9)


@pytest.mark.parametrize("tilt", TILTS)
def test_a_tilted_axis_does_not_make_the_start_an_equilibrium(tilt, exact):
    model = four_bar(tilt)
    expected, found = (lw.equilibrium(m, lw.neutral(m)) for m in (exact[0], model))
    assert np.max(np.abs(expected.q)) > 0.5 and expected.stable
    np.testing.assert_allclose(found.q, expected.q, atol=10.0 * tilt + 1e-6)
    np.testing.assert_allclose(found.stiffness, expected.stiffness, rtol=1e-3)


@pytest.mark.parametrize("tilt", TILTS)
def test_a_tilted_axis_does_not_keep_targets_out_of_reach(tilt, exact):
    model = four_bar(tilt)
    turned = lw.forward_kinematics(exact[0], exact[1]).rotation("crank")
    found = lw.inverse_kinematics(model, lw.neutral(model), [lw.Target("crank", rotation=turned)], tolerance=1e-7)
    assert found.reached
    np.testing.assert_allclose(found.q, exact[1], atol=10.0 * tilt + 1e-6)


@pytest.mark.parametrize("tilt", TILTS)
def test_a_state_of_a_run_with_a_tilted_axis_is_one_to_go_on_from(tilt):
    model = four_bar(tilt)
    sim = lw.Simulation(model, lw.RungeKutta4(0.01), q=lw.neutral(model))
    sim.run(0.5)
    assert np.max(np.abs(sim.state.q)) > 0.5
    q, v = sim.state.q.copy(), sim.state.v.copy()
    sim.state = sim.state
    again = lw.Simulation(model, lw.RungeKutta4(0.01), q=q)
    np.testing.assert_array_equal(again.state.q, q)
    np.testing.assert_array_equal(sim.state.v, v)


@pytest.mark.parametrize("tilt", [1e-4, 1e-3])
def test_an_axis_that_is_really_tilted_is_not_forgiven(tilt, exact):
    model = four_bar(tilt)
    with pytest.raises(lw.StateError, match="'c' is open by"):
        lw.Simulation(model, lw.RungeKutta4(0.01), q=exact[1])
    with pytest.raises(lw.AssemblyError, match="'c'"):
        lw.assemble(model, away(model), hold=HELD)
    assert np.max(np.abs(lw.equilibrium(model, lw.neutral(model)).q)) < 1e-6
