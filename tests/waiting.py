"""Waiting for what another thread or process does, without a guess how long that takes."""

import time

from linkwork.kernels.progress import compiling

PATIENCE = 60.0  # s in which no kernel is compiled: a page rendered in software, on a busy machine
MOST = 900.0  # s in all


def wait_for(condition, seconds=PATIENCE, pause=0.01):
    """The first true answer of `condition`. The clock stands still while kernels are compiled, which takes a minute or two, once."""
    begun = last = time.monotonic()
    spent = 0.0
    while True:
        if found := condition():
            return found
        time.sleep(pause)
        now = time.monotonic()
        spent += 0.0 if compiling.busy else now - last
        last = now
        assert spent < seconds and now - begun < MOST, f"waited {now - begun:.0f} s in vain"


def answer(future, seconds=PATIENCE):
    """What a future answers, or what it raises."""
    wait_for(future.done, seconds)
    return future.result()
