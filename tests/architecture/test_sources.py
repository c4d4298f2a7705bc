"""What every source file keeps to: no host of a package registry, no path of one machine, a length that one can read."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import linkwork
from linkwork.kernel import _KERNEL_SOURCES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "linkwork"
MOST_LINES = 400

# The names are written apart from their endings, so that this file passes its own test.
REGISTRY_HOST = re.compile(r"(?i)\b(pypi|pythonhosted|anaconda|npmjs|yarnpkg|crates|ghcr|quay)\.(org|com|io|net)\b|\bindex[-_]url\b")
MACHINE_PATH = re.compile(r"(?<![\w.:/])/(work|tmp|root|home|opt|mnt|Users)/\w|\b[A-Za-z]:\\+Users\b")


def _text_files(folder):
    return [f for f in sorted(folder.rglob("*")) if f.is_file() and "__pycache__" not in f.parts and f.suffix != ".png"]


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


def test_source_files_can_be_read_in_one_sitting():
    lengths = {str(f.relative_to(ROOT)): len(f.read_text(encoding="utf-8").splitlines()) for f in SOURCE.rglob("*.py")}
    assert lengths
    assert {f: n for f, n in lengths.items() if n >= MOST_LINES} == {}, "a file this long holds two ideas: make it two"


def test_the_version_is_the_same_in_package_and_metadata():
    assert linkwork.__version__ == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def test_every_kernel_is_under_the_cache_stamp():
    """A kernel outside the stamped folders could be inlined into a cached binary that goes stale unnoticed."""
    files = [f.relative_to(SOURCE) for f in SOURCE.rglob("*.py") if _has_kernel(f.read_text(encoding="utf-8"))]
    assert files
    unstamped = [str(f) for f in files if not any(f.is_relative_to(source) for source in _KERNEL_SOURCES)]
    assert unstamped == [], "add the folder to _KERNEL_SOURCES in kernel.py"


def _has_kernel(code):
    decorators = [d for node in ast.walk(ast.parse(code)) for d in getattr(node, "decorator_list", [])]
    return any(getattr(d.func if isinstance(d, ast.Call) else d, "id", None) == "kernel" for d in decorators)


@pytest.mark.parametrize("text", ["https://py" + "pi.org/simple", "files.python" + "hosted.org", "--extra-index" + "-url x"])
def test_a_registry_host_is_found(text):
    assert REGISTRY_HOST.search(text)


@pytest.mark.parametrize("text", ["open('/ho" + "me/ada/x')", "/t" + "mp/x", "# see /wo" + "rk/x", "C:\\Us" + "ers\\ada"])
def test_a_machine_path_is_found(text):
    assert MACHINE_PATH.search(text)


@pytest.mark.parametrize("text", ["forces/work/energy", "a/b", "package://home/x.stl", "https://doi.org/10.1000/root/x", "x / work / y"])
def test_a_harmless_slash_is_left_alone(text):
    assert not MACHINE_PATH.search(text)


@pytest.mark.parametrize(("line", "expected"), [("@kernel", True), ("@kernel(inline=True)", True), ("@property", False), ("", False)])
def test_a_kernel_is_recognised(line, expected):
    assert _has_kernel(f"{line}\ndef f(): ...") is expected
