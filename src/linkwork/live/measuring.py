"""Numbers of a live mechanism: signals over time, the audit, freedoms."""

from .bookkeeping import LiveAudit
from .signals import all_signals, loads_of


class Measuring:
    """The part of Live that measures."""

    @property
    def signals(self):
        """All that can be watched now: names with units."""
        return all_signals(self)

    def watch(self, name):
        """Keep the values of a signal from now on."""
        self.watched.add(self, name)

    def unwatch(self, name):
        self.watched.remove(name)

    def history(self, name, since=None):
        """(times, values) of a signal that is watched, oldest first; since: s, only what came from then on."""
        return self.watched.history(name, since)

    @property
    def audit(self) -> LiveAudit:
        """Energy, momentum and gaps since the last edit, and what each edit took; `print(live.audit)`."""
        return self._books.now(self._simulation)

    @property
    def recording(self):
        """The Recording since the last edit, as far as it is kept."""
        from .keeping import joined_recording

        return joined_recording(self)

    def loads(self):
        """All forces now, as lw.reactions(..., forces=False) takes them: (tau (nv,), wrenches on bodies (nb, 6)), the hand's among them."""
        return loads_of(self)

    def mobility(self):
        """Degrees of freedom, redundant and contradictory constraints, in words: see lw.mobility."""
        from ..analysis.mobility import mobility

        return mobility(self._model, self.q, t=self.time)
