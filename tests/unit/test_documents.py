"""What the documents show is true: their Python, their commands, the examples, the examples in docstrings, and every name, file and option."""

import dataclasses
import doctest
import importlib
import os
import pkgutil
import re
import signal
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


PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("papers/*.md")))
SHOWN = ("utils.py", "first.py", "balance.py", "NNNN-a-short-name.md")  # files that pages speak of and that are not there


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def snippets(page, language):
    """The fenced blocks of a page that are in this language."""
    return [text for name, text in re.findall(r"^```(\w*)\n(.*?)^```$", text_of(page), re.DOTALL | re.MULTILINE) if name == language]


def pages_with(language):
    return [page for page in PAGES if snippets(page, language)]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A working directory with the files that snippets read: the mechanism shown in docs/format.md, its controller, and the examples."""
    (mechanism,) = snippets("docs/format.md", "toml")
    controller = next(text for text in snippets("docs/format.md", "python") if text.startswith("def balance"))
    for name in ("cart.toml", "balance.toml"):
        (tmp_path / name).write_text(mechanism, encoding="utf-8")
    (tmp_path / "balance.py").write_text(controller.split("\n\n\n")[0], encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def readme_is_true(names, printed, desk):
    assert "shoulder (Revolute) -> upper" in printed and "energy balanced" in printed
    assert names["rec"].status == "finished" and abs(names["rec"].v).max() > 1.0
    assert (desk / "double-pendulum.html").stat().st_size > 10_000
    assert "0 degrees of freedom" in printed and "3 of the 5 constraints of 'top'" in printed
    assert re.search(r"add joint 'glue', [\d.]+ J lost", printed)
    assert "glue" not in [joint.name for joint in names["live"].mechanism.joints]  # undone


def page_on_simulation_is_true(names, printed, desk):
    assert names["rec"].status == "finished" and (desk / "run.arrow").exists()
    assert len(names["sim"].events) > 0


def page_on_forces_is_true(names, printed, desk):
    m = names["m"]
    assert m.faults() == [] and m.force("hold").kind == names["cubic"](k=8.0)
    assert names["controllers"][0].numbers() == (30.0, 5.0, 2.0, 0.0)


def page_on_constraints_is_true(names, printed, desk):
    assert "6 degrees of freedom here" in printed  # two bars
    assert "12 freedoms of the tree, 6 constraints" in printed and "energy balanced" in printed
    rec, tolerance = names["rec"], 1e-9  # of loops closed to 1e-10
    assert rec["slide"][-1] == pytest.approx(0.3, abs=tolerance) and rec["spindle"][-1] == pytest.approx(-0.012, abs=tolerance)
    assert names["mobility"].dof == 3 and "1 of the 4 constraints of 'leg 0', 'leg 1', 'leg 2' and 'leg 3'" in printed
    quarter = 600.0 * 0.05 * 9.81 / 4
    assert sum(abs(float(found) - quarter) < 0.006 for found in re.findall(r"~([\d.]+)", printed)) == 4  # printed to 0.01 N


def page_on_contact_is_true(names, printed, desk):
    assert "PairInfo(a='table', b='cup'" in printed and "joint 'hinge' joins them" in printed and "\nNone\n" in printed
    assert len(names["found"]) == 5 and "vertex -x -y -z" in printed
    touch = names["touch"]
    assert touch.n.tolist() == [0, 0, 1] and touch.approach == 1.0 and touch.sliding.tolist() == [-0.5, 0, 0]


def page_on_files_is_true(names, printed, desk):
    assert "energy balanced" in printed and "0 s to 3 s" in printed
    assert abs(names["sim"].state.q).max() < 1.0  # the controller holds the pole up
    assert "mass = 0.5" in (desk / "cart.toml").read_text() and "# about the centre of mass" in (desk / "cart.toml").read_text()
    assert names["m"].constraint("motor").kind.target.function is names["sway"]


def page_on_the_console_is_true(names, printed, desk):
    assert names["console"].live.poses()["bob"].translation == pytest.approx([0, 0, -1])
    assert names["console"].execute("heaviest") == ["body bob"]


def page_on_the_scene_is_true(names, printed, desk):
    assert names["live"].time == pytest.approx(1.0) and names["scene"].under((0.0, -5.0, 0.0), (0.0, 1.0, 0.0)) is not None


TRUTHS = {
    "README.md": readme_is_true,
    "docs/simulation.md": page_on_simulation_is_true,
    "docs/forces.md": page_on_forces_is_true,
    "docs/constraints.md": page_on_constraints_is_true,
    "docs/contact.md": page_on_contact_is_true,
    "docs/format.md": page_on_files_is_true,
    "docs/console.md": page_on_the_console_is_true,
    "docs/scene.md": page_on_the_scene_is_true,
}


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("python"))
def test_the_python_of_a_page_runs_and_does_what_the_page_says(page, desk, capsys):
    """In the order of the page, one snippet going on where the one before ended."""
    from linkwork.studio.console.table import COMMANDS

    names, known = {}, set(COMMANDS)
    try:
        for script in snippets(page, "python"):
            exec(compile(script, page, "exec"), names)
        TRUTHS.get(page, lambda *_: None)(names, capsys.readouterr().out, desk)
    finally:
        for name in set(COMMANDS) - known:  # commands that a page adds
            del COMMANDS[name]


def test_pages_on_users_tasks_have_snippets():
    tasks = (
        "README.md",
        *(f"docs/{name}.md" for name in ("simulation", "forces", "constraints", "contact", "format", "live", "console", "scene")),
    )
    assert [page for page in tasks if page not in pages_with("python")] == []
    assert [page for page in ("command-line", "console", "studio") if f"docs/{page}.md" not in pages_with("sh")] == []


def environment_with_the_command(folder):
    """That of a shell that finds `linkwork` on its path."""
    (folder / "bin").mkdir()
    script = folder / "bin" / "linkwork"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m linkwork "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    paths = {"PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)}
    return os.environ | paths | {"LINKWORK_QUIET": "1", "DISPLAY": "", "WAYLAND_DISPLAY": ""}


def run_studio(line, environment):
    """A studio is started, prints its address, and is asked to end."""
    words = f"exec {line.split('#')[0]} --no-browser --port 0"
    with subprocess.Popen(["bash", "-c", words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline().startswith("http://")
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("sh"))
def test_every_command_of_a_page_runs(page, desk, tmp_path_factory):
    environment = environment_with_the_command(tmp_path_factory.mktemp("command"))
    (desk / "arm.toml").write_text(linkwork.to_toml(linkwork.shipped("arm").mechanism), encoding="utf-8")
    lines = [line for text in snippets(page, "sh") for line in text.splitlines()]
    for line in lines:
        if line.startswith("linkwork studio"):
            run_studio(line, environment)
            continue
        done = subprocess.run(
            ["bash", "-c", line], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0 and "error" not in done.stdout + done.stderr, f"{line}\n{done.stdout}{done.stderr}"
        for path in re.findall(r"--(?:out|plot|animate|picture) (\S+)", line):
            assert (desk / path).stat().st_size > 0, line


@pytest.mark.parametrize("page", pages_with("ves"))
def test_every_console_session_of_a_page_runs(page, desk):
    from linkwork.studio.console import Console

    for session in snippets(page, "ves"):
        console = Console(folder=".")
        said = [answer for line in session.splitlines() for answer in console.execute(line)]
        assert said and not any(line.startswith("error:") for line in said), said


@pytest.mark.parametrize("page", [page for page in PAGES if not page.startswith("docs/papers/")])
def test_no_code_of_a_page_is_out_of_reach_of_these_tests(page):
    """Code stands in fences that name a language: what is indented, or in a fence without, is neither Python nor a command of Linkwork."""
    text = re.sub(r"^```(?:python|sh|ves|toml)\n.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"^```\w+$", text, re.MULTILINE) in ([], ["```markdown"])
    assert (
        re.findall(
            r"^ *(?:import|from|def|linkwork|lw\.) ?\w.*$",
            "\n".join(re.findall(r"^```\n.*?^```$|^    .*$", text, re.DOTALL | re.MULTILINE)),
            re.MULTILINE,
        )
        == []
    )


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])  # which tells of what was
def test_what_a_page_names_is_there(page):
    """Links, files, public names, and options of the command."""
    text, here = text_of(page), (ROOT / page).parent
    links = [link for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) if not link.startswith("http")]
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.*") if not {".venv", ".git"} & set(path.parts)}
    named = set(re.findall(r"`([\w/.-]+\.(?:py|js|toml|md|ves))`", text)) - set(SHOWN)
    options = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", "\n".join(re.findall(r"linkwork \w+[^\n`|]*", text))))
    assert [link for link in links if not (here / link).exists()] == []
    assert [name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []
    assert [name for name in set(re.findall(r"\blw\.([A-Za-z_]\w*)", text)) if not hasattr(linkwork, name)] == []
    assert options <= {"--help", "--version", "--write"}.union(*(parser._option_string_actions for parser in _verbs().values()))
    assert set(re.findall(r"`linkwork ([a-z]+)", text)) <= set(_verbs())
    assert set(re.findall(r"(?:`|^)make ([a-z]+)", text, re.MULTILINE)) <= set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))


def _verbs():
    """The parser of each verb of the command."""
    from linkwork.cli.parser import make_parser

    return next(action.choices for action in make_parser()._actions if action.dest == "verb")


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


def test_the_page_on_forces_names_every_kind():
    page = text_of("docs/forces.md")
    kinds = [name for name in linkwork.parts.forces.__all__ if getattr(getattr(linkwork, name), "law", None)]
    assert len(kinds) > 15 and [name for name in kinds if f"`{name}(" not in page] == []


def test_the_page_on_constraints_names_every_kind_with_its_fields():
    page = text_of("docs/constraints.md")
    kinds = [getattr(linkwork, name) for name in linkwork.parts.constraints.__all__ if name != "ConstraintKind"]
    signs = [f"`{kind.__name__}({', '.join(field.name for field in dataclasses.fields(kind))})`" for kind in kinds]
    assert len(kinds) == 20 and [sign for sign in signs if sign not in page] == []
