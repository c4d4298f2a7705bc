"""Says what is being compiled, so that a first run never looks frozen. LINKWORK_QUIET=1 hides it.

Kernels are compiled when they are needed, so a first run compiles several times. To a person that is one thing: it is announced once in a process,
counted through, and ended by one line with the number of kernels and the seconds.
"""

import atexit
import os
import shutil
import sys
import threading
import time
from pathlib import Path

from .switches import switch

BUILD = "make kernels" if (Path(__file__).parents[3] / "Makefile").is_file() else "linkwork kernels build"  # in a checkout, or installed
EVERY = 10.0  # s between two lines where there is no terminal
PAUSE = 1.0  # s without compiling until it is taken to be over


class _Compiling:
    """Is something being compiled just now, and how long has this process compiled so far (s)? For those who wait, or time, other things."""

    count = 0
    seconds = 0.0

    @property
    def busy(self):
        return self.count > 0


compiling = _Compiling()


class Display:
    """A line on a terminal that is written over; without a terminal a line at the start and every few seconds. Both end with a line.

    The builds that a process starts one after the other add up; `finish` ends them, and is called if none follows.
    `announces=False`: the caller says itself that it begins and what came of it.
    """

    def __init__(self, announces=True):
        self.announces, self.announced = announces, False
        self._ending = None
        self._lock = threading.RLock()
        self._forget()

    def _forget(self):
        self.made, self.seconds, self.told = 0, 0.0, 0.0

    def begin(self):
        """A build begins; returns when, for `show` and `end`."""
        with self._lock:
            compiling.count += 1
            self._wait_no_longer()
            return time.perf_counter()

    def _wait_no_longer(self):
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def show(self, begun, done, known):
        """So many of the units known by now are done in this build."""
        if _hidden():
            return
        now = time.perf_counter()
        seconds = self.seconds + now - begun
        # What a unit calls is known when it has been compiled: how many there are is known when the last is done. Who builds all of them is told the least.
        count = f"{self.made + done} done{'' if self.announces else f', at least {known - done} to go'}, {seconds:.0f} s"
        if sys.stderr.isatty():
            line = f"{self._why()}: {count}"[: shutil.get_terminal_size().columns - 1]
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        elif self.announces and not self.announced:
            print(f"linkwork: {self._why()} (LINKWORK_QUIET=1 hides this line)", file=sys.stderr, flush=True)
        elif seconds >= self.told + EVERY:
            print(f"linkwork: compiling kernels: {count}", file=sys.stderr, flush=True)
            self.told = seconds
        self.announced = True

    @staticmethod
    def _why():
        if os.environ.get("LINKWORK_JIT") == "1":
            return "compiling kernels, because LINKWORK_JIT=1 leaves the built library aside"
        return f"compiling kernels (once; '{BUILD}' builds all)"

    def end(self, begun, done):
        """A build has ended; another one may follow at once."""
        with self._lock:
            compiling.count -= 1
            self.made += done
            spent = time.perf_counter() - begun
            self.seconds += spent
            compiling.seconds += spent
            if not _hidden() and sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr, flush=True)
            if self.announces and self.made:
                self._ending = threading.Timer(PAUSE, self.finish)
                self._ending.daemon = True
                self._ending.start()

    def finish(self):
        """Say what was compiled since this was said last."""
        with self._lock:
            if compiling.busy:
                return
            self._wait_no_longer()
            if self.made and self.announces and not _hidden():
                kernels = "1 kernel" if self.made == 1 else f"{self.made} kernels"
                print(f"linkwork: {kernels} compiled in {self.seconds:.1f} s", file=sys.stderr, flush=True)
            self._forget()


def _hidden():
    return switch("LINKWORK_QUIET", False) or sys.stderr is None


display = Display()  # of this process
atexit.register(display.finish)
