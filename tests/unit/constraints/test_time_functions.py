"""Times beyond the ends of a spline that does not extrapolate are refused by functions of one state, by constraint and domain."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import linkwork as lw


def driven(extrapolate):
    m = lw.Mechanism("slider", gravity=(0, 0, 0))
    body = m.add_body("b", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("j", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_constraint("d", lw.Drive(CubicSpline([1, 1.5, 2], [0, 0.3, 0], extrapolate=extrapolate)), "j")
    return m.build()


QUESTIONS = {
    "assemble": lambda m, t: lw.assemble(m, [0.0], t=t),
    "project_velocity": lambda m, t: lw.project_velocity(m, [0.0], [0.0], t=t),
    "forward_dynamics": lambda m, t: lw.forward_dynamics(m, [0.0], [0.0], t=t),
    "articulated": lambda m, t: lw.forward_dynamics(m, [0.0], [0.0], t=t, solver="articulated"),
    "propagation": lambda m, t: lw.forward_dynamics(m, [0.0], [0.0], t=t, solver="propagation"),
    "batch": lambda m, t: lw.forward_dynamics(m, np.zeros((9, 1)), np.zeros((9, 1)), t=np.array([1.5] * 8 + [t])),
    "reactions": lambda m, t: lw.reactions(m, [0.0], [0.0], t=t),
    "mobility": lambda m, t: lw.mobility(m, [0.0], t=t),
    "cross_check": lambda m, t: lw.cross_check(m, [0.0], [0.0], t=t),
    "equilibrium": lambda m, t: lw.equilibrium(m, [0.0], t=t),
    "Simulation": lambda m, t: lw.Simulation(m, t=t),
    "rollout": lambda m, t: lw.rollout(m, np.zeros((1, 1)), np.zeros((1, 1)), 1, t=t),
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_a_time_beyond_a_spline_that_ends_is_not_answered_along_its_last_piece(ask):
    """They went on along it, without a word."""
    for t in (0.0, 2.001):
        with pytest.raises(lw.StateError, match=rf"t: found {t:g} s; allowed by constraint 'd'.* 1 to 2 s; .*extrapolate=True") as found:
            ask(driven(False), t)
        assert found.value.argument == "t"


def test_times_at_the_ends_of_a_spline_and_beyond_one_that_goes_on_are_answered():
    for t in (1.0, 2.0, 2.0 + 1e-12):
        assert lw.assemble(driven(False), [0.0], t=t) == pytest.approx(0.0, abs=1e-9)
    assert lw.assemble(driven(True), [0.0], t=2.5) == pytest.approx(-0.9)


def test_results_are_left_alone_where_one_time_of_a_batch_is_refused():
    out = np.full((9, 1), 7.0)
    with pytest.raises(lw.StateError, match="found 3 s"):
        lw.forward_dynamics(driven(False), np.zeros((9, 1)), np.zeros((9, 1)), t=np.array([1.5] * 8 + [3.0]), out=out)
    assert (out == 7.0).all()
