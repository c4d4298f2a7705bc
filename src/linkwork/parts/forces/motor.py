"""A constant wrench on a body: a motor, a thruster, a load.

    n_a = R n,   f_a = R f           R = R_a, R_b or 1: the axes in which n and f are constant
    n_b = -n_a - (p_a - p_b) x f_a,   f_b = -f_a       (nothing without reaction)

It stores no energy; its power is n_a . w_a + f_a . u_a + n_b . w_b + f_b . u_b.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, flag, integer, reals_fixed
from .fields import AXES, FLAG, VECTOR, one_of
from .kind import LAW_CALL, ForceKind
from .pair import put_driven


class MotorParameters(Record, constant=True):
    """What the law reads."""

    torque = reals_fixed(3, "n, N m")
    force = reals_fixed(3, "f, N")
    axes = integer("whose axes these are in: the place in AXES")
    reaction = flag("does the opposite act on the second body?")


@kernel(address=LAW_CALL)
def motor(given: NDArray[np.float64], parameters: MotorParameters, out: NDArray[np.float64]) -> None:
    put_driven(out, given, parameters.torque, parameters.force, parameters.axes, parameters.reaction)


@dataclass(frozen=True)
class Motor(ForceKind):
    """A constant torque (N m) and force (N) on the first body, at the first place.

    axes: whose axes the components are in: "a" (the first place: they turn with it), "b" (the second place) or "world".
    reaction: the opposite acts on the second body, as of a motor mounted there; False for a jet, which pushes on nothing.

    >>> import linkwork as lw
    >>> lw.Motor(force=(0, 0, 12.0)).axes
    'a'
    """

    torque: tuple[float, float, float] = (0.0, 0.0, 0.0)
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes: str = "a"
    reaction: bool = True

    law = motor
    law_reads = MotorParameters
    holds = {"torque": VECTOR, "force": VECTOR, "axes": one_of(AXES), "reaction": FLAG}
    feeds = True

    def law_values(self) -> dict[str, Any]:
        return super().law_values() | {"axes": AXES.index(self.axes)}
