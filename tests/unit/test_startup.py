"""What a start does not wait for: heavy modules that are loaded only where they are used, with the library of compiled kernels and as plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(linkwork.__file__).parents[1]), "LINKWORK_QUIET": "1"}

# Never needed for dynamics, nor for a run without files.
HEAVY = (
    "numba",
    *("argcomplete", "hypothesis", "lxml", "matplotlib", "PIL", "pyarrow", "rich", "scipy", "tomlkit", "viser"),
    *("asyncio", "concurrent.futures", "http", "importlib.metadata", "multiprocessing", "socket", "unittest", "xml"),
    *("numpy.random", "numpy.testing"),
)
# Of Linkwork's own.
PICTURES = ("linkwork.draw", "linkwork.live", "linkwork.studio")
FILES = ("linkwork.formats", "linkwork.simulation", "linkwork.integrators", "linkwork.analysis")
LOOPS = (
    "linkwork.solvers.sparse.driver",
    "linkwork.solvers.delassus.driver",
    "linkwork.parts.constraints.coupling",
    "linkwork.parts.forces.motor",
)

LIBRARIES = Path(linkwork.__file__).parent / "kernels" / "library"
with_library = pytest.mark.skipif(not any(LIBRARIES.glob("*.kernels")), reason="there is no library; make it with: make kernels")

IMPORT = "import linkwork as lw"
TREE = f"""{IMPORT}
m = lw.Mechanism("pendulum")
rod = m.add_body("rod", shape=lw.Box(0.1, 0.02, 0.02), density=1000.0)
m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, rod.at(-0.05, 0, 0))
assert lw.forward_dynamics(m.build(), [0.0], [0.0]).shape == (1,)
"""
FOUR_BAR = f"""{IMPORT}
m = lw.Mechanism("four-bar")
crank, rocker = (m.add_body(name, shape=lw.Box(0.02, 0.02, 0.2), density=1000.0) for name in ("crank", "rocker"))
rod = m.add_body("rod", shape=lw.Box(0.3, 0.02, 0.02), density=1000.0)
turning = lw.Revolute((0, 1, 0))
m.add_joint("a", turning, m.ground, crank.at(0, 0, -0.1))
m.add_joint("b", turning, crank.at(0, 0, 0.1), rod.at(-0.15, 0, 0))
m.add_joint("c", turning, m.ground.at(0.3, 0, 0), rocker.at(0, 0, -0.1))
m.add_joint("d", turning, rocker.at(0, 0, 0.1), rod.at(0.15, 0, 0))
assert lw.simulate(m.build(), 2e-3).status == "finished"
"""
HELP = """
from linkwork.cli.main import main
assert main(["--help"]) == 0
"""


def loaded(code, modules, jit):
    """Which of the modules a fresh interpreter has loaded after the code, or has anything below of."""
    ending = f"""
import sys
after = set(sys.modules)
print("loaded:", *[name for name in {modules!r} if any(m == name or m.startswith(name + ".") for m in after - before)])
"""
    code = f"import sys\nbefore = set(sys.modules)\n{code}{ending}"
    environment = ENVIRONMENT | {"LINKWORK_JIT": jit}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.rpartition("loaded:")[2].split()


@pytest.mark.parametrize("jit", ["0", pytest.param("", marks=with_library)], ids=["plain", "library"])
@pytest.mark.parametrize(
    ("code", "modules"),
    [
        pytest.param(IMPORT, (*HEAVY, *PICTURES, *FILES, *LOOPS, "numpy"), id="import linkwork"),
        pytest.param(TREE, (*HEAVY, *PICTURES, *FILES, *LOOPS), id="forward dynamics of a tree"),
        pytest.param(FOUR_BAR, (*HEAVY, *PICTURES, "linkwork.formats"), id="a four-bar simulated"),
        pytest.param(HELP, (*HEAVY, *PICTURES, *FILES, *LOOPS, "numpy", "dataclasses", "subprocess"), id="linkwork --help"),
    ],
)
def test_a_start_does_not_wait_for(code, modules, jit):
    assert loaded(code, modules, jit) == []


def test_what_is_loaded_is_seen():
    assert loaded("import xml.sax", ("xml", "lxml"), "0") == ["xml"]
