"""Misspelt keywords say what was meant, for every public callable, and calls that are right stay as they were."""

import doctest
import inspect
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.arguments import explained


@lw.force
def magnet(a, b, t, strength=2.0):
    return 0.0, 0.0, strength


CALLS = {
    "RungeKutta4: no argument is called 'stp'; did you mean 'step'? Allowed is step": lambda m: lw.RungeKutta4(stp=1e-3),
    "simulate: no argument is called 'durtion'; did you mean 'duration'": lambda m: lw.simulate(m, durtion=1.0),
    "Simulation: no argument is called 'recrd'; did you mean 'record'": lambda m: lw.simulate(m, 1.0, recrd=["q"]),
    "Simulation.run: no argument is called 'each_fram'": lambda m: lw.Simulation(m).run(1.0, each_fram=print),
    "Mechanism.add_body: no argument is called 'dens'; did you mean 'density'": lambda m: m.add_body("x", dens=3.0),
    "Revolute: no argument is called 'axs'; did you mean 'axis'": lambda m: lw.Revolute(axs=(0, 0, 1)),
    "SpringDamper: no argument is called 'stifness'": lambda m: lw.SpringDamper(stifness=3.0),
    "magnet: no argument is called 'strenth'; did you mean 'strength'? Allowed is strength": lambda m: magnet(strenth=3.0),
    "Document.open: no argument is called 'fnctions'": lambda m: lw.Document.open("x.toml", fnctions={}),
    "forward_dynamics: no argument is called 'forcs'; did you mean 'forces'": lambda m: lw.forward_dynamics(
        m.build(), [0.0], [0.0], forcs=True
    ),
    "mobility: no argument is called 'zzz'; allowed are model, q": lambda m: lw.mobility(m.build(), [0.0], zzz=1),
}


@pytest.mark.parametrize("said", CALLS)
def test_a_misspelt_keyword_says_what_was_meant(said):
    with pytest.raises(TypeError) as caught:
        CALLS[said](lw.shipped("pendulum").mechanism)
    assert isinstance(caught.value, lw.ArgumentError) and isinstance(caught.value, lw.LinkworkError)
    assert str(caught.value).startswith(said) and caught.value.name in said
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_function_that_goes_the_short_way_still_explains():
    model, q = lw.shipped("pendulum").build(), np.zeros(1)
    for _ in range(6):
        lw.forward_dynamics(model, q, q)
    with pytest.raises(lw.ArgumentError, match="did you mean 'solver'"):
        lw.forward_dynamics(model, q, q, solvr="auto")


@pytest.mark.parametrize("name", [name for name in lw.__all__ if callable(getattr(lw, name)) and name not in ("force", "controller")])
def test_every_public_callable_refuses_a_keyword_that_does_not_exist_with_the_list_of_those_that_do(name):
    thing = getattr(lw, name)
    if isinstance(thing, type) and (
        issubclass(thing, (BaseException, tuple)) or thing.__init__ is object.__init__ or hasattr(thing.__init__, "is_quick")
    ):
        pytest.skip("an error, or a result that functions return")
    if hasattr(thing, "is_quick"):
        assert name in ("jacobian", "jacobian_rate_times_v")  # no others
        pytest.skip("a call of Python in front of it would be a fifth of its time")
    try:
        parameters = inspect.signature(thing).parameters.values()
    except ValueError:
        pytest.skip("nothing is known of its arguments")
    if (any(p.kind is p.VAR_KEYWORD for p in parameters) and name != "simulate") or not any(
        p.kind is not p.POSITIONAL_ONLY for p in parameters
    ):
        pytest.skip("it takes any keyword, or none")
    with pytest.raises(lw.ArgumentError, match=r"no argument is called 'nonsense_'.*llowed"):
        thing(nonsense_=1)


def test_what_is_missing_or_wrong_inside_is_not_taken_for_a_misspelling():
    with pytest.raises(
        TypeError, match=r"forward_dynamics: 'v' is missing; it is called as forward_dynamics\(model, q, v, tau=..., "
    ) as caught:
        lw.forward_dynamics(lw.shipped("pendulum").build(), q=[0.0])
    assert not isinstance(caught.value, lw.ArgumentError)

    def inner(a=1):
        return a

    def outer(b=1):
        return inner(c=b)

    with pytest.raises(TypeError, match="unexpected keyword argument 'c'") as caught:
        explained(outer)(b=2)
    assert not isinstance(caught.value, lw.ArgumentError)


def test_explained_functions_are_what_they_were():
    assert pickle.loads(pickle.dumps(lw.simulate)) is lw.simulate
    assert list(inspect.signature(lw.simulate).parameters) == ["mechanism", "duration", "integrator", "options"]
    assert inspect.signature(lw.RungeKutta4).parameters["step"].default == 1e-3
    module = inspect.getmodule(lw.simulate)
    examples = {test.name for test in doctest.DocTestFinder().find(module) if test.examples}
    assert {f"{module.__name__}.simulate", f"{module.__name__}.Simulation"} <= examples  # examples still run


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: lw.Revolute(), "Revolute: 'axis' is missing; it is called as Revolute\\(axis, "),
        (lambda: lw.Box((1.0, 1.0, 1.0)), "Box: 'y' is missing; it is called as Box\\(x, y, z, "),
        (lambda: lw.Mechanism().add_joint("pin", lw.Weld(), "ground"), "Mechanism.add_joint: 'child' is missing"),
    ],
)
def test_an_argument_that_is_missing_is_named_with_the_way_to_call(call, said):
    with pytest.raises(TypeError, match=said) as caught:
        call()
    assert isinstance(caught.value, lw.LinkworkError) and str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_public_name_that_is_misspelt_says_what_was_meant():
    with pytest.raises(AttributeError, match="module 'linkwork' has no attribute 'Revolut'; did you mean 'Revolute'"):
        lw.Revolut  # noqa: B018
    assert not hasattr(lw, "_anything")
