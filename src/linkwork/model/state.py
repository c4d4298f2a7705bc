"""What a restart needs: time, positions, velocities."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StateError
from ..validation import shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class State:
    """t, q, v of a model. Copies what it is given; compares and hashes by content.

    >>> import linkwork as lw
    >>> import numpy as np
    >>> lw.State(0.0, np.zeros(2), np.zeros(2)) == lw.State(0.0, [0.0, 0.0], [0, 0])
    True
    """

    __slots__ = ("q", "t", "v")

    def __init__(self, t: float, q: ArrayLike, v: ArrayLike) -> None:
        value: Any
        for name, value in (("t", t), ("q", q), ("v", v)):
            try:
                setattr(self, name, float(value) if name == "t" else np.array(value, dtype=np.float64))
            except (TypeError, ValueError, OverflowError):
                raise StateError(
                    f"State: {name} is {shown(value)}; allowed is a number for t, a list of numbers for q and v", name
                ) from None
        if self.q.ndim != 1 or self.v.ndim != 1:
            raise StateError(
                f"a State is one state: found q of shape {self.q.shape} and v of shape {self.v.shape}; allowed are vectors", "q"
            )

    def copy(self) -> State:
        return State(self.t, self.q, self.v)

    def _key(self) -> tuple[bytes, bytes, bytes]:
        return np.float64(self.t).tobytes(), self.q.tobytes(), self.v.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.t == other.t and np.array_equal(self.q, other.q) and np.array_equal(self.v, other.v)

    def __hash__(self) -> int:
        return int.from_bytes(hashlib.sha256(b"".join(self._key())).digest()[:8], "little")

    def __repr__(self) -> str:
        return f"State(t={self.t!r}, q={self.q!r}, v={self.v!r})"

    def __getstate__(self) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        return self.t, self.q, self.v

    def __setstate__(self, state: Any) -> None:
        self.t, self.q, self.v = state
