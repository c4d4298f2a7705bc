"""Switches in the environment: 0, 1, or not set. Anything else is refused when Linkwork is loaded, lest "off" mean on.

LINKWORK_JIT       0: all runs as plain Python; 1: kernels are compiled anew, the built library is left aside (decorator.py, store.py)
LINKWORK_BOUNDS    0: users' functions run without checked indices and arithmetic (user_functions.py)
LINKWORK_QUIET     1: nothing is said while kernels are compiled or pictures drawn (progress.py)
"""

import os

from ..errors import LinkworkError

SWITCHES = ("LINKWORK_JIT", "LINKWORK_BOUNDS", "LINKWORK_QUIET")


class SwitchError(LinkworkError, ValueError):
    """A switch in the environment is neither 0 nor 1."""


def switch(name, default):
    """Is it on? `default`: if it is not set, or empty."""
    found = os.environ.get(name, "")
    if found not in ("", "0", "1"):
        raise SwitchError(f"{name}: found {found!r} in the environment; allowed are 0 and 1; set one of them, or unset it")
    return default if found == "" else found == "1"


def check_switches():
    """Raise SwitchError unless all of them are 0, 1 or not set."""
    for name in SWITCHES:
        switch(name, False)
