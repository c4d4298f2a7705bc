"""For which level a process works: the highest that the machine has and for which a fresh library is there."""

import shutil

import pytest

from linkwork.kernels import store
from linkwork.kernels.level import target, target_named, targets_of_host
from linkwork.kernels.sources import digest_of

from .units import PACKAGE, TESTS, run

FILE = "dynamics/aba.py"
V4, V3, V1 = TARGETS = tuple(target_named(f"linux-{level}") for level in ("x86-64-v4", "x86-64-v3", "x86-64"))


@pytest.fixture
def library(empty):
    """library(target, **more): write one of a single unit; more: what its header says else."""

    def packed(target, **more):
        header = {"symbol": "linkwork.a(i)", "returns": "none", "needs": {}, "libc": [], "files": {FILE: digest_of(FILE)}, "seconds": 0.1}
        store.write(header, bytes(300), target.name)
        path = store.pack(["linkwork.a(i)"], target.name)
        index, objects = store._opened(path.read_bytes())
        index["units"]["linkwork.a(i)"] |= more
        path.write_bytes(store._sealed(index) + bytes(objects))
        store._library.cache_clear()
        return path

    return packed


STALE = {"files": {FILE: "0" * 24}}


def test_without_a_library_it_is_the_machines_own_level(empty):
    assert store.best(TARGETS) == V4 and store.best((V3, V1)) == V3


def test_a_lower_level_that_is_there_comes_before_a_higher_one_that_is_not(library):
    library(V3)
    assert store.best(TARGETS) == V3
    library(V1)
    assert store.best(TARGETS) == V3
    library(V4)
    assert store.best(TARGETS) == V4
    assert store.best((V3, V1)) == V3, "a level that the machine does not have is not asked for"
    assert store.best((V1,)) == V1


def test_a_stale_library_comes_after_a_fresh_one_and_before_none(library):
    library(V4, **STALE)
    assert store.best(TARGETS) == V4
    library(V3)
    assert store.best(TARGETS) == V3
    library(V3, **STALE)
    assert store.best(TARGETS) == V4
    assert store.best((V3, V1)) == V3


def test_a_library_cut_short_is_not_fresh(library):
    library(V3)
    path = library(V4)
    path.write_bytes(path.read_bytes()[:-1])
    store._library.cache_clear()
    assert store.best(TARGETS) == V3
    path.write_bytes(path.read_bytes()[:200])
    store._library.cache_clear()
    assert store.best(TARGETS) == V3


def test_a_library_of_another_foundation_is_as_if_it_were_not_there(library, monkeypatch):
    library(V3)
    monkeypatch.setattr(store, "foundation_digest", lambda: "other")
    store._library.cache_clear()
    assert store.best(TARGETS) == V4


def test_jit_1_leaves_libraries_aside(library, monkeypatch):
    library(V3)
    monkeypatch.setenv("LINKWORK_JIT", "1")
    store._library.cache_clear()
    assert store.best(TARGETS) == V4


def test_linkwork_target_comes_first(library, monkeypatch):
    library(V3)
    monkeypatch.setenv("LINKWORK_TARGET", "darwin-aarch64")
    assert target.__wrapped__() == target_named("darwin-aarch64")
    monkeypatch.delenv("LINKWORK_TARGET")
    if V3 in targets_of_host():
        assert target.__wrapped__() == V3


PACK = f"""
import json, sys
sys.path.insert(0, {str(TESTS.parent)!r})
from linkwork.kernels import store
from linkwork.kernels.build import make
from tests.unit.kernels.units import FRICTION, symbol
make(FRICTION)
print(json.dumps(str(store.pack([symbol(FRICTION)], store.target().name))))
"""
USE = f"""
import json, sys
sys.path.insert(0, {str(TESTS.parent)!r})
from linkwork.kernels import loader, level
from tests.unit.kernels.units import FRICTION, friction, symbol
answer = friction(loader.require(symbol(FRICTION), FRICTION))
print(json.dumps([level.target().name, level.lanes(), answer, "numba" in sys.modules]))
"""


@pytest.mark.slow
@pytest.mark.skipif(len(targets_of_host()) < 2, reason="this machine has one level only")
def test_where_only_a_lower_level_is_installed_nothing_is_compiled(tmp_path):
    """A machine with AVX-512 and a wheel for AVX2 compiled everything again."""
    package = tmp_path / "installed" / "linkwork"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__compiled__", "library", "__pycache__"))
    lower = targets_of_host()[1]
    run(PACK, package=package, LINKWORK_TARGET=lower.name, LINKWORK_CACHE=tmp_path / "built", LINKWORK_JIT=None)
    more = {"package": package, "LINKWORK_TARGET": None, "LINKWORK_JIT": None, "LINKWORK_CACHE": tmp_path / "cache"}
    name, lanes, answer, numba = run(USE, **more)
    assert (name, lanes, numba) == (lower.name, lower.level.lanes, False) and any(answer)
    assert not (tmp_path / "cache").exists()
