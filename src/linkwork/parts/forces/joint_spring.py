"""A spring and a damper at a joint's coordinate:   F = -k (q - q_0) - c v,   V = k (q - q_0)^2 / 2."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from .fields import FINITE, FROM_0
from .kind import JOINTS, LAW_CALL, ForceKind


class JointSpringParameters(Record, constant=True):
    """What the law reads."""

    stiffness = real("k, N m/rad or N/m")
    damping = real("c, N m s/rad or N s/m")
    rest = real("q_0, rad or m")


@kernel(address=LAW_CALL)
def joint_spring(given: NDArray[np.float64], parameters: JointSpringParameters, out: NDArray[np.float64]) -> None:
    away = given[0] - parameters.rest
    out[0] = -parameters.stiffness * away - parameters.damping * given[1]
    out[1] = 0.5 * parameters.stiffness * away * away


@dataclass(frozen=True)
class JointSpring(ForceKind):
    """A spring with a damper beside it at one or more joint coordinates: a torsion spring at a hinge, a coil at a slider.

    stiffness: N m/rad or N/m. damping: force per speed. rest: rad or m, at which the spring is slack.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("leaf", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_force("spring", lw.JointSpring(stiffness=4.0, rest=0.5), "hinge")
    >>> lw.applied_forces(m.build(), [1.0], [0.0]).tau.tolist()  # N m
    [-2.0]
    """

    stiffness: float
    damping: float = 0.0
    rest: float = 0.0

    takes = JOINTS
    most = None
    law = joint_spring
    law_reads = JointSpringParameters
    holds = {"stiffness": FROM_0, "damping": FROM_0, "rest": FINITE}
