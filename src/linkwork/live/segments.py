"""What was recorded, in segments: as long as the parts stay the same, samples have the same columns and are one Recording, whatever was edited.

Forces that are retuned or switched, gravity, coordinates that are set, another integrator and a hand that pulls begin a new run each, and no
new segment. Bodies, joints, frames, constraints and the names of forces make the columns; if one of them changes, a new segment begins.
"""

import functools
import operator
from itertools import groupby
from typing import NamedTuple

from ..parts.mechanism import Mechanism
from ..simulation.columns import Layout
from ..simulation.recording import Recording
from .state_history import Page


class Segment(NamedTuple):
    """A while in which the parts stayed the same. mechanism: as it was at its end; recording: all samples of it that are kept."""

    mechanism: Mechanism
    recording: Recording

    @property
    def first(self):
        """s, of its first sample."""
        return float(self.recording.time[0])

    @property
    def last(self):
        return float(self.recording.time[-1])


def same_parts(a, b):
    """Have two mechanisms the same bodies, joints, frames and constraints, and forces of the same names?"""
    if a is b:
        return True
    forces = [[force.name for force in m.forces] for m in (a, b)]
    return forces[0] == forces[1] and a._roots == b._roots and a._content()[3:8] == b._content()[3:8]


def segments_of(live) -> list[Segment]:
    """All that can be looked back at, oldest first."""
    pages = [page for page in (*live.state_history.pages, live._page()) if len(page.times)]
    segments = [
        Segment(run[-1].design.mechanism, joined(run))
        for _, group in groupby(pages, key=lambda page: id(page.parts))
        for run in _runs(group)
    ]
    edits = _standing(live._audit.edits)
    return [segment._replace(recording=_told(segment, live, edits)) for segment in segments]


def present_run(live) -> Recording:
    """All samples of the simulation that runs."""
    return joined([page for page in (*live.state_history.pages, live._page()) if page.run is live._run])


def joined(pages) -> Recording:
    """One recording of pages with the same columns, under the model of the last: laws of forces are part of a model, not of its columns."""
    model = pages[-1].design.model
    layout = Layout.of(model, pages[-1].forces)
    recordings = [Recording._trusted(layout, page.columns, model=model, notes=page.notes) for page in pages]
    return functools.reduce(operator.add, recordings)


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
        if run and (page.forces != run[-1].forces or page.times[0] < run[-1].times[-1]):
            yield run
            run = []
        run.append(page)
    yield run


def _told(segment, live, edits):
    """The recording with a note of what was edited while it ran, [[s, words], ...]; the audit, if all of it is of the simulation that runs."""
    recording, now = segment.recording, live.simulation
    made = [[edit.time, edit.words] for edit in edits if segment.first < edit.time <= segment.last]
    notes = {**recording.notes, "edits": made} if made else recording.notes
    whole = segment.last == now.time and now.audit.start <= segment.first
    columns = {name: recording.column(name) for name in recording.channels}
    status, audit = (now.status, now.audit) if whole else (recording.status, None)
    return Recording._trusted(recording.layout, columns, model=recording.model, notes=notes, status=status, audit=audit)
