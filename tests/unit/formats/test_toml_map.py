"""Where keys stand: every key of a text is found, at the place where it is written."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwork.formats.native_report import quoted_key
from linkwork.formats.native_text import value_text
from linkwork.formats.toml_map import TomlMap

TEXT = """\
a = 1 # [no.header]
"b c".'d.e' = '''
[no.header]
x = 1
'''
f = [ # comment ]
  { g = "]", h = [1, 2] }, # }
  { g = "\\"]" },
]

# lead 1
# lead 2
[ t . "u\\u0020v" ] # said
i = \"""a" "" \\\""" ]\"""
j.k = 2024-01-01T00:00:00Z

# apart

[[t.w]]
l = 1
[[t.w]]
l = 2
[t.w.x]
m = {n.o = 1}
"""


def paths(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in items:
        yield from paths(entry, (*at, key))


def test_every_key_is_found():
    assert set(TomlMap(TEXT).keys) | {()} == set(paths(tomllib.loads(TEXT)))


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("a",), (1, 1)),
        (("b c",), (2, 1)),
        (("b c", "d.e"), (2, 7)),
        (("f", 1, "g"), (8, 5)),
        (("t", "u v"), (13, 7)),
        (("t", "u v", "j", "k"), (15, 3)),
        (("t", "w", 0, "l"), (20, 1)),
        (("t", "w", 1, "l"), (22, 1)),
        (("t", "w", 1, "x", "m", "n", "o"), (24, 8)),
        (("t", "w", 1, "nothing"), (21, 5)),
        (("nothing",), (None, None)),
    ],
)
def test_places(path, place):
    assert TomlMap(TEXT).place(path) == place


def test_blocks_divide_the_text():
    found = TomlMap(TEXT)
    assert [block.names for block in found.blocks] == [(), ("t", "u v"), ("t", "w"), ("t", "w"), ("t", "w", "x")]
    assert "".join(TEXT[block.lead : block.end] for block in found.blocks) == TEXT
    second = found.blocks[1]
    assert TEXT[second.lead : second.start] == "# lead 1\n# lead 2\n"
    assert TEXT[second.content : second.end] == "\n# apart\n\n"
    assert TEXT[slice(*found.span(("b c", "d.e")))] == "'d.e'"


value = st.recursive(
    st.one_of(st.integers(-5, 5), st.floats(allow_nan=False), st.booleans(), st.text(st.characters(exclude_categories=["Cs"]), max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text("ab\"'.#[ ]=\n", max_size=3), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), value, max_size=4))
def test_every_key_of_any_text_is_found(data):
    """The writer of values and the map agree with the parser of the standard library on what a text says."""
    text = "".join(f"{quoted_key(key)} = {value_text(entry, 100)} # [c]\n" for key, entry in data.items())
    assert tomllib.loads(text) == data
    assert set(TomlMap(text).keys) | {()} == set(paths(data))
