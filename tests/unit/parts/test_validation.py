"""What counts as a number, a vector, a table or a name."""

import decimal
import fractions
import math

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.parts.validation import array, name_of_part, number, vector


@pytest.mark.parametrize(
    "value", [2, 2.0, np.float32(2), np.float64(2), np.int8(2), np.array(2.0), fractions.Fraction(2), decimal.Decimal(2)]
)
def test_real_numbers_of_any_type_become_floats(value):
    found = number(value, "body 'b'", "mass")
    assert found == 2.0 and type(found) is float


def test_a_whole_number_too_long_for_a_float_is_rounded_or_refused():
    assert number(2**60 + 1, "body 'b'", "mass") == 2.0**60
    with pytest.raises(ModelError, match=r"body 'b': mass is 1000.*\.\.\. \(int\); give a real number"):
        number(10**400, "body 'b'", "mass")


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_values_that_make_no_sense_are_still_numbers(value):
    assert str(number(value, "body 'b'", "mass")) == str(value)


@pytest.mark.parametrize("value", ["2", b"2", True, np.True_, None, 2j, np.complex64(2), [2.0], np.array([2.0]), object(), {}])
def test_what_is_no_real_number_is_refused_with_the_part_and_the_quantity(value):
    with pytest.raises(ModelError, match=r"^body 'b': mass is .*give a real number$"):
        number(value, "body 'b'", "mass")


@pytest.mark.parametrize("value", [(1, 2, 3), [1, 2, 3], np.array([1, 2, 3]), range(1, 4), (x for x in (1, 2, 3))])
def test_any_sequence_of_three_numbers_is_a_vector(value):
    assert vector(value, 3, "body 'b'", "com") == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("value", ["abc", b"abc", {1, 2, 3}, {1: 1, 2: 2, 3: 3}, 3, None, (1, 2), [[1, 2, 3]], (1, 2, "3"), np.eye(3)])
def test_what_is_no_vector_is_refused(value):
    with pytest.raises(ModelError, match=r"^body 'b': com is "):
        vector(value, 3, "body 'b'", "com")


def test_tables_are_copied_and_cannot_be_written_to():
    source = np.zeros((2, 3))
    found = array(source, 3, float, "Mesh", "vertices")
    source[:] = 1.0
    assert not found.any()
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1.0


@pytest.mark.parametrize("value", ["abc", [[1, 2], [3]], [[1, 2]], [1, 2, 3], [["a", "b", "c"]], None, [[1j, 0, 0]], [[True, False, True]]])
def test_what_is_no_table_is_refused(value):
    with pytest.raises(ModelError, match=r"^Mesh: vertices .*give an array of shape \(n, 3\) of numbers"):
        array(value, 3, float, "Mesh", "vertices")


def test_indices_are_whole_numbers():
    with pytest.raises(ModelError, match=r"^Mesh: faces .*whole numbers"):
        array([[0.0, 1.0, 2.0]], 3, int, "Mesh", "faces")


@pytest.mark.parametrize("value", ["", "  ", "\t\n"])
def test_a_name_is_not_blank(value):
    with pytest.raises(ModelError, match=r"^a body: its name is .*empty.*give one$"):
        name_of_part(value, "body")


@pytest.mark.parametrize("value", [None, 3, b"x", ["x"]])
def test_a_name_is_text(value):
    with pytest.raises(ModelError, match=r"^a body: its name is .*a name is text"):
        name_of_part(value, "body")
