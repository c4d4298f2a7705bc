"""From a live mechanism to files: its document, its recording."""

from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from ..formats.document import Document
from ..formats.native_kinds import kind_name
from ..formats.native_setup import Setup
from ..parts.mechanism import Mechanism


def integrator_table(integrator, kind=True):
    """The settings of an integrator that differ from their defaults, as a file keeps them."""
    said = {f.name: getattr(integrator, f.name) for f in fields(integrator) if f.init and getattr(integrator, f.name) != f.default}
    return {"kind": kind_name(type(integrator)), **said} if kind else said


class Snapshot(NamedTuple):
    """A live mechanism as it stood, with all that a file keeps of it. Nothing in it changes any more, so that any thread may write it out."""

    mechanism: Mechanism
    time: float
    q: np.ndarray
    v: np.ndarray
    setup: Setup
    source: Document | None
    called: dict
    on_disk: str | None

    @property
    def document(self) -> Document:
        """A Document of the mechanism with its state, with the comments of the file it came from."""
        mechanism = self.mechanism.clone()
        if self.source is None or self.source._original is None:
            return Document(mechanism, self.setup)
        document = Document._opened(self.source._original, self.source.path, None, None)
        document.adopt(mechanism, self.called)
        document.setup = self.setup
        document._on_disk = self.on_disk
        return document


def snapshot_of(live):
    """What there is now; costs little, whatever the mechanism's size."""
    q, v = live.q.copy(), live.v.copy()
    setup = live._setup.starting_at(live.model, q, v, live.time)
    if live._integrator is not None:
        setup = replace(setup, integrator=integrator_table(live.integrator))
    return Snapshot(live.mechanism, live.time, q, v, setup, live._text, dict(live._called), live._on_disk)
