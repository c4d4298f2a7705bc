"""A wrench on a body that follows a table over time: measured loads, planned thrust.

n_a = R n(t),   f_a = R f(t),   R = R_a, R_b or 1;       the opposite on the second body, as of a Motor;   n, f as table.py has them
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, flag, integer, part
from .fields import AXES, FLAG, one_of
from .kind import LAW_CALL, TIME
from .pair import put_driven
from .table import Table, TabledForce, table_place, table_value


class WrenchTableParameters(Record, constant=True):
    """What the law reads."""

    axes = integer("whose axes the wrench is in: the place in AXES")
    reaction = flag("does the opposite act on the second body?")
    wrenches = part(Table, "rows n_x n_y n_z f_x f_y f_z, N m and N")


@kernel(address=LAW_CALL)
def wrench_table(given: NDArray[np.float64], parameters: WrenchTableParameters, out: NDArray[np.float64]) -> None:
    table = parameters.wrenches
    i, x = table_place(table, given[TIME])
    n = table_value(table, i, x, 0), table_value(table, i, x, 1), table_value(table, i, x, 2)
    f = table_value(table, i, x, 3), table_value(table, i, x, 4), table_value(table, i, x, 5)
    put_driven(out, given, n, f, parameters.axes, parameters.reaction)


@dataclass(frozen=True, repr=False)
class WrenchTable(TabledForce):
    """A wrench on the first body at the first place that follows a table. times: s, increasing. values: a row [n; f] (N m, N) for each.

    axes and reaction as of a Motor. interpolation: "linear" or "cubic". outside: before the first and after the last time the
    values there "hold", or the wrench is "zero".

    >>> import linkwork as lw
    >>> m = lw.Mechanism("rocket", gravity=(0, 0, 0))
    >>> rocket = m.add_body("rocket", mass=1.0, inertia=(1, 1, 1))
    >>> thrust = lw.WrenchTable(times=(0.0, 1.0), values=((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 8.0)))
    >>> _ = m.add_force("thrust", thrust, rocket)
    >>> lw.applied_forces(m.build(), [0, 0, 0, 1, 0, 0, 0], [0.0] * 6, t=0.5)["thrust"].force.tolist()  # N
    [0.0, 0.0, 4.0]
    """

    times: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    axes: str = "a"
    reaction: bool = True
    interpolation: str = "linear"
    outside: str = "hold"

    law = wrench_table
    law_reads = WrenchTableParameters
    columns = 6
    holds = {"axes": one_of(AXES), "reaction": FLAG, **TabledForce.holds}

    def law_values(self) -> dict[str, Any]:
        return {"axes": AXES.index(self.axes), "reaction": self.reaction, "wrenches": self.table_values()}

    def table_in(self, parameters: Any) -> Any:
        return parameters.wrenches
