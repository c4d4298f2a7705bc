"""What was recorded, in spans: as long as the parts stay the same, frames have the same columns and are one Recording, whatever was edited.

Forces that are retuned or switched, gravity, coordinates that are set, another integrator and a hand that pulls begin a new run each, and no
new span. Bodies, joints, frames, constraints and the names of forces make the columns; if one of them changes, a new span begins.
"""

from itertools import groupby
from typing import NamedTuple

import numpy as np

from ..parts.mechanism import Mechanism
from ..simulation.recording import Recording
from .tape import Page


class Span(NamedTuple):
    """A while in which the parts stayed the same. mechanism: as it was at its end; recording: all frames of it that are kept."""

    mechanism: Mechanism
    recording: Recording

    @property
    def first(self):
        """s, of its first frame."""
        return float(self.recording.time[0])

    @property
    def last(self):
        return float(self.recording.time[-1])


def same_parts(a, b):
    """Have two mechanisms the same bodies, joints, frames and constraints, and forces of the same names?"""
    if a is b:
        return True
    forces = [[force.name for force in m.forces] for m in (a, b)]
    return forces[0] == forces[1] and a._roots == b._roots and a._content()[2:7] == b._content()[2:7]


def spans_of(live) -> list[Span]:
    """All that can be looked back at, oldest first."""
    pages = [*live.tape.pages, live._page()._replace(recording=live.simulation.recording)]
    pages = [page for page in pages if len(page.recording)]
    spans = [Span(run[-1].mechanism, _joined(run)) for _, group in groupby(pages, key=lambda page: id(page.parts)) for run in _runs(group)]
    edits = _standing(live._books.edits)
    return [span._replace(recording=_with_edits(span, edits)) for span in spans]


def _standing(edits):
    """Edits without those of times that were taken back: going back is an edit at an earlier time."""
    kept: list = []
    for edit in edits:
        while kept and kept[-1].time > edit.time:
            kept.pop()
        kept.append(edit)
    return kept


def _runs(pages):
    """Pages in a row whose columns are the same; a clock that was set back begins another."""
    run: list[Page] = []
    for page in pages:
        recording = page.recording
        if run and (recording.layout.forces != run[-1].recording.layout.forces or recording.time[0] < run[-1].recording.time[-1]):
            yield run
            run = []
        run.append(page)
    yield run


def _joined(pages):
    last = pages[-1].recording
    found = None
    for page in pages:
        recording = _labelled(page.recording, last)
        found = recording if found is None else found + recording
    return found


def _labelled(recording, like):
    """A recording under the layout of another with the same columns: laws of forces are part of a model's identity, not of its columns."""
    if recording.layout is like.layout:
        return recording
    columns = {name: recording.column(name) for name in recording.channels}
    if "gap_rows" in columns and recording.layout.rows != like.layout.rows:  # a point that is held hard has rows of its own
        columns["gap_rows"] = np.full_like(columns["gap_rows"], -1)
    more = {"status": recording.status, "audit": recording.audit, "model": like.model, "notes": dict(recording.notes)}
    return Recording._trusted(like.layout, columns, **more)


def _with_edits(span, edits):
    """The recording with a note of what was edited while it ran: [[s, words], ...]."""
    made = [[edit.time, edit.words] for edit in edits if span.first < edit.time <= span.last]
    recording = span.recording
    if not made:
        return recording
    columns = {name: recording.column(name) for name in recording.channels}
    more = {"status": recording.status, "audit": recording.audit, "model": recording.model}
    return Recording._trusted(recording.layout, columns, **more, notes={**recording.notes, "edits": made})
