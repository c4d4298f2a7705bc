"""Dots where bodies touch: one colour for points that stick or roll, one for those that slide."""

import numpy as np

from .batch import Batch
from .meshes import unit as unit_mesh
from .turns import within_reach

STICKS, SLIDES = (20, 130, 120), (235, 140, 20)
SIZE = 0.75  # of the radius of rods


class Dots:
    """Balls at points, all in one node."""

    def __init__(self, api, path):
        self._batch, self.count = Batch(api, path, unit_mesh("ball"), shadow=False), 0

    def show(self, points, sliding, r):
        """points (n, 3) m, sliding (n,): these and no others; r: radius of rods."""
        points = np.asarray(points, dtype=float).reshape(-1, 3)
        good = np.isfinite(points).all(axis=1)
        points = within_reach(points[good])
        self.count = len(points)
        colors = np.where(np.asarray(sliding, dtype=bool)[good][:, None], SLIDES, STICKS).astype(np.uint8)
        turns = np.tile((1.0, 0.0, 0.0, 0.0), (self.count, 1))
        self._batch.fill(points, turns, np.full((self.count, 3), SIZE * r), colors, [""] * self.count)
