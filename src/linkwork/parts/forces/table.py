"""Tables over time: columns of values at increasing times, interpolated by straight lines or a cubic spline.

A kernel reads a record `Table`, behind which its numbers stand:   times | values | slopes (cubic only),   values and slopes row by row.
Between times t_i and t_i+1 = t_i + h, with x = (t - t_i) / h,

    linear   y = y_i + x (y_i+1 - y_i)
    cubic    y = y_i + x [h m_i + x ((3 - 2x) D - (2 - x) h m_i - (1 - x) h m_i+1)],     D = y_i+1 - y_i       (Hermite, slopes m)

with the slopes of the spline whose second derivative is continuous (not-a-knot: de Boor 1978, chapter IV). Outside the first or last value holds, or
it is zero.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...kernels import kernel
from ...kernels.records import Record, flag, following, integer
from ..validation import number, refuse, sequence
from .fields import one_of
from .kind import ForceKind, words_of

INTERPOLATIONS, OUTSIDE = ("linear", "cubic"), ("hold", "zero")


class Table(Record, constant=True):
    """A table over time."""

    count = integer("number of its times")
    columns = integer("number of its columns")
    cubic = flag("is it interpolated by a spline? Else by straight lines")
    hold = flag("does the first or last value hold outside? Else it is zero there")
    numbers = following("times, values, slopes")


@kernel
def table_place(table: Any, t: Any) -> tuple[int, float]:
    """(i, x): the row before the time t, and how far it is to the next one, from 0 to 1; i = -1 if the value is zero."""
    count, times = table.count, table.numbers
    if t < times[0] or t > times[count - 1]:
        if not table.hold:
            return -1, 0.0
        return (0, 0.0) if t < times[0] else (count - 2, 1.0)
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= t:
            low = middle
        else:
            high = middle
    return low, (t - times[low]) / (times[low + 1] - times[low])


@kernel
def table_value(table: Any, i: Any, x: Any, column: Any) -> float:
    """The value of a column where table_place says."""
    if i < 0:
        return 0.0
    count, columns, numbers = table.count, table.columns, table.numbers
    here = count + i * columns + column
    y = numbers[here]
    step = numbers[here + columns] - y
    if not table.cubic:
        return y + x * step
    h = numbers[i + 1] - numbers[i]
    slope = here + count * columns
    first, last = h * numbers[slope], h * numbers[slope + columns]
    return y + x * (first + x * ((3.0 - 2.0 * x) * step - (2.0 - x) * first - (1.0 - x) * last))


def _keep_table(kind: Any, columns: int) -> None:
    """Turn the fields `times` and `values` into tuples of floats; rows are tuples if there are several columns."""
    owner = type(kind).__name__
    times = _row(kind.times, owner, "times", "give at least two times")
    needed = f"give a row of {columns} numbers for each time" if columns > 1 else "give a number for each time"
    if columns > 1:
        rows = sequence(kind.values, owner, "values", needed)
        values: tuple[Any, ...] = tuple([_row(row, owner, "values", needed) for row in rows])
        wrong = next((row for row in values if len(row) != columns), None)
        if wrong is not None:
            raise refuse(owner, "a row of values", wrong, f"it has {len(wrong)} entries, {needed}")
    else:
        values = _row(kind.values, owner, "values", needed)
    if len(times) < 2 or len(values) != len(times):
        raise ModelError(f"{owner}: it has {len(times)} times and {len(values)} rows of values; a table has two or more of both; {needed}")
    object.__setattr__(kind, "times", times)
    object.__setattr__(kind, "values", values)


def _row(value: Any, owner: str, what: str, needed: str) -> tuple[float, ...]:
    return tuple([number(x, owner, what) for x in sequence(value, owner, what, needed)])


class TabledForce(ForceKind):
    """Base of kinds that follow a table: fields times, values, interpolation and outside. `columns`: numbers for each time."""

    columns: ClassVar[int] = 1
    feeds = True
    holds = {"interpolation": one_of(INTERPOLATIONS), "outside": one_of(OUTSIDE)}

    times: Any
    values: Any
    interpolation: Any
    outside: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        _keep_table(self, self.columns)

    def table_values(self) -> dict[str, Any]:
        """The fields of its Table."""
        cubic, hold = self.interpolation == "cubic", self.outside == "hold"
        return {"count": len(self.times), "columns": self.columns, "cubic": cubic, "hold": hold}

    def table_in(self, parameters: Any) -> Any:
        """The Table in the record that the law reads."""
        return parameters

    def law_values(self) -> dict[str, Any]:
        return self.table_values()

    def law_words(self) -> NDArray[np.int64]:
        return words_of(type(self).law_reads, self.law_values(), self._table_numbers())

    def law_accepts(self, words: NDArray[np.int64]) -> bool:
        table = self.table_in(self.law_given(words))  # the numbers behind it must be as many as it says
        of_a_time = 1 + self.columns * (2 if table.cubic else 1)
        return bool(table.columns == self.columns and table.count >= 2 and table.count * of_a_time == len(table.numbers))

    def numbers(self) -> tuple[float, ...]:
        return super().numbers() + self._table_numbers()

    def _table_numbers(self) -> tuple[float, ...]:
        """What stands behind its Table."""
        times, values = np.array(self.times), np.array(self.values)
        parts = [times, values]
        if self.interpolation == "cubic":
            from scipy.interpolate import CubicSpline  # here, so that `import linkwork` need not wait for it

            parts.append(CubicSpline(times, values)(times, 1))
        return tuple(x for part in parts for x in part.ravel().tolist())

    def faults(self) -> Iterator[tuple[str, str]]:
        for name in ("times", "values"):
            if not np.all(np.isfinite(np.array(getattr(self, name)))):
                yield "law", f"{name} hold a number that is not finite; allowed are finite numbers; correct it"
        late = next((b for a, b in zip(self.times, self.times[1:], strict=False) if b <= a), None)
        if late is not None:
            yield "law", f"times do not increase at {late:g} s; allowed are increasing times; sort them and leave out repeated ones"

    def __repr__(self) -> str:
        """In one line, however long the table is."""
        said = [f"{len(self.times)} rows from {self.times[0]:g} to {self.times[-1]:g} s"]
        more = [f"{name}={getattr(self, name)!r}" for name in type(self).holds]
        return f"<{type(self).__name__}: {', '.join(said + more)}>"
