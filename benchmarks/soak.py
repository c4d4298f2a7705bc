"""The studio left running: a page that comes and goes, edits without end, a hand that pulls. It must neither stop nor grow.

python benchmarks/soak.py [--minutes 10]        wants chromium and playwright
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import threading
import time

import linkwork as lw
from linkwork.studio.studio import Studio

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]


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
    if what in ("pause", "play"):
        studio.player.pause()
        studio.player.play()
        return None
    if what == "reset":
        return studio.act(lambda live: live.reset())
    return studio.act(lambda live: live.change("nothing of this name", mass=-1.0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    rng, visits, edits, sizes = random.Random(1), 0, 0, []
    with tempfile.TemporaryDirectory() as folder, Studio(lw.Live(lw.shipped("walking-linkage")), folder=folder, port=0) as studio:
        studio.player.play()
        began, end = time.monotonic(), time.monotonic() + 60.0 * options.minutes
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            while time.monotonic() < end:
                page = browser.new_page(viewport={"width": 640, "height": 480})
                page.goto(studio.address)
                visits += 1
                for _ in range(rng.randrange(2, 12)):
                    future = disturb(studio, rng, edits)
                    if future is not None:
                        future.exception(60)  # what is refused is refused; what hangs is a fault
                    edits += 1
                    page.wait_for_timeout(rng.randrange(100, 1200))
                frames = studio.player.frames
                page.wait_for_timeout(500)
                assert studio.player.frames > frames, "the physics thread stands still"
                assert not studio.player.faults, studio.player.faults
                page.close()
                sizes.append((time.monotonic() - began, resident(), threading.active_count()))
                if visits % 5 == 0:
                    print(
                        f"{sizes[-1][0]:6.0f} s  {visits} visits  {edits} actions  {sizes[-1][1]:.0f} MB  {sizes[-1][2]} threads",
                        flush=True,
                    )
            browser.close()
    warm = [size for t, size, _ in sizes if t > 0.25 * 60.0 * options.minutes]
    growth = warm[-1] - warm[0]
    print(f"{visits} visits, {edits} actions, memory {warm[0]:.0f} to {warm[-1]:.0f} MB after the first quarter")
    sys.exit(0 if growth < 60.0 else f"memory grew by {growth:.0f} MB")


if __name__ == "__main__":
    main()
