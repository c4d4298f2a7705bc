"""Motions with contact by plain Python (LINKWORK_JIT=0) are those of compiled kernels, which are the same source."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.kernels import JIT

from .plain_contact import motions

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_motions_with_contact_are_those_of_their_plain_source():
    if not JIT:
        pytest.skip("this is the plain run itself")
    environment = os.environ | {"LINKWORK_JIT": "0", "PYTHONPATH": os.pathsep.join([str(Path(lw.__file__).parents[1]), str(ROOT)])}
    command = [sys.executable, "-m", "tests.laws.plain_contact"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    plain, compiled = pickle.loads(done.stdout), motions()
    for name, state in compiled.items():
        # Compiled code fuses multiplications with additions; impacts of a tumbling brick amplify the difference.
        assert plain[name] == pytest.approx(state, abs=1e-9), name
