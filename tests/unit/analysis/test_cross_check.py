"""The solvers compared on one state."""

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis import cross_check as module
from linkwork.solvers import registry

from ...zoo import ZOO, configuration


def case(name="four-bar"):
    example = ZOO[name]()
    model = example.mechanism.build()
    return model, configuration(model, example.guess), np.zeros(model.nv)


@pytest.mark.parametrize("name", ["four-bar", "parallelogram with a redundant link", "Bennett", "RSSR", "floating ring of balls"])
def test_all_solvers_agree(name):
    model, q, v = case(name)
    rng = np.random.default_rng(0)
    check = lw.cross_check(model, q, v, rng.normal(size=model.nv), rng.normal(size=(model.nb, 6)))
    assert set(check.reactions) | set(check.missing) == set(registry.SOLVERS)
    assert "articulated" in check.reactions
    assert len(check.pairs) == len(check.reactions) * (len(check.reactions) - 1) // 2
    assert check.worst < 1e-9


def wrong_solver(change):
    """The articulated solver with a mistake."""

    def solve(model, *state):
        found = registry.choose(model, "articulated")(model, *state)
        return found._replace(**change(model, found))

    return solve


def checked_with(monkeypatch, change):
    model, q, v = case()
    honest = registry.choose
    table = {"articulated": registry.SOLVERS["articulated"], "wrong": registry.SOLVERS["sparse"]}
    monkeypatch.setattr(module, "SOLVERS", table)
    wrong = wrong_solver(change)
    monkeypatch.setattr(module, "choose", lambda model, name: wrong if name == "wrong" else honest(model, name))
    return lw.cross_check(model, q, v)


def test_a_wrong_acceleration_is_found(monkeypatch):
    check = checked_with(monkeypatch, lambda model, found: {"vdot": found.vdot + 1e-3 * np.eye(4)[model.joint("crank pin").v_index][0]})
    (pair,) = check.pairs
    assert pair.coordinate == "crank pin"
    assert 1e-5 < pair.acceleration < 1e-2
    assert check.worst > 1e-5
    assert "crank pin" in str(check)


@pytest.mark.parametrize("ratio", [1e3, 5e9])
@pytest.mark.parametrize("part", [0, 1])
def test_a_loss_of_digits_on_the_slow_side_of_a_gear_is_found(monkeypatch, part, ratio):
    """An error of 1e-6 of one rotor's own acceleration: measured by the largest acceleration it was 1e-6 / ratio on the slow side, and no disagreement."""
    m = lw.Mechanism("gears", gravity=(0, 0, 0))
    for k in range(2):
        wheel = m.add_body(f"wheel {k}", mass=1.0, inertia=(1, 1, 1))
        m.add_joint(f"axle {k}", lw.Revolute((0, 0, 1)), m.ground.at(k, 0, 0), wheel)
    m.add_constraint("mesh", lw.Gear(ratio), "axle 0", "axle 1")
    model, still, tau = m.build(), np.zeros(2), np.array([0.0, 1e3])
    assert lw.cross_check(model, still, still, tau).worst < 1e-12
    honest = registry.choose
    wrong = wrong_solver(lambda model, found: {"vdot": found.vdot * (1.0 + 1e-6 * np.eye(2)[part])})
    monkeypatch.setattr(module, "SOLVERS", {"articulated": registry.SOLVERS["articulated"], "wrong": registry.SOLVERS["sparse"]})
    monkeypatch.setattr(module, "choose", lambda model, name: wrong if name == "wrong" else honest(model, name))
    (pair,) = lw.cross_check(model, still, still, tau).pairs
    # accelerations of the slow side below 1e-6 rad/s^2 are at rest: with 1e3 N m and a ratio of 5e9 they are 2e-7
    assert pair.coordinate == f"axle {part}" and 1e-7 < pair.acceleration < 2e-6


def test_multipliers_that_differ_by_self_stress_agree_and_others_do_not(monkeypatch):
    """Adding a self-stress changes nothing that is unique; adding any other multipliers does."""
    from linkwork.analysis.split_rows import split_rows

    model, q, _ = case()
    Z = split_rows(model, q).stress
    assert Z.shape[1] == 3
    assert checked_with(monkeypatch, lambda model, found: {"multipliers": found.multipliers + Z @ [5.0, -3.0, 2.0]}).worst < 1e-9
    monkeypatch.undo()
    assert checked_with(monkeypatch, lambda model, found: {"multipliers": found.multipliers + 0.1}).worst > 1e-4


def test_another_rank_is_told(monkeypatch):
    check = checked_with(monkeypatch, lambda model, found: {"rank": found.rank + 1})
    assert "they disagree on the rank: articulated 3, wrong 4" in str(check)


def test_a_tree_needs_no_check():
    m = lw.Mechanism("pendulum")
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, inertia=(1, 1, 1)))
    check = lw.cross_check(m.build(), [0.0], [0.0])
    assert check.reactions == {}
    assert "no loops and no constraints" in str(check)
    assert "nothing to compare" in str(check)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("name", ["four-bar", "jansen-linkage"])
def test_results_of_reactions_and_cross_check_can_be_pickled_and_copied(name, copied):
    """`pool.map` over lw.reactions failed: memory of compiled code was kept in them. What a copy answers is the same bit by bit."""
    document = lw.shipped(name)
    model = document.build()
    state = document.setup.state(model)
    found = lw.reactions(model, state.q, state.v)
    check = lw.cross_check(model, state.q, state.v)
    again, recheck = copied(found), copied(check)
    assert str(again) == str(found) and again.gaps == found.gaps and again.imbalance == found.imbalance
    for part in found.names:
        for frame in ("world", "ground"):
            assert np.array_equal(again.wrench(part, frame), found.wrench(part, frame))
            assert np.array_equal(again.unique(part, frame), found.unique(part, frame))
        assert np.array_equal(again.drive(part), found.drive(part))
    assert str(recheck) == str(check) and recheck.worst == check.worst
