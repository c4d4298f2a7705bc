"""Public functions bound to models: what kernels/bound.py needs to know of a model, kept beside it.

    forward = Bound(Route(driver, ("nq", "nv", "nv?"), ("nv",)))

    @forward.public
    def forward_dynamics(model, q, v, tau=None, ...):
        if ...:  # options that leave the short way open
            result = forward.short(model, q, v, tau)
            if result is not None:
                return result

A model is bound when the driver has run for one state the long way (dynamics/call.py), at the third call of a function in a process at the earliest;
from then on calls with plain arguments do not pass through Python.
"""

import threading
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..arguments import explained
from ..data.lending import LOCK, Data, cache_of
from ..kernels import bound as native
from ..model.model import Model

F = TypeVar("F", bound=Callable[..., Any])

_numbers: list = []  # a place in the tables for each route
_PATIENCE = 3  # calls of a function before code is generated for it, which takes as long as some thousand calls
_lock = threading.Lock()


class Route(NamedTuple):
    """One driver as a public function calls it: the fields of kernels.bound.Way, with the driver in place of a number.

    `outputs`: shapes as tuples of words and numbers. `admits`: which models may go this way, None for all.
    """

    driver: Any
    inputs: tuple
    outputs: tuple
    timed: bool | None = False
    limit: float | None = None
    finish: Any = None
    admits: Any = None


class Bound:
    """The short way of a public function."""

    def __init__(self, *routes):
        self.home, self.numbers = None, []
        self.routes = ()
        self.short = _not_yet
        for route in routes:
            self.add(route)

    def add(self, route):
        """One more way, tried after the others; returns its index."""
        self.routes += (route,)
        _numbers.append(route)
        assert len(_numbers) <= native.CAPACITY
        self.numbers.append(len(_numbers) - 1)
        route.driver.bound += ((self, len(self.routes) - 1),)
        self.short = _not_yet  # until a model is bound to the new way; functions that were bound before go on as they did
        return len(self.routes) - 1

    def public(self, function: F) -> F:
        """Decorates the Python function, which becomes the long way; it explains misspelt keywords."""
        if not native.possible():
            return function
        made, self.home = native.public(explained(function))
        return made

    def within(self, function: F) -> F:
        """Decorates a Python function that only uses `short`."""
        if native.possible():
            _, self.home = native.public(function)
            self.home.calls = _PATIENCE  # it is not counted
        return function

    def bind(self, model, index):
        """Open the way number `index` to a model."""
        if self.home is None or self.home.calls < _PATIENCE or type(model) is not Model:
            return
        number, route = self.numbers[index], self.routes[index]
        if not (route.admits is None or route.admits(model)):
            return
        cache = cache_of(model)
        if not _lock.acquire(blocking=False):
            return  # another thread, or a finaliser in the middle of this, binds: a later call will
        try:
            if cache.bound is None:
                made = _Table(model)
                with LOCK:  # as threads begin and end to own a Data
                    made.close(bool(cache.owned))
                    cache.bound = made
            table = cache.bound.words
            if not table[native.FIRST + number]:
                if self.short is _not_yet:
                    ways = [_way(number, route) for number, route in zip(self.numbers, self.routes, strict=True)]
                    self.short = native.serve(self.home, ways)
                table[native.RECORDS + number] = route.driver.data_in(cache.bound.data)
                table[native.FIRST + number] = route.driver.address()
            native.install(id(model), table)
        finally:
            _lock.release()


def _not_yet(*arguments):
    """The short way as long as nothing is bound."""
    return None


def _way(number, route):
    flat = route.driver.ndims[len(route.driver.ndims) - len(route.outputs) - 2 * (route.limit is not None) :]
    outputs = tuple((shape, axes) for shape, axes in zip(route.outputs, flat, strict=False))
    return native.Way(number, route.inputs, outputs, route.timed, route.limit, route.finish)


class _Table:
    """The table of a model, and the Data that its kernels work on: one call at a time, as the word `busy` sees to."""

    def __init__(self, model):
        self.data = Data(model)
        self.words = np.zeros(native.TABLE + model.nv + model.nc + 2, dtype=np.int64)
        zeros = self.words.ctypes.data + 8 * native.TABLE
        values = {
            "handle": model.handle,
            "n": len(model.tables.links),
            **{size: getattr(model, size) for size in ("nq", "nv", "nb", "nc")},
            **{"zeros": zeros, "multipliers": zeros + 8 * model.nv, "report": zeros + 8 * (model.nv + model.nc)},
            "forces": int(bool(model.forces)),
        }
        for word, value in values.items():
            self.words[native.WORDS.index(word)] = value
        weakref.finalize(model, native.forget, id(model)).atexit = False

    def close(self, closed):
        """Close the short way, or open it again."""
        self.words[native.WORDS.index("closed")] = closed
