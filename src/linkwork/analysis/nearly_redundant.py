"""Rows that are nearly redundant: hardly more than rounding tells them from rows that depend on others, so that they are taken for such (decision 0015).

Axes that should be parallel and are tilted by 1e-7 hold a planar mechanism still, if one is strict. It is taken for the mechanism that it is near to, and
this is said.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from ..constraints.independent_rows import chosen_rows
from ..constraints.rank import TOLERANCE
from ..errors import ConstraintWarning
from .report_text import listed, short

MOST_ROWS = 3000  # models of more are not looked at when a run starts: J of all rows would take longer than many of their steps
TOUCHED = 1e-6  # of a row's natural size: velocities with less do not belong to its loop


@dataclass(frozen=True)
class NearlyRedundant:
    """A constraint, or a joint that closes a loop (`name`), that holds something by next to nothing: `sine` of what it could.

    `rows`: in which directions; `joints`: those of its loop.
    """

    name: str
    sine: float
    rows: tuple[str, ...]
    joints: tuple[str, ...]
    is_loop: bool

    def __str__(self):
        what = f"the loop closed by {self.name!r}" if self.is_loop else f"constraint {self.name!r}"
        return (
            f"{what} ({listed(self.joints)}) holds {', '.join(self.rows)} by {short(self.sine)} of what it could, which counts as nothing"
        )


def nearly_redundant(model, found):
    """The constraints with rows that are nearly redundant. `found`: ChosenRows of a state, or a Split."""
    choice = getattr(found, "choice", found)
    if not len(choice.doubtful):
        return ()
    result = []
    for c in model.constraints:
        rows = [i for i in choice.doubtful if c.rows.start <= i < c.rows.stop]
        if rows:
            touched = np.max(np.abs(found.directions[c.rows]), axis=0) > TOUCHED
            joints = tuple(j.name for j in model.joints if touched[j.v_index].any())
            words = tuple(c.words[i - c.rows.start] for i in rows)
            result.append(NearlyRedundant(c.name, float(np.max(choice.sine[rows])), words, joints, c.is_loop))
    return tuple(result)


def warn_of_nearly_redundant(model, q, t, stacklevel=3):
    """Warn of them, once for all, where a run starts."""
    if not 0 < model.nc <= MOST_ROWS:
        return
    found = nearly_redundant(model, chosen_rows(model, q, t))
    if found:
        warnings.warn(
            f"model {model.name!r}: {'; '.join(map(str, found[:3]))}{' and more' if len(found) > 3 else ''}; allowed are axes and places that agree "
            f"exactly, or not to {TOLERANCE:g}; it moves as if they agreed: draw them so, or further apart",
            ConstraintWarning,
            stacklevel=stacklevel,
        )
