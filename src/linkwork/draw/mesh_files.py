"""Pictures of mesh files (geometry/mesh_files.py reads them).

A mesh with more triangles than a picture can show is made coarser: corners that share a cell of a grid become one (Rossignac and
Borrel, Multi-resolution 3D approximations, 1993), the grid as fine as the number of triangles allows.
"""

from dataclasses import replace

import numpy as np

from ..geometry.mesh_files import load_triangles, merged
from .solids import is_closed, triangles

MOST_FACES = 1000


def read_mesh(shape, most=MOST_FACES):
    """The faces of a MeshFile in its body's axes: a Solid, or a sentence that says why there is none."""
    try:
        vertices, faces = merged(*load_triangles(shape.path))
    except (OSError, ValueError, MemoryError) as error:
        return str(error) or type(error).__name__
    # Whether the inside can be seen is a question to the mesh itself, not to what making it coarser leaves of it.
    made = replace(triangles(*coarser(vertices, faces, most)), closed=is_closed(vertices, faces))
    if not made.faces:
        return "its triangles have no area"
    return made.placed(shape.at.rotation @ np.diag(shape.scale), shape.at.translation)


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
