"""A force along a joint's coordinate that follows a table over time:   F = F(t), as table.py has it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from .fields import keep_choice
from .kind import JOINTS, LAW_CALL, ForceKind, words_of
from .table import (
    INTERPOLATIONS,
    OUTSIDE,
    Table,
    keep_table,
    table_accepts,
    table_faults,
    table_numbers,
    table_place,
    table_repr,
    table_value,
    table_values,
)


@kernel(address=LAW_CALL)
def joint_table(given: NDArray[np.float64], table: Table, out: NDArray[np.float64]) -> None:
    i, x = table_place(table, given[2])
    out[0] = table_value(table, i, x, 0)
    out[1] = 0.0


@dataclass(frozen=True, repr=False)
class JointTable(ForceKind):
    """A force along one or more joint coordinates that follows a table. times: s, increasing. values: N m or N, one for each.

    interpolation: "linear" or "cubic". outside: before the first and after the last time the values there "hold", or it is "zero".

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("leaf", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_force("push", lw.JointTable(times=(0.0, 1.0), values=(0.0, 3.0)), "hinge")
    >>> lw.applied_forces(m.build(), [0.0], [0.0], t=0.5).tau.tolist()  # N m
    [1.5]
    """

    times: tuple[float, ...]
    values: tuple[float, ...]
    interpolation: str = "linear"
    outside: str = "hold"

    takes = JOINTS
    most = None
    needs_q = False
    law = joint_table
    law_reads = Table
    feeds = True

    def __post_init__(self) -> None:
        keep_choice(self, "interpolation", INTERPOLATIONS)
        keep_choice(self, "outside", OUTSIDE)
        keep_table(self, 1)

    def law_values(self) -> dict[str, Any]:
        return table_values(self)

    def law_words(self) -> NDArray[np.int64]:
        return words_of(Table, self.law_values(), table_numbers(self))

    def law_accepts(self, words: NDArray[np.int64]) -> bool:
        return table_accepts(self, self.law_given(words))

    def numbers(self) -> tuple[float, ...]:
        return super().numbers() + table_numbers(self)

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from table_faults(self)

    def __repr__(self) -> str:
        return table_repr(self)
