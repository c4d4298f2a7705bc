"""The studio left running: a page that comes and goes, edits without end, a hand that pulls. It must neither stop nor grow.

python benchmarks/soak.py [--minutes 10]        wants chromium and playwright
python benchmarks/soak.py --without-page        edits alone, twenty a second

Memory may grow by what is promised: the tape of the past, which has a limit of its own and is left out of the account, and versions to be undone, some
kilobytes each. What it grows by after the first quarter, beyond noise, must be less than PROMISED for each action.
"""

import argparse
import contextlib
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from typing import NamedTuple

import numpy as np

import linkwork as lw
from linkwork.studio.studio import Studio

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]
PROMISED = 15e-3  # MB for each action: 5 kB for a version of the Jansen linkage, and what comes with it
NOISE = 10.0  # MB: memory that the allocator holds back, cycles that wait for a collection, pages that come and go


class Size(NamedTuple):
    """What there is at a time (s): actions done, MB resident, MB of them on the tape, versions, messages for pages to come, threads."""

    time: float
    actions: int
    resident: float
    tape: float
    versions: int
    messages: int
    threads: int

    def __str__(self):
        held = f"{self.versions} versions, {self.messages} messages, {self.threads} threads"
        return f"{self.time:6.0f} s  {self.actions} actions  {self.resident:.0f} MB, of which tape {self.tape:.1f} MB; {held}"


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def disturb(studio, rng, k):
    """One thing that a person might do."""
    what = rng.choice(["add", "remove", "undo", "redo", "pull", "release", "pause", "play", "reset", "nonsense"])
    live = studio.player.live
    if what == "add":
        return studio.act(lambda live: live.add_body(f"ball {k}", shape=lw.Sphere(0.05), density=500.0, pose=(0, 0, 1)))
    if what == "remove":
        bodies = [body.name for body in live.mechanism.bodies if body.name.startswith("ball")]
        return studio.act(lambda live: live.remove(rng.choice(bodies))) if bodies else None
    if what in ("undo", "redo"):
        return studio.act(lambda live: getattr(live, what)() if getattr(live, f"can_{what}") else None)
    if what == "pull":
        body = rng.choice(live.mechanism.bodies).name
        return studio.act(lambda live: live.pull(body, (0, 0, 0), (rng.uniform(-1, 1), rng.uniform(-1, 1), 1.0)))
    if what == "release":
        return studio.act(lambda live: live.release())
    if what == "pause":
        return studio.player.pause()
    if what == "play":
        return studio.player.play()
    if what == "reset":
        return studio.act(lambda live: live.reset())
    return studio.act(lambda live: live.change("nothing of this name", mass=-1.0))


def measured(studio, began, actions):
    live = studio.player.live
    messages = len(studio.server._websock_server._broadcast_buffer.message_from_id)
    versions = len(live.edits) + len(live.undone)
    return Size(
        time.monotonic() - began, actions, resident(), live.state_history.bytes / 2**20, versions, messages, threading.active_count()
    )


def must_run(studio):
    """Time runs, if it is let run."""
    player = studio.player
    player.play()
    before, frames = player.ask(lambda live: (live.simulation, live.time)), player.frames
    end = time.monotonic() + 10.0
    while player.ask(lambda live: (live.simulation, live.time)) == before and time.monotonic() < end:
        time.sleep(0.05)
    assert player.ask(lambda live: live.time) > before[1], f"time stands still: {player.live.status}"
    assert player.frames > frames, "the physics thread stands still"
    assert not player.faults, player.faults


def visit(studio, rng, actions, wait, count):
    """Some things done one after another."""
    for k in range(count):
        future = disturb(studio, rng, actions + k)
        if future is not None:
            future.exception(60)  # what is refused is refused; what hangs is a fault
        wait()
    must_run(studio)
    return actions + count


@contextlib.contextmanager
def pages(wanted):
    """A function that opens a page at an address; one that opens nothing if none is wanted."""
    if not wanted:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield lambda: browser.new_page(viewport={"width": 640, "height": 480})
        browser.close()


def growth(sizes):
    """MB for each action beside the tape after the first quarter, and MB in all. By the median of the slopes between any two visits (Theil and Sen):
    what is loaded once, a kernel that is needed late for one, is no growth.
    """
    warm = [size for size in sizes if size.time > 0.25 * sizes[-1].time]
    actions = np.array([size.actions for size in warm], dtype=float)
    i, j = np.triu_indices(len(warm), 1)
    own = np.array([size.resident - size.tape for size in warm])
    slope = float(np.median((own[j] - own[i]) / (actions[j] - actions[i]))) if len(i) else 0.0
    return slope, slope * (actions[-1] - actions[0]), warm


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--without-page", action="store_true")
    options = parser.parse_args()
    rng, visits, actions, sizes = random.Random(1), 0, 0, []
    with tempfile.TemporaryDirectory() as folder, Studio(lw.Live(lw.shipped("jansen-linkage")), folder=folder, port=0) as studio:
        began = time.monotonic()
        with pages(not options.without_page) as opened:
            while time.monotonic() < began + 60.0 * options.minutes:
                visits += 1
                if opened is None:
                    actions = visit(studio, rng, actions, lambda: time.sleep(0.03), 100)
                else:
                    page = opened()
                    page.goto(studio.address)
                    actions = visit(
                        studio, rng, actions, lambda page=page: page.wait_for_timeout(rng.randrange(100, 1200)), rng.randrange(2, 12)
                    )
                    page.close()
                sizes.append(measured(studio, began, actions))
                if visits % 5 == 0:
                    print(sizes[-1], flush=True)
    slope, rise, warm = growth(sizes)
    print(f"{visits} visits; after the first quarter:\n{warm[0]}\n{warm[-1]}\n{1000.0 * slope:.1f} kB for each action beside the tape")
    allowed = NOISE + PROMISED * (warm[-1].actions - warm[0].actions)
    sys.exit(0 if rise < allowed else f"memory grew by {rise:.0f} MB; allowed are {allowed:.0f} MB")


if __name__ == "__main__":
    main()
