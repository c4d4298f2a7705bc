"""The recorded past of a live mechanism: pages of samples; the oldest are dropped when there are too many."""

from bisect import bisect_right
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import StateError
from .design import Design
from .moments import Moment

PAGE = 512  # samples
MOST = 96 * 2**20  # bytes of all pages
BESIDES = 1024  # bytes of a page, besides its samples


class Page(NamedTuple):
    """Samples of one mechanism in a row, in the coordinates of its model: all columns that were recorded, and the names of the forces in them.

    notes: of the run. run: the same object for pages of one run; parts: for mechanisms with the same parts, see segments.py.
    """

    design: Design
    columns: dict[str, np.ndarray]
    forces: tuple[str, ...] = ()
    notes: Any = None
    run: Any = None
    parts: Any = None

    @property
    def times(self):
        return self.columns["time"]

    @property
    def bytes(self):
        return sum(column.nbytes for column in self.columns.values()) + self.design.bytes + BESIDES

    def first(self, count):
        """Its first samples."""
        return self._replace(columns={name: np.array(column[:count]) for name, column in self.columns.items()})


class Glimpse(NamedTuple):
    """A sample of the past: which bodies were where."""

    time: float
    names: tuple
    positions: np.ndarray
    quaternions: np.ndarray
    mechanism: object
    moment: Moment


class StateHistory:
    """Pages in the order of time. A page is closed when it is full, or when the mechanism changes."""

    def __init__(self, most=MOST):
        self.pages: list[Page] = []
        self.most = most
        self.bytes = 0  # of all pages
        self._seen = None  # the last glimpse, whose mechanism and model the next one needs too, most likely

    def keep(self, page):
        """Add a page; forget the oldest ones when there are too many bytes, and those that no time leads to: at equal times the last counts."""
        if len(page.times):
            while self.pages and self.pages[-1].times[0] >= page.times[0]:
                self.bytes -= self.pages.pop().bytes
            self.pages.append(page)
            self.bytes += page.bytes
        gone = 0
        while len(self.pages) - gone > 1 and self.bytes > self.most:
            self.bytes -= self.pages[gone].bytes
            gone += 1
        del self.pages[:gone]

    def span(self, times):
        """(first, last) time, s; the times of the page that is being written are given."""
        first = self.pages[0].times if self.pages else times
        last = times if len(times) else self.pages[-1].times if self.pages else times
        return (float(first[0]), float(last[-1])) if len(last) else (0.0, 0.0)

    def find(self, t, page):
        """(page, number of the sample) nearest a time; where samples share a time, the last. The page that is being written is given."""
        return min(reversed(self.around(t, page)), key=lambda found: abs(float(found[0].times[found[1]]) - t))

    def around(self, t, page):
        """(page, number) of the last sample at a time or before, and of the one after, if there is one. The page that is being written is given."""
        pages = [*self.pages, page] if len(page.times) else self.pages
        if not pages:
            raise StateError("look: nothing has been recorded yet; let time run first", "t")
        k = max(bisect_right(pages, t, key=lambda p: p.times[0]) - 1, 0)
        row = max(int(np.searchsorted(pages[k].times, t, side="right")) - 1, 0)
        near = [(pages[k], row)]
        if row + 1 < len(pages[k].times):
            near.append((pages[k], row + 1))
        elif k + 1 < len(pages):
            near.append((pages[k + 1], 0))
        return near

    def glimpse(self, t, page):
        """The sample nearest a time."""
        return self.frame(*self.find(t, page))

    def frame(self, found, k):
        """A sample of a page, by its number."""
        mechanism, model = found.design.mechanism, found.design.model
        moment = Moment(model, float(found.times[k]), np.array(found.columns["q"][k]), np.array(found.columns["v"][k]))
        positions, quaternions = poses_of(model, moment.q)
        self._seen = Glimpse(moment.t, tuple(body.name for body in model.bodies), positions, quaternions, mechanism, moment)
        return self._seen

    def cut(self, t):
        """Forget what came after a time."""
        self._seen = None
        while self.pages and self.pages[-1].times[-1] > t:
            page = self.pages.pop()
            self.bytes -= page.bytes
            count = int(np.searchsorted(page.times, t, side="right"))
            if count:
                self.pages.append(page.first(count))
                self.bytes += self.pages[-1].bytes


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
