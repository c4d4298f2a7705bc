"""`Folder`: the one folder that a studio reads and writes. Names come from pages, so each is judged before anything is touched.

A name is a file in the folder, or in a folder below it: "fourbar.toml", "arms/left.urdf". Refused are: ways out (.., absolute paths, links that
lead elsewhere), hidden names, names that mean something else on some system (NUL, COM1, a:b), signs that are no letters, digits, spaces or one
of . - _ + ( ), lengths that file systems do not take, and suffixes other than those of the job. Files are written beside their place and moved
there at once, so that nobody ever sees half a file; what was there before is kept as NAME~.
"""

import contextlib
import os
import re
import stat
import tempfile
import unicodedata
from pathlib import Path

import linkwork as lw

MECHANISMS = (".toml", ".urdf")
WRITTEN = (".toml", ".py", ".arrow", ".csv", ".png", ".svg", ".html")
MOST_BYTES = 16 * 2**20  # of a mechanism that is read
DEEPEST = 8  # folders in folders
MOST_LISTED = 500
_SIGNS = re.compile(r"[\w .+()-]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|clock\$)(\..*)?", re.IGNORECASE)


class TakenError(lw.StudioError):
    """A file of this name is there already. `name` is the name."""

    def __init__(self, name, why="there is such a file already"):
        super().__init__(f"{name}: {why}; tick the box to replace it (what is there is kept as {name}~), or give another name")
        self.name = name


class Folder:
    """A folder and the files in it.

    >>> Folder(".").path_of("arms/left.toml").name
    'left.toml'
    >>> Folder(".").holds("../elsewhere.stl")
    False
    """

    def __init__(self, path="."):
        try:
            self.path = Path(path).resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise lw.StudioError(
                f"folder: {path} cannot be used ({getattr(error, 'strerror', None) or error}); give one that exists"
            ) from error
        if not self.path.is_dir():
            raise lw.StudioError(f"folder: {path} is no folder; give one that exists")

    # ------------------------------------------------------------------ names

    def path_of(self, name, suffixes=WRITTEN) -> Path:
        """The path of a name, which need not exist. Raises StudioError for a name that is not allowed."""
        name = checked_name(name, suffixes)
        path = self.path.joinpath(*name.split("/"))
        try:
            real = path.resolve()
        except (OSError, RuntimeError) as error:  # a link that leads to itself
            raise _refused(name, f"cannot be followed ({error})", "a file of the folder") from error
        if not real.is_relative_to(self.path):
            raise _refused(name, "is a link that leads out of the folder", "a file of the folder")
        return path

    def name_of(self, path) -> str:
        """The name of a path in the folder."""
        try:
            return Path(path).resolve().relative_to(self.path).as_posix()
        except (ValueError, OSError, RuntimeError) as error:
            raise lw.StudioError(f"{path}: it is not in {self.path}, the folder of this studio; start the studio in its folder") from error

    def holds(self, path) -> bool:
        """Does a path, followed through all links, lie in the folder? Relative ones are taken from the folder."""
        try:
            return "\0" not in str(path) and "://" not in str(path) and self.path.joinpath(path).resolve().is_relative_to(self.path)
        except (OSError, RuntimeError, ValueError):
            return False

    def names(self, suffixes=MECHANISMS) -> list[str]:
        """Names of the files with these suffixes, here and one folder below, in the order of the alphabet; at most MOST_LISTED."""
        found = []
        for level in (self._files(self.path, ""), *(self._files(entry, entry.name + "/") for entry in self._folders())):
            for name in level:
                with contextlib.suppress(lw.StudioError):
                    if self.path_of(name, suffixes).is_file():
                        found.append(name)
                if len(found) >= MOST_LISTED:
                    return found
        return found

    def _files(self, folder, prefix):
        try:
            return sorted(prefix + entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))
        except OSError:
            return []

    def _folders(self):
        try:
            entries = [Path(entry.path) for entry in os.scandir(self.path) if entry.is_dir(follow_symlinks=False)]
        except OSError:
            return []
        return sorted(entry for entry in entries if not entry.name.startswith("."))

    def free_name(self, stem, suffix) -> str:
        """A name that is not taken yet: stem, "stem 2", "stem 3"..."""
        stem = tame(stem)
        for k in range(1, 10000):
            name = f"{stem}{suffix}" if k == 1 else f"{stem} {k}{suffix}"
            if not os.path.lexists(self.path / name):
                return name
        raise lw.StudioError(f"{stem}{suffix}: ten thousand files are called so; give another name")

    # ------------------------------------------------------------------ reading and writing

    def read(self, name, suffixes=MECHANISMS, most=MOST_BYTES) -> bytes:
        """The bytes of a file."""
        path = self.path_of(name, suffixes).resolve()
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            with open(os.open(path, flags), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise _refused(name, "is not a regular file", "a file of text")
                data = file.read(most + 1)
        except OSError as error:
            raise lw.StudioError(f"{name}: cannot be read ({error.strerror or error}); choose a file of the folder") from error
        if len(data) > most:
            raise _refused(name, f"is larger than {most / 2**20:g} MiB", "a smaller file")
        return data

    def write(self, name, data, replace=False) -> Path:
        """Write bytes or text, as a whole or not at all. A file that is there already is refused, or with `replace` kept as NAME~."""
        path = self.path_of(name)
        data = data.encode("utf-8") if isinstance(data, str) else data
        there = os.path.lexists(path)
        if there and not replace:
            raise TakenError(name)
        if there and not path.is_file():
            raise _refused(name, "is not a regular file", "another name")
        if there:
            place_at(path.with_name(path.name + "~"), _bytes_of(path))
        place_at(path, data, new=not there)
        return path


def place_at(path, data, new=False):
    """Write a file beside its place and move it there. new: raise TakenError if something came there meanwhile."""
    temporary = None
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode) if path.exists() else None
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".linkwork-", suffix=".part", delete=False) as file:
            temporary = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _usual_mode() if mode is None else mode)
        if new and hasattr(os, "link"):
            _move_new(temporary, path)
        else:
            os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise lw.StudioError(
            f"{path.name}: cannot be written ({error.strerror or error}); check the folder, or give another name"
        ) from error
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _move_new(temporary, path):
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise TakenError(path.name) from None
    except OSError:  # a file system without hard links
        os.replace(temporary, path)
        return
    os.unlink(temporary)


def _bytes_of(path):
    try:
        return path.read_bytes()
    except OSError as error:
        raise lw.StudioError(f"{path.name}: what is there cannot be kept ({error.strerror or error}); give another name") from error


def _usual_mode():
    """Permissions of a new file, as open() would give them."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def checked_name(name, suffixes) -> str:
    """A name in normal form, or StudioError."""
    if not isinstance(name, str) or not name.strip():
        raise _refused(name, "is no name", f"a name that ends in {' or '.join(suffixes)}")
    name = unicodedata.normalize("NFC", name.strip())
    parts = name.split("/")
    if name.startswith(("/", "\\", "~")) or ".." in parts or "" in parts:
        raise _refused(name, "leads out of the folder", "a name within it")
    if len(parts) > DEEPEST or len(name.encode()) > 400:
        raise _refused(name, "is too long, or too deep", f"at most 400 bytes and {DEEPEST} folders")
    for part in parts:
        if part.startswith("."):
            raise _refused(name, "is hidden", "a name that begins with a letter or digit")
        if not _SIGNS.fullmatch(part) or part != part.strip() or part.endswith("."):
            raise _refused(name, "has signs that file names should not have", "letters, digits, spaces within, and . - _ + ( )")
        if _RESERVED.fullmatch(part):
            raise _refused(name, "means a device on some systems", "another name")
        if len(part.encode()) > 200:
            raise _refused(name, "is too long", "at most 200 bytes between two /")
    if not parts[-1].lower().endswith(suffixes) or parts[-1].lower() in suffixes:
        raise _refused(name, "does not end in what is needed", f"a name that ends in {' or '.join(suffixes)}")
    return name


def tame(text) -> str:
    """A stem of a file name out of any text."""
    text = re.sub(r"[^\w +()-]+", " ", unicodedata.normalize("NFC", str(text)))
    text = " ".join(text.split()).encode()[:80].decode("utf-8", "ignore").strip()
    return text if text and not _RESERVED.fullmatch(text) else "mechanism"


def _refused(name, found, allowed):
    shown = repr(name if not isinstance(name, str) or len(name) <= 80 else name[:77] + "...")
    return lw.StudioError(f"file name: found {shown}, which {found}; allowed is {allowed}; give such a name")
