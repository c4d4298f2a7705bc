"""`linkwork console`: by pipe, with a script, with a mechanism; its exit codes; Ctrl-C."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src"
SCRIPT = "ib ball ; one body\nsb ball -vl 1 0 0\nsstepsize .5\ndraw bolio\nstep 2\n"


@pytest.fixture
def typed(monkeypatch, tmp_path):
    """A function that puts lines on standard input, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def put(text):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))

    put("")
    return put


def test_commands_by_pipe_and_poses_back(call, typed):
    typed(SCRIPT)
    done = call("console")
    assert done.code == 0
    assert done.out.splitlines() == [
        "frame 1 0.5 1",
        "pose ball 0.5 0 0 1 0 0 0",
        "frame 2 1 1",
        "pose ball 1 0 0 1 0 0 0",
        "time 1",
    ]
    assert done.err == ""


def test_a_script_runs_and_ends_or_stays(call, typed, tmp_path):
    (tmp_path / "ball.ves").write_text(SCRIPT, encoding="utf-8")
    typed("rtime\n")
    assert call("console", "ball.ves").out.splitlines()[-1] == "time 1"
    typed("rtime\n")
    assert call("console", "ball.ves", "--stay").out.splitlines()[-2:] == ["time 1", "time 1"]


def test_errors_are_lines_and_the_exit_code_tells_of_them_when_strict(call, typed):
    typed("ib a\nib a\nrtime\n")
    done = call("console")
    assert done.code == 0
    assert done.out.splitlines()[0].startswith("error: there is already a body 'a'")
    typed("ib a\nib a\nrtime\n")
    assert call("console", "--strict").code == 1
    typed("ib a\n")
    assert call("console", "--strict").code == 0


def test_ok_marks_the_end_of_every_answer(call, typed):
    typed("ib a\npb\nx\n")
    lines = call("console", "--ok").out.splitlines()
    assert lines[0] == "ok"
    assert lines[1].startswith("body a ")
    assert lines[2] == "ok"
    assert lines[3].startswith("error: no command is called 'x'")


def test_a_mechanism_to_start_with(call, typed, pendulum):
    typed("pl\n")
    assert call("console", pendulum).out.startswith("link pin Revolute ground rod -s 0 1 0 0 0 0 -q 0.5 -qdot 1 ")


@pytest.mark.parametrize(
    ("file", "said"),
    [("nothing.toml", "no such file"), ("nothing.ves", "cannot be read"), ("arm.urdf", "no such file; allowed are scripts")],
)
def test_wrong_files_are_wrong_usage(call, typed, file, said):
    done = call("console", file)
    assert done.code == 2
    assert said in done.err


@pytest.mark.slow
def test_another_program_drives_it_and_ctrl_c_stops_a_step_without_losing_anything(tmp_path):
    """Line by line through pipes: each answer is there before the next command is sent."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "LINKWORK_QUIET": "1", "PYTHONUNBUFFERED": "0"}
    process = subprocess.Popen(
        [sys.executable, "-m", "linkwork", "console", "--ok"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment,
    )

    def ask(line):
        process.stdin.write(line + "\n")
        process.stdin.flush()
        answers = []
        while not answers or not (answers[-1] == "ok" or answers[-1].startswith("error:")):
            answers.append(process.stdout.readline().rstrip("\n"))
            assert answers[-1], "it ended"
        return answers

    try:
        assert ask("ib ball") == ["ok"]
        assert ask("sb ball -vl 1 0 0") == ["ok"]
        assert ask("draw bolio") == ["ok"]
        process.stdin.write("step 100000000\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("frame 1 ")
        process.send_signal(signal.SIGINT)
        lines = []
        while not lines or lines[-1] != "ok":
            lines.append(process.stdout.readline().rstrip("\n"))
        assert lines[-3].startswith("stopped ")
        stopped = float(lines[-2].removeprefix("time "))
        pose, ok = ask("pb ball")
        assert float(pose.split("-t ")[1].split()[0]) == pytest.approx(stopped, rel=1e-6)
        process.stdin.close()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
