"""A wrench on a body that follows a table over time: measured loads, planned thrust.

n_a = R n(t),   f_a = R f(t),   R = R_a, R_b or 1;       the opposite on the second body, as of a Motor;   n, f as table.py has them
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from .fields import AXES, keep_choice, keep_flag
from .kind import LAW_CALL, TIME, ForceKind
from .pair import put_driven
from .table import INTERPOLATIONS, OUTSIDE, keep_table, table_faults, table_numbers, table_place, table_repr, table_value

AT = 2  # where the table starts in the numbers


@kernel(address=LAW_CALL)
def wrench_table(given: NDArray[np.float64], numbers: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    i, x = table_place(numbers, AT, given[TIME])
    n = table_value(numbers, AT, i, x, 0), table_value(numbers, AT, i, x, 1), table_value(numbers, AT, i, x, 2)
    f = table_value(numbers, AT, i, x, 3), table_value(numbers, AT, i, x, 4), table_value(numbers, AT, i, x, 5)
    put_driven(out, given, n, f, numbers[0], numbers[1])


@dataclass(frozen=True, repr=False)
class WrenchTable(ForceKind):
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
    feeds = True

    def __post_init__(self) -> None:
        keep_choice(self, "axes", AXES)
        keep_flag(self, "reaction")
        keep_choice(self, "interpolation", INTERPOLATIONS)
        keep_choice(self, "outside", OUTSIDE)
        keep_table(self, 6)

    def numbers(self) -> tuple[float, ...]:
        return (float(AXES.index(self.axes)), float(self.reaction), *table_numbers(self))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from table_faults(self)

    def __repr__(self) -> str:
        return table_repr(self, "axes", "reaction")
