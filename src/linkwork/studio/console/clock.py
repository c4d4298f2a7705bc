"""Time: step rtime stime rstepsize sstepsize freeze start.

A frame is a look at the motion: its interval says when poses are drawn, the integrator takes steps of its own, and neither knows of the other.
"""

import time

from .errors import RefusedError
from .table import command
from .words import shown

LOOK = 0.1  # s of real time between two looks at whether to stop


@command("step [n]", "lets n frame intervals pass (1), drawing after each; Ctrl-C stops it. While time is frozen it draws only")
def step(console, given):
    n = 1 if given.values[0] is None else given.values[0]
    live, start = console.live, console.live.time
    ends = time.monotonic() + console.patience
    console.stopping, console.stepping = False, True
    try:
        for k in range(n):
            whole = console.frozen or _pass(console, start + (k + 1) * console.frame, ends)
            if whole:
                yield from console.draw_frame()
            if console.stopping or not whole:
                yield f"stopped {k + bool(whole)} of {n}"
                break
    finally:
        console.stepping = False
    yield f"time {shown(live.time)}"


def _pass(console, until, ends):
    """Let time pass, in portions that can be stopped between; False if it was. Portions do not change the motion."""
    live = console.live
    while live.time < until:
        status = live.advance(until - live.time, time_budget=LOOK)
        if status.word == "failed":
            raise RefusedError(f"time stands at {shown(live.time)} s, the last good state: {status}")
        if live.time < until and time.monotonic() > ends:
            raise RefusedError(
                f"time stands at {shown(live.time)} s: {console.patience:g} s were not enough; the motion is too fast to follow"
            )
        if console.stopping:
            return live.time >= until
    return True


@command("rtime", "the time, s")
def rtime(console, given):
    yield f"time {shown(console.live.time)}"


@command("stime t", "sets the time, s; nothing else changes")
def stime(console, given):
    console.live.set_time(given.values[0])


@command("rstepsize", "the interval of frames, s")
def rstepsize(console, given):
    yield f"stepsize {shown(console.frame)}"


@command("sstepsize s", "sets the interval of frames, s")
def sstepsize(console, given):
    (interval,) = given.values
    if not 1e-9 <= interval <= 1e6:
        raise RefusedError(f"the interval is {interval:g} s; allowed are 1e-9 to 1e6 s")
    console.frame = interval


@command("freeze", "time stands still until start: step draws and moves nothing")
def freeze(console, given):
    console.freeze(True)


@command("start", "time goes on after freeze")
def start(console, given):
    console.freeze(False)
