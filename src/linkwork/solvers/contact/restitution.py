r"""Newton's law of restitution with a guard of the energy.

With friction, Newton's law w_n = -e u_n can add kinetic energy (Kane's paradox; Glocker 2013). Impulses l0 without restitution never do. Both l0 and l1, those
with it, are in the cones, and leave no contact approaching; so do all l(s) = l0 + s (l1 - l0). The change of the kinetic energy is convex in s,

    dT(s) = l.u + l.G l / 2 = T0 + s T1 + s^2 T2,      d = l1 - l0,  T0 = dT(l0) <= 0,  T1 = d.(u + G l0),  T2 = d.G d / 2 >= 0

so s = 1 if dT(l1) <= 0, else the positive root of dT(s) = 0. u: the velocities before the impact, without forces of the step.
"""

import math

from ...data.contact_problem import ImpactEnergy
from ...kernels import kernel

ROUNDING = 1e-14  # of the energy exchanged: what sums of it may miss


@kernel(entry="i -> d")
def guard_energy(impact: ImpactEnergy) -> float:
    """The largest s up to 1 with which no energy is added, and l(s). Returns s."""
    n, G, u, l0, l1, l, Gl0, Gd = impact.n, impact.G, impact.u, impact.l0, impact.l1, impact.l, impact.Gl0, impact.Gd
    for i in range(n):
        Gl0[i] = Gd[i] = 0.0
    for j in range(n):
        value, change, row = l0[j], l1[j] - l0[j], n * j
        if value != 0.0 or change != 0.0:
            for i in range(n):
                Gl0[i] += G[row + i] * value
                Gd[i] += G[row + i] * change
    T0, T1, T2, size = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        d, half = l1[i] - l0[i], 0.5 * Gl0[i]
        T0 += l0[i] * (u[i] + half)
        T1 += d * (u[i] + Gl0[i])
        T2 += 0.5 * d * Gd[i]
        size += abs(l0[i]) * (abs(u[i]) + abs(half)) + abs(d) * (abs(u[i]) + abs(Gl0[i]) + abs(Gd[i]))
    s, gained = 1.0, T0 + T1 + T2
    if gained > ROUNDING * size:
        s = _root(min(T0, 0.0), T1, T2)
    for i in range(n):
        l[i] = l1[i] if s == 1.0 else l0[i] + s * (l1[i] - l0[i])
    impact.share, impact.gained, impact.energy = s, max(gained, 0.0), T0 + s * (T1 + s * T2)
    return s


@kernel(inline=True)
def _root(T0, T1, T2):
    """The positive root of T0 + s T1 + s^2 T2, T0 <= 0 <= T2, without cancellation."""
    root = math.sqrt(T1 * T1 - 4.0 * T0 * T2)
    if T1 > 0.0:
        s = -2.0 * T0 / (T1 + root)
    else:
        s = (root - T1) / (2.0 * T2) if T2 > 0.0 else 0.0
    return min(max(s, 0.0), 1.0)
