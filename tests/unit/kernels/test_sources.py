"""Which units an edit makes stale: those that are made of the file, and no others."""

import json
import shutil
import subprocess
import sys

import pytest

from linkwork.kernels import sources, store
from linkwork.kernels.level import target

from .units import PACKAGE, environment, run

pytestmark = pytest.mark.slow  # processes with copies of the package

STALE = """
import json
from linkwork.kernels import store
from linkwork.kernels.level import target
index, _ = store._library(target().name)
print(json.dumps([len(index), sorted(symbol for symbol in index if store.find(symbol) is None)]))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package with its library, and nothing else compiled."""
    if not (PACKAGE / "kernels" / "library" / f"{target().name}.kernels").exists():
        pytest.skip("there is no library; make it with: make kernels")
    package = tmp_path_factory.mktemp("copy") / "linkwork"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__compiled__", "__pycache__"))
    return package


def after_an_edit(copy, file, tmp_path):
    """(number of units, kernels whose units are stale, what `linkwork kernels info` says) with one line more in a file."""
    path = copy / file
    before = path.read_bytes()
    path.write_bytes(before + b"\n# edited\n")
    try:
        more = {"package": copy, "LINKWORK_CACHE": tmp_path / "none", "LINKWORK_JIT": None, "LINKWORK_TARGET": target().name}
        count, stale = run(STALE, **more)
        command = [sys.executable, "-m", "linkwork", "kernels", "info", "--json"]
        said = json.loads(subprocess.run(command, env=environment(**more), capture_output=True, text=True, check=True).stdout)
    finally:
        path.write_bytes(before)
    return count, set(stale), said


def kernels(symbols):
    return {symbol.partition("(")[0].removeprefix("linkwork.") for symbol in symbols}


def test_an_unchanged_package_has_no_stale_units(copy, tmp_path):
    count, stale, said = after_an_edit(copy, "cli/info.py", tmp_path)
    assert count > 300 and stale == set() and said["missing"] == [] and said["ready"] == count


def test_an_edit_of_a_force_law_makes_its_unit_stale_alone(copy, tmp_path):
    _, stale, said = after_an_edit(copy, "parts/forces/joint_friction.py", tmp_path)
    assert stale == {"linkwork.parts.forces.joint_friction.joint_friction(p,i,p)"} == set(said["missing"])


def test_an_edit_of_a_kernel_spares_those_that_call_it_and_those_that_it_calls(copy, tmp_path):
    count, stale, said = after_an_edit(copy, "dynamics/kinematics.py", tmp_path)
    names = kernels(stale)
    assert {"dynamics.kinematics._poses", "dynamics.kinematics._give_poses"} <= names
    assert set(said["missing"]) <= stale, "what a stale unit calls is not known before it is compiled again"
    assert all(name.startswith("dynamics.kinematics.") for name in names), names
    assert len(stale) < count / 10


def test_an_edit_of_how_addresses_are_called_makes_stale_those_who_call_them(copy, tmp_path):
    count, stale, _ = after_an_edit(copy, "kernels/calling.py", tmp_path)
    assert {
        "integrators.compiled_loop.run_steps",
        "integrators.variational.force_calls.add_forces",
        "dynamics.applied._call_along",
    } <= kernels(stale)
    assert not {name for name in kernels(stale) if name.startswith(("spatial.", "parts."))} and len(stale) < count / 2


def test_an_edit_of_what_is_inline_makes_stale_all_that_it_is_merged_into(copy, tmp_path):
    count, of_aba, _ = after_an_edit(copy, "dynamics/aba.py", tmp_path)
    _, of_vectors, said = after_an_edit(copy, "spatial/vectors.py", tmp_path)
    assert {"dynamics.aba.articulated_bodies"} <= kernels(of_aba)
    assert not {name for name in kernels(of_aba) if name.startswith(("spatial.", "parts.", "analysis."))}
    assert {"dynamics.joints.general.place_general", "dynamics.aba.articulated_bodies", "dynamics.crba.composite_bodies"} <= kernels(
        of_vectors
    )
    assert "parts.forces.joint_friction.joint_friction" not in kernels(of_vectors)
    assert len(of_aba) < len(of_vectors) < count
    assert said["missing"] and set(said["missing"]) <= of_vectors


def test_an_edit_of_the_compiler_makes_all_stale(copy, tmp_path):
    count, stale, _ = after_an_edit(copy, "kernels/compiler.py", tmp_path)
    assert (count, stale) == (0, set()), "the library as a whole is older"


def test_what_all_units_depend_on_is_there():
    for name in sources.FOUNDATION:
        assert (PACKAGE / name).exists(), name
    assert len(sources.foundation_digest()) == 24


def test_every_unit_depends_on_the_file_of_its_kernel():
    index, _ = store._library(target().name)
    for symbol, header in index.items():
        parts = symbol.removeprefix("linkwork.").partition("(")[0].split(".")[:-1]
        if parts[0] != "kernels":
            assert "/".join(parts) + ".py" in header["files"], symbol


def test_functions_merged_into_a_unit_come_from_its_files(empty):
    """The files that are found by reading sources hold all functions that Numba has merged."""
    code = """
import json
from linkwork.kernels import compiler
from linkwork.kernels.build import unit_from
from linkwork.kernels.sources import PACKAGE, files_of
merged = []
optimise = compiler.optimise
def seen(module, machine):
    merged.extend(f.name for f in module.functions if not f.is_declaration)
    return optimise(module, machine)
compiler.optimise = seen
unit = unit_from(("entry", "linkwork.parts.forces.bushing", "bushing", "p i p"))
compiler.object_of(unit)
modules = {"".join(f"{len(p)}{p}" for p in ("linkwork", *f.relative_to(PACKAGE).with_suffix("").parts)): f for f in PACKAGE.rglob("*.py")}
found = {f.relative_to(PACKAGE).as_posix() for name in merged for m, f in modules.items() if name.startswith("_ZN" + m)}
print(json.dumps([sorted(f for f in found if not f.startswith("kernels/")), files_of(unit.kernel)]))
"""
    found, files = run(code)
    assert len(found) > 1 and set(found) <= set(files)
