"""What the command line says: messages on stderr, results on stdout as text or as one JSON object."""

import json
import math
import sys


class UsageError(Exception):
    """The command line asks for something that cannot be: exit code 2."""


def say(text):
    """A message for the person, never part of a result."""
    print(text, file=sys.stderr, flush=True)


def remark(options, text):
    """A message that --quiet leaves out."""
    if not getattr(options, "quiet", False):
        say(text)


def answer(options, text, data):
    """The result of a verb: `data` with --json, else the text."""
    if options.json:
        print_json({"ok": True, "command": options.verb, **data})
    elif not getattr(options, "quiet", False):
        print(text)


def print_json(data):
    print(json.dumps(plain(data), ensure_ascii=False, allow_nan=False))


def plain(value):
    """A value as JSON has it: arrays as lists, numbers that are not finite as text ("nan", "inf")."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
