"""Where parts stand in a pose, what rows of constraints exert there, and the wrenches that parts carry: the sweep of transmission.py, compiled.

All in world axes, wrenches about the middle of the mechanism, the mean of its parts' first points. With a wrench (n, f) given about p in axes R

    f_W = R f,      n_W = R n + (p - middle) x f_W
"""

import numpy as np

from ..kernels import kernel
from ..kernels.records import pointer_to
from ..spatial.matrices import apply9_transposed
from ..spatial.motion import cross_force, force_to_parent
from ..spatial.vectors import add6, dot6, get3, get6, scale6, sub3, sub6
from .wiring import WiringTables

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel(entry="i A3 A2 A3 A1 -> n", holds_gil=True)
def _stand(wiring, R, p, points, middle) -> None:
    """Fill the points (parts, 2, 3) and the middle (3). R: (nb, 3, 3), p: (nb, 3)."""
    wiring = pointer_to(WiringTables, wiring, 0.0)
    for i in range(3):
        middle[i] = 0.0
    for k in range(wiring.parts):
        for side in range(2):
            body = wiring.at_body[2 * k + side]
            x, y, z = get3(wiring.offsets, 6 * k + 3 * side)
            if body >= 0:
                for i in range(3):
                    points[k, side, i] = p[body, i] + R[body, i, 0] * x + R[body, i, 1] * y + R[body, i, 2] * z
            else:
                points[k, side, 0], points[k, side, 1], points[k, side, 2] = x, y, z
        for i in range(3):
            middle[i] += points[k, 0, i] / wiring.parts


@kernel(entry="i A2 A2 A1 A3 -> n", holds_gil=True)
def _row_wrenches(wiring, poses, rows, middle, out) -> None:
    """Fill the wrenches of rows on their first and second links, (2, nc, 6). poses: (n, 12), R and p of links; rows: (nc, 12)."""
    wiring = pointer_to(WiringTables, wiring, 0.0)
    for side in range(2):
        for k in range(wiring.nc):
            link, W = wiring.row_links[side * wiring.nc + k], _six(rows, k, 6 * side)
            if link >= 0:
                R, p = _nine(poses, link), _three(poses, link, 9)
            else:
                R, p = IDENTITY, get3(wiring.row_origins, 3 * (side * wiring.nc + k))
            W = force_to_parent((R, sub3(p, get3(middle, 0))), W)
            for i in range(6):
                out[side, k, i] = W[i]


# parameters: every array of Python reaches compiled code as an argument of its own
@kernel(entry="i A3 A2 A2 A2 A2 A1 A3 A1 A3 -> n", holds_gil=True)
def _transmit(wiring, R, p, V, A, f_ext, middle, row_wrenches, multipliers, out) -> None:
    """Fill the wrenches of parts (2, parts, 6): on tree children and first places, then on second places.

    R, p: of bodies. V, A, f_ext: (nb, 6), in bodies' frames. row_wrenches: (2, nc, 6), of unit multipliers.
    """
    wiring = pointer_to(WiringTables, wiring, 0.0)
    inertials, loads, parts, nb = wiring.inertial, wiring.loaded, wiring.parts, wiring.nb
    for side in range(2):
        for part in range(parts):
            for i in range(6):
                out[side, part, i] = 0.0
    for b in range(nb):
        X = _rotation(R, b), sub3(_three(p, b, 0), get3(middle, 0))
        v, g = _six(V, b, 0), apply9_transposed(X[0], wiring.gravity)
        a = sub6(_six(A, b, 0), (0.0, 0.0, 0.0, g[0], g[1], g[2]))
        need = force_to_parent(X, add6(_times(wiring.inertia, b, a), cross_force(v, _times(wiring.inertia, b, v))))
        given = force_to_parent(X, _six(f_ext, b, 0))
        for part in range(parts):
            inertial, loaded = inertials[part * nb + b], loads[part * nb + b]
            if inertial != 0.0 or loaded != 0.0:
                for i in range(6):
                    out[0, part, i] += inertial * need[i] - loaded * given[i]
    add_rows(wiring, row_wrenches, multipliers, 1.0, out)


@kernel(inline=True)
def add_rows(wiring, row_wrenches, multipliers, sign, out):
    """Add what rows exert, times a sign, to the wrenches of all parts."""
    through, parts, nc = wiring.through, wiring.parts, wiring.nc
    for part in range(parts):
        for row in range(nc):
            to_a, to_b, to_second = on_part(through, part * nc + row, parts * nc)
            if to_a != 0.0 or to_b != 0.0:
                W = add6(scale6(to_a, wrench(row_wrenches, 0, row)), scale6(to_b, wrench(row_wrenches, 1, row)))
                for i in range(6):
                    out[0, part, i] += sign * multipliers[row] * W[i]
            if to_second != 0.0:
                W = wrench(row_wrenches, 1, row)
                for i in range(6):
                    out[1, part, i] += sign * multipliers[row] * to_second * W[i]


@kernel(inline=True)
def on_part(through, at, layer):
    """What of a row's wrenches a part passes on: of that on the first link, of that on the second; of the second on its second place.

    at: part * nc + row. layer: parts * nc.
    """
    return through[at], through[layer + at], through[2 * layer + at]


@kernel(inline=True)
def wrench(W, a, b):
    return W[a, b, 0], W[a, b, 1], W[a, b, 2], W[a, b, 3], W[a, b, 4], W[a, b, 5]


@kernel(inline=True)
def _three(A, i, j):
    return A[i, j], A[i, j + 1], A[i, j + 2]


@kernel(inline=True)
def _six(A, i, j):
    return A[i, j], A[i, j + 1], A[i, j + 2], A[i, j + 3], A[i, j + 4], A[i, j + 5]


@kernel(inline=True)
def _nine(A, i):
    return A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5], A[i, 6], A[i, 7], A[i, 8]


@kernel(inline=True)
def _rotation(R, b):
    return R[b, 0, 0], R[b, 0, 1], R[b, 0, 2], R[b, 1, 0], R[b, 1, 1], R[b, 1, 2], R[b, 2, 0], R[b, 2, 1], R[b, 2, 2]


@kernel(inline=True)
def _times(I, b, v):
    """The inertia (6, 6) of body b times a motion."""
    at = 36 * b
    return (
        dot6(get6(I, at), v),
        dot6(get6(I, at + 6), v),
        dot6(get6(I, at + 12), v),
        dot6(get6(I, at + 18), v),
        dot6(get6(I, at + 24), v),
        dot6(get6(I, at + 30), v),
    )


def stand(wiring, kinematics):
    """(points (parts, 2, 3), middle (3,)) of all parts."""
    points, middle = np.empty((len(wiring.parts), 2, 3)), np.empty(3)
    _stand(wiring.address, kinematics.rotations, kinematics.positions, points, middle)
    return points, middle


def row_wrenches(wiring, arrays, middle):
    """The wrenches of all rows, of unit multipliers, on their first and second links, (2, nc, 6). arrays: the RowArrays."""
    out = np.empty((2, len(arrays.phi), 6))
    _row_wrenches(wiring.address, arrays.poses, arrays.wrenches, middle, out)
    return out


def transmit(wiring, k, f_ext, middle, row_wrenches, multipliers):
    """The wrenches of all parts, (2, parts, 6), under accelerations of the Kinematics k, loads f_ext (nb, 6) in bodies' frames, and multipliers."""
    out = np.empty((2, len(wiring.parts), 6))
    _transmit(wiring.address, k.rotations, k.positions, k.velocities, k.accelerations, f_ext, middle, row_wrenches, multipliers, out)
    return out
