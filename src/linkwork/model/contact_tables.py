"""What a kernel sees of a model's contacts: shapes, and the pairs of them that may touch, reached through the model's handle.

table      a row is       columns
shapes     a shape        SHAPE (geometry/shape_table.py): what it is and where on its link; those of the ground come first, then body by body
pairs      two shapes     a, b                        their rows in `shapes`, a < b
                          link_a, link_b              links that carry them, -1 for the world; never the same
                          friction, restitution       what holds between them
length     (one float)    the radius of the bounding sphere of the smaller shape of a pair, the largest of all pairs, m: what gaps are measured by
points     (float)        vertices of hulls (x y z each), one hull after the other
integers   (int)          faces, neighbours and search trees of hulls, one after the other
offsets    a shape        where its `points` begin in the table `points`, and its `faces`, `neighbours` and `tree` in `integers`; -1: it has none

Only shapes that may touch another one are there. Addresses in `shapes` follow from `offsets` (`lay_addresses`): they mean nothing in another process, and are
no content of a model.
"""

from typing import Any, NamedTuple

import numpy as np

from ..geometry.shape_table import SHAPE
from ..kernels import compiled_form, when_compiling
from ..kernels.headers import Table, address_of_header, declare
from .tables import WORDS, sizes_as_attributes

PAIR = np.dtype(
    [*((name, "i4") for name in ("a", "b", "link_a", "link_b")), ("friction", "f8"), ("restitution", "f8")],
    align=True,
)
ADDRESSES = ("points", "faces", "neighbours", "tree")

# Sizes, in the order in which the header holds them.
CONTACT_SIZES = ("nshapes", "npairs", "npoints", "nintegers", "noffsets")


class ContactTables(NamedTuple):
    """The tables of a model's contacts. `size` holds the integers named in CONTACT_SIZES, which are attributes too."""

    size: Any
    shapes: Any
    pairs: Any
    length: Any
    points: Any
    integers: Any
    offsets: Any


sizes_as_attributes(ContactTables, CONTACT_SIZES)


def contact_tables(shapes, pairs, points=(), integers=(), offsets=None):
    """ContactTables of rows of SHAPE and PAIR; their addresses are laid."""
    points, integers = np.array(points, dtype=np.float64).reshape(-1), np.array(integers, dtype=np.int64).reshape(-1)
    offsets = np.full((len(shapes), len(ADDRESSES)), -1, dtype=np.int64) if offsets is None else offsets
    smaller = np.minimum(shapes["bound"][pairs["a"]], shapes["bound"][pairs["b"]]) if len(pairs) else shapes["bound"]
    bounds = smaller[np.isfinite(smaller)]
    size = np.array([len(shapes), len(pairs), len(points), len(integers), offsets.size], dtype=np.int64)
    length = np.array([bounds.max(initial=0.0) or 1.0])
    return lay_addresses(ContactTables(size, shapes, pairs, length, points, integers, offsets.reshape(-1)))


def no_contacts():
    """The tables of a model whose bodies do not touch."""
    return contact_tables(np.zeros(0, SHAPE), np.zeros(0, PAIR))


def lay_addresses(tables):
    """Write the addresses of vertices, faces and the like into the rows of shapes, as they are in this process."""
    offsets = tables.offsets.reshape(-1, len(ADDRESSES))
    for k, name in enumerate(ADDRESSES):
        base = tables.points if name == "points" else tables.integers
        tables.shapes[name] = np.where(offsets[:, k] < 0, 0, base.ctypes.data + 8 * offsets[:, k])
    return tables


def contact_header(tables):
    """The header block: sizes, then the addresses of the tables. Keep it and the arrays alive as long as it is used."""
    return np.array([*tables.size, *(table.ctypes.data for table in tables[1:])], dtype=np.int64)


def with_plain_rows(tables):
    """For plain Python: rows that know their fields as attributes, as compiled records do (`size` aside, which is one of NumPy's own: row["size"])."""
    return tables._replace(shapes=tables.shapes.view(np.recarray), pairs=tables.pairs.view(np.recarray))


def open_contacts(handle):
    """The tables of contacts of a model, given its tables or their handle. In plain Python the tables carry them."""
    return handle.contact_tables


def has_contacts(handle):
    """May bodies of the model touch?"""
    return handle.contact_tables.npairs > 0


def _words_of(address):
    """The words of a model's header, that of its contacts included, which is the last; for compiled code."""
    raise NotImplementedError


def _contacts_of(address):
    """The tables of contacts behind their own header; for compiled code."""
    raise NotImplementedError


@when_compiling
def _verbs():
    word, number = np.dtype(np.int64), np.dtype(np.float64)
    # A view of its own on the model's header: kernels that know nothing of contacts need not be compiled anew for it.
    declare("ModelWords", _words_of, (*WORDS, "contact_tables"))
    declare(
        "ContactTables",
        _contacts_of,
        (*CONTACT_SIZES, *ContactTables._fields[1:]),
        size=Table(word, len(CONTACT_SIZES)),
        shapes=Table(SHAPE, ("nshapes",)),
        pairs=Table(PAIR, ("npairs",)),
        length=Table(number, 1),
        points=Table(number, ("npoints",)),
        integers=Table(word, ("nintegers",)),
        offsets=Table(word, ("noffsets",)),
    )

    @compiled_form(open_contacts)
    def _open_contacts(handle):
        return lambda handle: _contacts_of(_words_of(address_of_header(handle)).contact_tables)

    @compiled_form(has_contacts)
    def _has_contacts(handle):
        return lambda handle: _contacts_of(_words_of(address_of_header(handle)).contact_tables).npairs > 0
