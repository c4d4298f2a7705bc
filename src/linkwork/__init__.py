"""Linkwork: an interactive multibody system in Python. Public names only (public.py lists them); see the README for a first look.

Each name is loaded when it is asked for (PEP 562), with the modules that it needs: `import linkwork` alone costs nothing, so that `linkwork --help`
answers at once, and dynamics do not wait for pictures and files.
"""

import sys
from typing import TYPE_CHECKING

from .lazy import guarding

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .public import *  # noqa: F403


def __getattr__(name):
    """A public name, on first use; an ordinary attribute from then on."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    public = import_module(".public", __name__)
    return public.names if name == "__all__" else public.load(name)


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})


# `lw.draw` is a function, and the folder it comes from: the function is meant, whoever imports the folder before.
sys.modules[__name__].__class__ = guarding(frozenset(("draw",)))
