"""A studio reads and writes its own folder, and nothing else, whatever names a page sends."""

import os
import stat
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.studio.folder import Folder, TakenError, tame

HOSTILE = [
    *(
        "../x.toml",
        "a/../../x.toml",
        "/etc/x.toml",
        "~/x.toml",
        "..",
        ".",
        "",
        "   ",
        None,
        7,
        b"x.toml",
        "a//b.toml",
        "./x.toml",
        "a/./b.toml",
    ),
    *(".hidden.toml", "a/.git/x.toml", ".toml", "nul.toml", "COM1.toml", "aux", "Con.txt.toml", "a:b.toml", "a\\..\\b.toml", "C:\\x.toml"),
    *(
        "a\0.toml",
        "a\n.toml",
        "a\x1b[31m.toml",
        "a\u202etxt.toml",
        "x.toml.",
        "x.toml ​",
        "a<b>.toml",
        "a|b.toml",
        'a"b.toml',
        "a;b.toml",
        "$(x).toml",
    ),
    *("x" * 300 + ".toml", "a/" * 20 + "x.toml", "x.exe", "x.toml.exe", "x", "toml", "x.sh", " /x.toml", "a /x.toml", "é" * 150 + ".toml"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.toml").write_text("secret")
    return Folder(tmp_path / "inside")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_refused_for_reading_and_writing(folder, name):
    before = sorted(os.listdir(folder.path.parent)), sorted(os.listdir(folder.path))
    for job in (
        lambda: folder.path_of(name),
        lambda: folder.read(name),
        lambda: folder.write(name, b"x"),
        lambda: folder.write(name, b"x", replace=True),
    ):
        with pytest.raises(lw.StudioError, match=r"file name: found .*; allowed is .*; give such a name"):
            job()
    assert before == (sorted(os.listdir(folder.path.parent)), sorted(os.listdir(folder.path)))


@given(st.text(max_size=40).flatmap(lambda text: st.sampled_from([text, text + ".toml", "../" + text + ".toml", text + "/x.toml"])))
@settings(max_examples=300, deadline=None)
def test_no_text_leads_out_of_the_folder(tmp_path_factory, text):
    folder = Folder(tmp_path_factory.getbasetemp())
    try:
        path = folder.path_of(text)
    except lw.StudioError:
        return
    assert path.resolve().is_relative_to(folder.path) and path != folder.path and "\0" not in str(path)


@pytest.mark.parametrize("name", ["a.toml", "A b-c_d+(2).toml", "Öl-Pumpe.toml", "дом.toml", "机构.toml", "x.y.toml", "X.TOML"])
def test_good_names_are_written_and_read(folder, name):
    assert folder.write(name, "text ä") == folder.path / name
    assert folder.read(name) == "text ä".encode() and folder.names((".toml",)) == [name]


def test_links_that_lead_out_are_not_followed(folder):
    outside = folder.path.parent / "outside"
    (folder.path / "file.toml").symlink_to(outside / "secret.toml")
    (folder.path / "way").symlink_to(outside)
    (folder.path / "round.toml").symlink_to("round.toml")
    (folder.path / "new.toml").symlink_to(outside / "new.toml")
    for name in ("file.toml", "way/secret.toml", "round.toml", "new.toml", "way/made.toml"):
        with pytest.raises(lw.StudioError, match="file name: found"):
            folder.read(name)
        with pytest.raises(lw.StudioError):
            folder.write(name, b"x", replace=True)
    assert sorted(os.listdir(outside)) == ["secret.toml"] and (outside / "secret.toml").read_text() == "secret"
    assert folder.names() == [] and not folder.holds("way/secret.toml") and not folder.holds(outside / "secret.toml")


def test_a_link_within_the_folder_is_a_file_like_others(folder):
    folder.write("a.toml", "1")
    (folder.path / "b.toml").symlink_to("a.toml")
    assert folder.read("b.toml") == b"1" and folder.holds("b.toml") and folder.holds(folder.path / "b.toml")
    folder.write("b.toml", "2", replace=True)  # takes the place of the link, not of what it leads to
    assert folder.read("a.toml") == b"1" and folder.read("b.toml") == b"2"


def test_nothing_is_replaced_unasked_and_what_was_there_is_kept(folder):
    folder.write("a.toml", "old")
    with pytest.raises(TakenError, match=r"there is such a file already; .*kept as a\.toml~") as found:
        folder.write("a.toml", "new")
    assert found.value.name == "a.toml" and folder.read("a.toml") == b"old"
    folder.write("a.toml", "new", replace=True)
    assert folder.read("a.toml") == b"new" and (folder.path / "a.toml~").read_bytes() == b"old"
    (folder.path / "b.toml").mkdir()
    with pytest.raises(lw.StudioError, match="not a regular file"):
        folder.write("b.toml", "x", replace=True)


def test_of_two_that_write_the_same_new_file_one_wins(folder):
    refused = []

    def write(k):
        try:
            folder.write("a.toml", str(k))
        except TakenError:
            refused.append(k)

    threads = [threading.Thread(target=write, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 7 and int(folder.read("a.toml")) not in refused
    assert os.listdir(folder.path) == ["a.toml"]


def test_a_write_that_fails_leaves_what_was_there(folder, monkeypatch):
    folder.write("a.toml", "old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(lw.StudioError, match=r"a\.toml~?: cannot be written \(No space left on device\)"):
        folder.write("a.toml", "new", replace=True)
    assert folder.read("a.toml") == b"old" and os.listdir(folder.path) == ["a.toml"]


def test_permissions_are_those_of_any_file(folder):
    folder.write("a.toml", "1")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((folder.path / "a.toml").stat().st_mode) == 0o666 & ~mask
    (folder.path / "a.toml").chmod(0o600)
    folder.write("a.toml", "2", replace=True)
    assert stat.S_IMODE((folder.path / "a.toml").stat().st_mode) == 0o600


def test_pipes_devices_and_huge_files_are_not_read(folder):
    os.mkfifo(folder.path / "pipe.toml")
    with pytest.raises(lw.StudioError, match="not a regular file"):
        folder.read("pipe.toml")  # without blocking
    (folder.path / "big.toml").write_bytes(b"x" * 101)
    with pytest.raises(lw.StudioError, match="larger than"):
        folder.read("big.toml", most=100)
    with pytest.raises(lw.StudioError, match="cannot be read"):
        folder.read("missing.toml")


def test_names_are_listed_one_folder_deep(folder):
    for name in ("b.toml", "a.urdf", "picture.png"):
        (folder.path / name).write_text("x")
    (folder.path / "sub").mkdir()
    (folder.path / ".secret").mkdir()
    for name in ("sub/c.toml", ".secret/d.toml", ".e.toml", "sub/.f.toml"):
        (folder.path / name).write_text("x")
    assert folder.names() == ["a.urdf", "b.toml", "sub/c.toml"]
    assert folder.write("sub/new.toml", "1").exists()
    with pytest.raises(lw.StudioError, match="cannot be written"):
        folder.write("nowhere/new.toml", "1")


def test_free_names(folder):
    assert folder.free_name("four bar", ".png") == "four bar.png"
    folder.write("four bar.png", b"1")
    assert folder.free_name("four bar", ".png") == "four bar 2.png"
    for wild in ("../../x", "", "nul", "a/b\\c:d*?", "x" * 500, "\0\n\t", "é" * 99, "<script>"):
        name = folder.free_name(wild, ".png")
        assert folder.path_of(name).name == name
    assert tame("a/b: c.d") == "a b c d"


def test_a_folder_must_be_there(tmp_path):
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(lw.StudioError, match=r"folder: .*give one that exists"):
            Folder(path)


def test_names_of_paths(folder):
    folder.write("a.toml", "1")
    assert folder.name_of(folder.path / "a.toml") == "a.toml"
    with pytest.raises(lw.StudioError, match="start the studio in its folder"):
        folder.name_of(folder.path.parent / "outside" / "secret.toml")
