"""Looking back at what was recorded, and going on from there."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import need, renamed_attribute
from ..errors import StateError
from ..simulation.replay import arrives
from .edit import Edit
from .moments import Moment, same_coordinates
from .segments import Segment, same_parts, segments_of
from .state_history import Page
from .state_transfer import transfer_state

if TYPE_CHECKING:
    from ..simulation.recording import Recording
    from ..simulation.simulate import Simulation
    from ..simulation.status import Status
    from .state_history import Glimpse

SAME_TIME = 1e-9  # s: samples nearer than this are at a time, as sums of slices are


class Rewinding:
    """The part of Live that knows the past."""

    _called: dict[str, str]
    _simulation: Simulation
    status: Status

    def _page(self, recording: Recording | None = None) -> Any:
        """A page of the simulation that runs. A hard pull has a model of its own, with one constraint more: samples are kept as without."""
        recording = self._simulation._samples.recorder.recording() if recording is None else recording
        columns = {name: recording.column(name) for name in recording.channels}
        if self._simulation.model is not self._model:
            columns["q"], columns["v"] = same_coordinates(self._simulation.model, self._model, columns["q"], columns["v"])
            columns["gap_rows"] = np.full_like(columns["gap_rows"], -1)  # the hand's rows have no names
        return Page(self._design, columns, recording.layout.forces, recording.notes, self._run, self._parts)

    def _turn_page(self) -> None:
        self.state_history.keep(self._page(self._simulation._samples.turn_page()))

    @property
    def span(self) -> tuple[float, float]:
        """(first, last) time that can be looked back at, s."""
        return self.state_history.span(self._page().times)

    @property
    def segments(self) -> list[Segment]:
        """All that can be looked back at as recordings, one for each while in which the parts stayed the same, oldest first."""
        return segments_of(self)

    @property
    def spans(self) -> list[Segment]:
        """The old name of `segments`."""
        found: list[Segment] = renamed_attribute(self, "spans", "segments")
        return found

    @property
    def recording(self) -> Recording:
        """The Recording since parts were last added, removed or changed, as far as it is kept. Edits meanwhile are among its notes."""
        segments = self.segments
        return segments[-1].recording if segments else self._simulation.recording

    @property
    def recorded_since(self) -> float:
        """s, of the first sample of `recording`."""
        times = [page.times for page in (*self.state_history.pages, self._page()) if page.parts is self._parts and len(page.times)]
        return float(times[0][0]) if times else self.time

    def look(self, t: float) -> Glimpse:
        """The recorded sample nearest a time: a Glimpse."""
        return self.state_history.glimpse(float(need("number", "t", t)), self._page())

    def rewind(self, t: float) -> Edit:
        """Go on from a time that has passed: the mechanism and the state of then. What came after is forgotten, but undo brings the mechanism and the state
        of now back; the samples in between stay forgotten, and a new span begins.

        Between two samples time runs again from the one before, with the integrator and the controllers of now, to the same bits where nothing else
        has interfered. Where that does not lead to the next sample (a pull acted, another integrator or controller was at work, or one that
        remembers), it goes to the sample before, and the Edit that it returns notes this. A time that is not kept is refused: see `span`.
        """
        t = float(need("number", "t", t))
        (first, last), near = self.span, max(SAME_TIME, 4.0 * np.spacing(abs(t)))
        if not first - near <= t <= last + near:
            raise StateError(
                f"t: found {t:g} s; allowed is a time that is kept, from {first:g} to {last:g} s; give one, see live.span", "t"
            )
        glimpse, words = self.look(t), ""
        started, before = clock.perf_counter(), self._version()
        onward = 0.0
        if abs(glimpse.time - t) > near:
            found, after = self.state_history.around(t, self._page())
            glimpse = self.state_history.frame(*found)
            if found[0].run is after[0].run and self._leads_on(glimpse, self.state_history.frame(*after).moment):
                onward = t - glimpse.time
            else:
                words = f", the frame before {t:g} s: what interfered there is not kept"
        self.release()
        self._begin(glimpse.moment, glimpse.mechanism)
        self._forget_after(glimpse.time)
        if onward:
            self.status = self._simulation.advance(onward)
            self.watched.take_sample(self)
        there = {part.name for part in self.mechanism._registry.everything()}
        self._called = {name: old for name, old in self._called.items() if name in there}
        seconds = clock.perf_counter() - started
        edit = Edit(f"back to {self.time:.3f} s{words}", f"live.rewind({self.time!r})", self.time, seconds=seconds)
        self._record_edit(edit, before, {})
        return edit

    def _leads_on(self, glimpse: Glimpse, after: Moment) -> bool:
        """Does time, run again from a sample with the settings of now, lead to the next one?"""
        again, moment = self._simulation_from(glimpse.moment, glimpse.mechanism), glimpse.moment
        if again.advance(after.t - moment.t) == "failed":
            return False
        return arrives(moment.model, moment[1:4], after[1:4], again.state.q, again.state.v)

    def reset(self) -> Any:
        """Back to the beginning: bodies where they started, parts as they are now."""
        started, before = clock.perf_counter(), self._version()
        self.release()
        if self._start.model is self._model:
            moment = self._start
        else:
            names = {body.name for body in self._model.bodies}
            placed = {name: given for name, given in self._start_bodies.items() if name in names}
            moment = transfer_state(self._turned_as_at_the_start(), self._model, names, {}, placed).moment
        self._begin(moment)
        self._forget_after(moment.t)
        edit = Edit("back to the beginning", "live.reset()", self.time, seconds=clock.perf_counter() - started)
        self._record_edit(edit, before, {})
        self._remember_start()
        return edit

    def _turned_as_at_the_start(self) -> Moment:
        """The present, with the coordinates that joints had at the start: whole turns that they have made since do not count."""
        q, v, first = self.q.copy(), self.v.copy(), self._start
        joints = {joint.name: joint for joint in first.model.joints}
        for joint in self._model.joints:
            was = joints.get(joint.name)
            if was is not None and (was.nq, was.nv) == (joint.nq, joint.nv):
                q[joint.q_index], v[joint.v_index] = first.q[was.q_index], first.v[was.v_index]
        return Moment(self._model, first.t, q, v)

    def _forget_after(self, t: float) -> None:
        self.state_history.cut(t)
        before = self.state_history.pages[-1] if self.state_history.pages else None
        if before is not None and same_parts(before.design.mechanism, self.mechanism):
            on = t - before.times[-1] <= SAME_TIME  # else samples in between are forgotten: what comes is a recording of its own
            self._parts = before.parts if on else object()
        self.watched.cut(t)
