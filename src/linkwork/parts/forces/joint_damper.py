"""Viscous friction at a joint's coordinate:   F = -c v."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from .fields import FROM_0
from .kind import JOINTS, LAW_CALL, ForceKind


class JointDamperParameters(Record, constant=True):
    """What the law reads."""

    damping = real("c, N m s/rad or N s/m")


@kernel(address=LAW_CALL)
def joint_damper(given: NDArray[np.float64], parameters: JointDamperParameters, out: NDArray[np.float64]) -> None:
    out[0] = -parameters.damping * given[1]
    out[1] = 0.0


@dataclass(frozen=True)
class JointDamper(ForceKind):
    """Force against the speed of one or more joint coordinates. damping: N m s/rad or N s/m. A joint's own `damping` acts in the same way.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("door")
    >>> _ = m.add_joint("hinge", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("leaf", mass=1.0, inertia=(1, 1, 1)))
    >>> _ = m.add_force("closer", lw.JointDamper(damping=0.5), "hinge")
    >>> lw.applied_forces(m.build(), [0.0], [2.0]).tau.tolist()  # N m
    [-1.0]
    """

    damping: float

    takes = JOINTS
    most = None
    needs_q = False
    law = joint_damper
    law_reads = JointDamperParameters
    holds = {"damping": FROM_0}
