"""Constraints that contradict each other, and constraints that are open.

A self-stress z says that rows depend on each other, z . J = 0. Then z . phi, z . phi_t and z . phi_tt must vanish too, or no position, velocity
or acceleration satisfies all rows: the gap is what is left, with z scaled to a largest entry of 1. Rows with phi != 0 that do not depend
on others are merely open: they can be closed.
"""

from dataclasses import dataclass

import numpy as np

from ..constraints.state_arrays import state_arrays
from ..constraints.tolerance import row_units
from .report_text import listed, short

OPEN = 1e-6  # rad, lengths of the mechanism: a gap below it is closed
RATES = 1e-7  # of velocities and accelerations, relative to the largest prescribed one
NOTHING = 1e-6  # rad/s, rad/s^2, lengths: or to this, where prescribed ones are rounding
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
    found_rows = state_arrays(model, q, None, t)
    levels = {"position": found_rows.phi, "velocity": found_rows.phi_t, "acceleration": found_rows.gamma}
    found, units = [], row_units(model)
    for one in sets:
        Z = units[:, None] * one.stress  # of rows by their units
        largest = np.argmax(np.abs(Z), axis=0)
        Z = Z / np.max(np.abs(Z), axis=0)
        for level, values in levels.items():
            values = values / units
            limit = OPEN if level == "position" else RATES * max(NOTHING, float(np.max(np.abs(values))))
            gaps = np.abs(values @ Z)
            gap = float(np.max(gaps * units[largest]))
            if gaps.max() > limit:
                found.append(Contradiction(one.constraints if len(one.constraints) > 1 else one.names, level, gap))
                break
    return tuple(found)


def open_gaps(model, phi):
    """{name: largest |phi|} of the constraints that are not closed, m or rad."""
    units = row_units(model) if model.nc else phi
    return {
        c.name: float(np.max(np.abs(phi[c.rows])))
        for c in model.constraints
        if np.max(np.abs(phi[c.rows]) / units[c.rows], initial=0.0) > OPEN
    }
