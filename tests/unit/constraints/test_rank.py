"""One rule of rank (decision 0015): masses, tilts, gaps and other groups of rows do not change which rows are independent, for any solver."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.independent_rows import chosen_rows

from ...zoo import ZOO, configuration
from .rank_cases import SOLVERS, contradicting_drives, exact_four_bar, four_bar, idler, motion_of

TILTS = (0.0, 1e-16, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 8e-6)
STEEP = (1e-4, 1e-3)


@pytest.fixture(autouse=True)
def no_warning_is_missed():
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.ConstraintWarning)
        yield


# ------------------------------------------------------------------------------------------------------------- masses


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("torque", [0, 1])
@pytest.mark.parametrize("light", [1e-6, 1e-8, 1e-9, 1e-10, 1e-11])
def test_a_light_idler_turns_both_of_its_rotors(light, torque, solver):
    """1 N m on a rotor, or on the idler: all turn at 1 / (200 + light), as exact arithmetic has it, for inertias up to 1e13 apart."""
    tau = np.eye(3)[torque]
    vdot = lw.forward_dynamics(idler(light), np.zeros(3), np.zeros(3), tau, solver=solver)
    sign = 1.0 if torque == 0 else -1.0
    # K has lost thirteen digits of sixteen; corrections win them back.
    np.testing.assert_allclose(vdot, sign / (200.0 + light) * np.array([1.0, -1.0, 1.0]), rtol=1e-11)


@pytest.mark.parametrize(
    "integrator", [lw.RungeKutta4(0.01), lw.Adaptive(), lw.Variational(0.01), lw.Adams()], ids=lambda i: type(i).__name__
)
def test_a_light_idler_turns_both_of_its_rotors_in_runs(integrator):
    """The wheels stay in mesh: a rotor that starts at 2 rad/s with the others goes on so."""
    sim = lw.Simulation(idler(1e-9), integrator, q=np.zeros(3), v=np.array([2.0, -2.0, 2.0]))
    sim.run(1.0)
    for found in (sim.state.q, sim.state.v):
        np.testing.assert_allclose(found / found[0], [1.0, -1.0, 1.0], rtol=1e-9)
        np.testing.assert_allclose(found[0], 2.0, rtol=1e-4)  # Variational is of second order: (h v)^2 / 6


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("masses", [(1, 1e-10, 1), (1e-10, 1, 1e-10), (1e5, 1e-5, 1), (1e-5, 1, 1e5), (1e-10, 1e-5, 1.0), (1, 1e10, 1)])
def test_mass_ratios_in_a_loop_agree_with_exact_arithmetic(masses, solver):
    expected = exact_four_bar(masses)
    model = four_bar(0.0, masses)
    vdot = lw.forward_dynamics(model, lw.neutral(model), np.zeros(model.nv), solver=solver)
    found = {joint.name: float(vdot[joint.v_index][0]) for joint in model.joints}
    for name, value in expected.items():
        # ten digits of ratio leave six of sixteen in the tree's factor, which no correction of rows wins back
        assert found[name] == pytest.approx(value, rel=1e-6), (name, found, expected)


@pytest.mark.parametrize("solver", ["articulated", "sparse"])
def test_inertias_that_sixteen_digits_cannot_tell_are_refused_by_name(solver):
    with pytest.raises(
        lw.SolverError, match=r"'mesh 1', 'mesh 2' can hold together.*allowed are ratios up to about 1e10.*make light parts heavier"
    ):
        lw.forward_dynamics(idler(1e-14), np.zeros(3), np.zeros(3), np.array([1.0, 0.0, 0.0]), solver=solver)


# -------------------------------------------------------------------------------------------------------------- tilts


@pytest.mark.parametrize("tilt", TILTS)
def test_an_axis_tilted_by_rounding_does_not_freeze_a_mechanism(tilt):
    """All solvers, mobility and the cross-check say what they say of the exact four-bar."""
    exact, model = four_bar(), four_bar(tilt)
    q, rest = lw.neutral(model), np.zeros(model.nv)
    expected = lw.forward_dynamics(exact, q, rest)
    assert np.max(np.abs(expected)) > 1.0
    for solver in SOLVERS:
        np.testing.assert_allclose(lw.forward_dynamics(model, q, rest, solver=solver), expected, rtol=1e-7)
    assert lw.mobility(model, q).dof == 1
    assert set(lw.cross_check(model, q, rest).ranks.values()) == {model.nv - 1}


@pytest.mark.parametrize("tilt", STEEP)
def test_an_axis_that_is_really_tilted_holds_a_planar_mechanism(tilt):
    model = four_bar(tilt)
    q, rest = lw.neutral(model), np.zeros(model.nv)
    for solver in SOLVERS:
        # what is left of gravity's 10 rad/s^2 is rounding by the sine of the tilt
        assert np.max(np.abs(lw.forward_dynamics(model, q, rest, solver=solver))) < 1e-5
    assert lw.mobility(model, q).dof == 0
    assert set(lw.cross_check(model, q, rest).ranks.values()) == {model.nv}


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(0.01), lw.Adaptive(), lw.Variational(0.01)], ids=lambda i: type(i).__name__)
@pytest.mark.parametrize("tilt", [1e-13, 1e-11, 1e-9, 1e-7, 8e-6])
def test_a_tilted_axis_does_not_freeze_runs(tilt, integrator):
    ends = []
    for model in (four_bar(), four_bar(tilt)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.ConstraintWarning)
            sim = lw.Simulation(model, integrator, q=lw.neutral(model))
        sim.run(0.5)
        ends.append(sim.state.q)
    assert np.max(np.abs(ends[0])) > 0.5
    np.testing.assert_allclose(ends[1], ends[0], atol=10.0 * tilt + 1e-9)


@pytest.mark.parametrize("tilt", [1e-8, 1e-6])
def test_a_loop_that_is_nearly_redundant_is_told_by_name(tilt):
    model = four_bar(tilt)
    q = lw.neutral(model)
    with pytest.warns(
        lw.ConstraintWarning, match=r"the loop closed by 'c' \('a', 'b', 'c' and 'd'\).*allowed are axes and places that agree exactly"
    ):
        lw.Simulation(model, lw.RungeKutta4(0.01), q=q)
    report = lw.mobility(model, q)
    assert [item.name for item in report.nearly_redundant] == ["c"] and report.nearly_redundant[0].joints == ("a", "b", "c", "d")
    assert "nearly redundant: the loop closed by 'c'" in str(report)


def cranks(tilt, count=3):
    """A bar on parallel cranks about y; the axes of the second crank are tilted."""
    m = lw.Mechanism("cranks", gravity=(0.0, 0.0, -9.81))
    bar = m.add_body("bar", mass=2.0, com=(1.0, 0.0, 0.0), inertia=(0.1, 0.2, 0.2))
    for k in range(count):
        crank = m.add_body(f"crank {k}", mass=1.0, com=(0.0, 0.0, 0.25), inertia=(0.02, 0.02, 0.01))
        axis = (0.6 * tilt, 1.0, 0.8 * tilt) if k == 1 else (0.0, 1.0, 0.0)
        m.add_joint(f"foot {k}", lw.Revolute(axis), m.ground.at(k, 0, 0), crank)
        m.add_joint(f"knee {k}", lw.Revolute(axis), crank.at(0, 0, 0.5), bar.at(k, 0, 0))
    return m.build()


@pytest.mark.parametrize("count", [2, 3, 4])
def test_cranks_tilted_by_rounding_are_no_contradiction(count):
    """Accelerations of 1e3 rad/s^2 and speeds of 25 rad/s: from 1e-12 to 4e-11 a row was a group by itself, and what it saw of them a contradiction."""
    for tilt in (0.0, *10.0 ** np.arange(-16.0, -10.0, 0.25)):
        model = cranks(tilt, count)
        q, v, tau = lw.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for k in range(count):
            v[model.joint(f"foot {k}").v_index], v[model.joint(f"knee {k}").v_index] = 25.0, -25.0
        tau[model.joint("foot 0").v_index] = 500.0
        for solver in SOLVERS:  # a ConstraintWarning is an error here
            assert abs(lw.forward_dynamics(model, q, v, tau, solver=solver)).max() > 100.0
        run = lw.simulate(model, 0.05, lw.RungeKutta4(1e-3), q=q, v=lw.project_velocity(model, q, v), record_interval=0.01)
        assert run.status == "finished", tilt


@pytest.mark.slow
def test_velocities_of_a_nearly_redundant_loop_begin_a_run_up_to_the_tolerance():
    """Where the rule leaves a row out, project_velocity and the beginning of a run let it open: between half the tolerance and it they did not agree."""
    for tilt in 10.0 ** np.arange(-6.0, -2.5, 0.05):
        model = cranks(tilt)
        q = lw.neutral(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it is nearly redundant, and where it is rigid a singular pose, is told
            v = lw.project_velocity(model, q, np.ones(model.nv))
            run = lw.simulate(model, 0.01, lw.RungeKutta4(1e-3), q=q, v=v)
        assert run.status == "finished", tilt
        moves = lw.mobility(model, q).dof > 0
        assert (abs(v).max() > 0.1) == moves, tilt


def test_an_exact_mechanism_is_not_told_to_be_nearly_redundant():
    for name in ("four-bar", "Bennett", "Sarrus", "door", "4-four-bar"):
        model = ZOO[name]().mechanism.build()
        assert lw.mobility(model, lw.neutral(model)).nearly_redundant == ()


def test_a_small_loop_in_a_large_mechanism_holds():
    """A four-bar of a millimetre on an arm of ten metres has one freedom, with the arm two."""
    m = lw.Mechanism("watch on a crane")
    arm = m.add_body("arm", mass=100.0, com=(5, 0, 0), inertia=(10, 10, 10))
    m.add_joint("mast", lw.Revolute((0, 1, 0)), m.ground, arm)
    points = {"a": (0.0, 0.0), "b": (2e-4, 9e-4), "c": (1.1e-3, 1.4e-3), "d": (1.2e-3, 0.0)}
    ends = {"crank": "ab", "coupler": "bc", "rocker": "cd"}
    bodies = {name: m.add_body(name, mass=1e-6, inertia=(1e-13, 1e-13, 1e-13)) for name in ends}
    origin = {name: points[p] for name, (p, _) in ends.items()}
    for joint, parts in {"a": ("arm", "crank"), "b": ("crank", "coupler"), "c": ("coupler", "rocker"), "d": ("arm", "rocker")}.items():
        x, z = points[joint]
        places = [arm.at(10.0 + x, 0, z) if p == "arm" else bodies[p].at(x - origin[p][0], 0, z - origin[p][1]) for p in parts]
        m.add_joint(joint, lw.Revolute((0, 1, 0)), *places)
    model = m.build()
    assert lw.mobility(model, lw.neutral(model)).dof == 2
    assert lw.cross_check(model, lw.neutral(model), np.zeros(model.nv)).worst < 1e-8


@pytest.mark.parametrize("gap", [1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize(
    "name",
    ["Sarrus", "Bennett", "Bricard, line-symmetric", "Bricard, plane-symmetric", "Bricard, cube", "parallelogram with two redundant links"],
)
def test_off_their_constraints_all_solvers_leave_out_the_same_rows(name, gap):
    """They left out what they met last, and differed by some times the gap: 1.7e-8, 6.5e-7 and, at 1e-4, 3.6e-9 for Sarrus' linkage."""
    example = ZOO[name]()
    model, rng = example.mechanism.build(), np.random.default_rng(3)
    closed = lw.assemble(model, configuration(model, example.guess))
    for _ in range(3):
        q = lw.integrate(model, closed, gap * rng.normal(size=model.nv))
        v = lw.project_velocity(model, closed, rng.normal(size=model.nv)) + gap * rng.normal(size=model.nv)
        tau = rng.normal(size=model.nv)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.ConstraintWarning)  # at 1e-4 left-out rows may lack more than 1e-4, and contradict
            found = [lw.forward_dynamics(model, q, v, tau, solver=solver) for solver in SOLVERS]
            batch = np.tile(q, (5, 1)), np.tile(v, (5, 1)), np.tile(tau, (5, 1))
            found += [*lw.forward_dynamics(model, *batch, solver="articulated")]
        for vdot in found[1:]:
            # rounding, and the condition of the linkages
            np.testing.assert_allclose(vdot, found[0], atol=1e-11 * (1.0 + np.abs(found[0]).max()))


# ------------------------------------------------------------------------------------------------------ contradictions


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_torque_elsewhere_does_not_hide_a_contradiction(solver):
    """0 and 5 rad/s^2 on one hinge: 2.5, with a warning, whatever acts on a body that is held."""
    model = contradicting_drives()
    for torque in (0.0, 1e5, 1e9):
        with pytest.warns(lw.ConstraintWarning, match="'fast', 'slow' contradict each other"):
            vdot = lw.forward_dynamics(model, np.zeros(2), np.zeros(2), np.array([0.0, torque]), t=1.0, solver=solver)
        np.testing.assert_allclose(vdot, [2.5, 0.0], atol=1e-9 + 1e-15 * torque)


@pytest.mark.slow
def test_a_torque_on_the_same_hinge_does_not_hide_a_contradiction_either():
    model = contradicting_drives()
    for solver in SOLVERS:
        with pytest.warns(lw.ConstraintWarning, match="'fast', 'slow' contradict each other"):
            vdot = lw.forward_dynamics(model, np.zeros(2), np.zeros(2), np.array([1e5, 0.0]), t=1.0, solver=solver)
        np.testing.assert_allclose(vdot, [2.5, 0.0], atol=1e-7)


def test_a_held_body_under_a_great_force_contradicts_nothing():
    """Rounding of 1e9 N m is no contradiction: two locks on one body, all solvers, no warning."""
    m = lw.Mechanism("held twice")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("pin", lw.Revolute((0, 0, 1)), m.ground, body)
    m.add_constraint("lock", lw.Lock(), body, m.ground)
    m.add_constraint("lock again", lw.Lock(), body, m.ground)
    model = m.build()
    for solver in SOLVERS:
        for torque in (1.0, 1e6, 1e9):
            vdot = lw.forward_dynamics(model, np.zeros(1), np.zeros(1), np.array([torque]), solver=solver)
            assert abs(vdot[0]) < 1e-14 * torque


# --------------------------------------------------------------------------------------------- redundant loops in motion


@pytest.mark.parametrize("solver", ["articulated", "sparse"])
@pytest.mark.parametrize(
    "name, steps",
    [("Bennett", (0.01, 0.005, 0.0025)), ("Bricard, line-symmetric", (0.02, 0.01, 0.005)), ("Sarrus", (0.005, 0.0025, 0.00125))],
)
def test_runge_kutta_keeps_its_order_on_redundant_loops(name, steps, solver):
    """Halving the step leaves a sixteenth of the error, not chance: at stages off the constraints the same rows are left out."""
    model = ZOO[name]().mechanism.build()
    q = lw.neutral(model)
    v = motion_of(model, q, 2.0)

    def end(step):
        sim = lw.Simulation(model, lw.RungeKutta4(step), q=q, v=v, solver=solver)
        sim.run(0.6)
        return np.concatenate([sim.state.q, sim.state.v])

    best = end(steps[-1] / 4.0)
    errors = [np.max(np.abs(end(step) - best)) for step in steps]
    order = np.log2(errors[0] / errors[-1]) / (len(steps) - 1)
    assert order > 3.5, errors
    assert errors[-1] < 1e-5


@pytest.mark.parametrize("name", ["Bennett", "Sarrus", "Bricard, line-symmetric"])
@pytest.mark.parametrize("order", [5, 8])
def test_adaptive_steps_reach_their_tolerance_on_redundant_loops(name, order):
    """Both solvers end where the other does, at a hundred times the tolerance of a step, and nearer with a finer one."""
    model = ZOO[name]().mechanism.build()
    q = lw.neutral(model)
    v = motion_of(model, q, 2.0)
    ends = {}
    for solver in ("articulated", "sparse"):
        for tolerance in (1e-7, 1e-9, 1e-11):
            sim = lw.Simulation(model, lw.Adaptive(order=order, rtol=tolerance, atol=tolerance), q=q, v=v, solver=solver)
            sim.run(0.5)
            ends[solver, tolerance] = np.concatenate([sim.state.q, sim.state.v])
    best = ends["articulated", 1e-11]
    for (solver, tolerance), found in ends.items():
        assert np.max(np.abs(found - best)) < 300.0 * tolerance, (solver, tolerance)


@pytest.mark.parametrize("name", ["Bennett", "Sarrus", "Bricard, line-symmetric", "door", "parallelogram with a redundant link"])
def test_solvers_agree_slightly_off_the_constraints(name):
    """Off by 1e-9, redundant rows differ by that: solvers that leave out other rows differ by no more than some times it."""
    model = ZOO[name]().mechanism.build()
    q = lw.neutral(model)
    v = motion_of(model, q, 1.0)
    off = lw.integrate(model, q, 1e-9 * np.random.default_rng(1).normal(size=model.nv))
    found = [lw.forward_dynamics(model, off, v, solver=solver) for solver in SOLVERS]
    assert np.max(np.abs(found[0])) > 1e-2
    for other in found[1:]:
        assert np.max(np.abs(other - found[0])) < 1e-6 * (1.0 + np.max(np.abs(found[0])))


@pytest.mark.parametrize("gap", [1e-9, 1e-7, 1e-5])
def test_a_gap_does_not_make_a_redundant_row_independent(gap):
    """A Bennett linkage that has strayed from its constraints is still one of one freedom."""
    model = ZOO["Bennett"]().mechanism.build()
    q = lw.neutral(model)
    off = lw.integrate(model, q, gap * np.random.default_rng(2).normal(size=model.nv))
    assert len(chosen_rows(model, off).choice.independent) == model.nv - 1
    for solver in SOLVERS:
        assert np.max(np.abs(lw.forward_dynamics(model, off, motion_of(model, q, 1.0), solver=solver))) < 100.0
