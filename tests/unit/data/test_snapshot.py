"""Snapshots of records: all numbers come back, addresses stay those of the record."""

import numpy as np
import pytest

from linkwork.data.snapshot import Snapshots
from linkwork.kernels.records import Record, address, flag, force, integer, integers, part, real, records, scalars


class Inner(Record):
    x = scalars("n")
    count = integer()


class Outer(Record):
    code = address()
    time = real()
    on = flag()
    inner = part(Inner)
    several = records(Inner, 3)
    flat = records(type("Flat", (Record,), {"f": force()}), "n")
    order = integers("n")
    y = scalars("n")


def filled(seed):
    record = Outer.allocate({"n": 4})
    rng = np.random.default_rng(seed)
    record.code, record.time, record.on, record.inner.count = 1000 + seed, rng.normal(), bool(seed % 2), seed
    record.order[:], record.y[:], record.inner.x[:] = rng.permutation(4), rng.normal(size=4), rng.normal(size=4)
    for k, one in enumerate(record.several):
        one.count, one.x[:] = 10 * seed + k, rng.normal(size=4)
    for one in record.flat:
        one.f = tuple(rng.normal(size=6))
    return record


def numbers(record):
    found = [record.time, record.on, record.inner.count, *record.order, *record.y, *record.inner.x]
    found += [number for one in record.several for number in (one.count, *one.x)]
    return found + [number for one in record.flat for number in one.f]


def test_a_record_takes_the_numbers_of_another_and_keeps_its_addresses():
    first, second = filled(1), filled(2)
    wanted, before = numbers(first), numbers(second)
    words = Snapshots(first).take()
    Snapshots(second).put_back(words)
    assert numbers(second) == wanted != before
    assert second.code == 1002
    second.several[1].x[2] = 7.0
    assert numbers(first) == wanted, "no array leads to the memory of the other"


def test_no_address_is_in_what_is_taken():
    """So that checkpoints of the same run have the same bytes."""
    assert np.array_equal(Snapshots(filled(3)).take(), Snapshots(filled(3)).take())


def test_words_of_another_record_are_refused():
    record = filled(1)
    with pytest.raises(ValueError, match="not of this record"):
        Snapshots(record).put_back(np.zeros(3, dtype=np.int64))
    with pytest.raises(ValueError, match="not of this record"):
        Snapshots(record).put_back(Snapshots(record).take().astype(float))
