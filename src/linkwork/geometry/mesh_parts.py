"""What of a mesh touches: its convex hull, convex pieces, or its triangles. Prepared once for each content and remembered.

Each part is a pair (middle, arrays): its vertices are kept about the middle of the box around them, so that bounding spheres are small and
coordinates keep their digits. Contents are compared by their digests (BLAKE2b), so equal meshes of many bodies and models are prepared once.

Pieces are found by the package coacd (Wei et al., Approximate convex decomposition for 3D meshes with collision-aware concavity and tree search, 2022),
which takes seconds: they are also kept in the user's cache, under the digest of what they were made of.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .hull import HullArrays, hull_arrays
from .mesh_files import merged
from .surface import TriangleArrays, triangle_arrays

Part = tuple[NDArray[np.float64], Any]

MOST_REMEMBERED = 512  # parts of meshes
MOST_KEPT = 256_000_000  # bytes of their arrays
MOST_FACES = 200_000  # triangles of a mesh that is cut into pieces
MOST_PIECES = 64
CONCAVITY = 0.05  # of coacd: how far a piece may be from convex, relative to the mesh
WORTH_A_NOTE = 1.02  # a hull of so many times the volume of its mesh is no longer that mesh

_known: OrderedDict[bytes, Any] = OrderedDict()
_lock = Lock()


def hull_part(vertices: NDArray[np.float64]) -> Part:
    """(middle, HullArrays) of the convex hull of points."""
    return _remembered(_digest("hull", vertices), lambda: _about_middle(vertices, hull_arrays))


def surface_part(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> Part:
    """(middle, TriangleArrays) of a surface."""
    return _remembered(_digest("surface", vertices, faces), lambda: _about_middle(vertices, lambda x: triangle_arrays(x, faces)))


def piece_parts(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> list[Part]:
    """(middle, HullArrays) of each of the convex pieces of a mesh."""
    digest = _digest("pieces", vertices, faces)
    found: list[Part] = _remembered(digest, lambda: [hull_part(points) for points in _pieces(vertices, faces, digest)])
    return found


def excess(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> float:
    """The volume of the convex hull over that of the mesh; 1 where the mesh is not closed, so that it has none."""
    return float(_remembered(_digest("excess", vertices, faces), lambda: _excess(vertices, faces)))


def _excess(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> float:
    points, named = merged(vertices, faces)
    edges = np.concatenate([named[:, (0, 1)], named[:, (1, 2)], named[:, (2, 0)]])
    there = edges[:, 0] * len(points) + edges[:, 1]
    back = edges[:, 1] * len(points) + edges[:, 0]
    if not np.array_equal(np.sort(there), np.sort(back)):
        return 1.0
    volume = abs(_volume(points - points.mean(axis=0), named))
    hull = hull_part(vertices)[1]
    return _volume(hull.vertices, hull.triangles) / volume if volume > 0.0 else 1.0


def _volume(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> float:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def _digest(what: str, *arrays: NDArray[Any]) -> bytes:
    made = hashlib.blake2b(what.encode(), digest_size=16)
    for array in arrays:
        made.update(np.int64(len(array)).tobytes() + np.ascontiguousarray(array).tobytes())
    return made.digest()


def _remembered(digest: bytes, make: Callable[[], Any]) -> Any:
    with _lock:
        if digest in _known:
            _known.move_to_end(digest)
            return _known[digest]
    made = make()
    with _lock:
        _known[digest] = made
        while len(_known) > MOST_REMEMBERED or (len(_known) > 1 and sum(map(_bytes_of, _known.values())) > MOST_KEPT):
            _known.popitem(last=False)
    return made


def _bytes_of(made: Any) -> int:
    if not isinstance(made, tuple):
        return 0  # a number, or parts that are counted by themselves
    return sum(array.nbytes for array in made[1] if isinstance(array, np.ndarray))


def _about_middle(vertices: NDArray[np.float64], make: Callable[[Any], HullArrays | TriangleArrays]) -> Part:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle = low + 0.5 * (high - low)
    return middle, make(vertices - middle)


# ---- pieces


def _pieces(vertices: NDArray[np.float64], faces: NDArray[np.int64], digest: bytes) -> list[NDArray[np.float64]]:
    """The corners of each piece, from the user's cache or from coacd."""
    if len(faces) > MOST_FACES:
        raise ModelError(f"a mesh of {len(faces)} triangles; allowed are {MOST_FACES} where it is cut into pieces; make it coarser")
    file = _cache() / f"{digest.hex()}.npz"
    try:
        with np.load(file, allow_pickle=False) as kept:
            found = [np.asarray(kept[f"arr_{k}"], dtype=float) for k in range(len(kept.files))]
        if found and all(points.ndim == 2 and points.shape[1] == 3 and len(points) > 3 and np.isfinite(points).all() for points in found):
            return found
    except Exception:  # it is not there, or damaged: a cache is made again
        pass
    found = _by_coacd(vertices, faces)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}.tmp")
        with open(part, "wb") as stream:
            np.savez(stream, *found)
        part.replace(file)
    except OSError:
        pass  # not kept
    return found


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "linkwork" / "pieces"


def _by_coacd(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    try:
        import coacd
    except ImportError:
        raise ModelError(
            "cutting a mesh into convex pieces needs the package coacd, which is not installed; install it (pip install coacd, or linkwork[pieces]), "
            "or say touching='hull'"
        ) from None
    coacd.set_log_level("error")
    size = float(np.ptp(vertices, axis=0).max())
    if not 0.0 < size < np.inf:
        raise ModelError(f"vertices of a mesh that is {size:g} m long; allowed is a finite length above 0; correct them")
    try:
        made = coacd.run_coacd(coacd.Mesh(vertices / size, faces), threshold=CONCAVITY, max_convex_hull=MOST_PIECES, seed=0)
    except Exception as error:  # a foreign package may fail in any way
        raise ModelError(f"coacd could not cut the mesh into pieces ({error}); repair the mesh, or say touching='hull'") from error
    found = [np.asarray(points, dtype=float) * size for points, _ in made if len(points) > 3]
    if not found:
        raise ModelError("coacd found no pieces of the mesh; repair it, or say touching='hull'")
    return found
