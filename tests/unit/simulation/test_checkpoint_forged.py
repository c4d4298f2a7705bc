"""Checkpoints that anybody can write: with a right hash and wrong contents they are refused by a typed error, or run on."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.data.stepper import STATE
from linkwork.simulation.checkpoint import read_checkpoint, write_checkpoint

from . import forged_checkpoints
from .forged_checkpoints import INTEGRATORS, mechanism, settings


@pytest.mark.slow
@pytest.mark.parametrize("which", range(len(INTEGRATORS)))
def test_no_forged_checkpoint_ends_the_interpreter(which):
    """Sixty forgeries for each integrator in a process of its own; thousands: `python -m tests.unit.simulation.forged_checkpoints 1 5000`."""
    command = [sys.executable, "-m", forged_checkpoints.__name__, "7", "60", str(which)]
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LINKWORK_QUIET": "1"})
    assert run.returncode == 0 and "done" in run.stdout, (run.stdout[-500:], run.stderr[-3000:])


def saved(tmp_path, integrator):
    path = tmp_path / "run.ckpt"
    lw.Simulation(mechanism(), integrator, checkpoint=path, **settings(integrator)).run(0.055)
    return path, *read_checkpoint(path)


def take_up(path, integrator):
    return lw.Simulation.resumed(path, mechanism(), integrator, **settings(integrator))


@pytest.mark.slow
def test_a_count_beyond_a_table_is_refused_by_name(tmp_path):
    """Adams' number of remembered evaluations led a kernel beyond its table."""
    integrator = lw.Adams()
    path, arrays, held = saved(tmp_path, integrator)
    fields = ["time", "before", "step", "order", "used", "nodes"]
    arrays["method head"][fields.index("nodes")] = 1e6
    write_checkpoint(path, arrays, held)
    with pytest.raises(lw.FormatError, match=r"head nodes is 1000000\.0; allowed is a whole number from 0 to 15"):
        take_up(path, integrator)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data, arrays: data.pop("time"), "the checkpoint's time is None"),
        (lambda data, arrays: data.update(time="soon"), "the checkpoint's time is 'soon'"),
        (lambda data, arrays: data["method"].update(count=2.5), "the checkpoint's count is 2.5"),
        (lambda data, arrays: data["method"].update(count=10**9), "the checkpoint's time is .* steps from"),
        (lambda data, arrays: data["frames"].update(origin=-1e300), "allowed are samples that differ in time"),
        (lambda data, arrays: data.pop("ledger"), "not understood .KeyError: 'ledger'"),
        (lambda data, arrays: arrays.pop("on"), "the checkpoint's array 'on' is None"),
        (lambda data, arrays: arrays.update(controllers=np.zeros(2)), "other forces, controllers or another solver"),
        (lambda data, arrays: arrays["motion"].fill(np.nan), "the checkpoint's state is"),
    ],
)
def test_a_field_that_is_missing_or_mistyped_is_told(tmp_path, change, said):
    integrator = INTEGRATORS[0]
    path, arrays, held = saved(tmp_path, integrator)
    change(held["data"], arrays)
    write_checkpoint(path, arrays, held)
    with pytest.raises(lw.FormatError, match=said):
        take_up(path, integrator)


def test_a_damaged_text_is_not_repeated_in_the_message(tmp_path):
    path, arrays, held = saved(tmp_path, INTEGRATORS[0])
    held["data"]["model"] = "x" * 100_000
    write_checkpoint(path, arrays, held)
    with pytest.raises(lw.FormatError) as caught:
        take_up(path, INTEGRATORS[0])
    assert len(str(caught.value)) < 1000 and json.dumps(held)


@pytest.mark.parametrize("value", [np.nan, -1.0, 0.5, 1e300])
@pytest.mark.parametrize("name", ["projections", "ambiguous_branch"])
def test_a_count_that_is_no_whole_number_is_refused_by_name(tmp_path, name, value):
    integrator = INTEGRATORS[0]
    path, arrays, held = saved(tmp_path, integrator)
    workspace = lw.Simulation(mechanism(), integrator, **settings(integrator)).system.workspace
    arrays["motion"][sum(getattr(workspace.stepper, other).size for other in STATE[: STATE.index(name)])] = value
    write_checkpoint(path, arrays, held)
    with pytest.raises(lw.FormatError, match=f"motion, {name} is .*; allowed is whole numbers from 0"):
        take_up(path, integrator)


@pytest.mark.parametrize("name", ["matrix h", "last h"])
def test_a_step_of_nothing_is_refused_by_name(tmp_path, name):
    """The matrix of Newton's method was divided by it."""
    integrator = lw.Implicit(step=5e-3)
    path, arrays, held = saved(tmp_path, integrator)
    arrays[f"method {name}"][:] = 0.0
    write_checkpoint(path, arrays, held)
    with pytest.raises(lw.FormatError, match=rf"array '{name}' is 0\.0; allowed is a step beyond 0 s"):
        take_up(path, integrator)


def test_rows_that_there_are_not_are_refused_by_name(tmp_path):
    integrator = lw.Implicit(step=5e-3)
    path, arrays, held = saved(tmp_path, integrator)
    arrays["method matrix rows"][:] = 1000
    write_checkpoint(path, arrays, held)
    with pytest.raises(lw.FormatError, match=r"array 'matrix rows' is \[1000\]"):
        take_up(path, integrator)


@pytest.mark.parametrize("count", [2, 4, 2**40, -1])
def test_a_table_that_is_longer_than_its_numbers_is_refused(tmp_path, count):
    """A law would read beyond them."""
    path, m = tmp_path / "run.ckpt", lw.Mechanism("driven")
    arm = m.add_body("arm", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground, arm)
    m.add_force("given", lw.JointTable((0.0, 0.1, 0.2), (1.0, 2.0, 0.0)), "hinge")
    lw.Simulation(m, INTEGRATORS[0], checkpoint=path).run(0.05)
    arrays, held = read_checkpoint(path)
    assert arrays["parameters"][0] == 3
    arrays["parameters"][0] = count
    write_checkpoint(path, arrays, held)
    with pytest.raises(lw.FormatError, match="array 'parameters' is 'a table of another size'"):
        lw.Simulation.resumed(path, m, INTEGRATORS[0])
