"""Where chapter 5 of Schröder 1990 ("The Virtual Erector Set") goes wrong, shown by going its way."""

from dataclasses import replace

import numpy as np

import linkwork as lw
from linkwork.solvers.delassus.driver import solve_constrained
from linkwork.solvers.lathrop import affine_fronts, solve
from linkwork.solvers.lathrop.driver import propagate_states
from linkwork.solvers.lathrop.prepare import prepare
from linkwork.solvers.lathrop.solve import Propagation

from ..linkages import possible_velocity, ring, star, truth

CLOSE = 1e-9  # rounding times conditions of up to 1e4
WRONG = 1e-2  # what a forgotten term changes, at least


def error(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def test_the_far_side_of_a_cut_needs_its_bias_force():
    """Eq. 5.42 of Schröder 1990 leaves out p_j, the bias force on the far side of a cut joint: here, on the twin."""
    model = ring([lw.Revolute(np.random.default_rng(k).normal(size=3)) for k in range(7)]).build()
    q = lw.neutral(model)
    v = possible_velocity(model, q, np.random.default_rng(0))
    pieces = prepare(model, q, v)
    twin = next(joint for joint in model.joints if joint.closes_loop).links[-1]
    without = pieces.bias.copy()
    without[twin] = 0.0
    right, wrong = Propagation(pieces).vdot, Propagation(replace(pieces, bias=without)).vdot
    assert error(right, truth(model, q, v).vdot) < CLOSE
    assert error(wrong, right) > WRONG


def thesis_merge(rule):
    """Section 5.7 of the thesis: solve Ma_1 x_1 + ka_1 = Ma_k x_k + ka_k for x_k by singular values.

    rule "unimposed": what Ma_k cannot reach is not asked of x_1. rule "guessed": on the way back x_1 comes from its acceleration by a
    pseudo-inverse, and what is left of x_k is zero, though forces depend on both.
    """

    def impose(ledger, what, both, E):
        if what != "branch":
            return affine_fronts.impose(ledger, what, both, E)
        (first, _), (second, _) = both.before
        if rule == "guessed":
            new = affine_fronts.impose(ledger, what, both, E)
            guess = np.linalg.pinv(first.a[:, first.own])
            a = new.a.copy()
            a[:, 0] -= first.a[:, 0]
            T = np.zeros((first.n + second.n, new.stack.shape[1]))
            T[: first.n] = guess @ a
            T[first.n :] = np.linalg.pinv(second.a[:, second.own]) @ (new.a - np.outer(second.a[:, 0], np.eye(1, new.stack.shape[1])))
            new.before = [(both, T)]
            return new
        U, s, Vt = np.linalg.svd(E[:, 1 + first.n : 1 + both.n])
        r = int(np.sum(s > affine_fronts.TOLERANCE))
        others = np.delete(E, np.s_[1 + first.n : 1 + both.n], axis=1)
        solved = -(Vt[:r].T / s[:r]) @ (U[:, :r].T @ others)
        n = first.n + second.n - r
        T = np.zeros((both.n, 1 + n + len(both.labels)))
        T[: first.n, 1 : 1 + first.n] = np.eye(first.n)
        T[first.n :, : 1 + first.n] = solved[:, : 1 + first.n]
        T[first.n :, 1 + n :] = solved[:, 1 + first.n :]
        T[first.n :, 1 + first.n : 1 + n] = Vt[r:].T
        return affine_fronts.substitute(ledger, both, T, n)

    return impose


def nailed_star(seed=10):
    model, rng = star({2: lw.Lock()}).build(), np.random.default_rng(seed)
    q = lw.random_configuration(model, rng)
    return model, q, possible_velocity(model, q, rng)


def test_what_a_constrained_branch_cannot_do_is_asked_of_the_others(monkeypatch):
    """An arm of three joints with a nailed end holds the hub in three directions; the thesis forgets them."""
    model, q, v = nailed_star()
    expected = truth(model, q, v).vdot
    assert error(propagate_states(model, q, v).vdot, expected) < CLOSE
    monkeypatch.setattr(solve, "impose", thesis_merge("unimposed"))
    assert error(propagate_states(model, q, v).vdot, expected) > WRONG


def test_without_constrained_branches_the_merge_of_the_thesis_is_right(monkeypatch):
    model, rng = star({}).build(), np.random.default_rng(11)
    q, v = lw.random_configuration(model, rng), rng.normal(size=model.nv)
    for rule in ("unimposed", "guessed"):
        monkeypatch.setattr(solve, "impose", thesis_merge(rule))
        assert error(propagate_states(model, q, v).vdot, truth(model, q, v).vdot) < CLOSE


def test_forces_in_a_constrained_branch_are_known_not_guessed(monkeypatch):
    """The acceleration of the hub does not tell the reaction at the nail: the right vectors of the merge must be kept."""
    model, q, v = nailed_star()
    expected = solve_constrained(model, q, v).multipliers
    assert error(propagate_states(model, q, v).multipliers, expected) < CLOSE
    monkeypatch.setattr(solve, "impose", thesis_merge("guessed"))
    assert error(propagate_states(model, q, v).multipliers, expected) > WRONG
