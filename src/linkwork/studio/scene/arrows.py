"""Arrows of forces, reactions, moments and velocities, each with its value."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwork as lw

from .batch import Batch
from .labels import Labels
from .meshes import unit as unit_mesh
from .turns import along, quaternions, within_reach

COLORS = {
    "force": (206, 70, 48),
    "reaction": (42, 110, 178),
    "pull": (255, 138, 0),
    "contact": (20, 130, 120),
    "moment": (140, 80, 170),
    "velocity": (60, 150, 80),
}
UNITS = {"force": "N", "reaction": "N", "pull": "N", "contact": "N", "moment": "N m", "velocity": "m/s"}


@dataclass(frozen=True, eq=False)
class Arrow:
    """An arrow. at: where it starts, world, m. vector: what it stands for (N, N m, m/s), which with the scale of all arrows gives its length.

    to: where it ends, instead. kind: "force", "reaction", "pull", "contact", "moment" or "velocity". text: beside it; the value if None, "" for nothing.
    """

    at: Any
    vector: Any = (0.0, 0.0, 0.0)
    kind: str = "force"
    to: Any = None
    text: str | None = None


def value_text(value, unit):
    """A value that can be read at a glance: three digits, k for thousands, m for thousandths.

    >>> value_text(1234.0, "N"), value_text(0.0123, "N m"), value_text(9.81, "N")
    ('1.23 kN', '12.3 mN m', '9.81 N')
    """
    size = abs(value)
    if not size < 1e9:
        return f"{value:.3g} {unit}"
    factor, prefix = (1e-6, "M") if size >= 1e6 else (1e-3, "k") if size >= 1e3 else (1e3, "m") if 0.0 < size < 0.1 else (1.0, "")
    shown = value * factor
    return f"{shown:.0f} {prefix}{unit}" if abs(shown) >= 100.0 else f"{shown:.3g} {prefix}{unit}"


class Arrows:
    """The arrows that are shown, and their scale in m per N, which changes only when arrows would be too long or too short."""

    def __init__(self, api, path):
        self._shaft = Batch(api, f"{path}/shaft", unit_mesh("rod"), shadow=False)
        self._head = Batch(api, f"{path}/head", unit_mesh("cone"), shadow=False)
        self._labels, self.scale = Labels(api, f"{path}/values"), None

    def show(self, arrows, r, size):
        """arrows: {name: Arrow, or (at, vector)}; r: radius of rods; size: of the mechanism."""
        given = {name: self._checked(name, arrow) for name, arrow in arrows.items()}
        starts, ends = self._ends(list(given.values()), size)
        line = ends - starts
        length = _lengths(line)
        keep = np.flatnonzero(length > 0.25 * r)
        kinds = [arrow.kind for arrow in given.values()]
        self._draw(starts[keep], line[keep], length[keep], [COLORS[kinds[k]] for k in keep], [kinds[k] == "moment" for k in keep], r)
        texts = [self._text(arrow) for arrow in given.values()]
        self._labels.show([(texts[k], ends[k]) for k in keep if texts[k]])

    def _checked(self, name, arrow):
        arrow = arrow if isinstance(arrow, Arrow) else Arrow(*arrow)
        if arrow.kind not in COLORS:
            raise lw.StudioError(
                f"arrow {name!r}: its kind is {arrow.kind!r}; allowed are {', '.join(map(repr, COLORS))}; give one of these"
            )
        return arrow

    def _ends(self, arrows, size):
        starts = np.array([arrow.at for arrow in arrows], dtype=float).reshape(-1, 3)
        vectors = np.array([arrow.vector for arrow in arrows], dtype=float).reshape(-1, 3)
        fixed = np.array([arrow.to is not None for arrow in arrows], dtype=bool)
        sizes = _lengths(vectors)[~fixed]
        longest = float(sizes[np.isfinite(sizes)].max(initial=0.0))
        if longest > 0.0 and (self.scale is None or not 0.07 * size < self.scale * longest < 0.4 * size):
            self.scale = 0.22 * size / longest
        with np.errstate(over="ignore", invalid="ignore"):  # what has no end is not drawn
            ends = starts + vectors * (self.scale or 0.0)
        for k in np.flatnonzero(fixed):
            ends[k] = arrows[k].to
        good = np.isfinite(starts).all(axis=1) & np.isfinite(ends).all(axis=1)
        starts[~good] = ends[~good] = 0.0
        return within_reach(starts), within_reach(ends)

    def _text(self, arrow):
        return value_text(float(_lengths([arrow.vector])[0]), UNITS[arrow.kind]) if arrow.text is None else arrow.text

    def _draw(self, starts, line, length, colors, double, r):
        unit_lines = line / np.maximum(length, 1e-12)[:, None]
        q = quaternions([along(tuple(z.round(9).tolist())) for z in unit_lines]) if len(line) else np.zeros((0, 4))
        tip = np.minimum(4.2 * r, 0.45 * length)
        thick = np.minimum(0.62 * r, 0.1 * length + 0.1 * r)
        colors = np.array(colors, dtype=np.uint8).reshape(-1, 3)
        names = [""] * len(line)
        shaft = length - tip
        self._shaft.fill(
            starts + 0.5 * shaft[:, None] * unit_lines,
            q,
            np.stack([thick, thick, np.maximum(shaft, 1e-9)], axis=-1).reshape(-1, 3),
            colors,
            names,
        )
        heads = starts + (shaft + 0.5 * tip)[:, None] * unit_lines
        twice = np.flatnonzero(double)
        heads = np.concatenate([heads, heads[twice] - 0.9 * tip[twice, None] * unit_lines[twice]])
        sizes = np.stack([2.4 * thick, 2.4 * thick, tip], axis=-1).reshape(-1, 3)
        order = np.concatenate([np.arange(len(line)), twice]).astype(int)
        self._head.fill(heads, q[order], sizes[order], colors[order], [names[k] for k in order])


def _lengths(vectors):
    """Lengths of vectors (n, 3); those whose squares are beyond all measure have one too."""
    vectors = np.asarray(vectors, dtype=float).reshape(-1, 3)
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    unit = np.where((largest > 0.0) & np.isfinite(largest), largest, 1.0)
    return unit * np.linalg.norm(vectors / unit[:, None], axis=1)
