"""Numbers that are read once: signals, and what the integrator did."""

from ..integrators.adams import AdamsMethod
from ..integrators.adams_history import STEP
from .signals import Look, reader


class Reading:
    """The part of Live that answers with numbers."""

    def read(self, name) -> float:
        """A signal as it is now; `live.signals` lists them."""
        return reader(self, name)(Look(self))

    def statistics(self) -> dict[str, float]:
        """What the integrator did since it last began anew, which it does after every edit.

        last, next: s, its last step and, of Adams' method, the one it would take next. order: of Adams' method. steps, rejected, evaluations: counts.
        """
        method = self._simulation.method
        found = {
            "steps": method.steps,
            "rejected": method.rejections,
            "evaluations": method.evaluations,
            "last": method.time - method.before,
        }
        if isinstance(method, AdamsMethod):
            found |= {"next": float(method.kept.head[STEP]), "order": method.order}
        return found
