"""Joint kinds as values: sizes, options, comparison, and what they say about themselves."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.parts import (
    Cylindrical,
    Free,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Translational,
    Universal,
    Weld,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
KINDS = [
    (Revolute(Z), 1, 1),
    (Prismatic(Z), 1, 1),
    (Screw(Z, 0.01), 1, 1),
    (Cylindrical(Z), 2, 2),
    (Universal(X, Y), 2, 2),
    (Planar(), 3, 3),
    (Translational(), 3, 3),
    (Weld(), 0, 0),
    (Spherical(), 4, 3),
    (Free(), 7, 6),
]
NAMES = [type(kind).__name__ for kind, _, _ in KINDS]


@pytest.mark.parametrize(("kind", "nq", "nv"), KINDS, ids=NAMES)
def test_every_kind_has_its_sizes_and_no_faults(kind, nq, nv):
    assert (kind.nq, kind.nv) == (nq, nv)
    assert list(kind.faults()) == []
    assert isinstance(kind, JointKind)
    assert kind.lower == (-math.inf,) * nv and kind.upper == kind.velocity_limit == kind.effort_limit == (math.inf,) * nv
    assert kind.effective_armature == (0.0,) * nv


@pytest.mark.parametrize(("kind", "nq", "nv"), KINDS, ids=NAMES)
def test_elements_are_one_per_coordinate_or_the_class_says_why_not(kind, nq, nv):
    if kind.ball or kind.free:
        assert kind.elements is None
        assert nq == nv + 1
    else:
        assert len(kind.elements) == nq == nv
        assert all(math.hypot(*element.axis) == pytest.approx(1.0, abs=1e-15) for element in kind.elements)
    assert not kind.custom


@pytest.mark.parametrize(("kind", "nq", "nv"), KINDS, ids=NAMES)
def test_kinds_are_values(kind, nq, nv):
    damped = dataclasses.replace(kind, damping=0.5)
    for copied in (copy.copy(kind), copy.deepcopy(kind), pickle.loads(pickle.dumps(kind)), dataclasses.replace(kind)):
        assert copied == kind and hash(copied) == hash(kind)
    assert (damped == kind) == (nv == 0)
    assert kind != object() and kind != (Prismatic(X) if nv != 1 else Weld())
    with pytest.raises(dataclasses.FrozenInstanceError):
        kind.damping = 1.0


def test_kinds_with_equal_fields_but_other_classes_differ():
    assert Revolute(Z) != Prismatic(Z)


def test_a_number_counts_for_all_degrees_of_freedom_and_a_sequence_for_each():
    kind = Planar(damping=2, friction=[0, 1, 2], armature=np.array([1.0, 2.0, 3.0]), upper=np.float32(1.5), lower=np.array(-1))
    assert kind.damping == (2.0, 2.0, 2.0)
    assert kind.friction == (0.0, 1.0, 2.0)
    assert kind.armature == (1.0, 2.0, 3.0)
    assert kind.upper == (1.5, 1.5, 1.5) and kind.lower == (-1.0, -1.0, -1.0)
    assert all(type(x) is float for x in kind.damping + kind.friction + kind.armature + kind.upper)


def test_the_rotor_adds_to_the_armature_by_the_square_of_the_gear_ratio():
    assert Revolute(Z, armature=0.5, rotor_inertia=1e-4, gear_ratio=-100.0).effective_armature == (1.5,)
    kind = Cylindrical(Z, rotor_inertia=(1.0, 2.0), gear_ratio=(2.0, 3.0))
    assert kind.effective_armature == (4.0, 18.0)


@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (lambda: Revolute(Z, damping="much"), ["Revolute", "damping", "'much'", "real number"]),
        (lambda: Revolute(Z, lower=True), ["Revolute", "lower", "True", "real number"]),
        (lambda: Revolute(Z, lower=None), ["Revolute", "lower", "None"]),
        (lambda: Revolute(Z, lower=1j), ["Revolute", "lower", "1j"]),
        (lambda: Planar(friction=(1, 2)), ["Planar", "friction", "2 values", "3 degrees", "one number or 3"]),
        (lambda: Revolute(Z, friction=(1, 2)), ["Revolute", "friction", "1 degree of freedom"]),
        (lambda: Revolute((0, 0)), ["Revolute", "axis", "2 entries", "3 numbers"]),
        (lambda: Revolute("z"), ["Revolute", "axis", "'z'"]),
        (lambda: Revolute(5), ["Revolute", "axis", "5", "3 numbers"]),
        (lambda: Screw(Z, "fine"), ["Screw", "pitch", "'fine'"]),
        (lambda: Universal(X, None), ["Universal", "axis2", "None"]),
        (lambda: Planar(x_axis=(1,)), ["Planar", "x_axis", "1 entries"]),
    ],
)
def test_wrong_types_and_sizes_are_refused_at_once(make, texts):
    with pytest.raises(ModelError) as caught:
        make()
    for text in texts:
        assert text in str(caught.value)


def test_what_a_kind_prints_is_what_was_given():
    assert repr(Revolute((0, 1, 0), lower=-1, damping=0.5)) == "Revolute(axis=(0.0, 1.0, 0.0), lower=-1.0, damping=0.5)"
    assert repr(Cylindrical(Z, friction=(1, 2))) == "Cylindrical(axis=(0.0, 0.0, 1.0), friction=(1.0, 2.0))"
    assert repr(Free()) == "Free()"
    for kind, _, _ in KINDS:
        assert eval(repr(kind)) == kind


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("kind", "about", "texts"),
    [
        (Revolute((0, 0, 0)), "axis", ["axis is (0, 0, 0)", "length 0", "at least 1e-09", "(0, 0, 1)"]),
        (Revolute((0, NAN, 0)), "axis", ["axis is (0, nan, 0)", "finite"]),
        (Prismatic((0, INF, 0)), "axis", ["axis is (0, inf, 0)", "finite"]),
        (Cylindrical((1e-12, 0, 0)), "axis", ["length 1e-12", "at least 1e-09"]),
        (Screw((0, 0, 0), 1.0), "axis", ["axis is (0, 0, 0)"]),
        (Screw(Z, NAN), "axis", ["pitch is nan", "finite", "Prismatic"]),
        (Universal(X, (0, 0, 0)), "axis", ["axis2 is (0, 0, 0)"]),
        (Universal(X, (-3, 0, 0)), "axis", ["axis1 (1, 0, 0) and axis2 (-3, 0, 0)", "parallel", "1e-06 rad", "Revolute"]),
        (Planar(normal=(0, 0, 0)), "axis", ["normal is (0, 0, 0)"]),
        (Planar(x_axis=(0, 0, 2)), "axis", ["normal (0, 0, 1) and x_axis (0, 0, 2)", "parallel", "leave it out"]),
        (Revolute(Z, lower=2, upper=1), "limits", ["lower is 2", "upper is 1", "lower <= upper", "swap"]),
        (Planar(lower=(0, 5, 0), upper=1), "limits", ["lower is 5", "degree of freedom 2 of 3"]),
        (Revolute(Z, upper=NAN), "limits", ["upper is nan", "not a number"]),
        (Revolute(Z, lower=INF), "limits", ["lower is inf", "no range"]),
        (Spherical(upper=1.0), "limits", ["quaternion", "leave them out"]),
        (Revolute(Z, velocity_limit=-1), "option", ["velocity_limit is -1", "at least 0"]),
        (Revolute(Z, effort_limit=-1), "option", ["effort_limit is -1", "at least 0"]),
        (Revolute(Z, effort_limit=NAN), "option", ["effort_limit is nan"]),
        (Revolute(Z, armature=-1), "option", ["armature is -1", "finite number of at least 0", "leave it out"]),
        (Revolute(Z, armature=INF), "option", ["armature is inf"]),
        (Revolute(Z, rotor_inertia=-1), "option", ["rotor_inertia is -1"]),
        (Revolute(Z, gear_ratio=NAN), "option", ["gear_ratio is nan", "finite"]),
        (Cylindrical(Z, damping=(0, -2)), "option", ["damping is -2", "degree of freedom 2 of 2"]),
        (Revolute(Z, friction=-0.5), "option", ["friction is -0.5"]),
    ],
)
def test_values_that_cannot_be_are_faults_in_words(kind, about, texts):
    ((found, message), *more) = kind.faults()
    assert found == about
    for text in texts:
        assert text in message
    assert all(other[0] == about for other in more)


def test_all_faults_of_a_kind_are_reported():
    kind = Revolute((0, 0, 0), lower=1, upper=0, damping=-1, friction=-1)
    assert [about for about, _ in kind.faults()] == ["axis", "limits", "option", "option"]


def test_a_locked_or_half_open_range_is_allowed():
    assert list(Revolute(Z, lower=1, upper=1).faults()) == []
    assert list(Revolute(Z, lower=1).faults()) == []
    assert list(Revolute(Z, velocity_limit=0, effort_limit=0).faults()) == []
