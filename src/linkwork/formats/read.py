"""`read`: a mechanism from a file, by its format."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from .xml_safely import check_size, clipped, load_bytes, to_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from ..parts.mechanism import Mechanism

ROOTS = ("fixed", "floating")
SUFFIXES = (".urdf", ".toml")
TEXT = "<text>"  # what messages call a file that has no path


def read(
    path_or_text: str | bytes | PathLike[str],
    root: str = "fixed",
    strict: bool = False,
    package_dirs: Iterable[str | PathLike[str]] | str | PathLike[str] = (),
    mimics: bool = True,
    functions: Mapping[str, Any] | None = None,
    folder: str | PathLike[str] | None = None,
) -> Mechanism:
    """Read a Mechanism from a file or from its text.

    path_or_text: a path, of which the suffix tells the format (.urdf, .toml); or the text itself, recognised by a "<" at its start (URDF)
        or a line break in it (TOML); or the bytes of a file.
    root: "fixed" welds the root link of a URDF to the ground, "floating" gives it a free joint. Either joint is called "root".
    strict: refuse a file of which something that matters would be left out, or that cannot be built. The rule stands with `Note`.
    mimics: joints of a URDF that mimic another become a Gear constraint, "<joint> mimic"; False leaves them free.
    package_dirs: folders in which package://name/... of a URDF is looked up; names not found are kept.
    functions: {"name": function} for the Python functions that a .toml file names; a file never holds code.
    folder: where relative names of mesh files in a text start; without it they stay as they are. Those in a file start in its own folder.

    The mechanism has `notes`, a tuple of Note(line, element, message, matters): everything ignored, assumed or renamed. Printed as a whole
    they are grouped, those that matter first.
    Raises FormatError, with `path` and `line`, for a file that is missing, broken or hostile, and ModelError never: whether the
    mechanism can be built is judged by build().

    >>> import linkwork as lw
    >>> m = lw.read('<robot name="r"><link name="a"/></robot>')
    >>> [str(note) for note in m.notes]
    ["line 1: link 'a': no <inertial>: massless"]
    """
    if root not in ROOTS:
        raise FormatError(f"read: root is {root!r}; allowed are 'fixed' and 'floating'")
    if isinstance(package_dirs, (str, os.PathLike)):
        package_dirs = (package_dirs,)
    text, path, own_folder = load(path_or_text)
    folder = own_folder if own_folder is not None or folder is None else os.path.abspath(folder)
    # Readers are imported here, so that `import linkwork` need not wait for them.
    if not is_toml(text, path):
        from .urdf import mechanism_from_urdf
        from .xml_safely import parse

        if functions:
            raise FormatError(f"{path}: functions are given, but a URDF names none; leave them out", path=path)
        mechanism: Mechanism = mechanism_from_urdf(parse(text, path), path, folder, root, strict, tuple(package_dirs), bool(mimics))
        return mechanism
    from .native import parse_native
    from .native_read import refuse_options

    refuse_options(path, {"root": (root, "fixed"), "package_dirs": (tuple(package_dirs), ()), "mimics": (bool(mimics), True)})
    return parse_native(text, path, folder, functions, strict)[0]


def is_toml(text: str, path: str) -> bool:
    """By the suffix of a path, else by how the text begins."""
    if path != TEXT:
        return os.path.splitext(path)[1].lower() == ".toml"
    return bool(text.strip()) and not text.lstrip().startswith("<")


def _refuse_shipped_name(path: Any) -> None:
    if os.path.splitext(path)[1] or os.path.exists(path):
        return
    from .shipped import shipped  # here: it reads by this file

    if path in shipped():
        raise FormatError(
            f"{path}: there is no such file; lw.shipped({path!r}) gives the mechanism of this name that comes with Linkwork", path
        )


def load(source: Any) -> tuple[Any, ...]:
    """(text, path for messages, folder or None)."""
    if isinstance(source, (bytes, bytearray)):
        check_size(source, TEXT)
        return to_text(bytes(source), TEXT), TEXT, None
    if isinstance(source, str) and (source.lstrip("\ufeff \t\r\n").startswith("<") or "\n" in source or not source.strip()):
        check_size(source, TEXT)
        return source.removeprefix("\ufeff"), TEXT, None
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"read: found {type(source).__name__}; give a path, the text of a file, or its bytes")
    path = os.fspath(source)
    path = os.fsdecode(path)
    _refuse_shipped_name(path)
    data = load_bytes(path)
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        advice = (
            "expand it first: xacro in.urdf.xacro > out.urdf" if suffix == ".xacro" else f"files that end in {', '.join(SUFFIXES)} are read"
        )
        raise FormatError(f"{clipped(path, 200)}: no format is known for the suffix {suffix!r}; {advice}", path=path)
    return to_text(data, path), path, os.path.dirname(os.path.abspath(path))
