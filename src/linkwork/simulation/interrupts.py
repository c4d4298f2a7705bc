"""Ctrl-C while a motion is under way: it waits until state, time and samples belong together.

A second Ctrl-C does not wait: the step under way is abandoned, and the run returns to the last sample (`Simulation.whole`).
"""

import signal
import threading


class interrupts_wait:  # noqa: N801 - a context
    """`with interrupts_wait() as interrupts:`: Ctrl-C waits for the end of the block, or for `interrupts.let_in()`. In the main thread; others get none."""

    def __init__(self):
        self._usual = self._came = None

    def __enter__(self):
        usual = signal.getsignal(signal.SIGINT)
        waits = getattr(usual, "__func__", None) is interrupts_wait._note  # already, for the end of a block around this one
        if threading.current_thread() is threading.main_thread() and callable(usual) and not waits:
            self._usual = usual
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number, frame):
        again, self._came = self._came is not None, (number, frame)
        if again:
            self.let_in()

    def let_in(self):
        """Do what Ctrl-C usually does, if it has come."""
        if self._came is not None:
            came, self._came = self._came, None
            self._usual(*came)

    def __exit__(self, *_):
        if self._usual is not None:
            if signal.getsignal(signal.SIGINT) == self._note:
                signal.signal(signal.SIGINT, self._usual)
            self.let_in()
