"""Files that a verb writes: judged before the work starts, so that nobody waits for a run that cannot be saved."""

import os

from .messages import UsageError


def check_output(path, suffixes, option):
    """Refuse a path whose suffix means nothing here, or that cannot be written. Nothing is left behind."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in suffixes:
        raise UsageError(f"{option} {path}: the suffix is {suffix!r}; allowed are {', '.join(suffixes)}; change the name")
    import tempfile  # imports stand where they are used: --help does not wait for them

    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise UsageError(f"{option} {path}: its folder {folder} does not exist; make it, or give another path")
    if os.path.isdir(path):
        raise UsageError(f"{option} {path}: this is a folder; give the name of a file in it")
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{option} {path}: this is no ordinary file; give another path")
    try:
        if os.path.exists(path):
            with open(path, "ab"):
                pass
        with tempfile.TemporaryFile(dir=folder):  # files are written beside and put in place as a whole
            pass
    except OSError as error:
        raise UsageError(
            f"{option} {path}: it cannot be written ({error.strerror}); change its permissions, or give another path"
        ) from None
    return path


def check_outputs(wanted, read=()):
    """[(path or None, suffixes, option)] judged one by one; two that name one file are refused, and one that names a file that is read, [(path, option)]."""
    seen = {os.path.realpath(path): f"{option} is read from" for path, option in read if path and os.path.isfile(path)}
    for path, suffixes, option in wanted:
        if path is None:
            continue
        check_output(path, suffixes, option)
        real = os.path.realpath(path)
        if real in seen:
            raise UsageError(f"{option} {path}: {seen[real]} there too; give another path")
        seen[real] = f"{option} writes"
