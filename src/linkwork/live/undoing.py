"""Taking edits back, and doing them again."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

from ..errors import StateError
from .changes import touched_bodies
from .edit import Edit
from .state_transfer import transfer_state

if TYPE_CHECKING:
    from ..model.model import Model
    from ..parts.mechanism import Mechanism
    from .history import Version


class Undoing:
    """The part of Live that undoes and redoes."""

    @property
    def can_undo(self) -> bool:
        return bool(self._history.done)

    @property
    def can_redo(self) -> bool:
        return bool(self._history.undone)

    @property
    def undone(self) -> Any:
        """Edits that were taken back; redo does the last of them again."""
        return [entry.edit for entry in self._history.undone]

    def undo(self) -> Edit | None:
        """Take the last edit back.

        If nothing has moved since, or if the edit changed the state alone (`reset`, `rewind`, `pose_to`, `set_joint`, ...), the state is as it was before,
        bit by bit; otherwise parts are as they were and the present state is carried over. Returns the Edit that this is: its words say what was undone.
        """
        if not self.can_undo:
            raise StateError("undo: there is nothing to undo; every edit has been taken back", "undo")
        entry = self._history.done[-1]
        left = self._version()
        renamed = {old: new for new, old in entry.renamed.items()}
        self._go_to(entry.before, entry.after, renamed, entry.turned_back, f"undo: {entry.edit.words}", "live.undo()")
        self._history.undo(left, self._version())
        return self.last_edit

    def redo(self) -> Edit | None:
        """Do again what undo took back. Returns the Edit that this is."""
        if not self.can_redo:
            raise StateError("redo: there is nothing to redo; make an edit and undo it first", "redo")
        entry = self._history.undone[-1]
        left = self._version()
        self._go_to(entry.after, entry.before, entry.renamed, entry.turned_back, f"redo: {entry.edit.words}", "live.redo()")
        self._history.redo(left, self._version())
        return self.last_edit

    def _go_to(self, version: Version, other: Version, renamed: dict[str, str], turned_back: bool, words: str, python: str) -> None:
        """To another version; `other` is the one that we are at, unless time has passed."""
        started = clock.perf_counter()
        self.release()
        mechanism, model = version.design.mechanism, version.design.model
        moved = (0.0,) * 4
        state_alone = (
            turned_back or mechanism == self.mechanism
        )  # a time, or the parts were left alone: a reset, a pose, a state that was set
        back_again = (state_alone or self.moment.same_state(other.moment)) and self._begins(version, mechanism, model)
        if not back_again:
            touched = touched_bodies(self.mechanism, mechanism, renamed)
            there = {body.name for body in self.mechanism.bodies}
            gone = {body.name for body in mechanism.bodies if renamed.get(body.name, body.name) not in there}
            back = version.moment._replace(model=model).bodies() if gone else {}
            transferred = transfer_state(self.moment, model, touched, renamed, {name: back[name] for name in gone})
            moved = transferred[1:]
            self._begin(transferred.moment, mechanism, version.design)
        self._called = dict(version.called)
        self._audit.add(Edit(words, python, self.time, *moved, clock.perf_counter() - started))
        self._say(python)
        self._remember_start()

    def _begins(self, version: Version, mechanism: Mechanism, model: Model) -> bool:
        """Go on from the very state of a version, if that can be: a step that failed may have torn it before it was edited."""
        try:
            self._begin(version.moment._replace(model=model), mechanism, version.design)
        except StateError:
            return False
        self._forget_after(version.moment.t)
        return True
