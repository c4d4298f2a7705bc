"""One rule for each sort of value, whoever asks: what counts as a flag, a whole number, a number, an array of numbers."""

import decimal
import fractions
import math

import numpy as np
import pytest

from linkwork.validation import LONGEST, array_of, described, float_in, float_of, is_finite, is_flag, is_number, is_whole, shortened, shown

FLAGS = [True, False, np.True_, np.array(False)]
WHOLE = [0, -3, 2**53, np.int8(2), np.uint64(7)]
FRACTIONS = [0.5, -0.0, 1e300, np.float32(0.5), np.float64(0.5), np.array(2.0)]
BEYOND = [math.inf, -math.inf, math.nan, np.float64("inf")]
NO_NUMBERS = ["2", b"2", None, 2j, np.complex64(2), [2.0], np.array([2.0]), Ellipsis, {}, float]


@pytest.mark.parametrize("value", [*FLAGS, *WHOLE, *FRACTIONS, *BEYOND, *NO_NUMBERS], ids=repr)
def test_each_value_is_of_one_sort_and_only_floats_can_be_infinite(value):
    flag, whole = any(value is one for one in FLAGS), any(value is one for one in WHOLE)
    beyond = any(value is one for one in BEYOND)
    number = whole or beyond or any(value is one for one in FRACTIONS)
    assert (is_flag(value), is_whole(value), is_number(value)) == (flag, whole, number)
    assert is_finite(value) == (number and not beyond)
    found = float_of(value)
    assert (found is not None) == number
    assert found is None or (type(found) is float and (found == value or math.isnan(found)))


def test_whole_numbers_have_bounds():
    assert is_whole(1, 1) and is_whole(5, 1, 5) and is_whole(np.int64(5), 1, 5)
    assert not (is_whole(0, 1) or is_whole(6, 1, 5) or is_whole(2**53 + 1) or is_whole(2.0))


def test_numbers_of_other_types_become_floats_where_parts_take_them():
    assert float_of(fractions.Fraction(1, 2)) == 0.5 and float_of(decimal.Decimal(2)) == 2.0
    assert float_of(2**60 + 1) == 2.0**60 and float_of(10**400) is None
    assert not is_finite(10**400)


@pytest.mark.parametrize("value", [1, 2.0, [], [1, 2], ((1.0,), (2.0,)), np.ones((2, 3), dtype=np.float32), range(3)])
def test_numbers_of_one_shape_are_an_array(value):
    assert np.array_equal(array_of(value), np.asarray(value))


@pytest.mark.parametrize("value", [None, True, np.True_, [True], "1", ["1"], b"1", {}, {1}, [1, [2]], [1j], [10**400], [None], Ellipsis])
def test_what_is_no_array_of_numbers_is_none(value):
    assert array_of(value) is None


def test_an_array_is_not_copied():
    given = np.ones(3)
    assert array_of(given) is given


def test_text_is_a_number_if_python_reads_one():
    assert float_in(" 1e-3 ") == 1e-3 and float_in("inf") == math.inf
    assert float_in("two") is None and float_in("") is None


def test_values_in_messages_stay_within_a_line():
    assert shown(2) == "2 (int)" and described(2) == "a int"
    assert shortened("x" * LONGEST) == "x" * LONGEST
    assert len(shortened("x" * 1000)) == LONGEST and shortened("x" * 1000).endswith("...")
    assert "parentheses" in described(int) and "parentheses" in described(shortened)
