r"""Lock: each of the six coordinates of one marker in another free, held, or prescribed in time.

symbol  meaning
D       p_a - p_b;   e = R_b e_k, axis k of marker b;   d* the target of a shift
c       quaternion of marker a seen from the target orientation, c = (r*)^-1 r, with r that of a in b; c_0 >= 0
w       R_a^T (w_a - w_b), the rate of a in b, in the axes of a;     w*, a* rate and acceleration of the target, in its own axes
W       w - R(c)^T w*, the rate of a relative to the target, in the axes of a

shift   phi = e . D - d*          J: f_a = e, f_b = -e, n_b = e x D
        gamma = (w_b x (w_b x e)) . D + 2 (w_b x e) . D_dot - d*''
turn    phi = 2 c_v               (component k: the angle about axis k, while small)
        phi_dot = (c_0 + c_v x) W      J: n_a = R_a (c_0 e_k + e_k x c_v), n_b = -n_a
        gamma = (c_0 + c_v x)(w x R_a^T w_b + W x R(c)^T w* - R(c)^T a*) - |W|^2 c_v / 2

A weld (or nail) holds all six; a point on a plane holds one shift; parallel axes hold two turns. The idea that one routine serves some
fifty kinds of links is Tasora's; the equations in angular velocities are derived here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import Scalar, Vector, kernel
from ...kernels.scalar import sincos, zero
from ...spatial.matrices import apply9, apply9_transposed
from ...spatial.so3 import quaternion_from_matrix
from ...spatial.vectors import add3, cross3, dot3, scale3, sub3
from .kind import LOCK, Block, ConstraintKind, put_row
from .time_function import CONSTANT, TimeFunction, time_function

COORDINATES = ("x", "y", "z", "rx", "ry", "rz")
_ZERO = TimeFunction(CONSTANT)


@kernel(inline=True)
def _turned_back(turning: Any, s: Any, c: Any, R: Any) -> Vector[9]:
    """R_k(theta)^T R, for the turn by theta about axis k (0 none, 1 x, 2 y, 3 z): two rows mixed."""
    a0, a1, a2, b0, b1, b2, d0, d1, d2 = R
    if turning == 1:
        return a0, a1, a2, c * b0 + s * d0, c * b1 + s * d1, c * b2 + s * d2, c * d0 - s * b0, c * d1 - s * b1, c * d2 - s * b2
    if turning == 2:
        return c * a0 - s * d0, c * a1 - s * d1, c * a2 - s * d2, b0, b1, b2, c * d0 + s * a0, c * d1 + s * a1, c * d2 + s * a2
    if turning == 3:
        return c * a0 + s * b0, c * a1 + s * b1, c * a2 + s * b2, c * b0 - s * a0, c * b1 - s * a1, c * b2 - s * a2, d0, d1, d2
    return R


@kernel(inline=True)
def _transposed_times(A: Any, B: Any) -> Vector[9]:
    """A^T B."""
    return (
        A[0] * B[0] + A[3] * B[3] + A[6] * B[6],
        A[0] * B[1] + A[3] * B[4] + A[6] * B[7],
        A[0] * B[2] + A[3] * B[5] + A[6] * B[8],
        A[1] * B[0] + A[4] * B[3] + A[7] * B[6],
        A[1] * B[1] + A[4] * B[4] + A[7] * B[7],
        A[1] * B[2] + A[4] * B[5] + A[7] * B[8],
        A[2] * B[0] + A[5] * B[3] + A[8] * B[6],
        A[2] * B[1] + A[5] * B[4] + A[8] * B[7],
        A[2] * B[2] + A[5] * B[5] + A[8] * B[8],
    )


@kernel(inline=True)
def _pick3(a: Any, k: Any) -> Scalar:
    if k == 0:
        return a[0]
    if k == 1:
        return a[1]
    return a[2]


@kernel
def lock_rows(block: Any, A: Any, B: Any, rows: Any) -> None:
    """The rows of a lock. `block.turning`: the axis (1 2 3) whose turn is prescribed, 0 for none; `block.moving`: does it follow functions of time?"""
    mask, turning = block.mask, block.turning
    o = zero(rows)
    none = (o, o, o)
    R_a, p_a, w_a, u_a = A
    R_b, p_b, w_b, u_b = B
    D, D_dot = sub3(p_a, p_b), sub3(u_a, u_b)
    i = block.row
    for k in range(3):
        if mask >> k & 1:
            e = (_pick3((R_b[0], R_b[1], R_b[2]), k), _pick3((R_b[3], R_b[4], R_b[5]), k), _pick3((R_b[6], R_b[7], R_b[8]), k))
            e_dot = cross3(w_b, e)
            target = (o, o, o)
            if block.moving:
                shift = rows.times[block.time_function + k]
                target = (shift.value, shift.rate, shift.second)
            gamma = dot3(cross3(w_b, e_dot), D) + 2.0 * dot3(e_dot, D_dot) - target[2]
            put_row(rows.rows[i], none, e, cross3(e, D), scale3(-1.0, e), dot3(e, D) - target[0], o - target[1], gamma)
            i += 1
    if mask >> 3:
        s, c, rate, second = o, o + 1.0, o, o
        if turning > 0:
            turn = rows.times[block.time_function + 3]
            s, c = sincos(turn.value)
            rate, second = turn.rate, turn.second
        R_c = _turned_back(turning, s, c, _transposed_times(R_b, R_a))
        c0, cx, cy, cz = quaternion_from_matrix(R_c)
        cv = (cx, cy, cz)
        in_b = apply9_transposed(R_a, w_b)
        w = sub3(apply9_transposed(R_a, w_a), in_b)
        n, rates, drift = none, none, cross3(w, in_b)
        W = w
        if turning > 0:
            axis = (  # R(c)^T e_k
                _pick3((R_c[0], R_c[3], R_c[6]), turning - 1),
                _pick3((R_c[1], R_c[4], R_c[7]), turning - 1),
                _pick3((R_c[2], R_c[5], R_c[8]), turning - 1),
            )
            target_rate = scale3(rate, axis)
            W = sub3(w, target_rate)
            drift = sub3(add3(drift, cross3(W, target_rate)), scale3(second, axis))
            rates = scale3(-1.0, add3(scale3(c0, target_rate), cross3(cv, target_rate)))
        gammas = sub3(add3(scale3(c0, drift), cross3(cv, drift)), scale3(0.5 * dot3(W, W), cv))
        for k in range(3):
            if mask >> (3 + k) & 1:
                # c_0 e_k + e_k x c_v, written out for the three unit vectors.
                if k == 0:
                    n = (c0, o - cz, cy)
                elif k == 1:
                    n = (cz, c0, o - cx)
                else:
                    n = (o - cy, cx, c0)
                n = apply9(R_a, n)
                put_row(rows.rows[i], n, none, scale3(-1.0, n), none, 2.0 * _pick3(cv, k), _pick3(rates, k), _pick3(gammas, k))
                i += 1


@dataclass(frozen=True)
class Lock(ConstraintKind):
    """Holds coordinates of the first place in the second: each is free (None), held at a number, or prescribed by a function of time.

    x, y, z: position of the first place's origin in the axes of the second, m. rx, ry, rz: turn about the axes of the second, rad: numbers
    are components of one rotation vector; of the three only one may follow a law, and then the others are held at 0 or free.
    The default holds everything at zero: a weld. A coordinate that follows a law gets its driving force from lw.reactions.

    >>> import linkwork as lw
    >>> lw.Lock(x=None, y=None).held
    ('z', 'rx', 'ry', 'rz')
    """

    x: Any = 0.0
    y: Any = 0.0
    z: Any = 0.0
    rx: Any = 0.0
    ry: Any = 0.0
    rz: Any = 0.0

    def __post_init__(self) -> None:
        for name in COORDINATES:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, time_function(value, type(self).__name__, name))

    @property
    def held(self) -> tuple[str, ...]:
        """The coordinates that are not free."""
        return tuple(name for name in COORDINATES if getattr(self, name) is not None)

    def faults(self) -> Iterator[tuple[str, str]]:
        for name in self.held:
            yield from getattr(self, name).faults(name)
        if not self.held:
            yield "constraint", "all six coordinates are free, so it holds nothing; hold at least one, or remove it"
        moving = [name for name in self.held if name[0] == "r" and getattr(self, name).moves]
        turned = [name for name in self.held if name[0] == "r" and getattr(self, name).value != 0.0]
        if len(moving) > 1 or (moving and turned):
            yield (
                "constraint",
                f"the turns {', '.join(moving + turned)} are prescribed together; allowed is one law, with the other turns held at 0 or free; "
                "turn the places instead, or write a Relation",
            )

    def blocks(self) -> tuple[Block, ...]:
        mask = sum(1 << k for k, name in enumerate(COORDINATES) if name in self.held)
        targets = [getattr(self, name) or _ZERO for name in COORDINATES]
        moving = [k for k in range(3, 6) if targets[k].moves]
        vector = [0.0 if target.moves else target.value for target in targets[3:]]
        turn = targets[moving[0]] if moving else _ZERO
        return (
            Block(
                LOCK,
                self.held,
                mask=mask,
                turning=moving[0] - 2 if moving else 0,
                time_functions=(*targets[:3], turn)
                if any(target.kind != CONSTANT or target.value for target in (*targets[:3], turn))
                else (),
                turn_b=_rotation(vector) if any(vector) else None,
            ),
        )


def _rotation(vector: list[float]) -> NDArray[np.float64]:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_rotvec(vector).as_matrix())
