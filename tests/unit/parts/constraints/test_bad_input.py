"""Impossible constraints are refused with words: where, what was found, what is allowed, what to do."""

import math

import numpy as np
import pytest
from scipy.interpolate import BSpline, CubicSpline

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.kernels import JIT

from ....constraint_cases import mechanism

LINE = CubicSpline([0.0, 1.0, 2.0], [1.0, 0.5, -0.5])


def refused(kind, *on):
    """The message with which a mechanism refuses to be built."""
    m = mechanism()
    m.add_constraint("held", kind, *(on or ("hand", "ring")))
    with pytest.raises(ModelError) as caught:
        m.build()
    assert "constraint 'held'" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (lw.Distance(0.0), ["length is 0 m", "above 0", "Coincident"]),
        (lw.Distance(-1.0), ["length is -1 m", "Coincident"]),
        (lw.Distance(math.nan), ["length holds a number that is not finite"]),
        (lw.Distance(LINE), ["length is -0.5 m on its way"]),
        (lw.Distance(lambda t: t), ["length is 0 m on its way"]),
        (lw.Angle(angle=0.0), ["angle is 0 rad", "ParallelAxes"]),
        (lw.Angle(angle=math.pi), ["angle is 3.14159 rad", "turn one of them round"]),
        (lw.Angle(angle=-0.5), ["angle is -0.5 rad"]),
        (lw.Angle(angle=math.inf), ["angle holds a number that is not finite"]),
        (lw.Angle(axis_a=(0, 0, 0)), ["axis_a is (0, 0, 0)", "direction in the axes of its place"]),
        (lw.ParallelAxes((0, 0, 1), (0, math.nan, 1)), ["axis_b is (0, nan, 1)", "finite"]),
        (lw.PointOnLine((0, 0, 1e-12)), ["axis is (0, 0, 1e-12)", "length"]),
        (lw.PointOnPlane((0, 0, 0)), ["normal is (0, 0, 0)"]),
        (lw.PointOnPlane(height=math.inf), ["height holds a number that is not finite"]),
        (lw.RollingDisc(0.0), ["radius is 0 m", "above 0"]),
        (lw.RollingDisc(1.0, axis=(0, 0, 0)), ["axis is (0, 0, 0)"]),
        (lw.RollingDisc(1.0, normal=(0, 0, 0)), ["normal is (0, 0, 0)"]),
        (lw.RollingBall(-0.1), ["radius is -0.1 m"]),
        (lw.RollingBall(math.inf), ["radius is inf m"]),
        (lw.KnifeEdge((0, 0, 0)), ["direction is (0, 0, 0)"]),
        (lw.Nail(x=lambda t: 1.0 / t), ["x, a function of time, failed at t = 0", "ZeroDivisionError"]),
        (lw.Nail(x=lambda t: math.nan), ["x, a function of time, returned nan at t = 0"]),
        (lw.Nail(x=lambda t: "here"), ["failed at t = 0", "ValueError"]),
        (lw.FollowPath(lambda t: (t, t)), ["path", "returns 2 numbers", "allowed are 3"]),
        (lw.FollowPath(lambda t: t), ["path", "failed at t = 0"]),
        (lw.FollowPath((0.0, math.nan, 1.0)), ["path y holds a number that is not finite"]),
        (lw.Relation(lambda poses, t: (1.0, 2.0)), ["returned 2 numbers, but rows is 1"]),
        (lw.Relation(lambda poses, t: 1.0, rows=3), ["returned 1 numbers, but rows is 3"]),
        (lw.Relation(lambda poses, t: math.inf), ["returned (inf,) with all joints at zero", "finite"]),
        (lw.Relation(lambda poses, t: poses.a), ["failed", "AttributeError", "poses = (a, b)"]),
        (lw.Relation(lambda poses: 0.0), ["failed", "TypeError"]),
    ],
)
def test_impossible_values_are_faults(kind, texts):
    message = refused(kind)
    for text in texts:
        assert text in message, message


@pytest.mark.skipif(not JIT, reason="plain Python compiles nothing")
@pytest.mark.parametrize("function", [lambda poses, t: sum(float(str(x)) for x in (1, 2)), lambda poses, t: 0.0 * float(str(t))])
def test_a_function_that_cannot_be_compiled_is_refused(function):
    message = refused(lw.Relation(function))
    assert "cannot be compiled" in message and "LINKWORK_JIT=0" in message and "math or numpy" in message


@pytest.mark.skipif(not JIT, reason="plain Python compiles nothing")
def test_a_law_that_cannot_be_compiled_is_refused():
    message = refused(lw.Drive(lambda t: float(f"{t}")), "shoulder")
    assert "its function of time cannot be compiled" in message


class _Callable:
    def __call__(self, t):
        return t


@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (lambda: lw.Distance("far"), ["Distance: length is 'far' (str)", "real number"]),
        (lambda: lw.Distance(CubicSpline([0, 1, 2], np.eye(3))), ["Distance: length", "spline of one value"]),
        (lambda: lw.Distance(_Callable()), ["Distance: length", "def or lambda"]),
        (lambda: lw.Nail(z=BSpline(np.arange(8.0), np.ones((4, 2)), 3)), ["Nail: z", "spline of one value"]),
        (lambda: lw.FollowPath(BSpline(np.arange(8.0), np.ones((4, 2)), 3)), ["FollowPath: path", "(n, 3)"]),
        (lambda: lw.Nail(z=None), ["Nail: z is None", "use Lock"]),
        (lambda: lw.Angle(axis_b=(1, 2)), ["Angle: axis_b is (1, 2)", "give 3 numbers"]),
        (lambda: lw.PointOnLine("z"), ["PointOnLine: axis is 'z'"]),
        (lambda: lw.FollowPath(LINE), ["FollowPath: path", "(n, 3)"]),
        (lambda: lw.FollowPath((1.0, 2.0)), ["FollowPath: path", "it has 2 entries"]),
        (lambda: lw.FollowPath(7.0), ["FollowPath: path is 7.0", "three laws"]),
        (lambda: lw.RollingBall("big"), ["RollingBall: radius is 'big'"]),
        (lambda: lw.Relation(3.0), ["Relation: function is 3.0", "phi(poses, t)"]),
        (lambda: lw.Relation(lambda p, t: 0.0, rows=0), ["Relation: rows is 0", "from 1 to 12"]),
        (lambda: lw.Relation(lambda p, t: 0.0, rows=True), ["Relation: rows is True"]),
    ],
)
def test_wrong_types_are_refused_at_once(make, texts):
    with pytest.raises(ModelError) as caught:
        make()
    for text in texts:
        assert text in str(caught.value)


@pytest.mark.parametrize("kind", [lw.Lock(), lw.Distance(1.0), lw.RollingBall(0.1), lw.KnifeEdge()])
def test_a_body_cannot_be_held_to_itself(kind):
    m = mechanism()
    m.add_frame("tip", m.body("hand").at(1, 0, 0))
    m.add_constraint("held", kind, "hand", "tip")
    ((part, about, message),) = m.faults()
    assert (part, about) == ("held", "self")
    assert "both its places are on 'hand'" in message and "change one of the places" in message


@pytest.mark.slow
def test_a_relation_may_look_at_one_body():
    """A relation sees poses in the world, so two places on one body can mean something."""
    m = mechanism()
    m.add_constraint("level", lw.Relation(_level), "hand", m.body("hand").at(1, 0, 0))
    assert m.faults() == []
    model = m.build()
    assert model.nc == 1
    q, v = lw.random_configuration(model, 1, span=1.0), np.ones(model.nv)
    from linkwork.testing import check_constraint

    assert check_constraint(model, "level", q, v).largest < 1e-8


def _level(poses, t):
    a, b = poses
    return a.p[2] - b.p[2]
