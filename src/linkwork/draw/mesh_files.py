"""Triangles from mesh files: STL (text and binary) and OBJ are read here; other formats by trimesh, if it is installed.

A mesh with more triangles than a picture can show is made coarser: corners that share a cell of a grid become one (Rossignac and
Borrel, Multi-resolution 3D approximations, 1993), the grid as fine as the number of triangles allows.
"""

import itertools
import os
import re
from dataclasses import replace

import numpy as np

from .solids import is_closed, triangles

MOST_FACES = 1000
MOST_BYTES = 200_000_000
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_mesh(shape, most=MOST_FACES):
    """The faces of a MeshFile in its body's axes: a Solid, or a sentence that says why there is none."""
    try:
        vertices, faces = _load(shape.path)
    except (OSError, ValueError, ImportError, OverflowError, MemoryError) as error:
        return str(error) or type(error).__name__
    if not len(faces) or not np.isfinite(vertices).all():
        return "it holds no triangles, or numbers that are not finite"
    vertices, faces = _merged(vertices, faces)
    # Whether the inside can be seen is a question to the mesh itself, not to what making it coarser leaves of it.
    made = replace(triangles(*coarser(vertices, faces, most)), closed=is_closed(vertices, faces))
    if not made.faces:
        return "its triangles have no area"
    return made.placed(shape.at.rotation @ np.diag(shape.scale), shape.at.translation)


def _load(path):
    suffix = os.path.splitext(path)[1].lower()
    if "://" in path:
        raise ValueError(f"{path}: no file of this machine; read the robot with package_dirs=... to tell where its packages are")
    if os.path.getsize(path) > MOST_BYTES:
        raise ValueError(f"{path}: larger than {MOST_BYTES // 1_000_000} MB")
    if suffix in _READERS:
        with open(path, "rb") as file:
            return _READERS[suffix](file.read())
    try:
        import trimesh
    except ImportError:
        raise ValueError(f"{path}: files that end in {suffix!r} need the package trimesh; .stl and .obj are read without it") from None
    try:
        mesh = trimesh.load(path, force="mesh")
        return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64)
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


def _merged(vertices, faces):
    """The same triangles with every corner named once."""
    corners, names = np.unique(vertices, axis=0, return_inverse=True)
    return corners, names.reshape(-1)[faces]


def coarser(vertices, faces, most=MOST_FACES):
    """The mesh with at most `most` triangles: corners within a cell become their mean."""
    low, extent = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = 64
    while len(faces) > most:
        keys = np.floor((vertices - low) * (cells / extent)).astype(np.int64)
        _, names = np.unique(keys, axis=0, return_inverse=True)
        names = names.reshape(-1)
        weight = np.bincount(names)
        means = np.column_stack([np.bincount(names, vertices[:, k]) / weight for k in range(3)])
        left = names[faces]
        left = left[(left[:, 0] != left[:, 1]) & (left[:, 1] != left[:, 2]) & (left[:, 2] != left[:, 0])]
        first = np.unique(np.sort(left, axis=1), axis=0, return_index=True)[1]
        if len(first) <= most or cells == 1:
            return means, left[np.sort(first)][:most]
        cells = max(cells * 4 // 5, 1)
    return vertices, faces


_READERS = {".stl": stl, ".obj": obj}
