"""Flags of lanes: comparisons to integers and back, of floats and of packs."""

import numpy as np
import pytest

from linkwork.kernels import JIT, kernel
from linkwork.kernels.array_fields import pack_width
from linkwork.kernels.lane_flags import ALL_LANES, count_flagged, flagged_lanes, flags_of, in_lanes, is_flagged, where_flagged
from linkwork.kernels.records import Record, integers, scalars
from linkwork.kernels.scalar import where, width, zero


class Numbers(Record):
    x = scalars("n", "numbers", by="the test")
    y = scalars("n", "1 where x is above 0, else -1", by="judge")
    flags = integers("n", "is x above 0?", by="judge")
    seen = integers("n", "how many lanes are flagged", by="judge")
    z = scalars("n", "3 where x is between 0 and 1, else x", by="choose")
    counts = integers("lanes", "of each lane: how often x is between 0 and 1", by="choose")


@kernel
def judge(data, n, lanes) -> None:
    for i in range(n):
        data.flags[i] = flags_of(data.x[i] > 0.0)
        data.y[i] = where(in_lanes(data.flags[i], data), zero(data) + 1.0, zero(data) - 1.0)
        data.seen[i] = 0
        for lane in range(lanes):
            if is_flagged(data.flags[i], lane):
                data.seen[i] = data.seen[i] + 1


@kernel
def choose(data, n) -> int:
    """Returns the flags of lanes in which no x is above 1."""
    none = ALL_LANES
    for i in range(n):
        above = flags_of(data.x[i] > 1.0)
        between = flags_of(data.x[i] > 0.0) & ~above
        data.z[i] = where_flagged(between, zero(data) + 3.0, data.x[i])
        count_flagged(data.counts, between, width(data))
        none = none & ~above
    return none


@pytest.mark.parametrize("lanes", [1, pack_width()])
def test_flags_choose_and_count_lane_by_lane(lanes):
    if lanes > 1 and not JIT:
        pytest.skip("plain Python has one lane")
    data, x = Numbers.allocate({"n": 40, "lanes": lanes}, lanes), np.random.default_rng(4).normal(size=(40, lanes))
    x[:, : lanes // 2] = np.minimum(x[:, : lanes // 2], 0.9)
    x[3] = np.nan
    data.x[:] = x if lanes > 1 else x[:, 0]
    none = choose(data, 40)
    between = (x > 0.0) & ~(x > 1.0)
    np.testing.assert_array_equal(np.reshape(data.z, (40, lanes)), np.where(between, 3.0, x))
    np.testing.assert_array_equal(data.counts, between.sum(axis=0))
    assert flagged_lanes(none, lanes) == np.flatnonzero(~(x > 1.0).any(axis=0)).tolist()


@pytest.mark.parametrize("lanes", [1, pack_width()])
def test_flags_are_those_of_each_lane(lanes):
    if lanes > 1 and not JIT:
        pytest.skip("plain Python has one lane")
    data = Numbers.allocate({"n": 40, "lanes": lanes}, lanes)
    x = np.random.default_rng(3).normal(size=(40, lanes))
    x[0], x[1], x[2] = 1.0, -1.0, np.nan  # all flags, none, and NaN, which is above nothing
    data.x[:] = x if lanes > 1 else x[:, 0]
    judge(data, 40, lanes)
    above = x > 0.0
    np.testing.assert_array_equal(data.flags, (above << np.arange(lanes)).sum(axis=1))
    np.testing.assert_array_equal(np.reshape(data.y, (40, lanes)), np.where(above, 1.0, -1.0))
    np.testing.assert_array_equal(data.seen, above.sum(axis=1))
