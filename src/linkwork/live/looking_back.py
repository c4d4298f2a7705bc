"""Looking back at what was recorded, and going on from there."""

import time as clock

from .carry import carry
from .editing import Edit
from .given import finite
from .spans import Span, same_parts, spans_of
from .tape import Page


class LookingBack:
    """The part of Live that knows the past."""

    def _page(self):
        return Page(self.mechanism, self._simulation.model, self._simulation._frames.recorder.recording(), self._parts)

    def _turn_page(self):
        page = Page(self.mechanism, self._simulation.model, self._simulation._frames.turn_page(), self._parts)
        self.tape.keep(page)

    @property
    def span(self):
        """(first, last) time that can be looked back at, s."""
        return self.tape.span(self._page())

    @property
    def spans(self) -> list[Span]:
        """All that can be looked back at as recordings, one for each while in which the parts stayed the same, oldest first."""
        return spans_of(self)

    @property
    def recording(self):
        """The Recording since parts were last added, removed or changed, as far as it is kept. Edits meanwhile are among its notes."""
        spans = self.spans
        return spans[-1].recording if spans else self._simulation.recording

    @property
    def recorded_since(self):
        """s, of the first frame of `recording`."""
        times = [page.recording.time for page in (*self.tape.pages, self._page()) if page.parts is self._parts and len(page.recording)]
        return float(times[0][0]) if times else self.time

    def look(self, t):
        """What was at a time, as the nearest frame tells: a Glimpse."""
        return self.tape.glimpse(finite("t", t), self._page())

    def rewind(self, t):
        """Go on from a time that has passed: the mechanism and the state of then. What came after is forgotten, but undo brings the mechanism back."""
        glimpse = self.look(t)
        started, before = clock.perf_counter(), self._version()
        self.release()
        model = glimpse.mechanism.build() if glimpse.moment.model is not self._model else self._model
        moment = carry(glimpse.moment, model, set()).moment if model is not glimpse.moment.model else glimpse.moment
        self._begin(moment, glimpse.mechanism)
        self._forget_after(glimpse.time)
        there = {part.name for part in self.mechanism._registry.everything()}
        self._called = {name: old for name, old in self._called.items() if name in there}
        edit = Edit(f"back to {glimpse.time:.3f} s", f"live.rewind({glimpse.time!r})", self.time, seconds=clock.perf_counter() - started)
        self._booked(edit, before, {})
        return edit

    def reset(self):
        """Back to the beginning: bodies where they started, parts as they are now."""
        started, before = clock.perf_counter(), self._version()
        self.release()
        if self._start.model is self._model:
            moment = self._start
        else:
            names = {body.name for body in self._model.bodies}
            placed = {name: given for name, given in self._start_bodies.items() if name in names}
            moment = carry(self.moment._replace(t=self._start.t), self._model, names, {}, placed).moment
        self._begin(moment)
        self._forget_after(moment.t)
        edit = Edit("back to the beginning", "live.reset()", self.time, seconds=clock.perf_counter() - started)
        self._booked(edit, before, {})
        self._remember_start()
        return edit

    def _forget_after(self, t):
        self.tape.cut(t)
        before = self.tape.pages[-1] if self.tape.pages else None
        if before is not None and same_parts(before.mechanism, self.mechanism):
            self._parts = before.parts
        self.watched.cut(t)
