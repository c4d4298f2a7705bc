"""What a body feels like where it touches others: dry friction and restitution.

Of two surfaces a and b that touch:    mu = sqrt(mu_a mu_b),    e = max(e_a, e_b)

The geometric mean lets ice stay slippery under any shoe; a ball bounces on whatever it falls on. `Mechanism.touch(a, b, surface=...)` says both of a pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .validation import number, refuse


@dataclass(frozen=True)
class Surface:
    """The surface of a shape, of a body or of all bodies of a mechanism.

    friction: Coulomb's coefficient mu, 0 or more: the friction force is at most mu times the normal force.
    restitution: 0 (no rebound) to 1 (the speed of approach is given back).

    >>> import linkwork as lw
    >>> rubber, ice = lw.Surface(friction=1.0, restitution=0.6), lw.Surface(friction=0.04)
    >>> rubber.against(ice)
    Surface(friction=0.2, restitution=0.6)
    """

    friction: float = 0.5
    restitution: float = 0.0

    def __post_init__(self) -> None:
        for field in ("friction", "restitution"):
            self.__dict__[field] = number(getattr(self, field), "Surface", field)

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def against(self, other: Surface) -> Surface:
        """What holds where this surface touches another one."""
        return Surface(float(geometric_mean(self.friction, other.friction)), max(self.restitution, other.restitution))

    def faults(self) -> Iterator[tuple[str, str]]:
        """(kind of fault, what is wrong) for every value that cannot be."""
        if not 0.0 <= self.friction < math.inf:
            yield "surface", f"friction of its Surface is {self.friction:.9g}; allowed is a finite number from 0 on; correct it"
        if not 0.0 <= self.restitution <= 1.0:
            yield "surface", f"restitution of its Surface is {self.restitution:.9g}; allowed is a number from 0 to 1; correct it"


DEFAULT = Surface()


def geometric_mean(a: Any, b: Any) -> Any:
    """sqrt(a b) of numbers from 0 on, or of arrays of them; where the product underflows or overflows, sqrt(a) sqrt(b)."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        product = np.multiply(a, b)
        return np.where((product > 1e-300) & (product < np.inf), np.sqrt(product), np.sqrt(a) * np.sqrt(b))


def surface_or_none(value: Any, owner: str, what: str = "surface") -> Surface | None:
    """A Surface, or None where none is given. Refuses all else."""
    if value is None or isinstance(value, Surface):
        return value
    raise refuse(owner, what, value, "give a Surface such as Surface(friction=0.8, restitution=0.3)")
