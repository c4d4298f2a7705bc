"""constraint_jacobian: the rows of all constraints of a model in joint velocities."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian
from linkwork.errors import ModelError, SolverError, StateError
from linkwork.solvers.delassus.driver import solve_constrained

from ...constraint_cases import mechanism, model, states


def _four_bar():
    m = lw.Mechanism("four-bar")
    at = [(0.0, 0.0), (0.3, 0.6), (1.2, 0.8), (1.0, 0.0)]
    for k in range(3):
        length = float(np.hypot(*np.subtract(at[k + 1], at[k])))
        m.add_body(f"bar {k}", mass=1.0, com=(length / 2, 0, 0), inertia=(0.01, 0.1, 0.1))
        parent = m.ground if k == 0 else m.body(f"bar {k - 1}").at(float(np.hypot(*np.subtract(at[k], at[k - 1]))), 0, 0)
        m.add_joint(f"pin {k}", lw.Revolute((0, 1, 0)), parent, f"bar {k}")
    m.add_joint("closing", lw.Revolute((0, 1, 0)), m.body("bar 2").at(0.9, 0, 0), m.ground.at(1.0, 0, 0))
    return m.build()


def test_points_that_coincide_move_by_the_difference_of_their_jacobians():
    m = mechanism()
    m.add_frame("tip", m.body("hand").at(0.1, 0.2, 0.3))
    m.add_frame("eye", m.body("ring").at(0.3, 0.0, 0.1))
    m.add_constraint("touch", lw.Coincident(), "tip", "eye")
    built, rng = m.build(), np.random.default_rng(1)
    q = lw.random_configuration(built, rng)
    R, gap = lw.forward_kinematics(built, q).rotation("eye"), lw.forward_kinematics(built, q)
    gap = gap.position("tip") - gap.position("eye")
    tip, eye = lw.jacobian(built, q, "tip"), lw.jacobian(built, q, "eye")
    expected = R.T @ (tip[3:] - eye[3:] + np.cross(gap, eye[:3].T).T)
    rows = constraint_jacobian(built, q)
    assert np.allclose(rows.J, expected, rtol=1e-12, atol=1e-13)
    assert np.allclose(rows.phi, R.T @ gap, rtol=1e-12, atol=1e-13)
    assert np.array_equal(rows.phi_dot, np.zeros(3))


def test_a_loop_gives_six_rows():
    built, rng = _four_bar(), np.random.default_rng(2)
    q, v = rng.normal(size=(3, built.nq)), rng.normal(size=(3, built.nv))
    rows = constraint_jacobian(built, q, v)
    assert rows.J.shape == (3, 6, built.nv) and rows.phi.shape == rows.gamma.shape == (3, 6)
    assert np.allclose(rows.phi_dot, np.einsum("...ij,...j", rows.J, v), rtol=1e-12, atol=1e-12)
    assert (np.linalg.matrix_rank(rows.J) == 3).all(), "a planar loop closed in space: three rows too many"


@pytest.mark.slow
def test_shapes_follow_the_state():
    name = "distance by function"
    q, v, t = states(name, 6)
    nv = model(name).nv
    rows = constraint_jacobian(model(name), q.reshape(2, 3, -1), v.reshape(2, 3, -1), t.reshape(2, 3))
    assert rows.J.shape == (2, 3, 1, nv) and rows.phi.shape == (2, 3, 1)
    one = constraint_jacobian(model(name), q[0], v[0], t)
    assert one.J.shape == (6, 1, nv)
    assert np.ptp(one.phi) > 0.0 and np.ptp(one.J) > 0.0
    assert np.allclose(one.J, one.J[0], rtol=1e-13, atol=1e-13), "the time does not move J of a distance"


def test_a_model_without_constraints_has_no_rows():
    built = mechanism().build()
    rows = constraint_jacobian(built, lw.neutral(built))
    assert rows.J.shape == (0, built.nv) and rows.phi.shape == rows.gamma.shape == rows.phi_dot.shape == (0,)
    assert constraint_jacobian(built, np.tile(lw.neutral(built), (4, 1))).J.shape == (4, 0, built.nv)


def test_bad_states_are_refused():
    built = model("distance")
    q = lw.neutral(built)
    with pytest.raises(StateError, match="q: found shape"):
        constraint_jacobian(built, q[1:])
    with pytest.raises(StateError, match="t: element"):
        constraint_jacobian(built, q, t=np.nan)
    with pytest.raises(ModelError, match="model"):
        constraint_jacobian(mechanism(), q)


def _apart(poses, t):
    a, b = poses
    return math.sqrt((a.p[0] - b.p[0]) ** 2 + (a.p[1] - b.p[1]) ** 2 + (a.p[2] - b.p[2]) ** 2)


@pytest.mark.slow
def test_a_relation_without_a_slope_is_named():
    """The root has no derivative at zero: where two points meet, this relation must not give NaN as a result."""
    m = lw.Mechanism("kites")
    for name in ("one", "other"):
        m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_constraint("apart", lw.Relation(_apart), "one", "other")
    built = m.build()
    q, v = lw.neutral(built), np.zeros(built.nv)
    with pytest.raises(SolverError, match=r"constraint 'apart', row 'relation'.*not finite"):
        constraint_jacobian(built, q, v)
    with pytest.raises(SolverError, match="relation outside of its domain"):
        lw.forward_dynamics(built, q, v)
    q[0] = 0.3
    assert np.isclose(constraint_jacobian(built, q, v).phi[0], 0.3)


def test_a_rod_between_points_that_coincide_holds_nothing_there_but_gives_numbers():
    m = lw.Mechanism("rod")
    m.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_constraint("rod", lw.Distance(0.5), "bob", m.ground)
    built = m.build()
    found = solve_constrained(built, lw.neutral(built), np.zeros(6))
    assert found.rank == 0 and np.allclose(found.vdot, (0, 0, 0, 0, 0, -9.81))


@pytest.mark.slow
def test_a_function_that_leaves_its_domain_is_named():
    m = mechanism()
    m.add_constraint("fading", lw.Drive(lambda t: (1.0 - t) ** 0.5), "shoulder")
    built = m.build()
    q = lw.neutral(built)
    assert np.isfinite(constraint_jacobian(built, q, t=0.5).phi).all()
    with pytest.raises(SolverError, match=r"constraint 'fading', row 'drive'.*not finite"):
        constraint_jacobian(built, q, t=2.0)
    with pytest.raises(SolverError, match="finite"):
        lw.forward_dynamics(built, q, np.zeros(built.nv), t=2.0)
