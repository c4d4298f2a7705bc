"""A pull on a point towards a place, alike in all directions: what a hand does.

    d = p_b - p_a,   u = u_b - w_b x d - u_a,      f_a = F min(1, F_max / |F|),   F = k d + c u,   f_b = -f_a,   n_b = d x f_a
    V = k |d|^2 / 2  below the limit

u is the velocity of the second body where the first point is, and the second body feels the force there: so nothing is gained by turning.
With c = 2 sqrt(k m) a free mass m follows without overshoot. Beyond the limit the force keeps its direction, and the stored energy grows
linearly, so that no distance can put in more than F_max times it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import kernel
from ...kernels.records import Record, real
from ...kernels.scalar import sqrt
from ...spatial.vectors import add3, cross3, dot3, scale3, sub3
from .fields import FROM_0, NUMBER
from .kind import LAW_CALL, MARKER, ForceKind, marker, put_wrenches

UNLIMITED = 1e300  # N


class PullParameters(Record, constant=True):
    """What the law reads."""

    stiffness = real("k, N/m")
    damping = real("c, N s/m")
    limit = real("F_max, N")


@kernel(address=LAW_CALL)
def pull(given: NDArray[np.float64], parameters: PullParameters, out: NDArray[np.float64]) -> None:
    k, c, most = parameters.stiffness, parameters.damping, parameters.limit
    _, p_a, _, u_a = marker(given, 0)
    _, p_b, w_b, u_b = marker(given, MARKER)
    d, none = sub3(p_b, p_a), (0.0, 0.0, 0.0)
    u = sub3(sub3(u_b, cross3(w_b, d)), u_a)
    force = add3(scale3(k, d), scale3(c, u))
    size, length = sqrt(dot3(force, force)), sqrt(dot3(d, d))
    if size > most:
        force = scale3(most / size, force)
    stored = 0.5 * k * length * length
    if k * length > most:
        stored = most * (length - 0.5 * most / k)
    put_wrenches(out, none, force, cross3(d, force), scale3(-1.0, force), stored)


@dataclass(frozen=True)
class Pull(ForceKind):
    """Pulls a point towards a place, alike in all directions. stiffness: N/m. damping: N s/m. limit: N, the greatest force.

    >>> import linkwork as lw
    >>> lw.Pull(stiffness=100.0, damping=20.0, limit=50.0)
    Pull(stiffness=100.0, damping=20.0, limit=50.0)
    """

    stiffness: float
    damping: float = 0.0
    limit: float = math.inf

    law = pull
    law_reads = PullParameters
    holds = {"stiffness": FROM_0, "damping": FROM_0, "limit": NUMBER}
    feeds = True

    def law_values(self) -> dict[str, Any]:
        return super().law_values() | {"limit": min(self.limit, UNLIMITED)}

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from super().faults()
        if not self.limit > 0.0:
            yield "force", f"limit is {self.limit:g}; allowed is a number above 0; correct it"
