"""The table of what each joint kind answers (dynamics/joints/__init__.py) is that of the code."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from linkwork.dynamics import joints
from linkwork.model import tables

FOLDER = Path(joints.__file__).parent
ASKED = (
    "joint",
    "row_propagation",
    "composite",
    "sparse",
    "closing",
    "variational",
    "coordinates",
)  # files of questions; others hold answers
WORDS = {"here", "caller", "nobody asks"}
NO_QUESTIONS = {"joint.rates_of", "sparse.wrench_of", "sparse.set_wrench", "sparse.lane_of_wrench"}  # depend on no joint

HEAD, *ROWS = [re.split(r"  +", line.strip()) for line in joints.ANSWERS.strip().splitlines()]
FUNCTIONS = {
    path.stem: {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
    for path in FOLDER.glob("*.py")
}


def called_by(module, name, known=()):
    """All names that a function calls, itself or through functions of this folder."""
    found = set()
    for node in ast.walk(FUNCTIONS[module][name]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = node.func.id
            found.add(called)
            for other in [module] if called in FUNCTIONS[module] else FUNCTIONS:
                if called in FUNCTIONS[other] and (other, called) not in known:
                    found |= called_by(other, called, (*known, (module, name), (other, called)))
    return found


def test_the_table_has_a_column_for_every_kind():
    """Kinds are the numbers of model/tables.py; a new one is missed here."""
    line = next(line for line in Path(tables.__file__).read_text().splitlines() if re.match(r"AXIAL\b.* = range\(", line))
    assert HEAD == ["question", *(word.lower() for word in re.findall(r"[A-Z]+", line.partition("=")[0]))]


def test_every_question_has_a_row():
    """All functions that a file of questions offers, in its order."""
    offered = [f"{file}.{name}" for file in ASKED for name in FUNCTIONS[file] if not name.startswith("_")]
    assert [row[0] for row in ROWS] == [question for question in offered if question not in NO_QUESTIONS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_kind_answers_every_question(row):
    """An answer is a function that the question calls, or one of three words."""
    (module, question), answers = row[0].split("."), row[1:]
    assert len(answers) == len(HEAD) - 1, f"{row[0]}: {len(answers)} answers for {len(HEAD) - 1} kinds"
    assert hasattr(importlib.import_module(f"{joints.__name__}.{module}"), question)
    called = called_by(module, question)
    for kind, answer in zip(HEAD[1:], answers, strict=True):
        if answer not in WORDS:
            for name in answer.split(", "):
                assert name in called, f"{row[0]} of {kind}: {name!r} is not called by it; it calls {sorted(called)}"
    source = ast.unparse(FUNCTIONS[module][question])
    if "here" in answers and len(set(answers)) > 1:
        assert re.search(r"\b(AXIAL|BALL|FREE|CUSTOM)\b", source), f"{row[0]}: no kind is answered in it"
