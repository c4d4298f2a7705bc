"""Names of mesh files in robot descriptions, as paths where that is possible without asking anyone.

    package://robot/meshes/a.stl   found under one of `package_dirs`, or in the package that the naming file itself is in, or one beside it: that path;
                                   else kept as it is
    file:///data/a.stl             /data/a.stl
    meshes/a.stl                   relative to the folder of the file that names it
    anything else                  kept as it is (absolute paths, http://, model://)

Only whether a path exists is looked at; no file is opened.
"""

import os
from pathlib import Path

PACKAGE = "package://"


def mesh_path(filename, folder, package_dirs=()):
    """filename as a path. folder: where the naming file lies, or None if it came as text."""
    if filename.startswith(PACKAGE):
        above = () if folder is None else (Path(folder).absolute(), *Path(folder).absolute().parents)
        return _in_packages(filename, (*package_dirs, *above)) or filename
    if filename.startswith("file://"):
        return filename.removeprefix("file://")
    if "://" in filename or folder is None or os.path.isabs(filename):
        return filename
    return os.path.join(folder, filename)


def _in_packages(filename, package_dirs):
    """The first existing file for package://name/rest: folder/name/rest, or folder/rest if the folder is called name."""
    name, _, rest = filename.removeprefix(PACKAGE).lstrip("/").partition("/")  # three slashes are seen, too
    if not name or not rest or ".." in (name, *rest.split("/")) or "\0" in filename:
        return None  # a name that climbs out of its package is no name of a package's file
    for folder in map(Path, package_dirs):
        for candidate in (folder / name / rest, folder / rest if folder.name == name else None):
            if candidate is not None and _is_file(candidate):
                return str(candidate)
    return None


def _is_file(path):
    try:
        return path.is_file()
    except OSError:  # too long a name
        return False
