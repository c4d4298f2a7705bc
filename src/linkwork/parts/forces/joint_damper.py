"""Viscous friction at a joint's coordinate:   F = -c v."""

from dataclasses import dataclass

from ...kernels import kernel
from ...kernels.records import Record, real
from .kind import JOINTS, LAW_CALL, ForceKind, keep_numbers, range_faults


class JointDamperParameters(Record, constant=True):
    """What the law reads."""

    damping = real("c, N m s/rad or N s/m")


@kernel(address=LAW_CALL)
def joint_damper(given, parameters: JointDamperParameters, out) -> None:
    out[0] = -parameters.damping * given[1]
    out[1] = 0.0


@dataclass(frozen=True)
class JointDamper(ForceKind):
    """Force against the speed of one or more joint coordinates. damping: N m s/rad or N s/m. A joint's own `damping` acts in the same way."""

    damping: float

    takes = JOINTS
    most = None
    needs_q = False
    law = joint_damper
    law_reads = JointDamperParameters

    def __post_init__(self):
        keep_numbers(self, "damping")

    def faults(self):
        yield from range_faults(self, 0.0, "damping")
