"""Whole files or none: what is written goes to a temporary file in the same folder, which then takes the place of the old one.

os.replace is atomic on one file system (POSIX rename, MoveFileEx on Windows), so a reader, or a run killed at any moment, finds the old
file or the new one. With `durable`, the data reach the disk before the name changes, and the name before this returns: that holds for a
power cut too.
"""

import contextlib
import os
import tempfile
from pathlib import Path

from ..errors import FormatError, LinkworkError

SUFFIX = ".part"  # of temporary files; one that stays behind after a kill may be deleted


def as_path(path):
    """A path as a Path; anything else is refused by its type."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path: found {path!r} ({type(path).__name__}); give the path of a file")
    return Path(os.fsdecode(os.fspath(path)))


@contextlib.contextmanager
def replacing(path, durable=False):
    """`with replacing(path) as file: file.write(data)`: a binary file that becomes `path` at the end, or leaves no trace if it fails."""
    path = as_path(path)
    temporary = None
    try:
        if path.is_dir():
            raise IsADirectoryError("this is a folder")
        handle, temporary = tempfile.mkstemp(suffix=SUFFIX, prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
        temporary = None
        if durable:
            _sync_folder(path.parent)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        if isinstance(error, LinkworkError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(
            f"{path}: cannot be written ({reason}); check that the folder exists and may be written to", path=str(path)
        ) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _mode(path):
    """The permissions of the file that is replaced, or those that an ordinary new file would have."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder):
    """Make a new name in a folder last; systems that cannot open folders need no such call."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
