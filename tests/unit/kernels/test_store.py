"""What is stale, damaged, cut short or for another target is as if it were not there, loose or packed."""

import json

import pytest

from linkwork.kernels import store
from linkwork.kernels.level import target
from linkwork.kernels.sources import digest_of

HERE = target().name
FILE = "dynamics/aba.py"
DATA = bytes(range(256)) * 3


def put(symbol="linkwork.a(i)", data=DATA, **more):
    header = {"symbol": symbol, "returns": "none", "needs": {}, "libc": [], "files": {FILE: digest_of(FILE)}, "seconds": 0.1}
    return store.write({**header, **more}, data)


def the_file(folder):
    [file] = folder.glob("*.unit")
    return file


def test_what_is_written_is_found(empty):
    put()
    found = store.find("linkwork.a(i)")
    assert found.object == DATA and found.header["target"] == HERE and found.header["files"] == {FILE: digest_of(FILE)}
    assert store.find("linkwork.b(i)") is None
    assert [file.suffix for file in empty.iterdir()] == [".unit"], "nothing is left of writing"


def test_a_unit_of_changed_sources_is_stale(empty):
    put(files={FILE: "0" * 24})
    assert store.find("linkwork.a(i)") is None
    put(files={"dynamics/gone.py": digest_of(FILE)})
    assert store.find("linkwork.a(i)") is None
    put(files={FILE: digest_of(FILE)})
    assert store.find("linkwork.a(i)") is not None


@pytest.mark.parametrize("name", ["foundation_digest", "FORMAT"])
def test_a_unit_of_another_foundation_or_format_is_stale(empty, monkeypatch, name):
    put()
    monkeypatch.setattr(store, name, (lambda: "other") if name == "foundation_digest" else store.FORMAT + 1)
    assert store.find("linkwork.a(i)") is None


def test_a_unit_for_another_target_is_refused(empty):
    put()
    file = the_file(empty)
    other = empty.parent / "linux-riscv64" / file.name
    other.parent.mkdir()
    other.write_bytes(file.read_bytes())
    assert store.find("linkwork.a(i)", "linux-riscv64") is None


def test_a_unit_under_the_name_of_another_is_refused(empty):
    put()
    (empty / store._file_name("linkwork.b(i)")).write_bytes(the_file(empty).read_bytes())
    assert store.find("linkwork.b(i)") is None


def test_a_unit_cut_short_is_refused(empty):
    put()
    file = the_file(empty)
    whole = file.read_bytes()
    for length in [0, 1, 63, 64, 65, 66, 200, len(whole) - len(DATA) - 1, len(whole) - len(DATA), len(whole) - 1]:
        file.write_bytes(whole[:length])
        assert store.find("linkwork.a(i)") is None, length
    file.write_bytes(whole + b"\0")
    assert store.find("linkwork.a(i)") is None


def test_a_unit_with_any_bit_flipped_is_refused(empty):
    put()
    file = the_file(empty)
    whole = file.read_bytes()
    for at in range(0, len(whole), 3):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        assert store.find("linkwork.a(i)") is None, at


@pytest.mark.parametrize("header", [[], 3, {}, {"format": store.FORMAT - 1}, None])
def test_another_header_is_refused(empty, header):
    put()
    the_file(empty).write_bytes(store._sealed(header) + DATA)
    assert store.find("linkwork.a(i)") is None


def packed(tmp_path, empty):
    """A library of two units; no loose ones."""
    put("linkwork.a(i)")
    put("linkwork.b(i)", DATA[::-1])
    path = store.pack(["linkwork.a(i)", "linkwork.b(i)"], HERE)
    assert path.parent == tmp_path / "library"
    for file in empty.glob("*.unit"):
        file.unlink()
    store._library.cache_clear()
    return path


def test_a_library_holds_what_was_packed(empty, tmp_path):
    packed(tmp_path, empty)
    assert store.find("linkwork.a(i)").object == DATA and store.find("linkwork.b(i)").object == DATA[::-1]
    assert store.find("linkwork.c(i)") is None


def test_a_library_lacks_nothing(empty):
    with pytest.raises(LookupError, match=r"linkwork\.gone"):
        store.pack(["linkwork.gone(i)"], HERE)


def test_of_a_damaged_library_nothing_wrong_is_used(empty, tmp_path):
    path = packed(tmp_path, empty)
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        store._library.cache_clear()
        found = [store.find("linkwork.a(i)"), store.find("linkwork.b(i)")]
        right = [unit is not None and unit.object == data for unit, data in zip(found, (DATA, DATA[::-1]))]
        assert None in found, at
        assert all(unit is None or fits for unit, fits in zip(found, right)), at
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        store._library.cache_clear()
        assert store.find("linkwork.b(i)") is None, length


def test_a_library_of_another_target_or_foundation_is_refused(empty, tmp_path, monkeypatch):
    path = packed(tmp_path, empty)
    (path.parent / "linux-riscv64.kernels").write_bytes(path.read_bytes())
    assert store.find("linkwork.a(i)", "linux-riscv64") is None
    monkeypatch.setattr(store, "foundation_digest", lambda: "other")
    store._library.cache_clear()
    assert store.find("linkwork.a(i)") is None


def test_what_is_stale_in_the_library_may_be_fresh_in_a_folder(empty, tmp_path):
    path = packed(tmp_path, empty)
    index, objects = store._opened(path.read_bytes())
    index["units"]["linkwork.a(i)"]["files"][FILE] = "0" * 24
    path.write_bytes(store._sealed(index) + bytes(objects))
    store._library.cache_clear()
    assert store.find("linkwork.a(i)") is None
    put("linkwork.a(i)", b"new")
    assert store.find("linkwork.a(i)").object == b"new"
    assert store.find("linkwork.b(i)").object == DATA[::-1]


def test_where_no_folder_can_be_written_to_a_unit_is_kept_in_memory(empty, tmp_path, monkeypatch):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "a file" / "below"))
    put()
    assert store.find("linkwork.a(i)").object == DATA
    assert store.kept("linkwork.a(i)") is not None
    assert not empty.exists()


def test_the_package_comes_before_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.delenv("LINKWORK_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    own, cache = store._folders(HERE)
    assert own == store.PACKAGE / "kernels" / "__compiled__" / HERE
    assert cache == tmp_path / ".cache" / "linkwork" / HERE
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store._folders(HERE)[1] == tmp_path / "xdg" / "linkwork" / HERE


def test_headers_are_plain_json(empty):
    put()
    seal, line = the_file(empty).read_bytes().split(b"\n")[:2]
    assert len(seal) == 64
    assert json.loads(line)["size"] == len(DATA)
