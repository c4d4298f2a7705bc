"""Mobility reports against textbooks: degrees of freedom, redundant and contradictory sets, motions left, singular poses and their branches."""

import time

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian

from ...reference import as_vector
from ...zoo import ZOO, configuration
from ...zoo_planar import n_four_bar


def report(name):
    example = ZOO[name]() if isinstance(name, str) else name
    model = example.mechanism.build()
    return lw.mobility(model, configuration(model, example.guess)), model, example


# ------------------------------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize("name", ZOO)
def test_mobility_is_that_of_the_textbooks(name):
    """Here and around; the redundant sets add up; the motions break no row, and are as many as there are degrees of freedom."""
    r, model, example = report(name)
    facts = example.facts
    assert (r.dof, r.redundant, r.dof_generic) == (facts.dof, facts.redundancy, facts.generic_dof)
    assert r.singular == (facts.dof > facts.generic_dof)
    assert r.imposed == sum(6 - j.nv for j in model.joints if j.closes_loop)
    assert r.counted == r.dof - r.redundant
    assert sum(s.count for s in r.redundant_sets) == r.redundant
    assert r.contradictions == ()
    assert r.open_gaps == {}
    assert r.motions.shape == (facts.dof, model.nv)
    assert np.linalg.matrix_rank(r.motions) == facts.dof
    J = constraint_jacobian(model, configuration(model, example.guess), np.zeros(model.nv)).J
    # Motions are null vectors of rows that are known to 1e-12, scaled to a largest rate of 1.
    assert np.max(np.abs(J @ r.motions.T), initial=0.0) < 1e-9
    assert np.allclose(np.max(np.abs(r.motions), axis=1), 1.0) or facts.dof == 0


def test_couplings_take_freedom():
    example = ZOO["gear train"]()
    mechanism = example.mechanism
    for k, row in enumerate(example.facts.couplings):
        mechanism.add_constraint(f"mesh {k}", lw.Coupling(tuple(row.values())), *row)
    model = mechanism.build()
    r = lw.mobility(model, lw.neutral(model))
    assert (r.dof, r.imposed, r.independent, r.redundant) == (example.facts.coupled_dof, 2, 2, 0)
    assert len(r.drivers) == r.dof


def test_nothing_but_a_tree():
    m = lw.Mechanism("arm")
    a = m.add_body("a", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("cross", lw.Universal((1, 0, 0), (0, 1, 0)), m.ground, a)
    r = lw.mobility(m.build(), [0.1, 0.2])
    assert (r.dof, r.dof_generic, r.freedoms, r.imposed, r.redundant) == (2, 2, 2, 0, 0)
    assert np.array_equal(r.motions, np.eye(2))
    assert r.drivers == ("cross[0]", "cross[1]")
    assert "no loops and no constraints" in str(r)


def test_nothing_at_all():
    m = lw.Mechanism("bolted")
    m.add_joint("bolt", lw.Weld(), m.ground, m.add_body("a", mass=1.0, inertia=(1, 1, 1)))
    r = lw.mobility(m.build(), [])
    assert (r.dof, r.dof_generic) == (0, 0)
    assert r.motions.shape == (0, 0)
    assert "0 degrees of freedom here: nothing can move" in str(r)


@pytest.mark.slow
def test_what_is_driven_moves_without_a_freedom_left():
    m = lw.Mechanism("driven")
    for name in "ab":
        m.add_joint(f"pin {name}", lw.Revolute((0, 0, 1)), m.ground, m.add_body(name, mass=1.0, inertia=(1, 1, 1)))
    m.add_constraint("motor", lw.SpeedDrive(2.0), "pin a")
    m.add_constraint("brake", lw.SpeedDrive(0.0), "pin b")
    r = lw.mobility(m.build(), [0.1, 0.2])
    assert (r.dof, r.driven) == (0, ("motor",))
    assert "0 degrees of freedom here: it moves as 'motor' prescribes" in str(r)
    m.change("motor", kind=lw.Drive(0.3))  # a number holds it where it is
    assert lw.mobility(m.build(), [0.3, 0.2]).driven == ()
    m.change("motor", kind=lw.Drive(lambda t: 0.1 * t))
    assert lw.mobility(m.build(), [0.0, 0.2]).driven == ("motor",)


def test_a_loop_of_welds_is_redundant_throughout():
    m = lw.Mechanism("frame")
    a, b = (m.add_body(name, mass=1.0, inertia=(1, 1, 1)) for name in "ab")
    m.add_joint("left", lw.Weld(), m.ground, a)
    m.add_joint("middle", lw.Weld(), a.at(0.5, 0, 0), b.at(-0.5, 0, 0))
    m.add_joint("right", lw.Weld(), m.ground.at(1, 0, 0), b)
    r = lw.mobility(m.build(), [])
    assert (r.dof, r.redundant) == (0, 6)
    assert set(r.redundant_sets[0].names) == {"left", "middle", "right"}


def chain(n, closed):
    m, above = lw.Mechanism(f"chain of {n}"), None
    for k in range(n):
        body = m.add_body(f"link {k}", mass=1.0, com=(0.05, 0, 0), inertia=(0.01, 0.01, 0.01))
        m.add_joint(f"joint {k}", lw.Revolute((0, 1, 0)), m.ground if above is None else above.at(0.1, 0, 0), body)
        above = body
    if closed:
        m.add_joint("end", lw.Revolute((0, 1, 0)), m.ground.at(0.1 * n, 0, 0), above.at(0.1, 0, 0))
    return m.build()


@pytest.mark.parametrize("closed", [False, True])
def test_a_thousand_bodies_do_not_take_long(closed):
    """Reaction and mobility of a long chain, also one that is closed (stretched out: a singular pose); the bound catches growth, not noise."""
    model = chain(1000, closed)
    lw.mobility(chain(3, closed), np.zeros(3 + closed))  # compiles
    start = time.perf_counter()
    r = lw.mobility(model, np.zeros(model.nq))
    lw.reactions(model, np.zeros(model.nq), np.zeros(model.nv))
    assert time.perf_counter() - start < 60.0
    assert r.dof == (1000 if not closed else 999)
    assert len(str(r).splitlines()) < 30


# ------------------------------------------------------------------------------------------------------------ names


def test_a_redundant_set_names_all_joints_around_the_loop():
    r, _, _ = report("four-bar")
    (one,) = r.redundant_sets
    assert set(one.names) == {"pivot", "crank pin", "rocker pin", "rocker pivot"}
    assert one.count == 3
    assert len(one.constraints) == 1
    assert one.imposed == 5


def test_loops_that_have_nothing_in_common_are_told_apart():
    r, _, _ = report("4-four-bar")
    assert [s.count for s in r.redundant_sets] == [3, 3, 3, 3]
    assert [len(s.names) for s in r.redundant_sets] == [4, 4, 4, 4]


def test_a_set_that_needs_two_loops_names_both():
    """The third leg of a parallelogram: three rows out of the plane for each loop, and one in the plane that only all legs together show."""
    r, _, example = report("parallelogram with a redundant link")
    assert [s.count for s in r.redundant_sets] == [3, 3, 1]
    assert set(r.redundant_sets[2].names) == {j.name for j in example.mechanism.joints}
    assert len(r.redundant_sets[2].constraints) == 2


def test_joints_that_carry_no_self_stress_are_not_named():
    """A four-bar with a pendulum on its coupler: the pendulum's joint has no part in it."""
    example = ZOO["four-bar"]()
    bob = example.mechanism.add_body("bob", mass=1.0, inertia=(1, 1, 1))
    example.mechanism.add_joint("hook", lw.Spherical(), example.mechanism.body("coupler"), bob)
    r, _, _ = report(example)
    assert r.dof == 4
    assert "hook" not in r.redundant_sets[0].names
    assert len(r.redundant_sets[0].names) == 4


# ------------------------------------------------------------------------------------------------------------ contradictions


def shaft(*constraints):
    m = lw.Mechanism("shaft")
    m.add_joint("axle", lw.Revolute((0, 0, 1)), m.ground, m.add_body("wheel", mass=1.0, inertia=(1, 1, 1)))
    for name, kind in constraints:
        m.add_constraint(name, kind, "axle")
    return m.build()


def test_two_drives_to_different_angles_contradict():
    r = lw.mobility(shaft(("left", lw.Drive(0.1)), ("right", lw.Drive(0.3))), [0.1])
    (one,) = r.contradictions
    assert set(one.names) == {"left", "right"}
    assert one.level == "position"
    assert one.gap == pytest.approx(0.2)
    assert "'left' and 'right' cannot all hold: their position differs by 0.2 m or rad" in str(r)
    assert r.open_gaps == pytest.approx({"right": 0.2})


def test_two_drives_at_different_speeds_contradict():
    times = np.linspace(0.0, 1.0, 5)
    r = lw.mobility(shaft(("slow", lw.Drive(CubicSpline(times, times))), ("fast", lw.Drive(CubicSpline(times, 3 * times)))), [0.0])
    (one,) = r.contradictions
    assert (one.level, one.gap) == ("velocity", pytest.approx(2.0))


def test_two_drives_that_agree_are_only_redundant():
    r = lw.mobility(shaft(("left", lw.Drive(0.1)), ("right", lw.Drive(0.1))), [0.1])
    assert r.contradictions == ()
    assert (r.dof, r.redundant) == (0, 1)
    assert set(r.redundant_sets[0].names) == {"left", "right"}


def test_an_open_loop_is_told_with_its_gap():
    example = ZOO["four-bar"]()
    model = example.mechanism.build()
    q = configuration(model, example.guess)
    q[model.joint("pivot").q_index] += 0.1
    r = lw.mobility(model, q)
    (name,) = r.open_gaps
    assert model.joint(name).closes_loop
    assert r.open_gaps[name] == pytest.approx(0.1, rel=0.5)
    assert r.contradictions == (), "it can be closed: the gap is in the plane, what is redundant is out of it"
    assert f"not closed here: {name!r}" in str(r)


# ------------------------------------------------------------------------------------------------------------ singular poses


def along(branches, v):
    """How far a velocity is from the nearest branch."""
    v = v / np.linalg.norm(v)
    return min(float(np.linalg.norm(v - np.linalg.pinv(b) @ (b @ v))) for b in branches)


def test_a_flat_four_bar_branches_in_two():
    r, model, example = report("flat four-bar")
    assert (r.dof, r.dof_generic, r.singular) == (2, 1, True)
    assert len(r.branches) == 2
    # Roots of a quadratic form, each found to about the root of rounding.
    assert along(r.branches, as_vector(model, example.facts.velocity)) < 1e-6
    assert r.blocked.shape == (0, 4)


@pytest.mark.parametrize("n", [2, 3])
def test_the_flat_n_four_bar_goes_on_with_any_number_of_cranks_folded(n):
    """Between neighbours y_k (y_k - y_k+1) = 0: from one crank on, all turn alike, and those before it stay; n + 1 branches."""
    r, model, example = report(n_four_bar(n, 0.0))
    assert (r.dof, r.dof_generic, len(r.branches)) == (n + 1, 1, n + 1)
    assert along(r.branches, as_vector(model, example.facts.velocity)) < 1e-5
    turning = sorted(sum(abs(b[0][model.joint(f"foot {k}").v_index][0]) > 0.5 for k in range(n + 1)) for b in r.branches)
    assert turning == list(range(1, n + 2))


def test_a_shaky_truss_cannot_go_on():
    r, _, _ = report("shaky truss")
    assert (r.dof, r.dof_generic, r.branches) == (1, 0, ())
    assert r.blocked.shape == (1, 3)
    assert "possible at first order only" in str(r)


def test_a_generic_pose_has_no_branches():
    for name in ("four-bar", "Bennett", "Sarrus"):
        r, _, _ = report(name)
        assert not r.singular
        assert r.branches == ()
        assert len(r.blocked) == 0


# ------------------------------------------------------------------------------------------------------------ words


def test_the_report_reads_well():
    m = lw.Mechanism("door")
    leaf = m.add_body("leaf", mass=20.0, com=(0.4, 0, 0), inertia=(1, 1, 1))
    m.add_joint("lower hinge", lw.Revolute((0, 0, 1)), m.ground, leaf)
    m.add_joint("upper hinge", lw.Revolute((0, 0, 1)), m.ground.at(0, 0, 1.5), leaf.at(0, 0, 1.5))
    assert str(lw.mobility(m.build(), [0.0, 0.0])).splitlines() == [
        "Mobility of 'door': 1 degree of freedom here, 1 at a generic pose",
        "1 freedom of the tree, 5 constraints imposed by the loop closed by 'upper hinge': counting gives -4",
        "0 of these are independent, 5 redundant",
        "redundant: 5 of the 5 constraints of 'upper hinge': 'lower hinge' holds the same already",
        "motions left (as rates of joints):",
        "  1: lower hinge 1, upper hinge 1",
    ]


def test_motions_by_joint():
    r, _, _ = report("RSSR")
    spinning = [r.motion(k) for k in range(2) if set(r.motion(k)) == {"crank ball", "rocker ball"}]
    assert len(spinning) == 1, "the rod spins about itself: only its two balls move"
    assert all(len(rates) == 3 for rates in spinning[0].values())


def test_a_batch_and_wrong_values_are_refused():
    model = shaft()
    with pytest.raises(lw.StateError, match="allowed is one state; call it in a loop"):
        lw.mobility(model, [[0.0], [1.0]])
    with pytest.raises(lw.StateError, match="finite"):
        lw.mobility(model, [np.inf])
    with pytest.raises(lw.StateError, match=r"q: found shape \(2,\)"):
        lw.mobility(model, [0.0, 1.0])
