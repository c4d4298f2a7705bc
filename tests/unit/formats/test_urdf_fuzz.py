"""Whatever is done to a file: it is read, or refused with a FormatError, soon, and without a warning."""

import math
import random
import re
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwork.errors import FormatError
from linkwork.formats import read
from linkwork.formats.urdf_report import Note
from linkwork.parts import Mechanism

NASTY = ["nan", "inf", "1e308", "-1e308", "1e400", "1e-320", "-0", "0 0 0", "1 2", "1e308 1e308 1e308", "", " ", "\0", "\ud800", "ground"]
NASTY += [
    "root",
    "base",
    "arm",
    "&amp;",
    "&x;",
    "&#10;",
    "<",
    "]]>",
    "\U0001f916",
    "é" * 50,
    "9" * 500,
    "${x}",
    "fixed",
    "floating",
    "1.2",
    "\t",
]
TAGS = ["link", "joint", "inertial", "origin", "visual", "geometry", "mesh", "limit", "mimic", "robot", "gazebo", "xacro:macro", "a:b"]


def mutated(text, random):
    """The text with one to four accidents."""
    for _ in range(random.randint(1, 4)):
        a, b = sorted(random.randrange(len(text) + 1) for _ in range(2))
        values = list(re.finditer(r'"([^"<]*)"', text))
        elements = list(re.finditer(r"<(\w+)[^<>]*/>", text))
        accident = random.randrange(9 if values and elements else 4)
        if accident == 0:
            text = text[:a] + text[min(b, a + 200) :]
        elif accident == 1:
            text = text[:a] + text[a : a + 300] + text[a:]
        elif accident == 2:
            text = text[:a]
        elif accident == 3:
            text = text[:a] + random.choice(NASTY + TAGS) + text[a:]
        elif accident <= 6:  # the deepest layers are reached by files that are still XML
            value = random.choice(values)
            other = random.choice([random.choice(NASTY), random.choice(values).group(1)])
            text = text[: value.start(1)] + other + text[value.end(1) :]
        elif accident == 7:
            element = random.choice(elements)
            text = text[: element.start()] + text[element.end() :]
        else:
            element, place = random.choice(elements), random.choice(elements)
            text = text[: place.start()] + element.group() + text[place.start() :]
    return text


def outcome(source, **options):
    """ "read" or "refused"; anything else fails."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            m = read(source, **options)
        except FormatError as error:
            assert 10 < len(str(error)) < 20_000
            found = "refused"
        else:
            assert isinstance(m, Mechanism)
            assert all(isinstance(note, Note) and note.line for note in m.notes)
            found = "read"
    assert time.perf_counter() - start < 15.0  # milliseconds; bounded, even where the machine is busy
    return found


@pytest.mark.parametrize("strict", [False, True])
def test_accidents_to_a_file(text, strict):
    outcomes = []
    for seed in range(300):
        source = mutated(text.everything, random.Random(seed))
        outcomes.append(outcome(source, strict=strict, root=("fixed", "floating")[seed % 2]))
    assert outcomes.count("refused") >= 100
    if not strict:  # else the test would only visit the XML parser
        assert outcomes.count("read") >= 30


def test_accidents_to_bytes(text):
    outcomes = []
    for seed in range(100):
        rng = random.Random(seed)
        data = bytearray(text.everything.encode(("utf-8", "utf-16")[seed % 2]))
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        outcomes.append(outcome(bytes(data)))
    assert set(outcomes) == {"read", "refused"}


@given(st.one_of(st.text(max_size=20), st.floats().map(str), st.floats().map(repr), st.integers().map(str)))
def test_any_text_as_a_number(value):
    """An attribute is read as Python reads a finite decimal number, or refused."""
    escaped = value.translate({ord(c): f"&#{ord(c)};" for c in '<>&"\t\n\r'})
    source = f'<robot name="r"><link name="a"><collision><geometry><sphere radius="{escaped}"/></geometry></collision></link></robot>'
    try:
        shapes = read(source).body("a").collisions
    except FormatError:
        assert not re.fullmatch(r"[-+]?\d+(\.\d+)?", value, re.ASCII) or not math.isfinite(float(value))
    else:
        assert shapes == () if float(value) <= 0 else shapes[0].radius == float(value)


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_any_text_as_names(link, joint):
    """Names that XML can hold and a person can see arrive unchanged, however strange; joints may get a suffix."""
    names = [name.translate({ord(c): f"&#{ord(c)};" for c in '<>&"\t\n\r'}) for name in (link, joint)]
    source = (
        f'<robot name="r"><link name="base"/><link name="{names[0]}"/>'
        f'<joint name="{names[1]}" type="fixed"><parent link="base"/><child link="{names[0]}"/></joint></robot>'
    )
    try:
        m = read(source)
    except FormatError as error:
        assert re.search("not well-formed|empty|xacro|surrogate|a second link", str(error))
    else:
        assert m.bodies[1].name == (link if link != "ground" else "ground_link")
        assert m.joints[1].name.removesuffix("_joint") == joint.removesuffix("_joint")
        assert len({part.name for part in (m.ground, *m.bodies, *m.joints)}) == 5
