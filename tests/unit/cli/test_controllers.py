"""`linkwork run --controllers`, `--solver`, `--drift`: the Python that a person names, and how loops are solved."""

import sys

import numpy as np
import pytest

import linkwork as lw

BRAKE = """\
from beside import HALF

def brake(t, q, v, gain=2.0):
    return -2.0 * HALF * gain * v
"""


@pytest.fixture
def braked(pendulum):
    """The pendulum with a controller that its file names; its function stands in brakes.py, which needs a module beside it."""
    said = '\n[controller.hold]\nfunction = "brake"\nrate = 100\nparameters.gain = 5.0\n'
    pendulum.write_text(pendulum.read_text(encoding="utf-8") + said, encoding="utf-8")
    (pendulum.parent / "brakes.py").write_text(BRAKE, encoding="utf-8")
    (pendulum.parent / "beside.py").write_text("HALF = 0.5\n", encoding="utf-8")
    return pendulum


@pytest.mark.slow
def test_the_functions_of_a_python_file_control_the_run(call, braked):
    out = braked.parent / "run.arrow"
    done = call("run", braked, "--controllers", braked.parent / "brakes.py", "--out", out)
    assert done.code == 0, done.err
    assert str(braked.parent) not in sys.path  # only while it was loaded
    sampled = lw.controller(lambda t, q, v, gain: -gain * v, rate=100.0)
    again = lw.Simulation(lw.read(braked), q=[0.5], v=[1.0], record_interval=0.05, controllers=[sampled(gain=5.0)]).run(0.5)
    # The same numbers, up to how each function was compiled.
    np.testing.assert_allclose(lw.Recording.load(out).q, again.q, atol=1e-12)
    free = lw.Simulation(lw.read(braked), q=[0.5], v=[1.0], record_interval=0.05).run(0.5)
    assert abs(free.q[-1, 0] - again.q[-1, 0]) > 0.1


def test_without_controllers_the_error_says_how(call, braked):
    done = call("run", braked)
    assert done.code == 2
    assert "'hold'" in done.err
    assert "give --controllers FILE.py, a Python file with def brake(t, q, v, gain): ..." in done.err


def test_check_says_how_to_run_it(call, braked):
    assert "run it with --controllers FILE.py" in call("check", braked).out


def test_a_file_names_no_code_itself(call, braked):
    sys.modules.pop("beside", None)
    braked.write_text(braked.read_text(encoding="utf-8").replace('"brake"', '"brakes.brake"'), encoding="utf-8")
    done = call("run", braked)
    assert done.code == 2
    assert "beside" not in sys.modules  # nothing was loaded


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("def brakes(t, q, v): return -v\n", 2, "no function is called 'brake'; did you mean 'brakes'?"),
        ("import numpy\n1 / 0\n", 1, "line 2: ZeroDivisionError: division by zero"),
        ("def brake(:\n", 1, "SyntaxError: invalid syntax (mine.py, line 1)"),
        ("import sys\nsys.exit(0)\n", 1, "line 2: SystemExit: 0"),
        ("import nothing_of_that_name\n", 1, "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("def brake(t, q, v): return -v\n", 1, "controller 'hold': no parameter is called 'gain'"),
        ("def brake(t, q, v, gain, bias): return -v\n", 1, "its function needs 'bias', which has no default"),
        ("brake = 3\n", 1, "controller: what it decorates is 3"),
    ],
)
def test_python_that_does_not_do(call, braked, text, code, message):
    script = braked.parent / "mine.py"
    script.write_text(text, encoding="utf-8")
    done = call("run", braked, "--controllers", script)
    assert done.code == code
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_paths_and_modules_that_are_not_there(call, braked, pendulum):
    done = call("run", braked, "--controllers", "nowhere.py")
    assert (done.code, "there is no such file; check the path" in done.err) == (2, True)
    done = call("run", braked, "--controllers", "no_such_module")
    assert (done.code, "no module of that name is installed" in done.err) == (2, True)
    done = call("run", braked, "--controllers", "json")
    assert (done.code, "no function is called 'brake'" in done.err) == (2, True)


def test_controllers_for_a_mechanism_without_any_are_refused(call, pendulum):
    done = call("run", pendulum, "--controllers", "json")
    assert done.code == 2
    assert "names no controllers" in done.err


def test_solver_and_drift_stand_above_the_file(call, tmp_path):
    short = ("run", "four-bar", "--duration", "0.05", "--quiet", "--record", "q,gaps")
    found = {}
    for solver, drift in (("articulated", "none"), ("sparse", "project")):
        out = tmp_path / f"{solver}.arrow"
        assert call(*short, "--solver", solver, "--drift", drift, "--out", out).code == 0
        found[solver] = lw.Recording.load(out)
    loose, held = found["articulated"], found["sparse"]
    # Both integrate the same motion; only the projected one stays on the constraints to the last digits.
    np.testing.assert_allclose(loose.q, held.q, atol=1e-6)
    assert not np.array_equal(loose.q, held.q)
    assert held["gaps"][:, 0].max() <= 1e-10


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--solver", "dense"), "--solver: found 'dense'; there are 'auto', 'articulated', 'sparse'"),
        (("--drift", "prject"), "--drift: found 'prject'; did you mean 'project'?"),
    ],
)
def test_unknown_solvers_and_drifts_are_wrong_usage(call, option, said):
    done = call("run", "four-bar", *option)
    assert done.code == 2
    assert said in done.err
