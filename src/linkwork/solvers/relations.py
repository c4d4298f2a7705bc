"""Rows of a user's relation: the native function of model/compiled.py called lane by lane."""

from ..dynamics.markers import put_marker
from ..kernels import kernel
from ..kernels.scalar import width
from ..model.compiled import GIVEN, MARKER, RESULT
from ..model.custom import call_custom
from ..parts.constraints.rows import ROW


@kernel
def relation_rows(code, rows, A, B, time, work, at, scratch, like) -> None:
    """Write `rows` rows from the slots `at` on. The time stands in slot `time`; `scratch`: slots, then raw floats behind them."""
    lanes = width(like)
    put_marker(work, scratch, A)
    put_marker(work, scratch + MARKER, B)
    raw = (scratch + 2 * MARKER) * lanes
    out = raw + GIVEN
    for lane in range(lanes):
        for k in range(2 * MARKER):
            work[raw + k] = work[(scratch + k) * lanes + lane]
        work[raw + 2 * MARKER] = work[time * lanes + lane]
        call_custom(code, work, raw, raw, out)
        for i in range(rows):
            for k in range(RESULT):
                work[(at + ROW * i + k) * lanes + lane] = work[out + RESULT * i + k]
