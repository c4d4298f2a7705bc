"""Data: what computations on a model keep, for one thread at a time; and what goes with a model without being part of it.

A model is data only. Whoever computes has a `Data`: its own, or one that is lent for the time of a call. Those that are free wait in a pool beside the
model, as many as were ever in use at once; two threads never have the same. What algorithms find out once for a model (the order of a sparse
elimination, say) is kept beside it too, and all of it goes when the model goes.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, StateError
from ..kernels.array_fields import pack_width
from ..kernels.records import Record
from .need_memory import need_memory
from .tree import TreeData

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGE = 2**24  # bytes that are worth a look before they are taken


class Data:
    """The memory of computations on one model: records by their class, each made when it is first asked for.

    `lanes`: how many states are treated side by side. A Data serves one computation at a time: a call from within a call (of a user's function) is
    lent another, and a thread that wants a Data which another thread has in use is refused. It does not keep its model: keep that.

    What a recursion keeps of link i is at index i of its `links`; `model.joint("elbow").links` says which links a joint became. Vectors are in the
    frame of their link, whose z axis is the joint's. A joint that is no single axis keeps its part in `joints` (generals, columns, or blocks).
    What no computation has written is NaN and prints as "not written" (of a free base, say, most of its link: see `joints`); what another solver or
    recursion wrote is as that left it.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> model = m.build()
    >>> data = lw.Data(model)
    >>> with data.in_use():
    ...     vdot = lw.forward_dynamics(model, [0.0], [2.0], [3.0])
    >>> float(data.tree.articulated.links[0].v[2])  # rad/s; print(data.tree.articulated.links[0]) shows all that is kept
    2.0
    """

    def __init__(self, model: Any, lanes: int = 1) -> None:
        if not hasattr(model, "sizes"):
            remedy = "call build() first" if hasattr(model, "build") else "give what Mechanism.build() returned"
            raise ModelError(f"model: found a {type(model).__name__}; allowed is a Model; {remedy}")
        if not isinstance(lanes, int) or lanes not in (1, pack_width()):
            raise StateError(
                f"lanes: found {lanes!r}; allowed are 1, for one state, and {pack_width()}, for batches on this machine", "lanes"
            )
        self.lanes, self._sizes, self._name = lanes, model.sizes, model.name
        # What is kept beside a model knows it by a proxy, and so does its Data.
        self._model = (lambda: model) if isinstance(model, weakref.ProxyType) else weakref.ref(model)
        self._records: dict[Any, Any] = {}
        self._given: dict[Any, Any] = {}
        self.working = threading.Lock()  # held while a computation works here

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"this Data of model {self._name!r} is memory that compiled code works in, which cannot be copied or pickled; make a new one, lw.Data(model): "
            "models can be pickled, and numbers that you need be copied (data.tree.q.copy())"
        )

    def record(self, kind: Any, make: Callable[[Data], Any] | None = None) -> Any:
        """The record of a class. `make(data)` makes it, if that is more than memory; pointers to other records lead to those of this Data."""
        found = self._records.get(kind)
        if found is None:
            found = self._records[kind] = self.new(kind) if make is None else make(self)
        return found

    def _record_of(self, kind: type[Any], sizes: dict[str, int]) -> Any:
        """The record of a class for these sizes beyond the model's: one of other sizes would be too short for a kernel, without a word."""
        names = kind.size_names()
        sizes = {name: value for name, value in sizes.items() if name in names}
        known = self._given.setdefault(kind, sizes)
        if known != sizes:
            raise ValueError(
                f"{kind.__name__}: this Data has one for {known}, not for {sizes}; make a new Data for other forces or settings"
            )
        return self.record(kind, lambda data: data.new(kind, **sizes))

    def new(self, kind: Any, **given: Any) -> Any:
        """A new record of a class, zero or not written.

        `given`: sizes beyond those of the model, and records that its pointers lead to; others lead to this Data's.
        """
        pointed = {name: value for name, value in given.items() if isinstance(value, Record)}
        sizes = {name: value for name, value in given.items() if name not in pointed}
        lengths = {"lanes": self.lanes} | self._sizes | sizes
        size = kind.bytes_for(lengths, self.lanes)
        if size > LARGE:
            need_memory(self._name, self._sizes, size, f"the memory of a computation ({kind.__name__})")
        made = kind.allocate(lengths, self.lanes)
        made.mark_unwritten()
        made._memory.plain_numbers = False  # NumPy's divide by zero as kernels do
        for name, target in made.pointers():
            made_of = pointed.get(name)
            setattr(made, name, self._record_of(target, sizes) if made_of is None else made_of)
        return made

    @property
    def model(self) -> Any:
        """The model that it is for."""
        return self._model()

    @property
    def tree(self) -> Any:
        """What recursions over the tree keep (data/tree.py)."""
        return self.record(TreeData)

    @contextlib.contextmanager
    def in_use(self) -> Iterator[Any]:
        """Calls of this thread work here (for one state, or with as many lanes as the machine has for batches), so that one can look at what they
        leave: `with data.in_use(): ...`."""
        model = self._model()
        if model is None:
            raise StateError(f"data: the model {self._name!r} that this Data is for is gone; keep it, or make a Data of another")
        cache = cache_of(model)
        key = cache.own(self)
        try:
            yield self
        finally:
            cache.disown(key, self)

    def __repr__(self) -> str:
        names = ", ".join(kind.__name__ for kind in self._records) or "nothing yet"
        return f"Data of {self._name!r}, {self.lanes} lane{'s' * (self.lanes > 1)}: {names}"


class ModelCache:
    """What goes with a model: `kept`, findings by their names; pools of free Data; Data that threads own."""

    def __init__(self, model: Any) -> None:
        self.kept: dict[Any, Any] = {}
        self.owned: dict[Any, Any] = {}
        self.bound = None  # the table by which compiled functions find a model (dynamics/bound.py)
        self._pools: dict[Any, Any] = {}
        key = id(model)
        forget = KNOWN.pop  # when the interpreter ends, names of modules go first
        self.reference = weakref.ref(model, lambda _: forget(key, None))

    def own(self, data: Any) -> Any:
        """Let this thread have a Data of its own, the latest of several; returns the key for `disown`. Calls then go no short way."""
        key = data.lanes, threading.get_ident()
        with LOCK:
            if any(data in others and owner != key for owner, others in self.owned.items()):
                raise StateError(
                    "data: another thread has this Data in use; a Data serves one computation at a time; make one for each thread"
                )
            self.owned.setdefault(key, []).append(data)
            self._close()
        return key

    def disown(self, key: Any, data: Any) -> None:
        """The thread no longer has this Data in use (once less, if several times)."""
        with LOCK:
            others = self.owned[key]
            del others[len(others) - 1 - others[::-1].index(data)]
            if not others:
                del self.owned[key]
            self._close()

    def _close(self) -> None:
        if self.bound is not None:
            self.bound.close(bool(self.owned))

    def pool(self, lanes: int) -> Any:
        return self._pools.setdefault(lanes, deque())


KNOWN: dict[int, Any] = {}  # by the identity of models; public functions that must be quick look here
LOCK = threading.RLock()  # of all that is beside models; a finaliser may come in the middle


def cache_of(model: Any) -> ModelCache:
    """What goes with a model; made at the first call. By identity: equal models have their own."""
    found = KNOWN.get(id(model))
    if found is None and type(model) is weakref.ProxyType:
        return cache_of(model.__init__.__self__)  # type: ignore[attr-defined]  # the model that the proxy stands for
    if found is None:
        with LOCK:
            found = KNOWN.get(id(model))
            if found is None:
                found = KNOWN[id(model)] = ModelCache(model)
    return found


def cached(model: Any, name: str, make: Callable[..., Any] | type[Any]) -> Any:
    """What is kept beside a model under a name; `make(model)` finds it out at the first call.

    `make` is given a weak proxy of the model, since what is kept must not keep the model alive; it may ask for other findings with that proxy.
    """
    kept = cache_of(model).kept
    try:
        return kept[name]
    except KeyError:
        return kept.setdefault(name, make(model if type(model) is weakref.ProxyType else weakref.proxy(model)))


class lent:  # noqa: N801 - used like a function: `with lent(model) as data`
    """A Data for the time of a computation: `with lent(model) as data: ...`. The thread's own, if it has one in use, else one of the pool."""

    __slots__ = ("data", "pool")

    def __init__(self, model: Any, lanes: int = 1) -> None:
        cache = cache_of(model)
        self.pool: Any = None
        self.data: Any = None
        if cache.owned:
            own = cache.owned.get((lanes, threading.get_ident()))
            if own and own[-1].working.acquire(blocking=False):  # else a call from within a call: it is lent another
                self.data = own[-1]
        if self.data is None:
            self.pool = cache.pool(lanes)
            try:
                self.data = self.pool.pop()
            except IndexError:
                self.data = Data(model, lanes)

    def __enter__(self) -> Any:
        return self.data

    def __exit__(self, *error: object) -> None:
        if self.pool is not None:
            self.pool.append(self.data)
        else:
            self.data.working.release()
