"""Prescribed motion that leads to a dead point: the run fails there, and says that it is the motion that cannot go on."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import linkwork as lw


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(1e-3), lw.Adaptive(), lw.Adams(), lw.Implicit(1e-3)], ids=lambda i: type(i).__name__)
def test_a_winch_that_pulls_an_arm_beyond_its_reach_is_named(integrator):
    """An arm of 1 m about the origin, its tip 2.5 m from (-2, 0) and led away at 1 m/s: at 3 m, after 0.5 s, it is stretched. A force was blamed."""
    m = lw.Mechanism("arm and winch", gravity=(0, 0, 0))
    arm = m.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 0, 1)), m.ground, arm)
    m.add_constraint("winch", lw.Distance(CubicSpline([0.0, 0.5, 1.0], [2.5, 3.0, 3.5])), arm.at(1, 0, 0), m.ground.at(-2, 0, 0))
    m.add_force("friction", lw.JointSpring(1.0, damping=0.1), "pivot")
    model = m.build()
    q = lw.assemble(model, np.array([1.0]))
    with pytest.warns(lw.FailedRunWarning):
        run = lw.simulate(model, 1.0, integrator, q=q, v=lw.project_velocity(model, q, np.zeros(1)), record_interval=0.05)
    assert 0.44 < run.status.time < 0.51
    assert "'winch' prescribes" in str(run.status) and "dead point" in str(run.status)


@pytest.mark.slow
@pytest.mark.parametrize("method", [lw.Adaptive, lw.Adams, lw.Implicit], ids=lambda method: method.__name__)
@pytest.mark.parametrize("speed", [1.0, 2.5])
def test_a_crank_that_is_led_into_its_dead_point_is_not_told_to_move_on_in_more_than_one_way(speed, method):
    """Steps that follow a small error come so near to the dead point that a row hardly counts any more and accelerations say nothing: the failure spoke of
    loops near a singular pose, and did not name what prescribes the motion."""
    m = lw.Mechanism("slider-crank")
    crank, rod, slider = (m.add_body(name, mass=2.0, com=(0.2, 0, 0), inertia=(0.05, 0.05, 0.05)) for name in ("crank", "rod", "slider"))
    hinge = lw.Revolute((0, 1, 0))
    m.add_joint("pivot", hinge, m.ground, crank)
    m.add_joint("crank pin", hinge, crank.at(0.3, 0, 0), rod)
    m.add_joint("wrist pin", hinge, rod.at(0.8, 0, 0), slider)
    m.add_joint("guide", lw.Prismatic((1, 0, 0)), m.ground, slider)
    m.add_constraint("ram", lw.Distance(lambda t: 1.0 + speed * t), slider.at(0, 0, 0.1), m.ground)
    model = m.build()
    q = lw.assemble(model, [-0.4, 0.6, -0.2, 1.0])
    with pytest.warns(lw.FailedRunWarning):
        run = lw.simulate(model, 0.3, method(rtol=1e-10, atol=1e-12), q=q, v=lw.project_velocity(model, q, np.zeros(model.nv)))
    stretched = (np.hypot(1.1, 0.1) - 1.0) / speed  # s, until crank and rod are in line
    assert stretched - 0.02 <= run.status.time <= stretched + 1e-9  # of a run that is found out behind it: its last frame
    assert "'ram' prescribes" in str(run.status) and "dead point" in str(run.status) and "more than one way" not in str(run.status)
