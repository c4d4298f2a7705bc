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
    """A kernel outside the stamped folders could be inlined into a cached binary that goes stale unnoticed.

    It is stamped with all of them and with its own file (kernel._stamp_for). So it may stand alone: call kernels of stamped folders and of its own
    file, and be called by kernels of its own file only.
    """
    codes = {str(f.relative_to(SOURCE)): f.read_text(encoding="utf-8") for f in SOURCE.rglob("*.py")}
    assert any(_kernels(code) for code in codes.values())
    assert _stale(codes) == [], "add the folder to _KERNEL_SOURCES in kernel.py, or let the file stand alone"


def _kernels(code):
    """Names of the kernels that a file defines."""
    functions = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)]
    marks = {f.name: [getattr(d.func if isinstance(d, ast.Call) else d, "id", None) for d in f.decorator_list] for f in functions}
    return {name for name, mark in marks.items() if "kernel" in mark}


def _stale(codes):
    """Imports by which a kernel outside the stamped folders gets into the binary of another file. codes: {path in the package: code}"""
    kernels = {path: _kernels(code) for path, code in codes.items()}
    alone = [path for path in codes if kernels[path] and not any(Path(path).is_relative_to(source) for source in _KERNEL_SOURCES)]
    found = []
    for path, code in codes.items():
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and node.level:
                module = "/".join([*Path(path).parts[: -node.level], *(node.module or "").split(".")]).strip("/")
                names = {name.name for name in node.names}
                kernels_of = kernels[f"{module}.py"] if f"{module}.py" in alone else set()
                taken = {*(names & kernels_of), *(name for name in names if f"{module}/{name}.py" in alone)}
                found += [f"{path} imports {name} of {module}" for name in sorted(taken)]
    return found


@pytest.mark.parametrize(
    ("importing", "bites"),
    [
        ("from .own import _inner", True),
        ("from ..analysis.own import _inner", True),
        ("from .own import use", False),
        ("import math", False),
    ],
)
def test_a_kernel_that_is_used_elsewhere_without_a_stamp_is_found(importing, bites):
    own = "@kernel\ndef _inner(x):\n    return x\n\n\ndef use(x):\n    return _inner(x)\n"
    other = f"{importing}\n\n\n@kernel\ndef outer(x):\n    return x\n"
    codes = {"analysis/own.py": own, "analysis/other.py": other}
    assert bool(_stale(codes)) == bites


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
    assert bool(_kernels(f"{line}\ndef f(): ...")) is expected
