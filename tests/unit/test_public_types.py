"""Every public name says what it takes and gives, and mypy checks the modules that define public names strictly."""

import inspect
import os
import tomllib
from functools import cached_property
from pathlib import Path

import pytest

import linkwork as lw

ROOT = Path(__file__).parents[2]
STRICT = ("disallow_untyped_defs", "disallow_incomplete_defs", "disallow_any_generics", "disallow_untyped_decorators", "check_untyped_defs")


def plain(function):
    """The Python function behind one that is public: functions bound to models are C functions (kernels/bound.py) that know theirs."""
    function = getattr(function, "__func__", function)
    function = getattr(getattr(function, "__self__", None), "function", function)
    return inspect.unwrap(function)


def callables(thing):
    """(name below it, Python function) of a public function, or of what a public class and its bases in the package define for people."""
    if not isinstance(thing, type):
        yield "", plain(thing)
        return
    for cls in thing.__mro__:
        if not cls.__module__.startswith("linkwork."):
            continue
        for name, member in vars(cls).items():
            if name.startswith("_") and name not in ("__init__", "__new__", "__call__", "__getitem__"):
                continue
            if isinstance(member, property):
                found = [one for one in (member.fget, member.fset) if one is not None]
            elif isinstance(member, cached_property):
                found = [member.func]
            else:
                found = [plain(member)]
            # What a dataclass or a NamedTuple makes has no file of ours.
            yield from ((f"{cls.__name__}.{name}", one) for one in found if inspect.isfunction(one) and _is_ours(one))


def _is_ours(function):
    return os.path.abspath(function.__code__.co_filename).startswith(str(Path(lw.__file__).parent))


def missing(function):
    """What of a function has no annotation: parameters, but self and cls, and what it returns."""
    names = [*inspect.signature(function).parameters]
    if names[:1] in (["self"], ["cls"]):
        del names[0]
    return [name for name in (*names, "return") if name not in function.__annotations__]


@pytest.mark.parametrize("name", lw.__all__)
def test_a_public_name_says_what_it_takes_and_gives(name):
    thing = getattr(lw, name)
    found = {below or name: lacking for below, function in callables(thing) if (lacking := missing(function))}
    assert found == {}, "annotate these: ArrayLike for arrays that come in, NDArray[np.float64] for those that go out"


def test_what_is_not_annotated_is_found():
    class Thing:
        def __init__(self, a, b: int): ...

    assert missing(Thing.__init__) == ["a", "return"]
    assert [name for name, _ in callables(lw.forward_dynamics)] == [""]
    assert "q" in inspect.signature(plain(lw.forward_dynamics)).parameters
    assert {"Live.advance", "Undoing.undo", "Live.time"} <= {below for below, _ in callables(lw.Live)}


def test_mypy_is_strict_where_public_names_are_defined():
    overrides = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["overrides"]
    strict = {module for entry in overrides if all(entry.get(flag) for flag in STRICT) for module in entry["module"]}
    homes = {getattr(lw, name).__module__ for name in lw.__all__}
    bases = {cls.__module__ for name in lw.__all__ for cls in getattr(getattr(lw, name), "__mro__", ())}
    needed = {module for module in homes | bases if module.startswith("linkwork.")}
    assert needed - strict == set(), "add these to the strict modules of mypy in pyproject.toml"
    gone = {module for module in strict if not list((ROOT / "src").glob(module.replace(".", "/") + "*"))}
    assert gone == set(), "these strict modules of mypy do not exist any more"


def test_type_checkers_are_told_that_the_package_is_annotated():
    assert (Path(lw.__file__).parent / "py.typed").is_file()
