"""Meshes that users bring: shapes of triangles and mesh files, and plates through the joints of a body. Equal ones are kept once."""

import hashlib
import itertools
import os
from dataclasses import replace

import numpy as np

import linkwork as lw

from ...draw.mesh_files import read_mesh
from ...draw.solids import ground_of
from ...draw.sticks import hull
from .meshes import Trimesh, solid_faces, unit
from .turns import within_reach

CREASE = np.cos(np.radians(35.0))
MOST_FACES = 12000
MOST_UNUSED = 100  # meshes that are kept, in case they come back by undo
OWN = "mesh "  # how names of meshes begin that are not of meshes.py
_HERE = lw.Pose()


class Surfaces:
    """Meshes by name: those of meshes.py, and others under a name that tells their content."""

    def __init__(self, may_read=None):
        self._may_read = may_read  # of a path of a mesh file; None: all of them
        self._made: dict[str, Trimesh] = {}
        self._names: dict = {}
        self._kept: list = []
        self.notes: dict[str, str] = {}  # file: why it cannot be shown

    def __getitem__(self, name) -> Trimesh:
        return self._made.get(name) or unit(name)

    def of_shape(self, shape):
        """The name of the mesh of a Mesh, HeightField or MeshFile in the shape's own axes; None if there is nothing to show."""
        if isinstance(shape, lw.Mesh | lw.HeightField):
            # A shape never changes, so that the object itself can be the key: it is kept, and its number is not given away.
            if id(shape) not in self._names:
                vertices, faces = ground_of(shape, MOST_FACES // 2) if isinstance(shape, lw.HeightField) else shape.triangles()
                self._names[id(shape)] = self._keep(*creased(vertices, faces)) if len(faces) else None
                self._kept.append(shape)
            return self._names[id(shape)]
        return self._of_file(shape)

    def _of_file(self, shape):
        if self._may_read is not None and not self._may_read(shape.path):
            self.notes[shape.path] = "it lies outside of the folder that is read; put it there"
            return None
        try:
            found = os.stat(shape.path)
            key = shape.path, shape.scale, found.st_mtime_ns, found.st_size
        except OSError:
            key = shape.path, shape.scale, 0, 0
        if key not in self._names:
            solid = read_mesh(replace(shape, at=_HERE), most=MOST_FACES)
            if isinstance(solid, str):
                self.notes[shape.path] = solid
                self._names[key] = None
            else:
                self.notes.pop(shape.path, None)
                self._names[key] = self._keep(*creased(solid.corners, _fans(solid.faces)))
        return self._names[key]

    def plate(self, points, normal, thickness):
        """A plate through points (n, 3) that lie about in a plane."""
        key = "plate", tuple(np.round(points, 9).reshape(-1).tolist()), tuple(np.round(normal, 6).tolist()), round(thickness, 9)
        if key not in self._names:
            solid = hull(np.concatenate([points - 0.5 * thickness * normal, points + 0.5 * thickness * normal]))
            self._names[key] = self._keep(*creased(solid.corners, _fans(solid.faces)))
        return self._names[key]

    def forget(self, used):
        """Drop meshes that are not among these names, if there are many: those of files that were closed, plates that were changed."""
        if len(self._made.keys() - used) > MOST_UNUSED:
            self._made = {name: mesh for name, mesh in self._made.items() if name in used}
            self._names = {key: name for key, name in self._names.items() if name in used}
            self._kept = [shape for shape in self._kept if id(shape) in self._names]

    def _keep(self, vertices, faces):
        mesh = Trimesh.of(vertices, faces)
        name = OWN + hashlib.blake2b(mesh.vertices.tobytes() + mesh.faces.tobytes(), digest_size=8).hexdigest()
        self._made.setdefault(name, mesh)
        return name


def _fans(faces):
    """Polygons as triangles around their first corner."""
    return np.array([(face[0], b, c) for face in faces for b, c in itertools.pairwise(face[1:])])


def creased(vertices, faces, crease=CREASE):
    """The same triangles, with vertices of their own on both sides of every sharp edge, so that light does not run round it.

    Faces that meet at an angle with a cosine above `crease` are of one smooth patch; a vertex is kept once for each patch it is in.
    """
    from scipy.sparse import coo_matrix  # here: importing it takes a moment
    from scipy.sparse.csgraph import connected_components

    vertices, faces = within_reach(np.asarray(vertices, dtype=float)), solid_faces(np.asarray(faces, dtype=np.int64))
    if not len(faces):
        return vertices, faces
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals /= np.where(lengths > 0.0, lengths, 1.0)
    edges = np.sort(np.concatenate([faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]]), axis=1)
    owner = np.tile(np.arange(len(faces)), 3)
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    edges, owner = edges[order], owner[order]
    same = np.flatnonzero((edges[1:] == edges[:-1]).all(axis=1))
    i, j = owner[same], owner[same + 1]
    smooth = np.einsum("ij,ij->i", normals[i], normals[j]) > crease
    i, j = i[smooth], j[smooth]
    _, patch = connected_components(coo_matrix((np.ones(len(i)), (i, j)), shape=(len(faces), len(faces))), directed=False)
    corners = np.stack([faces.reshape(-1), np.repeat(patch, 3)], axis=1)
    kept, names = np.unique(corners, axis=0, return_inverse=True)
    return vertices[kept[:, 0]], names.reshape(-1, 3)
