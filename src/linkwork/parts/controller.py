"""Controllers: a user's plain function of time, coordinates and velocities that gives joint forces, sampled at a rate.

    @controller(rate=500)
    def pd(t, q, v, kp=10.0, kd=1.0):  return -kp * q - kd * v

    tau(t) = pd(t_k, q(t_k), v(t_k)),    t_k <= t < t_k + 1 / rate         (sample and hold)

q and v are arrays of all coordinates and velocities, or of those of the named joints, in the order of the names; tau has one number for each velocity.
As native code it is  law(given, numbers, out):   given: t | q | v        numbers: parameters | memory        out: tau
"""

from __future__ import annotations

import functools
import inspect
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..errors import ModelError
from ..jets.retarget import interpreted
from ..native_function import native_callable
from ..validation import is_whole
from .applied_force import EVERY
from .control_law import ControlLaw
from .joint import Joint
from .validation import number, refuse, sequence
from .written import Written, checked_function, default_kind, written_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ..native_function import Native

FORM = "def law(t, q, v): ..."


@dataclass(frozen=True)
class Controller:
    """Base of all controllers: immutable values; see `controller`.

    >>> import linkwork as lw
    >>> @lw.controller(rate=100.0)
    ... def hold(t, q, v, kp=10.0):
    ...     return -kp * q - v
    >>> isinstance(hold(), lw.Controller), hold.rate
    (True, 100.0)
    """

    function: ClassVar[Any] = None
    rate: ClassVar[float] = 0.0  # Hz
    joints: ClassVar[tuple[tuple[str, int], ...] | None] = None  # (name, degree of freedom or -1 for all); None for all joints
    memory: ClassVar[tuple[float, ...]] = ()  # what the memory starts with
    fills: ClassVar[bool] = False  # does the function fill tau instead of returning it?
    remembers: ClassVar[bool] = False
    taken: ClassVar[tuple[str, ...]] = ("tau",)

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class WrittenController(Written, Controller):
    """A controller made of a user's function. `model`: what it controls, with nq, nv and joint(name)."""

    @property
    def name(self) -> str:
        """The function's name."""
        return str(self.function.__name__)

    def numbers(self, model: Any = None) -> tuple[float, ...]:
        """The parameters, then what the memory starts with."""
        return (*self.parameters(), *self.memory)

    def faults(self) -> Iterator[Any]:
        for text in self.parameter_faults():
            yield "controller", text

    def native(self, owner: str, model: Any) -> Native:
        """The function as compiled code calls it, with all of q and v: address, what to keep, is it interpreted."""
        return native_callable(self.function, self._adapter(owner, model), owner)

    def code(self, owner: str, model: Any) -> tuple[Any, Any]:
        """(address of the native function, what must be kept alive); `owner`: the controller in words, for messages."""
        made = self.native(owner, model)
        return made.address, made.keep

    def tried(self, owner: str, model: Any, q: NDArray[np.float64], v: NDArray[np.float64], t: float = 0.0) -> np.ndarray:
        """The joint forces (nv) at one state, computed in plain Python; ModelError if the function fails or gives something else."""
        adapter = self._adapter(owner, model)
        given, numbers, tau = np.array([t, *q, *v], dtype=float), np.array(self.numbers()), np.zeros(model.nv)
        where = f"{owner}: its function {self.function.__name__}"
        try:
            adapter.plain_filler(interpreted(self.function))(given, numbers, tau)
        except Exception as error:  # whatever a user's function raises
            some = adapter.q_at is not None
            raise ModelError(
                f"{where} failed at t = {t:g} ({type(error).__name__}: {error}); it is called with t, "
                f"{len(adapter.q_at) if some else model.nq} coordinates q and {adapter.wanted} velocities v, and must give "
                f"{adapter.wanted} joint forces; correct it"
            ) from error
        if not np.all(np.isfinite(tau)):
            raise ModelError(f"{where} gave {tau} at t = {t:g}; allowed are finite numbers; correct it")
        return tau

    def _adapter(self, owner: str, model: Any) -> Any:
        q_at, v_at = (None, None) if self.joints is None else _indices(owner, model, self.joints)
        return ControlLaw(model.nq, model.nv, q_at, v_at, len(self.parameters()), len(self.memory), self.fills, self.remembers)


def _indices(owner: Any, model: Any, joints: Any) -> Any:
    """Where the coordinates and the velocities of these joints are in q and v."""
    q_at: list[int] = []
    v_at: list[int] = []
    for name, dof in joints:
        try:
            joint = model.joint(name)
        except ModelError as error:
            raise ModelError(f"{owner}: {error}") from error
        q, v = range(model.nq)[joint.q_index], range(model.nv)[joint.v_index]
        if dof != EVERY:
            if len(q) != len(v) or not 0 <= dof < len(v):
                raise ModelError(
                    f"{owner}: degree of freedom {dof} of joint {name!r} is no coordinate of its own; the joint has {len(q)} coordinates and "
                    f"{len(v)} velocities; give the joint as a whole, or another number"
                )
            q, v = q[dof : dof + 1], v[dof : dof + 1]
        q_at += q
        v_at += v
    if len(set(v_at)) < len(v_at):
        raise ModelError(f"{owner}: its joints name a coordinate twice; allowed is each once; leave one out")
    return tuple(q_at), tuple(v_at)


def as_controller(value: type[Any], owner: str = "controller") -> Any:
    """A controller from what a person gives: one, or the decorated function itself, whose parameters are then the defaults."""
    if isinstance(value, type) and issubclass(value, Controller) and value.function is not None:
        return default_kind(value, owner)
    if not isinstance(value, Controller):
        raise refuse(owner, "a controller", value, "give a function made one by @controller(rate=500), with or without (parameters)")
    return value


def controller(function: Callable[..., Any] | None = None, *, rate: float | None = None, joints: Any = None, states: Any = ()) -> Any:
    """Make a controller of a function of (t, q, v) and parameters, numbers with or without a default, that can be changed.

    rate: Hz, how often it is called. joints: names of joints, or (name, k) for degree of freedom k of one; then q, v and tau are theirs alone.
    states: how many numbers it keeps between calls, or what they start with.
    The function returns the joint forces tau; or it has an argument `tau` after v and fills that. With states it has an argument
    `memory` after these, an array that it reads and changes.

    >>> import linkwork as lw
    >>> @lw.controller(rate=500.0, joints=["elbow"], states=1)
    ... def pid(t, q, v, memory, kp=10.0, kd=1.0, ki=2.0):
    ...     memory[0] += q[0] / 500.0
    ...     return -kp * q - kd * v - ki * memory[0]
    >>> pid(kp=20.0)
    pid(kp=20.0, kd=1.0, ki=2.0)
    """
    options = {"rate": rate, "joints": joints, "states": states}
    if function is None:
        return functools.partial(controller, **options)
    checked_function(function, "controller", FORM)
    rate = math.nan if rate is None else number(rate, "controller", "rate")
    if not 0.0 < rate < math.inf:
        raise ModelError(f"controller: rate is {rate:g} Hz; allowed is a finite number above 0; write @controller(rate=500)")
    joints, memory = _checked_joints(joints), _checked_states(states)
    made_by = (controller, (("rate", rate), ("joints", joints), ("states", memory)))
    names = list(inspect.signature(getattr(function, "py_func", function)).parameters)
    fills = names[3:4] == ["tau"]
    remembers = names[3 + fills : 4 + fills] == ["memory"]
    if bool(memory) != remembers:
        found = f"keeps {len(memory)} numbers" if memory else "keeps no memory"
        raise ModelError(
            f"controller: {function.__name__} {found}, but has {'an' if remembers else 'no'} argument `memory` after v (or tau); allowed are both "
            "or neither; write @controller(..., states=2) and def law(t, q, v, memory, ...)"
        )
    given = ("t", "q", "v", *(("tau",) if fills else ()), *(("memory",) if remembers else ()))
    attributes = {"rate": rate, "joints": joints, "memory": memory, "fills": fills, "remembers": remembers}
    return written_class(WrittenController, function, "controller", given, made_by, **attributes)


def _checked_joints(joints: list[str] | None) -> tuple[tuple[str, int], tuple[str, int]] | None:
    if joints is None:
        return None
    needed = "give a list of names of joints, or of (name, degree of freedom)"
    found = []
    for joint in sequence(joints, "controller", "joints", needed):
        name, dof = joint if isinstance(joint, tuple) and len(joint) == 2 else (joint, EVERY)
        name = name.name if isinstance(name, Joint) else name
        if not isinstance(name, str) or not name.strip() or not is_whole(dof):
            raise refuse("controller", "a joint", joint, needed)
        found.append((name, int(dof)))
    if not found or len(set(found)) < len(found):
        raise refuse("controller", "joints", joints, f"{needed}, each once")
    return tuple(found)


def _checked_states(states: Any) -> tuple[float, ...]:
    needed = "give how many numbers it keeps, or a list of those it starts with"
    if is_whole(states, 0, 2**31 - 1):
        return (0.0,) * int(states)
    if isinstance(states, (bool, int, float)):
        raise refuse("controller", "states", states, needed)
    start = tuple(number(x, "controller", "states") for x in sequence(states, "controller", "states", needed))
    if not all(map(math.isfinite, start)):
        raise refuse("controller", "states", states, "give finite numbers")
    return start
