"""What a studio opens, saves, exports, and saves by itself: in its folder only, whatever comes."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio import autosave as autosaving
from linkwork.studio import exports
from linkwork.studio.folder import Folder, TakenError
from linkwork.studio.open_file import EXPORTS, MOST_BODIES, Keeper

from ...waiting import wait_for

TEXT = """linkwork = 1
# a pendulum, by hand
[body.bob]
mass = 2  # kg, with its hook
inertia = [0.01, 0.01, 0.01]
[joint.pivot]
kind = "revolute"
axis = [0, 1, 0]
parent = "ground"
child = { on = "bob", xyz = [0, 0, 1] }
"""


@pytest.fixture
def keeper(tmp_path):
    (tmp_path / "bob.toml").write_text(TEXT)
    with lw.Player(lw.Live()) as player:
        keeper = Keeper(tmp_path, player, autosave=None)
        yield keeper
        keeper.close()


def show(keeper, opened):
    """As the page does: what was opened goes on in the physics thread."""

    def adopt(_):
        keeper.player.live = keeper.adopt(opened)

    keeper.player.ask(adopt)
    return opened.live


def act(keeper, function):
    keeper.player.ask(function)
    keeper.player.ask(keeper.changed)


# ---------------------------------------------------------------------- open and save


def test_open_edit_save_reload_is_the_same_mechanism_in_the_same_state(keeper):
    live = show(keeper, keeper.open("bob.toml"))
    assert keeper.name == "bob.toml" and keeper.is_saved(live)
    act(keeper, lambda live: live.change("bob", mass=3.0))
    keeper.player.ask(lambda live: live.set_joint("pivot", q=0.5, v=0.1))
    keeper.player.ask(lambda live: live.advance(0.25))
    assert not keeper.is_saved(live)
    assert keeper.save() == "bob.toml" and keeper.is_saved(live)
    text = (keeper.folder.path / "bob.toml").read_text()
    assert "# a pendulum, by hand" in text and "mass = 3  # kg, with its hook" in text
    assert (keeper.folder.path / "bob.toml~").read_text() == TEXT
    again = keeper.open("bob.toml").live
    assert again.mechanism == live.mechanism and again.time == live.time
    assert (again.q == live.q).all() and (again.v == live.v).all() and live.q[0] != 0.5


def test_save_as_never_writes_over_another_file_unasked(keeper):
    live = show(keeper, keeper.start_from("pendulum"))
    assert keeper.name is None and keeper.stem == "pendulum"
    with pytest.raises(lw.StudioError, match="no name is given"):
        keeper.save()
    with pytest.raises(TakenError):
        keeper.save("bob.toml")
    assert (keeper.folder.path / "bob.toml").read_text() == TEXT and keeper.name is None
    assert keeper.save("swing") == "swing.toml" == keeper.name
    assert keeper.save() == "swing.toml"  # it is ours now
    assert keeper.save("bob.toml", replace=True) == "bob.toml" and keeper.is_saved(live)
    for name in ("x.urdf", "x.py", "../x.toml", ".x.toml"):
        with pytest.raises(lw.StudioError, match="file name: found"):
            keeper.save(name)


def test_a_file_that_somebody_else_changed_is_not_written_over_unasked(keeper):
    show(keeper, keeper.open("bob.toml"))
    path = keeper.folder.path / "bob.toml"
    path.write_text(TEXT + "# by somebody else\n")
    with pytest.raises(TakenError, match="somebody else has changed"):
        keeper.save()
    assert path.read_text().endswith("# by somebody else\n")
    keeper.save(replace=True)
    assert (keeper.folder.path / "bob.toml~").read_text().endswith("# by somebody else\n")
    keeper.save()
    path.unlink()
    keeper.save()
    assert path.exists()


def test_a_mechanism_that_came_by_another_way_does_not_take_the_place_of_the_open_file(keeper):
    show(keeper, keeper.open("bob.toml"))

    def swap(_):
        keeper.player.live = lw.Live(lw.shipped("pendulum"))

    keeper.player.ask(swap)
    assert keeper.file_of(keeper.player.live) is None
    with pytest.raises(lw.StudioError, match="no name is given"):
        keeper.save()
    with pytest.raises(TakenError):
        keeper.save("bob.toml")
    assert (keeper.folder.path / "bob.toml").read_text() == TEXT


def test_a_urdf_is_opened_and_saved_as_toml(keeper):
    (keeper.folder.path / "arm.urdf").write_text('<robot name="arm"><link name="a"/></robot>')
    opened = keeper.open("arm.urdf")
    show(keeper, opened)
    assert keeper.name is None and keeper.stem == "arm" and "massless" in str(opened.notes[0])
    assert keeper.save(keeper.stem) == "arm.toml"
    assert lw.read(keeper.folder.path / "arm.toml").body("a").name == "a"


# ---------------------------------------------------------------------- uploads

URDF = '<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'
BOMB = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"><link name="a"/></robot>'
LEAK = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"><link name="a"/></robot>'
HOSTILE = {
    "bomb.urdf": BOMB.encode(),
    "leak.urdf": LEAK.encode(),
    "deep.urdf": b"<a>" * 100_000,
    "broken.urdf": b"<robot name='r'><link name='a'>",
    "toml.urdf": TEXT.encode(),
    "binary.urdf": bytes(range(256)) * 10,
    "empty.urdf": b"",
    "tags.urdf": b"<robot name='r'>" + b"<link name='a'/>" * 250_000 + b"</robot>",
    "garbage.toml": b"]]]]]]]]]]]",
    "deep.toml": b"a = " + b"[" * 100_000,
    "names.toml": b".".join([b"a"] * 100_000) + b" = 1",
    "binary.toml": bytes(range(256)) * 10,
    "nul.toml": b"linkwork = 1\n\0\n",
    "code.toml": b"linkwork = 1\n[force.f]\nkind = \"custom\"\nfunction = \"__import__('os').system('touch hacked')\"\n",
    "empty.toml": b"",
    "urdf.toml": b"<robot/>",
    "nan.toml": b"linkwork = 1\n[body.a]\nmass = nan\n",
    "huge.toml": b"linkwork = 1\n[body.a]\nmass = 1e999\n",
    "negative.toml": b"linkwork = 1\n[body.a]\nmass = -1\ninertia = [1, 1, 1]\n",
    "shell.sh": b"rm -rf /",
    "none": b"linkwork = 1",
    "page.html": b"<script>alert(1)</script>",
    "two.toml.exe": TEXT.encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_uploads_are_refused_in_words_and_nothing_changes(keeper, name):
    live, before = keeper.player.live, sorted(os.listdir(keeper.folder.path))
    started = time.monotonic()
    with pytest.raises(lw.LinkworkError) as found:
        keeper.upload(name, HOSTILE[name])
    assert len(str(found.value)) > 20 and "root:" not in str(found.value)  # nothing of /etc/passwd
    assert time.monotonic() - started < 5.0  # bounded work: the largest of these is 4 MB
    assert keeper.player.live is live and sorted(os.listdir(keeper.folder.path)) == before


def test_uploads_that_are_too_large_are_refused(keeper):
    with pytest.raises(lw.StudioError, match=r"found 17\.0 MiB; allowed are 16 MiB"):
        keeper.upload("a.toml", b"#" * (17 * 2**20))
    many = "linkwork = 1\n" + "".join(f"[body.b{k}]\nmass = 1\ninertia = [1, 1, 1]\n" for k in range(MOST_BODIES + 1))
    with pytest.raises(lw.StudioError, match=f"found {MOST_BODIES + 1} bodies; allowed are {MOST_BODIES}"):
        keeper.upload("many.toml", many.encode())


def test_a_good_upload_is_a_mechanism_without_a_file(keeper):
    opened = keeper.upload("../../some dir/My Robot.toml", b"\xef\xbb\xbf" + TEXT.encode())
    live = show(keeper, opened)
    assert keeper.name is None and keeper.stem == "My Robot" and live.mechanism.body("bob").mass == 2
    assert keeper.save(keeper.stem) == "My Robot.toml"
    assert "# kg, with its hook" in (keeper.folder.path / "My Robot.toml").read_text()


def test_meshes_of_an_upload_are_files_of_the_folder_and_no_others_are_read(keeper, monkeypatch):
    (keeper.folder.path / "meshes").mkdir()
    inside = keeper.upload("a.urdf", URDF.format("meshes/a.stl").encode()).live.mechanism
    assert inside.body("a").visuals[0].path == str(keeper.folder.path / "meshes" / "a.stl")
    assert exports.confined(inside, keeper.folder) is inside
    for path in ("/etc/passwd", "file:///etc/passwd", "../../etc/x.stl", "meshes/../../x.stl", "a\0b.stl"):
        mechanism = lw.Mechanism()
        mechanism.add_body("a", mass=1.0, inertia=(1, 1, 1), visuals=[lw.MeshFile(path), lw.Sphere(0.1)], shape=lw.MeshFile(path))
        tamed = exports.confined(mechanism, keeper.folder)
        assert [type(shape) for shape in tamed.body("a").visuals] == [lw.Sphere] and tamed.body("a").shape is None, path
        assert len(mechanism.body("a").visuals) == 2  # what is kept is not touched


# ---------------------------------------------------------------------- exports


def test_all_exports_of_a_run(keeper):
    show(keeper, keeper.start_from("pendulum"))
    with pytest.raises(lw.StudioError, match="nothing has been recorded"):
        keeper.export("replay (HTML)")
    keeper.player.ask(lambda live: [live.advance(1 / 60) for _ in range(30)])
    made = {what: keeper.export(what) for what in EXPORTS if what != "picture, as seen (PNG)"}
    assert made["picture, drawn (PNG)"].data[:8] == b"\x89PNG\r\n\x1a\n"
    page = made["replay (HTML)"].data.decode()
    assert page.lstrip().lower().startswith("<!doctype html>") and "<script src=" not in page and len(page) > 10_000
    assert made["recording (CSV)"].data.count(b"\n") == 32  # a header, the start, and 30 frames
    assert made["session (Python)"].data.startswith(b"import linkwork as lw\n")
    assert made["mechanism (TOML)"].data.startswith(b"# ") and b"[initial" in made["mechanism (TOML)"].data
    names = [keeper.put(export) for export in made.values()]
    assert names[0] == "pendulum.arrow" and keeper.put(made["recording (Arrow)"]) == "pendulum 2.arrow"
    recording = lw.Recording.load(keeper.folder.path / "pendulum.arrow")
    assert len(recording) == 31 and np.ptp(recording.q) > 0.05
    assert not [name for name in os.listdir(keeper.folder.path) if name.startswith(".")]
    for bad in ("pdf", "", None):
        with pytest.raises(lw.StudioError, match="export: found"):
            keeper.export(bad)
    with pytest.raises(lw.StudioError, match="there is no page"):
        keeper.export("picture, as seen (PNG)")


def test_a_picture_of_nothing_is_refused_in_words(keeper):
    show(keeper, keeper.empty())
    with pytest.raises(lw.StudioError, match="nothing to be seen yet"):
        keeper.export("picture, drawn (PNG)")
    assert keeper.save("empty") == "empty.toml" and len(keeper.open("empty.toml").live.mechanism.bodies) == 0


@pytest.mark.parametrize("name", lw.shipped())
def test_every_shipped_mechanism_can_be_started_from(keeper, name):
    document = lw.shipped(name)
    assert (document.mechanism.bodies or document.mechanism.ground.visuals) and document.text.startswith(
        "# "
    )  # the gallery shows its first sentence


# ---------------------------------------------------------------------- autosave and recovery


@pytest.fixture
def saving(tmp_path):
    (tmp_path / "bob.toml").write_text(TEXT)
    told = []
    with lw.Player(lw.Live()) as player:
        keeper = Keeper(tmp_path, player, told.append, autosave=0.05)
        keeper.told = told
        yield keeper
        keeper.close()


def hidden(keeper):
    return sorted(name for name in os.listdir(keeper.folder.path) if name.startswith("."))


def test_a_change_is_saved_by_itself_and_nothing_is_while_nothing_changes(saving):
    show(saving, saving.open("bob.toml"))
    saving.player.ask(saving.changed)
    time.sleep(0.2)
    assert hidden(saving) == [] and saving._autosave.written == 0
    act(saving, lambda live: live.change("bob", mass=5.0))
    wait_for(lambda: saving._autosave.written == 1)
    text = saving._autosave.path.read_text()
    assert "mass = 5  # kg, with its hook" in text and (saving.folder.path / "bob.toml").read_text() == TEXT
    time.sleep(0.2)
    assert saving._autosave.written == 1 and saving.folder.names() == ["bob.toml"]
    saving.save()
    wait_for(lambda: not saving._autosave.path.exists())
    act(saving, lambda live: live.change("bob", mass=6.0))
    wait_for(lambda: saving._autosave.written == 2)
    saving.save()
    assert not saving.close() and hidden(saving) == [] and saving.told == []


def test_what_is_not_saved_when_the_studio_is_ended_is_kept(saving):
    show(saving, saving.open("bob.toml"))
    act(saving, lambda live: live.change("bob", mass=5.0))
    assert saving.close()  # at once, before any autosave was due
    (leftover,) = autosaving.leftovers(saving.folder)
    assert leftover.file == "bob.toml" and "mass = 5  # kg" in leftover.path.read_text()
    assert (saving.folder.path / "bob.toml").read_text() == TEXT


def test_an_autosave_that_cannot_be_written_is_told_once(saving, monkeypatch):
    show(saving, saving.open("bob.toml"))

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for mass in (3.0, 4.0, 5.0):
        act(saving, lambda live, mass=mass: live.change("bob", mass=mass))
        time.sleep(0.12)
    assert len(saving.told) == 1 and "No space left on device" in saving.told[0]
    monkeypatch.undo()
    act(saving, lambda live: live.change("bob", mass=7.0))
    wait_for(lambda: saving._autosave.written == 1)


CRASH = """
import sys, os, time
import linkwork as lw
from linkwork.studio.open_file import Keeper
player = lw.Player(lw.Live())
keeper = Keeper(sys.argv[1], player, autosave=0.05)
opened = keeper.open("bob.toml")
def adopt(live): player.live = keeper.adopt(opened)
player.ask(adopt)
player.ask(lambda live: live.change("bob", mass=42.0))
player.ask(keeper.changed)
while not keeper._autosave.written: time.sleep(0.01)
print("written", flush=True)
sys.stdin.readline()
os._exit(1)
"""


@pytest.mark.slow
def test_after_a_crash_what_was_not_saved_is_offered_and_recovered(tmp_path):
    (tmp_path / "bob.toml").write_text(TEXT)
    os.utime(tmp_path / "bob.toml", (1e9, 1e9))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", CRASH, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    try:
        assert process.stdout.readline() == b"written\n"
        assert autosaving.leftovers(Folder(tmp_path)) == []  # it lives: what it has is not ours
        process.communicate(b"\n", timeout=20)
    finally:
        process.kill()
        process.wait()
    with lw.Player(lw.Live()) as player:
        keeper = Keeper(tmp_path, player, autosave=30.0)
        (leftover,) = keeper.leftovers
        assert leftover.file == "bob.toml" and str(leftover) == "bob.toml, as it was 0 min ago"
        live = show(keeper, keeper.recover(leftover))
        assert live.mechanism.body("bob").mass == 42.0 and keeper.name == "bob.toml" and not keeper.is_saved(live)
        assert keeper.leftovers == []
        wait_for(lambda: keeper._autosave.path.exists() and not leftover.path.exists())
        assert autosaving.leftovers(Folder(tmp_path)) == []  # it is ours now, and locked
        keeper.save()
        assert "mass = 42  # kg, with its hook" in (tmp_path / "bob.toml").read_text()
        keeper.close()
    assert hidden(keeper) == []


def test_mesh_files_outside_of_the_folder_do_not_touch(keeper, tmp_path):
    secret = tmp_path.parent / "secret.obj"
    secret.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
    floor = "[ground]\ncollisions = [{ kind = 'floor' }]\n[simulation]\nintegrator = 'contact-stepping'\n"
    stone = f"{TEXT}[body.stone]\nmass = 1\ninertia = [1, 1, 1]\ncollisions = [{{ kind = 'mesh-file', path = '{secret}' }}]\n"
    keeper.upload("a.toml", stone.encode())  # nothing touches
    with pytest.raises(
        lw.StudioError, match=r"body 'stone' touches with the mesh file .*secret.obj', which lies outside of the studio's folder"
    ):
        keeper.upload("a.toml", (stone + floor).encode())
    secret.rename(tmp_path / "stone.obj")
    assert keeper.upload("a.toml", (stone.replace(str(secret), "stone.obj") + floor).encode()).live.model.touches


def leave(folder, name, file, text=TEXT):
    (folder / f".linkwork-studio-{name}.json").write_text(file)
    (folder / f".linkwork-studio-{name}.toml").write_text(text)


def test_what_is_left_over_may_lie_or_be_broken(tmp_path):
    (tmp_path / "old.toml").write_text(TEXT)
    secret = tmp_path.parent / "secret.toml"
    secret.write_text("secret")
    leave(tmp_path, "a", '{"file": "../secret.toml"}')
    leave(tmp_path, "b", "not json", "not toml ]")
    leave(tmp_path, "c", '{"file": "old.toml"}')
    os.utime(tmp_path / ".linkwork-studio-c.toml", (1e9, 1e9))  # older than its file: of no use
    leave(tmp_path, "d", "[1, 2]")
    (tmp_path / ".linkwork-studio-e.json").write_text("{}")
    (tmp_path / ".linkwork-studio-e.toml").symlink_to(secret)
    folder = Folder(tmp_path)
    found = autosaving.leftovers(folder)
    assert {leftover.path.name[-6] for leftover in found} == {"a", "b", "d"} and all(leftover.file is None for leftover in found)
    assert not (tmp_path / ".linkwork-studio-c.toml").exists()
    with lw.Player(lw.Live()) as player:
        keeper = Keeper(folder, player, autosave=None)
        broken = next(leftover for leftover in keeper.leftovers if "-b." in leftover.path.name)
        with pytest.raises(lw.FormatError):
            keeper.recover(broken)
        keeper.discard(broken)
        assert len(keeper.leftovers) == 2 and not broken.path.exists()
        keeper.close()
    assert secret.read_text() == "secret"
