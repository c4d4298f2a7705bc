"""A body keeps its colour while others come and go."""

import pytest

import linkwork as lw
from linkwork.studio.scene.colours import PALETTE, BodyColors


def shown(colors, *names):
    colors.update(list(names))
    return [colors[name] for name in names]


def test_neighbours_differ_until_the_palette_is_used_up():
    names = [f"b{k}" for k in range(2 * len(PALETTE))]
    found = shown(BodyColors(), *names)
    assert sorted(found) == sorted(2 * PALETTE)


def test_colours_stay_when_bodies_are_removed_added_and_reordered():
    colors = BodyColors()
    a, b, c = shown(colors, "a", "b", "c")
    assert shown(colors, "c", "a") == [c, a]
    new = shown(colors, "new", "c", "a")[0]
    assert new == b, "the colour that is free"
    assert shown(colors, "a", "c", "new") == [a, c, new]


def test_an_undone_removal_brings_the_colour_back_unless_it_was_taken():
    colors = BodyColors()
    a, b, c = shown(colors, "a", "b", "c")
    shown(colors, "a", "c")
    assert shown(colors, "a", "b", "c") == [a, b, c]
    shown(colors, "a", "c")
    shown(colors, "a", "c", "d")
    assert len(set(shown(colors, "a", "c", "d", "b"))) == 4


def test_a_renamed_body_keeps_its_colour():
    colors = BodyColors()
    a, b, c = shown(colors, "a", "b", "c")
    colors.paint("c", "#102030")
    assert shown(colors, "a", "new name", "c") == [a, b, (16, 32, 48)]
    assert shown(colors, "a", "new name", "d")[2] == (16, 32, 48)


def test_paint_is_checked_and_can_be_taken_off():
    colors = BodyColors()
    (a,) = shown(colors, "a")
    colors.paint("a", (1.0, 0.0, 0.5))
    assert colors["a"] == (255, 0, 128)
    colors.paint("a", None)
    assert colors["a"] == a
    with pytest.raises(lw.ModelError, match="rrggbb"):
        colors.paint("a", "blue")
