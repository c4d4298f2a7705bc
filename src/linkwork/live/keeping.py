"""From a live mechanism to files: its document, its recording."""

from dataclasses import fields, replace

from ..formats.document import Document
from ..formats.native_kinds import kind_name


def integrator_table(integrator, kind=True):
    """The settings of an integrator that differ from their defaults, as a file keeps them."""
    said = {f.name: getattr(integrator, f.name) for f in fields(integrator) if f.init and getattr(integrator, f.name) != f.default}
    return {"kind": kind_name(type(integrator)), **said} if kind else said


def document_of(live):
    """A Document of the mechanism with its present state."""
    setup = live._setup.starting_at(live.model, live.q, live.v, live.time)
    setup = replace(setup, integrator=integrator_table(live.integrator))
    mechanism = live.mechanism.clone()
    if live._text is None or live._text._original is None:
        return Document(mechanism, setup)
    document = Document._opened(live._text._original, live._text.path, None, None)
    document.adopt(mechanism, live._called)
    document.setup = setup
    return document


def joined_recording(live):
    """All pages of the present simulation, joined."""
    pages = [page.recording for page in live.tape.pages if page.model is live.simulation.model]
    now = live.simulation.recording
    for earlier in reversed(pages):
        if len(earlier) and earlier.channels == now.channels:
            now = earlier + now if len(now) else earlier
    return now
