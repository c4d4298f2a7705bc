"""Arguments that several verbs share, and what their values may be."""

import argparse
import math
import os
import re
from pathlib import Path

from ..validation import float_in

PACKAGE = Path(__file__).parents[1]


def add_source(parser):
    """The mechanism: a file, or one that comes with Linkwork."""
    source = parser.add_argument("file", metavar="FILE", help="a mechanism: .toml, .urdf, or a name that `linkwork list` shows")
    source.completer = mechanisms
    parser.add_argument("--floating", action="store_true", help="URDF: let the root link float, instead of welding it to the ground")
    parser.add_argument(
        "--packages", metavar="DIR", action="append", default=[], help="URDF: where package:// names are looked up; repeatable"
    )


def add_json(parser):
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")


def add_quiet(parser):
    parser.add_argument("--quiet", action="store_true", help="print errors only")


def seconds(text):
    """A time above 0."""
    return _seconds(text, lambda time: time > 0.0, "above 0")


def duration(text):
    """A time from 0 on."""
    return _seconds(text, lambda time: time >= 0.0, "from 0 on")


def _seconds(text, fits, allowed):
    time = float_in(text)
    if time is None or not (fits(time) and math.isfinite(time)):
        raise argparse.ArgumentTypeError(f"found {text!r}; allowed is a number of seconds {allowed}")
    return time


def whole(text):
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}; allowed is a whole number") from None


def names(text):
    """Names separated by commas."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"found {text!r}; allowed are names separated by commas, such as q,v,energy")
    return found


def near(name, known):
    """A hint: names that resemble this one, or all of them. known: names, or {what is compared: what is shown}."""
    from ..errors import similar  # imports stand where they are used: --help does not wait for them

    shown = known if isinstance(known, dict) else {word: word for word in known}
    if found := similar(name, shown):
        return f"did you mean {' or '.join(repr(shown[word]) for word in found)}?"
    return f"there are {', '.join(map(repr, shown.values()))}" if shown else "there are none"


# ---- completion in a shell: answers without loading Linkwork


def mechanisms(prefix="", **_):
    """Names of mechanisms that come along, and files and folders that go on from what was typed."""
    return [*(name for name in shipped_names() if name.startswith(prefix)), *files(prefix, (".toml", ".urdf"))]


def shipped_names():
    """Names of mechanisms that come with Linkwork."""
    return sorted(file.stem for file in (PACKAGE / "mechanisms").glob("*.toml"))


def recordings(prefix="", **_):
    """Recordings and folders that go on from what was typed."""
    return files(prefix, (".arrow",))


def scripts(prefix="", **_):
    """Python files and folders that go on from what was typed."""
    return files(prefix, (".py",))


def files(prefix, suffixes):
    folder, start = os.path.split(prefix)
    try:
        entries = [entry for entry in os.scandir(folder or ".") if entry.name.startswith(start)]
    except OSError:
        return []
    found = [entry.name + "/" if entry.is_dir() else entry.name for entry in entries if entry.is_dir() or entry.name.endswith(suffixes)]
    return [os.path.join(folder, name) for name in found]


def integrators(**_):
    """Names of integrators: those that public.py takes from their folder."""
    listed = re.findall(r"^ *from \.integrators\.[\w.]+ import (.+)$", (PACKAGE / "public.py").read_text(encoding="utf-8"), re.MULTILINE)
    classes = [name for names in listed for name in names.split(", ") if name != "Integrator"]
    return [re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])", "-", name).lower() for name in classes]
