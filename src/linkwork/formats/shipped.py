"""Mechanisms that come with Linkwork, in the native format: to look at, to start from, to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import overload

from ..errors import UnknownNameError
from .document import Document


@overload
def shipped(name: None = None) -> tuple[str, ...]: ...


@overload
def shipped(name: str) -> Document: ...


def shipped(name: str | None = None) -> Document | tuple[str, ...]:
    """A mechanism that comes with Linkwork, by name; the names of all of them if none is given.

    The Document holds the mechanism and, as its setup, an initial state in which all loops are closed. It has no file of its own: `save`
    wants a path.

    >>> import linkwork as lw
    >>> doc = lw.shipped("pendulum")
    >>> doc.mechanism
    <mechanism 'pendulum': 1 bodies, 1 joints, 0 frames, 0 constraints, 0 forces>
    >>> doc.setup.state(doc.mechanism.build()).q
    array([0.5])
    """
    files = {file.name.removesuffix(".toml"): file for file in _folder().iterdir() if file.name.endswith(".toml")}
    if name is None:
        return tuple(sorted(files))
    if not isinstance(name, str) or name not in files:
        raise UnknownNameError("shipped mechanism", name, sorted(files))
    return Document.from_text(files[name].read_text(encoding="utf-8"))


def _folder() -> Path:
    return Path(__file__).parents[1] / "mechanisms"
