"""Reactions in all joints and constraints, worked out beside the physics for whoever wants to read them: panels, and pointers that rest on a joint."""

import time as clock
from typing import NamedTuple

import numpy as np

import linkwork as lw

from .questions import Questions, case_of

PAUSE = 0.2  # s between two questions
SHARE = 4.0  # while time runs, that many times as long as the last answer took is left to the physics


class Known(NamedTuple):
    """Reactions, or the LinkworkError why there are none, at a time t; current: of the very state that is now."""

    reactions: lw.Reactions | lw.LinkworkError
    t: float
    current: bool


class Reacting:
    """Reactions take long in large mechanisms: one question at a time, none about what is known, few while they cannot keep up."""

    def __init__(self, player):
        self._player, self._callbacks = player, []
        self._questions = Questions(
            lambda model, case: lw.reactions(model, case.q, case.v, *case.active_forces, t=case.t, forces=False), self._answered
        )
        self._asked, self._when = None, 0.0
        self._known = None, None

    def ask(self, live):
        """Work them out for this state, if it is time to (in the physics thread)."""
        rest = PAUSE + (SHARE * self._questions.seconds if self._player.playing else 0.0)
        if self._questions.busy or not live.model.nb or clock.monotonic() - self._when < rest or _same(self._asked, live):
            return
        self._asked, self._when = (live.mechanism, live.last_edit, live.time, live.q.copy()), clock.monotonic()
        self._questions.ask(case_of(live, active_forces=True))

    def known(self, live):
        """What was worked out last, as a Known; None if that was for another mechanism."""
        answer, case = self._known
        if case is None or case.mechanism is not live.mechanism:
            return None
        return Known(answer, case.t, case.t == live.time and np.array_equal(case.q, live.q) and np.array_equal(case.v, live.v))

    def on_answer(self, callback):
        """Call callback(live) in the physics thread whenever they are known anew."""
        self._callbacks.append(callback)

    def close(self):
        self._questions.close()

    def _answered(self, answer, case):
        self._known = answer, case
        for callback in self._callbacks:
            self._player.do(callback)


def _same(asked, live):
    """Was this state asked about already?"""
    if asked is None or asked[0] is not live.mechanism or asked[1] is not live.last_edit:
        return False
    return asked[2] == live.time and np.array_equal(asked[3], live.q)
