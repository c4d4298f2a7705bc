"""A picture: marks on paper that can be saved, and that a notebook shows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from .png import image, png_bytes
from .svg import svg_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from .camera import Camera

SUFFIXES = (".svg", ".png")


class Picture:
    """What `draw` returns. Lengths in pixels; `marks` from far to near, see scene.Mark.

    >>> import linkwork as lw
    >>> picture = lw.draw(lw.shipped("four-bar").mechanism)
    >>> picture.size, picture.title
    ((960, 720), 'four-bar')
    """

    def __init__(self, marks: Sequence[Any], labels: Sequence[Any], size: tuple[int, int], title: str, camera: Camera) -> None:
        self.marks, self.labels = tuple(marks), tuple(labels)
        self.size, self.title, self.camera = size, title, camera

    def svg(self) -> str:
        """The picture as the text of an SVG file."""
        return svg_text(self.marks, self.labels, self.size, self.title)

    def png(self) -> bytes:
        """The picture as the bytes of a PNG file."""
        return png_bytes(self.marks, self.labels, self.size)

    def image(self) -> Any:
        """The picture as a Pillow image."""
        return image(self.marks, self.labels, self.size)

    def save(self, path: str | PathLike[str]) -> Picture:
        """Write the picture to a file; its suffix (.svg, .png) tells the format."""
        suffix = suffix_of(path, SUFFIXES, "draw")
        write(path, self.svg().encode("utf-8") if suffix == ".svg" else self.png())
        return self

    def _repr_svg_(self) -> Any:
        return self.svg()

    def _repr_png_(self) -> Any:
        return self.png()

    def __repr__(self) -> str:
        return f"<picture of {self.title!r}, {self.size[0]} x {self.size[1]}, {len(self.marks)} marks>"


def suffix_of(path: str | PathLike[str], allowed: Sequence[str], function: str) -> str:
    """The suffix of a path, in small letters; refuses one that is not allowed."""
    if not isinstance(path, (str, os.PathLike)):
        raise FormatError(f"{function}: path is a {type(path).__name__}; give the name of a file that ends in {' or '.join(allowed)}")
    suffix = os.path.splitext(os.fsdecode(os.fspath(path)))[1].lower()
    if suffix not in allowed:
        other = {
            ".gif": "; animate() writes it",
            ".html": "; animate() writes it",
            ".svg": "; draw() writes it",
            ".png": "; draw() writes it",
        }
        raise FormatError(
            f"{function}: {os.fspath(path)!r} has the suffix {suffix!r}{other.get(suffix, '')}; allowed are {', '.join(allowed)}; change the name",
            path=os.fspath(path),
        )
    return suffix


def writable(path: str | PathLike[str]) -> None:
    """Refuse a path that cannot be written, before a long drawing begins. Nothing is written."""
    folder = os.path.dirname(os.path.abspath(os.fsdecode(os.fspath(path))))
    if not os.path.isdir(folder):
        raise FormatError(f"{os.fspath(path)!r}: its folder {folder!r} does not exist; make it, or give another path", path=os.fspath(path))
    if os.path.isdir(path):
        raise FormatError(f"{os.fspath(path)!r}: this is a folder; give the name of a file in it", path=os.fspath(path))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise FormatError(
            f"{os.fspath(path)!r}: it may not be written here; change its permissions, or give another path", path=os.fspath(path)
        )


def write(path: str | PathLike[str], data: bytes) -> None:
    """Write bytes; an OSError becomes words."""
    writable(path)
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise FormatError(
            f"{os.fspath(path)!r}: it cannot be written ({error.strerror}); give another path", path=os.fspath(path)
        ) from error
