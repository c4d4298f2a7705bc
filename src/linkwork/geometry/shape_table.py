"""A shape as a row of a table.

field      meaning
kind       which of geometry/kinds.py
link       the link that carries it, -1: the world
body       the body that it belongs to
count      HULL, TRIANGLES: number of vertices; HEIGHT_FIELD: number of heights along x
size       three lengths, m, by its kind (geometry/kinds.py); HEIGHT_FIELD: (distance of grid lines along x, along y, depth below the lowest height)
R, p       pose of the shape in the frame of its link
bound      radius of a sphere about p that contains it, m; infinite for a FLOOR
nfaces     number of faces; HEIGHT_FIELD: number of heights along y
spare      nothing: no padding, so that equal shapes have equal bytes, addresses excepted
points     address of vertices (x y z each), floats; HEIGHT_FIELD: of heights, row by row
faces      address of integers that say which vertices belong together, as its kind needs it; 0: none
neighbours address of integers: what lies beside what, as its kind needs it; 0: none
tree       address of what finds parts of it quickly, as its kind needs it; 0: none

Kernels read a row by these names, ``shape.bound``, and its lengths as ``shape["size"][0]``: rows of NumPy have a `size` of their
own. Arrays behind addresses are kept alive by whoever made the row.
"""

import ctypes
from typing import Any, NamedTuple

import numpy as np

from ..kernels import when_compiling
from ..kernels.headers import Table, declare

SHAPE = np.dtype(
    [
        ("kind", "i4"),
        ("link", "i4"),
        ("body", "i4"),
        ("count", "i4"),
        ("size", "f8", 3),
        ("R", "f8", 9),
        ("p", "f8", 3),
        ("bound", "f8"),
        ("nfaces", "i4"),
        ("spare", "i4"),
        ("points", "i8"),
        ("faces", "i8"),
        ("neighbours", "i8"),
        ("tree", "i8"),
    ],
    align=True,
)


class ShapeList(NamedTuple):
    """A few shapes for kernels that are called from Python; in plain Python the rows themselves."""

    shapes: Any
    nshapes: int


def open_shapes(handle):
    """The shapes behind a handle (the address of a header). In plain Python the handle is a ShapeList."""
    return handle


def header_of(rows):
    """The header of rows (an array of SHAPE): keep both as long as its address is used."""
    return np.array([len(rows), rows.ctypes.data], dtype=np.int64)


FAR = 1 << 27  # more numbers than there are behind any address: kernels do not check indices


class Numbers(NamedTuple):
    """The numbers at an address: `values[k]`."""

    values: Any


def floats_at(address):
    """The floats at an address: ``floats_at(shape.points).values[k]``. In plain Python the same memory as a NumPy array."""
    return Numbers(np.ctypeslib.as_array((ctypes.c_double * FAR).from_address(int(address))))


def integers_at(address):
    """The 64-bit integers at an address, as `floats_at`."""
    return Numbers(np.ctypeslib.as_array((ctypes.c_int64 * FAR).from_address(int(address))))


@when_compiling
def _verbs():
    declare("ShapeList", open_shapes, ("nshapes", "shapes"), shapes=Table(SHAPE, ("nshapes",)))
    declare("Floats", floats_at, (), values=Table(np.dtype(np.float64), FAR))
    declare("Integers", integers_at, (), values=Table(np.dtype(np.int64), FAR))
