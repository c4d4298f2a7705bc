"""Poses and laws that give nothing to hold on to: an answer or a typed error, in bounded time, never a plausible wrong number."""

import math

import numpy as np
import pytest

import linkwork as lw


def pendulum(kind=None, *on):
    """Two links in the plane y = 0 with one constraint called "k"."""
    m = lw.Mechanism("pendulum")
    near = m.ground
    for k in range(2):
        body = m.add_body(f"b{k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"j{k}", lw.Revolute((0, -1, 0)), near.at(float(k), 0, 0), body)
        near = body
    if kind is not None:
        m.add_constraint("k", kind, *on)
    return m


IDLE = {
    "a distance between points that coincide": (lw.Distance(1.0), "b0"),
    "a relation that says nothing": (lw.Relation(lambda poses, t: 0.0 * t), "b1"),
}


@pytest.mark.parametrize("case", IDLE)
def test_a_row_that_puts_no_force_on_anything_is_redundant_and_named(case):
    model = pendulum(*IDLE[case]).build()
    found = lw.mobility(model, [0.0, 0.0])
    assert found.dof == 2 and found.redundant == 1
    assert [s.names for s in found.redundant_sets] == [("k",)]
    r = lw.reactions(model, [0.0, 0.0], [0.0, 0.0])
    assert np.allclose(r.wrench("k"), 0.0) and np.isfinite(r.wrench("j0")).all()
    assert lw.cross_check(model, [0.0, 0.0], [0.0, 0.0]).worst < 1e-9


def late(t):
    if t > 1.0:
        raise ValueError("late")
    return 0.1 * t


@pytest.mark.slow
@pytest.mark.parametrize("law", [late, lambda t: math.sqrt(1.5 - t)], ids=["raises", "is not a number"])
@pytest.mark.parametrize("solver", ["auto", "articulated", "propagation", "sparse"])
@pytest.mark.filterwarnings("ignore")
def test_a_law_that_fails_later_is_an_error_that_names_the_constraint(law, solver):
    model = pendulum(lw.Drive(law), "j0").build()
    assert np.isfinite(lw.forward_dynamics(model, [0.0, 0.0], [0.0, 0.0], t=0.5, solver=solver)).all()
    with pytest.raises(lw.SolverError, match="'k'"):
        lw.forward_dynamics(model, [0.0, 0.0], [0.0, 0.0], t=2.0, solver=solver)
    with pytest.raises(lw.SolverError, match="'k'"):
        lw.assemble(model, [0.0, 0.0], t=2.0)


@pytest.mark.slow
def test_all_solvers_give_the_same_compromise_where_drives_contradict():
    m = pendulum()
    m.add_constraint("up", lw.Drive(lambda t: t * t), "j0")
    m.add_constraint("down", lw.Drive(lambda t: -t * t), "j0")
    with pytest.warns(lw.ConstraintWarning, match="'down', 'up'"):
        assert lw.cross_check(m.build(), [0.0, 0.0], [0.0, 0.0]).worst < 1e-9


def test_an_open_pose_is_said_with_the_reactions():
    m = pendulum()
    m.add_constraint("nail", lw.Coincident(), m.body("b1").at(1, 0, 0), m.ground.at(1, 0, 1))
    model = m.build()
    r = lw.reactions(model, [0.3, 0.2], [0.0, 0.0])
    assert r.gaps["nail"] > 0.1 and "the pose is open: 'nail'" in str(r)
    q = lw.assemble(model, [0.3, 1.2])
    assert "open" not in str(lw.reactions(model, q, [0.0, 0.0]))


@pytest.mark.parametrize("tolerance", [np.nan, 0.0, -1.0, "1e-9", None, True])
def test_impossible_tolerances_are_refused(tolerance):
    model = pendulum(lw.Drive(0.3), "j0").build()
    for call in (
        lambda: lw.assemble(model, [0.1, 0.1], tolerance=tolerance),
        lambda: lw.project_velocity(model, [0.3, 0.1], [0.1, 0.1], tolerance=tolerance),
        lambda: lw.equilibrium(model, [0.1, 0.1], tolerance=tolerance),
        lambda: lw.inverse_kinematics(model, [0.1, 0.1], {"b1": (1, 0, 0)}, tolerance=tolerance),
    ):
        with pytest.raises(lw.StateError, match="tolerance"):
            call()


def test_the_same_coordinate_twice_is_a_fault():
    (fault,) = pendulum(lw.Gear(1.0), "j0", "j0").faults()
    assert fault.part == "k" and "twice" in fault.message


@pytest.mark.parametrize("cut", [3, 1.5])
def test_prefer_cut_takes_names(cut):
    with pytest.raises(lw.ModelError, match="prefer_cut"):
        pendulum().build(prefer_cut=cut)
    assert pendulum().build(prefer_cut=None).nv == 2
