"""Public functions take what a person has in hand (a Document, a Mechanism), or say in one line what to write."""

import inspect

import numpy as np
import pytest

import linkwork as lw

# What arguments without a default are given, where a function needs more than a model.
FILLED = {"q": [0.5], "v": [0.0], "vdot": [0.0], "tau": [0.0], "x": [0.0], "q0": [0.5], "q1": [0.5], "dv": [0.0], "driven": [True]}
BUILT_BY_ITSELF = ("rollout", "draw", "animate")  # beside Simulation and simulate, whose argument is called mechanism


def functions_of_a_model():
    for name in lw.__all__:
        function = getattr(lw, name)
        if inspect.isroutine(function) and next(iter(inspect.signature(function).parameters), "") == "model":
            yield name


@pytest.mark.parametrize("name", [name for name in functions_of_a_model() if name not in BUILT_BY_ITSELF])
@pytest.mark.parametrize("what", ["document", "mechanism"])
def test_a_function_of_a_state_says_what_to_write_for_a_document_or_mechanism(name, what):
    function, document = getattr(lw, name), lw.shipped("pendulum")
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    arguments = [FILLED.get(p.name, "bob") for p in needed[1:]]
    with pytest.raises(lw.ModelError) as caught:
        function(document if what == "document" else document.mechanism, *arguments)
    assert f"model = {what}.build()" in str(caught.value) and "\n" not in str(caught.value)


def test_a_document_is_simulated_from_its_own_initial_state():
    document = lw.shipped("four-bar")
    model = document.build()
    begins = document.setup.start(model)
    rec = lw.simulate(document, 0.1)
    assert np.array_equal(rec.q[0], begins.q) and np.array_equal(rec.v[0], begins.v) and rec.status == "finished"
    same = lw.Simulation(model, **document.setup.options(model)).run(0.1)
    assert np.array_equal(rec.q, same.q) and np.array_equal(rec.time, same.time)


def test_what_is_given_counts_more_than_what_the_document_says():
    document = lw.Document.from_text(
        """linkwork = 1
[body.bob]
mass = 1
com = [0, 0, -1]
inertia = [0.1, 0.1, 0.1]
[joint.pivot]
kind = "revolute"
parent = "ground"
child = "bob"
axis = [0, 1, 0]
[initial]
time = 2.0
q.pivot = 0.4
v.pivot = 1.0
[simulation]
record_interval = 0.05
integrator = { kind = "variational", step = 1e-3 }
"""
    )
    sim = lw.Simulation(document)
    assert (sim.time, sim.record_interval, sim.integrator) == (2.0, 0.05, lw.Variational(step=1e-3))
    assert sim.state.q.tolist() == [0.4] and sim.state.v.tolist() == [1.0]
    other = lw.Simulation(document, lw.RungeKutta4(), q=[0.1], record_interval=0.01)
    assert (other.time, other.record_interval, other.integrator) == (0.0, 0.01, lw.RungeKutta4())
    assert other.state.q.tolist() == [0.1] and other.state.v.tolist() == [0.0]  # a state that was given is not mixed with another
    document.mechanism.rename("pivot", "hinge")
    assert lw.Simulation(document).state.q.tolist() == [0.4]


def test_a_document_that_names_a_controller_takes_it_by_name_or_another_as_it_is():
    text = """linkwork = 1
[body.bob]
mass = 1
com = [0, 0, -1]
inertia = [0.1, 0.1, 0.1]
[joint.pivot]
kind = "revolute"
parent = "ground"
child = "bob"
axis = [0, 1, 0]
[initial]
q.pivot = 0.4
[controller.hold]
function = "hold"
rate = 100
"""

    def hold(t, q, v):
        return -50.0 * q - 5.0 * v

    document = lw.Document.from_text(text)
    with pytest.raises(lw.ModelError, match=r"controllers=\{'hold': function\}"):
        lw.simulate(document, 0.1)
    held = lw.simulate(document, 0.5, controllers={"hold": hold})
    assert np.array_equal(held.q, lw.simulate(document, 0.5, controllers=lw.controller(rate=100.0)(hold)).q)
    assert np.abs(held.q - lw.simulate(document.mechanism, 0.5, q=[0.4]).q).max() > 0.1  # it does something


def test_rollouts_and_pictures_take_documents_too():
    document = lw.shipped("pendulum")
    made = lw.rollout(document, [[0.5], [0.2]], [[0.0], [0.0]], 10)
    assert made.q.shape == (2, 11, 1) and np.array_equal(made.q, lw.rollout(document.mechanism, [[0.5], [0.2]], [[0.0], [0.0]], 10).q)
    assert "<svg" in lw.draw(document, [0.5]).svg()


@pytest.mark.parametrize("call", [lambda x: lw.simulate(x, 1.0), lw.Simulation, lambda x: lw.rollout(x, [[0.0]], [[0.0]], 1)])
@pytest.mark.parametrize(
    ("wrong", "found", "remedy"),
    [
        (None, "a NoneType", "give one"),
        (3.0, "a float", "give one"),
        ("pendulum", "a str", r"lw.read\(path\) reads one from a file, lw.shipped\(name\) gives one"),
        (lw.Mechanism, r"the class Mechanism \(are its parentheses missing\? Mechanism\(...\)\)", "give one"),
        (lw.Mechanism().build, r"the function build \(are its parentheses missing\? build\(...\)\)", "give one"),
    ],
)
def test_anything_else_is_refused_in_one_line(call, wrong, found, remedy):
    with pytest.raises(lw.ModelError, match=rf"found {found}; allowed is a Mechanism, a Document or a Model; {remedy}"):
        call(wrong)


def test_the_solver_propagation_is_refused_with_the_reason_and_what_to_use():
    with pytest.raises(lw.ModelError, match=r"NumPy.*allowed are 'auto', 'articulated', 'sparse'; to compare, ask lw.forward_dynamics"):
        lw.simulate(lw.shipped("four-bar"), 0.1, solver="propagation")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda m: lw.simulate(m, 0.1, lw.RungeKutta4),
            r"integrator: found the class RungeKutta4 \(are its parentheses missing\? RungeKutta4\(...\)\)",
        ),
        (lambda m: lw.simulate(m, 0.1, "rk4"), r"integrator: found 'rk4'; .* lw.integrator\('rk4'\) looks one up by its name"),
        (lambda m: lw.Live(m, lw.RungeKutta4), "integrator: found the class RungeKutta4"),
        (lambda m: lw.Live("pendulum"), r"Live: found a str; .*lw.Live.open\(path\) reads a file, lw.shipped\(name\)"),
        (lambda m: lw.Live(m.build()), "Live: found a Model; .*give what it was built from"),
        (lambda m: lw.read("pendulum"), r"there is no such file; lw.shipped\('pendulum'\) gives the mechanism of this name"),
        (
            lambda m: m.add_joint("pin", lw.Spherical, "ground", "bob"),
            r"joint 'pin': kind is the class Spherical \(are its parentheses missing",
        ),
        (
            lambda m: lw.simulate(m, 0.1, q=[0.0, 0.0]),
            r"q: found shape \(2,\); allowed is \(1,\) .*; model.joint\(NAME\).q_index is a joint's place in it",
        ),
        (lambda m: lw.simulate(m, 0.1, q={"pivot": 0.5}), "no joint or floating body is called 'pivot'; did you mean 'pin'"),
        (lambda m: lw.rollout(m, [0.5], [0.0], 10), "allowed is one axis of copies.*; lw.simulate runs one state"),
    ],
)
def test_a_likely_mistake_is_told_with_what_to_do(call, said):
    with pytest.raises(lw.LinkworkError, match=said):
        call(lw.shipped("pendulum").mechanism)
