"""A bushing: an elastic body between two frames, with full 6x6 matrices of stiffness and damping.

    x = [theta; d],      theta = log(R_b^T R_a),   d = R_b^T (p_a - p_b)              in the axes of the second frame
    x_dot = [J_l(theta)^-1 R_b^T w; R_b^T u]                                           w, u: motion seen from the second body (pair.py)
    Q = -K x - C x_dot,      n_a = R_b J_l(theta)^-T Q_theta,   f_a = R_b Q_d,          V = x^T K x / 2

J_l is the left Jacobian of SO(3) (spatial/so3.py); with its inverse the wrench is exactly the gradient of V, however far the bushing turns (up to
half a turn), and the power beyond -dV/dt is -x_dot^T C x_dot.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import Scalar, Vector, kernel
from ...kernels.records import Record, reals_fixed
from ...spatial.matrices import apply9, apply9_transposed, times9, transposed9
from ...spatial.so3 import left_jacobian_inverse, rotation_log
from ...spatial.vectors import sub3
from ..validation import number, refuse, sequence
from .kind import LAW_CALL, MARKER, ForceKind, marker
from .pair import put_pair, relative_motion

ALLOWED = 1e-9  # of the largest entry: asymmetry and negative eigenvalues that rounding explains


@kernel(inline=True)
def _row_times(row: Any, x: Any) -> Scalar:
    """A row of a 6x6 matrix times x."""
    total = 0.0
    for j in range(6):
        total += row[j] * x[j]
    return total


@kernel(inline=True)
def _times(A: Any, x: Any) -> Vector[6]:
    return (
        _row_times(A[0:6], x),
        _row_times(A[6:12], x),
        _row_times(A[12:18], x),
        _row_times(A[18:24], x),
        _row_times(A[24:30], x),
        _row_times(A[30:36], x),
    )


class BushingParameters(Record, constant=True):
    """What the law reads: 6x6 matrices, row by row."""

    stiffness = reals_fixed(36, "K")
    damping = reals_fixed(36, "C")


@kernel(address=LAW_CALL)
def bushing(given: NDArray[np.float64], parameters: BushingParameters, out: NDArray[np.float64]) -> None:
    R_a, p_a, _, _ = marker(given, 0)
    R_b, p_b, _, _ = marker(given, MARKER)
    theta = rotation_log(times9(transposed9(R_b), R_a))
    d = apply9_transposed(R_b, sub3(p_a, p_b))
    w, u = relative_motion(given)
    J = left_jacobian_inverse(theta)
    turning, moving = apply9(J, apply9_transposed(R_b, w)), apply9_transposed(R_b, u)
    x = (theta[0], theta[1], theta[2], d[0], d[1], d[2])
    K = _times(parameters.stiffness, x)
    C = _times(parameters.damping, (turning[0], turning[1], turning[2], moving[0], moving[1], moving[2]))
    n = apply9(R_b, apply9_transposed(J, (-K[0] - C[0], -K[1] - C[1], -K[2] - C[2])))
    f = apply9(R_b, (-K[3] - C[3], -K[4] - C[4], -K[5] - C[5]))
    stored = 0.0
    for i in range(6):
        stored += 0.5 * x[i] * K[i]
    put_pair(out, given, n, f, stored)


@dataclass(frozen=True)
class Bushing(ForceKind):
    """An elastic bearing between two frames, in the axes of the second; x is [rotation vector (rad); deflection (m)], angular part first.

    stiffness: 6 numbers (the diagonal) or a symmetric 6x6 matrix without negative eigenvalues.
    damping: 6 numbers or a 6x6 matrix, symmetric or not, that never does work.

    >>> import linkwork as lw
    >>> mount = lw.Bushing(stiffness=(50, 50, 20, 4e4, 4e4, 9e4), damping=(0.1, 0.1, 0.1, 30, 30, 60))
    >>> mount.stiffness[3][3]
    40000.0
    """

    stiffness: tuple[tuple[float, ...], ...]
    damping: tuple[tuple[float, ...], ...] = (0.0,) * 6  # type: ignore[assignment]

    law = bushing
    law_reads = BushingParameters

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, _matrix(getattr(self, name), name))

    def law_values(self) -> dict[str, Any]:
        return {name: tuple(x for row in getattr(self, name) for x in row) for name in ("stiffness", "damping")}

    def faults(self) -> Iterator[tuple[str, str]]:
        K, C = np.array(self.stiffness), np.array(self.damping)
        for name, matrix in (("stiffness", K), ("damping", C)):
            if not np.all(np.isfinite(matrix)):
                yield "force", f"{name} holds a number that is not finite; allowed are finite numbers; correct it"
                return
        if np.max(np.abs(K - K.T)) > ALLOWED * np.max(np.abs(K)):
            i, j = np.unravel_index(np.argmax(np.abs(K - K.T)), K.shape)
            yield (
                "force",
                f"stiffness is not symmetric: entry ({i}, {j}) is {K[i, j]:g}, ({j}, {i}) is {K[j, i]:g}; "
                "allowed is a symmetric matrix, which has an energy; correct one of them",
            )
        for name, matrix, what in (("stiffness", K, "stiff"), ("damping", C, "damped")):
            least = np.linalg.eigvalsh(0.5 * (matrix + matrix.T))[0]
            if least < -ALLOWED * np.max(np.abs(matrix)):
                yield (
                    "force",
                    f"{name} has the eigenvalue {least:g}: a direction in which it is negatively {what}; allowed are eigenvalues "
                    "from 0 on (of the symmetric part); correct it",
                )


def _matrix(value: NDArray[np.float64] | list[list[float]] | tuple[float, ...], name: str) -> tuple[tuple[float, ...], ...]:
    """Six rows of six floats, from a matrix or its diagonal."""
    needed = "give 6 numbers (a diagonal) or 6 rows of 6"
    items = sequence(value, "Bushing", name, needed)
    if len(items) != 6:
        raise refuse("Bushing", name, value, f"it has {len(items)} entries, {needed}")
    if all(np.ndim(item) == 0 for item in items):
        entries = [number(item, "Bushing", name) for item in items]
        return tuple(tuple(entries[i] if i == j else 0.0 for j in range(6)) for i in range(6))
    rows = [sequence(item, "Bushing", name, needed) for item in items]
    if any(len(row) != 6 for row in rows):
        raise refuse("Bushing", name, value, needed)
    return tuple(tuple(number(x, "Bushing", name) for x in row) for row in rows)
