"""Force laws that a user writes as a plain function, compiled and called like all others.

    @force                        def law(a, b, t, ...)      a, b: the two places, each with p, R, w, u in world axes (Moving), t the time
        returns f  (force on the first body at its place), or (n, f)  (a moment as well)
    @force(on="joint")            def law(q, v, t, ...)      one coordinate and its velocity
        returns the force along it

With stores=True the energy V comes last:  (f, V), (n, f, V),  or (force, V).

The second body gets the opposite. Where only f is returned, -f acts at the second place: momentum is kept, angular momentum too if f points along the
line between the places. Where (n, f) is returned, the opposite wrench acts at the first place, on the second body: both are kept, whatever n and f.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from ...jets.retarget import interpreted
from ...kernels import JIT
from ...native_function import last_error, native_callable, reads_argument
from ..validation import flag, refuse
from ..written import Written, checked_function, written_class
from .kind import JOINTS, PLACES, ForceKind
from .user_law import JointLaw, PlaceLaw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ...native_function import Native


class WrittenForce(Written, ForceKind):
    """A force kind made of a user's function; see `force`."""

    stores = False
    feeds = True
    taken = ("kind", "a", "b", "joints", "on")  # fields of a force beside those of its kind

    def numbers(self) -> tuple[Any, ...]:
        return self.parameters()

    def law_words(self) -> NDArray[np.int64]:
        """The parameters, one after the other: a user's function has them as arguments."""
        return np.array(self.parameters(), dtype=float).view(np.int64)

    def law_given(self, words: NDArray[np.int64]) -> Any:
        return words.view(float)

    def faults(self) -> Iterator[tuple[str, str]]:
        for text in self.parameter_faults():
            yield "force", text

    @property
    def reads_time(self) -> bool:
        """Does the function use t?"""
        return reads_argument(self.function, 2)

    def native(self, owner: str) -> Native:
        """The function as compiled code calls it: address, what to keep, is it interpreted."""
        return native_callable(self.function, _adapter(self), owner)

    def code(self, owner: str) -> tuple[int, Any]:
        made = self.native(owner)
        return made.address, made.keep

    def failure(self, given: Any, numbers: Any, owner: str = "") -> BaseException | None:
        """Why the law gave no finite numbers for what it was given: what its function raises, or what is wrong with its result."""
        if JIT and (remembered := last_error(self.native(owner).address)) is not None:
            return remembered
        out = np.zeros(_adapter(self).sizes[2])
        try:
            _adapter(self).plain_filler(interpreted(self.function))(np.array(given, dtype=float), np.array(numbers, dtype=float), out)
        except Exception as error:
            return error
        return None if np.all(np.isfinite(out)) else ValueError(f"it returned {out.tolist()}")


def force(function: Callable[..., Any] | None = None, *, on: str = "place", stores: bool = False, needs_q: bool = True) -> Any:
    """Make a force kind of a function.

    on: "place" for a law between two places, law(a, b, t, ...); "joint" for one along joint coordinates, law(q, v, t, ...).
    stores: it returns the energy it stores as well. needs_q=False: a law of joints that looks at v and t only, and so suits ball joints too.
    Further arguments are parameters: numbers, with or without a default, that can be changed in a mechanism and between steps.

    >>> import linkwork as lw
    >>> @lw.force
    ... def magnet(a, b, t, strength=2.0):
    ...     d = [b.p[k] - a.p[k] for k in range(3)]
    ...     cube = (d[0] ** 2 + d[1] ** 2 + d[2] ** 2) ** 1.5
    ...     return strength * d[0] / cube, strength * d[1] / cube, strength * d[2] / cube
    >>> magnet(strength=3.0)
    magnet(strength=3.0)
    """
    options: dict[str, Any] = {"on": on, "stores": stores, "needs_q": needs_q}
    if function is None:
        return functools.partial(force, **options)
    if on not in ("place", "joint"):
        raise refuse("force", "on", on, "give 'place' or 'joint'")
    for name in ("stores", "needs_q"):
        options[name] = flag(options[name], "force", name)
    given = ("a", "b", "t") if on == "place" else ("q", "v", "t")
    checked_function(function, "force", f"def law({', '.join(given)}): ...")
    attributes = {"takes": PLACES, "most": 2} if on == "place" else {"takes": JOINTS, "most": None}
    made_by = (force, tuple(options.items()))
    return written_class(WrittenForce, function, "force", given, made_by, stores=stores, needs_q=needs_q, **attributes)


def _adapter(kind: Any) -> Any:
    count = len(kind.parameters())
    return PlaceLaw(count, kind.stores) if kind.takes == PLACES else JointLaw(count, kind.stores)
