"""A constant load on a body: a weight hung on a hook, a push, a couple.

    f_a = f,   n_a = n        in world axes: the force keeps its direction,         V = -f . p_a
    f_a = R_a f, n_a = R_a n  in the axes of its place: both turn with the body,    V = 0

p_a is the place where it acts. Nothing acts on a second body: a load comes from outside. A constant moment has no energy, nor has a force that turns
with its body; their work is booked as it is done.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, flag, reals_fixed
from ...spatial.matrices import apply9
from ...spatial.vectors import dot3
from .fields import VECTOR, one_of
from .kind import LAW_CALL, ForceKind, marker, put_wrenches

LOAD_AXES = ("world", "body")


class LoadParameters(Record, constant=True):
    """What the law reads."""

    force = reals_fixed(3, "f, N")
    torque = reals_fixed(3, "n, N m")
    turns = flag("do both turn with the body?")


@kernel(address=LAW_CALL)
def load(given: NDArray[np.float64], parameters: LoadParameters, out: NDArray[np.float64]) -> None:
    R_a, p_a, _, _ = marker(given, 0)
    f, n, none, stored = parameters.force, parameters.torque, (0.0, 0.0, 0.0), 0.0
    if parameters.turns:
        f, n = apply9(R_a, f), apply9(R_a, n)
    else:
        stored = -dot3(f, p_a)
    put_wrenches(out, n, f, none, none, stored)


@dataclass(frozen=True)
class Load(ForceKind):
    """A constant force (N) and torque (N m) on a body, at one place of it; also called ConstantForce.

    axes: "world" (the force keeps its direction, as a weight does) or "body" (it turns with the place it acts at, as a thruster does).
    For what two bodies exert on each other see Motor, for a load that changes in time WrenchTable.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("shelf")
    >>> board = m.add_body("board", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
    >>> _ = m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground, board)
    >>> _ = m.add_force("books", lw.Load(force=(0, 0, -50.0)), board.at(0.4, 0, 0))
    >>> lw.applied_forces(m.build(), [0.0])["books"].force.tolist()
    [0.0, 0.0, -50.0]
    """

    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    torque: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes: str = "world"

    most: ClassVar[int | None] = 1
    sees_world: ClassVar[bool] = True
    feeds = True  # a moment, and a force that turns with its body, store nothing and work on and on
    law = load
    law_reads = LoadParameters
    holds = {"force": VECTOR, "torque": VECTOR, "axes": one_of(LOAD_AXES)}

    def law_values(self) -> dict[str, Any]:
        return {"force": self.force, "torque": self.torque, "turns": self.axes == "body"}


ConstantForce = Load
