"""What can be looked back at: pages of frames, the oldest forgotten when there are too many."""

from typing import Any, NamedTuple

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import StateError
from .moments import Moment

PAGE = 512  # frames
MOST = 96 * 2**20  # bytes of all pages


class Page(NamedTuple):
    """Frames of one mechanism in a row. parts: the same object for mechanisms with the same parts, see spans.py."""

    mechanism: Any
    model: Any
    recording: Any
    parts: Any = None

    @property
    def bytes(self):
        return sum(self.recording.column(name).nbytes for name in self.recording.channels)


class Glimpse(NamedTuple):
    """A frame of the past: which bodies were where."""

    time: float
    names: tuple
    positions: np.ndarray
    quaternions: np.ndarray
    mechanism: object
    moment: Moment


class Tape:
    """Pages in the order of time. A page is closed when it is full, or when the mechanism changes."""

    def __init__(self, most=MOST):
        self.pages: list[Page] = []
        self.most = most

    def keep(self, page):
        """Add a page; forget the oldest ones when there are too many bytes."""
        if len(page.recording):
            self.pages.append(page)
        while len(self.pages) > 1 and sum(p.bytes for p in self.pages) > self.most:
            self.pages.pop(0)

    def span(self, page):
        """(first, last) time, s; the page that is being written is given."""
        times = [p.recording.time for p in [*self.pages, page] if p is not None and len(p.recording)]
        return (float(times[0][0]), float(times[-1][-1])) if times else (0.0, 0.0)

    def find(self, t, page):
        """(page, number of the frame) nearest a time; where frames share a time, the last."""
        pages = [p for p in [*self.pages, page] if p is not None and len(p.recording)]
        if not pages:
            raise StateError("look: nothing has been recorded yet; let time run first", "t")
        best = None
        for p in pages:
            times = p.recording.time
            k = int(np.searchsorted(times, t, side="right")) - 1
            for index in {max(k, 0), min(k + 1, len(times) - 1)}:
                away = abs(float(times[index]) - t)
                if best is None or away <= best[0]:
                    best = away, p, index
        return best[1], best[2]

    def glimpse(self, t, page):
        """The frame nearest a time."""
        found, k = self.find(t, page)
        model, q, v = found.model, found.recording.q[k], found.recording.v[k]
        moment = Moment(model, float(found.recording.time[k]), np.array(q), np.array(v))
        positions, quaternions = poses_of(model, moment.q)
        return Glimpse(moment.t, tuple(body.name for body in model.bodies), positions, quaternions, found.mechanism, moment)

    def cut(self, t):
        """Forget what came after a time."""
        cut = [p._replace(recording=p.recording.between(None, t)) for p in self.pages]
        self.pages = [p for p in cut if len(p.recording)]


def poses_of(model, q):
    """(positions (nb, 3), quaternions (nb, 4) wxyz) of all bodies."""
    if model is None or not model.nb:
        return np.zeros((0, 3)), np.zeros((0, 4))
    k = forward_kinematics(model, q)
    return k.positions, quaternions_of(k.rotations)


def quaternions_of(R):
    """(n, 4) wxyz of rotation matrices (n, 3, 3), by the largest of four components (Shepperd 1978)."""
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=1)
    a, b, c = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    d, e, f = R[:, 1, 0] + R[:, 0, 1], R[:, 0, 2] + R[:, 2, 0], R[:, 2, 1] + R[:, 1, 2]
    rows = np.stack(
        [
            np.stack([squares[:, 0], a, b, c], axis=1),
            np.stack([a, squares[:, 1], d, e], axis=1),
            np.stack([b, d, squares[:, 2], f], axis=1),
            np.stack([c, e, f, squares[:, 3]], axis=1),
        ],
        axis=1,
    )
    chosen = rows[np.arange(len(R)), np.argmax(squares, axis=1)]
    return chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
