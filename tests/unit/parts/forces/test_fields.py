"""Every field of every force refuses what it cannot be: the wrong type at once, the wrong value as a fault, with words."""

import dataclasses
import math

import pytest

import linkwork as lw
from linkwork.errors import ModelError

from ....force_cases import CASES, on_joints

FIELDS = [(name, field.name) for name, case in CASES.items() for field in dataclasses.fields(case.kind)]


def spoilt(value):
    """The value with a number that is none; None if it holds no number."""
    if isinstance(value, float):
        return math.nan
    if isinstance(value, tuple):
        return (spoilt(value[0]), *value[1:])
    return None


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_wrong_type_is_refused_at_once(name, field):
    kind = CASES[name].kind
    with pytest.raises(ModelError) as caught:
        dataclasses.replace(kind, **{field: "wrong"})
    assert type(kind).__name__ in str(caught.value) and field in str(caught.value) and "give" in str(caught.value)


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_number_that_is_none_is_a_fault(name, field):
    kind = CASES[name].kind
    wrong = spoilt(getattr(kind, field))
    if wrong is None:
        return
    message = refused(dataclasses.replace(kind, **{field: wrong}))
    assert field in message and "allowed" in message and message.rstrip().endswith(("it", "them", "(0, 0, 1)", "ones", "out", "place")), (
        message
    )


def refused(kind):
    """What the mechanism says against a force."""
    m = lw.Mechanism()
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("hinge", lw.Revolute((0, 0, 1)), m.ground, rod)
    m.add_force("push", kind, "hinge" if on_joints(kind) else rod)
    faults = m.faults()
    assert faults and all(fault.part == "push" and "force 'push'" in fault.message for fault in faults)
    return "\n".join(fault.message for fault in faults)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (lw.Gravity(-1.0), ["mass is -1", "from 0 on"]),
        (lw.ViscousDamping((1.0, -2.0, 0.0)), ["linear is (1.0, -2.0, 0.0)", "from 0 on"]),
        (lw.Support(-1.0), ["stiffness is -1"]),
        (lw.Support(10.0, friction=-0.1), ["friction is -0.1"]),
        (lw.Support(10.0, ramp=0.0), ["ramp is 0", "above 0"]),
        (lw.Support(10.0, slip_speed=math.inf), ["slip_speed is inf"]),
        (lw.Brake(-3.0), ["force is -3"]),
        (lw.Brake(slip_rate=0.0), ["slip_rate is 0"]),
        (lw.Brake(axis=(0, 0, 0)), ["axis is (0, 0, 0)", "direction"]),
        (lw.RubberString(5.0, 1.0, restitution=1.5), ["restitution is 1.5", "from 0 to 1"]),
        (lw.RubberString(5.0, -1.0), ["length is -1"]),
        (lw.RubberString(5.0, 1.0, smoothing=0.0), ["smoothing is 0"]),
        (lw.TorsionSpring(1.0, rest=0.2), ["rest is 0.2 rad", "no axis", "turn a place"]),
        (lw.TorsionSpring(1.0, axis=(0, 1e-12, 0)), ["axis is (0, 1e-12, 0)"]),
        (lw.Bushing((1, 1, 1, -5, 1, 1)), ["stiffness has the eigenvalue -5"]),
        (lw.Bushing((1,) * 6, (0, 0, 0, 0, 0, -2)), ["damping has the eigenvalue -2"]),
        (lw.Bushing([[float(i <= j) for j in range(6)] for i in range(6)]), ["not symmetric", "has an energy"]),
        (lw.Attraction(1.0, softening=-0.1), ["softening is -0.1"]),
        (lw.JointFriction(2.0, static=1.0), ["static is 1", "from friction (2) on"]),
        (lw.JointFriction(2.0, slip_speed=0.0), ["slip_speed is 0"]),
        (lw.LimitStop(100.0), ["at least one finite stop"]),
        (lw.LimitStop(100.0, 1.0, -1.0), ["lower is 1, upper is -1", "lower below upper"]),
        (lw.LimitStop(100.0, lower=math.inf), ["lower is inf"]),
        (lw.LimitStop(100.0, 0.0, 1.0, dissipation=-1.0), ["dissipation is -1"]),
        (lw.JointTable((0.0, 1.0, 1.0), (1.0, 2.0, 3.0)), ["times do not increase at 1 s", "sort them"]),
        (lw.WrenchTable((0.0, math.inf), [[0.0] * 6] * 2), ["times hold a number that is not finite"]),
    ],
)
def test_an_impossible_value_is_a_fault(kind, texts):
    message = refused(kind)
    for text in texts:
        assert text in message, message


@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (lambda: lw.Motor(axes="wrold"), ["axes is 'wrold'", "'a', 'b', 'world'"]),
        (lambda: lw.Motor(reaction=1), ["reaction is 1", "True or False"]),
        (lambda: lw.Motor(force=(1.0, 2.0)), ["force", "it has 2 entries"]),
        (lambda: lw.ViscousDamping(linear=(1.0, 2.0)), ["linear", "give 3 numbers"]),
        (lambda: lw.ViscousDamping(angular=None), ["angular is None", "give a real number, or three"]),
        (lambda: lw.Bushing((1.0, 2.0)), ["stiffness", "it has 2 entries", "6 rows of 6"]),
        (lambda: lw.Bushing([[1.0] * 5] * 6), ["stiffness", "6 rows of 6"]),
        (lambda: lw.Bushing([1.0, 2.0, 3.0, 4.0, 5.0, (1.0,)]), ["stiffness", "6 rows of 6"]),
        (lambda: lw.WrenchTable((0.0, 1.0), [[0.0] * 6, [0.0] * 5]), ["a row of values", "it has 5 entries"]),
        (lambda: lw.WrenchTable((0.0,), [[0.0] * 6]), ["1 times and 1 rows", "two or more"]),
        (lambda: lw.JointTable((0.0, 1.0), (1.0,)), ["2 times and 1 rows"]),
        (lambda: lw.JointTable((0.0, 1.0), (1.0, 2.0), interpolation="spline"), ["interpolation is 'spline'", "'linear', 'cubic'"]),
        (lambda: lw.JointTable((0.0, 1.0), (1.0, 2.0), outside=0.0), ["outside is 0.0", "'hold', 'zero'"]),
    ],
)
def test_a_thing_of_the_wrong_kind_is_refused(make, texts):
    with pytest.raises(ModelError) as caught:
        make()
    for text in texts:
        assert text in str(caught.value), str(caught.value)


def test_a_mechanism_changes_the_fields_of_a_force():
    m = lw.Mechanism()
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_force("foot", lw.Support(100.0), rod.at(0, 0, -1))
    m.change("foot", stiffness=250.0, friction=0.5)
    assert m.force("foot").kind == lw.Support(250.0, friction=0.5)
    with pytest.raises(ModelError, match="friction"):
        m.change("foot", friction="rough")
    assert m.force("foot").kind == lw.Support(250.0, friction=0.5)
