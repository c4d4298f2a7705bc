r"""The audit of a run: where the energy came from and went, how well the loops stayed closed, what it took.

The ledger of energy, with T kinetic, V potential of gravity, and for every force k the work W_k it did on the mechanism and the potential
energy U_k it stores:

    (T + V) at the end - (T + V) at the start = sum_k W_k + drives - losses + numerical
    dissipated_k = -(W_k + change of U_k)          positive: turned to heat; negative: put in, as by a motor

drives: work of prescribed motion. losses: kinetic energy taken when parts were joined or hit, and by contact. numerical: what nothing else explains, the fault
of the method; its largest size over the run stands beside a scale, the largest energy that was in play (T, the change of V, or work).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, get_type_hints

from ..errors import FormatError
from ..integrators.integrator import STEP_COUNTS
from ..validation import is_whole
from .contact_audit import ContactAudit

THERMAL = 4e-21  # J, k T at room temperature: mechanics of rigid parts has nothing to say about less
ROUNDING = 1e-13  # of the energies that are there: what sums of them may lose


class ForceEntry(NamedTuple):
    """A force in the ledger, J."""

    name: str
    stored_start: float
    stored_end: float
    work: float

    @property
    def dissipated(self) -> Any:
        return self.stored_start - self.stored_end - self.work


class Extreme(NamedTuple):
    """The largest size of something over a run, whose it was, and when (s)."""

    value: float
    name: str
    time: float


@dataclass(frozen=True)
class Audit:
    """Fields in J, s, kg m^2/s and kg m/s, m or rad. `print(audit)` shows the receipt.

    momentum_start, momentum_end: about the world's origin, angular then linear; None if it was not recorded. gap, velocity_gap: the largest
    |phi| and |phi_dot| with the name of the row and the time; None for a mechanism without constraints. iterations: Newton's, over all
    `solves`. wall_time: of the whole run. contact: where bodies touch, else None.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0), damping=0.2), m.ground, bob)
    >>> audit = lw.simulate(m, 1.0, q=[0.5]).audit
    >>> audit.dissipated > 0.0, abs(audit.numerical) < 1e-6 * audit.scale
    (True, True)
    """

    model: str
    start: float
    end: float
    kinetic_start: float
    kinetic_end: float
    potential_start: float
    potential_end: float
    forces: tuple[ForceEntry, ...]
    drives: float
    losses: float
    numerical: float
    largest_numerical: float
    largest_numerical_time: float
    scale: float
    momentum_start: tuple[float, ...] | None = None
    momentum_end: tuple[float, ...] | None = None
    gap: Extreme | None = None
    velocity_gap: Extreme | None = None
    frames: int = 0
    steps: int = 0
    rejections: int = 0
    iterations: int = 0
    most_iterations: int = 0
    solves: int = 0
    evaluations: int = 0
    warnings: tuple[str, ...] = ()
    wall_time: float = 0.0
    contact: ContactAudit | None = None

    @property
    def simulated_time(self) -> float:
        return self.end - self.start

    @property
    def real_time_factor(self) -> float:
        """Seconds of motion per second of waiting; NaN if the wall time is not known."""
        return self.simulated_time / self.wall_time if self.wall_time > 0.0 else math.nan

    @property
    def mean_iterations(self) -> float:
        return self.iterations / self.solves if self.solves else 0.0

    @property
    def dissipated(self) -> float:
        """What forces took out and did not store, all together, J."""
        found: float = sum(max(force.dissipated, 0.0) for force in self.forces)
        return found

    @property
    def supplied(self) -> float:
        """What forces put in beyond what they had stored, all together, J."""
        found: float = sum(max(-force.dissipated, 0.0) for force in self.forces)
        return found

    @property
    def relative(self) -> float:
        """The largest numerical energy over the scale; 0 where none appeared but what rounding leaves."""
        if self.largest_numerical <= self.negligible:
            return 0.0
        return self.largest_numerical / self.scale if self.scale > 0.0 else math.inf

    @property
    def negligible(self) -> float:
        """J: less than this is rounding of the energies that are there, or no energy at all."""
        there = [self.kinetic_start, self.kinetic_end, self.potential_start, self.potential_end]
        there += [energy for force in self.forces for energy in (force.stored_start, force.stored_end)]
        known = [abs(energy) for energy in there if math.isfinite(energy)]
        return max(THERMAL, ROUNDING * max(known, default=0.0))

    def force(self, name: str) -> ForceEntry:
        """The entry of a force by name."""
        from ..errors import UnknownNameError

        for force in self.forces:
            if force.name == name:
                return force
        raise UnknownNameError("force in this audit", name, [force.name for force in self.forces])

    def then(self, later: Audit) -> Audit:
        """The audit of this run and one that went on from its end. The largest numerical energy is an upper bound: ends add up."""
        worst = abs(self.numerical) + later.largest_numerical
        first = self.largest_numerical >= worst
        now = {force.name: force for force in later.forces}
        forces = [ForceEntry(f.name, f.stored_start, now[f.name].stored_end, f.work + now[f.name].work) for f in self.forces]
        taken = {
            "end": later.end,
            "kinetic_end": later.kinetic_end,
            "potential_end": later.potential_end,
            "forces": tuple(forces),
            "largest_numerical": self.largest_numerical if first else worst,
            "largest_numerical_time": self.largest_numerical_time if first else later.largest_numerical_time,
            "scale": max(self.scale, later.scale),
            "momentum_end": later.momentum_end,
            "gap": _larger(self.gap, later.gap),
            "velocity_gap": _larger(self.velocity_gap, later.velocity_gap),
            "most_iterations": max(self.most_iterations, later.most_iterations),
            "warnings": tuple(dict.fromkeys((*self.warnings, *later.warnings))),
        }
        if self.contact is not None:
            taken["contact"] = self.contact if later.contact is None else self.contact.then(later.contact)
        else:
            taken["contact"] = later.contact
        sums = ("drives", "losses", "numerical", "frames", *STEP_COUNTS, "solves", "wall_time")
        taken |= {name: getattr(self, name) + getattr(later, name) for name in sums}
        return Audit(**{field.name: taken.get(field.name, getattr(self, field.name)) for field in fields(self)})

    def __str__(self) -> str:
        from .receipt import receipt

        return receipt(self)

    # ------------------------------------------------------------------ as JSON

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON, without loss; NaN and infinities as text."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, given: Any) -> Audit:
        """What `to_dict` gave; anything else is a FormatError."""
        try:
            given = {"contact": None, **given}  # which runs without contact, and those of earlier versions, do not have
            return cls(**{name: _READ[kind](given[name]) for name, kind in get_type_hints(cls).items()})
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise FormatError(f"the audit is not understood ({type(error).__name__}: {error})") from error


def _larger(a: Any, b: Any) -> Any:
    return a if b is None or (a is not None and not b.value > a.value) else b


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, ContactAudit):
        return value.to_dict()
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"found {value!r} where text should be")
    return value


def _count(value: Any) -> int:
    if not is_whole(value):
        raise TypeError(f"found {value!r} where a whole number should be")
    return int(value)


def _momentum(value: list[float]) -> tuple[float, ...]:
    return None if value is None else tuple(float(x) for x in value)


def _extreme(value: list[Any] | None) -> Any:
    return None if value is None else Extreme(float(value[0]), _text(value[1]), float(value[2]))


_READ: dict[Any, Any] = {
    str: _text,
    float: float,
    int: _count,
    tuple[ForceEntry, ...]: lambda value: tuple(ForceEntry(_text(name), float(a), float(b), float(w)) for name, a, b, w in value),
    tuple[str, ...]: lambda value: tuple(_text(item) for item in value),
    tuple[float, ...] | None: _momentum,
    Extreme | None: _extreme,
    ContactAudit | None: lambda value: None if value is None else ContactAudit.from_dict(value),
}
