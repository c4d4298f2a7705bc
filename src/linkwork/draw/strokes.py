"""Lines of a picture: springs, strings, axes of frames, trails, and the grid of the floor."""

import itertools
import math

import numpy as np

from .solids import along

TURNS, PER_TURN = 8, 8
RINGS = 7  # of the floor's grid, each fainter than the one within


def coil(a, b, radius):
    """A spring between two points, as a line (n, 3): straight ends and eight turns, which open as it stretches."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    length = float(np.linalg.norm(b - a))
    if not length > 0.0:
        return np.array((a, b))
    s = np.linspace(0.0, 1.0, TURNS * PER_TURN + 1)
    angle = 2.0 * math.pi * TURNS * s
    swell = radius * np.minimum(1.0, np.minimum(s, 1.0 - s) * TURNS)
    wire = np.column_stack([swell * np.cos(angle), swell * np.sin(angle), length * (0.12 + 0.76 * s)])
    return np.concatenate([[a], a + wire @ along(b - a).T, [b]])


def string(a, b, radius):
    """A taut string, a rod or an axis: a straight line (2, 3)."""
    return np.array((a, b), dtype=float)


def triad(length):
    """The axes of a frame as lines from its origin: x, y, z."""
    return [np.array(((0.0, 0.0, 0.0), axis)) for axis in length * np.eye(3)]


def grid_step(size):
    """A round number (1, 2 or 5 times a power of ten) of metres, about a twelfth of the size."""
    raw = size / 12.0
    power = 10.0 ** math.floor(math.log10(raw))
    return next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= 0.999 * raw)


def floor_grid(middle, height, size):
    """Lines of a floor around a point, fainter further out: [(strength from 0 to 1, segments (n, 2, 3))]."""
    step, reach = grid_step(size), 1.5 * size
    origin = np.array([round(c / step) * step for c in middle[:2]])
    ticks = np.arange(-math.ceil(reach / step), math.ceil(reach / step) + 1) * step
    radii = reach * np.linspace(0.0, 1.0, RINGS + 1)
    rings = []
    for inner, outer in itertools.pairwise(radii):
        flat = []
        for tick in ticks[np.abs(ticks) < outer]:
            far, near = math.sqrt(outer**2 - tick**2), math.sqrt(max(inner**2 - tick**2, 0.0))
            spans = [(near, far), (-far, -near)] if near > 0.0 else [(-far, far)]
            flat += [((tick, a), (tick, b)) for a, b in spans] + [((a, tick), (b, tick)) for a, b in spans]
        ends = np.empty((len(flat), 2, 3))
        ends[..., :2], ends[..., 2] = origin + np.array(flat).reshape(-1, 2, 2), height
        rings.append((1.0 - (inner + outer) / (2.0 * reach), ends))
    return rings


STYLES = {"coil": coil, "string": string}
