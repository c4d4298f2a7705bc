"""The least of a convex quadratic function with rows held and every variable between bounds, for a batch: an active-set method.

    min over x   1/2 x.H x + g.x      with   G x = 0,   lower <= x <= upper        (lower <= 0 <= upper)

From x = 0 on: go towards the minimum with the bounds that are held now; the first bound on the way stops, and is held too. In that minimum the bound is let
go whose multiplier z = H x + g - G^T lambda says that the function falls inwards; none is left where x is the answer (Nocedal and Wright 2006, algorithm 16.3).
"""

import numpy as np

RANK = 1e-8  # of the largest singular value of G: rows that only variables at their bounds could hold
ROUNDING = 1e-12  # of the largest slope: multipliers below it have no sign


def bounded_step(H, g, G, lower, upper):
    """(x, held): the minimum (N, n), and which bounds hold it, booleans. H (N, n, n) is positive definite, G (N, m, n). lower = upper = 0: does not move."""
    count, n = g.shape
    x, fixed, busy, eye = np.zeros_like(g), lower == upper, np.arange(count), np.eye(n)
    held = fixed | ((lower >= 0.0) & (g > 0.0)) | ((upper <= 0.0) & (g < 0.0))
    if not G.shape[1] and not fixed.any():  # the usual case: nothing is in the way
        straight = np.linalg.solve(H, -g[..., None])[..., 0]
        inside = ((lower <= straight) & (straight <= upper)).all(axis=-1)
        x[inside], held[inside], busy = straight[inside], False, np.flatnonzero(~inside)
    for turn in range(6 * n + 8):
        if not len(busy):
            break
        Hb, xb, low, high = H[busy], x[busy], lower[busy], upper[busy]
        slope = _times(Hb, xb) + g[busy]
        P, inverse = motions(G[busy], held[busy])
        p = _times(P, np.linalg.solve(P @ Hb @ P + (eye - P), -_times(P, slope)[..., None])[..., 0])
        p = np.where(held[busy], 0.0, p)  # to the last bit
        room = np.where(p > 0.0, high - xb, low - xb)
        part = np.where(held[busy] | (p == 0.0), np.inf, room / np.where(p == 0.0, 1.0, p))
        part = np.maximum(part, 0.0)
        hit, rows = part.argmin(axis=-1), np.arange(len(busy))
        share = np.minimum(part[rows, hit], 1.0) if n else np.ones(len(busy))
        xb = np.clip(xb + share[:, None] * p, low, high)
        stopped = share < 1.0
        xb[rows[stopped], hit[stopped]] = np.where(p > 0.0, high, low)[rows[stopped], hit[stopped]]
        x[busy] = xb
        held[busy[stopped], hit[stopped]] = True
        freeing = ~stopped & (held[busy] & ~fixed[busy]).any(axis=-1)
        if freeing.any():
            slope = _times(Hb, xb) + g[busy]
            z = slope - _times(np.swapaxes(G[busy], -1, -2), _times(np.swapaxes(inverse, -1, -2), slope))
            inwards = np.where(xb <= low, -z, np.where(xb >= high, z, 0.0))
            least = ROUNDING * np.abs(slope).max(axis=-1, initial=0.0, keepdims=True)
            inwards = np.where(held[busy] & ~fixed[busy] & (inwards > least), inwards, 0.0)
            # The steepest first; after many turns the first of them, so that none are let go and held in a circle (Bland).
            freed = inwards.argmax(axis=-1) if turn < 3 * n else (inwards > 0.0).argmax(axis=-1)
            freeing &= inwards.max(axis=-1, initial=0.0) > 0.0
            held[busy[freeing], freed[freeing]] = False
        busy = busy[stopped | freeing]
    return x, held


def motions(G, held):
    """(P, G^+): the projector on what rows allow while some variables are held, and the inverse of the rows for the others, 0 for these."""
    free = ~held
    P = free[:, None, :] * np.eye(held.shape[1])
    if not G.shape[1]:
        return P, np.zeros((len(G), G.shape[2], 0))
    G = G * free[:, None, :]
    inverse = np.linalg.pinv(G, rcond=RANK)
    return P - inverse @ G, inverse


def _times(A, x):
    return (A @ x[..., None])[..., 0]
