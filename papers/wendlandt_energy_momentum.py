"""The energy-momentum method of Gonzalez for a double spherical pendulum, as in Wendlandt 1997, section 2.4.2.

With s = x_n + x_{n+1}, the sum of both ends of a step of h, and rods that act along it,

    m_i (x_{n+1} - x_n) = h (p_n + p_{n+1}) / 2
    p_{n+1} - p_n = -h m_i g e_z - l_1 (s_1, 0) - l_2 (s_1 - s_2, s_2 - s_1)              |x_1| = L_1,  |x_2 - x_1| = L_2  at n + 1

Energy and the angular momentum about z are those of the beginning, at every step. Without p the unknowns are x_{n+1} and l: eight equations, Newton.
"""

import numba
import numpy as np


def energy_momentum(masses, lengths, gravity, x, u, h, steps):
    """Positions and momenta at all nodes, each (steps + 1, 2, 3), from positions x and velocities u, each (2, 3)."""
    X, P = np.empty((steps + 1, 2, 3)), np.empty((steps + 1, 2, 3))
    X[0], P[0] = x, masses[:, None] * u
    if not _steps(masses, lengths, gravity, h, X, P):
        raise ArithmeticError(f"energy-momentum method: a step of {h:g} s has no solution; take a shorter one")
    return X, P


@numba.njit(cache=True)
def _steps(masses, lengths, gravity, h, X, P):
    l = np.zeros(2)
    for n in range(len(X) - 1):
        a, p = X[n], P[n]
        x = a + h * p / masses.reshape(2, 1)
        solved = False
        for _ in range(50):
            r, J = _equations(masses, lengths, gravity, h, a, p, x, l)
            change = np.linalg.solve(J, r)
            x -= change[:6].reshape(2, 3)
            l -= change[6:]
            size = np.abs(change[:6]).max()
            if size < 1e-10:  # the next correction would be its square
                solved = True
                break
        if not solved:
            return False
        X[n + 1] = x
        P[n + 1] = 2.0 / h * masses.reshape(2, 1) * (x - a) - p
    return True


@numba.njit(cache=True)
def _equations(masses, lengths, gravity, h, a, p, x, l):
    """Residuals and their Jacobian by (x_1, x_2, l_1, l_2), with p_{n+1} = 2 m (x - a) / h - p."""
    s, d, r, J = a + x, x[1] - x[0], np.zeros(8), np.zeros((8, 8))
    for i in range(3):
        k = h / 2.0  # forces are scaled to lengths, by h / 2 m
        r[i] = x[0, i] - a[0, i] - h * p[0, i] / masses[0] + k / masses[0] * (l[0] * s[0, i] + l[1] * (s[0, i] - s[1, i]))
        r[3 + i] = x[1, i] - a[1, i] - h * p[1, i] / masses[1] + k / masses[1] * l[1] * (s[1, i] - s[0, i])
        J[i, i] = 1.0 + k / masses[0] * (l[0] + l[1])
        J[i, 3 + i] = -k / masses[0] * l[1]
        J[3 + i, 3 + i] = 1.0 + k / masses[1] * l[1]
        J[3 + i, i] = -k / masses[1] * l[1]
        J[i, 6] = k / masses[0] * s[0, i]
        J[i, 7] = k / masses[0] * (s[0, i] - s[1, i])
        J[3 + i, 7] = k / masses[1] * (s[1, i] - s[0, i])
        J[6, i] = x[0, i]
        J[7, i] = -d[i]
        J[7, 3 + i] = d[i]
    r[2] += 0.5 * h * h * gravity
    r[5] += 0.5 * h * h * gravity
    r[6] = 0.5 * (np.dot(x[0], x[0]) - lengths[0] ** 2)
    r[7] = 0.5 * (np.dot(d, d) - lengths[1] ** 2)
    return r, J
