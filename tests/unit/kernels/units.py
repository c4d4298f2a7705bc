"""What tests of compiled units share: small units of the package, and processes of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import linkwork

PACKAGE = Path(linkwork.__file__).parent
TESTS = Path(__file__).parents[2]

# A force law without callees, and one that calls two units of spatial/so3.py.
FRICTION = ("entry", "linkwork.parts.forces.joint_friction", "joint_friction", "p i p")
TORSION = ("entry", "linkwork.parts.forces.torsion_spring", "torsion_spring", "p i p")


def symbol(recipe):
    return f"{recipe[1]}.{recipe[2]}({recipe[3].replace(' ', ',')})"


def environment(package=PACKAGE, **more):
    """That of a process which finds the package there; names with None are left out."""
    given = {**os.environ, "PYTHONPATH": str(Path(package).parent), "LINKWORK_QUIET": "1", **more}
    return {name: str(value) for name, value in given.items() if value is not None}


def start(code, *arguments, **more):
    """A process that runs Python code."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(process):
    """The last line that a process printed, from JSON."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def run(code, *arguments, **more):
    return answer(start(code, *arguments, **more))


def run_script(names, **more):
    """tests/without_numba.py in a process of its own."""
    command = [sys.executable, str(TESTS / "without_numba.py"), *names]
    return answer(subprocess.Popen(command, env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))


def friction(address):
    """The law of FRICTION, called by its address, for some numbers."""
    import ctypes

    import numpy as np

    given, numbers, out = np.array([0.3, 0.7, 0.0, 0.0]), np.array([2.0, 1.5, 0.1, 0.3, 0.2, 0.1]), np.zeros(8)
    law = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(address)
    law(given.ctypes.data, numbers.ctypes.data, out.ctypes.data)
    return out.tolist()
