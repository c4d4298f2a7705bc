"""What the documents show runs: the README's script, the examples, and the examples in docstrings."""

import dataclasses
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork

ROOT = Path(__file__).parents[2]
MODULES = [
    m.name
    for m in pkgutil.walk_packages(linkwork.__path__, "linkwork.")
    if re.search(r"^\s*>>> ", Path(importlib.util.find_spec(m.name).origin).read_text(), re.MULTILINE)
]


def test_there_are_examples_in_docstrings():
    assert len(MODULES) >= 5


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    # "from linkwork.formats import read" gives a function: look the module up by its full name instead
    importlib.import_module(name)
    failed, tried = doctest.testmod(sys.modules[name])
    assert tried > 0
    assert failed == 0


def test_the_script_of_the_readme_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL).group(1)
    names = {}
    exec(compile(script, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "shoulder (Revolute) -> upper" in printed
    assert "energy balanced" in printed
    assert names["rec"].status == "finished" and abs(names["rec"].v).max() > 1.0
    assert (tmp_path / "double-pendulum.html").stat().st_size > 10_000


@pytest.mark.parametrize("page", ["README.md", "docs/live.md", "docs/console.md"])
def test_every_snippet_of_a_page_runs(page, capsys, tmp_path, monkeypatch):
    from linkwork.studio.console.table import COMMANDS

    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(COMMANDS, "heaviest", raising=False)  # the command that a page adds is gone afterwards
    scripts, names = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL), {}
    assert scripts
    for script in scripts:
        exec(compile(script, page, "exec"), names)
    COMMANDS.pop("heaviest", None)
    printed = capsys.readouterr().out
    if page == "README.md":
        assert "0 degrees of freedom" in printed and "3 of the 5 constraints of 'top'" in printed and "lost in the blow" in printed


PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("papers/*.md")))
SHOWN = ("utils.py", "first.py", "balance.py", "NNNN-a-short-name.md")  # files that pages speak of and that are not there


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])  # which tells of what was
def test_what_a_page_names_is_there(page):
    """Links, files, public names, and options of the command."""
    text, here = (ROOT / page).read_text(encoding="utf-8"), (ROOT / page).parent
    links = [link for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) if not link.startswith("http")]
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.*") if not {".venv", ".git"} & set(path.parts)}
    named = set(re.findall(r"`([\w/.-]+\.(?:py|js|toml|md|ves))`", text)) - set(SHOWN)
    options = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", "\n".join(re.findall(r"linkwork \w+[^\n`|]*", text))))
    assert [link for link in links if not (here / link).exists()] == []
    assert [name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []
    assert [name for name in set(re.findall(r"\blw\.([A-Za-z_]\w*)", text)) if not hasattr(linkwork, name)] == []
    assert options <= _options() | {"--write"}


def _options():
    """Every option that some verb of the command takes."""
    from linkwork.cli.parser import make_parser

    verbs = next(action.choices for action in make_parser()._actions if action.dest == "verb")
    return {"--help", "--version"}.union(*(parser._option_string_actions for parser in verbs.values()))


@pytest.mark.slow
def test_the_first_look_runs_and_ends():
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "00_first_look.py"],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert "humanoid" in done.stdout
    assert "Dynamics on one core" in done.stdout


@pytest.mark.slow
def test_the_code_of_the_page_on_simulation_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(compile(first, "docs/simulation.md", "exec"), names)
    assert names["rec"].status == "finished" and (tmp_path / "run.arrow").exists()
    exec(compile(second, "docs/simulation.md", "exec"), names)
    assert len(names["sim"].events) > 0


@pytest.mark.slow
def test_the_code_of_the_page_on_forces_runs():
    names = {}
    for script in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "forces.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(script, "docs/forces.md", "exec"), names)
    m = names["m"]
    assert m.faults() == [] and m.force("hold").kind == names["cubic"](k=8.0)
    assert names["controllers"][0].numbers() == (30.0, 5.0, 2.0, 0.0)


def test_the_page_on_forces_names_every_kind():
    page = (ROOT / "docs" / "forces.md").read_text(encoding="utf-8")
    kinds = [name for name in linkwork.parts.forces.__all__ if getattr(getattr(linkwork, name), "law", None)]
    assert len(kinds) > 15 and [name for name in kinds if f"`{name}(" not in page] == []


@pytest.mark.slow
def test_the_code_of_the_page_on_constraints_runs_and_says_what_it_says(capsys):
    names = {}
    for script in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "constraints.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(script, "docs/constraints.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "6 degrees of freedom here" in printed  # two bars
    assert "12 freedoms of the tree, 6 constraints" in printed and "energy balanced" in printed
    rec = names["rec"]
    assert rec["slide"][-1] == pytest.approx(0.3, abs=1e-9) and rec["spindle"][-1] == pytest.approx(
        -0.012, abs=1e-9
    )  # the tolerance of gaps
    assert names["mobility"].dof == 3 and "1 of the 4 constraints of 'leg 0', 'leg 1', 'leg 2' and 'leg 3'" in printed
    weight = 600.0 * 0.05 * 9.81
    assert (
        sum(abs(float(found) - weight / 4) < 0.006 for found in re.findall(r"~([\d.]+)", printed)) == 4
    )  # a quarter each, printed to 0.01 N


def test_the_page_on_constraints_names_every_kind_with_its_fields():
    page = (ROOT / "docs" / "constraints.md").read_text(encoding="utf-8")
    kinds = [getattr(linkwork, name) for name in linkwork.parts.constraints.__all__ if name != "ConstraintKind"]
    signs = [f"`{kind.__name__}({', '.join(field.name for field in dataclasses.fields(kind))})`" for kind in kinds]
    assert len(kinds) == 20 and [sign for sign in signs if sign not in page] == []
