"""Rows of planar loops that are left out: which ones, only where the loop is planar indeed, and without any change of what is found."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.solvers.delassus.driver import solve_constrained
from linkwork.solvers.sparse.driver import solve_sparse
from linkwork.solvers.sparse.order import closing_joints


def linkage(last, *, axis=(0.0, 1.0, 0.0), tilt=0.0):
    """Crank and rod about the same direction, and a third body on the ground by a hinge, or by a slide along x; `tilt` turns one axis, rad."""
    axis = np.array(axis) / np.linalg.norm(axis)
    across = np.cross(axis, (0.3, 0.5, 0.9))
    across /= np.linalg.norm(across)
    m = lw.Mechanism("linkage")
    for name in ("crank", "rod", "end"):
        m.add_body(name, shape=lw.Box(0.2, 0.02, 0.02), density=1000.0)
    crank, rod, end = m.bodies
    m.add_joint("A", lw.Revolute(axis), m.ground, crank)
    m.add_joint("B", lw.Revolute(axis), crank.at(*(0.2 * across)), rod)
    m.add_joint("C", lw.Revolute(axis + tilt * across), rod.at(*(0.5 * across)), end)
    m.add_joint("D", last(axis, across), m.ground.at(*(0.45 * across)), end.at(*(-0.3 * across)))
    return m.build()


def hinge(axis, across):
    return lw.Revolute(axis)


def slide(axis, across):
    return lw.Prismatic(across)


def rows_left(model):
    return [6 - mask.bit_count() for *_, mask in closing_joints(model).values()]


def skew(count=7):
    """Directions along axes and anything but."""
    rng = np.random.default_rng(3)
    return [(0, 1, 0), (1, 0, 0), (0, 0, -1), *rng.normal(size=(count - 3, 3)).tolist()]


@pytest.mark.parametrize("axis", skew())
def test_two_rows_of_a_hinge_are_left(axis):
    assert rows_left(linkage(hinge, axis=axis)) == [2]


def test_a_slide_keeps_the_turn_and_the_shift_of_its_plane():
    """Two rows where the plane lies along the axes of its link, else three or four that share two directions."""
    assert all(2 <= left <= 4 for axis in skew() for left in rows_left(linkage(slide, axis=axis)))


@pytest.mark.parametrize("tilt", [1e-3, 1e-9])
def test_no_row_is_left_out_where_axes_are_not_parallel(tilt):
    assert rows_left(linkage(hinge, tilt=tilt)) == [5]


def test_spatial_loops_keep_all_rows():
    m = lw.Mechanism("ring")
    bodies = [m.add_body(f"bar {k}", mass=1.0, inertia=(0.1, 0.1, 0.1)) for k in range(4)]
    for k, axis in enumerate(((0, 0, 1), (0, 0, 1), (0, 1, 0), (0, 0, 1))):
        m.add_joint(f"hinge {k}", lw.Revolute(axis), bodies[k].at(0.5, 0, 0), bodies[(k + 1) % 4].at(-0.5, 0, 0))
    assert rows_left(m.build()) == [5]


@pytest.mark.parametrize("last", [hinge, slide])
@pytest.mark.parametrize("axis", skew(5))
def test_what_is_found_is_what_the_articulated_solver_finds(last, axis):
    """Accelerations, rank and multipliers, with all six rows of the weld there: those left out are dependent, and so zero."""
    model = linkage(last, axis=axis)
    rng = np.random.default_rng(0)
    q = lw.assemble(model, np.r_[0.5, -0.4, 0.3, 0.1])
    v = lw.project_velocity(model, q, rng.normal(size=model.nv))
    tau = rng.normal(size=model.nv)
    found, other = solve_sparse(model, q, v, tau), solve_constrained(model, q, v, tau)
    assert found.rank == other.rank
    assert found.residual < 1e-9
    np.testing.assert_allclose(found.vdot, other.vdot, rtol=1e-9, atol=1e-9 * np.abs(other.vdot).max())
