"""Numbers for charts: several signals over common times, few enough points to send, in units that can be read."""

import math

import numpy as np

MOST_POINTS = 600  # of a curve: twice what a chart has pixels across
PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
PLAIN = ("m", "N", "J", "m/s", "N m", "rad/s", "rad")  # units that take a prefix


def aligned(histories):
    """Signals over common times: (times, [values, ...]). Signals are looked at together, so that times differ only in where they begin."""
    if not histories or any(not len(times) for times, _ in histories):
        return np.zeros(0), [np.zeros(0) for _ in histories]
    start = max(times[0] for times, _ in histories)
    common = max((times[times >= start] for times, _ in histories), key=len)
    values = [y[times >= start] if len(times[times >= start]) == len(common) else np.interp(common, times, y) for times, y in histories]
    return common, values


def thinned(times, values, most=MOST_POINTS):
    """The same curves with few points: of each stretch of time, where any of them is lowest and highest, so that no peak is lost."""
    if len(times) <= most:
        return times, values
    stretches = max(1, most // (2 * len(values)))
    edges = np.linspace(0, len(times), stretches + 1).astype(int)[:-1]
    kept = {0, len(times) - 1}
    for y in values:
        y = np.nan_to_num(y)
        for first, last in zip(edges, [*edges[1:], len(times)], strict=True):
            kept |= {first + int(np.argmin(y[first:last])), first + int(np.argmax(y[first:last]))}
    index = np.array(sorted(kept))
    return times[index], [y[index] for y in values]


def power_for(largest, now=0):
    """The power of ten, a multiple of 3, in which numbers up to `largest` read well; `now` stays as long as it does."""
    if not largest > 0.0 or not math.isfinite(largest):
        return now
    if 0.02 <= largest / 10.0**now < 5_000.0:
        return now
    return int(3 * math.floor(math.log10(largest) / 3.0))


def unit_text(unit, power):
    """A unit with its power of ten: "mm", "kN m", "10⁻¹² m or rad"."""
    if power == 0:
        return unit
    if unit in PLAIN and power in PREFIXES and not (unit.startswith("rad") and power > 0):
        return PREFIXES[power] + unit
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")) + f" {unit}"


def number_text(value, unit=""):
    """A number as it is read: four digits, powers of ten only where there is no other way."""
    if value is None or not math.isfinite(value):
        return "–"
    text = "0" if value == 0.0 else f"{value:.4g}" if 1e-4 <= abs(value) < 1e6 else f"{value:.3e}"
    return f"{text} {unit}".rstrip()


def vector_text(values, unit=""):
    """Some numbers in a row, to four digits; what is nothing beside the largest is 0."""
    size = max((abs(float(x)) for x in values if math.isfinite(x)), default=0.0)
    return f"({', '.join(number_text(0.0 if abs(x) < 1e-9 * size else float(x)) for x in values)}) {unit}".rstrip()
