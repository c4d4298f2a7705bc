"""A run that makes no progress: many steps that together hardly move the clock.

Steps that follow the error shrink where forces jump without end, or where constraints change from evaluation to evaluation. If MANY of them cover
less than SHARE of the way, the rest would take MANY / SHARE = 1e11 steps, which is days: that is no motion to wait for. A step of a method with
Newton iterations from Python takes as long as `Method.step_cost` = 100 others: 1000 of them must cover 1e-4 of the way, or of LONG if it is longer,
which would take 1e7 of them, some hours.
"""

from .integrator import StepError

MANY = 100_000  # steps, with those that were rejected
SHARE = 1e-6  # of the way to go
LONG = 1.0  # s


class ProgressCheck:
    """Watches a method on its way to a time: `check` after some steps."""

    def __init__(self, method, until):
        self.method, self.until = method, until
        self._mark()

    def _mark(self):
        self._time, self._tries = self.method.time, self.method.steps + self.method.rejections

    def check(self):
        """A StepError if the last MANY steps led nowhere."""
        method = self.method
        tries = method.steps + method.rejections - self._tries
        if tries * method.step_cost < MANY:
            return
        gone, way = method.time - self._time, self.until - self._time
        if gone < SHARE * way if method.step_cost == 1 else gone < SHARE * method.step_cost * min(way, LONG):
            raise StepError(
                f"no progress: {tries} steps from t = {self._time:.9g} s led on by {gone:.2g} s, and {way:.3g} s are to go; a force that jumps to and "
                "fro, or constraints near a singular pose, hold the steps small"
            )
        self._mark()
