"""What stands between the arrays of a native function and an event's own function of (t, q, v), a number (native_function.py)."""

import math
from typing import NamedTuple

from ..validation import is_flag


class EventLaw(NamedTuple):
    """How the function of an event is called: with the time, all nq coordinates and all nv velocities."""

    nq: int
    nv: int

    @property
    def sizes(self):
        return 1 + self.nq + self.nv, 0, 1

    def argument_types(self):
        from ..kernels.user_functions import NUMBER, NUMBERS

        return NUMBER, NUMBERS, NUMBERS

    def compiled_filler(self, function, returns):
        from ..kernels.user_functions import is_number

        if not is_number(returns):
            raise TypeError(f"it returns {returns}, which is no number")
        nq = self.nq

        def fill(given, numbers, out):
            out[0] = function(given[0], given[1 : 1 + nq], given[1 + nq :])

        return fill

    def plain_filler(self, function):
        """A result that is not a number becomes NaN: the step is then examined closely, and the error is raised there."""
        nq = self.nq

        def fill(given, numbers, out):
            try:
                value = function(float(given[0]), given[1 : 1 + nq].copy(), given[1 + nq : 1 + nq + self.nv].copy())
                out[0] = math.nan if is_flag(value) else float(value)
            except Exception:
                out[0] = math.nan

        return fill
