"""Questions that take long, answered beside the physics: in a thread of their own, with a model of their own, so that nothing waits for them."""

import logging
import threading
import time as clock
from typing import NamedTuple

import numpy as np

import linkwork as lw

from .page_text import fault

log = logging.getLogger("linkwork.studio")


class Case(NamedTuple):
    """A mechanism in one state, with what acts on it: what a question is about. Nothing in it changes any more."""

    mechanism: lw.Mechanism
    t: float
    q: np.ndarray
    v: np.ndarray
    active_forces: tuple | None = None


def case_of(live, active_forces=False) -> Case:
    """The present (in the physics thread)."""
    return Case(live.mechanism, live.time, live.q.copy(), live.v.copy(), live.active_forces() if active_forces else None)


class Questions:
    """Calls function(model, case) for the last case that was asked, and hands the answer to then(answer, seconds); of cases that come while it
    is busy, all but the last are passed over. A LinkworkError is an answer too.

    quiet: s without another question before one is taken up, so that edits that follow each other, as those of a slider, are not held up by it.
    """

    def __init__(self, function, then, quiet=0.0):
        self._function, self._then, self._quiet = function, then, quiet
        self._case, self._come, self._closing = None, threading.Condition(), False
        self._built = None, None
        self.seconds = 0.0  # that the last answer took
        self.busy = False
        self._thread = threading.Thread(target=self._loop, name="linkwork questions", daemon=True)
        self._thread.start()

    def ask(self, case):
        with self._come:
            self._case, self.busy = case, True
            self._come.notify()

    def close(self):
        with self._come:
            self._closing = True
            self._come.notify()

    def _loop(self):
        while True:
            with self._come:
                while self._case is None and not self._closing:
                    self.busy = False
                    self._come.wait()
                while not self._closing and self._come.wait(self._quiet):
                    pass
                case, self._case = self._case, None
                if self._closing:
                    return
            started = clock.perf_counter()
            try:
                answer = self._function(self._model(case.mechanism), case)
            except lw.LinkworkError as error:
                answer = error
            except Exception as error:
                log.exception("a question failed")
                answer = lw.StudioError(fault(error))
            self.seconds = clock.perf_counter() - started
            if self._closing:
                return
            try:
                self._then(answer, case)
            except Exception:
                log.exception("an answer could not be shown")

    def _model(self, mechanism):
        """Built once for a mechanism. The live one's own model is not for two threads: functions of one state lend its memory."""
        if self._built[0] is not mechanism:
            self._built = mechanism, mechanism.build()
        return self._built[1]
