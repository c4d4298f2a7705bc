"""Times at which steps end: breaks of splines, and which of them are corners."""

import numpy as np
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
