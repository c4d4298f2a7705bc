"""Linkwork: an interactive multibody system in Python. Public names only (public.py lists them); see the README for a first look.

Names are loaded when the first one is asked for (PEP 562): `import linkwork` alone costs nothing, so that `linkwork --help` answers at once.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .public import *  # noqa: F403


def __getattr__(name):
    """A public name, on first use: all of them are loaded, and are ordinary attributes from then on."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    public = import_module(".public", __name__)
    names = [known for known in vars(public) if not known.startswith("_")]
    if name == "__all__":
        return names
    globals().update((known, getattr(public, known)) for known in names)
    if name not in globals():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})


class _Package(ModuleType):
    """`lw.draw` is a function, and the folder it comes from: the function is meant, whoever imports the folder before."""

    def __setattr__(self, name, value):
        if not (name == "draw" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
