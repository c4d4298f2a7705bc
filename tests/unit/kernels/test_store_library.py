"""The built library: complete, with nothing outside but the C library, and enough by itself."""

import struct

import pytest

from linkwork.kernels import build, store
from linkwork.kernels.level import target
from linkwork.kernels.loader import C_LIBRARY, closure

from .units import PACKAGE, TESTS, run, run_script

HERE = target().name
pytestmark = pytest.mark.skipif(
    not (PACKAGE / "kernels" / "library" / f"{HERE}.kernels").exists(), reason="there is no library; make it with: make kernels"
)


def elf_symbols(data):
    """(names defined and visible, names undefined) of an ELF object of 64 bits, little-endian."""
    assert data[:6] == b"\x7fELF\x02\x01"
    (sections_at,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, sections_at + k * size) for k in range(count)]
    defined, undefined = set(), set()
    for _, kind, _, _, at, length, link, *_ in sections:
        if kind == 2:  # the table of symbols
            for k in range(at + 24, at + length, 24):  # the first is empty
                name, info, _, section = struct.unpack_from("<IBBH", data, k)
                start = sections[link][4] + name
                text = data[start : data.index(b"\0", start)].decode()
                if section == 0:
                    undefined.add(text)
                elif info >> 4:
                    defined.add(text)
    return defined, undefined


@pytest.fixture(scope="module")
def units():
    """All units of the library that are found, by symbol."""
    index, _ = store._library(HERE)
    found = {name: store.find(name) for name in index}
    assert len(found) > 300 and None not in found.values()
    return found


@pytest.mark.skipif(target().system == "darwin", reason="objects are not in the ELF format")
def test_units_use_each_other_and_the_c_library_alone(units):
    used = set()
    for name, unit in units.items():
        defined, undefined = elf_symbols(unit.object)
        assert defined == {name}, "one symbol is seen from outside"
        needs = set(unit.header["needs"])
        assert undefined - C_LIBRARY <= needs, f"{name}: {undefined - C_LIBRARY - needs}"
        assert set(unit.header["libc"]) <= C_LIBRARY
        assert needs <= set(units)
        used |= undefined & C_LIBRARY
    assert {"atan2", "tanh"} <= used, "the table was read"


def test_units_hold_no_address_of_the_process_that_compiled_them(units):
    """What Numba keeps of Python (environments, dynamic globals) is gone: no symbol and no text tells of it."""
    for name, unit in units.items():
        for word in (b"NumbaEnv", b"numba.dynamic", b"NRT_", b"Py_", b"_ZN"):
            assert word not in unit.object, f"{name}: {word}"


def test_the_library_is_complete(units):
    symbols = set()
    for symbol, recipe in build.entries().items():
        found, missing = closure(symbol, recipe)
        assert missing == {}, symbol
        symbols |= {unit.header["symbol"] for unit in found}
    assert symbols == set(units), "and holds nothing else"


def test_results_of_callees_are_what_callers_expect(units):
    for name, unit in units.items():
        for other, (returns, _) in unit.header["needs"].items():
            assert units[other].header["returns"] == returns, (name, other)


@pytest.mark.slow
@pytest.mark.parametrize("names", [["tree", "matrix"], ["loop"], ["live"], ["studio"]], ids=lambda names: names[0])
def test_all_of_it_runs_where_numba_cannot_be_imported(names, tmp_path):
    """Twice, with the same bits; nothing is compiled."""
    first, second = (run_script(names, LINKWORK_CACHE=tmp_path / "cache", LINKWORK_JIT=None) for _ in range(2))
    assert first["found"].keys() == set(names) and not first["numba"]
    assert first == second
    assert not (tmp_path / "cache").exists()


def test_numba_is_blocked_indeed():
    code = f"""
import json, sys
sys.path.insert(0, {str(TESTS)!r})
from without_numba import NoNumba
sys.meta_path.insert(0, NoNumba())
from linkwork.kernels import numba_ready
try:
    numba_ready()
except ImportError as error:
    print(json.dumps(str(error)))
"""
    assert run(code) == "Numba is not to be imported here"
