"""docs/format.md: its example is a mechanism that moves, and it names every kind there is. Its code is run by tests/unit/test_documents.py."""

import re
from pathlib import Path

import numpy as np

import linkwork as lw
from linkwork.formats import native_kinds
from linkwork.formats.native_setup import NamedController

PAGE = (Path(__file__).parents[3] / "docs" / "format.md").read_text(encoding="utf-8")


def test_the_example_is_a_mechanism_that_moves():
    text = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL).group(1)
    doc = lw.Document.from_text(text)
    assert doc.text == text
    assert doc.mechanism.notes == ()
    model = doc.mechanism.build()
    state = doc.setup.state(model)
    assert {body.name for body in doc.mechanism.bodies} == {"cart", "pole", "counter weight"}
    assert state.q[model.joint("hinge").q_index] == 0.1 and state.v[model.joint("hinge").v_index] == -0.5
    vdot = lw.forward_dynamics(model, state.q, state.v, np.zeros(model.nv), t=0.5)
    assert abs(vdot[model.joint("rail").v_index][0]) > 0.1  # the motor pulls
    assert doc.setup.integrator == {"kind": "runge-kutta-4", "step": 1e-3}
    assert doc.setup.controllers == {"balance": NamedController("balance", 500.0, {"kp": 30, "kd": 5})}
    assert doc.setup.record == ("q", "v", "energy")


def test_every_kind_is_on_the_page():
    for registry in (native_kinds.JOINTS, native_kinds.CONSTRAINTS, native_kinds.FORCES, native_kinds.SHAPES):
        assert [kind for kind in registry if f"`{kind}`" not in PAGE] == []


def test_setups_take_a_state():
    doc = lw.shipped("double-spherical-pendulum")
    model = doc.mechanism.build()
    state = doc.setup.state(model)
    assert lw.Setup().starting_at(model, state.q, state.v).state(model) == state
    assert lw.Setup().starting_at(model, lw.neutral(model)) == lw.Setup()
