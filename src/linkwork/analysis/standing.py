"""Where parts stand in a pose, what rows of constraints exert there, and what bodies need: the loops of transmission.py, compiled.

All in world axes, wrenches about the middle of the mechanism, the mean of its parts' first points. With a wrench (n, f) given about p in axes R

    f_W = R f,      n_W = R n + (p - middle) x f_W
"""

import numpy as np

from ..kernels import kernel
from ..spatial.matrices import apply9_transposed
from ..spatial.motion import cross_force, force_to_parent
from ..spatial.vectors import add6, dot6, get3, get6, sub3, sub6

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel(entry="A1 A1 J2 A3 A3 A1 -> n")
def _stand(R, p, at_body, offsets, points, middle) -> None:
    """Fill the points (parts, 2, 3) and the middle (3). R: (9 nb), p: (3 nb); at_body: (parts, 2), -1 for ground."""
    parts = at_body.shape[0]
    for i in range(3):
        middle[i] = 0.0
    for k in range(parts):
        for side in range(2):
            body = at_body[k, side]
            for i in range(3):
                value = offsets[k, side, i]
                if body >= 0:
                    at = 9 * body + 3 * i
                    x, y, z = offsets[k, side, 0], offsets[k, side, 1], offsets[k, side, 2]
                    value = p[3 * body + i] + R[at] * x + R[at + 1] * y + R[at + 2] * z
                points[k, side, i] = value
        for i in range(3):
            middle[i] += points[k, 0, i] / parts


@kernel(entry="A1 A2 J2 A3 A1 A3 -> n")
def _row_wrenches(poses, rows, links, origins, middle, out) -> None:
    """Fill the wrenches of rows on their first and second links, (2, nc, 6). poses: (12 n), R and p of links; origins: where the link is ground."""
    for side in range(2):
        for k in range(links.shape[1]):
            link, at = links[side, k], 6 * side
            W = rows[k, at], rows[k, at + 1], rows[k, at + 2], rows[k, at + 3], rows[k, at + 4], rows[k, at + 5]
            if link >= 0:
                R, p = _nine(poses, 12 * link), get3(poses, 12 * link + 9)
            else:
                R, p = IDENTITY, (origins[side, k, 0], origins[side, k, 1], origins[side, k, 2])
            W = force_to_parent((R, sub3(p, get3(middle, 0))), W)
            for i in range(6):
                out[side, k, i] = W[i]


@kernel(entry="A1 A2 A1 A1 A3 A1 A1 A3 -> n")
def _needs(R, arms, V, A, inertia, gravity, f_ext, out) -> None:
    """Fill what bodies need, I (a - g) + v x* I v, and what acts on them, (2, nb, 6).

    arms: (nb, 3), bodies' origins from the middle. V, A, f_ext: (6 nb), in bodies' frames.
    """
    for b in range(arms.shape[0]):
        X = _nine(R, 9 * b), (arms[b, 0], arms[b, 1], arms[b, 2])
        v, g = get6(V, 6 * b), apply9_transposed(X[0], get3(gravity, 0))
        a = sub6(get6(A, 6 * b), (0.0, 0.0, 0.0, g[0], g[1], g[2]))
        need = force_to_parent(X, add6(_times(inertia, b, a), cross_force(v, _times(inertia, b, v))))
        given = force_to_parent(X, get6(f_ext, 6 * b))
        for i in range(6):
            out[0, b, i], out[1, b, i] = need[i], given[i]


@kernel(inline=True)
def _nine(array, i):
    return (*get3(array, i), *get3(array, i + 3), *get3(array, i + 6))


@kernel(inline=True)
def _times(I, b, v):
    """The inertia (6, 6) of body b times a motion."""
    return _row(I, b, 0, v), _row(I, b, 1, v), _row(I, b, 2, v), _row(I, b, 3, v), _row(I, b, 4, v), _row(I, b, 5, v)


@kernel(inline=True)
def _row(I, b, i, v):
    return dot6((I[b, i, 0], I[b, i, 1], I[b, i, 2], I[b, i, 3], I[b, i, 4], I[b, i, 5]), v)


def stand(wiring, kinematics):
    """(points (parts, 2, 3), middle (3,)) of all parts."""
    points, middle = np.empty((len(wiring.parts), 2, 3)), np.empty(3)
    _stand(kinematics.rotations.reshape(-1), kinematics.positions.reshape(-1), wiring.at_body, wiring.offsets, points, middle)
    return points, middle


def row_wrenches(wiring, found, middle):
    """The wrenches of all rows, of unit multipliers, on their first and second links, (2, nc, 6). found: the Survey."""
    out = np.empty((2, len(found.phi), 6))
    _row_wrenches(found.poses.reshape(-1), found.wrenches, wiring.row_links, wiring.row_origins, middle, out)
    return out


def needs(wiring, kinematics, f_ext, middle):
    """(what bodies need, what acts on them), (nb, 6) each. f_ext: (nb, 6), in bodies' frames."""
    out, arms = np.empty((2, *f_ext.shape)), kinematics.positions - middle
    R, V, A = (x.reshape(-1) for x in (kinematics.rotations, kinematics.velocities, kinematics.accelerations))
    _needs(R, arms, V, A, wiring.inertia, wiring.gravity, f_ext.reshape(-1), out)
    return out[0], out[1]
