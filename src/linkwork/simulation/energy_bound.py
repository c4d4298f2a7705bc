r"""Has energy come from nowhere? A bound on the energy of a state from all that can explain it, checked at every sample of a run.

A step that is too large for a spring or damper does not fail: the motion grows by a factor each step, until it overflows or is stopped by a joint
that turns. But the energy that a state holds is bounded, whatever the step. With T kinetic, U_k stored in force k, V the potential of gravity,

    T + sum max(U_k, 0)  <=  [T + sum max(U_k, 0)] at the start  +  |V - V_start|  +  sum max(-U_k, 0)
                              +  |drives|  +  |losses|  +  what was stored or freed by changes of parameters  +  fed                           (1)

fed is the work of the forces that may do more of it than they have stored (`ForceKind.feeds`: motors, laws over time, users' functions) and of
controllers, sum max(W_k + U_k - U_k_start, 0). It was integrated along with the motion, so where the motion is none it is none either: it counts as
an explanation only while the ledger balances, numerical <= TRUSTED (T + |V - V_start| + sum |W_k| + what belongs to SPEED), at two samples one after
the other. Energies below those of SPEED always balance: at rest they are rounding.
Where it does not balance, as at the first steps of a method of order 1, such forces may have brought the energy of a push with their own accelerations,

    T(q, vdot) tau^2        vdot: accelerations in the state of the last trusted sample, tau: s since then.                                      (2)

as they were then, and as they are now: forces over time may have set in, or been switched on, since. The state is the trusted one both times, so that
motion that grows does not explain itself. At the first FIRST samples the accelerations at the sample before may have been those all along, since forces
may be zero at the start. What controllers hold jumps, and follows the motion: at best it was there all along, 1/2 tau . M^-1 tau times the square of
the time.

For a linear oscillator whose steps are unstable (RungeKutta4, SemiImplicitEuler, any step and damping) two samples never balanced within TRUSTED by
chance. Methods that are merely rough stay far below GROWN, which is a factor of ten in the speeds.
"""

from typing import NamedTuple

import numpy as np

from ..constraints.tolerance import comparable, gravity_pace, pace_of
from ..dynamics.energy import energy_or_infinity
from ..dynamics.mass_matrix import mass_matrix
from ..integrators.saved_values import refuse_saved, saved_number, saved_numbers
from .ledger import EnergySample, Ledger

SUSPECT, GROWN = 4.0, 100.0  # times the explained energy: not to be trusted; no motion at all
BEYOND = 1e10  # times the explained energy: no motion, whatever might have been
TRUSTED = 0.1  # of the energies in play: what a ledger may miss
SPEED = 3e-3  # of the pace of the motion, or of gravity: energies that belong to such speeds are always explained
RESTS = 1e-3  # 1/s: no pace at all, where nothing moves yet and nothing falls; energies are then measured by SPEED rad/s
FIRST = 40  # samples at which the books of a method of order 1 may not balance within TRUSTED yet: forces like t^3 take so many steps


class Verdict(NamedTuple):
    """Of a sample: the energy of its state (J), what explains it (J), and what might at best (J)."""

    energy: float
    explained: float
    at_best: float

    @property
    def suspect(self):
        return not self.energy <= SUSPECT * self.explained

    @property
    def grown(self):
        return not self.energy <= min(GROWN * self.at_best, BEYOND * self.explained)

    @property
    def bound(self):
        """J: what the energy was found to be beyond, a hundredfold and more."""
        return self.at_best if not self.energy <= GROWN * self.at_best else self.explained


class ValidState(NamedTuple):
    """What is kept of a sample: when, coordinates, velocities and accelerations."""

    t: float
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray


class EnergyBound:
    """The right side of (1) for a System, kept up to date from sample to sample. Controllers, if there are any, are the last in the books."""

    def __init__(self, system):
        self._system, self._model, self._scale = system, system.model, comparable(system.model)
        feeds = [info.kind.feeds for info in system.active_forces.infos]  # of each force: may it do more work than it has stored?
        self._feeds = np.array([*feeds, *([True] if system.has_controllers else [])], dtype=bool)
        self._start = None  # the first sample of the ledger
        self._first = self._floor = None
        self._fallen = self._driven = self._released = self._changed = self._fed = 0.0  # the largest so far
        self._trusted = self._before = None
        self._balanced = True
        self._samples = 0

    def judge(self, now, numerical, q, v, vdot) -> Verdict:
        """A sample (EnergySample), with the energy that its ledger cannot explain, before it is booked."""
        state = ValidState(now.t, q, v, vdot)
        start = self._start = self._start or now
        if self._first is None:
            self._first = self._trusted = state
        held = now.kinetic + float(np.maximum(now.stored, 0.0).sum())
        if not np.isfinite(held):
            return self.beyond_numbers
        self._samples += 1
        self._fallen = max(self._fallen, abs(now.potential - start.potential))
        self._driven = max(self._driven, abs(now.drives - start.drives) + abs(now.losses - start.losses))
        self._released = max(self._released, float(np.maximum(-now.stored, 0.0).sum()))
        self._trust(now, numerical, state)
        explained = at_best = self._explained()
        if not held <= SUSPECT * explained:  # what takes longer to find out
            explained += self._always() + self._pushed(self._trusted, self._trusted.vdot, now.t)
            if not self._system.has_controllers:
                explained += self._set_in(now.t)
            at_best = explained
            if self._samples <= FIRST and self._before is not None:
                at_best += self._pushed(self._before, self._before.vdot, now.t)
            at_best += self._held(q, now.t)
        self._before = state
        return Verdict(held, explained, at_best)

    @property
    def beyond_numbers(self) -> Verdict:
        """Of a state whose energy, or the work that led to it, is beyond all numbers."""
        explained = 0.0 if self._start is None else self._explained()
        return Verdict(np.inf, explained, explained)

    @property
    def changed(self) -> float:
        """J: what was stored or freed by changes of parameters."""
        return self._changed

    def parameters_changed(self, before, after):
        """Forces were changed or switched where the mechanism stood: what they stored before and store now, J each."""
        self._changed += float(np.abs(np.asarray(after) - np.asarray(before)).sum())

    def _explained(self):
        start = self._start
        at_start = start.kinetic + float(np.maximum(start.stored, 0.0).sum())
        return at_start + self._fallen + self._driven + self._released + self._changed + self._fed

    def _trust(self, now, numerical, state):
        """Count the work of forces that feed, if the ledger balances now and did so before."""
        work = now.work - self._start.work
        if not self._feeds.any():
            return
        flows = now.kinetic + abs(now.potential - self._start.potential) + float(np.abs(work).sum()) + self._always()
        balanced = abs(numerical) <= TRUSTED * flows
        if balanced and self._balanced:
            fed = np.maximum(work + now.stored - self._start.stored, 0.0)[self._feeds]
            self._fed, self._trusted = max(self._fed, float(fed.sum())), state
        self._balanced = balanced

    def _always(self):
        """The energy that belongs to SPEED, J."""
        if self._floor is None:
            v = (
                np.sign(np.sin(1.0 + np.arange(self._model.nv) ** 2.0)) / self._scale
            )  # hardly a direction in which parts of the motion cancel
            self._floor = float(energy_or_infinity(self._model, self._first.q, v).kinetic)
        pace = max(gravity_pace(self._model), *(pace_of(1.0 / self._scale, x.v, x.vdot) for x in (self._first, self._trusted)))
        speed = SPEED * (pace if RESTS < pace < np.inf else 1.0)
        found = self._floor * speed * speed
        return found if np.isfinite(found) else 0.0

    def _pushed(self, known, vdot, t):
        """(2), from a sample to another time; 0 where no force feeds."""
        if not self._feeds.any() or not np.isfinite(vdot).all():
            return 0.0
        pushed = float(energy_or_infinity(self._model, known.q, vdot).kinetic) * (t - known.t) ** 2
        return pushed if np.isfinite(pushed) else 0.0

    def _set_in(self, t):
        """(2) with the accelerations that forces would give the last trusted state at another time."""
        known = self._trusted
        return self._pushed(known, self._system.evaluate(t, known.q, known.v).vdot, t) if self._feeds.any() else 0.0

    def _held(self, q, t):
        """The energy of a push with the joint forces that controllers hold, 1/2 tau . M^-1 tau times the square of the time."""
        forces = self._system.held
        if not self._system.has_controllers or not forces.any():
            return 0.0
        return 0.5 * float(forces @ np.linalg.solve(mass_matrix(self._model, q), forces)) * (t - self._trusted.t) ** 2

    # ---- for checkpoints

    def to_dict(self):
        """All it knows, as values for JSON."""
        sums = [self._fallen, self._driven, self._released, self._changed, self._fed]
        samples = [x if x is None else [x.t, *(part.tolist() for part in x[1:])] for x in (self._first, self._trusted, self._before)]
        return {"sums": sums, "samples": samples, "balanced": bool(self._balanced), "count": self._samples}

    def from_dict(self, given, start):
        """Take up what `to_dict` gave; `start`: the first sample of the ledger."""
        self._start, nq, nv = start, self._model.nq, self._model.nv
        self._fallen, self._driven, self._released, self._changed, self._fed = saved_numbers(
            given["sums"], "explained energies", 5
        ).tolist()
        self._first, self._trusted, self._before = (
            x
            if x is None
            else ValidState(
                *saved_numbers(x[:1], "time of a sample", 1),
                saved_numbers(x[1], "q", nq),
                saved_numbers(x[2], "v", nv),
                saved_numbers(x[3], "vdot", nv, False),
            )
            for x in given["samples"]
        )
        if self._first is None or self._trusted is None:
            raise refuse_saved("samples of energy", None, "the first, and the last that is trusted")
        self._balanced, self._samples = saved_number(given, "balanced", True), saved_number(given, "count", 0, 0)


class EnergyAccount:
    """A ledger and its bound for a system on its way without a Simulation: `judge` after some steps, at the state that the system stands at."""

    def __init__(self, system, t):
        self.system = system
        self.ledger = Ledger(system.model.name, [*system.active_forces.names, *(["controllers"] if system.has_controllers else [])])
        self.bound = EnergyBound(system)
        self.judge(t)

    def judge(self, t) -> Verdict:
        system = self.system
        q, v, works = system.q.copy(), system.v.copy(), system.works.copy()
        evaluation, e, nf = system.evaluate(t, q, v), energy_or_infinity(system.model, q, v), len(system.active_forces.infos)
        more = [0.0] if system.has_controllers else []
        stored, work = np.append(evaluation.stored, more), np.append(works[:nf], works[nf : nf + len(more)])
        sample = EnergySample(t, float(e.kinetic), float(e.potential), stored, work, works[nf + 1])
        with np.errstate(over="ignore", invalid="ignore"):
            verdict = self.bound.judge(sample, self.ledger.unexplained(sample), q, v, evaluation.vdot)
            self.ledger.frame(sample)
        return verdict
