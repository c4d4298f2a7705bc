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
    lw.rollout: ((Q[None], V[None], 1), ("t", "every", "constraint_tolerance", "joint_forces", "threads")),
    lw.Simulation: (
        (),
        (
            "t",
            "record_interval",
            "constraint_tolerance",
            "drift",
            "solver",
            "joint_forces",
            "raises",
            "forces",
            "events",
            "record",
            "checkpoint_every",
        ),
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


HUGE = 10**400  # an int that no float64 holds
ARRAYS = ("x", {"x": 1}, [[1, 2], [3]], [HUGE, 0, 0], [True, False, True])


def hanging():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    return m


@pytest.mark.parametrize("given", ARRAYS, ids=lambda x: repr(x)[:12])
def test_text_uneven_lists_and_huge_integers_as_places_are_no_raw_errors(given):
    """inverse_kinematics(model, q, {"b": "x"}) was a ValueError of NumPy, 10**400 an OverflowError."""
    model = hanging().build()
    for call, name in (
        (lambda: lw.inverse_kinematics(model, [0.0], {"bob": given}), r"targets\['bob'\]: position"),
        (lambda: lw.inverse_kinematics(model, [0.0], [lw.Target("bob", rotation=given)]), r"targets\['bob'\]: rotation"),
        (lambda: lw.state_from_bodies(model, {"bob": given}), r"poses\['bob'\]"),
        (lambda: lw.state_from_bodies(model, q=given), "q"),
        (lambda: lw.Pose().act(given), "points"),
        (lambda: lw.Live(hanging()).set_joint("pivot", q=given), "q of joint 'pivot'"),
    ):
        with pytest.raises(lw.StateError, match=f"^{name}: found .*; allowed "):
            call()


@pytest.mark.parametrize(
    "times", [[[1, 2], [3]], np.zeros((2, 0, 5)), [HUGE], "0.5", ["0.5"], [True], {"t": 1}, 10**400], ids=lambda x: repr(x)[:20]
)
def test_times_that_are_no_row_of_numbers_are_no_raw_errors(times):
    with pytest.raises(lw.StateError, match=r"^times: found .*; allowed "):
        lw.simulate(hanging(), times=times)
    with pytest.raises(lw.StateError, match=r"^(t|at): found .*; allowed "):
        lw.simulate(hanging(), 0.1).at(times)


@pytest.mark.parametrize("given", [HUGE, -HUGE, "0.5", b"0.5", True, np.True_, None, [0.5]], ids=lambda x: repr(x)[:12])
def test_durations_and_options_that_are_no_numbers_are_refused_by_name(given):
    """ "0.5" and True ran, 10**400 was an OverflowError."""
    m = hanging()
    calls = {
        "duration": (lambda: lw.simulate(m, given), lambda: lw.Simulation(m).run(given), lambda: lw.Live(m).advance(given)),
        "t": (
            lambda: lw.rollout(m.build(), [0.0], [0.0], 3, t=given),
            lambda: lw.assemble(m.build(), [0.0], t=given),
            lambda: lw.Live(m).rewind(given),
        ),
        "record_interval": (lambda: lw.simulate(m, 0.1, record_interval=given),),
        "constraint_tolerance": (
            lambda: lw.simulate(m, 0.1, constraint_tolerance=given),
            lambda: lw.rollout(m.build(), [0.0], [0.0], 3, constraint_tolerance=given),
        ),
        "tolerance": (
            lambda: lw.inverse_kinematics(m.build(), [0.0], {"bob": (0, 0, 0)}, tolerance=given),
            lambda: lw.assemble(m.build(), [0.0], tolerance=given),
        ),
        r"targets\['bob'\]: weight": (lambda: lw.inverse_kinematics(m.build(), [0.0], [lw.Target("bob", (0, 0, 0), weight=given)]),),
    }
    for name, attempts in calls.items():
        if name == "record_interval" and given is None:
            continue  # the default
        for call in attempts:
            with pytest.raises(lw.StateError, match=f"^{name}: found .*; allowed "):
                call()


def test_an_array_for_results_whose_numbers_share_memory_is_refused():
    """A stride of 0 let all states overwrite each other."""
    model, strided = hanging().build(), np.lib.stride_tricks.as_strided
    q = np.array([[0.1], [0.2], [0.3]])
    for out in (strided(np.zeros(1), (3, 1), (0, 8)), strided(np.zeros(4), (3, 1), (4, 8))):
        with pytest.raises(lw.StateError, match=r"^out: found an array with strides .*, whose numbers share memory; allowed "):
            lw.forward_dynamics(model, q, np.zeros((3, 1)), out=out)
    for out in (np.zeros((6, 1))[::2], np.zeros((3, 1))[::-1], np.zeros((1, 3)).T, np.zeros((3, 2))[:, 1:]):
        assert np.array_equal(lw.forward_dynamics(model, q, np.zeros((3, 1)), out=out), lw.forward_dynamics(model, q, np.zeros((3, 1))))
