"""The studio under load: frames pushed, edits, start, memory: benchmarks/results/studio.md.

python benchmarks/studio.py [--seconds 10] [--frames 216000]        frames: an hour of them, for the memory; a browser is used if there is one
"""

import argparse
import contextlib
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np

import linkwork as lw
from linkwork.studio.studio import Studio

RESULTS = Path(__file__).parent / "results"
BODIES, LOOPS = 200, 20
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]


def hanging_chains():
    """200 bodies in 20 chains, each hung up at both ends: a Live at a random pose that is closed."""
    m = lw.Mechanism("hanging chains")
    each = BODIES // LOOPS
    for chain in range(LOOPS):
        before = m.ground.at(1.0 * chain, 0, 2)
        for k in range(each):
            body = m.add_body(f"link {chain}-{k}", shape=lw.Box(0.1, 0.02, 0.02), density=1000.0)
            m.add_joint(f"hinge {chain}-{k}", lw.Revolute((0, 1, 0)), before, body.at(-0.05, 0, 0))
            before = body.at(0.05, 0, 0)
        m.add_joint(f"end {chain}", lw.Revolute((0, 1, 0)), m.ground.at(1.0 * chain + 0.55, 0, 2), before)
    model = m.build()
    q = lw.assemble(model, 0.3 * np.random.default_rng(0).normal(size=model.nq))
    return lw.Live(m, setup=lw.Setup().starting_at(model, q))


def edits_alone():
    """Seconds until an added joint is in effect, without any page."""
    live, taken = hanging_chains(), []
    live.advance(0.1)
    for k in range(8):
        joint = bridge(live, k)
        start = time.perf_counter()
        live.add_joint(f"bridge {k}", lw.Spherical(), *joint)
        taken.append(time.perf_counter() - start)
    return [("adding a joint: in effect, median, ms", 1e3 * float(np.median(taken[1:])), 150.0)]


def bridge(live, k):
    """Places on two chains where a ball joint fits."""
    poses = live.poses()
    a, b = f"link {k}-3", f"link {k + 1}-3"
    return lw.Place(a, lw.Pose((0, 0, 0.1))), lw.Place(b, poses[b].inverse() @ poses[a] @ lw.Pose((0, 0, 0.1)))


def browser_of_machine():
    """The path of chromium, if it can be driven."""
    with contextlib.suppress(ImportError):
        import playwright  # noqa: F401

        return shutil.which("chromium")
    return None


def frames(seconds, browser):
    """Pushed frames and motion per second of wall time; browser: its path, or None for no page."""
    rows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Studio(hanging_chains(), folder=folder, port=0) as studio,
        PageOf(studio, browser) as connected,
    ):
        pushed = Counting(studio.scene, "move")
        studio.player.play()
        time.sleep(2.0)
        start, t, n, cpu = time.perf_counter(), studio.player.live.time, pushed.count, physics_time(studio)
        time.sleep(seconds)
        wall = time.perf_counter() - start
        rows.append(("frames pushed a second", (pushed.count - n) / wall, 60.0))
        rows.append(("motion per second, s", (studio.player.live.time - t) / wall, 1.0))
        rows.append(("processor time of the physics thread per second, s", (physics_time(studio) - cpu) / wall, None))
        studio.player.pause()
        rows += edits(studio)
    return rows, connected


class Counting:
    """Counts the calls of a method."""

    def __init__(self, owner, name):
        self.count, self._call = 0, getattr(owner, name)
        setattr(owner, name, self)

    def __call__(self, *args, **kwargs):
        self.count += 1
        return self._call(*args, **kwargs)


def physics_time(studio):
    return studio.player.ask(lambda live: time.thread_time())


class PageOf:
    """A page in chromium; True if there is one."""

    def __init__(self, studio, browser):
        self.address, self.browser = studio.address, browser

    def __enter__(self):
        if self.browser is None:
            return False
        self._ready, self._end = threading.Event(), threading.Event()

        def show():
            with _open_page(self.browser) as page:
                page.goto(self.address)
                page.wait_for_timeout(5000)
                self._ready.set()
                while not self._end.is_set():
                    page.wait_for_timeout(200)

        self._thread = threading.Thread(target=show, daemon=True)
        self._thread.start()
        return self._ready.wait(120)

    def __exit__(self, *_):
        if hasattr(self, "_thread"):
            self._end.set()
            self._thread.join(30)


def edits(studio):
    """Seconds from the wish to add a joint until it is in effect and shown, best and median of ten."""
    taken = []
    for k in range(12):
        joint = studio.player.ask(lambda live, k=k: bridge(live, k))
        time.sleep(1.0)  # as a person would: what the page works out beside the edit before is done
        start = time.perf_counter()
        studio.act(lambda live, k=k, joint=joint: live.add_joint(f"bridge {k}", lw.Spherical(), *joint)).result()
        taken.append(time.perf_counter() - start)
    return [("adding a joint: in effect and shown, median, ms", 1e3 * float(np.median(taken[2:])), None)]


def start(browser):
    """Seconds from the command until the page answers, and until its buttons can be pressed in a browser that is open already; best of three."""
    answered, usable = [], []
    with contextlib.ExitStack() as stack:
        page = stack.enter_context(_open_page(browser)) if browser else None
        for _ in range(3):
            began = time.perf_counter()
            with started_studio() as address:
                with urllib.request.urlopen(address, timeout=30) as answer:
                    answer.read()
                answered.append(time.perf_counter() - began)
                if page is not None:
                    page.goto(address)
                    page.get_by_role("button", name="Run", exact=True).click()
                    usable.append(time.perf_counter() - began)
    rows = [("from the command to an answer of the page, s", min(answered), 3.0)]
    return rows + ([("from the command to a click on Run in chromium, s", min(usable), 3.0)] if usable else [])


@contextlib.contextmanager
def started_studio():
    """A studio in a process of its own, as by the command; its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "linkwork", "studio", "four-bar", "--no-browser", "--port", "0", "--quiet"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder, text=True) as process:
            try:
                yield process.stdout.readline().strip()
            finally:
                process.terminate()
                process.wait(30)


@contextlib.contextmanager
def _open_page(path):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=FLAGS)
        yield browser.new_page(viewport={"width": 1180, "height": 700})
        browser.close()


def memory(frames):
    """Growth of the memory between a quarter and the whole of so many frames, MB, and how much of it is the past."""
    live = lw.Live(lw.shipped("four-bar"))
    live.watch("energy total")
    sizes = []
    for k in range(frames):
        live.advance(1e-3)
        if k == frames // 4 or k == frames - 1:
            sizes.append((_resident(), live.state_history.bytes / 2**20))
    (first, past_0), (last, past_1) = sizes
    return [
        (f"memory after a quarter of {frames} frames, MB", first, None),
        ("growth from there to the end, MB", last - first, None),
        ("growth of the past that can be looked back at, which ends at 96 MiB, MB", past_1 - past_0, None),
        ("growth besides, MB", last - first - (past_1 - past_0), 10.0),
    ]


def _resident():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--frames", type=int, default=216_000)
    options = parser.parse_args()
    browser = browser_of_machine()
    rows, _ = frames(options.seconds, None)
    rows = [*rows[:-1], *edits_alone(), rows[-1], *start(browser), *memory(options.frames)]
    with_page, connected = frames(options.seconds, browser)
    if connected:
        rows += [(f"{what} (with chromium, software rendering, on the same two cores)", value, None) for what, value, _ in with_page]
    lines = [f"| {what} | {value:.3g} | {'' if goal is None else f'{goal:g}'} |" for what, value, goal in rows]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    text = [
        "# The studio under load",
        "",
        f"{BODIES} bodies in {LOOPS} loops, steps of 1 ms by Runge-Kutta 4, physics in one thread. {machine}.",
        "",
        "| what | found | goal |",
        "|---|---|---|",
        *lines,
        "",
    ]
    print("\n".join(text))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "studio.md").write_text("\n".join(text))
    found = {"machine": machine, "page": connected, "rows": [{"what": what, "found": value, "goal": goal} for what, value, goal in rows]}
    (RESULTS / "studio.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
