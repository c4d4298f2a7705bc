"""What the tables of records say of themselves: fields with a meaning, and writers that exist."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import linkwork
from linkwork.kernels.records import Record

SOURCE = Path(linkwork.__file__).parent
OTHERS = {"caller", "the user's function", "nobody"}  # who writes a field, if no function of the package does


def _functions():
    """The names of all functions of modules, not of classes nor within functions."""
    trees = (ast.parse(path.read_text()) for path in SOURCE.rglob("*.py"))
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}


def _records():
    """All records that modules of geometry, data, dynamics, solvers and integrators declare."""
    for package in ("geometry", "data", "dynamics", "solvers", "integrators"):
        for module in pkgutil.iter_modules([str(SOURCE / package)], f"linkwork.{package}."):
            importlib.import_module(module.name)
    found, new = [], [Record]
    while new:
        new = [kind for parent in new for kind in parent.__subclasses__() if kind.__module__.startswith("linkwork.")]
        found += new
    return sorted(found, key=lambda kind: (kind.__module__, kind.__name__))


FUNCTIONS = _functions()
RECORDS = _records()


def test_there_are_records_to_look_at():
    assert len(RECORDS) > 40


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_writer_of_a_field_exists(record):
    """`by` names functions of the package, or one of a few words for what the package does not write."""
    for name, field in record.fields.items():
        for writer in filter(None, re.split(", *", field.by)):
            assert writer in OTHERS or writer in FUNCTIONS, (
                f"{record.__name__}.{name}: {writer!r} writes it, which is no function of the package"
            )
