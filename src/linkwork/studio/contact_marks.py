"""What is seen of contact while time runs: a dot at each point that presses, and arrows of the forces, of each pair of shapes and, where faces meet, of each
point: that of the pair is inside then.
"""

import numpy as np

from .scene import Arrow
from .scene.arrows import value_text

FACE = 3  # points, from which on a pair meets with faces
MOST_POINTS = 60  # with arrows of their own
MOST_VALUES = 6  # pairs: values of more would hide each other
HARDEST = 3.0  # weights of all that moves: a longer arrow, as of an impact, would make all others too short to be seen
FADES = 0.1  # s of motion in which a force that is drawn follows the one that acts: that of a single step flickers


class ContactMarks:
    """Dots and arrows of contact, pushed with every frame. shown: are they wanted?"""

    def __init__(self, studio):
        self.studio, self._shown, self._drawn = studio, True, (None, 0.0)
        self._smooth: dict = {}
        self._empty = True

    @property
    def shown(self):
        return self._shown

    @shown.setter
    def shown(self, on):
        self._shown, self._drawn = bool(on), (None, 0.0)

    def frame(self, live):
        """In the physics thread, after every frame."""
        showing = self.studio.showing
        if not self._shown or showing.glimpse is not None or not live.model.touches:
            self._clear()
            return
        now = live.simulation, live.time
        if now == self._drawn:
            return
        passed = live.time - self._drawn[1] if self._drawn[0] is live.simulation else np.inf
        self._drawn = now
        found = live.touching()
        self._empty = not len(found.pairs)
        self.studio.scene.contacts(found.points, found.sliding)
        showing.arrows("contact", self._arrows(live, found, passed))

    def _clear(self):
        if not self._empty or self._smooth:
            self._empty, self._smooth, self._drawn = True, {}, (None, 0.0)
            self.studio.scene.contacts(np.zeros((0, 3)), np.zeros(0, dtype=bool))
            self.studio.showing.arrows("contact", {})

    def _arrows(self, live, found, passed):
        """{pair: Arrow} of what the second of a pair is given by the first."""
        share = 1.0 - np.exp(-passed / FADES) if 0.0 <= passed < 1.0 else 1.0
        limit, smooth, arrows, shares = self._limit(live), {}, {}, {}
        for pair, (at, force) in pair_forces(found).items():
            drawn = self._smooth.get(pair, force)
            smooth[pair] = drawn + share * (force - drawn)
            size = float(np.linalg.norm(smooth[pair]))
            vector = smooth[pair] * (min(1.0, limit / size) if size > 0.0 else 0.0)
            arrows[" - ".join(pair)] = Arrow(at, vector, kind="contact", text=value_text(size, "N"))
            raw = float(np.linalg.norm(force))
            shares[pair] = float(np.linalg.norm(vector)) / raw if raw > 0.0 else 0.0
        self._smooth = smooth
        if len(arrows) > MOST_VALUES:
            arrows = {name: Arrow(arrow.at, arrow.vector, kind="contact", text="") for name, arrow in arrows.items()}
        return arrows | _of_points(found, shares)

    def _limit(self, live):
        weight = float(np.linalg.norm(live.model.gravity)) * sum(float(body.inertia.mass) for body in live.model.bodies)
        return HARDEST * weight if weight > 0.0 else np.inf


def _of_points(found, shares):
    """{(pair, number): Arrow} of the points of faces. shares: {pair: drawn length of its force, of the true one}."""
    counts = {pair: found.pairs.count(pair) for pair in shares}
    chosen = [k for k, pair in enumerate(found.pairs) if counts.get(pair, 0) >= FACE]
    if len(chosen) > MOST_POINTS:
        return {}
    return {(found.pairs[k], k): Arrow(found.points[k], shares[found.pairs[k]] * found.forces[k], kind="contact", text="") for k in chosen}


def pair_forces(found):
    """{pair of shapes: (where it acts, force on the second)}: the sum over its points, at their middle weighed with the forces."""
    sums: dict = {}
    for pair, point, force in zip(found.pairs, found.points, found.forces, strict=True):
        weight = float(np.linalg.norm(force))
        at, total, weights = sums.get(pair, (np.zeros(3), np.zeros(3), 0.0))
        sums[pair] = at + weight * point, total + force, weights + weight
    return {pair: (at / weights, total) for pair, (at, total, weights) in sums.items() if weights > 0.0}
