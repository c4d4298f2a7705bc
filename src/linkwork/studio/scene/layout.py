"""Where every piece and tie of a figure is, for given poses of its bodies: arrays for batches, in a few NumPy operations."""

from dataclasses import dataclass

import numpy as np

from .colours import SLACK
from .pieces import GROUND
from .turns import carried, product, quaternions, turned, within_reach


@dataclass(frozen=True, eq=False)
class Rows:
    """The pieces of one batch: mesh, whether a body can be dragged by it, and the rows from `first` to `last` of all."""

    key: tuple  # group, mesh, "moving", "fixed" or "tie"
    first: int
    last: int


class Layout:
    """Pieces sorted by batch: `batches` [Rows]; body, local pose, scale, colour and part of each row; `place` gives poses in the world."""

    def __init__(self, pieces):
        keyed = sorted(((p.group, p.mesh, "fixed" if p.body == GROUND else "moving"), k) for k, p in enumerate(pieces))
        pieces = [pieces[k] for _, k in keyed]
        self.batches = _runs([key for key, _ in keyed])
        self.body = np.array([p.body for p in pieces], dtype=np.intp)
        self.parts = [p.part for p in pieces]
        self.p = within_reach(np.array([p.p for p in pieces], dtype=float).reshape(-1, 3))
        self.q = quaternions([p.R for p in pieces]) if pieces else np.zeros((0, 4))
        self.scale = within_reach(np.array([p.scale for p in pieces], dtype=float).reshape(-1, 3)).astype(np.float32)
        self.color = np.array([p.color for p in pieces], dtype=np.uint8).reshape(-1, 3)

    def place(self, P, Q):
        """Positions (n, 3) and quaternions (n, 4) of all rows; P (nb + 1, 3), Q (nb + 1, 4): poses of bodies, ground last."""
        q = Q[self.body]
        return P[self.body] + turned(q, self.p), product(q, self.q)


class Spans:
    """Ties sorted by batch, as Layout; they remember how they were turned, so that none spins about itself."""

    def __init__(self, ties, down):
        keyed = sorted(((t.group, t.mesh, "tie"), k) for k, t in enumerate(ties))
        ties = [ties[k] for _, k in keyed]
        self.batches = _runs([key for key, _ in keyed])
        self.parts = [t.part for t in ties]
        self.ends = np.array([(t.a, t.b) for t in ties], dtype=np.intp).reshape(-1, 2)
        self.at = within_reach(np.array([t.at for t in ties], dtype=float).reshape(-1, 3))
        self.to = within_reach(np.array([t.to for t in ties], dtype=float).reshape(-1, 3))
        self.radius = within_reach(np.array([t.radius for t in ties], dtype=float))
        self.start = np.array([t.start for t in ties], dtype=float).reshape(-1, 3)
        self.stop = np.array([t.stop for t in ties], dtype=float).reshape(-1, 3)
        self.slack = np.array([np.nan if t.slack is None else t.slack for t in ties], dtype=float)
        self.own_color = np.array([t.color for t in ties], dtype=np.uint8).reshape(-1, 3)
        self.color, self.down = self.own_color, np.asarray(down, dtype=float)
        self.q = np.tile((1.0, 0.0, 0.0, 0.0), (len(ties), 1))

    def place(self, P, Q):
        """Positions, quaternions and scales of all rows; colours (self.color) tell taut strings from slack ones."""
        a, b = self.ends.T
        A, B = P[a] + turned(Q[a], self.at), P[b] + turned(Q[b], self.to)
        line = B - A
        length = np.sqrt(np.einsum("ij,ij->i", line, line))
        low, high = (np.minimum(s[:, 0] * length + s[:, 1], s[:, 2] * length) for s in (self.start, self.stop))
        unit = line / np.maximum(length, 1e-12)[:, None]
        first, last = A + low[:, None] * unit, A + high[:, None] * unit
        loose = self.slack > length
        if loose.any():
            depth = sag(length[loose], self.slack[loose])
            for ends, shares in ((first, self.start), (last, self.stop)):
                s = shares[loose, 0]
                ends[loose] += (4.0 * depth * s * (1.0 - s))[:, None] * self.down
        self.color = np.where(loose[:, None], np.array(SLACK, dtype=np.uint8), self.own_color)
        chord = last - first
        size = np.sqrt(np.einsum("ij,ij->i", chord, chord))
        some = size > 1e-9
        self.q[some] = carried(self.q[some], chord[some] / size[some, None])
        return 0.5 * (first + last), self.q, np.stack([self.radius, self.radius, np.maximum(size, 1e-6)], axis=-1)


def sag(chord, length):
    """How far the middle of a string hangs below its chord c, taken as a parabola of depth d: length^2 = c^2 + 16 d^2 / 3.

    Exact to second order for a shallow one (length = c + 8 d^2 / (3 c)), 13 % too shallow for one that is folded in two.
    """
    return np.sqrt(0.1875 * np.maximum(length**2 - chord**2, 0.0))


def _runs(keys):
    made, first = [], 0
    for k in range(1, len(keys) + 1):
        if k == len(keys) or keys[k] != keys[first]:
            made.append(Rows(keys[first], first, k))
            first = k
    return made
