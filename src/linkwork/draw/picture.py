"""A picture: marks on paper that can be saved, and that a notebook shows."""

import os

from ..errors import FormatError
from .png import image, png_bytes
from .svg import svg_text

SUFFIXES = (".svg", ".png")


class Picture:
    """What `draw` returns. Lengths in pixels; `marks` from far to near, see scene.Mark.

    >>> import linkwork as lw
    >>> picture = lw.draw(lw.shipped("four-bar").mechanism)
    >>> picture.size, picture.title
    ((960, 720), 'four-bar')
    """

    def __init__(self, marks, labels, size, title, camera):
        self.marks, self.labels = tuple(marks), tuple(labels)
        self.size, self.title, self.camera = size, title, camera

    def svg(self) -> str:
        """The picture as the text of an SVG file."""
        return svg_text(self.marks, self.labels, self.size, self.title)

    def png(self) -> bytes:
        """The picture as the bytes of a PNG file."""
        return png_bytes(self.marks, self.labels, self.size)

    def image(self):
        """The picture as a Pillow image."""
        return image(self.marks, self.labels, self.size)

    def save(self, path) -> "Picture":
        """Write the picture to a file; its suffix (.svg, .png) tells the format."""
        suffix = suffix_of(path, SUFFIXES, "draw")
        write(path, self.svg().encode("utf-8") if suffix == ".svg" else self.png())
        return self

    def _repr_svg_(self):
        return self.svg()

    def _repr_png_(self):
        return self.png()

    def __repr__(self):
        return f"<picture of {self.title!r}, {self.size[0]} x {self.size[1]}, {len(self.marks)} marks>"


def suffix_of(path, allowed, function):
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


def writable(path):
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


def write(path, data):
    """Write bytes; an OSError becomes words."""
    writable(path)
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise FormatError(
            f"{os.fspath(path)!r}: it cannot be written ({error.strerror}); give another path", path=os.fspath(path)
        ) from error
