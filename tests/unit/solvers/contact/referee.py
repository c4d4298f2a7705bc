"""Another route to the same solutions, for tests: projections onto the cone in de Saxce's form, contact by contact, with NumPy.

    l <- P_K(l - r (w + mu |wt| n)),      r = 1 / largest eigenvalue of the contact's block of G

No statuses, no Newton; it converges slowly, and not always.
"""

import numpy as np


def onto_cone(l, mu):
    """The nearest point of |lt| <= mu ln."""
    n, t = l[0], np.linalg.norm(l[1:])
    if t <= mu * n:
        return l
    if mu * t <= -n:
        return np.zeros(3)
    along = (mu * t + n) / (1.0 + mu * mu)
    return np.r_[along, mu * along * l[1:] / t]


def projected(G, g, mu, rounds=20000, tolerance=1e-14):
    """w after so many rounds at most, and the last change of an impulse, as a velocity."""
    m = len(mu)
    l, w = np.zeros(3 * m), np.array(g, dtype=float)
    r = [1.0 / np.linalg.eigvalsh(G[3 * c : 3 * c + 3, 3 * c : 3 * c + 3])[-1] for c in range(m)]
    change = np.inf
    for _ in range(rounds):
        change = 0.0
        for c in range(m):
            at = slice(3 * c, 3 * c + 3)
            u = w[at].copy()
            u[0] += mu[c] * np.hypot(u[1], u[2])
            d = onto_cone(l[at] - r[c] * u, mu[c]) - l[at]
            l[at] += d
            w += G[:, at] @ d
            change = max(change, np.abs(d).max() / r[c])
        if change < tolerance * np.abs(g).max():
            break
    return G @ l + g, change
