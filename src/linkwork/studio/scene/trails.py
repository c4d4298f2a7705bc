"""Trails: paths that points of bodies have drawn."""

import time

import numpy as np

import linkwork as lw

EVERY = 1.0 / 20.0  # s between two sendings


class Trails:
    """Paths of chosen points: each the last `length` positions, fading with age; all in one node."""

    def __init__(self, api, path, paper):
        self._api, self._path, self._paper = api, path, np.array(paper, dtype=float)
        self._points: dict[str, tuple] = {}
        self._past: dict[str, np.ndarray] = {}
        self._handle, self._sent = None, 0.0
        self.length = 400

    @property
    def length(self):
        """The number of positions that a path has at most."""
        return self._length

    @length.setter
    def length(self, length):
        if not int(length) >= 2:
            raise lw.StudioError(f"trails: length is {length}; allowed are 2 points and more; give a larger number")
        self._length = int(length)

    def choose(self, points):
        """points: {name: (number of body, point in its coordinates, colour)}. What stays keeps its path."""
        self._past = {name: self._past.get(name, np.zeros((0, 3)))[-self.length :] for name in points}
        self._points = dict(points)
        self._send(now=True)

    def clear(self):
        self._past = {name: np.zeros((0, 3)) for name in self._points}
        self._send(now=True)

    def move(self, where, near):
        """where(body, point): in the world; points nearer than `near` to the last are not kept."""
        for name, (body, point, _) in self._points.items():
            past, here = self._past[name], where(body, point)
            if not len(past) or np.abs(here - past[-1]).max() > near:
                self._past[name] = np.concatenate([past[-self.length + 1 :], here[None]])
        self._send()

    def _send(self, now=False):
        clock = time.monotonic()
        if not now and (not self._points or clock - self._sent < EVERY):
            return
        self._sent = clock
        lines, colors = [np.zeros((0, 2, 3))], [np.zeros((0, 2, 3))]
        for name, past in self._past.items():
            if len(past) > 1:
                lines.append(np.stack([past[:-1], past[1:]], axis=1))
                age = (np.arange(len(past)) / (len(past) - 1))[:, None] ** 0.5
                shades = self._paper + age * (np.array(self._points[name][2]) - self._paper)
                colors.append(np.stack([shades[:-1], shades[1:]], axis=1))
        points, shades = np.concatenate(lines), np.concatenate(colors).astype(np.uint8)
        if self._handle is None:
            if len(points):
                self._handle = self._api.add_line_segments(
                    self._path, points.astype(np.float32), shades, thickness=3.0, thickness_units="screen"
                )
            return
        self._handle.visible = len(points) > 0
        if len(points):
            self._handle.points, self._handle.colors = points, shades
