"""Something to read while kernels are compiled, where no terminal shows which one it is: a line every few seconds."""

import contextlib
import sys
import threading
import time as clock

from .messages import say

FIRST, EVERY = 5.0, 10.0  # s


@contextlib.contextmanager
def while_waiting(what, visible):
    """Say every few seconds that `what` goes on, from another thread, until the block ends; nothing on a terminal, which shows more already."""
    if not visible or sys.stderr.isatty():
        yield
        return
    ended, started = threading.Event(), clock.monotonic()

    def tell():
        wait = FIRST
        while not ended.wait(wait):
            wait = EVERY
            say(f"{what}: {clock.monotonic() - started:.0f} s")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
