"""Where parts stand in a pose, what rows of constraints exert there, and what bodies need: the loops of transmission.py, compiled.

All in world axes, wrenches about the middle of the mechanism, the mean of its parts' first points. With a wrench (n, f) given about p in axes R

    f_W = R f,      n_W = R n + (p - middle) x f_W
"""

import numpy as np

from ..kernels import kernel


@kernel(inline=True)
def _in_world(R, at, W, arm):
    """A wrench W in axes R (from `at` on, row-major) about a point at `arm` from the middle, in world axes about the middle."""
    (n0, n1, n2, f0, f1, f2), (x, y, z) = W, arm
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
    """Fill the wrenches of rows on their first and second links, (2, nc, 6). poses: (12 n), R and p of links; one: R of the world."""
    for side in range(2):
        for k in range(links.shape[1]):
            link, at = links[side, k], 6 * side
            W = rows[k, at], rows[k, at + 1], rows[k, at + 2], rows[k, at + 3], rows[k, at + 4], rows[k, at + 5]
            if link >= 0:
                arm = poses[12 * link + 9] - middle[0], poses[12 * link + 10] - middle[1], poses[12 * link + 11] - middle[2]
                W = _in_world(poses, 12 * link, W, arm)
            else:
                arm = origins[side, k, 0] - middle[0], origins[side, k, 1] - middle[1], origins[side, k, 2] - middle[2]
                W = _in_world(one, 0, W, arm)
            for i in range(6):
                out[side, k, i] = W[i]


@kernel(entry="A1 A2 A1 A1 A3 A1 A1 A3 -> n")
def _needs(R, arms, V, A, inertia, gravity, f_ext, out) -> None:
    """Fill what bodies need, I a + v x* I v - I g, and what acts on them, (2, nb, 6).

    arms: (nb, 3), bodies' origins from the middle. V, A, f_ext: (6 nb), in bodies' frames.
    """
    for b in range(out.shape[1]):
        at, v, need, given = 9 * b, 6 * b, out[0, b], out[1, b]
        g0 = R[at] * gravity[0] + R[at + 3] * gravity[1] + R[at + 6] * gravity[2]
        g1 = R[at + 1] * gravity[0] + R[at + 4] * gravity[1] + R[at + 7] * gravity[2]
        g2 = R[at + 2] * gravity[0] + R[at + 5] * gravity[1] + R[at + 8] * gravity[2]
        for i in range(6):  # momentum and its rate, for a moment in the places of the results
            P, G = 0.0, 0.0
            for j in range(6):
                P += inertia[b, i, j] * V[v + j]
                G += inertia[b, i, j] * A[v + j]
            given[i] = P
            need[i] = G - inertia[b, i, 3] * g0 - inertia[b, i, 4] * g1 - inertia[b, i, 5] * g2
        w0, w1, w2, u0, u1, u2 = V[v], V[v + 1], V[v + 2], V[v + 3], V[v + 4], V[v + 5]
        n0, n1, n2, f0, f1, f2 = given[0], given[1], given[2], given[3], given[4], given[5]
        need[0] += w1 * n2 - w2 * n1 + u1 * f2 - u2 * f1
        need[1] += w2 * n0 - w0 * n2 + u2 * f0 - u0 * f2
        need[2] += w0 * n1 - w1 * n0 + u0 * f1 - u1 * f0
        need[3] += w1 * f2 - w2 * f1
        need[4] += w2 * f0 - w0 * f2
        need[5] += w0 * f1 - w1 * f0
        arm = arms[b, 0], arms[b, 1], arms[b, 2]
        W = _in_world(R, at, (need[0], need[1], need[2], need[3], need[4], need[5]), arm)
        F = _in_world(R, at, (f_ext[v], f_ext[v + 1], f_ext[v + 2], f_ext[v + 3], f_ext[v + 4], f_ext[v + 5]), arm)
        for i in range(6):
            need[i], given[i] = W[i], F[i]


_WORLD = np.eye(3).reshape(-1)


def stand(wiring, kinematics):
    """(points (parts, 2, 3), middle (3,)) of all parts."""
    points, middle = np.empty((len(wiring.parts), 2, 3)), np.empty(3)
    _stand(kinematics.rotations.reshape(-1), kinematics.positions.reshape(-1), wiring.at_body, wiring.offsets, points, middle)
    return points, middle


def row_wrenches(wiring, found, middle):
    """The wrenches of all rows, of unit multipliers, on their first and second links, (2, nc, 6). found: the Survey."""
    out = np.empty((2, len(found.rows), 6))
    _row_wrenches(found.poses.reshape(-1), found.rows, wiring.row_links, wiring.row_origins, _WORLD, middle, out)
    return out


def needs(wiring, kinematics, f_ext, middle):
    """(what bodies need, what acts on them), (nb, 6) each. f_ext: (nb, 6), in bodies' frames."""
    out, arms = np.empty((2, *f_ext.shape)), kinematics.positions - middle
    R, V, A = (x.reshape(-1) for x in (kinematics.rotations, kinematics.velocities, kinematics.accelerations))
    _needs(R, arms, V, A, wiring.inertia, wiring.gravity, f_ext.reshape(-1), out)
    return out[0], out[1]
