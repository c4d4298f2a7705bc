r"""What every joint kind has in common: sizes, options per degree of freedom, and the motion as a product of exponentials.

The motion of most kinds is a chain of elementary screws in the joint frame (Brockett 1984; Lynch & Park 2017, section 4.1):

    X_J(q) = exp(s_1 q_1) exp(s_2 q_2) ...,      exp(s q): turn by `turn q` about the axis and slide by `slide q` along it,

where X_J is the pose of the joint frame on the child side in the joint frame on the parent side. In the child's frame

    S = [s_1' s_2' ...],   s_k' = Ad(exp(s_{k+1} q_{k+1}) ... exp(s_n q_n))^-1 s_k,   v_J = S v,   v = dq/dt.

Kinds with a quaternion (`ball`, `free`) and those made of a user's functions (`custom`) have no such chain: `elements` is None.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

from ..validation import number, refuse, sequence, vector
from .axis import axis_faults

INF = math.inf
PerDof: TypeAlias = Any  # given as one number or as a sequence of nv numbers, kept as a tuple of nv floats


class Element(NamedTuple):
    """One elementary screw: a unit axis in the joint frame, `turn` rad and `slide` m per unit of q.

    >>> import linkwork as lw
    >>> lw.Screw(axis=(0, 0, 1), pitch=0.01).elements
    (Element(axis=(0.0, 0.0, 1.0), turn=1.0, slide=0.01),)
    """

    axis: tuple[float, float, float]
    turn: float
    slide: float


@functools.lru_cache(maxsize=1024)
def _repeated(value: float, nv: int) -> tuple[float, ...]:
    """One tuple for all joints with the same value: mechanisms are large, and most options are never given."""
    return (value,) * nv


@dataclass(frozen=True, kw_only=True, repr=False)
class JointKind:
    """Base of all joint kinds: an immutable value. Options are one number for all degrees of freedom, or a sequence of nv numbers.

    Units are those of the degree of freedom (rad or m), of its speed, of its force (N m or N) and of force over
    speed or acceleration. Options are kept as tuples of length nv.

    lower, upper        range of q; unlimited unless given
    velocity_limit      greatest speed; unlimited unless given. Data for programs and files: no simulation applies it
    effort_limit        greatest force of controllers; unlimited unless given
    armature            inertia that a drive adds at the joint: kinetic energy armature * v**2 / 2 of each velocity
    rotor_inertia       inertia of the rotor about its own shaft, and
    gear_ratio          its turns per turn of the joint: they add rotor_inertia * gear_ratio**2 to the armature
    damping             force per speed
    friction            greatest force of dry friction

    >>> import linkwork as lw
    >>> hinge = lw.Revolute(axis=(0, 1, 0), rotor_inertia=1e-4, gear_ratio=10.0, armature=0.02)
    >>> isinstance(hinge, lw.JointKind), [round(a, 9) for a in hinge.effective_armature]  # kg m^2
    (True, [0.03])
    """

    lower: PerDof = -INF
    upper: PerDof = INF
    velocity_limit: PerDof = INF
    effort_limit: PerDof = INF
    armature: PerDof = 0.0
    rotor_inertia: PerDof = 0.0
    gear_ratio: PerDof = 1.0
    damping: PerDof = 0.0
    friction: PerDof = 0.0

    nq = 0  # number of position coordinates
    nv = 0  # number of velocity coordinates (degrees of freedom)
    axes: ClassVar[tuple[str, ...]] = ()  # names of its fields that are directions in the joint frame
    ball = False  # q is a unit quaternion (wxyz)
    free = False  # q is a position and a unit quaternion
    custom = False  # the motion is given by a user's functions

    def __post_init__(self) -> None:
        # The class is frozen; writing to its dictionary is how it fills itself, once.
        given, nv = self.__dict__, self.nv
        for name in self.axes:
            if given[name] is not None or self.__dataclass_fields__[name].default is not None:
                given[name] = vector(given[name], 3, type(self).__name__, name)
        for option in OPTIONS:
            value = given[option]
            given[option] = _repeated(value, nv) if type(value) is float else self._per_dof(option, value)

    def _per_dof(self, option: str, value: Any) -> tuple[float, ...]:
        owner = type(self).__name__
        if not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0 or isinstance(value, (str, bytes)):
            return (number(value, owner, option),) * self.nv
        values = sequence(value, owner, option, "give a number")
        if len(values) != self.nv:
            counted = "1 degree" if self.nv == 1 else f"{self.nv} degrees"
            raise refuse(
                owner, option, value, f"it has {len(values)} values, but the joint has {counted} of freedom; give one number or {self.nv}"
            )
        return tuple([number(item, owner, option) for item in values])

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    @property
    def elements(self) -> tuple[Element, ...] | None:
        """The motion as a chain of elementary screws, one per coordinate; None for ball, free and custom kinds."""
        return None

    @property
    def effective_armature(self) -> tuple[float, ...]:
        """Inertia of the drive felt at each degree of freedom: armature + rotor_inertia * gear_ratio**2."""
        return tuple([a + r * g * g for a, r, g in zip(self.armature, self.rotor_inertia, self.gear_ratio, strict=True)])

    def faults(self) -> Iterator[tuple[str, str]]:
        """(kind of fault, what is wrong) for every value that cannot be; the part's name is put before it by the mechanism."""
        yield from self.geometry_faults()
        yield from self._limit_faults()
        for option, (needed, _) in _RULES.items():
            values = getattr(self, option)
            for dof in _refused(option, values):
                yield "option", f"{option} is {values[dof]:g}{self._which(dof)}; allowed is {needed}; correct it or leave it out"

    def geometry_faults(self) -> Iterator[tuple[str, str]]:
        """Faults of what is special to the kind: axes, pitch, functions."""
        for name in self.axes:
            if getattr(self, name) is not None:
                yield from axis_faults(getattr(self, name), name)

    def _limit_faults(self) -> Iterator[Any]:
        for dof, (lower, upper) in enumerate(zip(self.lower, self.upper, strict=True)):
            if lower <= upper and lower < INF and upper > -INF:
                if (self.ball or self.free) and (lower > -INF or upper < INF):
                    yield (
                        "limits",
                        f"lower and upper are {lower:g} and {upper:g}{self._which(dof)}, but a quaternion has no lower and upper "
                        "value; allowed are no limits; leave them out, or use a Universal or Custom joint that has angles",
                    )
                continue
            problem = "not a number" if math.isnan(lower) or math.isnan(upper) else "no range"
            yield (
                "limits",
                f"lower is {lower:g} and upper is {upper:g}{self._which(dof)}, which is {problem}; allowed is lower <= upper; "
                "swap or correct them, or leave one out for no limit",
            )

    def _which(self, dof: int) -> str:
        return f" (degree of freedom {dof + 1} of {self.nv})" if self.nv > 1 else ""

    def __repr__(self) -> str:
        shown = []
        kind: Any = type(self)
        for name in _own_fields(kind):
            shown.append(f"{name}={getattr(self, name)!r}")
        for name, default in OPTIONS.items():
            value = getattr(self, name)
            if value != _repeated(default, self.nv):
                shown.append(f"{name}={value[0] if len(set(value)) == 1 else value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


OPTIONS = {field.name: field.default for field in fields(JointKind)}


@functools.cache
def _own_fields(kind: Any) -> list[str]:
    """Names of what is special to a kind of joint."""
    return [field.name for field in fields(kind) if field.name not in OPTIONS]


_AT_LEAST_0 = ("a number of at least 0", lambda x: x >= 0.0)
_FINITE_AT_LEAST_0 = ("a finite number of at least 0", lambda x: 0.0 <= x < INF)
_RULES = {
    "velocity_limit": _AT_LEAST_0,
    "effort_limit": _AT_LEAST_0,
    "armature": _FINITE_AT_LEAST_0,
    "rotor_inertia": _FINITE_AT_LEAST_0,
    "gear_ratio": ("a finite number", math.isfinite),
    "damping": _FINITE_AT_LEAST_0,
    "friction": _FINITE_AT_LEAST_0,
}


@functools.lru_cache(maxsize=1024)
def _refused(option: str, values: tuple[float, ...]) -> tuple[int, ...]:
    """Which of the values the rule of an option does not allow. Most joints of a mechanism have the same, so it is looked up."""
    allowed = _RULES[option][1]
    return tuple([dof for dof, value in enumerate(values) if not allowed(value)])
