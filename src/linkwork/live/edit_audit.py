"""The audit of a mechanism that is edited: what each edit took, and the ledger of the run since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..simulation.audit import Audit
from .edit import Edit

if TYPE_CHECKING:
    from ..simulation.simulate import Simulation

MOST = 1000  # edits that are listed; the sums are of all


class LiveAudit:
    """edits: what was done, with the energy each took, J. energy_lost: of all of them together. run: the Audit since the last edit.

    >>> import linkwork as lw
    >>> live = lw.Live()
    >>> for k in (0, 1):
    ...     _ = live.add_body(f"puck {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), pose=(k, 0, 0), twist=(0, 0, 0, k, 0, 0))
    >>> _ = live.add_joint("glue", lw.Weld(), "puck 0", lw.Place("puck 1", lw.Pose((-1, 0, 0))))
    >>> len(live.audit.edits), round(live.audit.energy_lost, 9)  # J
    (3, 0.25)
    """

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.energy_lost = 0.0
        self.numerical = 0.0  # of all runs before this one
        self.gap = 0.0
        self.steps = 0
        self.run: Audit | None = None

    def add(self, edit: Edit) -> None:
        self.edits.append(edit)
        self.energy_lost += edit.energy_lost
        del self.edits[:-MOST]

    def close(self, simulation: Simulation) -> None:
        """A run has ended, since an edit began another."""
        audit = simulation.audit
        self.numerical += audit.numerical
        self.steps += audit.steps
        self.gap = max(self.gap, audit.gap.value if audit.gap else 0.0)

    def now(self, simulation: Simulation) -> LiveAudit:
        self.run = simulation.audit
        return self

    def __str__(self) -> str:
        lines = [str(self.run)] if self.run is not None else []
        lines.append(f"edits: {len(self.edits)}; kinetic energy lost in them, less what drives put in, {self.energy_lost:.6g} J")
        lines += [f"  {edit}" for edit in self.edits[-12:]]
        return "\n".join(lines)
