"""`linkwork console`: the command language of the erector set on standard input and output."""

import contextlib
import os
import signal
import sys
import threading
import time

import linkwork as lw

from .arguments import files, near, shipped_names
from .messages import UsageError, say

PROMPT = "> "
PATIENCE = 2.0  # s until a second Ctrl-C ends it all
SUFFIXES = (".ves", ".toml")


def add(verbs):
    parser = verbs.add_parser(
        "console",
        help="build and move mechanisms by commands",
        description="The command language of the Virtual Erector Set on standard input and output; `help` in it lists the commands. "
        "Files are read and written in the folder it is started in, nowhere else.",
    )
    file = parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="a script (.ves) to run instead of standard input, or a mechanism to start with: .toml, or a name that `linkwork list` shows",
    )
    file.completer = lambda prefix="", **_: [*(name for name in shipped_names() if name.startswith(prefix)), *files(prefix, SUFFIXES)]
    parser.add_argument("--stay", action="store_true", help="after a script, go on with standard input")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a line had an error")
    parser.add_argument(
        "--ok", action="store_true", help="say `ok` after every line that had none: a program that drives it waits for that"
    )
    parser.set_defaults(run=run)


def run(options):
    from ..studio.console import Console

    console = Console(_opened(options.file), os.getcwd())
    with _interruptible(console):
        if options.file is not None and options.file.lower().endswith(".ves"):
            with _script(options.file) as script:
                console.run(script, sys.stdout, options.ok)
        if options.stay or options.file is None or not options.file.lower().endswith(".ves"):
            console.run(_standard_input(), sys.stdout, options.ok)
    console.close()
    return 1 if options.strict and console.errors else 0


def _opened(name):
    """The mechanism to start with; None for an empty one."""
    if name is None or name.lower().endswith(".ves"):
        return None
    from ..studio.console import live_of

    if not os.path.exists(name) and name in shipped_names():
        return live_of(lw.shipped(name))
    if not name.lower().endswith(".toml"):
        what = "found a file of another kind" if os.path.exists(name) else "there is no such file"
        raise UsageError(f"{name}: {what}; allowed are scripts (.ves), mechanisms (.toml) and names; {near(name, shipped_names())}")
    if not os.path.isfile(name):
        raise UsageError(f"{name}: there is no such file; check the path")
    return live_of(lw.Document.open(name))


def _script(name):
    try:
        return open(name, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{name}: it cannot be read ({error.strerror}); check the path") from None


def _standard_input():
    if sys.stdin.isatty():
        say("linkwork console: help lists the commands, quit ends it")
        return _Typed()
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdin


class _Typed:
    """Lines that a person types, with the editing keys of readline where there is one."""

    def __init__(self):
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - input() uses it once it is loaded

    def readline(self, limit=-1):
        try:
            return input(PROMPT) + "\n"
        except KeyboardInterrupt:  # away with what was typed, as in a shell
            print()
            return "\n"
        except EOFError:
            print()
            return ""


@contextlib.contextmanager
def _interruptible(console):
    """Ctrl-C during `step` ends it where it is and keeps all; otherwise, or if that takes too long, it means what it always does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    first = [0.0]

    def interrupted(number, frame):
        if not console.stepping or (console.stopping and time.monotonic() - first[0] > PATIENCE):
            raise KeyboardInterrupt
        if not console.stopping:
            first[0] = time.monotonic()
        console.stop()

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
