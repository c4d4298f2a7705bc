"""Of what is asked faster than it can be done, only the newest is done."""

import threading


class LatestWins:
    """Asks `act(function, *args)` for the newest call when the one before it is done; those between are forgotten.

    Pointers and sliders move a hundred times a second; each of their places is worth reaching only while it is the last.
    """

    def __init__(self, act):
        self._act, self._lock = act, threading.Lock()
        self._busy, self._waiting = False, None

    def __call__(self, function, *args, **options):
        with self._lock:
            if self._busy:
                self._waiting = function, args, options
                return
            self._busy = True
        self._go(function, args, options)

    def forget(self):
        """What waits is not done any more."""
        with self._lock:
            self._waiting = None

    def _go(self, function, args, options):
        self._act(function, *args, **options).add_done_callback(self._done)

    def _done(self, _):
        with self._lock:
            waiting, self._waiting = self._waiting, None
            self._busy = waiting is not None
        if waiting is not None:
            self._go(*waiting)
