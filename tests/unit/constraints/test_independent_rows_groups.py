"""Rows that share no link with others are judged, kept and solved by themselves: one mechanism among hundreds behaves as alone."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.independent_rows import chosen_rows, independent_rows

from ...zoo import ZOO
from .rank_cases import add_four_bar, four_bar, idler

COMPILED = ("articulated", "sparse")


def beside(count, tilt=0.0, light=None):
    """Four-bars beside each other, the first as in `four_bar(tilt)`; with `idler(light)`, if given."""
    m = lw.Mechanism("beside", gravity=(0.0, 0.0, -10.0))
    for k in range(count):
        add_four_bar(m, tilt if k == 0 else 0.0, place=f" {k}", y=float(k))
    if light is not None:
        for k, inertia in enumerate((100.0, light, 100.0)):
            wheel = m.add_body(f"wheel {k}", mass=1.0, inertia=(inertia, inertia, inertia))
            m.add_joint(f"axle {k}", lw.Revolute((0, 0, 1)), m.ground.at(k, 0, 0), wheel)
        m.add_constraint("mesh 1", lw.Gear(-1.0), "axle 0", "axle 1")
        m.add_constraint("mesh 2", lw.Gear(-1.0), "axle 1", "axle 2")
    return m.build()


@pytest.mark.parametrize("solver", COMPILED)
@pytest.mark.parametrize("tilt", [1e-11, 1e-7, 1e-4])
def test_a_tilted_four_bar_among_a_hundred_moves_as_alone(tilt, solver):
    """600 rows: the sparse solver decided by pivots in the mass metric, and held the first one still from 1e-11 on. A tilt of 1e-4 holds it, there and here."""
    alone, model = four_bar(tilt), beside(100, tilt)
    expected = lw.forward_dynamics(alone, lw.neutral(alone), np.zeros(alone.nv), solver=solver)
    found = lw.forward_dynamics(model, lw.neutral(model), np.zeros(model.nv), solver=solver)
    exact = lw.forward_dynamics(four_bar(), lw.neutral(alone), np.zeros(alone.nv), solver=solver)
    for joint in alone.joints:
        # sines of 1e-4 are squared in K, which leaves eight digits of sixteen
        np.testing.assert_allclose(found[model.joint(f"{joint.name} 0").v_index], expected[joint.v_index], atol=1e-7)
        for k in (1, 99):
            np.testing.assert_allclose(found[model.joint(f"{joint.name} {k}").v_index], exact[joint.v_index], rtol=1e-12)
    assert (np.abs(expected).max() > 1.0) == (tilt < 1e-5)


def test_a_tilted_four_bar_among_a_hundred_runs_as_alone_and_is_told_by_name():
    ends = []
    for model, names in ((four_bar(1e-7), "abcd"), (beside(100, 1e-7), ["a 0", "b 0", "c 0", "d 0"])):
        with pytest.warns(lw.ConstraintWarning, match=f"the loop closed by '{names[2]}'"):
            sim = lw.Simulation(model, lw.RungeKutta4(0.01), q=lw.neutral(model))
        sim.run(0.2)
        ends.append([sim.state.q[model.joint(name).q_index][0] for name in names])
    assert np.max(np.abs(ends[0])) > 0.05
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)  # gaps of runs are closed to 1e-10


@pytest.mark.parametrize("solver", COMPILED)
@pytest.mark.parametrize("light", [1e-9, 1e-11])
def test_a_light_idler_among_two_hundred_loops_turns_as_alone(light, solver):
    """1202 rows; took a third of a second, as the matrix of all rows was factored."""
    alone, model = idler(light), beside(200, light=light)
    tau = np.zeros(model.nv)
    tau[model.joint("axle 1").v_index] = 1.0
    found = lw.forward_dynamics(model, lw.neutral(model), np.zeros(model.nv), tau, solver=solver)
    expected = lw.forward_dynamics(alone, np.zeros(3), np.zeros(3), np.array([0.0, 1.0, 0.0]), solver=solver)
    turns = [found[model.joint(f"axle {k}").v_index][0] for k in range(3)]
    np.testing.assert_allclose(turns, expected, rtol=1e-12)
    np.testing.assert_allclose(turns, np.array([-1.0, 1.0, -1.0]) / (200.0 + light), rtol=1e-11)


def test_memory_goes_with_the_number_of_loops_and_not_with_its_square():
    few, many = beside(10).sizes, beside(40).sizes
    for name in ("matrix_of_rows", "propagated", "ngroups"):
        assert many[name] == 4 * few[name]
    assert many["matrix_of_rows"] == 40 * 36 and many["directions"] == few["directions"] == 6 * 4


def test_groups_are_the_rows_whose_ways_share_a_link():
    """Loops on one floating frame are one group, loops on the ground are not; every row and every velocity on its way has its place."""
    m = lw.Mechanism("on a frame")
    frame = m.add_body("frame", mass=1.0, inertia=(1, 1, 1))
    for k in range(2):
        bodies = [m.add_body(f"bar {k}{j}", mass=1.0, inertia=(1, 1, 1)) for j in range(3)]
        for j, (parent, child) in enumerate(((frame, bodies[0]), (bodies[0], bodies[1]), (bodies[1], bodies[2]), (frame, bodies[2]))):
            m.add_joint(f"joint {k}{j}", lw.Spherical(), parent.at(0.1 * j, k, 0), child)
    alone = m.build()
    assert alone.sizes["ngroups"] == 1
    for model in (alone, beside(7, light=1.0), ZOO["4-four-bar"]().mechanism.build()):
        rules = model.constraint_tables
        assert sorted(rules.members.tolist()) == list(range(model.nc))
        for g, group in enumerate(rules.groups):
            rows = rules.members[group["first"] : group["first"] + group["rows"]]
            assert (rules.places[rows] == np.arange(len(rows))).all() and (np.diff(rows) > 0).all()
            links = set()
            for b in rules.fellows[group["block"] : group["block"] + group["blocks"]]:
                block = rules.blocks[b]
                assert block["group"] == g
                links.update(rules.paths[block["path"] : block["path"] + block["paths"]].tolist())
            columns = [rules.columns[link["v"] + k] for link in model.tables.links[sorted(links)] for k in range(link["nv"])]
            assert sorted(columns) == list(range(group["columns"]))


def test_the_choice_by_groups_is_the_choice_among_all_rows():
    model = beside(5, 1e-7, light=1e-9)
    found = chosen_rows(model, lw.neutral(model))
    for one, other in zip(found.choice, independent_rows(found.directions, found.gaps), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-15)


def test_a_batch_of_loops_beside_each_other_gives_every_state_its_own():
    model = beside(12, 1e-8)
    rng = np.random.default_rng(3)
    tau = rng.normal(size=(9, model.nv))
    q, v = np.tile(lw.neutral(model), (9, 1)), np.zeros((9, model.nv))
    found = lw.forward_dynamics(model, q, v, tau, solver="articulated")
    for k in range(9):
        np.testing.assert_allclose(found[k], lw.forward_dynamics(model, q[k], v[k], tau[k], solver="sparse"), rtol=1e-9, atol=1e-9)
