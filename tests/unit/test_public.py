"""Public names are loaded on first use, all at once, and are then ordinary attributes."""

import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(lw.__file__).parents[1])}


def seen(code):
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout.split()


def test_import_alone_loads_nothing_and_a_name_loads_all():
    code = "import sys, linkwork as lw; print('numpy' in sys.modules, lw.__version__); lw.Model; print('numpy' in sys.modules, 'Pose' in vars(lw))"
    assert seen(code) == ["False", lw.__version__, "True", "True"]


def test_a_function_is_not_hidden_by_the_folder_of_its_name():
    assert seen("import linkwork.draw.camera, linkwork as lw; print(callable(lw.draw), lw.draw.__name__)") == ["True", "draw"]


def test_no_other_public_name_is_that_of_a_folder():
    folders = {module.name for module in pkgutil.iter_modules(lw.__path__)}
    assert folders & set(lw.__all__) == {"draw"}, "see _Package in linkwork/__init__.py"


def test_all_names_can_be_listed_and_imported():
    names = {}
    exec("from linkwork import *", names)
    assert names["Mechanism"] is lw.Mechanism
    assert set(lw.__all__) <= set(dir(lw))
    assert {"Simulation", "Revolute", "draw", "LinkworkError"} <= set(lw.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'linkwork' has no attribute 'Modell'"):
        lw.Modell  # noqa: B018
    with pytest.raises(ImportError):
        from linkwork import Modell  # noqa: F401
    assert not hasattr(lw, "_nothing")
