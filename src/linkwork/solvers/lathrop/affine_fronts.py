r"""Fronts: what a part of a tree passes to its parent, as affine functions of a few unknowns.

symbol        meaning
x             the front's own unknowns (Lathrop's Omega): about six of them
lambda        multipliers that are *open*: they act in other fronts too. A row of constraints has one label; all fronts know it by that
z             (1, x, lambda), so that all quantities of a front are a matrix times z
a, f          acceleration of the link, and the force that it needs from its parent: six rows of the stack each
sums          a row of the stack for each open label: the part of phi_ddot that this front contributes
pending       rows that must vanish, and hold open multipliers only: nothing here could make them vanish

A front is never changed by an elimination; a new one takes its place, which knows the old unknowns: x_old = T z_new. Read backwards, the list
of all fronts solves the system. Elimination is by pivots (Gauss), or by singular values where the rank is in doubt:

    E_x x + E_0 + E_l lambda = 0,   E_x = U s V^T         x = -V_1 s^-1 U_1^T (E_0 + E_l lambda) + V_2 x_new
                                                          0 = U_2^T (E_0 + E_l lambda)             pending, or redundant if lambda drops out
"""

import numpy as np

TOLERANCE = 1e-10  # of singular values; rows and unknowns are in natural units, so that 1 is their size
NO_PIVOT = 1e-12  # of a force at a joint, relative to the forces on the link


class Front:
    """A stack of rows times z = (1, x, lambda of `labels`). `met`: how many of its places each group of rows has met here so far."""

    def __init__(self, n, labels, stack, met, before=(), told=()):
        self.n, self.labels, self.stack, self.met = n, list(labels), stack, dict(met)
        self.before, self.told = before, told
        self.x = None

    @property
    def a(self):
        return self.stack[:6]

    @property
    def f(self):
        return self.stack[6:12]

    @property
    def sums(self):
        return self.stack[12 : 12 + len(self.labels)]

    @property
    def pending(self):
        return self.stack[12 + len(self.labels) :]

    @property
    def own(self):
        """The columns of x."""
        return slice(1, 1 + self.n)

    def column(self, label):
        return 1 + self.n + self.labels.index(label)

    def open(self, labels):
        """Add columns and sums for labels that are not open yet."""
        new = [label for label in labels if label not in self.labels]
        rows, columns = self.stack.shape
        stack = np.zeros((rows + len(new), columns + len(new)))
        at = 12 + len(self.labels)
        stack[:at, :columns], stack[at + len(new) :, :columns] = self.stack[:at], self.stack[at:]
        self.stack, self.labels = stack, self.labels + new


class Ledger:
    """All fronts in the order in which they arose, the equations without content, and the work: (what, rows, columns)."""

    def __init__(self):
        self.fronts, self.dropped, self.work = [], 0, []

    def new(self, *arguments, **more):
        self.fronts.append(Front(*arguments, **more))
        return self.fronts[-1]

    def svd(self, what, matrix):
        self.work.append((what, *matrix.shape))
        if min(matrix.shape) == 0:
            return np.eye(matrix.shape[0]), np.zeros(0), np.eye(matrix.shape[1])
        U, s, Vt = np.linalg.svd(matrix)
        return U, s, Vt.T


def tip(ledger):
    """A free end: its acceleration is unknown, and nothing pulls at it."""
    stack = np.zeros((12, 7))
    stack[:6, 1:] = np.eye(6)
    return ledger.new(6, (), stack, {})


def substitute(ledger, front, T, n, stack=None, told=()):
    """A front with n unknowns in place of `front`: x_old = T z. `stack`: with further columns behind those of x_old; T has rows for them too."""
    stack = front.stack if stack is None else stack
    o = len(front.labels)
    G = np.zeros((1 + len(T) + o, T.shape[1]))
    G[0, 0] = 1.0
    G[1 : 1 + len(T)] = T
    G[1 + len(T) :, 1 + n :] = np.eye(o)
    return ledger.new(n, front.labels, stack @ G, front.met, [(front, T[: front.n])], told)


def impose(ledger, what, front, E):
    """Make E z = 0 by choice of x, as far as it is in the power of x; see the top of the file."""
    n = front.n
    U, s, V = ledger.svd(what, E[:, front.own])
    r = int(np.sum(s > TOLERANCE))
    others = np.delete(E, np.s_[1 : 1 + n], axis=1)
    particular = -(V[:, :r] / s[:r]) @ (U[:, :r].T @ others)
    T = np.concatenate([particular[:, :1], V[:, r:], particular[:, 1:]], axis=1)
    new = substitute(ledger, front, T, n - r)
    return left_over(ledger, new, U[:, r:].T @ others)


def left_over(ledger, front, rows):
    """Rows times (1, lambda). Equations between open multipliers alone become pending; those in which no multiplier is left are redundant, or contradict."""
    if len(rows) == 0:
        return front
    W, s, _ = ledger.svd("left over", rows[:, 1:])
    r = int(np.sum(s > TOLERANCE))
    kept = np.zeros((r, front.stack.shape[1]))
    kept[:, [0, *range(1 + front.n, front.stack.shape[1])]] = W[:, :r].T @ rows
    front.stack = np.concatenate([front.stack, kept])
    ledger.dropped += len(rows) - r
    return front


def refresh(ledger, front, force=1.0):
    """Unknowns with orthonormal columns in place of those there are, all other columns orthogonal to them. `force`: what forces count by.

    This keeps chains of any length well conditioned, as it does in the solution of boundary value problems (Godunov 1961; Conte 1966). What
    nothing depends on any more is left out, so is zero: the inner stresses of redundant loops.
    """
    stack = front.stack.copy()
    stack[6:12] /= force or 1.0
    U, s, V = ledger.svd("refresh", stack[:, front.own])
    r = int(np.sum(s > TOLERANCE * max(1.0, s.max(initial=0.0))))
    basis = V[:, :r] / s[:r]
    shift = -basis @ (U[:, :r].T @ np.delete(stack, np.s_[1 : 1 + front.n], axis=1))
    return substitute(ledger, front, np.concatenate([shift[:, :1], basis, shift[:, 1:]], axis=1), r)


def eliminate(ledger, front, E, extra):
    """Solve E z = 0 by pivots among the front's own unknowns and `extra` ones behind them. Returns (T, n, rows (1, lambda) without pivot).

    The largest coefficient is the pivot, so that no unknown is expressed by others with a factor above 1.
    """
    own = front.n + extra
    ledger.work.append(("pivots", len(E), own))
    least = NO_PIVOT * np.abs(front.f[:, 1:]).max(initial=0.0)
    E, pivots = E.copy(), {}
    for _ in range(len(E)):
        rest = [k for k in range(len(E)) if k not in pivots]
        sizes = np.abs(E[rest, 1 : 1 + own])
        k, j = np.unravel_index(np.argmax(sizes), sizes.shape) if sizes.size else (0, 0)
        if sizes.size == 0 or sizes[k, j] <= least:
            break
        k, j = rest[k], int(j)
        E[k] /= E[k, 1 + j]
        for other in range(len(E)):
            if other != k:
                E[other] -= E[other, 1 + j] * E[k]
        pivots[k] = j
    free = [j for j in range(own) if j not in pivots.values()]
    columns = [0, *(1 + j for j in free), *range(1 + own, E.shape[1])]
    T = np.zeros((own, len(columns)))
    T[free, 1 + np.arange(len(free))] = 1.0
    for k, j in pivots.items():
        T[j] = -E[k, columns]
    unsolved = [k for k in range(len(E)) if k not in pivots]
    return T, len(free), np.delete(E[unsolved], np.s_[1 : 1 + own], axis=1)


def close(ledger, front, groups, complete):
    """Multipliers that act nowhere else become own unknowns, and their rows are imposed together with all that is pending."""
    done = [g for g in front.met if front.met[g] == complete[g]]
    if not done:
        return front
    closing = [label for g in done for label in range(groups[g].rows.start, groups[g].rows.stop)]
    staying = [label for label in front.labels if label not in closing]
    columns = [0, *range(1, 1 + front.n), *(front.column(label) for label in closing), *(front.column(label) for label in staying)]
    sums = [12 + front.labels.index(label) for label in staying]
    n = front.n + len(closing)
    T = np.eye(1 + n + len(staying))[1 : 1 + n]
    met = {g: count for g, count in front.met.items() if g not in done}
    stack = front.stack[[*range(12), *sums]][:, columns]
    E = np.concatenate([front.sums[[front.labels.index(label) for label in closing]], front.pending])[:, columns]
    new = ledger.new(n, staying, stack, met, [(front, T[: front.n])], [("multipliers", closing, T[front.n :])])
    return impose(ledger, "close", new, E)


def side_by_side(ledger, first, second):
    """Two fronts as one: forces and sums are added, the acceleration is that of the first. That the second's is equal is a separate equation."""
    labels = first.labels + [label for label in second.labels if label not in first.labels]
    n, o = first.n + second.n, len(labels)
    parts, before = [], []
    for front, start in ((first, 1), (second, 1 + first.n)):
        P = np.zeros((front.stack.shape[1], 1 + n + o))
        P[0, 0] = 1.0
        P[1 + np.arange(front.n), start + np.arange(front.n)] = 1.0
        for k, label in enumerate(front.labels):
            P[1 + front.n + k, 1 + n + labels.index(label)] = 1.0
        parts.append(front.stack @ P)
        before.append((front, P[1 : 1 + front.n]))
    stack = np.zeros((12 + o, 1 + n + o))
    stack[:6] = parts[0][:6]
    for front, part in zip((first, second), parts, strict=True):
        stack[6:12] += part[6:12]
        for k, label in enumerate(front.labels):
            stack[12 + labels.index(label)] += part[12 + k]
    pending = [part[12 + len(front.labels) :] for front, part in zip((first, second), parts, strict=True)]
    met = {g: first.met.get(g, 0) + second.met.get(g, 0) for g in {**first.met, **second.met}}
    return ledger.new(n, labels, np.concatenate([stack, *pending]), met, before), parts[0][:6] - parts[1][:6]


def substitute_back(ledger, results):
    """From the last front to the first: the values of all unknowns. `results`: arrays by name, filled with the results of the fronts."""
    multipliers = results["multipliers"]
    for front in reversed(ledger.fronts):
        x = np.zeros(front.n) if front.x is None else front.x
        z = np.concatenate([[1.0], x, multipliers[front.labels]])
        for name, where, T in front.told:
            results[name][where] = T @ z[: T.shape[1]]
        for old, T in front.before:
            old.x = T @ z[: T.shape[1]]
