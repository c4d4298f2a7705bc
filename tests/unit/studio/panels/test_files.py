"""Files of the page: save, open, upload, recover, start from."""

import base64
import json
import os
import re

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.panels.files import ExportPanel, FilesPanel, GalleryPanel, RecoveryPanel
from linkwork.studio.studio import Studio

from ....waiting import answer


def test_save_and_open_again_on_the_page(at, panel):
    studio = at("four-bar")
    files = panel(FilesPanel)
    assert files.name.value == "four-bar.toml" and "not in a file yet" in files.state.content
    answer(studio.act(lambda live: live.advance(0.3)))
    answer(files.save())
    studio.player.ask(lambda live: None)
    assert "four-bar.toml" in files.state.content and files.file.options == ("four-bar.toml",)
    state = studio.player.ask(lambda live: (live.time, live.q.copy(), live.v.copy(), live.mechanism))
    answer(studio.act(lambda live: live.remove("C")))
    assert "changed since it was saved" in files.state.content
    answer(studio.bring(studio.keeper.open, "four-bar.toml"))
    again = studio.player.ask(lambda live: (live.time, live.q.copy(), live.v.copy(), live.mechanism))
    assert again[0] == state[0] and (again[1] == state[1]).all() and (again[2] == state[2]).all() and again[3] == state[3]


def test_a_name_that_is_taken_or_not_allowed_is_told_in_words(at, panel):
    studio = at("pendulum")
    files = panel(FilesPanel)
    (studio.folder / "taken.toml").write_text("linkwork = 1\n")
    for name, words in (("taken.toml", "there is such a file already"), ("../x.toml", "leads out of the folder"), ("", "no name is given")):
        files.name.value = name
        answer(files.save())
        assert words in studio.message[0] and studio.message[1]
    assert (studio.folder / "taken.toml").read_text() == "linkwork = 1\n"
    files.name.value, files.replace.value = "taken.toml", True
    answer(files.save())
    assert (studio.folder / "taken.toml~").exists() and not files.replace.value


def test_a_broken_file_changes_nothing(at):
    studio = at("pendulum")
    live = studio.player.live
    (studio.folder / "broken.toml").write_text("]]]")
    with pytest.raises(lw.FormatError):
        answer(studio.bring(studio.keeper.open, "broken.toml"))
    with pytest.raises(lw.LinkworkError):
        answer(studio.bring(studio.keeper.upload, "x.urdf", b"<robot"))
    assert studio.player.live is live and "x.urdf" not in os.listdir(studio.folder) and studio.message[1]


def test_exports_go_into_the_folder(at, panel):
    studio = at("pendulum")
    studio.player.ask(lambda live: [live.advance(1 / 60) for _ in range(5)])
    panel(ExportPanel)._exported("recording (CSV)", False, None)
    assert "written to pendulum.csv" in studio.message[0] and (studio.folder / "pendulum.csv").exists()
    panel(ExportPanel)._exported("picture, as seen (PNG)", False, None)
    assert "there is no page" in studio.message[0]


def test_the_gallery_says_what_there_is(panel):
    assert panel(GalleryPanel) is not None
    assert lw.Document.from_text("# A thing that\n# moves. And more.\nlinkwork = 1\n# not this").summary == "A thing that moves"


def test_what_was_not_saved_when_a_studio_ended_is_offered_by_the_next(tmp_path):
    with Studio(folder=tmp_path, port=0) as studio:
        recovery = next(panel for panel in studio.panels if type(panel) is RecoveryPanel)
        assert not recovery.folder.visible
        answer(studio.act(lambda live: live.add_body("ball", shape=lw.Sphere(0.1), mass=1.0)))
    with Studio(folder=tmp_path, port=0) as studio:
        recovery = next(panel for panel in studio.panels if type(panel) is RecoveryPanel)
        assert recovery.folder.visible and "a mechanism without a file" in recovery.text.content
        answer(studio.bring(studio.keeper.recover, studio.keeper.leftovers[0]))
        studio.player.ask(lambda live: None)
        assert [body.name for body in studio.player.live.mechanism.bodies] == ["ball"] and not recovery.folder.visible
        studio.keeper.save("ball")
    assert sorted(os.listdir(tmp_path)) == ["ball.toml"]


def test_a_replay_shows_each_span_with_the_parts_of_then_and_says_what_it_covers(at, panel):
    """Symptom: exports covered the time since the last edit only, and did not say so."""
    studio = at("four-bar")
    take = panel(ExportPanel)

    def edited(live):
        for _ in range(30):
            live.advance(1 / 60)
        live.change_gravity((0, 0, -5.0))  # no other parts: no other span
        for _ in range(30):
            live.advance(1 / 60)
        live.add_body("stone", shape=lw.Sphere(0.1), mass=1.0, pose=(0, 0, 2))
        for _ in range(30):
            live.advance(1 / 60)

    studio.act(edited).result(60)
    take._exported("recording (CSV)", False, None)
    assert "1.00 s to 1.50 s; before that the mechanism had other parts" in studio.message[0]
    assert "from 1.00 s on; before that" in take.covers.content
    take._exported("replay (HTML)", False, None)
    assert "0.00 s to 1.50 s, in 2 spans" in studio.message[0]
    name = studio.message[0].split(":")[0].removeprefix("written to ")
    page = (studio.folder / name).read_text()
    data = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.DOTALL).group(1))
    assert len(data["then"]) == 1 and "stone" not in data["bodies"] and "stone" in data["then"][0]["bodies"]
    first, second = (np.frombuffer(base64.b64decode(told["times"]), "<f4") for told in (data, data["then"][0]))
    assert first[0] == 0.0 and first[-1] == second[0] == 1.0 and second[-1] == 1.5
    studio.act(lambda live: live.undo()).result(20)
    take._exported("recording (Arrow)", False, None)
    assert studio.message[1] and "nothing has been recorded since parts were last" in studio.message[0]
