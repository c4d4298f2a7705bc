"""Public names are loaded on first use, each with what it needs, and are then ordinary attributes."""

import ast
import importlib
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


def test_import_alone_loads_nothing_and_a_name_what_it_needs():
    code = """
import sys, linkwork as lw
print('numpy' in sys.modules, lw.__version__)
lw.Model
print('numpy' in sys.modules, 'Model' in vars(lw), 'linkwork.draw.show' in sys.modules)
"""
    assert seen(code) == ["False", lw.__version__, "True", "True", "False"]


def test_a_function_is_not_hidden_by_the_folder_of_its_name():
    assert seen("import linkwork.draw.camera, linkwork as lw; print(callable(lw.draw), lw.draw.__name__)") == ["True", "draw"]


def test_a_function_of_a_package_is_not_hidden_by_its_module_either():
    code = "import linkwork.parts.controller, linkwork.formats.read, linkwork as lw; print(lw.parts.controller is lw.controller, callable(lw.formats.read))"
    assert seen(code) == ["True", "True"]


def test_no_other_public_name_is_that_of_a_folder():
    folders = {module.name for module in pkgutil.iter_modules(lw.__path__)}
    assert folders & set(lw.__all__) == {"draw"}, "see `guarding` in linkwork/__init__.py"


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


@pytest.mark.parametrize("package", ["parts", "parts.constraints", "parts.forces", "parts.joints", "model", "spatial", "formats", "public"])
def test_type_checkers_see_the_names_that_are_handed_out(package):
    """Each table of names has its imports under TYPE_CHECKING: the same names from the same modules."""
    module = importlib.import_module(f"linkwork.{package}")
    blocks = [node for node in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body if isinstance(node, ast.If)]
    (block,) = [node for node in blocks if ast.unparse(node.test) == "TYPE_CHECKING"]
    shown = set()
    for line in block.body:
        source = importlib.import_module("." * line.level + line.module, module.__package__)
        names = [alias.name for alias in line.names]
        names = source.__all__ if names == ["*"] else names
        shown |= {(name, id(getattr(source, name))) for name in names}
    names, owner = (module.names, lw) if package == "public" else (module.__all__, module)
    assert shown == {(name, id(getattr(owner, name))) for name in names}


def test_a_new_law_is_found_by_its_file(tmp_path):
    law = "from linkwork.parts.forces.joint_damper import JointDamper\nclass Newest(JointDamper): pass\n"
    (tmp_path / "newest.py").write_text(law, encoding="utf-8")
    code = f"""
import importlib.util, sys
import linkwork.parts
folder = linkwork.__path__[0] + "/parts/forces"
spec = importlib.util.spec_from_file_location("linkwork.parts.forces", folder + "/__init__.py", submodule_search_locations=[folder, {str(tmp_path)!r}])
sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print("Newest" in module.__all__, module.Newest.__module__)
"""
    assert seen(code) == ["True", "linkwork.parts.forces.newest"]
