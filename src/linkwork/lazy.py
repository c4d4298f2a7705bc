"""Names of a package that are loaded on first use (PEP 562): who imports a package does not wait for all that is in it.

    __getattr__, __dir__, __all__ = lazily(__name__, {"lock": "Lock", "measure": "Angle Distance"})

What can be called explains misspelt keywords (arguments.py).

The same imports stand beside it under `if TYPE_CHECKING`, for editors and type checkers; tests/unit/test_public.py compares the two.
"""

import sys
from importlib import import_module
from types import ModuleType


def lazily(package, table):
    """(__getattr__, __dir__, __all__) of a package. table: {module below it, by its dotted name: the names it gives, with blanks between}."""
    homes = {name: module for module, names in table.items() for name in names.split()}
    here = sys.modules[package]

    def load(name):
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_meant(name, homes)}")
        from .arguments import explained  # here: a package that is imported alone waits for nothing

        home = import_module(f"{package}.{homes[name]}")
        value = getattr(home, name)
        made = explained(value)
        if made is not value:
            setattr(home, name, made)  # one object under all its names, as pickle wants it
        setattr(here, name, made)  # an ordinary attribute from now on
        return made

    def listed():
        return sorted({*vars(here), *here.__all__})

    hidden = frozenset(homes.keys() & {module.partition(".")[0] for module in table})
    if hidden:
        here.__class__ = guarding(hidden)
    return load, listed, sorted(homes)


def _meant(name, known):
    from .errors import similar

    near = [] if name.startswith("_") else similar(name, known)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def guarding(names):
    """A class of modules in which these names are functions, and not the modules of the same name that they come from, whoever imports those before."""

    class Package(ModuleType):
        def __setattr__(self, name, value):
            if not (name in names and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

    return Package
