"""The native format: a mechanism, its initial state and its settings as TOML, readable and writable by hand. See docs/format.md.

bytes -> text (xml_safely) -> dictionaries (toml_safely) -> Mechanism (native_read), Setup (native_setup)
Mechanism, Setup -> plain data (native_write, native_setup) -> text (native_text), or changes to a text (native_edit)
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from ..parts import Mechanism
from . import toml_safely
from .native_read import mechanism_from_data
from .native_report import NativeReport
from .native_setup import SECTIONS, Setup, check_initial, setup_from_data, setup_to_data
from .native_text import data_to_text
from .native_values import Reading, Writing, checked_functions
from .native_write import mechanism_to_data
from .urdf_report import Notes
from .xml_safely import check_size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

TEXT = "<text>"  # what messages call a file that has no path


def to_toml(mechanism: Mechanism, setup: Setup | None = None, functions: Mapping[str, Any] | None = None) -> str:
    """A mechanism (and a Setup: initial state and settings of a run) as text in the native format.

    functions: names for the Python functions that the mechanism uses, {"name": function}: a file holds no code.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> rod = m.add_body("rod", shape=lw.Box(0.02, 0.02, 1), density=7850)
    >>> _ = m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, rod.at(0, 0, 0.5))
    >>> print(lw.to_toml(m), end="")
    linkwork = 1
    name = "pendulum"
    gravity = [0, 0, -9.81]
    <BLANKLINE>
    [body.rod]
    shape = { kind = "box", x = 0.02, y = 0.02, z = 1 }
    density = 7850
    <BLANKLINE>
    [joint.pivot]
    kind = "revolute"
    parent = "ground"
    child = { on = "rod", xyz = [0, 0, 0.5] }
    axis = [0, 1, 0]
    >>> lw.from_toml(lw.to_toml(m)) == m
    True
    """
    return data_to_text(full_data(mechanism, setup, Writing(checked_functions(functions, "to_toml"))))


def from_toml(text: str, functions: Mapping[str, Any] | None = None, strict: bool = False) -> Mechanism:
    """The mechanism of a text in the native format. Raises FormatError with the lines of all faults. See `read`.

    >>> import linkwork as lw
    >>> m = lw.from_toml('linkwork = 1\\nname = "stone"\\n[body.stone]\\nmass = 2.0\\n')
    >>> m.name, [body.name for body in m.bodies]
    ('stone', ['stone'])
    """
    if not isinstance(text, str):
        raise FormatError(f"from_toml: found a {type(text).__name__}; allowed is the text of a file; read a path with lw.read")
    return parse_native(text, TEXT, None, functions, strict)[0]


def write(mechanism: Mechanism, path: str | PathLike[str], setup: Setup | None = None, functions: Mapping[str, Any] | None = None) -> None:
    """Write a mechanism (and a Setup) to a file in the native format, which ends in .toml. Arguments as for `to_toml`.

    Mesh files in the folder of the file are named relative to it. To change a file that a person wrote, with its comments, use Document.

    >>> import linkwork as lw
    >>> import tempfile, pathlib
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lw.write(m, pathlib.Path(folder) / "stone.toml")
    ...     again = lw.read(pathlib.Path(folder) / "stone.toml")
    >>> again == m
    True
    """
    path = os.fsdecode(os.fspath(path))
    if os.path.splitext(path)[1].lower() != ".toml":
        raise FormatError(f"{path}: mechanisms are written as TOML; give a path that ends in .toml", path=path)
    writing = Writing(checked_functions(functions, "write"), folder_of(path))
    write_text(data_to_text(full_data(mechanism, setup, writing)), path)


def full_data(mechanism: Mechanism, setup: Setup | None, writing: Writing) -> dict[str, Any]:
    """Mechanism and setup as plain data."""
    if not isinstance(mechanism, Mechanism):
        raise FormatError(f"found a {type(mechanism).__name__}; a file is written from a Mechanism")
    if setup is not None and not isinstance(setup, Setup):
        raise FormatError(f"found a {type(setup).__name__} as setup; give a Setup")
    data: dict[str, Any] = mechanism_to_data(mechanism, writing) | setup_to_data(setup)
    if setup is not None:
        check_initial(setup, mechanism)
    return data


def parse_native(text: str, path: str, folder: str | None, functions: Any = None, strict: bool = False) -> tuple[Mechanism, Setup]:
    """(Mechanism, Setup) of a text. folder: where relative names of meshes start, None for text without a place."""
    check_size(text, path)
    data = toml_safely.parse(text, path)
    report = NativeReport(path, text)
    reading = Reading(report, checked_functions(functions, "read"), folder)
    mechanism = mechanism_from_data(data, reading, SECTIONS)
    setup = setup_from_data(data, mechanism, report)
    report.raise_faults()
    if strict:
        report.raise_notes()
    mechanism.notes = Notes(report.notes())
    return mechanism, setup


def folder_of(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))


def write_text(text: str, path: str) -> None:
    """Write a file as a whole or not at all: a reader never sees half of it, and what was there is lost only when the new text is safe."""
    target = os.path.realpath(path)
    temporary = None
    try:
        mode = os.stat(target).st_mode & 0o7777 if os.path.exists(target) else None
        with tempfile.NamedTemporaryFile("wb", dir=os.path.dirname(target), prefix=".linkwork-", delete=False) as file:
            temporary = file.name
            file.write(text.encode("utf-8"))
        os.chmod(temporary, _new_mode() if mode is None else mode)
        os.replace(temporary, target)
    except (OSError, ValueError) as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"{path}: cannot be written ({reason}); check the folder, or give another path", path=path) from error


def _new_mode() -> int:
    """Permissions of a new file, as open() would give them."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
