r"""Couplings: a linear relation between joint coordinates, holonomic, as gears, racks and mimic joints make it.

    phi = sum_k c_k q_k - target(t),      phi_dot = sum_k c_k v_k - target',      gamma = - target''

J is constant: the multiplier acts at joint k with the force c_k lambda. Coordinates count turns, so a gear train of any number of turns is exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...kernels import kernel
from ...kernels.scalar import zero
from ..validation import number, sequence
from .kind import COUPLING, SPEED, Block, ConstraintKind, put_row
from .time_function import time_function


@kernel
def coupling_row(block: Any, held: Any, rows: Any) -> None:
    """A row between joint coordinates; `held` is sum_k c_k q_k. Its coefficients are in the table of terms, its wrenches zero."""
    o = zero(rows)
    none = (o, o, o)
    value, rate, second = o, o, o
    if block.moving:
        target = rows.times[block.time_function]
        value, rate, second = target.value, target.rate, target.second
    put_row(rows.rows[block.row], none, none, none, none, held - value, o - rate, o - second)


@kernel
def speed_row(block: Any, rows: Any) -> None:
    """A row between joint velocities: sum_k c_k v_k = target. It has no phi."""
    o = zero(rows)
    none = (o, o, o)
    value, rate = o, o
    if block.moving:
        target = rows.times[block.time_function]
        value, rate = target.value, target.rate
    put_row(rows.rows[block.row], none, none, none, none, o, o - value, o - rate)


@dataclass(frozen=True)
class Coupling(ConstraintKind):
    """sum_k coefficients[k] q_k = target, for as many joint coordinates as there are coefficients.

    >>> import linkwork as lw
    >>> lw.Coupling((1.0, -2.0), target=0.5).coefficients
    (1.0, -2.0)
    """

    coefficients: Any
    target: Any = 0.0

    takes = "joints"
    least, most = 1, None

    def __post_init__(self) -> None:
        owner = type(self).__name__
        given = sequence(self.coefficients, owner, "coefficients", "give a number for each joint")
        object.__setattr__(self, "coefficients", tuple(number(c, owner, "a coefficient") for c in given))
        object.__setattr__(self, "target", time_function(self.target, owner, "target"))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from _coefficient_faults(self.coefficients)
        yield from self.target.faults("target")

    def blocks(self) -> tuple[Block, ...]:
        return (Block(COUPLING, ("coupling",), time_functions=(self.target,), coefficients=self.coefficients),)


@dataclass(frozen=True)
class Gear(ConstraintKind):
    """q_driven = ratio q_driver + offset, for two joints (driver, driven): gears, belts, mimic joints; negative where they turn oppositely.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("gears")
    >>> for k, name in enumerate(("driver", "driven")):
    ...     wheel = m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    ...     _ = m.add_joint(f"{name} axle", lw.Revolute(axis=(0, 0, 1)), m.ground.at(k, 0, 0), wheel)
    >>> _ = m.add_constraint("mesh", lw.Gear(ratio=-2.0), "driver axle", "driven axle")
    >>> lw.project_velocity(m.build(), [0.0, 0.0], [1.0, -2.0]).tolist()
    [1.0, -2.0]
    """

    ratio: float
    offset: float = 0.0

    takes = "joints"
    least, most = 2, 2

    def __post_init__(self) -> None:
        for name in ("ratio", "offset"):
            object.__setattr__(self, name, number(getattr(self, name), type(self).__name__, name))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from time_function(self.ratio, "Gear", "ratio").faults("ratio")
        yield from time_function(self.offset, "Gear", "offset").faults("offset")

    def blocks(self) -> tuple[Block, ...]:
        return (
            Block(COUPLING, ("coupling",), time_functions=(time_function(self.offset, "Gear", "offset"),), coefficients=(-self.ratio, 1.0)),
        )


@dataclass(frozen=True)
class Rack(Gear):
    """slide = ratio angle + offset, for two joints (pinion, rack); `ratio` is the pinion's pitch radius, m.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("rack")
    >>> _ = m.add_joint("turn", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("pinion", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_joint("slide", lw.Prismatic(axis=(1, 0, 0)), m.ground, m.add_body("bar", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_constraint("teeth", lw.Rack(ratio=0.05), "turn", "slide")
    >>> lw.project_velocity(m.build(), [0.0, 0.0], [2.0, 0.1]).round(9).tolist()  # rad/s, m/s
    [2.0, 0.1]
    """


@dataclass(frozen=True)
class ScrewCoupling(Gear):
    """slide = ratio angle + offset, for two joints (turning, sliding); `ratio` is the pitch, m/rad (lead / 2 pi).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("lathe")
    >>> _ = m.add_joint("spindle", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("screw", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_joint("rail", lw.Prismatic(axis=(0, 0, 1)), m.ground, m.add_body("nut", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_constraint("thread", lw.ScrewCoupling(ratio=0.01), "spindle", "rail")
    >>> lw.project_velocity(m.build(), [0.0, 0.0], [5.0, 0.05]).round(9).tolist()  # rad/s, m/s
    [5.0, 0.05]
    """


@dataclass(frozen=True)
class Drive(ConstraintKind):
    """A joint coordinate follows a function of time: q = target(t). The force it takes is a result: see lw.reactions.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> _ = m.add_constraint("drive", lw.Drive(0.5), "pivot")  # rad
    >>> lw.assemble(m.build(), [0.0]).round(9).tolist()
    [0.5]
    """

    target: Any

    takes = "joints"
    least, most = 1, 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", time_function(self.target, type(self).__name__, "target"))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from self.target.faults("target")

    def blocks(self) -> tuple[Block, ...]:
        return (Block(COUPLING, ("drive",), time_functions=(self.target,), coefficients=(1.0,)),)


@dataclass(frozen=True)
class SpeedDrive(Drive):
    """A joint velocity follows a function of time: v = target(t). It acts on velocities: where the joint stands is not held.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("fan")
    >>> _ = m.add_joint("axle", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("rotor", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_constraint("motor", lw.SpeedDrive(3.0), "axle")  # rad/s
    >>> lw.project_velocity(m.build(), [0.0], [0.0]).round(9).tolist()
    [3.0]
    """

    def blocks(self) -> tuple[Block, ...]:
        return (Block(SPEED, ("speed",), time_functions=(self.target,), coefficients=(1.0,), holonomic=False),)


def _coefficient_faults(coefficients: tuple[float, float, float]) -> Iterator[Any]:
    import math

    if not all(map(math.isfinite, coefficients)):
        yield "constraint", f"the coefficients are {coefficients}; allowed are finite numbers; correct them"
    elif not any(coefficients):
        yield "constraint", "all coefficients are zero, so it relates nothing; correct them, or remove it"
