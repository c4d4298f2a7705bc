"""Triangles from mesh files: STL (text and binary), OBJ and COLLADA are read here; other formats by trimesh, if it is installed.

A file is never trusted: only regular files up to a size are opened, numbers must be finite, faces must name vertices that are there, and whatever is wrong
is one ValueError or OSError with a sentence. Files that were read are remembered until they change on the disk.
"""

import itertools
import os
import re
import stat
from collections import OrderedDict
from threading import Lock

import numpy as np

MOST_BYTES = 200_000_000
MOST_TRIANGLES = 2_000_000
MOST_REMEMBERED = 128  # files
MOST_KEPT = 256_000_000  # bytes of arrays of remembered files
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def load_triangles(path):
    """(vertices (n, 3), faces (k, 3)) of a file, as read-only arrays. Raises OSError, ValueError or MemoryError with a sentence."""
    if "://" in path:
        raise ValueError(f"{path}: no file of this machine; read the robot with package_dirs=... to tell where its packages are")
    if "\0" in path:
        raise ValueError("its name has a null character in it")
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(f"{path}: no regular file; give the name of a file of triangles")
    if found.st_size > MOST_BYTES:
        raise ValueError(f"{path}: larger than {MOST_BYTES // 1_000_000} MB")
    return _remembered((os.path.abspath(path), found.st_mtime_ns, found.st_size), lambda: _load(path))


def _load(path):
    suffix = os.path.splitext(path)[1].lower()
    reader = _READERS.get(suffix)
    try:
        if reader is None:
            vertices, faces = _by_trimesh(path, suffix)
        else:
            with open(path, "rb") as file:
                vertices, faces = reader(file.read(MOST_BYTES + 1))
    except (ValueError, OverflowError, RecursionError) as error:
        raise ValueError(str(error) if path in str(error) else f"{path}: {error}") from error
    if not len(faces) or not np.isfinite(vertices).all():
        raise ValueError(f"{path}: it holds no triangles, or numbers that are not finite")
    if len(faces) > MOST_TRIANGLES:
        raise ValueError(f"{path}: {len(faces)} triangles; allowed are {MOST_TRIANGLES}; make the mesh coarser")
    for array in (vertices, faces):
        array.setflags(write=False)
    return vertices, faces


_known: OrderedDict = OrderedDict()
_lock = Lock()


def _remembered(key, load):
    with _lock:
        if key in _known:
            _known.move_to_end(key)
            return _known[key]
    made = load()
    with _lock:
        _known[key] = made
        while len(_known) > MOST_REMEMBERED or (len(_known) > 1 and sum(v.nbytes + f.nbytes for v, f in _known.values()) > MOST_KEPT):
            _known.popitem(last=False)
    return made


def _by_trimesh(path, suffix):
    try:
        import trimesh
    except ImportError:
        raise ValueError(
            f"{path}: files that end in {suffix!r} need the package trimesh; .stl, .obj and .dae are read without it"
        ) from None
    try:
        mesh = trimesh.load(path, force="mesh")
        return np.array(mesh.vertices, dtype=float).reshape(-1, 3), np.array(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except Exception as error:  # a foreign reader may fail in any way
        raise ValueError(f"{path}: trimesh could not read it ({error})") from error


def stl(data):
    """Vertices (3 k, 3) and faces (k, 3) of an STL file. A binary file is known by its length, whatever its first word is."""
    if len(data) >= 84:
        count = int.from_bytes(data[80:84], "little")
        if len(data) == 84 + _RECORD.itemsize * count:
            corners = np.frombuffer(data, _RECORD, count, 84)["corners"].reshape(-1, 3).astype(float)
            return corners, np.arange(len(corners)).reshape(-1, 3)
    found = _VERTEX.findall(data)
    if not found or len(found) % 3:
        raise ValueError("it is no STL file: neither of the length its header says, nor a text with three vertices a facet")
    return np.array([[float(x) for x in corner] for corner in found]), np.arange(len(found)).reshape(-1, 3)


def obj(data):
    """Vertices and faces of an OBJ file; polygons are cut into fans, all but `v` and `f` is passed over."""
    vertices, faces = [], []
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/")[0]) for word in words[1:]]
            corners = [k - 1 if k > 0 else len(vertices) + k for k in corners]
            faces += [(corners[0], b, c) for b, c in itertools.pairwise(corners[1:])]
    if any(len(vertex) != 3 for vertex in vertices) or any(not 0 <= k < len(vertices) for face in faces for k in face):
        raise ValueError("it is no OBJ file: a vertex without three numbers, or a face that names a vertex that is not there")
    return np.array(vertices, dtype=float).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3)


def dae(data):
    from .collada import collada  # it needs an XML parser, others do not

    return collada(data)


def merged(vertices, faces):
    """The same triangles with every corner named once."""
    corners, names = np.unique(vertices, axis=0, return_inverse=True)
    return corners, names.reshape(-1)[faces]


_READERS = {".stl": stl, ".obj": obj, ".dae": dae}
