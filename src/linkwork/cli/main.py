"""`main`: from arguments to an exit code. Errors of Linkwork are one clean message; a traceback means a fault of Linkwork itself."""

import os
import sys
import warnings

import linkwork as lw

from .messages import UsageError, print_json, say
from .parser import WrongUsage, make_parser


def main(argv=None) -> int:
    """Run a command line, by default that of this process; returns the exit code."""
    parser = make_parser()
    argv = sys.argv[1:] if argv is None else argv
    try:
        options = parser.parse_args(argv)
    except WrongUsage as refused:  # it has been said; a program that asked for JSON gets it as JSON
        if "--json" in argv:
            print_json({"ok": False, "command": argv[0], "error": refused.text})
        return 2
    except SystemExit as leaving:  # argparse has shown what was asked for
        return int(leaving.code or 0)
    if options.verb is None:
        parser.print_help(sys.stderr)
        return 2
    with warnings.catch_warnings():
        warnings.showwarning = _warner(options)
        return _guarded(options)


def entry():
    """What the command `linkwork` calls."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(make_parser())
    sys.exit(main())


def _guarded(options):
    """Run the verb; what goes wrong becomes a message and an exit code."""
    try:
        code = options.run(options)
        sys.stdout.flush()
        return code
    except UsageError as error:
        return _refused(options, error, 2)
    except BrokenPipeError:
        # Whoever read our output has seen enough. What Python would still flush at the end goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _refused(options, "interrupted by the keyboard", 1)
    except (lw.LinkworkError, OSError, MemoryError) as error:
        return _refused(options, error, 1)


def _refused(options, error, code):
    text = str(error) or type(error).__name__
    say(f"linkwork {options.verb}: error: {text}")
    if getattr(options, "json", False):
        print_json({"ok": False, "command": options.verb, "error": text})
    return code


def _warner(options):
    """Warnings as lines of ours: where in the source they arise means nothing here."""

    def show(message, category, filename, lineno, file=None, line=None):
        if not getattr(options, "quiet", False):
            say(f"linkwork {options.verb}: warning: {message}")

    return show
