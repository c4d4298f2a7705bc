"""One kind of joint in place of another: coordinates that go on, and what a class takes over."""

import itertools

import pytest

import linkwork as lw
from linkwork.parts.joints.kind_conversion import as_kind, coordinates_kept, sorts

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
KINDS = [
    lw.Weld(), lw.Revolute(Y), lw.Prismatic(Y), lw.Screw(Y, 0.1), lw.Cylindrical(Y), lw.Universal(Y, Z), lw.Planar(Y), lw.Spherical(),
    lw.Translational(), lw.Free(),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), list(itertools.product(KINDS, KINDS)), ids=lambda kind: type(kind).__name__)
def test_an_angle_goes_on_as_an_angle_and_no_two_as_one(old, new):
    kept = coordinates_kept(old, new)
    assert all(sorts(old)[k] == sorts(new)[i] for k, i in kept.items())
    assert len(set(kept.values())) == len(kept)
    made = as_kind(old, type(new))
    assert type(made) is type(new) and not list(made.faults())


def test_the_axis_says_which_coordinate_goes_on():
    assert coordinates_kept(lw.Revolute(Z), lw.Planar(Z)) == {0: 2}
    assert coordinates_kept(lw.Prismatic(Z), lw.Cylindrical(Z)) == {0: 1}
    assert coordinates_kept(lw.Universal(X, Y), lw.Revolute(Y)) == {1: 0}
    assert coordinates_kept(lw.Revolute(X), lw.Universal(Y, Z)) == {0: 0}  # none is alike: the order says it
    assert coordinates_kept(lw.Revolute(X), lw.Prismatic(X)) == {}


def test_limits_damping_and_drive_go_along_with_their_coordinate():
    kind = as_kind(lw.Prismatic(Y, lower=-1.0, upper=2.0, damping=3.0, effort_limit=5.0), lw.Planar)
    inf = float("inf")
    assert (
        kind.normal == Y and kind.damping == (3.0, 0.0, 0.0) and kind.lower == (-1.0, -inf, -inf) and kind.effort_limit == (5.0, inf, inf)
    )
    assert as_kind(lw.Revolute(Y, lower=-1.0, damping=3.0), lw.Spherical) == lw.Spherical(damping=3.0)  # a quaternion has no lower
    assert as_kind(lw.Revolute(Y), lw.Revolute) == lw.Revolute(Y)


@pytest.mark.parametrize("wrong", [int, lw.JointKind, lw.Custom])
def test_a_class_that_is_no_kind_to_become_is_refused(wrong):
    with pytest.raises(lw.ModelError, match="allowed are Revolute"):
        as_kind(lw.Weld(), wrong)
