"""What a kernel sees of a model: a few tables, reached through one integer.

A *link* is an elementary moving frame: a body that moves with one coordinate on a screw axis (revolute, prismatic, screw), a
ball, a free body or a custom joint. Bodies welded together share a link; a universal, cylindrical, planar or translational joint
is a short chain of links of which only the last has mass. So every algorithm knows just two cases, AXIAL and the general one.

Links are numbered depth first: a parent comes before its children, and mostly directly before (`follows`), so that a recursion
can carry what it needs in registers. `branch` numbers the links that have further children, which meet in memory.

table     row            field                       meaning
links     a link         parent                      parent link, -1 for the world
                         kind                        AXIAL, BALL, FREE, CUSTOM
                         q, v, nv                    first position coordinate, first velocity coordinate, number of velocities
                         follows                     1 if the parent is the link before
                         branch                      place among the links with several branches, or -1
                         turned, c0 s0 ca sa, r      constant part of the transform from the parent, see spatial/axial.py
                         shifted, massive            0 if the origin is the parent's, 0 if the link has no inertia: work to be skipped
                         offset, turn, slide         theta = offset + turn q; displacement along the axis slide q (AXIAL)
                         m, h, I                     rigid inertia in the link frame, about its origin
                         armature                    reflected rotor inertia (AXIAL)
                         general                     row of the table `generals` (kinds other than AXIAL)
generals  a link         R                           joint frame in the parent link (row-major, child to parent)
                         armature                    reflected rotor inertia of each velocity
                         backwards                   1 if the tree walks the joint from its child side to its parent side
                         code                        custom joint: address of the compiled function (or its index in plain Python)
bodies    a body         link, R, p                  pose of the body in its link's frame (link -1: in the world)
                         m, h, I                     rigid inertia in the body frame
quats     a quaternion   (int)                       position of its first component in q
armature  a velocity     (float)                     reflected rotor inertia
ancestor  a velocity     (int)                       the velocity coordinate it hangs on, -1 at a root (Featherstone 2008, section 6.5)
order     (int)          (int)                       the velocity coordinates in the order of links
places    an entry       (int)                       where CRBA leaves this entry of the mass matrix (row-major): its number, counted from 1; 0 if it is zero
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels import kernel, when_compiling
from ..kernels.headers import Table, declare

AXIAL, BALL, FREE, CUSTOM = range(4)

LINK = np.dtype(
    [
        ("parent", "i4"),
        ("kind", "i4"),
        ("q", "i4"),
        ("v", "i4"),
        ("nv", "i4"),
        ("follows", "i4"),
        ("branch", "i4"),
        ("general", "i4"),
        ("turned", "i4"),
        ("shifted", "i4"),
        ("massive", "i4"),
        ("spare", "i4"),  # no padding: equal models have equal bytes
        ("c0", "f8"),
        ("s0", "f8"),
        ("ca", "f8"),
        ("sa", "f8"),
        ("r", "f8", 3),
        ("offset", "f8"),
        ("turn", "f8"),
        ("slide", "f8"),
        ("m", "f8"),
        ("h", "f8", 3),
        ("I", "f8", 6),
        ("armature", "f8"),
    ],
    align=True,
)
GENERAL = np.dtype([("R", "f8", 9), ("armature", "f8", 6), ("backwards", "i8"), ("code", "i8")], align=True)
BODY = np.dtype([("link", "i8"), ("R", "f8", 9), ("p", "f8", 3), ("m", "f8"), ("h", "f8", 3), ("I", "f8", 6)], align=True)

# Sizes, in the order in which the header holds them. `matrix`: room for the entries of two mass matrices (dynamics/matrix_entries.py).
SIZES = ("n", "nq", "nv", "nb", "matrix", "branches", "nquats", "ngenerals")


class Tables(NamedTuple):
    """The tables of one model. `size` holds the integers named in SIZES, which are attributes too (`tables.nv`); `gravity` three floats (world axes)."""

    size: Any
    links: Any
    generals: Any
    bodies: Any
    quats: Any
    armature: Any
    ancestor: Any
    order: Any
    places: Any
    gravity: Any


def sizes_as_attributes(tables, names):
    """Let a class of tables have the integers in `size` as attributes by their names, as compiled code has them."""
    for k, name in enumerate(names):
        setattr(tables, name, property(lambda self, k=k: int(self.size[k])))


sizes_as_attributes(Tables, SIZES)

# The words of the header: sizes, addresses of tables, address of the header of constraints (model/constraint_tables.py).
WORDS = (*SIZES, *Tables._fields[1:], "constraint_tables")


def open_tables(handle):
    """The tables behind a handle. In plain Python the handle is the tables themselves."""
    return handle


def pack_header(tables, constraint_tables=0):
    """The header block: sizes, then the addresses of the tables, then `rules` (an address). Keep the arrays alive as long as it is used."""
    return np.array([*tables.size, *(table.ctypes.data for table in tables[1:]), constraint_tables], dtype=np.int64)


@when_compiling
def _verbs():
    declare(
        "Tables",
        open_tables,
        WORDS,
        size=Table(np.dtype(np.int64), len(SIZES)),
        links=Table(LINK, ("n",)),
        generals=Table(GENERAL, ("ngenerals",)),
        bodies=Table(BODY, ("nb",)),
        quats=Table(np.dtype(np.int64), ("nquats",)),
        armature=Table(np.dtype(np.float64), ("nv",)),
        ancestor=Table(np.dtype(np.int64), ("nv",)),
        order=Table(np.dtype(np.int64), ("nv",)),
        places=Table(np.dtype(np.int32), ("nv", "nv")),
        gravity=Table(np.dtype(np.float64), 3),
    )


@kernel(inline=True)
def rigid_of(link):
    """The ten numbers of a link's rigid inertia."""
    h, I = link.h, link.I
    return link.m, h[0], h[1], h[2], I[0], I[1], I[2], I[3], I[4], I[5]
