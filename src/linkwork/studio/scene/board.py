"""The board: all batches of a figure, filled when the figure changes and moved with its bodies; outlines around chosen parts."""

from typing import NamedTuple

import numpy as np

from .batch import Batch
from .casting import Instances, nearest_instance
from .layout import Layout, Spans
from .meshes import Trimesh
from .pieces import GROUPS
from .surfaces import OWN
from .turns import turned, within_reach

RIM = 0.42  # thickness of an outline, in radii of rods
THIN = ("coil", "thread", "left thread", "ring")  # an outline would be lost in them: they take its colour instead
_NOTHING: tuple = np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 3), dtype=np.uint8), []


class Row(NamedTuple):
    """What an instance of a batch is: the part it belongs to, its mesh, the number of its body (None for a tie), its pose in that body
    (in the world for a tie), its scales.
    """

    part: str
    mesh: Trimesh
    body: int | None
    p: np.ndarray
    q: np.ndarray
    scale: np.ndarray


class Board:
    """Batches by (group, mesh, "moving" | "fixed" | "tie"). Bodies are dragged by moving ones, all can be clicked."""

    def __init__(self, api, path, surfaces, click, drag):
        self._api, self._path, self._surfaces = api, path, surfaces
        self._click, self._drag = click, drag
        self._batches: dict[tuple, Batch] = {}
        self._rims: dict[str, Batch] = {}
        self._rim_rows: list[tuple] = []
        self._made = 0
        self._shown = dict.fromkeys(GROUPS, True)
        self._chosen: dict[str, tuple] = {}
        self._layout, self._spans = Layout([]), Spans([], (0.0, 0.0, -1.0))
        self._placed = self._spanned = (np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)))
        self._r = 0.01

    # ---- filling and moving

    def fill(self, figure, P, Q):
        """Show another figure. Batches of meshes that it has too are kept."""
        self._layout, self._spans, self._r = Layout(figure.pieces), Spans(figure.ties, figure.down), figure.r
        self._place(P, Q)
        used = set()
        for source, placed in ((self._layout, self._placed), (self._spans, self._spanned)):
            colors = self._tinted(source)
            for rows in source.batches:
                span = slice(rows.first, rows.last)
                batch = self._batch(rows.key)
                batch.fill(*(array[span] for array in placed), colors[span], source.parts[span])
                used.add(rows.key)
        for key in [key for key in self._batches if key not in used]:
            self._put_away(self._batches, key, key[1])
        self._fill_rims()
        self._surfaces.forget({key[1] for key in used})

    def move(self, P, Q):
        """The same figure in other poses: P (nb + 1, 3), Q (nb + 1, 4), ground last."""
        before = self._spans.color
        self._place(P, Q)
        positions, wxyzs, _ = self._placed
        positions, wxyzs = positions.astype(np.float32), wxyzs.astype(np.float32)
        for rows in self._layout.batches:
            if rows.key[2] == "moving":
                span = slice(rows.first, rows.last)
                self._batches[rows.key].move(positions[span], wxyzs[span])
        if self._spans.batches:
            colors = None if np.array_equal(before, self._spans.color) else self._tinted(self._spans)
            for rows in self._spans.batches:
                span = slice(rows.first, rows.last)
                shown = None if colors is None else colors[span]
                self._batches[rows.key].move(*(array[span] for array in self._spanned), shown)
        self._move_rims()

    def _place(self, P, Q):
        self._placed = (*self._layout.place(P, Q), self._layout.scale)
        self._spanned = self._spans.place(P, Q) if self._spans.parts else _NOTHING[:3]

    def _batch(self, key):
        if key not in self._batches:
            group, mesh, motion = key
            self._made += 1
            batch = Batch(
                self._api,
                f"{self._path}/{self._made}",
                self._surfaces[mesh],
                click=self._click,
                drag=self._drag if motion == "moving" else None,
            )
            batch.key = key
            batch.show(self._shown[group])
            self._batches[key] = batch
        return self._batches[key]

    def _put_away(self, batches, key, mesh):
        """Unit meshes wait, hidden, for the next part that needs them; meshes of users go."""
        if mesh.startswith(OWN):
            batches.pop(key).remove()
        else:
            batches[key].fill(*_NOTHING)

    def toggle(self, group, on):
        self._shown[group] = on
        for key, batch in self._batches.items():
            if key[0] == group:
                batch.show(on)
        self._fill_rims()

    # ---- what an instance is

    def row(self, batch, index):
        """What instance `index` of a batch is now; None if there is no such."""
        for source, placed in ((self._layout, None), (self._spans, self._spanned)):
            for rows in source.batches:
                if rows.key != batch.key:
                    continue
                k = rows.first + (index or 0)
                if k >= rows.last:
                    return None
                mesh = self._surfaces[rows.key[1]]
                if placed is not None:
                    return Row(source.parts[k], mesh, None, placed[0][k], placed[1][k], placed[2][k])
                return Row(source.parts[k], mesh, int(source.body[k]), source.p[k], source.q[k], source.scale[k])
        return None

    def under(self, origin, direction):
        """(part, t) of what a ray meets first of all that is shown, t in lengths of the direction; None if it meets nothing."""
        batches, parts = [], []
        for source, placed in ((self._layout, self._placed), (self._spans, self._spanned)):
            for rows in source.batches:
                group, mesh, _ = rows.key
                if self._shown[group]:
                    span = slice(rows.first, rows.last)
                    batches.append(Instances(mesh, self._surfaces[mesh], *(array[span] for array in placed)))
                    parts.append(source.parts[span])
        found = nearest_instance(batches, origin, direction)
        return None if found is None else (parts[found[1]][found[2]], found[0])

    def corners(self):
        """Corners of the boxes around all pieces of the bodies, joints and ground in the world, (n, 3): how far the figure reaches."""
        positions, wxyzs, scales = self._placed
        made = [np.zeros((0, 3))]
        for rows in self._layout.batches:
            mesh, span = self._surfaces[rows.key[1]], slice(rows.first, rows.last)
            box = np.array(
                [(x, y, z) for x in (mesh.low[0], mesh.high[0]) for y in (mesh.low[1], mesh.high[1]) for z in (mesh.low[2], mesh.high[2])]
            )
            count = rows.last - rows.first
            local = (box[None] * scales[span, None]).reshape(-1, 3)
            made.append(turned(np.repeat(wxyzs[span], 8, axis=0), local) + np.repeat(positions[span], 8, axis=0) if count else local)
        if len(self._spans.parts):
            made.append(self._spanned[0])
        return np.concatenate(made)

    # ---- outlines

    def outline(self, chosen):
        """{part: colour}: which parts are outlined."""
        if chosen != self._chosen:
            self._chosen = dict(chosen)
            for source in (self._layout, self._spans):
                colors = self._tinted(source)
                for rows in source.batches:
                    self._batches[rows.key].paint(colors[rows.first : rows.last])
            self._fill_rims()

    def _tinted(self, source):
        if not self._chosen:
            return source.color
        colors = source.color.copy()
        for rows in source.batches:
            share = 1.0 if rows.key[1] in THIN else 0.14
            for k in range(rows.first, rows.last):
                color = self._chosen.get(source.parts[k])
                if color is not None:
                    colors[k] = np.round((1.0 - share) * colors[k] + share * np.array(color))
        return colors

    def _fill_rims(self):
        self._rim_rows = []
        for source, tie in ((self._layout, False), (self._spans, True)):
            for rows in source.batches if self._chosen else ():
                if rows.key[1] in THIN or not self._shown[rows.key[0]]:
                    continue
                found = [k for k in range(rows.first, rows.last) if source.parts[k] in self._chosen]
                if found:
                    self._rim_rows.append((rows.key[1], tie, np.array(found), [self._chosen[source.parts[k]] for k in found]))
        by_mesh: dict[str, list] = {}
        for mesh, tie, found, colors in self._rim_rows:
            by_mesh.setdefault(mesh, []).append((*self._grown(mesh, tie, found), np.array(colors, dtype=np.uint8), [""] * len(found)))
        for mesh in [mesh for mesh in self._rims if mesh not in by_mesh]:
            self._put_away(self._rims, mesh, mesh)
        for mesh, groups in by_mesh.items():
            if mesh not in self._rims:
                self._made += 1
                self._rims[mesh] = Batch(self._api, f"{self._path}/{self._made}", self._surfaces[mesh], outline=True)
            arrays = [np.concatenate(column) for column in list(zip(*groups, strict=True))[:4]]
            self._rims[mesh].fill(*arrays, [""] * len(arrays[0]))

    def _move_rims(self):
        by_mesh: dict[str, list] = {}
        for mesh, tie, found, _ in self._rim_rows:
            by_mesh.setdefault(mesh, []).append(self._grown(mesh, tie, found))
        for mesh, groups in by_mesh.items():
            self._rims[mesh].move(*(np.concatenate(column) for column in zip(*groups, strict=True)))

    def _grown(self, name, tie, found):
        """Instances a rim larger on every side; only their backs are drawn, so that the rim is seen around them."""
        positions, wxyzs, scales = (array[found] for array in (self._spanned if tie else self._placed))
        mesh = self._surfaces[name]
        extent = (mesh.high - mesh.low) * scales.astype(float)
        factor = 1.0 + 2.0 * RIM * self._r / np.maximum(extent, 1e-9)
        middle = 0.5 * (mesh.low + mesh.high) * scales
        return positions + turned(wxyzs, middle * (1.0 - factor)), wxyzs, within_reach(scales * factor)
