"""Times at which steps end: breaks of splines, and which of them are corners; and jumps where fixed steps meet."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator, PPoly

import linkwork as lw
from linkwork.integrators.stops import break_times


def breaks(kind):
    m = lw.Mechanism("slider")
    body = m.add_body("b", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("j", lw.Prismatic((1, 0, 0)), m.ground, body)
    m.add_constraint("d", kind, "j")
    corners, others = break_times(m.build())
    return corners.tolist(), others.tolist()


def test_breaks_of_a_smooth_spline_are_no_corners():
    times = np.linspace(0.0, 3.0, 13)
    assert breaks(lw.Drive(CubicSpline(times, np.sin(times)))) == ([], times.tolist())


def test_breaks_at_which_the_acceleration_jumps_are_corners():
    """Adams went on with what it remembered from before."""
    assert breaks(lw.Drive(PchipInterpolator([0, 0.3, 0.6, 1.0, 2.0], [0, 0.1, -0.1, 0.2, 0]))) == ([0.3, 0.6, 1.0], [0.0, 2.0])
    assert breaks(lw.SpeedDrive(PPoly([[0.0, 5.0, 0.0], [0.0, 0.0, 1.0]], [0, 0.5, 0.7, 3]))) == ([0.5, 0.7], [0.0, 3.0])


@lw.force(on="joint")
def pushed(q, v, t):
    return 2.0 if 0.1 <= t < 0.3 else 0.0


TABLE = lw.JointTable(times=(0.1, 0.3), values=(2.0, 2.0), outside="zero")


@pytest.mark.parametrize(
    ("method", "order"), [(lw.RungeKutta4, 4), (lw.Variational, 2), (lambda h: lw.Implicit(step=h), 5), (lw.EnergyMomentum, 2)]
)
@pytest.mark.parametrize("kind", [TABLE, pushed()], ids=["table", "function"])
def test_fixed_steps_were_of_order_1_where_a_force_jumps_on_their_grid(method, order, kind):
    """An oscillator of 2 rad/s that is pushed from 0.1 to 0.3 s. Each step saw the force on the other side of a jump at its ends: off by 3e-3 at 0.01 s.

    The grids reach 0.1 and 0.3 s but for rounding, from either side.
    """
    errors = []
    for h in (0.02, 0.01):
        rec = lw.simulate(_pushed(kind), 0.5, method(h), q=[0.2], v=[0.0])
        errors.append(float(np.abs(rec.q[-1] - EXACT[0])[0]))
        assert not rec.audit.warnings
    assert errors[1] < 1e-12 or errors[0] / errors[1] > 0.9 * 2.0**order  # rounding of 50 steps, or the order


def test_rollouts_were_of_order_1_where_a_force_jumps_on_their_grid():
    for method, error in ((lw.RungeKutta4(0.01), 1e-10), (lw.SemiImplicitEuler(0.01), 1e-4)):  # the latter were off by 2e-2
        run = lw.rollout(_pushed(TABLE), [[0.2]], [[0.0]], 50, method)
        assert abs(run.q[0, -1, 0] - EXACT[0]) < error


def _pushed(kind):
    m = lw.Mechanism("pushed", gravity=(0, 0, 0))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, m.add_body("cart", mass=1.0, inertia=(1, 1, 1)))
    m.add_force("spring", lw.JointSpring(4.0), "rail")
    m.add_force("push", kind, "rail")
    return m


def _swung(x, v, t, f):
    """x and v of the oscillator after t under a constant force."""
    x, w = x - f / 4.0, 2.0
    return x * np.cos(w * t) + v / w * np.sin(w * t) + f / 4.0, v * np.cos(w * t) - x * w * np.sin(w * t)


EXACT = _swung(*_swung(*_swung(0.2, 0.0, 0.1, 0.0), 0.2, 2.0), 0.2, 0.0)
