"""What to do when a step failed: from where, and with which steps, the motion can go on.

A step that is too large for a stiff spring or damper does not fail at once: the motion grows by a factor each step. The ledger shows where it was
valid: energy that nothing explains grows with it. There, the fastest rate of the motion (simulation/diagnosis.py) gives a step that would hold.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import StateError
from ..integrators.implicit.method import Implicit
from ..integrators.integrator import Integrator
from ..simulation.diagnosis import GROWN, STABLE, fastest_rate
from ..simulation.user_errors import raised_in
from .moments import same_coordinates
from .segments import present_run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..simulation.recording import Recording
    from .live import Live

UNEXPLAINED = 0.1  # of the energy that moved since the frame before: more than that is not the motion of the mechanism
ROUNDING = 1e-9  # of all energy: less is ignored
MOST_HALVINGS = 20
SLOW = 64  # times as many steps: another method is quicker


class Remedy(NamedTuple):
    """words: what to do. time: s, of the sound state to go on from. integrator: to go on with."""

    words: str
    time: float
    integrator: Integrator


def remedies_of(live: Any) -> list[Remedy]:
    """What could help after a step that failed, the likeliest first; empty if nothing failed, or if no other step can help."""
    if live.status.ok:
        return []
    system, recording = live.simulation.system, present_run(live)
    if raised_in(system) is not None or not len(recording):
        return []
    k = last_valid_sample(recording)
    t, method = float(recording.time[k]), live.integrator
    step = getattr(method, "step", None)
    q, v = recording.q[k], recording.v[k]
    if system.model is not live.model:
        q, v = same_coordinates(live.model, system.model, q, v)
    gained = np.abs(system.evaluate(t, q, v).vdot) * (step or 1.0)
    if not (gained < GROWN).all():
        return []  # a force, a function of time or a mass is at fault, whatever the step
    found = []
    if not isinstance(method, Implicit) and not live.model.touches:
        found.append(Remedy("Implicit method", t, Implicit(step=step) if step else Implicit()))
    if step:
        smaller = _held(live, step, t, q, v)
        remedy = Remedy(f"Steps of {smaller:.2g} s", t, dataclasses.replace(method, step=smaller))
        found.insert(0 if step < SLOW * smaller else len(found), remedy)
    return found


def last_valid_sample(recording: Recording) -> int:
    """The number of the last frame before energy came from nowhere; the last of all if none did."""
    energies = [np.asarray(recording[name], dtype=float) for name in ("kinetic", "potential", "drives", "losses", "numerical")]
    energies += list(np.asarray(recording["stored"], dtype=float).T) + list(np.asarray(recording["work"], dtype=float).T)
    columns = np.array(energies)
    k = columns.shape[1] - 1
    with np.errstate(over="ignore", invalid="ignore"):
        while k > 0:
            moved = np.abs(columns[:, k] - columns[:, k - 1])
            floor = ROUNDING * np.abs(columns[:, :k]).max()
            if moved[4] <= UNEXPLAINED * (moved.sum() - moved[4]) + floor:  # False for what is not finite
                return k
            k -= 1
    return 0


def _held(live: Live, step: float, t: float, q: NDArray[np.float64], v: NDArray[np.float64]) -> float:
    """The step, halved until it holds at a state; once at least."""
    rate = fastest_rate(live.simulation.system, t, np.array(q), np.array(v))
    halvings = np.ceil(np.log2(max(step * rate / STABLE, 1.0))) if np.isfinite(rate) else 1.0
    return step / 2.0 ** min(max(halvings, 1.0), MOST_HALVINGS)


class StepAdvice:
    """The part of Live that goes on after a step that failed."""

    @property
    def remedies(self) -> list[Remedy]:
        """After a step that failed: ways to go on, [] if there is none; take(remedy) does it."""
        return remedies_of(self)

    def take(self, remedy: Remedy) -> None:
        """Go on from the sound state that a remedy names, with its integrator."""
        if not isinstance(remedy, Remedy):
            raise StateError(f"take: found {remedy!r}; allowed is one of live.remedies; give one", "remedy")
        if self.status.ok:
            raise StateError("take: no step has failed since, so that nothing is to be mended; let time run on", "remedy")
        if remedy.time < self.time:
            self.rewind(remedy.time)
        self.integrator = remedy.integrator
