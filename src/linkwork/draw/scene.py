"""One pose of a figure, seen by a camera: marks on paper, from far to near."""

from dataclasses import dataclass, replace

import numpy as np

from .depth import order
from .perspective import PLANES, clip_polygon, clip_segment, frustum, homogeneous
from .polygons import TOUCH, Polygons, joined, outward_planes, segment_planes
from .shade import GRID, PAPER, SHADOW, SUN, TRAIL, lit
from .stack import on_bodies
from .strokes import STYLES, floor_grid
from .union import outsides

# Lines are drawn this much nearer than they are, so that one on a surface is seen.
LIFT = 0.998
# The frustum is this much wider than the picture, so that no outline runs along its border.
GUARD = np.array([(1, 0, 0, 1.2), (-1, 0, 0, 1.2), (0, 1, 0, 1.2), (0, -1, 0, 1.2), PLANES[4]])


@dataclass(frozen=True, eq=False)
class Mark:
    """A polygon (points (n, 2) in pixels, `edges` numbers those that are drawn) or, with fill None, an open line."""

    points: np.ndarray
    fill: tuple | None
    line: tuple | None = None
    width: float = 1.0
    edges: tuple = ()


@dataclass(frozen=True, eq=False)
class Label:
    """A name at a place of the picture."""

    text: str
    at: tuple


def marks_of(figure, stack, rotations, positions, view, trails=()):
    """(marks, labels) of a figure in one pose, as the View says. trails: lines (n, 3) in the world."""
    eye, floor = _Eye(view.camera, view.size), view.floor
    world = stack.world(rotations, positions)
    marks = []
    if floor is not None and view.camera.eye[2] > floor[2]:
        marks += _shadow(eye, stack, world, floor[2]) if view.shadow else []
        marks += _grid(eye, floor, figure.size)
    groups, paint = [], []
    if len(stack.faces):
        groups.append(_faces(eye, stack, world, paint))
    for points, color, width in _lines(figure, rotations, positions, trails):
        groups += _segments(eye, points, color, width, paint)
    groups = [group for group in groups if len(group)]
    if groups:
        polygons, rows = order(joined(groups))
        marks += _painted(eye, polygons, rows, paint)
    return marks, _labels(eye, figure, rotations, positions) if view.labels else []


class _Eye:
    """A camera and a picture: planes that bound the view in eye axes, and the way to pixels."""

    def __init__(self, camera, size):
        self.camera, self.size, self.R = camera, size, camera.axes
        self.edges = camera.edges(size)
        self.planes = GUARD @ frustum(self.edges, camera.near)
        self.scale = size[1] / 720.0

    def axes(self, world):
        return (world - self.camera.eye) @ self.R.T

    def pixels(self, X):
        left, right, top, bottom = self.edges
        return (X[..., :2] / X[..., 2:] - (left, top)) * (self.size[0] / (right - left), self.size[1] / (bottom - top))

    def clipped(self, X, marks):
        """A polygon (n, 3) within the view, and its marks."""
        if (homogeneous(X) @ self.planes.T >= 0.0).all():
            return X, marks
        corners, marks = clip_polygon(homogeneous(X), self.planes, marks)
        return np.array(corners).reshape(-1, 4)[:, :3], marks


def _faces(eye, stack, world, paint):
    """Polygons of all faces that are turned to the eye and in view, without what is inside of solids; their paint is put down."""
    corners = eye.axes(world)[stack.faces]
    normal, offset = outward_planes(corners)
    front = offset < 0.0
    outside = homogeneous(corners) @ eye.planes.T < 0.0
    seen = (front | ~stack.closed[stack.solid]) & ~outside.all(axis=1).any(axis=1)
    exists = np.arange(corners.shape[1]) < stack.count[:, None]
    outline = stack.crease | ((stack.neighbour >= 0) & (front[stack.neighbour] != front[:, None]) & exists)
    opaque = np.flatnonzero(stack.convex & stack.closed)
    whole, pieces = outsides(corners, stack.count, normal, offset, stack.solid, opaque, np.flatnonzero(seen), outline)
    crosses = outside.any(axis=(1, 2))
    cut = crosses[whole]
    pieces += [(row, corners[row, : stack.count[row]], outline[row, : stack.count[row]].tolist()) for row in whole[cut].tolist()]
    whole = whole[~cut]
    pieces = [(row, *eye.clipped(X, marks)) if crosses[row] else (row, X, marks) for row, X, marks in pieces]
    pieces = [piece for piece in pieces if len(piece[1]) > 2]
    groups = [Polygons.whole(corners[whole], stack.count[whole], outline[whole])]
    if pieces:
        groups.append(Polygons.ragged([X for _, X, _ in pieces], [marks for *_, marks in pieces]))
    made = joined(groups)
    rows = np.concatenate([whole, np.array([row for row, *_ in pieces], dtype=np.int64)])
    # Planes of whole faces, not of their pieces, which may be slivers.
    turn = np.where(front[rows], 1.0, -1.0)
    normal, offset = normal[rows] * turn[:, None], offset[rows] * turn
    middle = made.X.mean(axis=1)
    towards = -middle / np.linalg.norm(middle, axis=1)[:, None]
    colors = lit(stack.color[rows], normal @ eye.R, towards @ eye.R)
    first = len(paint)
    paint += [(tuple(fill), tuple(0.5 * base), 1.1) for fill, base in zip(colors.tolist(), stack.color[rows], strict=True)]
    solid = np.where(stack.convex[stack.solid[rows]], stack.solid[rows], -1)
    made = replace(made, normal=normal, offset=offset, solid=solid, item=first + np.arange(len(rows)))
    return made.take(offset < -TOUCH * np.linalg.norm(middle, axis=1))


def _lines(figure, rotations, positions, trails):
    """(points in the world, colour, width) of everything that is drawn as a line."""
    for line in figure.lines:
        yield on_bodies(line.points, np.full(len(line.points), line.body), rotations, positions), line.color, line.width
    for tie in figure.ties:
        (a, p), (b, q) = tie.a, tie.b
        ends = on_bodies(np.array((p, q)), np.array((a, b)), rotations, positions)
        yield STYLES[tie.style](*ends, tie.radius), tie.color, tie.width
    for points in trails:
        yield points, TRAIL, 1.6


def _segments(eye, points, color, width, paint):
    """Polygons with two corners each."""
    X = LIFT * eye.axes(np.asarray(points, dtype=float))
    found = []
    for a, b in zip(homogeneous(X[:-1]), homogeneous(X[1:]), strict=True):
        ends = clip_segment(a, b, eye.planes)
        if ends is not None and not np.allclose(ends[0], ends[1], rtol=0.0, atol=1e-12):
            found.append(np.array(ends)[:, :3])
    if not found:
        return []
    made = Polygons.ragged(found, [[False, False]] * len(found))
    normal, offset = segment_planes(made.X)
    paint.append((None, color, width))
    made = replace(made, normal=normal, offset=offset, item=np.full(len(found), len(paint) - 1))
    return [made.take(offset < 0.0)]


def _painted(eye, polygons, rows, paint):
    pixels = eye.pixels(polygons.X)
    for k in rows.tolist():
        fill, line, width = paint[polygons.item[k]]
        count = polygons.count[k]
        edges = tuple(np.flatnonzero(polygons.outline[k, :count]).tolist())
        yield Mark(pixels[k, :count], fill, line, width * eye.scale, edges)


def _shadow(eye, stack, world, height):
    """Faces turned to the sun, laid on the floor along its rays."""
    laid = world - SUN * ((world[:, 2] - height) / SUN[2])[:, None]
    corners = world[stack.faces]
    spread = corners - corners.mean(axis=1, keepdims=True)
    normal = np.cross(spread, np.roll(spread, -1, axis=1)).sum(axis=1)
    X, sunny = eye.axes(laid), np.flatnonzero(normal @ SUN > 0.0)
    crosses = (homogeneous(X) @ eye.planes.T < 0.0).any(axis=1)[stack.faces].any(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        pixels = eye.pixels(X)
    for row in sunny.tolist():
        face = stack.faces[row, : stack.count[row]]
        if not crosses[row]:
            yield Mark(pixels[face], SHADOW)
            continue
        points, _ = eye.clipped(X[face], [False] * len(face))
        if len(points) > 2:
            yield Mark(eye.pixels(points), SHADOW)


def _grid(eye, floor, size):
    for strength, segments in floor_grid(floor, floor[2], size):
        color = tuple(s + strength * (g - s) for g, s in zip(GRID, PAPER, strict=True))
        for a, b in homogeneous(eye.axes(segments)):
            ends = clip_segment(a, b, eye.planes)
            if ends is not None:
                yield Mark(eye.pixels(np.array(ends)[:, :3]), None, color, 1.0 * eye.scale)


def _labels(eye, figure, rotations, positions):
    for text, body, point in figure.labels:
        X = eye.axes(on_bodies(point[None], np.array([body]), rotations, positions))
        if X[0, 2] > eye.camera.near:
            yield Label(text, tuple(eye.pixels(X)[0].tolist()))
