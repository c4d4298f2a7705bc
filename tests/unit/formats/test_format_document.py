"""docs/format.md: its example is read, runs, and names every kind there is."""

import re
from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.slow
def test_the_code_of_the_page_runs_on_its_example(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.toml").write_text(re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL).group(1), encoding="utf-8")
    names = {}
    for script in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(script, "docs/format.md", "exec"), names)
    assert "mass = 0.5\n" in (tmp_path / "cart.toml").read_text(encoding="utf-8")
    assert names["m"].constraint("motor").kind.target.function is names["sway"]
    assert "0 s to 3 s" in capsys.readouterr().out
    assert abs(names["sim"].state.q).max() < 1.0  # the controller holds the pole up


def test_setups_take_a_state():
    doc = lw.shipped("double-spherical-pendulum")
    model = doc.mechanism.build()
    state = doc.setup.state(model)
    assert lw.Setup().starting_at(model, state.q, state.v).state(model) == state
    assert lw.Setup().starting_at(model, lw.neutral(model)) == lw.Setup()
