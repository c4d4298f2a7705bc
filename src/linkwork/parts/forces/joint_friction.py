"""Dry friction at a joint's coordinate, regularised.

    F = -[F_c + (F_s - F_c) exp(-(v / v_s)^2)] tanh(v / v_0)

F_c is the friction of sliding (Coulomb), F_s that of sticking, which falls to F_c over the speed v_s (Stribeck; Armstrong-Hélouvry and others
1994, eq. 4). v_0 is the width of the step at v = 0. The power is never positive.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from .fields import FROM_0, NUMBER, POSITIVE, optional
from .kind import JOINTS, LAW_CALL, ForceKind


class JointFrictionParameters(Record, constant=True):
    """What the law reads."""

    friction = real("F_c, of sliding, N m or N")
    sticking = real("F_s - F_c, what sticking adds, N m or N")
    slip_speed = real("v_0, rad/s or m/s")
    stribeck_speed = real("v_s, rad/s or m/s")


@kernel(address=LAW_CALL)
def joint_friction(given: NDArray[np.float64], parameters: JointFrictionParameters, out: NDArray[np.float64]) -> None:
    v, x = given[1], given[1] / parameters.stribeck_speed
    out[0] = -(parameters.friction + parameters.sticking * math.exp(-x * x)) * math.tanh(v / parameters.slip_speed)
    out[1] = 0.0


@dataclass(frozen=True)
class JointFriction(ForceKind):
    """Dry friction at one or more joint coordinates.

    friction: N m or N, of sliding. slip_speed: rad/s or m/s, over which it sets in; a load that is held creeps slower than that.
    static: friction of sticking, not below that of sliding; None for the same. stribeck_speed: over which it falls to that of sliding.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("leaf", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_force("rust", lw.JointFriction(friction=0.5), "hinge")
    >>> lw.applied_forces(m.build(), [0.0], [2.0]).tau.round(6).tolist()  # N m
    [-0.5]
    """

    friction: float
    slip_speed: float = 0.01
    static: float | None = None
    stribeck_speed: float = 0.1

    takes = JOINTS
    most = None
    needs_q = False
    law = joint_friction
    law_reads = JointFrictionParameters
    holds = {"friction": FROM_0, "slip_speed": POSITIVE, "stribeck_speed": POSITIVE, "static": optional(NUMBER)}

    def law_values(self) -> dict[str, Any]:
        sticking = 0.0 if self.static is None else self.static - self.friction
        return {"friction": self.friction, "sticking": sticking, "slip_speed": self.slip_speed, "stribeck_speed": self.stribeck_speed}

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if self.static is not None and not self.friction <= self.static < math.inf:
            yield (
                "force",
                f"static is {self.static:g}; allowed is a finite number from friction ({self.friction:g}) on; correct it, or leave it out",
            )
