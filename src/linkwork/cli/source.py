"""FILE on the command line: a mechanism and its setup, from a file or from those that come with Linkwork."""

import os
from typing import NamedTuple

import linkwork as lw

from .arguments import near
from .messages import UsageError

SUFFIXES = (".toml", ".urdf")


class Source(NamedTuple):
    """A mechanism with its setup (initial state, settings of a run), and what it is called in messages."""

    label: str
    mechanism: "lw.Mechanism"
    setup: "lw.Setup"


def load(options) -> Source:
    """What FILE and its options name. A file that exists comes before a name of Linkwork's own."""
    name = options.file
    suffix = os.path.splitext(name)[1].lower()
    if not os.path.exists(name) and suffix not in SUFFIXES:
        return _shipped(name, options)
    _refuse_missing(name)
    if suffix == ".arrow":
        raise UsageError(
            f"{name}: this is a recording; a mechanism is needed here (.toml, .urdf); `linkwork plot` and `linkwork info` show recordings"
        )
    if suffix == ".toml":
        _refuse_urdf_options(name, options)
        document = lw.Document.open(name)
        return Source(name, document.mechanism, document.setup)
    mechanism = lw.read(name, root="floating" if options.floating else "fixed", package_dirs=options.packages)
    return Source(name, mechanism, lw.Setup())


def load_recording(name):
    """The Recording that FILE names."""
    if not os.path.isfile(name):
        raise UsageError(f"{name}: there is no such file; check the path")
    return lw.Recording.load(name)


def _shipped(name, options):
    known = lw.shipped()
    if name not in known:
        raise UsageError(f"{name}: there is no such file, and no mechanism of that name comes with Linkwork; {near(name, known)}")
    _refuse_urdf_options(name, options)
    document = lw.shipped(name)
    return Source(name, document.mechanism, document.setup)


def _refuse_missing(name):
    if os.path.isdir(name):
        raise UsageError(f"{name}: this is a folder; give a file in it")
    if not os.path.exists(name):
        folder = os.path.dirname(name) or "."
        there = sorted(entry for entry in os.listdir(folder) if entry.lower().endswith(SUFFIXES)) if os.path.isdir(folder) else []
        hint = near(os.path.basename(name), there) if there else "check the path"
        raise UsageError(f"{name}: there is no such file; {hint}")


def _refuse_urdf_options(name, options):
    given = [word for word, value in (("--floating", options.floating), ("--packages", options.packages)) if value]
    if given:
        raise UsageError(f"{name}: {' and '.join(given)} {'are' if len(given) > 1 else 'is'} for URDF files only; leave it out")
