"""What no computation has written prints as such, and not as zeros that look like results."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels.array_fields import pack_width
from linkwork.kernels.records import Record, force, integer, part, records, scalar, scalars


def _pair():
    m = lw.Mechanism("pair")
    base = m.add_body("base", mass=1.0, inertia=(1, 1, 1))
    arm = m.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(1, 1, 1))
    m.add_joint("floats", lw.Free(), m.ground, base)
    m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), base, arm)
    return m.build()


def _lines(record):
    return {line.split()[0]: line for line in repr(record).splitlines()[1:]}


@pytest.mark.parametrize("wide", [False, True], ids=["one state", "lanes"])
def test_a_free_base_prints_no_zeros_for_what_its_joint_keeps_elsewhere(wide):
    model = _pair()
    data = lw.Data(model, pack_width() if wide else 1)
    for link in data.tree.articulated.links:
        assert all("not written" in line for line in _lines(link).values())
    q, v, tau = lw.neutral(model), np.ones(model.nv), np.zeros(model.nv)
    if wide:
        q, v, tau = (np.tile(x, (pack_width(), 1)) for x in (q, v, tau))
    with data.in_use():
        lw.forward_dynamics(model, q, v, tau)
    base, arm = (_lines(data.tree.articulated.links[i]) for i in (0, 1))
    assert [name for name, line in base.items() if "not written" in line] == ["c", "s", "K", "e", "Dinv"]
    assert not any("not written" in line for line in arm.values())
    assert not any("not written" in line for line in _lines(data.tree.articulated.joints.blocks[0]).values())
    assert all("not written" in line for line in _lines(data.tree.newton_euler.links[0]).values())


class Kept(Record):
    x = scalar("a number", by="someone")
    f = force("a force", by="someone")


class Given(Record):
    x = scalar("nobody says who writes it")


class Whole(Record):
    time = scalar("a number", by="someone")
    several = records(Kept, "n")
    one = part(Kept)
    given = records(Given, "n")
    rest = scalars("n", "zero", by="nobody")
    count = integer()


@pytest.mark.parametrize("lanes", [1, 4])
def test_only_records_of_numbers_whose_writers_are_declared_are_marked(lanes):
    record = Whole.allocate({"n": 3}, lanes)
    record.mark_unwritten()
    assert all(np.isnan(one.view(name)).all() for one in (*record.several, record.one) for name in ("x", "f"))
    assert not record.view("time").any() and not np.any(record.rest) and record.count == 0
    assert not any(one.view("x").any() for one in record.given)
    record.one.view("x")[:] = 2.0
    assert "2" in _lines(record.one)["x"] and "not written" in _lines(record.one)["f"]


def test_a_nan_that_was_computed_prints_as_one():
    record = Whole.allocate({"n": 3})
    record.mark_unwritten()
    record.one.x = math.inf - math.inf
    assert "nan" in _lines(record.one)["x"]
