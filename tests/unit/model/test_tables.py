"""Sizes and tables behind a header, by name."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT, kernel
from linkwork.model.constraint_tables import CONSTRAINT_SIZES, open_constraints
from linkwork.model.tables import SIZES, WORDS, Tables, open_tables

LOOP = lw.shipped("four-bar").mechanism.build()


@kernel(entry="i A1 -> i")
def _sizes(handle, out) -> int:
    model = open_tables(handle)
    constraint_tables = open_constraints(model)
    out[0], out[1], out[2], out[3] = model.n, model.nq, model.nv, model.nb
    out[4], out[5], out[6], out[7] = model.matrix, model.branches, model.nquats, model.ngenerals
    out[8], out[9], out[10], out[11] = (
        constraint_tables.nblocks,
        constraint_tables.nc,
        constraint_tables.nterms,
        constraint_tables.ntime_functions,
    )
    out[12], out[13], out[14] = constraint_tables.npaths, constraint_tables.ncoefficients, constraint_tables.propagated
    return 0


def test_sizes_are_attributes_by_name():
    assert [getattr(LOOP.tables, name) for name in SIZES] == LOOP.tables.size.tolist()
    assert [getattr(LOOP.constraint_tables, name) for name in CONSTRAINT_SIZES] == LOOP.constraint_tables.size.tolist()
    assert (LOOP.tables.nq, LOOP.tables.nv, LOOP.tables.nb, LOOP.constraint_tables.nc) == (LOOP.nq, LOOP.nv, LOOP.nb, LOOP.nc)
    assert LOOP.tables.n == len(LOOP.tables.links) and LOOP.constraint_tables.nblocks == len(LOOP.constraint_tables.blocks) > 0


def test_kernels_see_the_same_sizes_by_the_same_names():
    out = np.full(15, -1.0)
    _sizes(LOOP.handle, out)
    np.testing.assert_array_equal(out, [*LOOP.tables.size, *LOOP.constraint_tables.size[:7]])


@pytest.mark.skipif(not JIT, reason="plain Python has no header")
def test_a_word_of_the_header_is_a_size_or_the_address_of_its_table():
    header = dict(zip((*WORDS, "contact_tables"), LOOP._header.tolist(), strict=True))
    assert {name: header[name] for name in SIZES} == {name: getattr(LOOP.tables, name) for name in SIZES}
    assert {name: header[name] for name in Tables._fields[1:]} == {
        name: getattr(LOOP.tables, name).ctypes.data for name in Tables._fields[1:]
    }


def test_no_size_has_the_name_of_a_table():
    assert not set(SIZES) & set(Tables._fields) and not set(CONSTRAINT_SIZES) & set(type(LOOP.constraint_tables)._fields)
