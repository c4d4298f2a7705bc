r"""Points, lines, planes and directions held together: the lock of lock.py with a chosen mask, its markers turned.

kind             holds             of marker a in marker b (z_a, z_b are the given axes)
Nail             x y z rx ry rz    everything, at a place that functions of time may move
Coincident       x y z             the point at the origin of b
PointOnLine      x y               the point on the line through b along z_b
PointOnPlane     z                 the point in the plane through b across z_b, or at a height over it
FollowPath       x y z             the point on a path: x*(t), y*(t), z*(t) in the axes of b
ParallelAxes     rx ry             z_a along z_b, in the same sense
SameOrientation  rx ry rz          the axes of a along those of b

shift   phi = e . D - d*        phi_dot = e . D_dot + (w_b x e) . D - d*'      J: f_a = e, f_b = -e, n_b = e x D
        gamma = (w_b x (w_b x e)) . D + 2 (w_b x e) . D_dot - d*''
turn    phi = 2 c_v             phi_dot = (c_0 + c_v x) w                      J: n_a = R_a (c_0 e_k + e_k x c_v), n_b = -n_a
        gamma = (c_0 + c_v x)(w x R_a^T w_b) - |w|^2 c_v / 2

Symbols as in lock.py, whose kernel evaluates them. The table of masks is Tasora's idea of one routine for many links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..validation import refuse
from .axes import axis, axis_faults, turn_to
from .kind import LOCK, Block, ConstraintKind
from .lock import COORDINATES, Lock
from .time_function import path_time_functions, time_function

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

_UP = (0.0, 0.0, 1.0)


def locked(
    names: tuple[str, ...],
    targets: tuple[Any, ...] = (),
    turn_a: NDArray[np.float64] | None = None,
    turn_b: NDArray[np.float64] | None = None,
) -> Any:
    """A lock of the named coordinates; `targets` are laws of x, y, z."""
    mask = sum(1 << COORDINATES.index(name) for name in names)
    time_functions = (*targets, time_function(0.0, "Lock", "turn")) if any(target.moves or target.value for target in targets) else ()
    return Block(LOCK, names, mask=mask, time_functions=time_functions, turn_a=turn_a, turn_b=turn_b)


@dataclass(frozen=True)
class Nail(Lock):
    """Nails the first place to the second (ground if left out): position and orientation, as a weld.

    x, y, z (m) and rx, ry, rz (rad) say where in the second place, as in Lock; functions of time make a nail that moves and carries the
    mechanism along. For coordinates that stay free use Lock, for a nail that a body turns about Coincident or FollowPath.

    >>> import linkwork as lw
    >>> lw.Nail(z=lambda t: 0.1 * t).z.moves
    True
    """

    def __post_init__(self) -> None:
        for name in COORDINATES:
            if getattr(self, name) is None:
                raise refuse(
                    type(self).__name__, name, None, "a nail holds all coordinates; give a number or a function of time, or use Lock"
                )
        super().__post_init__()


@dataclass(frozen=True)
class Coincident(ConstraintKind):
    """The points of two places coincide; the bodies turn freely about it, as in a ball joint.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball joint")
    >>> arm = m.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_constraint("socket", lw.Coincident(), arm, m.ground)
    >>> lw.mobility(m.build(), [0, 0, 0, 1, 0, 0, 0]).dof  # three turns
    3
    """

    def blocks(self) -> tuple[Block, ...]:
        return (locked(("x", "y", "z")),)


@dataclass(frozen=True)
class PointOnLine(ConstraintKind):
    """The first place's point stays on the line through the second along `axis` (in the axes of the second).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("bead")
    >>> bead = m.add_body("bead", mass=0.1, inertia=(1, 1, 1))
    >>> _ = m.add_constraint("wire", lw.PointOnLine(axis=(1, 0, 0)), bead, m.ground)
    >>> lw.mobility(m.build(), [0, 0, 0, 1, 0, 0, 0]).dof  # along the wire, and three turns
    4
    """

    axis: Any = _UP

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", axis(self.axis, type(self).__name__, "axis"))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from axis_faults(self.axis, "axis")

    def blocks(self) -> tuple[Block, ...]:
        return (locked(("x", "y"), turn_b=turn_to(self.axis)),)


@dataclass(frozen=True)
class PointOnPlane(ConstraintKind):
    """The first place's point stays in the plane through the second across `normal`, or at a height over it: a number (m) or a law.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("table")
    >>> puck = m.add_body("puck", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_constraint("top", lw.PointOnPlane(height=0.8), puck, m.ground)
    >>> round(float(lw.assemble(m.build(), [0, 0, 0, 1, 0, 0, 0])[2]), 9)  # m
    0.8
    """

    normal: Any = _UP
    height: Any = 0.0

    def __post_init__(self) -> None:
        owner = type(self).__name__
        object.__setattr__(self, "normal", axis(self.normal, owner, "normal"))
        object.__setattr__(self, "height", time_function(self.height, owner, "height"))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from axis_faults(self.normal, "normal")
        yield from self.height.faults("height")

    def blocks(self) -> tuple[Block, ...]:
        nothing = time_function(0.0, "PointOnPlane", "height")
        return (locked(("z",), (nothing, nothing, self.height), turn_b=turn_to(self.normal)),)


@dataclass(frozen=True)
class FollowPath(ConstraintKind):
    """The first place's point follows a path in the axes of the second, m. The force it takes is a result: see lw.reactions.

    path: three laws (x, y, z), a spline of SciPy through points (n, 3) (CubicSpline, PPoly, BSpline), or a plain function of t that returns three numbers.

    >>> import math
    >>> import linkwork as lw
    >>> kind = lw.FollowPath(lambda t: (math.cos(t), math.sin(t), 0.5))
    """

    path: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_time_functions(self.path, type(self).__name__, "path"))

    def faults(self) -> Iterator[tuple[str, str]]:
        shared = self.path[0].function is not None and self.path[0].component == 0
        for name, part in zip("xyz", self.path, strict=True):
            found = list(part.faults("path" if shared else f"path {name}"))
            yield from found
            if found and shared:
                return

    def blocks(self) -> tuple[Block, ...]:
        return (locked(("x", "y", "z"), self.path),)


@dataclass(frozen=True)
class ParallelAxes(ConstraintKind):
    """An axis of the first place stays parallel to one of the second, in the same sense; each is given in the axes of its place.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("upright")
    >>> post = m.add_body("post", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_constraint("upright", lw.ParallelAxes(), post, m.ground)
    >>> lw.mobility(m.build(), [0, 0, 0, 1, 0, 0, 0]).dof
    4
    """

    axis_a: Any = _UP
    axis_b: Any = _UP

    def __post_init__(self) -> None:
        for name in ("axis_a", "axis_b"):
            object.__setattr__(self, name, axis(getattr(self, name), type(self).__name__, name))

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from axis_faults(self.axis_a, "axis_a")
        yield from axis_faults(self.axis_b, "axis_b")

    def blocks(self) -> tuple[Block, ...]:
        return (locked(("rx", "ry"), turn_a=turn_to(self.axis_a), turn_b=turn_to(self.axis_b)),)


@dataclass(frozen=True)
class SameOrientation(ConstraintKind):
    """The axes of two places stay parallel; their points move freely.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("gimbal")
    >>> _ = m.add_constraint("level", lw.SameOrientation(), m.add_body("tray", mass=1.0, inertia=(1, 1, 1)), m.ground)
    >>> lw.mobility(m.build(), [0, 0, 0, 1, 0, 0, 0]).dof  # three slides
    3
    """

    def blocks(self) -> tuple[Block, ...]:
        return (locked(("rx", "ry", "rz")),)
