"""Which source files a unit is made of: its own, and those of everything that is merged into it.

A unit depends on its kernel's file, on the files of inline kernels, plain functions, constants and classes that it uses, and on all that those use
in turn. It does not depend on the files of kernels that it calls by their symbols. All units depend on this folder. So an edit of one kernel makes
its unit, and those that inline it, stale; nothing else.
"""

import ast
import functools
import hashlib
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
MODULE = ""  # the name of a module as a whole
FOUNDATION = (
    "kernels/compiler.py",
    "kernels/annotations.py",
    "kernels/signatures.py",
    "kernels/arguments.py",
    "kernels/scalar.py",
    "kernels/level.py",
    "kernels/records.py",
    "kernels/fields.py",
    "kernels/array_fields.py",
    "kernels/compiled_records.py",
    "kernels/compiled_types.py",
    "kernels/lanes",
)


def files_of(kernel):
    """The files that a kernel's units are made of, relative to the package, the foundation aside; a kernel from elsewhere has its own file alone."""
    file = Path(kernel.py_func.__code__.co_filename)
    if not file.is_relative_to(PACKAGE):
        return (str(file),)
    found: set[tuple[str, str]] = set()
    _collect(file.relative_to(PACKAGE).as_posix(), kernel.py_func.__qualname__, found)
    return tuple(sorted({path for path, _ in found if not path.startswith(FOUNDATION)}))


def _collect(path, name, found):
    """Add (file, name) of what `name`, defined or imported in `path`, is made of."""
    if (path, name) in found:
        return
    table = _table(path)
    if name == MODULE:  # any of what it defines may be used
        for each in table.definitions.keys() - table.called_by_symbol:
            _collect(path, each, found)
        return
    if name in table.imports:
        other, original = table.imports[name]
        if other is not None and not _is_called_by_symbol(other, original):
            _collect(other, original, found)
        return
    if name not in table.definitions:
        return
    found.add((path, name))
    for used in table.definitions[name]:
        if used not in table.called_by_symbol:
            _collect(path, used, found)


def _is_called_by_symbol(path, name):
    table = _table(path)
    if name in table.imports and table.imports[name][0] is not None:
        return _is_called_by_symbol(*table.imports[name])
    return name in table.called_by_symbol


class _Table:
    """What a file defines, with the names that each definition uses, and what it imports from where."""

    def __init__(self, path):
        tree = ast.parse((PACKAGE / path).read_text())
        self.definitions, self.imports, self.called_by_symbol = {}, {}, set()
        verbs = set()  # names used where Numba is told about this file's functions
        for node in tree.body:
            self._imports(node, path)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.definitions[node.name] = _names(node)
                if any(_is_outer_kernel(d) for d in node.decorator_list):
                    self.called_by_symbol.add(node.name)
                if any(isinstance(d, ast.Name) and d.id == "when_compiling" for d in node.decorator_list):
                    verbs |= _names(node)
                    for inner in ast.walk(node):
                        self._imports(inner, path)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    for part in ast.walk(target):
                        if isinstance(part, ast.Name):
                            self.definitions[part.id] = _names(node)
        for name in self.definitions:
            if name not in self.called_by_symbol:
                self.definitions[name] = self.definitions[name] | (verbs & (set(self.definitions) | set(self.imports)))

    def _imports(self, node, path):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = Path(path).parents[node.level - 1]
            base = folder / (node.module or "").replace(".", "/")
            for alias in node.names:
                self.imports[alias.asname or alias.name] = _resolve(base, alias.name)


def _resolve(base, name):
    """(file, name) that an import finds; file None for a module or for something outside the package."""
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if (PACKAGE / candidate).is_file():
            if candidate.name == "__init__.py" and (PACKAGE / base / f"{name}.py").is_file():
                return (base / f"{name}.py").as_posix(), MODULE
            return candidate.as_posix(), name
    return None, name


@functools.cache
def _table(path):
    return _Table(path)


def _names(node):
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _is_outer_kernel(decorator):
    """@kernel or @kernel(...) without inline=True."""
    call = decorator if isinstance(decorator, ast.Call) else None
    name = call.func if call else decorator
    if not (isinstance(name, ast.Name) and name.id == "kernel"):
        return False
    return call is None or not any(k.arg == "inline" and getattr(k.value, "value", False) for k in call.keywords)


@functools.cache
def digest_of(path):
    """Hash of a source file's content, "" where there is none."""
    try:
        return hashlib.blake2b((PACKAGE / path).read_bytes(), digest_size=12).hexdigest()
    except OSError:
        return ""


@functools.cache
def foundation_digest():
    """Hash of what every unit depends on in this folder."""
    total = hashlib.blake2b(digest_size=12)
    for entry in FOUNDATION:
        path = PACKAGE / entry
        for file in [path] if path.suffix else sorted(path.glob("*.py")):
            total.update(file.read_bytes())
    return total.hexdigest()
