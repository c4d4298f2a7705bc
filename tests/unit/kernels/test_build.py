"""Compiling: by processes at the same time, into folders that cannot be written to, by versions of Numba; always the same code."""

import shutil
import tomllib

import pytest

from linkwork.kernels import build, loader, store, versions

from .units import FRICTION, PACKAGE, TESTS, TORSION, answer, friction, run, run_script, start, symbol

BUILD = """
import json, sys
from linkwork.kernels.build import build
recipes = json.loads(sys.argv[1])
made = build({symbol: tuple(recipe) for symbol, recipe in recipes}, 1)
from linkwork.kernels.loader import closure
units = [unit for symbol, recipe in recipes for unit in closure(symbol, tuple(recipe))[0]]
print(json.dumps({unit.header["symbol"]: unit.header["sha256"] for unit in units}))
"""
BOTH = [[symbol(TORSION), TORSION], [symbol(FRICTION), FRICTION]]


def as_json(recipes):
    import json

    return json.dumps(recipes)


@pytest.mark.slow
def test_two_processes_build_the_same_at_the_same_time(empty):
    more = {"LINKWORK_CACHE": empty.parent, "LINKWORK_JIT": "1"}  # 1: without the library
    first, second = (start(BUILD, as_json(BOTH), **more) for _ in range(2))
    first, second = answer(first), answer(second)
    assert first == second and len(first) >= 4
    assert {name: store.find(name).header["sha256"] for name in first} == first
    assert {file.suffix for file in empty.iterdir()} == {".unit"}, "nothing is left of writing"


@pytest.mark.slow
def test_code_does_not_depend_on_what_was_compiled_before(empty):
    """A verb that is first met in a kernel of its own, and not in an inline one, was once not inlined in all units that came later."""
    code = """
import base64, json, pickle, sys
from linkwork.kernels import compiler
from linkwork.kernels.build import entries, unit_from
from linkwork.kernels.decorator import kernel
from linkwork.kernels.scalar import sqrt, where, zero
from linkwork.kernels.sources import PACKAGE
entries()
compiler.begin()
from numba import types
@kernel
def direct(array, i) -> float:
    array[i] = where(array[i] > 0.0, sqrt(array[i]), zero(array[i]))
    return array[i]
import hashlib, linkwork.spatial.so3, linkwork.spatial.vectors, linkwork.spatial.inertia
array = types.Array(types.float64, 1, "C")
units = [
    compiler.unit_of(direct, (array, types.int64)),
    *(unit_from(tuple(recipe)) for recipe in json.loads(sys.argv[1])),
]
if sys.argv[2] == "backward":
    units.reverse()
found = {unit.symbol: hashlib.sha256(compiler.object_of(unit)[0]).hexdigest() for unit in units}
print(json.dumps(found))
"""
    more = store_recipes("linkwork.dynamics.joints.block.load_into_block(", "linkwork.dynamics.joints.composite._columns_in_root(")
    recipes = as_json([TORSION, *more])
    forward = run(code, recipes, "forward", PYTHONHASHSEED="1")
    backward = run(code, recipes, "backward", PYTHONHASHSEED="2")
    assert forward == backward and len(forward) == 2 + len(more)


@pytest.mark.slow
def test_all_kernels_are_compiled_with_the_same_options():
    """Verbs inherit options from the kernel that uses them first, so a difference would show in the code of others."""
    code = """
import json
from linkwork.kernels import compiler
from linkwork.kernels.build import entries
from linkwork.kernels.decorator import _KERNELS
entries()
compiler.begin()
found = {str(sorted(compiler.dispatcher_of(kernel).targetoptions.items(), key=str)) for kernel in _KERNELS.values()}
print(json.dumps([len(_KERNELS), len(found)]))
"""
    count, options = run(code, PYTHONHASHSEED="0")
    assert count > 300 and options == 1


def store_recipes(*beginnings):
    """Recipes of units of the library whose symbols begin so."""
    import json

    path = PACKAGE / "kernels" / "library" / f"{store.target().name}.kernels"
    if not path.exists():
        pytest.skip("there is no library; make it with: make kernels")
    index = json.loads(path.read_bytes().split(b"\n", 2)[1])["units"]
    needs = {name: recipe for header in index.values() for name, (_, recipe) in header["needs"].items()}
    return [recipe for name, recipe in sorted(needs.items()) if name.startswith(beginnings)]


@pytest.mark.slow
def test_results_of_the_library_and_of_units_compiled_anew_have_the_same_bits(tmp_path):
    shipped = run_script(["matrix"], LINKWORK_CACHE=tmp_path / "none", LINKWORK_JIT=None)
    anew = run_script(["matrix"], LINKWORK_CACHE=tmp_path / "anew", LINKWORK_JIT="1", LINKWORK_TARGET=store.target().name)
    assert shipped == anew
    assert not (tmp_path / "none").exists() and any((tmp_path / "anew").rglob("*.unit"))


LAW = f"""
import json, sys
sys.path.insert(0, {str(TESTS.parent)!r})
from linkwork.kernels import loader, store
from tests.unit.kernels.units import FRICTION, friction, symbol
answer = friction(loader.require(symbol(FRICTION), FRICTION))
print(json.dumps([answer, store.kept(symbol(FRICTION)) is not None]))
"""


@pytest.fixture
def installation(tmp_path):
    """A copy of the package, without compiled units, into which none can be written: a file stands where their folder would be."""
    package = tmp_path / "installed" / "linkwork"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__compiled__", "library", "__pycache__"))
    (package / "kernels" / "__compiled__").write_text("")
    return package


@pytest.mark.slow
def test_units_of_a_read_only_installation_go_to_the_users_cache(installation, tmp_path):
    right = friction(loader.require(symbol(FRICTION), FRICTION))
    more = {"package": installation, "LINKWORK_CACHE": None, "XDG_CACHE_HOME": None, "HOME": tmp_path / "home"}
    assert run(LAW, **more) == [right, False]
    [file] = (tmp_path / "home" / ".cache" / "linkwork").rglob("*.unit")
    written = file.stat().st_mtime_ns
    assert run(LAW, **more) == [right, False]
    assert file.stat().st_mtime_ns == written, "compiled once"


@pytest.mark.slow
def test_where_nothing_can_be_written_units_are_kept_in_memory(installation, tmp_path):
    right = friction(loader.require(symbol(FRICTION), FRICTION))
    (tmp_path / "home").write_text("")  # a file where a folder should be
    assert run(LAW, package=installation, LINKWORK_CACHE=None, XDG_CACHE_HOME=None, HOME=tmp_path / "home") == [right, True]


@pytest.fixture
def other_numba(monkeypatch):
    """other_numba("0.70.0"): the version of Numba that is said to be installed."""

    def fake(version):
        def found(name):
            if version is None:
                raise versions.metadata.PackageNotFoundError(name)
            return version

        monkeypatch.setattr(versions.metadata, "version", found)
        versions.check_numba.cache_clear()

    yield fake
    versions.check_numba.cache_clear()


@pytest.mark.parametrize(("version", "words"), [("0.99.0", "Numba 0.99.0"), ("0.5", "Numba 0.5"), ("new", "new"), (None, "not installed")])
def test_another_numba_is_refused_before_anything_is_compiled(empty, other_numba, version, words):
    other_numba(version)
    for attempt in (lambda: build.make(FRICTION), lambda: build.build({symbol(FRICTION): FRICTION}), build.check_numba):
        with pytest.raises(versions.CompilerVersionError, match=words) as caught:
            attempt()
        assert f"pip install '{versions.allowed()}'" in str(caught.value)
    assert not empty.exists()


def test_who_asks_for_compiling_is_told_that_there_is_another_way(other_numba, monkeypatch):
    monkeypatch.setenv("LINKWORK_JIT", "1")
    other_numba(None)
    with pytest.raises(versions.CompilerVersionError, match="leave out LINKWORK_JIT=1"):
        versions.check_numba()


def test_another_numba_does_not_matter_where_nothing_is_compiled(other_numba):
    other_numba("0.99.0")
    assert build.build({}) == []
    machine = loader.Engine()
    loader._load(machine, symbol(FRICTION), FRICTION)


@pytest.mark.parametrize("version", ["0.63.1", "0.68.1", "0.68.0rc1"])
def test_tested_versions_are_taken(other_numba, version):
    other_numba(version)
    versions.check_numba()


def test_the_package_asks_for_the_same_versions():
    pyproject = TESTS.parent / "pyproject.toml"
    assert versions.allowed() in tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["dependencies"]


@pytest.mark.slow
def test_a_unit_that_cannot_be_compiled_says_why(empty):
    with pytest.raises(RuntimeError, match="could not be compiled"):
        build.build({"linkwork.nothing()": ("entry", "linkwork.dynamics.forward", "nothing", "")}, 1)
