"""In a real browser: charts are read, files are saved, uploaded and downloaded, the page is reloaded; names never run as scripts."""

import os

import pytest

import linkwork as lw
from linkwork.studio.access import Door
from linkwork.studio.serving import open_server
from linkwork.studio.studio import Studio

from ..waiting import answer
from .seeing import quick, rendered

VIEW = {"width": 1000, "height": 1000}
EVIL = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>"


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    door = Door(token="a-token-for-the-browser")
    with Studio(folder=tmp_path_factory.mktemp("browser"), server=open_server(door, 0)) as studio:
        studio.door = door
        studio.scene.shadows(False)  # they cost most where there is no graphics card
        answer(studio.bring(studio.keeper.start_from, "four-bar"))
        yield studio


@pytest.fixture
def page(studio, browser_page):
    page = browser_page(quick(studio.door.address(studio.server.get_port())), viewport=VIEW)
    page.get_by_role("tab", name="Charts").wait_for()
    return page


def tab(page, name):
    page.get_by_role("tab", name=name, exact=True).click()


def test_a_chart_is_picked_and_read(studio, page):
    tab(page, "Charts")
    page.get_by_role("button", name="Energy", exact=True).click()
    page.get_by_text("energy kinetic", exact=True).wait_for()
    studio.player.ask(lambda live: [live.advance(1 / 60) for _ in range(60)])
    points = "() => Object.values(window.__viserTestpoints?.uplots ?? {}).map(x => x.chart.data.map(y => y.length))"
    page.wait_for_function(f"({points})().some(x => x.length === 4 && x[0] >= 50)")
    total = studio.player.ask(lambda live: live.history("energy total")[1][-1])
    assert f"{total:.4g} J" in page.content()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.wait_for_function(f"({points})().length === 0")
    assert studio.player.ask(lambda live: list(live.watched.values)) == []


def test_save_reload_and_open_give_the_same_mechanism_in_the_same_state(studio, page):
    tab(page, "Files")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("saved as four-bar.toml").wait_for()
    state = studio.player.ask(lambda live: (live.time, live.q.copy(), live.mechanism))
    answer(studio.act(lambda live: live.remove("C")))
    page.reload()
    tab(page, "Files")
    page.get_by_text("changed since it was saved").wait_for()
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_text("What was edited is not saved").wait_for()  # nothing is thrown away unasked
    page.get_by_role("button", name="Let it go", exact=True).click()
    page.get_by_text("changed since it was saved").wait_for(state="detached")
    again = studio.player.ask(lambda live: (live.time, live.q.copy(), live.mechanism))
    assert again[0] == state[0] and (again[1] == state[1]).all() and again[2] == state[2]


def test_upload_and_download(studio, page, tmp_path):
    tab(page, "Files")
    (tmp_path / "two.toml").write_text(lw.shipped("pendulum").text)
    (tmp_path / "bad.urdf").write_text("<robot><nonsense")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload").click()
    chooser.value.set_files(tmp_path / "bad.urdf")
    page.get_by_text("not well-formed XML").first.wait_for()
    assert studio.player.live.mechanism.name == "four-bar"
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload").click()
    chooser.value.set_files(tmp_path / "two.toml")
    page.get_by_text("two: 1 bodies, 1 joints").wait_for()
    studio.player.ask(lambda live: [live.advance(1 / 60) for _ in range(10)])
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    download.value.save_as(tmp_path / "two.arrow")
    assert download.value.suggested_filename == "two.arrow" and len(lw.Recording.load(tmp_path / "two.arrow")) == 11
    assert sorted(name for name in os.listdir(studio.folder) if not name.startswith(".")) == ["four-bar.toml"]


def test_names_of_parts_are_never_markup(studio, page):
    answer(studio.act(lambda live: live.rename(live.mechanism.bodies[0].name, EVIL)))
    answer(studio.select(EVIL))
    for name in ("Understand", "Charts", "Files", "Python", "Edit"):
        tab(page, name)
        rendered(page)
    assert page.evaluate("window.hacked") is None
    studio.server.gui.add_html(EVIL)  # should a panel forget to escape it, the policy of the page still forbids it
    page.wait_for_function("() => document.querySelector('img[src=x]')?.complete")  # it was tried, and there is no such picture
    rendered(page)
    assert page.evaluate("window.hacked") is None
    answer(studio.select(None))
