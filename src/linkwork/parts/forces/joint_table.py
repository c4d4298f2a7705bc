"""A force along a joint's coordinate that follows a table over time:   F = F(t), as table.py has it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from .kind import JOINTS, LAW_CALL
from .table import Table, TabledForce, table_place, table_value


@kernel(address=LAW_CALL)
def joint_table(given: NDArray[np.float64], table: Table, out: NDArray[np.float64]) -> None:
    i, x = table_place(table, given[2])
    out[0] = table_value(table, i, x, 0)
    out[1] = 0.0


@dataclass(frozen=True, repr=False)
class JointTable(TabledForce):
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
