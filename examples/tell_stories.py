"""The three stories of the studio, told on its page, with pictures of the page and curves of what was measured.

python examples/tell_stories.py                             words only
python examples/tell_stories.py --pictures docs/pictures    wants chromium and playwright
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from linkwork.studio.panels.stories import StoriesPanel
from linkwork.studio.stories import STORIES
from linkwork.studio.studio import Studio

PICTURED = {"animator": 6.0, "student": 7.8}  # s of the story's time at which its picture is taken; others at the end
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]


def tell_in_words(name):
    story = STORIES[name]
    print(f"\n{story.title}")
    return story.tell(say=lambda words: print("  " + words))


def tell_on_the_page(name, browser, folder):
    """Tell a story in the studio, at the speed of life, and take a picture of the page."""
    story = STORIES[name]
    print(f"\n{story.title}")
    with tempfile.TemporaryDirectory() as files, Studio(folder=files, port=0) as studio:
        page = browser.new_page(viewport={"width": 1440, "height": 860})
        page.goto(studio.address)
        page.get_by_text("Run", exact=True).first.wait_for()
        panel = next(panel for panel in studio.panels if isinstance(panel, StoriesPanel))
        panel.begin(story).result()
        taken = False
        while not panel.telling.over:
            print("  " + panel.telling.words)
            panel.go_on().result()
            while panel._until is not None:
                time.sleep(0.05)
                if panel.telling.live.time >= PICTURED.get(name, np.inf) and not taken:
                    taken = take_picture(studio, page, folder / f"story-{name}.png")
        if not taken:
            take_picture(studio, page, folder / f"story-{name}.png")
        page.close()
        return panel.telling


def take_picture(studio, page, path):
    """The page as it is, with all of the mechanism in sight; time waits."""
    playing = studio.player.playing
    studio.player.pause()
    studio.act(lambda live: studio.scene.fit_camera()).result()
    page.wait_for_timeout(2000)
    for note in page.get_by_role("alert").get_by_role("button").all():  # that there is no graphics card
        note.click()
    page.wait_for_timeout(1500)
    page.screenshot(path=path)
    if playing:
        studio.player.play()
    return True


def draw_curves(tellings, folder):
    """The elbow's torque as the tool is picked up, and the rod's compression against the load."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    engineer, student = tellings["engineer"], tellings["student"]
    t, torque = engineer.live.history("torque elbow")
    left.plot(t, torque)
    left.axvline(engineer.told["at tool"], color="0.7", linestyle="--")
    left.set(
        xlabel="time [s]", ylabel="torque of the elbow [N m]", title="A tool of 1.5 kg is picked up", ylim=(min(torque[-100:]) - 3, 10)
    )
    load, compression = np.array(sorted(student.told["compression"].items())).T
    right.plot(load * 9.81, compression, "o-")
    right.set(xlabel="weight of the plate [N]", ylabel="compression of rod 0 [N]", title="A tensegrity under load")
    figure.savefig(folder / "story-curves.png", dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="tell them on the page, and leave pictures here")
    parser.add_argument("stories", nargs="*", default=[], help=f"of {', '.join(STORIES)}; all if none is named")
    options = parser.parse_args()
    names = options.stories or list(STORIES)
    if options.pictures is None:
        for name in names:
            tell_in_words(name)
        return
    from playwright.sync_api import sync_playwright

    options.pictures.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        tellings = {name: tell_on_the_page(name, browser, options.pictures) for name in names}
        browser.close()
    if {"engineer", "student"} <= set(tellings):
        draw_curves(tellings, options.pictures)
    print(f"\npictures in {options.pictures}")


if __name__ == "__main__":
    main()
