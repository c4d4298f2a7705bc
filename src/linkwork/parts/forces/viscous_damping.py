"""Viscous drag against the motion of a body relative to another.

    f_a = -R_a diag(c) R_a^T u,   n_a = -R_a diag(d) R_a^T w        w, u: motion of the first place seen from the second body (pair.py)

The power, -c u^2 - d w^2 along each axis, is never positive.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...kernels import kernel
from ...kernels.records import Record, reals_fixed
from ...spatial.matrices import apply9, apply9_transposed
from ..validation import number, vector
from .kind import LAW_CALL, ForceKind, nine
from .pair import put_pair, relative_motion


class ViscousDampingParameters(Record, constant=True):
    """What the law reads, in the axes of the first place."""

    linear = reals_fixed(3, "c, N s/m")
    angular = reals_fixed(3, "d, N m s/rad")


@kernel(address=LAW_CALL)
def viscous_damping(given: NDArray[np.float64], parameters: ViscousDampingParameters, out: NDArray[np.float64]) -> None:
    R_a = nine(given, 0)
    w, u = relative_motion(given)
    w, u = apply9_transposed(R_a, w), apply9_transposed(R_a, u)
    c, d = parameters.linear, parameters.angular
    n = apply9(R_a, (-d[0] * w[0], -d[1] * w[1], -d[2] * w[2]))
    f = apply9(R_a, (-c[0] * u[0], -c[1] * u[1], -c[2] * u[2]))
    put_pair(out, given, n, f, 0.0)


@dataclass(frozen=True)
class ViscousDamping(ForceKind):
    """Drag on the first body at the first place, against its motion relative to the second body (ground: through a medium at rest).

    linear: N s/m. angular: N m s/rad. Each is a number, or three along the axes of the first place.

    >>> import linkwork as lw
    >>> lw.ViscousDamping(linear=(0.1, 0.1, 2.0), angular=0.01)
    ViscousDamping(linear=(0.1, 0.1, 2.0), angular=0.01)
    """

    linear: float | tuple[float, float, float] = 0.0
    angular: float | tuple[float, float, float] = 0.0

    law = viscous_damping
    law_reads = ViscousDampingParameters

    def __post_init__(self) -> None:
        for name in ("linear", "angular"):
            object.__setattr__(self, name, _one_or_three(getattr(self, name), name))

    def law_values(self) -> dict[str, Any]:
        return {"linear": _three(self.linear), "angular": _three(self.angular)}

    def faults(self) -> Iterator[tuple[str, str]]:
        for name in ("linear", "angular"):
            value = getattr(self, name)
            if not all(0.0 <= c < float("inf") for c in _three(value)):
                yield "force", f"{name} is {value}; allowed are finite numbers from 0 on; correct it"


def _one_or_three(value: float | tuple[float, float, float], name: str) -> float | tuple[float, float, float]:
    if hasattr(value, "__len__") and not isinstance(value, str):
        three: tuple[float, float, float] = vector(value, 3, "ViscousDamping", name)
        return three
    try:
        return number(value, "ViscousDamping", name)
    except ModelError as error:
        raise ModelError(f"{error}, or three") from None


def _three(value: Any) -> Any:
    return value if isinstance(value, tuple) else (value, value, value)
