"""Tables over time: columns of values at increasing times, interpolated by straight lines or a cubic spline.

A kernel reads a table from an array of numbers, from `at` on:   count, columns, cubic (0 or 1), hold (0 or 1) | times | values | slopes (cubic only),
values and slopes row by row. Between times t_i and t_i+1 = t_i + h, with x = (t - t_i) / h,

    linear   y = y_i + x (y_i+1 - y_i)
    cubic    y = y_i + x [h m_i + x ((3 - 2x) D - (2 - x) h m_i - (1 - x) h m_i+1)],     D = y_i+1 - y_i       (Hermite, slopes m)

with the slopes of the spline whose second derivative is continuous (not-a-knot: de Boor 1978, chapter IV). Outside the first or last value holds, or
it is zero.
"""

from typing import Any

import numpy as np

from ...errors import ModelError
from ...kernels import kernel
from ..validation import number, refuse, sequence

HEAD = 4
INTERPOLATIONS, OUTSIDE = ("linear", "cubic"), ("hold", "zero")


@kernel
def table_place(numbers, at, t) -> tuple[int, float]:
    """(i, x): the row before the time t, and how far it is to the next one, from 0 to 1; i = -1 if the value is zero."""
    count = int(numbers[at])
    times = at + HEAD
    if t < numbers[times] or t > numbers[times + count - 1]:
        if numbers[at + 3] == 0.0:
            return -1, 0.0
        return (0, 0.0) if t < numbers[times] else (count - 2, 1.0)
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if numbers[times + middle] <= t:
            low = middle
        else:
            high = middle
    return low, (t - numbers[times + low]) / (numbers[times + low + 1] - numbers[times + low])


@kernel
def table_value(numbers, at, i, x, column) -> float:
    """The value of a column where table_place says."""
    if i < 0:
        return 0.0
    count, columns = int(numbers[at]), int(numbers[at + 1])
    here = at + HEAD + count + i * columns + column
    y = numbers[here]
    step = numbers[here + columns] - y
    if numbers[at + 2] == 0.0:
        return y + x * step
    h = numbers[at + HEAD + i + 1] - numbers[at + HEAD + i]
    slope = here + count * columns
    first, last = h * numbers[slope], h * numbers[slope + columns]
    return y + x * (first + x * ((3.0 - 2.0 * x) * step - (2.0 - x) * first - (1.0 - x) * last))


def keep_table(kind, columns):
    """Turn the fields `times` and `values` into tuples of floats; rows are tuples if there are several columns."""
    owner = type(kind).__name__
    times = _row(kind.times, owner, "times", "give at least two times")
    needed = f"give a row of {columns} numbers for each time" if columns > 1 else "give a number for each time"
    if columns > 1:
        rows = sequence(kind.values, owner, "values", needed)
        values = tuple([_row(row, owner, "values", needed) for row in rows])
        wrong = next((row for row in values if len(row) != columns), None)
        if wrong is not None:
            raise refuse(owner, "a row of values", wrong, f"it has {len(wrong)} entries, {needed}")
    else:
        values = _row(kind.values, owner, "values", needed)
    if len(times) < 2 or len(values) != len(times):
        raise ModelError(f"{owner}: it has {len(times)} times and {len(values)} rows of values; a table has two or more of both; {needed}")
    object.__setattr__(kind, "times", times)
    object.__setattr__(kind, "values", values)


def _row(value, owner, what, needed):
    return tuple([number(x, owner, what) for x in sequence(value, owner, what, needed)])


def table_faults(kind):
    """What is wrong with a table's numbers, if anything."""
    for name in ("times", "values"):
        if not np.all(np.isfinite(np.array(getattr(kind, name)))):
            yield "law", f"{name} hold a number that is not finite; allowed are finite numbers; correct it"
    late = next((b for a, b in zip(kind.times, kind.times[1:], strict=False) if b <= a), None)
    if late is not None:
        yield "law", f"times do not increase at {late:g} s; allowed are increasing times; sort them and leave out repeated ones"


def table_numbers(kind: Any) -> tuple[float, ...]:
    """A table as kernels read it."""
    times, values = np.array(kind.times), np.array(kind.values)
    cubic = kind.interpolation == "cubic"
    parts = [times, values]
    if cubic:
        from scipy.interpolate import CubicSpline  # here, so that `import linkwork` need not wait for it

        parts.append(CubicSpline(times, values)(times, 1))
    columns = 1 if values.ndim == 1 else values.shape[1]
    head = (len(times), columns, cubic, kind.outside == "hold")
    return tuple(map(float, head)) + tuple(x for part in parts for x in part.ravel().tolist())


def table_repr(kind: Any, *more: str) -> str:
    """A table in one line, however long it is."""
    said = [f"{len(kind.times)} rows from {kind.times[0]:g} to {kind.times[-1]:g} s"]
    return (
        f"<{type(kind).__name__}: {', '.join(said + [f'{name}={getattr(kind, name)!r}' for name in (*more, 'interpolation', 'outside')])}>"
    )
