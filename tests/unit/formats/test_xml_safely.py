"""Hostile and broken XML: refused with a line, in bounded time and memory, before anything of it acts."""

import os
import time
import tracemalloc

import pytest

from linkwork.errors import FormatError
from linkwork.formats import xml_safely
from linkwork.formats.xml_safely import load_bytes, parse, to_text

BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{"&" + chr(97 + i) + ";"}{"&" + chr(97 + i) + ";" * 9}">' for i in range(12))
    + "]>\n<robot>&m;</robot>"
)


def refused(text, match, line=None):
    with pytest.raises(FormatError, match=match) as caught:
        parse(text, "x.urdf")
    assert caught.value.path == "x.urdf"
    assert str(caught.value).startswith("x.urdf")
    if line is not None:
        assert caught.value.line == line
        assert f"line {line}" in str(caught.value)
    return caught.value


def test_plain_xml_is_read_with_lines():
    root = parse("<robot>\n<link name='a'/>\n<!-- no element --><?no element?></robot>", "x")
    assert [(child.tag, child.sourceline) for child in root] == [("link", 2)]


def test_lines_beyond_65535_are_counted():
    assert parse("<robot>" + "\n" * 70_000 + "<link/></robot>", "x")[0].sourceline == 70_001


def test_a_default_namespace_is_dropped_and_others_stay():
    root = parse('<robot xmlns="http://ros.org" xmlns:s="http://other"><link/><s:camera/></robot>', "x")
    assert [root.tag, *(child.tag for child in root)] == ["robot", "link", "{http://other}camera"]


def test_an_entity_bomb_is_refused_at_its_doctype():
    refused(BOMB, "DOCTYPE", line=2)


@pytest.mark.parametrize(
    "prolog",
    ["", " \n ", '<?xml version="1.0"?>\n', "<!-- <robot> -->\n<?a b?>", "\n<!---->" * 1000],
)
def test_a_doctype_is_found_behind_any_prolog(prolog):
    refused(prolog + '<!DOCTYPE robot SYSTEM "http://example.com/x.dtd"><robot/>', "DOCTYPE", line=prolog.count("\n") + 1)


def test_an_external_entity_reads_no_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    error = refused(f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{secret}">]><robot name="a">&x;</robot>', "DOCTYPE")
    assert "swordfish" not in str(error)


def test_an_entity_nobody_defined_is_refused():
    refused("<robot>\n&x;</robot>", "not defined", line=2)


def test_the_word_doctype_in_a_comment_is_harmless():
    assert parse("<!-- <!DOCTYPE x> --><robot a='&lt;!DOCTYPE'/>", "x").tag == "robot"


@pytest.mark.parametrize("depth", [xml_safely.MAX_DEPTH + 1, 250, 5000, 100_000])
def test_deep_nesting_is_refused(depth):
    refused("<a>" * depth + "</a>" * depth, f"nested deeper than {xml_safely.MAX_DEPTH}", line=1)


def test_the_greatest_depth_is_read():
    assert parse("<a>" * xml_safely.MAX_DEPTH + "</a>" * xml_safely.MAX_DEPTH, "x").tag == "a"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("<robot>" + "<a/>" * (xml_safely.MAX_TAGS + 1) + "</robot>", "tags"),
        ("<robot " + " ".join(f"a{i}=''" for i in range(xml_safely.MAX_ATTRIBUTES + 1)) + "/>", "attributes"),
    ],
    ids=["elements", "attributes"],
)
def test_bulk_is_refused_before_it_is_built(text, match):
    tracemalloc.start()
    start = time.perf_counter()
    refused(text, match)
    assert time.perf_counter() - start < 15.0  # milliseconds; bounded, even where the machine is busy
    assert tracemalloc.get_traced_memory()[1] < 2 * len(text)
    tracemalloc.stop()


def test_an_element_with_hundreds_of_attributes_is_refused():
    """Looking one up is linear in their number, so reading all of half a million would take hours."""
    refused("<robot>\n<link " + " ".join(f"a{i}=''" for i in range(101)) + "/></robot>", "101 attributes", line=2)


@pytest.mark.parametrize(
    ("text", "match", "line"),
    [
        ("", "empty", None),
        (" \n\t", "empty", None),
        ("<robot>\n<link>\n</robot>", "mismatch", 3),
        ("<robot>", "not well-formed", 1),
        ("<robot a='1' a='2'/>", "redefined", 1),
        ("<robot/><robot/>", "not well-formed", 1),
        ("<robot>\x00</robot>", "not well-formed", 1),
        ("<robot>\x01</robot>", "not well-formed", 1),
        ("no xml at all", "not well-formed", 1),
        ("<!-- never ends", "not well-formed", 1),
        ("<?xml never ends", "not well-formed", 1),
        ("<robot>\n<xacro:include/></robot>", "expand it first", 2),
        ("<robot>\n\ud800</robot>", "surrogate", 2),
        ("<robot>&#0;</robot>", "not well-formed", 1),
    ],
)
def test_what_is_not_xml_is_refused(text, match, line):
    refused(text, match, line)


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("utf-8", ""), ("utf-8-sig", "UTF-8"), ("utf-16", "utf-16"), ("utf-16-le", "utf-16"), ("utf-16-be", "utf-16")]
    + [("latin-1", "ISO-8859-1"), ("cp1252", "windows-1252"), ("gbk", "GBK")],
)
def test_encodings(encoding, declared):
    name = "关节" if encoding == "gbk" else "Gelenkgröße"
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    text = to_text(f'{declaration}<robot name="{name}"/>'.encode(encoding), "x")
    assert parse(text, "x").get("name") == name


@pytest.mark.parametrize("declared", ["zlib", "rot13", "unicode_escape", "punycode", "utf-7", "bogus", "idna"])
def test_only_character_sets_count_as_encodings(declared):
    with pytest.raises(FormatError, match="encoding"):
        to_text(f'<?xml version="1.0" encoding="{declared}"?><robot/>'.encode(), "x")


def test_bytes_that_are_no_text_name_their_line():
    with pytest.raises(FormatError, match="not utf-8 text") as caught:
        to_text(b"<robot>\n\n\xff\xfe\xfa", "x")
    assert caught.value.line == 3


def test_random_bytes_are_refused():
    for seed in range(50):
        data = __import__("random").Random(seed).randbytes(500)
        with pytest.raises(FormatError):
            parse(to_text(data, "x"), "x")


@pytest.mark.parametrize(("name", "match"), [(".", "folder"), ("absent.urdf", "No such file"), ("a\0b", "null"), ("n" * 5000, "too long")])
def test_paths_that_are_no_files(tmp_path, name, match):
    path = os.path.join(str(tmp_path), name)
    with pytest.raises(FormatError, match=match) as caught:
        load_bytes(path)
    assert caught.value.path == path
    assert len(str(caught.value)) < 400


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(FormatError, match="not a regular file"):
        load_bytes(str(tmp_path / "pipe.urdf"))


def test_a_file_of_100_mb_is_refused_without_reading_it_all(tmp_path):
    path = tmp_path / "big.urdf"
    with open(path, "wb") as file:
        file.truncate(100 * 2**20)  # sparse: takes no space on disk
    tracemalloc.start()
    with pytest.raises(FormatError, match="larger than 16 MiB"):
        load_bytes(str(path))
    assert tracemalloc.get_traced_memory()[1] < 2 * xml_safely.MAX_BYTES + 2**20
    tracemalloc.stop()


def test_a_single_giant_attribute_is_refused_in_bounded_time():
    start = time.perf_counter()
    refused(f"<robot name='{'x' * 15 * 2**20}'/>", "not well-formed")
    assert time.perf_counter() - start < 30.0  # below a second; bounded, even where the machine is busy
