"""Rows of a user's relation: the native function of model/compiled.py called lane by lane."""

from ..data.markers import GIVEN, MARKER, ROW_RESULT, TIME
from ..dynamics.markers import put_marker
from ..kernels import kernel
from ..kernels.scalar import width
from ..kernels.views import floats_of
from ..model.custom import call_custom
from ..spatial.vectors import get3


@kernel
def relation_rows(block, A, B, rows) -> None:
    """The rows of a relation between the markers A and B, at `rows.time`."""
    call, lanes = rows.call, width(rows)
    put_marker(call.markers, 0, A)
    put_marker(call.markers, MARKER, B)
    call.markers[TIME] = rows.time
    markers, results = floats_of(call.markers), floats_of(call.results)
    for lane in range(lanes):
        for k in range(GIVEN):
            call.given[k] = markers[k * lanes + lane]
        call_custom(block.code, floats_of(call.given), floats_of(call.given), floats_of(call.result), GIVEN)
        for k in range(ROW_RESULT * block.rows):
            results[k * lanes + lane] = call.result[k]
    found = call.results
    for i in range(block.rows):
        row, k = rows.rows[block.row + i], ROW_RESULT * i
        row.n_a, row.f_a, row.n_b, row.f_b = get3(found, k), get3(found, k + 3), get3(found, k + 6), get3(found, k + 9)
        row.phi, row.rate, row.gamma = get3(found, k + 12)
