"""Conditions of contact between two bodies or shapes, which a method knows at the end of every step: they touch, all their points stick, one of them slides.

A condition counts as an event's function that is 1 where it holds and -1 where it does not: it goes upwards where the condition begins to hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.contact_rows import TOUCHING, length_of_scene
from ..analysis.contacts import found_points
from ..data.contact_problem import OPEN, SLIDE, STICK
from ..dynamics.kinematics import forward_kinematics
from ..errors import ModelError
from ..integrators.event_screen import CLOCK
from ..solvers.contact.points import SLIPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..model.model import Model

TOUCH, HOLD, SLIP = "touch", "stick", "slip"
UNKNOWN = 9  # the status of a pair that touches, before the first step
NEVER = -1e300  # s: the clock of an event that no time brings about


def point_statuses(points: Any) -> NDArray[np.int64]:
    """OPEN, STICK or SLIDE of remembered points; one that has all the friction there is and rests sticks."""
    found: NDArray[np.int64] = np.where(points["status"] == OPEN, OPEN, np.where(points["flags"] & SLIPS, SLIDE, STICK))
    return found


def pair_statuses(system: Any, points: Any = None) -> NDArray[np.int64]:
    """(pairs,) of the last step: 0: apart, 1: pressed together, every point sticks, 2: a point slides. A pair without friction slides.

    points: those of another time within it."""
    table = system.model.contact_tables.pairs
    status = np.full(len(table), OPEN, dtype=np.int64)
    if system.contact is not None:
        memory = system.contact.memory
        points = memory.points.rows[: int(memory.count[0])] if points is None else points
        np.maximum.at(status, points["pair"], point_statuses(points))
        status[(status == STICK) & (np.asarray(table["friction"]) == 0.0)] = SLIDE
    return status


def statuses_at_start(system: Any) -> NDArray[np.int64]:
    """The same where a motion goes on, or, before its first step, UNKNOWN of the pairs whose shapes touch: what holds there from the start is no event."""
    contact, model = system.contact, system.model
    known = system.where_contact_begins(pair_statuses)
    if known is not None:
        return known
    statuses = pair_statuses(system)
    if contact is not None and not contact.memory.count[0]:
        for point in found_points(model, forward_kinematics(model, system.q), TOUCHING * length_of_scene(model)):
            statuses[point.pair] = UNKNOWN
    return statuses


@dataclass(frozen=True)
class ContactChange:
    """A condition of two bodies or shapes, by name: "touch", "stick" or "slip"."""

    a: str
    b: str
    what: str
    begins: bool = True

    @property
    def said(self) -> str:
        verbs = {TOUCH: "touch" if self.begins else "part", HOLD: "stick", SLIP: "slip"}
        return f"{self.a} and {self.b} {verbs[self.what]}"

    def on(self, model: Model) -> Any:
        """A number without crossings, for those who watch functions of the state."""
        self.pairs(model)
        return lambda t, q, v: 1.0

    def number(self, model: Model) -> dict[str, float]:
        return {"kind": CLOCK, "value": NEVER}

    def pairs(self, model: Model) -> NDArray[np.int64]:
        """Numbers of the pairs of shapes that are meant."""
        if not model.touches:
            raise ModelError(
                f"event {self.said!r}: no bodies of model {model.name!r} touch: it was built without contact; add a floor, a Surface, m.touch(a, b) or "
                "m.contact = True before build()"
            )
        named = [frozenset(shape.name for shape in model.shapes if x in (shape.name, shape.body)) for x in (self.a, self.b)]
        for x, shapes in zip((self.a, self.b), named, strict=True):
            if not shapes:
                model.shape(x)  # which raises
        one, other = named
        found = [k for k, pair in enumerate(model.pairs) if (pair.a in one and pair.b in other) or (pair.a in other and pair.b in one)]
        if not found:
            raise ModelError(
                f"event {self.said!r}: {self.a!r} and {self.b!r} of model {model.name!r} cannot touch; m.why_not_touching({self.a!r}, {self.b!r}) says why"
            )
        return np.array(found, dtype=np.int64)

    def holds(self, statuses: NDArray[np.int64]) -> bool | None:
        """Does it hold, given the statuses of its pairs? None if it is not known yet."""
        status = int(statuses.max(initial=OPEN))
        if status == UNKNOWN:
            return True if self.what == TOUCH else None
        return status > OPEN if self.what == TOUCH else status == (STICK if self.what == HOLD else SLIDE)
