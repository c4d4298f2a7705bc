"""Where the bodies of a figure are: now, and in the last frames that were sent."""

from collections import deque

import numpy as np

import linkwork as lw

from .turns import IDENTITY, conjugate, turned, within_reach

REMEMBERED = 24  # frames that a page may lag behind when it tells where a body was touched


class Poses:
    """P (nb + 1, 3) and Q (nb + 1, 4) in the world, ground last. Arrays are never written to again, so that the past can keep them."""

    def __init__(self):
        self.names: list[str] = []
        self.P, self.Q = _standing(0)
        self.past: deque = deque(maxlen=REMEMBERED)
        self.known = False  # was a pose ever given for these bodies?
        self._order: tuple | None = None
        self._to = self._from = slice(0)

    def rename(self, names):
        """Other bodies; those that were there already stay where they are."""
        before = {name: k for k, name in enumerate(self.names)}
        P, Q = _standing(len(names))
        kept = [(k, before[name]) for k, name in enumerate(names) if name in before]
        for k, old in kept:
            P[k], Q[k] = self.P[old], self.Q[old]
        self.known = self.known and bool(kept)
        self.names, self.P, self.Q, self._order = list(names), P, Q, None
        self.past.clear()
        self._keep()

    def take(self, positions, quaternions, names=None):
        """Poses of bodies, (n, 3) and (n, 4), in the order of names (all bodies, if left out). Names that are not here are passed over; poses
        that are not finite are not taken, and nothing is further away than a page can hold.
        """
        positions, quaternions = np.asarray(positions, dtype=float), np.asarray(quaternions, dtype=float)
        count = len(self.names) if names is None else len(names)
        if positions.shape != (count, 3) or quaternions.shape != (count, 4):
            raise lw.StudioError(
                f"scene: poses of shape {positions.shape} and {quaternions.shape} for {count} bodies; allowed are ({count}, 3) and ({count}, 4); "
                "give a row for every body, and the names of the bodies where their order is another"
            )
        if names is None:
            to = rows = np.arange(count)
        else:
            to, rows = self._mapped(tuple(names))
        p, q = positions[rows], quaternions[rows]
        with np.errstate(over="ignore"):
            size = np.sqrt(np.einsum("ij,ij->i", q, q))
        good = np.isfinite(p).all(axis=1) & np.isfinite(size) & (size > 0.0)
        if not good.all():
            to, p, q, size = to[good], p[good], q[good], size[good]
        P, Q = self.P.copy(), self.Q.copy()
        P[to], Q[to] = within_reach(p), q / size[:, None]
        self.P, self.Q, self.known = P, Q, True
        self._keep()

    def where(self, body, point):
        """A point of a body in the world."""
        return self.P[body] + turned(self.Q[body : body + 1] if body >= 0 else self.Q[-1:], np.asarray(point, dtype=float)[None])[0]

    def within(self, body, point, pose=None):
        """A point of the world in the coordinates of a body; pose: (P, Q) of another moment."""
        P, Q = pose or (self.P, self.Q)
        return turned(conjugate(Q[body])[None], (np.asarray(point, dtype=float) - P[body])[None])[0]

    def _mapped(self, names):
        if names != self._order:
            number = {name: k for k, name in enumerate(self.names)}
            pairs = [(number[name], k) for k, name in enumerate(names) if name in number]
            self._order = names
            self._to, self._from = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return self._to, self._from

    def _keep(self):
        self.past.append((self.P, self.Q))


def _standing(count):
    return np.zeros((count + 1, 3)), np.tile(IDENTITY, (count + 1, 1))
