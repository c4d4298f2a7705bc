"""What a kernel sees of a model's constraints: blocks of rows, reached through the model's handle.

table     a row is       columns
blocks    some rows      kind, mask, turning, moving, holonomic           which rows (parts/constraints/kind.py); LOCK only: mask, turning
                         row, rows                   its first row and their number
                         a, b                        links that carry its two markers, -1 for the world
                         Ra, pa, Rb, pb              the markers in these links
                         term, terms                 its joint coordinates in the table `terms`
                         time_function, time_functions   its first function of time and their number, in the table `time_functions`
                         path, paths                 the links that feel its multipliers, in the table `paths`, children before parents
                         meet                        the link where the ways of its two markers meet, -1 for the world
                         y, width                    where its propagated rows stand, and how many velocities its path has
                         group                       which of the groups it belongs to
                         measure                     DISTANCE: a nominal length, DISC and BALL: the radius, m
                         code                        RELATION: address of the compiled function
terms     a coordinate   q, v, link, coefficient     moment: the coefficient, of a slide times the mechanism's length, so that both compare
time_functions           kind, value, first, count, order, code         PIECEWISE: `count` pieces of `order` coefficients each; count + 1 breaks and then
                         ends                        these are in the table `coefficients` from `first` on; `ends`: it does not extrapolate beyond them
paths     (int)          a link
length    (one float)    a length that occurs in the mechanism, m
inverse_units (float)    1 over what each row is measured by (constraints/tolerance.py)
coefficients  (float)    breaks and coefficients of time functions
groups    a group        block, blocks               its blocks in the table `fellows`
                         first, rows                 its rows in the table `members`
                         columns                     how many velocities the paths of its blocks have
                         matrix                      where its matrix of rows by rows stands
fellows   (int)          a block, group by group, ascending
members   (int)          a row, group by group, ascending
places    (int)          of a row, the how manieth of its group it is
columns   (int)          of a velocity, the how manieth of its group it is (-1: it has none)
velocities  (int)        of a number of a propagated row, the velocity that it belongs to: those of its block's path, for each of its rows

Blocks whose paths share a link are of one group. Rows of different groups know nothing of each other: J M^-1 J^T has no entry for them, nor has any
factor of it, and a velocity belongs to one group at most.
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels import compiled_form, when_compiling
from ..kernels.headers import Table, address_of_header, declare
from .tables import open_tables, sizes_as_attributes

BLOCK = np.dtype(
    [
        *((name, "i4") for name in ("kind", "mask", "turning", "moving", "holonomic", "row", "rows", "a", "b", "term", "terms")),
        *((name, "i4") for name in ("time_function", "time_functions", "path", "paths", "y", "width", "meet", "group", "spare")),
        *(("Ra", "f8", 9), ("pa", "f8", 3), ("Rb", "f8", 9), ("pb", "f8", 3), ("measure", "f8"), ("code", "i8")),
    ],
    align=True,
)
TERM = np.dtype([("q", "i4"), ("v", "i4"), ("link", "i4"), ("spare", "i4"), ("coefficient", "f8"), ("moment", "f8")], align=True)
GROUP = np.dtype([(name, "i8") for name in ("block", "blocks", "first", "rows", "columns", "matrix")])
TIME_FUNCTION = np.dtype(
    [*((name, "i4") for name in ("kind", "first", "count", "order", "ends", "spare")), ("value", "f8"), ("code", "i8")], align=True
)

# Sizes, in the order in which the header holds them. nc: rows; propagated: numbers of rows along their paths; matrix_of_rows: numbers of the groups'
# matrices of rows by rows; directions: those of rows by velocities of the largest group; ncolumns: velocities.
CONSTRAINT_SIZES = (
    "nblocks",
    "nc",
    "nterms",
    "ntime_functions",
    "npaths",
    "ncoefficients",
    "propagated",
    "ngroups",
    "matrix_of_rows",
    "directions",
    "ncolumns",
)


class ConstraintTables(NamedTuple):
    """The tables of a model's constraints. `size` holds the integers named in CONSTRAINT_SIZES, which are attributes too."""

    size: Any
    blocks: Any
    terms: Any
    time_functions: Any
    paths: Any
    length: Any
    inverse_units: Any
    coefficients: Any
    groups: Any
    fellows: Any
    members: Any
    places: Any
    columns: Any
    velocities: Any  # follows from the others


sizes_as_attributes(ConstraintTables, CONSTRAINT_SIZES)


def no_constraints():
    """The tables of a model without constraints."""
    return ConstraintTables(
        np.zeros(len(CONSTRAINT_SIZES), dtype=np.int64),
        np.zeros(0, BLOCK),
        np.zeros(0, TERM),
        np.zeros(0, TIME_FUNCTION),
        np.zeros(0, dtype=np.int64),
        np.ones(1),
        np.zeros(0),
        np.zeros(0),
        np.zeros(0, GROUP),
        *(np.zeros(0, dtype=np.int64) for _ in range(5)),
    )


def open_constraints(handle):
    """The tables of constraints of a model, given its tables or their handle. In plain Python the tables carry them."""
    return handle.constraint_tables


def has_constraints(handle):
    """Has the model constraints?"""
    return handle.constraint_tables.nc > 0


def _constraints_of(address):
    """The tables of constraints behind their own header; for compiled code."""
    raise NotImplementedError


@when_compiling
def _verbs():
    word = np.dtype(np.int64)
    declare(
        "ConstraintTables",
        _constraints_of,
        (*CONSTRAINT_SIZES, *ConstraintTables._fields[1:]),
        size=Table(word, len(CONSTRAINT_SIZES)),
        blocks=Table(BLOCK, ("nblocks",)),
        terms=Table(TERM, ("nterms",)),
        time_functions=Table(TIME_FUNCTION, ("ntime_functions",)),
        paths=Table(word, ("npaths",)),
        length=Table(np.dtype(np.float64), 1),
        inverse_units=Table(np.dtype(np.float64), ("nc",)),
        coefficients=Table(np.dtype(np.float64), ("ncoefficients",)),
        groups=Table(GROUP, ("ngroups",)),
        fellows=Table(word, ("nblocks",)),
        members=Table(word, ("nc",)),
        places=Table(word, ("nc",)),
        columns=Table(word, ("ncolumns",)),
        velocities=Table(word, ("propagated",)),
    )

    @compiled_form(open_constraints)
    def _open_constraints(handle):
        return lambda handle: _constraints_of(open_tables(address_of_header(handle)).constraint_tables)

    @compiled_form(has_constraints)
    def _has_constraints(handle):
        return lambda handle: _constraints_of(open_tables(address_of_header(handle)).constraint_tables).nc > 0
