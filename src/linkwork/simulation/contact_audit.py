"""What a run with contact says of itself: how well the laws of contact hold, where it was worst, and what friction and impacts have taken."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from ..errors import FormatError
from ..integrators.nonsmooth.memory import friction_of_joints

NAMED = 4  # joints in the receipt
RUNGS = (
    "first guess",
    "Newton",
    "sweeps",
    "interior point",
    "proximal",
    "not solved",
)  # how solutions were found (data/contact_problem.py)
LIMITS = "limits and friction of joints"
MOST_SHOWN = 4  # pairs in the receipt


class WorstContact(NamedTuple):
    """The largest of something over a run, and the pair of shapes whose it was."""

    value: float
    pair: str


class PairImpacts(NamedTuple):
    """The impacts of one pair of shapes: how many, the sum of their impulses along normals (N s), the largest jump of a normal velocity (m/s), and the energy
    they took, friction in them included (J). The points of a pair that are struck at once are one impact."""

    a: str
    b: str
    number: int
    impulse: float
    jump: float
    energy: float


@dataclass(frozen=True)
class ContactAudit:
    """Contact over a run. Each of the worst values is 0 where the laws of contact hold exactly.

    impact, friction: J, energy that impulses along normals (and at limits) and friction have taken, that of joints included. friction_of: J, of each pair of
    shapes with any; joint_friction: J, of each joint with any, by name.
    gap: m, the deepest overlap after a step. slip: m/s, the fastest motion of a point that sticks. cone: impulses of friction beyond the cone, relative.
    residual: m/s, of the laws of contact. approximate: steps whose solution is not exact to rounding. found_by: steps by how the solution was found.
    impacts_of: PairImpacts of each pair that was struck.
    separations: steps after which bodies that overlapped were moved apart. separation: J, energy that this has taken; less than 0: it has put in as much, as
    where bodies that begin deep in the floor are lifted out of it. guarded: impacts whose restitution was reduced lest energy is gained.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("brick")
    >>> _ = m.add_body("brick", shape=lw.Box(0.2, 0.1, 0.1), density=1000), m.add_floor()
    >>> contact = lw.simulate(m, 1.0, q=[0, 0, 0.05, 1, 0, 0, 0], v=[0, 0, 0, 1, 0, 0]).audit.contact
    >>> round(contact.friction, 9), contact.friction_of[0][:2], contact.residual.value < 1e-12  # 2 kg at 1 m/s
    (1.0, ('ground', 'brick'), True)
    """

    steps: int
    approximate: int
    most_points: int
    impact: float
    friction: float
    gap: WorstContact
    slip: WorstContact
    cone: float
    residual: WorstContact
    found_by: tuple[int, ...]
    separations: int
    guarded: int
    friction_of: tuple[tuple[str, str, float], ...]
    joint_friction: tuple[tuple[str, float], ...] = ()
    impacts_of: tuple[PairImpacts, ...] = ()
    separation: float = 0.0

    def then(self, later: ContactAudit) -> ContactAudit:
        """This run and one that went on from its end, whose sums began there."""
        sums = ("steps", "approximate", "impact", "friction", "separations", "guarded", "separation")
        taken: dict[str, Any] = {name: getattr(self, name) + getattr(later, name) for name in sums}
        for name in ("gap", "slip", "residual"):
            taken[name] = max(getattr(self, name), getattr(later, name), key=lambda worst: worst.value)
        taken |= {name: max(getattr(self, name), getattr(later, name)) for name in ("cone", "most_points")}
        taken["found_by"] = tuple(a + b for a, b in zip(self.found_by, later.found_by, strict=True))
        works = {(a, b): work for a, b, work in self.friction_of}
        for a, b, work in later.friction_of:
            works[a, b] = works.get((a, b), 0.0) + work
        taken["friction_of"] = tuple((a, b, work) for (a, b), work in works.items())
        rubbed = dict(self.joint_friction)
        for name, work in later.joint_friction:
            rubbed[name] = rubbed.get(name, 0.0) + work
        taken["joint_friction"] = tuple(rubbed.items())
        impacts = {one[:2]: one for one in self.impacts_of}
        for one in later.impacts_of:
            first = impacts.get(one[:2], PairImpacts(*one[:2], 0, 0.0, 0.0, 0.0))
            impulse, energy = first.impulse + one.impulse, first.energy + one.energy
            impacts[one[:2]] = PairImpacts(*one[:2], first.number + one.number, impulse, max(first.jump, one.jump), energy)
        taken["impacts_of"] = tuple(impacts.values())
        return ContactAudit(**taken)

    def lines(self) -> list[str]:
        """For the receipt."""
        said = f"contact in {self.steps} steps, {self.most_points} points at most; impacts took {self.impact:.6g} J, friction {self.friction:.6g} J"
        worst = (("overlap", self.gap, "m"), ("slip while sticking", self.slip, "m/s"), ("residual", self.residual, "m/s"))
        found = [f"{name} {there.value:.1e} {unit}" + (f" ({there.pair})" if there.value > 0.0 else "") for name, there, unit in worst]
        ways = ", ".join(f"{name} {count}" for name, count in zip(RUNGS, self.found_by, strict=False) if count)
        exact = f"{self.approximate} steps only approximate" if self.approximate else "every step exact to rounding"
        joints = sorted(self.joint_friction, key=lambda entry: -entry[1])
        if joints:
            more = f" and {len(joints) - NAMED} more" if len(joints) > NAMED else ""
            said += f", of which in joints {', '.join(f'{name} {work:.6g} J' for name, work in joints[:NAMED])}{more}"
        if self.separation:
            said += f"; bodies that overlapped were moved apart after {self.separations} steps, which put in {0.0 - self.separation:.6g} J"
        hardest = sorted(self.impacts_of, key=lambda one: -one.energy)[:MOST_SHOWN]
        more = f" and {len(self.impacts_of) - MOST_SHOWN} more pairs" if len(self.impacts_of) > MOST_SHOWN else ""
        struck = [f"{one.a} - {one.b} {one.number}, up to {one.jump:.3g} m/s, {one.impulse:.4g} N s, {one.energy:.4g} J" for one in hardest]
        impacts = [f"impacts: {'; '.join(struck)}{more}"] if struck else []
        return [said, *impacts, f"worst: {'; '.join(found)}; cone {self.cone:.1e}", f"solved by {ways or 'nothing'}; {exact}"]

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON, without loss."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, given: Any) -> ContactAudit:
        """What `to_dict` gave; anything else is a FormatError."""
        try:
            found: dict[str, Any] = {name: int(given[name]) for name in ("steps", "approximate", "most_points", "separations", "guarded")}
            found |= {name: float(given[name]) for name in ("impact", "friction", "cone")}
            found |= {name: WorstContact(float(given[name][0]), str(given[name][1])) for name in ("gap", "slip", "residual")}
            found["found_by"] = tuple(int(count) for count in given["found_by"])
            found["friction_of"] = tuple((str(a), str(b), float(work)) for a, b, work in given["friction_of"])
            found["joint_friction"] = tuple((str(name), float(work)) for name, work in given.get("joint_friction", ()))
            found["separation"] = float(given.get("separation", 0.0))
            struck = given.get("impacts_of", ())  # earlier versions did not count them
            found["impacts_of"] = tuple(PairImpacts(str(a), str(b), int(n), float(i), float(j), float(e)) for a, b, n, i, j, e in struck)
            return cls(**found)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise FormatError(f"the audit of contact is not understood ({type(error).__name__}: {error})") from error


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def contact_audit(system: Any) -> ContactAudit | None:
    """The ContactAudit of a system so far; None if its method does not take contact, or nothing has touched."""
    if system.contact is None or not system.contact.books.steps:
        return None
    books, pairs = system.contact.books, system.model.pairs
    impact, friction, separation = (float(work) for work in system.works[-3:])

    def worst(value: float, number: int) -> WorstContact:
        return WorstContact(float(value), f"{pairs[number - 1].a} - {pairs[number - 1].b}" if number > 0 else LIMITS if value else "")

    works = [(pair.a, pair.b, float(work)) for pair, work in zip(pairs, books.pair_friction, strict=True) if work]
    sums = zip(books.pair_impacts, books.pair_impulse, books.pair_jump, books.pair_impact, strict=True)
    struck = [
        PairImpacts(pair.a, pair.b, int(n), float(impulse), float(jump), float(energy))
        for pair, (n, impulse, jump, energy) in zip(pairs, sums, strict=True)
        if n
    ]
    return ContactAudit(
        books.steps,
        books.approximate,
        books.most_points,
        impact,
        friction,
        worst(0.0 - books.worst_gap, books.worst_gap_pair),
        worst(books.worst_slip, books.worst_slip_pair),
        books.worst_cone,
        worst(books.worst_residual, books.worst_residual_pair),
        tuple(int(count) for count in books.rungs[: len(RUNGS)]),
        books.separations,
        books.guarded,
        tuple(works),
        friction_of_joints(system.model, system.contact),
        tuple(struck),
        separation,
    )
