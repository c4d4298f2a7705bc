"""A live mechanism is written to files as it is, with the comments of the file it came from."""

import threading

import pytest

import linkwork as lw

TEXT = """linkwork = 1
# by hand
[body.bob]
mass = 2  # kg, with its hook
inertia = [1, 1, 1]
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "bob.toml"
    path.write_text(TEXT)
    return path


def test_a_file_can_be_saved_again_and_again(path):
    live = lw.Live.open(path)
    for mass in (3.0, 4.0):
        live.change("bob", mass=mass)
        live.save(path)
        assert lw.read(path).body("bob").mass == mass
    live.rename("bob", "bill")
    live.save(path)
    assert "[body.bill]\nmass = 4  # kg, with its hook" in path.read_text()
    live.undo()
    live.save(path)
    assert "# by hand\n[body.bob]\nmass = 4  # kg, with its hook" in path.read_text()


def test_what_somebody_else_wrote_meanwhile_is_not_lost(path):
    live = lw.Live.open(path)
    live.save(path)
    path.write_text(path.read_text() + "# mine\n")
    with pytest.raises(lw.FormatError, match="has been changed since it was opened"):
        live.save(path)
    assert path.read_text().endswith("# mine\n")


def test_a_snapshot_stays_as_it_was_and_is_written_by_another_thread(path):
    live = lw.Live.open(path)
    snapshot, texts = live.snapshot(), []
    live.change("bob", mass=5.0)
    live.advance(0.1)
    live.rename("bob", "bill")
    thread = threading.Thread(target=lambda: texts.append(snapshot.document.text))
    thread.start()
    thread.join()
    assert "[body.bob]\nmass = 2  # kg, with its hook" in texts[0] and "initial" not in texts[0]
    again = lw.Document.from_text(live.snapshot().document.text)
    assert again.mechanism == live.mechanism and again.setup.time == pytest.approx(0.1)


def test_meshes_of_a_text_are_named_relative_to_where_it_is_saved(tmp_path):
    text = TEXT + 'visuals = [{ kind = "mesh-file", path = "meshes/a.stl" }]\n'
    document = lw.Document.from_text(text, folder=tmp_path)
    assert document.mechanism.body("bob").visuals[0].path == str(tmp_path / "meshes" / "a.stl")
    assert 'path = "meshes/a.stl"' in document.text_at(tmp_path / "b.toml")
    urdf = '<robot name="r"><link name="a"><visual><geometry><mesh filename="m/b.obj"/></geometry></visual></link></robot>'
    assert lw.read(urdf, folder=tmp_path).body("a").visuals[0].path == str(tmp_path / "m" / "b.obj")
    assert lw.read(urdf).body("a").visuals[0].path == "m/b.obj"
