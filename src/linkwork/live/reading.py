"""Numbers: signals, once or over time; what acts, how it can move, and what the integrator did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..analysis.mobility import mobility
from ..arguments import renamed_attribute
from ..errors import StateError
from ..integrators.adams.method import AdamsMethod
from .signals import SignalState, active_forces_of, all_signals, reader, signal_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..analysis.mobility import Mobility
    from .edit_audit import LiveAudit


class Touching(NamedTuple):
    """Points where bodies press on each other. pairs: names of the shapes; points (n, 3) m; forces (n, 3) N, on the second of a pair, means over the last step;
    sliding (n,): do they slide?"""

    pairs: list[tuple[str, str]]
    points: NDArray[np.float64]
    forces: NDArray[np.float64]
    sliding: NDArray[np.bool_]


class Reading:
    """The part of Live that answers with numbers."""

    def read(self, name: Any) -> Any:
        """A signal as it is now; `live.signals` lists them. Names of recordings ("crank.v", "energy") are understood too."""
        return reader(self, name)(SignalState(self))

    @property
    def signals(self) -> Any:
        """All that can be watched now: names with units."""
        return all_signals(self)

    def watch(self, name: Any) -> None:
        """Keep the values of a signal from now on."""
        self.watched.add(self, name)

    def unwatch(self, name: Any) -> None:
        self.watched.remove(self._watched_name(name))

    def history(self, name: Any, since: float | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(times, values) of a signal that is watched, oldest first; since: s, only what came from then on."""
        return self.watched.history(self._watched_name(name), since)

    def _watched_name(self, name: str) -> str:
        """The name under which a signal is kept; what is not watched is refused."""
        watched = self.watched.values
        if name not in watched:
            name = signal_name(self, name)
        if name not in watched:
            raise StateError(f"{name!r} is not watched; live.watch({name!r}) keeps its values from then on", "name")
        return name

    @property
    def audit(self) -> LiveAudit:
        """Energy, momentum and gaps since the last edit, and what each edit took; `print(live.audit)`."""
        return self._audit.now(self._simulation)

    def active_forces(self) -> Any:
        """All forces now, as lw.reactions(..., forces=False) takes them: (tau (nv,), wrenches on bodies (nb, 6)), the pull's among them."""
        return active_forces_of(self)

    def touching(self) -> Touching:
        """The points where bodies pressed on each other in the last step; none before the first step after an edit. `live.simulation.contacts` tells more.

        >>> import linkwork as lw
        >>> live = lw.Live()
        >>> _ = live.add_floor(), live.add_body("ball", shape=lw.Sphere(0.1), mass=2.0, pose=(0, 0, 0.1))
        >>> _ = live.advance(0.1)
        >>> found = live.touching()
        >>> found.pairs, found.forces.round(6).tolist(), found.sliding.tolist()
        ([('ground', 'ball')], [[0.0, 0.0, 19.62]], [False])
        """
        pairs, points, forces, sliding = self._simulation.gauges.pressed_points(self.time, self.q, self.v)
        names = [(pair.a, pair.b) for pair in self._simulation.model.pairs] if len(pairs) else []
        return Touching([names[k] for k in pairs], points, forces, sliding)

    def loads(self) -> Any:
        """The old name of `active_forces`."""
        return renamed_attribute(self, "loads", "active_forces")()

    def mobility(self) -> Mobility:
        """Degrees of freedom, redundant and contradictory constraints, in words: see lw.mobility."""
        return mobility(self._model, self.q, t=self.time)

    def statistics(self) -> dict[str, Any]:
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
            found |= {"next": method.head.step, "order": method.order}
        return found
