"""What people give to runs by mistake, or write in good faith, and what became of it."""

import numpy as np
import pytest

import linkwork as lw


def pendulum():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.01, 0.01, 0.01))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    return m


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize(
    "integrator", [lw.RungeKutta4(1e-3), lw.Adaptive(), lw.Implicit(1e-3), lw.Variational(1e-3)], ids=lambda i: type(i).__name__
)
def test_a_constant_torque_turns_a_rotor_faster_and_faster(axes, integrator):
    """Its work was said to be energy from nowhere. One N m on one kg m^2 for a second: 1 rad/s."""
    m = lw.Mechanism("rotor", gravity=(0, 0, 0))
    rotor = m.add_body("rotor", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("axle", lw.Revolute((0, 0, 1)), m.ground, rotor)
    m.add_force("load", lw.Load(torque=(0, 0, 1.0), axes=axes), rotor)
    recording = lw.simulate(m, 1.0, integrator)
    assert recording.status == "finished" and recording.v[-1, 0] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(1e-3), lw.Adaptive(), lw.Implicit(1e-3)], ids=lambda i: type(i).__name__)
def test_an_event_function_that_writes_to_q_does_not_move_the_mechanism(integrator):
    def careless(t, q, v):
        q[0] -= 0.3
        v[0] = 50.0
        return q[0]

    plain, watched = (lw.simulate(pendulum(), 0.5, integrator, q=[1.0], events=events).q for events in ([], [lw.Event(careless)]))
    assert np.array_equal(plain, watched) and abs(plain[-1, 0] - 1.0) > 0.3


def test_an_event_function_that_raises_is_told_by_its_name():
    def beyond(t, q, v):
        return q[17]

    with pytest.warns(lw.FailedRunWarning, match="failed at 0 s: event 'beyond' raised IndexError"):
        assert lw.simulate(pendulum(), 0.1, events=[lw.Event(beyond)]).status == "failed"


def test_frames_without_number_are_refused():
    with pytest.raises(lw.StateError, match="record_interval: found 1e-300"):
        lw.simulate(pendulum(), 0.1, record_interval=1e-300)


@pytest.mark.parametrize("kind", [lw.RungeKutta4, lw.SemiImplicitEuler, lw.Variational])
def test_a_step_that_no_clock_resolves_is_refused(kind):
    with pytest.raises(lw.ModelError, match="step is"):
        kind(1e-320)


def test_a_solver_that_there_is_none_of_is_refused_for_a_tree_too():
    with pytest.raises(lw.StateError, match="solver: found 'zz'"):
        lw.simulate(pendulum(), 0.1, solver="zz")


@pytest.mark.parametrize("options", [{"tolerance": np.nan}, {"tolerance": "a"}, {"t": np.nan}, {"strict": "no"}])
def test_a_state_from_bodies_takes_no_tolerance_that_is_none(options):
    with pytest.raises(lw.StateError, match=next(iter(options))):
        lw.state_from_bodies(pendulum().build(), {"bob": (1, 0, 0)}, **options)
