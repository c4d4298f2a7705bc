"""From what a file says to a Simulation: integrators by name, a start in which the loops are closed, controllers by name."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.formats.native_setup import NamedController


@pytest.mark.parametrize("kind", ["runge-kutta-4", "RungeKutta4", "runge_kutta_4", {"kind": "runge-kutta-4"}])
def test_an_integrator_by_its_name(kind):
    assert lw.integrator(kind, step=0.01) == lw.RungeKutta4(step=0.01)
    assert lw.integrator(kind) == lw.RungeKutta4()


def test_an_integrator_is_given_back_as_it_is():
    given = lw.SemiImplicitEuler(step=0.5)
    assert lw.integrator(given) is given


def test_all_public_integrators_have_names_and_no_base_has():
    classes = {cls for name in lw.__all__ if isinstance(cls := getattr(lw, name), type) and issubclass(cls, lw.Integrator)}
    assert set(lw.named_integrators().values()) == classes - {lw.Integrator}
    assert {"adaptive", "runge-kutta-4", "semi-implicit-euler"} <= set(lw.named_integrators())


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("runge-kuta", {}, "did you mean 'runge-kutta-4'"),
        ("runge-kutta-4", {"stp": 1e-3}, "did you mean 'step'"),
        ("runge-kutta-4", {"step": -1.0}, "above 0"),
        ({"step": 1.0}, {}, "give the name of one"),
        (4, {}, "give the name of one"),
    ],
)
def test_what_is_no_integrator_is_refused(kind, settings, words):
    with pytest.raises(lw.ModelError) as refused:
        lw.integrator(kind, **settings)
    assert words in str(refused.value)


def test_all_settings_reach_the_simulation():
    model = lw.shipped("pendulum").mechanism.build()
    setup = lw.Setup(
        time=2.0, q={"pin": (0.3,)}, v={"pin": (1.5,)}, record_interval=0.1, integrator={"kind": "semi-implicit-euler", "step": 0.01}
    )
    setup.record, setup.drift = ("q",), "none"
    sim = lw.Simulation(model, **setup.options(model))
    assert (sim.time, sim.record_interval, sim.integrator, sim.drift) == (2.0, 0.1, lw.SemiImplicitEuler(step=0.01), "none")
    np.testing.assert_array_equal(np.concatenate([sim.state.q, sim.state.v]), [0.3, 1.5])
    assert sim.run(0.2).channels == ("time", "q")


def four_bar(**given):
    doc = lw.shipped("four-bar")
    return doc.mechanism.build(), lw.Setup(**given)


def test_joints_that_are_given_keep_their_values_and_the_others_follow():
    model, setup = four_bar(q={"A": (1.0,)}, v={"A": (2.0,)})
    start = setup.start(model)
    assert (start.q[model.joint("A").q_index], start.v[model.joint("A").v_index]) == (1.0, 2.0)
    assert lw.mobility(model, start.q).open_gaps == {}
    assert np.abs(start.v[model.joint("D").v_index]) > 0.1  # the rocker swings along
    lw.Simulation(model, **setup.options(model))  # which refuses positions and velocities that do not fit


def test_numbers_rounded_by_hand_are_closed_by_the_least():
    model, _ = four_bar()
    said = lw.shipped("four-bar").setup
    rounded = lw.Setup(q={name: (round(q[0], 4),) for name, q in said.q.items()}, v={name: (round(v[0], 4),) for name, v in said.v.items()})
    start = rounded.start(model)
    np.testing.assert_allclose(start.q, rounded.state(model).q, atol=1e-3)
    np.testing.assert_allclose(start.v, rounded.state(model).v, atol=1e-2)
    lw.Simulation(model, **rounded.options(model))
    with pytest.raises(lw.StateError):
        lw.Simulation(model, **rounded.options(model, close=False))


def test_values_that_do_not_fit_together_are_refused():
    model, setup = four_bar(q={"A": (1.0,), "B": (1.0,), "C": (1.0,), "D": (1.0,)})
    with pytest.raises(lw.AssemblyError):
        setup.start(model)
    model, setup = four_bar(q={"A": (1.0,)}, v={"A": (2.0,), "D": (-50.0,)})
    with pytest.raises(lw.AssemblyError):
        setup.start(model)
    assert setup.start(model, hold=["A"]).v[model.joint("A").v_index] == 2.0


def brake(t, q, v, gain=1.0):
    return -gain * v


def test_controllers_are_found_by_the_name_of_their_function():
    model = lw.shipped("pendulum").mechanism.build()
    setup = lw.Setup(controllers={"hold": NamedController("brake", 100.0, {"gain": 5.0})})
    for given in (brake, lw.controller(brake, rate=100.0)):
        (found,) = setup.options(model, controllers={"brake": given})["controllers"]
        assert (found.rate, found.gain) == (100.0, 5.0)
    with pytest.raises(lw.ModelError, match="a file holds no code"):
        setup.options(model)
    with pytest.raises(lw.ModelError, match="make them agree"):
        setup.options(model, controllers={"brake": lw.controller(brake, rate=50.0)})


def test_a_controller_that_has_parameters_keeps_those_that_the_file_does_not_give():
    def pd(t, q, v, kp, kd):
        return -kp * q - kd * v

    model = lw.shipped("pendulum").mechanism.build()
    made = lw.controller(pd, rate=100.0)
    setup = lw.Setup(controllers={"hold": NamedController("pd", None, {"kd": 3.0})})
    (found,) = setup.options(model, controllers={"pd": made(kp=20.0, kd=1.0)})["controllers"]
    assert (found.kp, found.kd) == (20.0, 3.0)
    for function, text in (
        (made, "its function needs 'kp', which has no default"),
        (pd, "neither the file nor its function says how often it is called"),
        (lw.controller(brake, rate=100.0), "controller 'hold': no parameter is called 'kd'"),
    ):
        with pytest.raises(lw.ModelError, match=text):
            setup.options(model, controllers={"pd": function})
