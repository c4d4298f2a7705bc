"""Values of parts as text, and back."""

import math

import pytest

import linkwork as lw
from linkwork.studio.fields import Field, fields_of, number, numbers, read, text_of
from linkwork.studio.part_fields import groups_of, slider_range

NUMBER = Field("damping", 0.5, "number")
VECTOR = Field("axis", (0.0, 0.0, 1.0), "numbers", 3)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.25", 0.25), (" -1e-3 ", -1e-3), ("inf", math.inf), ("-inf", -math.inf), ("90 deg", math.pi / 2), ("180°", math.pi), (".5", 0.5)],
)
def test_a_number_is_read_as_people_write_it(text, value):
    assert read(NUMBER, text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["0 1 0", "0, 1, 0", "(0; 1; 0)", "[0.0 1.0 0.0]", "0  1\t0"])
def test_a_vector_is_read_with_any_separator(text):
    assert read(VECTOR, text) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("text", ["", "abc", "1 2", "1e", "nan", "0x10", "1_000", "__import__('os')", "1+1", "١e", "9" * 3000])
def test_what_is_no_number_is_refused_in_words_and_never_evaluated(text):
    with pytest.raises(lw.StudioError, match=r"joint 'pivot': damping: found .*; allowed is a number such as .*; correct it"):
        read(NUMBER, text, "joint 'pivot'")


def test_a_vector_of_another_length_is_refused():
    with pytest.raises(lw.StudioError, match=r"axis: found '0 1'; allowed is 3 numbers"):
        read(VECTOR, "0 1")


def test_an_optional_value_may_be_left_out_and_others_may_not():
    assert read(Field("mass", 1.0, "number", optional=True), "  ") is None
    with pytest.raises(lw.StudioError):
        read(NUMBER, "  ")


def test_whole_numbers_stay_whole():
    assert read(Field("max_order", 12, "number"), "5") == 5 and isinstance(read(Field("max_order", 12, "number"), "5"), int)


def test_numbers_of_a_form_must_be_finite():
    assert numbers("1 2 3", "where", 3) == (1.0, 2.0, 3.0)
    with pytest.raises(lw.StudioError, match="finite"):
        numbers("1 inf 3", "where", 3)
    with pytest.raises(lw.StudioError, match="from 0 on"):
        number("-1", "weight", least=0.0)


def test_every_field_of_every_shipped_part_can_be_read_back_from_its_own_text():
    """To nine digits, which is what a form shows."""
    count = 0
    for name in lw.shipped():
        mechanism = lw.shipped(name).mechanism
        for part in (*mechanism.bodies, *mechanism.joints, *mechanism.constraints, *mechanism.forces, *mechanism.frames):
            for group in groups_of(mechanism, part):
                for field in group.fields:
                    if field.form in ("number", "numbers") and field.value is not None:
                        assert read(field, text_of(field.value)) == pytest.approx(field.value, rel=1e-8, abs=1e-300)
                        count += 1
    assert count > 500


def test_a_function_of_time_is_seen_and_not_edited():
    fields = {field.name: field for field in fields_of(lw.Drive(lambda t: t * t))}
    assert fields["target"].form == "fixed"
    assert {field.name: field.form for field in fields_of(lw.Drive(0.3))} == {"target": "number"}


@pytest.mark.parametrize(("value", "low", "high"), [(200.0, 0.0, 600.0), (0.0, -3.0, 3.0), (-2.0, -6.0, 6.0), (math.inf, 0.0, 3.0)])
def test_a_slider_reaches_from_nothing_to_a_few_times_the_value(value, low, high):
    assert slider_range(value) == (low, high)


def test_numbers_that_were_left_as_they_are_shown_keep_all_their_digits():
    """An edit of one component rounded the others to 9 digits."""
    value = (0.0, 0.123456789012345, -9.80665123456789)
    field = Field("gravity", value, "numbers", 3)
    _, y, z = text_of(value).split()
    assert read(field, f"1 {y} {z}") == (1.0, *value[1:])
    assert read(field, f"1 {y} -9.8") == (1.0, value[1], -9.8)
    assert read(Field("mass", 0.123456789012345, "number"), y) == 0.123456789012345
