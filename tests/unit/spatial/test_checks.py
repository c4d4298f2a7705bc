"""Numbers that people hand in."""

from fractions import Fraction

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.spatial.checks import listed, number, numbers


def test_anything_like_real_numbers_is_taken():
    for value in ((1, 2, 3), [1.0, 2, np.float32(3)], np.array([1, 2, 3], np.uint8), (Fraction(1), 2, 3.0), range(1, 4)):
        found = numbers("x", value, (3,))
        assert found.dtype == np.float64 and found.tolist() == [1.0, 2.0, 3.0] and not found.flags.writeable
    assert number("x", Fraction(1, 2)) == 0.5
    assert np.isnan(number("x", np.nan))


@pytest.mark.parametrize(
    "value", [None, "123", (1, None, 3), (1, 2, 3j), (True, False, True), (1, 2), [[1, 2, 3]], (1, (2, 3), 4), {1, 2, 3}, {}]
)
def test_anything_else_is_refused(value):
    with pytest.raises(ModelError, match=r"^width: found .*; it must be 3 numbers$"):
        numbers("width", value, (3,))


def test_long_values_are_cut_in_messages():
    with pytest.raises(ModelError) as caught:
        numbers("x", "a" * 1000, (3,))
    assert len(str(caught.value)) < 150


def test_listed_writes_numbers_as_people_do():
    assert listed((0.1, 0, -2.0, 1 / 3, 1e-20)) == "(0.1, 0, -2, 0.3333333, 1e-20)"
