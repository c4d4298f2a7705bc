"""Functions of time that constraints follow: value and two derivatives of each, lane by lane."""

from math import nan

from ..data.markers import TIME
from ..dynamics.exchange import take
from ..kernels import kernel
from ..kernels.scalar import where, width, zero
from ..kernels.views import floats_of
from ..model.constraint_tables import open_constraints
from ..model.custom import call_custom
from ..parts.constraints.time_function import CONSTANT, NEAR, PIECEWISE


@kernel(inline=True)
def take_time(model, rows, time, k):
    """Bring in the time of state(s) k for a driver; gives 0, or NaN if it is not finite, or beyond the ends of a spline that does not extrapolate."""
    c, bad = open_constraints(model), take(rows.call.markers, time, k, 1)
    rows.time = rows.call.markers[0]
    for j in range(c.ntime_functions):
        time_function = c.time_functions[j]
        if time_function.kind == PIECEWISE and time_function.ends:
            first, last = c.coefficients[time_function.first], c.coefficients[time_function.first + time_function.count]
            near = NEAR * (last - first)
            bad = bad + where(rows.time < first - near, bad + nan, bad) + where(rows.time > last + near, bad + nan, bad)
    return bad


@kernel
def evaluate_time_functions(model, rows) -> None:
    """All functions of time at `rows.time`, to `rows.times` (RowData)."""
    c, call, o = open_constraints(model), rows.call, zero(rows)
    call.markers[TIME] = rows.time
    for j in range(c.ntime_functions):
        time_function, found = c.time_functions[j], rows.times[j]
        if time_function.kind == CONSTANT:
            found.value, found.rate, found.second = o + time_function.value, o, o
        else:
            lanes, times, results = width(rows), floats_of(call.markers), floats_of(call.results)
            for lane in range(lanes):
                time = times[TIME * lanes + lane]
                if time_function.kind == PIECEWISE:
                    value, rate, second = _piecewise(c, time_function, time)
                else:
                    call.given[0] = time
                    call_custom(time_function.code, floats_of(call.given), floats_of(call.given), floats_of(call.result), 1)
                    value, rate, second = call.result[0], call.result[1], call.result[2]
                results[lane], results[lanes + lane], results[2 * lanes + lane] = value, rate, second
            found.value, found.rate, found.second = call.results[0], call.results[1], call.results[2]


@kernel(inline=True)
def _piecewise(c, time_function, time):
    """Value, rate and second derivative of a piecewise polynomial."""
    piece = 0
    while piece < time_function.count - 1 and time >= c.coefficients[time_function.first + piece + 1]:
        piece += 1
    x = time - c.coefficients[time_function.first + piece]
    first = time_function.first + time_function.count + 1 + piece * time_function.order
    value, rate, twice = 0.0, 0.0, 0.0
    for k in range(time_function.order):  # Horner's rule for the polynomial and its two derivatives
        twice = twice * x + 2.0 * rate
        rate = rate * x + value
        value = value * x + c.coefficients[first + k]
    return value, rate, twice
