"""The command line as a process: start-up, pipes, signals, and a run that is killed."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import linkwork as lw

SOURCE = Path(__file__).parents[3] / "src"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(SOURCE), "LINKWORK_QUIET": "1"}
PATIENCE = 300  # s; a first run compiles


def command(*words):
    return [sys.executable, "-m", "linkwork", *map(str, words)]


def run(*words, **more):
    return subprocess.run(command(*words), env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=False, **more)


def test_help_and_version_answer_at_once():
    """Without loading Numba or NumPy; measured as time of the processor, which a busy machine does not stretch."""
    for words in (["--help"], ["--version"], ["run", "--help"]):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = run(*words)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        assert done.returncode == 0
        assert spent < 0.5
    assert run("--version").stdout == f"linkwork {lw.__version__}\n"
    seen = "import sys, linkwork.cli.main as m; m.main(['--help']); print({'numba', 'numpy', 'linkwork.public'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", seen], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_the_entry_point_is_the_same_function():
    import tomllib

    from linkwork.cli.main import entry

    scripts = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts == {"linkwork": "linkwork.cli.main:entry"}
    assert callable(entry)


def test_a_reader_that_leaves_early_is_no_error():
    with subprocess.Popen(command("list"), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(PATIENCE) == 0


def test_a_shell_completes_words(tmp_path):
    line, answers = "linkwork run four", tmp_path / "answers"
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_STDOUT_FILENAME": str(answers)}
    subprocess.run([sys.executable, "-m", "linkwork"], env=ENVIRONMENT | asked | {"IFS": "\n"}, timeout=PATIENCE, check=False)
    assert answers.read_text().split() == ["four-bar"]


def started(checkpoint, *words):
    """A run with checkpoints, once the first of them is there, or once it has ended."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # Who is started in the background of a shell ignores Ctrl-C, and so would this one.
    heed = {} if sys.platform == "win32" else {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    process = subprocess.Popen(command(*words), env=ENVIRONMENT, **pipes, **heed)
    until = time.monotonic() + PATIENCE
    while not checkpoint.exists() and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.005)
    return process


def killed(words, checkpoint):
    """Kill a run after its first checkpoint; False if it had ended before, on a machine that is fast."""
    process = started(checkpoint, *words, "--checkpoint", checkpoint, "--checkpoint-every", "0.01")
    process.kill()
    _, err = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), err
    return process.returncode != 0


@pytest.mark.slow
def test_a_killed_run_resumes_and_ends_bit_equal(pendulum, tmp_path):
    for duration in (2, 20, 200, 2000, 20_000):  # longer until the run is caught: how long it takes is up to the machine
        checkpoint, out = tmp_path / f"run-{duration}.lw", tmp_path / "run.arrow"
        words = ["run", pendulum, "--duration", duration, "--record-interval", "0.05"]
        if killed(words, checkpoint):
            break
    else:
        pytest.fail(f"a run of {duration} s had ended before its first checkpoint was seen")
    assert checkpoint.exists()
    resumed = run(*words, "--checkpoint", checkpoint, "--resume", "--json", "--out", out)
    assert resumed.returncode == 0, resumed.stderr
    whole = run(*words, "--json")
    assert json.loads(resumed.stdout)["digest"] == json.loads(whole.stdout)["digest"]
    recording = lw.Recording.load(out)
    assert len(recording) == 20 * duration + 1
    assert recording.status == "finished"
    assert recording.audit.steps == 1000 * duration


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
def test_an_interrupted_run_saves_what_it_has(pendulum, tmp_path):
    checkpoint, out = tmp_path / "run.lw", tmp_path / "run.csv"
    words = ["run", pendulum, "--duration", "1e6", "--record-interval", "0.5", "--checkpoint", checkpoint, "--checkpoint-every", "0.05"]
    process = started(checkpoint, *words, "--out", out)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "interrupted at" in err
    assert "Traceback" not in err
    assert len(out.read_text().splitlines()) > 1
