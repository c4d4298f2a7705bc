r"""The rows of maximal coordinates (maximal.py) in the equations of the energy-momentum method, compiled: their forces and what they leave open.

    of_z = -h G_m^T mu,      of_u = h G_m^T lambda + h sum mu_k Q_k u_m,      g(z_1),      G(z_1) u_1            G = Q z + b, at the middle: G_m

Only the entries of Q that are not zero are kept.
"""

import numpy as np

from ...data.stepper import for_kernels
from ...kernels import kernel
from ...kernels.records import Record, flag, integer, integers, scalars


class MaximalRows(Record):
    """Independent rows, their entries, and the vectors of one evaluation. Vectors of coordinates carry the ground and a zero behind those of the bodies."""

    rows = integer("how many")
    size = integer("coordinates of all bodies")
    hold = flag("do rows hold velocities, too?")
    first = integers("rows + 1", "first entry of each row")
    i = integers("entries", "row of an entry of Q, among all coordinates")
    j = integers("entries", "its column")
    value = scalars("entries", "its value")
    first_b = integers("rows + 1", "first linear entry of each row")
    at = integers("linear", "coordinate of an entry of b")
    b = scalars("linear", "its value")
    c = scalars("rows", "constants")
    z0 = scalars("whole", "coordinates at the start of the step", by="caller")
    z1 = scalars("whole", "at its end", by="caller")
    u0 = scalars("whole", "rates at the start", by="caller")
    u1 = scalars("whole", "at the end", by="caller")
    multipliers = scalars("rows", "lambda", by="caller")
    mu = scalars("rows", "mu", by="caller")
    of_z = scalars("whole", "what rows add to the equation of z", by="residual_of_rows")
    of_u = scalars("whole", "what rows add to that of u", by="residual_of_rows")
    g = scalars("rows", "g at the end", by="residual_of_rows")
    g_dot = scalars("rows", "G u at the end", by="residual_of_rows")


@kernel(entry="i d -> n")
def residual_of_rows(data: MaximalRows, h) -> None:
    """of_z, of_u, g and g_dot."""
    z0, z1, u0, u1, of_z, of_u = data.z0, data.z1, data.u0, data.u1, data.of_z, data.of_u
    for k in range(data.size):
        of_z[k] = 0.0
        of_u[k] = 0.0
    for k in range(data.rows):
        force, shift = h * data.multipliers[k], h * data.mu[k] if data.hold else 0.0
        g, g_dot = data.c[k], 0.0
        for e in range(data.first[k], data.first[k + 1]):
            i, j, value = data.i[e], data.j[e], data.value[e]
            middle = value * 0.5 * (z0[j] + z1[j])
            of_z[i] -= shift * middle
            of_u[i] += force * middle + shift * value * 0.5 * (u0[j] + u1[j])
            g += 0.5 * z1[i] * value * z1[j]
            g_dot += u1[i] * value * z1[j]
        for e in range(data.first_b[k], data.first_b[k + 1]):
            i, value = data.at[e], data.b[e]
            of_z[i] -= shift * value
            of_u[i] += force * value
            g += value * z1[i]
            g_dot += value * u1[i]
        data.g[k] = g
        data.g_dot[k] = g_dot


def rows_of(maximal, rows, hold):
    """The record of some rows of maximal coordinates."""
    Q, b, places = maximal.Q[rows], maximal.b[rows], maximal.places[rows]
    k, i, j = np.nonzero(Q)
    kb, ib = np.nonzero(b)
    whole = maximal.size + 13  # the ground's twelve numbers, and a zero
    data = MaximalRows.allocate({"rows": len(rows), "entries": len(k), "linear": len(kb), "whole": whole}, 1)
    data.rows, data.size, data.hold = len(rows), maximal.size, hold
    data.first[:] = np.searchsorted(k, np.arange(len(rows) + 1))
    data.first_b[:] = np.searchsorted(kb, np.arange(len(rows) + 1))
    data.i[:], data.j[:], data.value[:] = places[k, i], places[k, j], Q[k, i, j]
    data.at[:], data.b[:], data.c[:] = places[kb, ib], b[kb, ib], maximal.c[rows]
    still = maximal.whole(np.zeros(maximal.size))[maximal.size :]
    data.z0[maximal.size :] = data.z1[maximal.size :] = still
    return data


def evaluate_rows_of(data, h, state, multipliers, mu):
    """(of_z, of_u, g, g_dot) for a state (z_0, u_0, z_1, u_1); views that the next call overwrites."""
    n = data.size
    data.z0[:n], data.u0[:n], data.z1[:n], data.u1[:n] = state
    data.multipliers[:], data.mu[:] = multipliers, mu
    residual_of_rows(for_kernels(data), h)
    return data.of_z[:n], data.of_u[:n], data.g, data.g_dot
