"""What every source file keeps to: no host of a package registry, no path of one machine; who may know the compiler."""

import re
import tomllib
from pathlib import Path

import pytest

import linkwork

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "linkwork"

# The names are written apart from their endings, so that this file passes its own test.
REGISTRY_HOST = re.compile(r"(?i)\b(pypi|pythonhosted|anaconda|npmjs|yarnpkg|crates|ghcr|quay)\.(org|com|io|net)\b|\bindex[-_]url\b")
MACHINE_PATH = re.compile(r"(?<![\w.:/])/(work|tmp|root|home|opt|mnt|Users)/\w|\b[A-Za-z]:\\+Users\b")

COMPILER = re.compile(r"^\s*(from|import) ([\w., ]+, *)?(numba|llvmlite)\b|import_module\(\W*(numba|llvmlite)\b|\bnumba_ready\b")


def _text_files(folder):
    return [f for f in sorted(folder.rglob("*")) if f.is_file() and f.suffix not in (".png", ".pyc", ".unit", ".kernels", ".nbi", ".nbc")]


def _all_text_files():
    folders = [ROOT / name for name in ("src", "tests", "docs", "examples", "benchmarks", ".ci")]
    return [ROOT / "Makefile", ROOT / "pyproject.toml", *ROOT.glob("*.md"), *(f for d in folders if d.is_dir() for f in _text_files(d))]


def _hits(pattern, files):
    return [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_registry_host():
    assert _hits(REGISTRY_HOST, _all_text_files()) == []


def test_no_source_names_a_path_of_one_machine():
    assert _hits(MACHINE_PATH, _text_files(SOURCE)) == []


def test_the_version_stands_in_one_place_and_the_changelog_begins_with_it():
    """`## 0.1.0 - unreleased`, or the date of its release in place of the last word."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/linkwork/__init__.py"
    first = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE).group(1)
    assert re.fullmatch(re.escape(linkwork.__version__) + r"( - \d{4}-\d{2}-\d{2}| - unreleased)", first), first


def test_numba_and_llvmlite_are_known_to_one_folder():
    """Their internals change from version to version: whatever touches them stands in kernels/. An import counts wherever it stands."""
    inside = SOURCE / "kernels"
    files = sorted(SOURCE.rglob("*.py"))
    assert _hits(COMPILER, [f for f in files if not f.is_relative_to(inside)]) == []
    assert _hits(COMPILER, [f for f in files if f.is_relative_to(inside)]) != []


@pytest.mark.parametrize(
    "text",
    ["import numba", "    from numba.extending import overload", "\timport llvmlite.binding as llvm", "import os, numba", "numba_ready()"],
)
def test_an_import_of_the_compiler_is_found(text):
    assert COMPILER.search(text)


@pytest.mark.parametrize("text", ["from ..kernels import kernel", "import numbers", "# import of numba", "from .numba_free import x"])
def test_another_import_is_left_alone(text):
    assert not COMPILER.search(text)


@pytest.mark.parametrize("text", ["https://py" + "pi.org/simple", "files.python" + "hosted.org", "--extra-index" + "-url x"])
def test_a_registry_host_is_found(text):
    assert REGISTRY_HOST.search(text)


@pytest.mark.parametrize("text", ["open('/ho" + "me/ada/x')", "/t" + "mp/x", "# see /wo" + "rk/x", "C:\\Us" + "ers\\ada"])
def test_a_machine_path_is_found(text):
    assert MACHINE_PATH.search(text)


@pytest.mark.parametrize("text", ["forces/work/energy", "a/b", "package://home/x.stl", "https://doi.org/10.1000/root/x", "x / work / y"])
def test_a_harmless_slash_is_left_alone(text):
    assert not MACHINE_PATH.search(text)


def test_kinds_of_joints_are_known_where_joints_answer_and_nowhere_else():
    """Algorithms ask a joint (dynamics/joints); models are built with kinds (model); no other folder compares them."""
    kinds = re.compile(r"\b(AXIAL|BALL|FREE|CUSTOM)\b")
    allowed = ("dynamics/joints/", "model/", "parts/", "formats/")  # parts and formats have words of their own that are spelled alike
    found = [
        f"{name}:{number}: {line.strip()}"
        for file in sorted(SOURCE.rglob("*.py"))
        if not (name := file.relative_to(SOURCE).as_posix()).startswith(allowed)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if kinds.search(line.split("#")[0]) and "constraints.kind" not in line
    ]
    assert found == []
