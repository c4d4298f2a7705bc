"""Options of a wrong type: an error of this package that names the argument, from every public function that takes one."""

import math

import numpy as np
import pytest

import linkwork as lw

HOSTILE = (None, True, -1, 10**30, 0.5, math.nan, math.inf, 1e308, "", "x", b"x", [], (), {}, set(), [1], [math.nan], ["a"], [[1, 2], [3]])
HOSTILE += (
    np.zeros(0),
    np.zeros(3),
    np.full((2, 2), np.nan),
    np.array(["a"]),
    np.zeros(2, complex),
    np.zeros(2, object),
    object(),
    len,
    int,
    1j,
)


def linkage():
    m = lw.Mechanism("linkage")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    tip = m.add_body("tip", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), bob.at(0, 0, -1), tip)
    m.add_constraint("rod", lw.Distance(1.0), tip, m.ground)
    m.add_force("spring", lw.SpringDamper(stiffness=10.0, length=1.0), tip, m.ground.at(1, 0, 0))
    return m


MODEL = linkage().build()
Q, V = lw.neutral(MODEL), np.zeros(MODEL.nv)
CALLS = {
    lw.assemble: ((Q,), ("hold", "limits", "t", "method", "tolerance", "max_iterations")),
    lw.project_velocity: ((Q, V), ("hold", "t", "tolerance")),
    lw.mobility: ((Q,), ("t",)),
    lw.reactions: ((Q, V), ("t", "solver", "forces")),
    lw.equilibrium: ((Q,), ("tau", "f_ext", "forces", "hold", "t", "tolerance", "max_iterations")),
    lw.applied_forces: ((Q, V), ("t",)),
    lw.random_configuration: ((), ("rng", "size", "span", "reach")),
    lw.within_limits: ((Q,), ("tolerance", "threads")),
    lw.forward_dynamics: ((Q, V), ("tau", "f_ext", "t", "solver", "forces", "threads")),
    lw.jacobian: ((Q, "tip"), ("axes", "threads")),
    lw.inverse_inertia: ((Q, "tip"), ("other", "axes", "threads")),
    lw.mass_matrix: ((Q,), ("threads",)),
    lw.constraint_jacobian: ((Q, V), ("t", "threads")),
    lw.rollout: ((Q[None], V[None], 1), ("t", "every", "gap", "joint_forces", "threads")),
    lw.Simulation: (
        (),
        ("t", "frame", "gap", "drift", "solver", "joint_forces", "raises", "forces", "events", "record", "checkpoint_every"),
    ),
}


@pytest.mark.parametrize(("call", "option"), [(call, option) for call, (_, options) in CALLS.items() for option in options])
@pytest.mark.filterwarnings("ignore")
def test_an_option_of_a_wrong_type_is_refused_by_name_or_works(call, option):
    for value in HOSTILE:
        try:
            call(MODEL, *CALLS[call][0], **{option: value})
        except lw.LinkworkError as error:
            assert len(str(error)) < 2000


@pytest.mark.parametrize("which", range(3))
def test_a_state_of_anything_but_numbers_is_refused(which):
    for value in ("x", None, {}, [None], ["a"], [[1, 2], [3]], 1j):
        given = [0.0, [0.0], [0.0]]
        given[which] = value
        try:
            lw.State(*given)
        except lw.StateError as error:
            assert error.argument in ("t", "q", "v")
        else:
            assert value == [None] and which > 0, "NaN, which is told where the state is used"


@pytest.mark.parametrize("values", ["0, 1e308, -1e308, 1e308", "1e308, -1e308, 1e308, 0"])
def test_a_spline_through_values_beyond_all_measure_is_refused_with_its_line(values):
    text = (
        lw.to_toml(linkage())
        + f'\n[constraint.drive]\nkind = "drive"\njoints = ["pivot"]\ntarget = {{ times = [0, 1, 2, 3], values = [{values}] }}\n'
    )
    with pytest.raises(lw.FormatError, match="no spline through these values has finite slopes") as caught:
        lw.from_toml(text)
    assert caught.value.line == len(text.splitlines())


def test_results_outlive_the_model_that_nobody_kept():
    """What is kept beside a model knows it weakly; public results must not."""
    m = linkage()
    tau, _ = lw.applied_forces(m.build(), Q, V)
    assert np.isfinite(tau).all()
    assert np.isfinite(lw.reactions(m.build(), Q, V).wrench("pivot")).all()
    assert "motions left" in str(lw.mobility(m.build(), Q))
    assert np.isfinite(lw.equilibrium(m.build(), Q).q).all()
    assert np.isfinite(lw.forward_kinematics(m.build(), Q).positions).all()
    sim = lw.Simulation(m.build())
    assert np.isfinite(sim.run(0.01).q).all()
    with pytest.raises(lw.StateError, match="is gone"), lw.Data(m.build()).in_use():
        pass


def test_a_misspelt_keyword_is_explained_where_options_are_checked():
    model = lw.Mechanism("nothing").build()
    for function, given, wrong in ((lw.mobility, (model, []), {"tt": 0.0}), (lw.forward_dynamics, (model, [], []), {"solvr": "auto"})):
        with pytest.raises(lw.ArgumentError, match=r"no argument is called .*; did you mean"):
            function(*given, **wrong)


def test_examples_of_functions_with_checked_options_are_found():
    import doctest
    from importlib import import_module

    module = import_module("linkwork.analysis.mobility")
    assert any(test.name.endswith(".mobility") and test.examples for test in doctest.DocTestFinder().find(module))
