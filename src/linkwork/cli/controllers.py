"""`--controllers`: the Python functions that a file of the native format names as controllers.

A file holds no code and names no place where code is: only the person who types the command says which Python is run.
"""

import importlib.machinery
import importlib.util
import os
import sys
import traceback

import linkwork as lw

from .messages import UsageError


def controllers_of(setup, given):
    """{function name: function} for all controllers of a Setup, from what --controllers names; `given` is None where it is not there."""
    needed = {said.function: (name, _form(said)) for name, said in setup.controllers.items()}
    if given is None:
        if needed:
            raise UsageError(_missing_text(setup))
        return {}
    if not needed:
        raise UsageError(f"--controllers {given}: the mechanism names no controllers ([controller.NAME] in its file); leave it out")
    module = _loaded(given)
    known = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
    for function, (name, form) in needed.items():
        if not hasattr(module, function):
            hint = lw.UnknownNameError("function", function, known)
            raise UsageError(f"--controllers {given}: {hint}; controller {name!r} of the mechanism needs it: {form}")
    return {function: getattr(module, function) for function in needed}


def _missing_text(setup):
    names = ", ".join(map(repr, setup.controllers))
    forms = dict.fromkeys(_form(said) for said in setup.controllers.values())
    return (
        f"the mechanism has controllers ({names}), whose functions a file cannot hold; give --controllers FILE.py, "
        f"a Python file with {' and '.join(forms)}"
    )


def _form(said):
    """How the function of a controller begins, with the parameters that the file gives it."""
    return f"def {said.function}({', '.join(('t', 'q', 'v', *said.parameters))}): ..."


def _loaded(given):
    """The module in a file, loaded as Python would load a script; or one that is installed, by its name."""
    is_file = given.endswith(".py") or os.path.sep in given or os.path.exists(given)
    if is_file and not os.path.isfile(given):
        raise UsageError(f"--controllers {given}: there is no such file; check the path")
    try:
        return _from_file(given) if is_file else importlib.import_module(given)
    except ModuleNotFoundError as error:
        if not is_file and error.name is not None and given.startswith(error.name):
            raise UsageError(
                f"--controllers {given}: there is no such file, and no module of that name is installed; give the path of a Python file"
            ) from None
        raise _failed(given, error) from error
    except (Exception, SystemExit) as error:  # whatever a user's file does
        raise _failed(given, error) from error


def _from_file(path):
    path = os.path.abspath(path)
    name = f"linkwork_controllers_{os.path.splitext(os.path.basename(path))[0]}"  # no name of a module that it might itself import
    spec = importlib.util.spec_from_file_location(name, path, loader=importlib.machinery.SourceFileLoader(name, path))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    folder = os.path.dirname(path)
    sys.path.insert(0, folder)  # what stands beside it can be imported
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module


def _failed(given, error):
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = "" if isinstance(error, SyntaxError) else f"{os.path.basename(last.filename)}, line {last.lineno}: "
    return lw.ModelError(f"--controllers {given}: it failed while it was loaded ({where}{type(error).__name__}: {error}); correct it")
