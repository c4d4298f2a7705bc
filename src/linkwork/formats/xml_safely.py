"""XML from strangers: bytes in, a plain element tree out, in bounded time and memory.

A robot file needs elements and attributes, nothing else of XML. So a document type declaration is refused before the parser
sees it: without one there are no entities to multiply, no external files to fetch and no defaults from elsewhere. The parser
(lxml on libxml2) runs with entities, DTD, network and huge trees off all the same.

Bounds, checked before anything is built in memory:

    file            MAX_BYTES
    elements        MAX_TAGS, counted as "<" in the text (an opening and a closing tag count two; every element has one at least)
    attributes      MAX_ATTRIBUTES, counted as "=" (every attribute has one)

and before anything of it is read:

    attributes of one element    MAX_ATTRIBUTES_OF_ONE
    nesting                      MAX_DEPTH elements
"""

import codecs
import os
import re
import stat

from ..errors import FormatError

MAX_BYTES = 16 * 2**20  # 70 times the largest robot file of the common collections
MAX_TAGS = 200_000  # 30 times that robot; a chain of 10 000 links has 130 000
MAX_ATTRIBUTES = 500_000
MAX_ATTRIBUTES_OF_ONE = 100
MAX_DEPTH = 64  # a URDF is five deep; plugin settings may go some deeper

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
)
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]{0,39})["']""")
_PROLOG = re.compile(r"(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)  # possessive: never backtracks, so linear in the text
# Python also knows "encodings" that unpack, unescape or take quadratic time: only character sets are let through.
_CHARACTER_SET = re.compile(r"utf-8|ascii|iso8859-\d+|cp125\d|gb2312|gbk|gb18030|big5|shift_jis|euc_jp|euc_kr|koi8-r")


def load_bytes(path):
    """The content of a regular file of at most MAX_BYTES; anything else is a FormatError with the path."""
    data = problem = cause = None
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            problem = "this is a folder; give the path of a file in it"
        elif not stat.S_ISREG(mode):  # a pipe would block, a device would never end
            problem = "this is not a regular file; save the text to a file or pass the text itself"
        else:
            with open(path, "rb") as file:
                data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        problem, cause = f"cannot be read ({getattr(error, 'strerror', None) or error}); check the path", error
    if problem:
        raise FormatError(f"{clipped(path, 200)}: {problem}", path=path) from cause
    check_size(data, path)
    return data


def check_size(data, path):
    if len(data) > MAX_BYTES:
        raise FormatError(
            f"{path}: the file is larger than {MAX_BYTES // 2**20} MiB, the most that is read; "
            "keep meshes and recordings in files of their own",
            path=path,
        )


def to_text(data, path):
    """Bytes to text by byte-order mark, else by the XML declaration, else UTF-8."""
    encoding = next((encoding for mark, encoding in _BYTE_ORDER_MARKS if data.startswith(mark)), None)
    if encoding is None:
        declared = _DECLARED.match(data)
        encoding = _known_character_set(declared.group(1).decode("ascii"), path) if declared else "utf-8"
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{path}, line {line}: byte {error.start} is not {encoding} text; a text file is needed (is this a mesh or an archive?)",
            path=path,
            line=line,
        ) from error


def _known_character_set(declared, path):
    try:
        name = codecs.lookup(declared).name
    except LookupError:
        name = ""
    if not _CHARACTER_SET.fullmatch(name):
        raise FormatError(
            f"{path}, line 1: encoding {declared!r} is declared, which is not read; save the file as UTF-8", path=path, line=1
        )
    return name


def parse(text, path):
    """The root element of an XML text. Tags in the root's own namespace lose it, so that callers compare plain names."""
    if not text.strip():
        raise FormatError(f"{path}: the file is empty; an XML text is needed", path=path)
    _refuse_bulk(text, path)
    _refuse_doctype(text, path)
    from lxml import etree  # here, so that files of other formats need not wait for it

    parser = etree.XMLParser(
        encoding="utf-8",  # overrides the declaration: the text has been decoded already
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        no_network=True,
        huge_tree=False,
        recover=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise FormatError(f"{path}, line {line}: the text holds half a surrogate pair; save it as UTF-8", path=path, line=line) from error
    except etree.XMLSyntaxError as error:
        raise _syntax_error(error, path) from error
    _refuse_odd_shapes(root, path)
    _drop_own_namespace(root)
    return root


def _syntax_error(error, path):
    line = error.lineno or None
    reason = clipped(re.sub(r"\s*(, line \d+, column \d+)?\s*(\([^()]*\))?\s*$", "", str(error.msg)), 200)
    if "Excessive depth" in reason:
        return _too_deep(path, line)
    advice = ""
    if "Namespace prefix" in reason:
        advice = "; declare the prefix in the root element, or, if this is a xacro file, expand it first: xacro in.xacro > out.urdf"
    return FormatError(f"{path}, line {line}: not well-formed XML: {reason}{advice}", path=path, line=line)


def _too_deep(path, line):
    return FormatError(f"{path}, line {line}: elements are nested deeper than {MAX_DEPTH}, the most that is read", path=path, line=line)


def _refuse_bulk(text, path):
    for sign, most, what in (("<", MAX_TAGS, "tags"), ("=", MAX_ATTRIBUTES, "attributes")):
        found = text.count(sign)
        if found > most:
            raise FormatError(f"{path}: about {found} {what}; at most {most} are read", path=path)


def _refuse_doctype(text, path):
    """A DOCTYPE may only stand before the root element, among white space, comments and processing instructions."""
    at = _PROLOG.match(text).end()
    if text[at : at + 9].upper() == "<!DOCTYPE":
        line = text.count("\n", 0, at) + 1
        raise FormatError(
            f"{path}, line {line}: a document type declaration (DOCTYPE) is refused, since it can define entities and "
            "fetch other files; remove it",
            path=path,
            line=line,
        )


def _refuse_odd_shapes(root, path):
    """Level by level: not too deep, and no element with so many attributes that finding one among them takes long."""
    level = [root]
    for _ in range(MAX_DEPTH):
        for element in level:
            if len(element.attrib) > MAX_ATTRIBUTES_OF_ONE:
                line = element.sourceline
                found = f"an element with {len(element.attrib)} attributes; at most {MAX_ATTRIBUTES_OF_ONE} are read"
                raise FormatError(f"{path}, line {line}: {found}", path=path, line=line)
        level = [child for element in level for child in element]
        if not level:
            return
    raise _too_deep(path, level[0].sourceline)


def _drop_own_namespace(root):
    if not root.tag.startswith("{"):
        return
    own = root.tag[: root.tag.index("}") + 1]
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.removeprefix(own)


def clipped(text, most=60):
    """Text short enough to print; hostile names and values can be megabytes long."""
    return text if len(text) <= most else text[: most - 3] + "..."
