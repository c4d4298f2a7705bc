"""Where parts stand in a pose, what rows of constraints exert there, and what bodies need: the loops of transmission.py, compiled.

All in world axes, wrenches about the middle of the mechanism, the mean of its parts' first points. With a wrench (n, f) given about p in axes R

    f_W = R f,      n_W = R n + (p - middle) x f_W
"""

import numpy as np

from ..kernels import kernel


@kernel(inline=True)
def _carry(R, at, W, r):
    """A wrench W in axes R (from `at` on, row-major) about a point at r from the middle, in world axes about the middle."""
    (n0, n1, n2, f0, f1, f2), (x, y, z) = W, r
    fx = R[at] * f0 + R[at + 1] * f1 + R[at + 2] * f2
    fy = R[at + 3] * f0 + R[at + 4] * f1 + R[at + 5] * f2
    fz = R[at + 6] * f0 + R[at + 7] * f1 + R[at + 8] * f2
    nx = R[at] * n0 + R[at + 1] * n1 + R[at + 2] * n2 + y * fz - z * fy
    ny = R[at + 3] * n0 + R[at + 4] * n1 + R[at + 5] * n2 + z * fx - x * fz
    nz = R[at + 6] * n0 + R[at + 7] * n1 + R[at + 8] * n2 + x * fy - y * fx
    return nx, ny, nz, fx, fy, fz


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


@kernel(entry="A1 A2 J2 A3 A1 A1 A3 -> n")
def _row_wrenches(poses, rows, links, origins, one, middle, out) -> None:
    """Fill the wrenches of rows (nc, 12) on their first and second links, (2, nc, 6). poses: (12 n), R and p of links; one: R of the world."""
    for side in range(2):
        for k in range(links.shape[1]):
            link, at = links[side, k], 6 * side
            W = rows[k, at], rows[k, at + 1], rows[k, at + 2], rows[k, at + 3], rows[k, at + 4], rows[k, at + 5]
            if link >= 0:
                r = poses[12 * link + 9] - middle[0], poses[12 * link + 10] - middle[1], poses[12 * link + 11] - middle[2]
                W = _carry(poses, 12 * link, W, r)
            else:
                r = origins[side, k, 0] - middle[0], origins[side, k, 1] - middle[1], origins[side, k, 2] - middle[2]
                W = _carry(one, 0, W, r)
            for i in range(6):
                out[side, k, i] = W[i]


# parameters: arrays of Python reach compiled code as arguments of their own
@kernel(entry="A1 A1 A1 A1 A3 A1 A1 A1 A2 A2 -> n")
def _needs(R, p, V, A, inertia, gravity, f_ext, middle, need, given) -> None:
    """Fill what bodies need, I a + v x* I v - I g, and what acts on them, (nb, 6) each. V, A, f_ext: (6 nb), in bodies' frames."""
    for b in range(need.shape[0]):
        at, v = 9 * b, 6 * b
        r = p[3 * b] - middle[0], p[3 * b + 1] - middle[1], p[3 * b + 2] - middle[2]
        g0 = R[at] * gravity[0] + R[at + 3] * gravity[1] + R[at + 6] * gravity[2]
        g1 = R[at + 1] * gravity[0] + R[at + 4] * gravity[1] + R[at + 7] * gravity[2]
        g2 = R[at + 2] * gravity[0] + R[at + 5] * gravity[1] + R[at + 8] * gravity[2]
        for i in range(6):  # momentum and its rate, for a moment in the places of the results
            P, G = 0.0, 0.0
            for j in range(6):
                P += inertia[b, i, j] * V[v + j]
                G += inertia[b, i, j] * A[v + j]
            given[b, i] = P
            need[b, i] = G - inertia[b, i, 3] * g0 - inertia[b, i, 4] * g1 - inertia[b, i, 5] * g2
        w0, w1, w2, u0, u1, u2 = V[v], V[v + 1], V[v + 2], V[v + 3], V[v + 4], V[v + 5]
        n0, n1, n2, f0, f1, f2 = given[b, 0], given[b, 1], given[b, 2], given[b, 3], given[b, 4], given[b, 5]
        need[b, 0] += w1 * n2 - w2 * n1 + u1 * f2 - u2 * f1
        need[b, 1] += w2 * n0 - w0 * n2 + u2 * f0 - u0 * f2
        need[b, 2] += w0 * n1 - w1 * n0 + u0 * f1 - u1 * f0
        need[b, 3] += w1 * f2 - w2 * f1
        need[b, 4] += w2 * f0 - w0 * f2
        need[b, 5] += w0 * f1 - w1 * f0
        W = _carry(R, at, (need[b, 0], need[b, 1], need[b, 2], need[b, 3], need[b, 4], need[b, 5]), r)
        F = _carry(R, at, (f_ext[v], f_ext[v + 1], f_ext[v + 2], f_ext[v + 3], f_ext[v + 4], f_ext[v + 5]), r)
        for i in range(6):
            need[b, i], given[b, i] = W[i], F[i]


_WORLD = np.eye(3).reshape(-1)


def stand(wiring, kinematics):
    """(points (parts, 2, 3), middle (3,)) of all parts."""
    points, middle = np.empty((len(wiring.parts), 2, 3)), np.empty(3)
    _stand(kinematics.rotations.reshape(-1), kinematics.positions.reshape(-1), wiring.at_body, wiring.offsets, points, middle)
    return points, middle


def row_wrenches(wiring, found, middle):
    """The wrenches of all rows, of unit multipliers, on their first and second links, (2, nc, 6). found: the Survey."""
    out = np.empty((2, len(found.phi), 6))
    _row_wrenches(found.poses.reshape(-1), found.wrenches, wiring.row_links, wiring.row_origins, _WORLD, middle, out)
    return out


def needs(wiring, kinematics, f_ext, middle):
    """(what bodies need, what acts on them), (nb, 6) each. f_ext: (nb, 6), in bodies' frames."""
    need, given = np.empty((2, *f_ext.shape))
    flat = (x.reshape(-1) for x in (kinematics.rotations, kinematics.positions, kinematics.velocities, kinematics.accelerations))
    _needs(*flat, wiring.inertia, wiring.gravity, f_ext.reshape(-1), middle, need, given)
    return need, given
