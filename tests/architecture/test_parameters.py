"""No function takes more than eight parameters without a reason written beside it: beyond that, a record is mostly missing."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "linkwork"
MOST = 8
REASON = re.compile(r"#\s*parameters:\s*\S")
# Files and folders that are not looked at, and why.
EXEMPT: dict[str, str] = {}


def _parameters(node):
    """The names of all parameters, self or cls of a method left out; * and ** count as one each."""
    names = node.args
    more = [arg for arg in (names.vararg, names.kwarg) if arg is not None]
    found = [arg.arg for arg in (*names.posonlyargs, *names.args, *names.kwonlyargs, *more)]
    return found[1:] if found[:1] in (["self"], ["cls"]) else found


def _has_reason(node, lines):
    """Is the reason on the line above the function and its decorators, or between there and its first statement?"""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return any(REASON.search(line) for line in lines[max(first - 2, 0) : max(node.lineno, node.body[0].lineno - 1)])


def wide_functions(text):
    """(line, name, how many) of the functions in a source text that take too many parameters and give no reason."""
    lines = text.splitlines()
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [
        (node.lineno, node.name, len(_parameters(node)))
        for node in functions
        if len(_parameters(node)) > MOST and not _has_reason(node, lines)
    ]


def _is_exempt(file):
    name = file.relative_to(SOURCE).as_posix()
    return any(name == each or name.startswith(f"{each}/") for each in EXEMPT)


def test_no_function_is_wide_without_a_reason():
    found = [
        f"{file.relative_to(SOURCE)}:{line}: {name} takes {count}"
        for file in sorted(SOURCE.rglob("*.py"))
        if not _is_exempt(file)
        for line, name, count in wide_functions(file.read_text(encoding="utf-8"))
    ]
    assert not found, (
        f"functions of more than {MOST} parameters; put those that belong together into a record or an options object, split the function, "
        "or write the reason on the line above it, '# parameters: ...':\n" + "\n".join(found)
    )


def test_every_exemption_names_something():
    assert [name for name in EXEMPT if not (SOURCE / name).exists()] == []


NINE = "a, b, c, d, e, f, g, h, i"


@pytest.mark.parametrize(
    "text",
    [
        f"def wide({NINE}): pass",
        f"async def wide({NINE}): pass",
        "def wide(a, b, c, d, /, e, f, *, g, h, i): pass",
        "def wide(a, b, c, d, e, f, g, *h, **i): pass",
        f"class A:\n    def wide(self, {NINE}): pass",
        f"def outer():\n    def wide({NINE}): pass",
        f"# why not\ndef wide({NINE}): pass",
        f"# parameters:\ndef wide({NINE}): pass",
        f"# parameters: of another\n\ndef wide({NINE}): pass",
        f"def wide({NINE}):\n    x = 1\n    # parameters: too late\n    pass",
    ],
)
def test_a_wide_function_is_found(text):
    assert [(name, count) for _, name, count in wide_functions(text)] == [("wide", 9)]


@pytest.mark.parametrize(
    "text",
    [
        "def good(a, b, c, d, e, f, g, h): pass",
        "class A:\n    def good(self, a, b, c, d, e, f, g, h): pass",
        f"# parameters: arrays reach it one by one\ndef good({NINE}): pass",
        f"# parameters: arrays reach it one by one\n@kernel(\n    entry=''\n)\ndef good({NINE}): pass",
        f"def good({NINE}):  # parameters: arrays reach it one by one\n    pass",
        f"def good({NINE}): pass  # parameters: arrays reach it one by one",
        f"def good(  # parameters: arrays reach it one by one\n    {NINE}\n):\n    pass",
    ],
)
def test_few_parameters_and_reasons_are_left_alone(text):
    assert wide_functions(text) == []
