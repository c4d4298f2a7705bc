"""Says what is being compiled, so that a first run never looks frozen. LINKWORK_QUIET=1 hides it."""

import os
import sys
import time


class _Compiling:
    """Is something being compiled just now? For those who wait for other reasons."""

    count = 0

    @property
    def busy(self):
        return self.count > 0


compiling = _Compiling()


class Progress:
    """A line on a terminal that is written over; without a terminal one line at the start."""

    def __init__(self):
        self.begun, self.told = time.perf_counter(), False
        compiling.count += 1

    def show(self, done, known, names):
        if os.environ.get("LINKWORK_QUIET", "0") != "0" or sys.stderr is None:
            return
        if sys.stderr.isatty():
            busy = ", ".join(name.partition("(")[0].rpartition(".")[2] for name in names)
            print(f"\r\033[Kcompiling kernels, once per machine: {done} of {known} ({busy})", end="", file=sys.stderr, flush=True)
        elif not self.told:
            print("linkwork: compiling kernels, once per machine (LINKWORK_QUIET=1 hides this line)", file=sys.stderr, flush=True)
        self.told = True

    def end(self, done):
        compiling.count -= 1
        if self.told and sys.stderr.isatty():
            print(f"\r\033[K{done} kernels compiled in {time.perf_counter() - self.begun:.1f} s", file=sys.stderr, flush=True)
