"""One small mechanism for all tests of the command line, so that its kernels are compiled once; and a way to call the command line."""

import json
from typing import NamedTuple

import pytest

from linkwork.cli.main import main

PENDULUM = """\
# A rod on a pin, with something to forget: a frame and a spare body.
linkwork = 1
name = "rod"

[body.rod]
mass = 2.0
com = [0, 0, -0.5]
inertia = [0.2, 0.2, 0.01]

[frame.tip]
on = "rod"
xyz = [0, 0, -1]

[joint.pin]
kind = "revolute"
axis = [0, 1, 0]
damping = 0.1
parent = "ground"
child = "rod"

[initial]
q.pin = 0.5
v.pin = 1.0

[simulation]
duration = 0.5
record_interval = 0.05
"""


class Done(NamedTuple):
    """What a command line left: exit code, text on stdout and on stderr."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        """stdout as the one JSON object that it must be."""
        assert len(self.out.splitlines()) == 1
        return json.loads(self.out)


@pytest.fixture
def pendulum(tmp_path):
    """The path of the file."""
    path = tmp_path / "rod.toml"
    path.write_text(PENDULUM, encoding="utf-8")
    return path


@pytest.fixture
def call(capsys):
    """A function that runs a command line in this process."""

    def called(*argv):
        capsys.readouterr()
        code = main([str(word) for word in argv])
        return Done(code, *capsys.readouterr())

    return called
