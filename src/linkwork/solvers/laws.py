"""Laws of time evaluated: value, rate and acceleration of each, lane by lane."""

from ..kernels import kernel
from ..kernels.scalar import store, width, zero
from ..model.custom import call_custom
from ..model.rules import open_rules
from ..parts.constraints.law import FUNCTION, PIECEWISE


@kernel
def evaluate_laws(handle, work, time, at, scratch, like) -> None:
    """Put (value, rate, acceleration) of law j into the slots `at + 3 j`..; the time stands in slot `time`. `scratch`: raw floats, 8 of them."""
    c = open_rules(handle)
    lanes = width(like)
    o = zero(like)
    for j in range(c.size[3]):
        law = c.laws[j]
        store(work, at + 3 * j, o + law.value)
        store(work, at + 3 * j + 1, o)
        store(work, at + 3 * j + 2, o)
        if law.kind == PIECEWISE:
            for lane in range(lanes):
                t = work[time * lanes + lane]
                piece = 0
                while piece < law.count - 1 and t >= c.numbers[law.first + piece + 1]:
                    piece += 1
                x = t - c.numbers[law.first + piece]
                first = law.first + law.count + 1 + piece * law.order
                value, rate, twice = 0.0, 0.0, 0.0
                for k in range(law.order):  # Horner's rule for the polynomial and its two derivatives
                    twice = twice * x + 2.0 * rate
                    rate = rate * x + value
                    value = value * x + c.numbers[first + k]
                work[(at + 3 * j) * lanes + lane] = value
                work[(at + 3 * j + 1) * lanes + lane] = rate
                work[(at + 3 * j + 2) * lanes + lane] = twice
        elif law.kind == FUNCTION:
            for lane in range(lanes):
                work[scratch] = work[time * lanes + lane]
                call_custom(law.code, work, scratch, scratch, scratch + 1)
                for k in range(3):
                    work[(at + 3 * j + k) * lanes + lane] = work[scratch + 1 + k]
