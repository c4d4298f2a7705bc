"""Lines as words: what is written is read the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwork.studio.console.errors import RefusedError
from linkwork.studio.console.words import number, quoted, shown, split


def test_words_are_separated_by_blanks_and_end_at_a_comment():
    assert split("  sb stick0\t-t 6 -15 10 ; where it starts") == ["sb", "stick0", "-t", "6", "-15", "10"]
    assert split("; nothing but a comment") == split("") == split("  \r\n") == []
    assert split("ib a;b") == ["ib", "a"]


def test_a_minus_and_a_letter_is_an_option_a_minus_and_a_number_is_not():
    words = split('-t -.5 -5 - -E "-t" -1e5')
    assert [word.is_option for word in words] == [True, False, False, False, True, False, False]


def test_names_with_blanks_stand_in_quotes():
    assert split('ib "left ; arm"') == ["ib", "left ; arm"]


@pytest.mark.parametrize("line", ['ib "left', 'ib a"b', 'ib "a"b', 'ib "\\x"', '"'])
def test_quotes_that_do_not_pair_up_are_refused(line):
    with pytest.raises(RefusedError):
        split(line)


@given(st.text(min_size=1))
def test_any_name_is_one_word_that_is_read_back(name):
    (word,) = split(quoted(name))
    assert word == name
    assert not word.is_option
    assert quoted(name).isprintable(), "an answer is one line"


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e150, max_value=1e150))
def test_a_number_is_read_back_to_the_bit(x):
    assert number(shown(x), "x") == x


@pytest.mark.parametrize(("text", "value"), [(".5", 0.5), ("-.5", -0.5), ("+2", 2.0), ("3.", 3.0), ("1e-3", 1e-3)])
def test_numbers_as_in_the_thesis(text, value):
    assert number(text, "x") == value


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1_0", "0x10", "١", "", "1e400", "1e", "--1", "1,5"])
def test_what_is_no_finite_number_is_refused(text):
    with pytest.raises(RefusedError, match="x is"):
        number(text, "x")
