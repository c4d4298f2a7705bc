"""Constraints that contradict each other, and constraints that are open.

A self-stress z says that rows depend on each other, z . J = 0. Then z . phi, z . phi_t and z . phi_tt must vanish too, or no position, velocity
or acceleration satisfies all rows: the gap is what is left, with z scaled to a largest entry of 1. Rows with phi != 0 that do not depend
on others are merely open: they can be closed.
"""

from dataclasses import dataclass

import numpy as np

from ..solvers.survey import survey
from .text import listed, short

OPEN = 1e-6  # m or rad: a gap below it is closed
RATES = 1e-7  # of velocities and accelerations, relative to the largest prescribed one (or 1)
UNITS = {"position": "m or rad", "velocity": "m/s or rad/s", "acceleration": "m/s^2 or rad/s^2"}


@dataclass(frozen=True)
class Contradiction:
    """A set of parts that cannot all hold: on the level of position, velocity or acceleration they lack `gap`."""

    names: tuple[str, ...]
    level: str
    gap: float

    def __str__(self):
        return f"{listed(self.names)} cannot all hold: their {self.level} differs by {short(self.gap)} {UNITS[self.level]}"


def contradictions(model, q, t, sets):
    """The contradictory among redundant sets."""
    if not sets:
        return ()
    found_rows = survey(model, q, None, t)
    levels = {"position": found_rows.phi, "velocity": found_rows.phi_t, "acceleration": found_rows.gamma}
    found = []
    for one in sets:
        Z = one.stress / np.max(np.abs(one.stress), axis=0)
        for level, values in levels.items():
            limit = OPEN if level == "position" else RATES * max(1.0, float(np.max(np.abs(values))))
            gap = float(np.max(np.abs(values @ Z)))
            if gap > limit:
                found.append(Contradiction(one.constraints if len(one.constraints) > 1 else one.names, level, gap))
                break
    return tuple(found)


def open_gaps(model, phi):
    """{name: largest |phi|} of the constraints that are not closed, m or rad."""
    gaps = {c.name: float(np.max(np.abs(phi[c.rows]), initial=0.0)) for c in model.constraints}
    return {name: gap for name, gap in gaps.items() if gap > OPEN}
