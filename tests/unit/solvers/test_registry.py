"""The registry of solvers: every one has its verbs, and what it is said to be able to do it does."""

from importlib import import_module

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.solvers.registry import SOLVERS, acceleration_function, solver_in_motion

from ...zoo_planar import four_bar

MODEL = four_bar().mechanism.build()


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_has_the_three_verbs(name):
    package = SOLVERS[name].call[0].split(".")[0]
    for verb in ("prepare", "solve", "correct"):
        assert callable(getattr(import_module(f"linkwork.solvers.{package}.{verb}"), verb))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("wide", [False, True])
def test_a_solver_moves_what_it_is_said_to_move(name, wide):
    can = SOLVERS[name].motion is not None and (SOLVERS[name].lanes or not wide)
    if not can:
        with pytest.raises(ModelError, match=f"solver: found '{name}'"):
            solver_in_motion(MODEL, name, wide)
        return
    assert solver_in_motion(MODEL, name, wide) == name
    motion = acceleration_function(name)
    assert callable(motion.wide if wide else motion.one)


def test_auto_is_a_solver_that_can_and_a_tree_needs_none():
    assert SOLVERS[solver_in_motion(MODEL, "auto")].motion and SOLVERS[solver_in_motion(MODEL, "auto", wide=True)].lanes
    m = lw.Mechanism("pendulum")
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, inertia=(1, 1, 1)))
    assert solver_in_motion(m.build(), "sparse") == "tree"


def test_all_solvers_of_motions_move_a_loop_alike():
    """0.1 s with RungeKutta4, step 1 ms: the solvers agree to 1e-9 in accelerations, and so do motions that begin falling from rest."""
    found = [lw.simulate(MODEL, 0.1, solver=name).q[-1] for name, solver in SOLVERS.items() if solver.motion]
    assert len(found) == 2 and np.abs(found[0] - lw.neutral(MODEL)).max() > 1e-3
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
