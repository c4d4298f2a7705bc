"""The scene: a mechanism on the stage, drawn, moved, marked and touched."""

import threading

import numpy as np

import linkwork as lw

from ...draw.floors import floor_planes
from .arrows import Arrows
from .board import Board
from .colours import SELECTED, BodyColors
from .dots import Dots
from .figure import Figure, make_figure
from .hands import Hands
from .labels import Labels
from .pieces import BODIES, CENTRES, CONSTRAINTS, FORCES, FRAMES, JOINTS
from .poses import Poses
from .stage import Stage
from .surfaces import Surfaces
from .trails import Trails
from .turns import turned

ROOT = "/linkwork"


class Scene:
    """A mechanism in a viser page. It draws, and tells what is touched; it knows no physics and has no panels. All methods may be called from
    any thread.

    What is shown
        show(mechanism, positions=None, quaternions=None, names=None)   another mechanism, or the same after an edit
        move(positions, quaternions, names=None)                        its bodies elsewhere; everything on them follows
        `names` are the bodies in the order of the rows, as [b.name for b in live.model.bodies]; the order of mechanism.bodies if left out.
        A body whose pose is not given, or not finite, stays where it was.

    What stands out
        select(name, ...)    outlined parts: bodies, joints, forces, constraints, frames; select() for none      selected: their names
        color(name)          "#rrggbb" of a body; it stays while others come and go. paint(name, "#rrggbb"), None for that of the palette
        notes                sentences about mesh files that cannot be shown

    What is laid over
        arrows({name: Arrow(at, vector, kind=..., to=..., text=...)})   these arrows; {} for none      arrow_scale: m per N
        contacts(points, sliding)                                       dots where bodies touch; none for none
        trails({name: (body, point)}, length=400)                       paths of points; {} for none
        mark_com(on), labels(on), frames(on)                            centres of mass, names of bodies, axes of frames
        bodies(on), glyphs(on), forces(on), constraints(on), grid(on)   what is drawn at all; glyphs are the signs of joints

    What is touched
        on_click(callback(click))      Click: part, role, body, point, world, modifiers, client; its part is None on the background
        on_drag(start, move, end)      each called with a Drag: body, point, target, modifiers, client
        under(origin, direction)       the name of the part that a ray from the eye meets first, None for the background
        Callbacks are called in order, in a thread of the scene. Left button on a body: it; on the background, or with alt anywhere: turn the
        view; right button: shift it; wheel: nearer and further. viser draws an arrow from the grabbed point to the pointer.

    may_read(path)               given at the beginning: may this mesh file be read? All may, if it is left out
    fit_camera(client=None, covered=(left, right))     a view of all of it, for one client or for all, and for those to come
    shadows(on), close()
    """

    def __init__(self, server, *, dark: bool = False, may_read=None):
        self.server, self._lock = server, threading.RLock()
        self._surfaces, self._colors, self._poses = Surfaces(may_read), BodyColors(), Poses()
        api = server.scene
        self._stage = Stage(server, f"{ROOT}/stage", dark)
        self._stage.fit_again = self.fit_camera
        self._hands = Hands(None, self._poses, self._stage, self._lock)
        self._board = self._hands.board = Board(api, f"{ROOT}/parts", self._surfaces, self._hands.clicked, self._hands.dragged)
        self._arrows = Arrows(api, f"{ROOT}/arrows")
        self._dots = Dots(api, f"{ROOT}/contacts")
        self._names = Labels(api, f"{ROOT}/names", scale=0.85, anchor="bottom-center")
        self._trails = Trails(api, f"{ROOT}/trails", self._stage.paper)
        self._figure = Figure([])
        self._selected: tuple[str, ...] = ()
        self._labelled = False
        self._traced: dict = {}
        self._mechanism = lw.Mechanism()
        self._extras: set[str] = set()  # groups that are drawn on request
        for modifier in (None, "shift", "cmd/ctrl", "cmd/ctrl+shift"):
            api.on_click(modifier=modifier)(self._hands.background)

    # ---- what is shown

    def show(self, mechanism, positions=None, quaternions=None, names=None) -> None:
        """Draw a mechanism as it is now; only what changed is sent. Poses as in move; without them bodies stay where they were."""
        with self._lock, self.server.atomic():
            before, bodies = set(self._poses.names), [body.name for body in mechanism.bodies]
            self._colors.update(bodies)
            self._poses.rename(bodies)
            if positions is not None:
                self._poses.take(positions, quaternions, names)
            same = bool(before & set(bodies))
            floors = floor_planes(self._mechanism), floor_planes(mechanism)
            self._mechanism = mechanism
            self._draw(self._figure if same else None)
            self._selected = tuple(name for name in self._selected if name in self._figure.role)
            self._outline()
            self._retrace()
            self._write_names()
            if not same:
                self._trails.clear()
            if not same or repr(floors[0]) != repr(floors[1]):
                self._settle()

    def _draw(self, before):
        poses = (self._poses.P, self._poses.Q) if self._poses.known else None
        self._figure = make_figure(self._mechanism, self._colors, self._surfaces, poses, before, self._extras)
        self._hands.roles = self._figure.role
        self._board.fill(self._figure, self._poses.P, self._poses.Q)

    def move(self, positions, quaternions, names=None) -> None:
        """Poses of bodies in the world: positions (n, 3) in m, quaternions (n, 4) wxyz, in the order of names, or of mechanism.bodies."""
        with self._lock, self.server.atomic():
            first = not self._poses.known
            self._poses.take(positions, quaternions, names)
            self._board.move(self._poses.P, self._poses.Q)
            if self._labelled:
                self._names.move(self._com())
            self._trails.move(self._poses.where, 0.02 * self._figure.r)
            if first:
                self._settle()

    def _com(self):
        return self._poses.P[:-1] + turned(self._poses.Q[:-1], self._figure.com)

    def _settle(self):
        """Put the floor under what is there."""
        corners = self._corners()
        self._stage.lay_floor(corners.min(axis=0), corners.max(axis=0), self._figure.size, floor_planes(self._mechanism))

    def _corners(self):
        corners = self._board.corners()
        corners = corners[np.isfinite(corners).all(axis=1)]
        return corners if len(corners) else self._figure.size * np.array([(-0.5, -0.5, 0.0), (0.5, 0.5, 0.5)])

    # ---- what stands out

    @property
    def selected(self) -> tuple[str, ...]:
        """The parts that are outlined."""
        return self._selected

    def select(self, *names) -> None:
        """Outline these parts and no others. None, and names that are no parts, stand for nothing."""
        with self._lock, self.server.atomic():
            self._selected = tuple(name for name in names if name in self._figure.role)
            self._outline()

    def _outline(self):
        self._board.outline(dict.fromkeys(self._selected, SELECTED))

    def color(self, name: str) -> str:
        """The colour of a body, "#rrggbb"."""
        if name != "ground" and name not in self._poses.names:
            raise lw.UnknownNameError("body", name, self._poses.names)
        return "#" + "".join(f"{x:02x}" for x in self._colors[name])

    def paint(self, name: str, color) -> None:
        """Give a body a colour, "#rrggbb" or three numbers from 0 to 1; None for that of the palette. It is seen from the next show on."""
        self._colors.paint(name, color)

    @property
    def notes(self) -> list[str]:
        """What cannot be shown, and why."""
        return list(self._surfaces.notes.values())

    # ---- what is laid over

    def arrows(self, arrows) -> None:
        """Show these arrows and no others: {name: Arrow, or (at, vector)}."""
        with self._lock, self.server.atomic():
            self._arrows.show(arrows, self._figure.r, self._figure.size)

    def contacts(self, points, sliding) -> None:
        """Show dots at these points (n, 3) and no others, in another colour where they slide (n,)."""
        with self._lock, self.server.atomic():
            self._dots.show(points, sliding, self._figure.r)

    @property
    def arrow_scale(self) -> float | None:
        """Metres per newton (N m, m/s) of arrows; None before the first."""
        return self._arrows.scale

    def trails(self, points, length: int = 400) -> None:
        """Draw the paths of these points and of no others, each the last `length` positions: {name: (body, point in its coordinates)}."""
        with self._lock, self.server.atomic():
            unknown = [body for body, _ in points.values() if body not in self._poses.names]
            if unknown:
                raise lw.UnknownNameError("body", unknown[0], self._poses.names)
            self._traced, self._trails.length = dict(points), length
            self._retrace()

    def _retrace(self):
        number = {name: k for k, name in enumerate(self._poses.names)}
        self._traced = {name: given for name, given in self._traced.items() if given[0] in number}
        self._trails.choose({name: (number[body], point, self._colors[body]) for name, (body, point) in self._traced.items()})

    def labels(self, on: bool) -> None:
        """Names of bodies."""
        with self._lock, self.server.atomic():
            self._labelled = on
            self._write_names()

    def _write_names(self):
        self._names.show(list(zip(self._poses.names, self._com(), strict=True)) if self._labelled else [])

    def mark_com(self, on: bool) -> None:
        """Centres of mass."""
        self._add(CENTRES, on)

    def frames(self, on: bool) -> None:
        """Axes of frames."""
        self._add(FRAMES, on)

    def bodies(self, on: bool) -> None:
        """Bodies."""
        self._toggle(BODIES, on)

    def glyphs(self, on: bool) -> None:
        """Signs of joints."""
        self._toggle(JOINTS, on)

    def forces(self, on: bool) -> None:
        """Springs, strings, motors and other forces."""
        self._toggle(FORCES, on)

    def constraints(self, on: bool) -> None:
        """Signs of constraints."""
        self._toggle(CONSTRAINTS, on)

    def grid(self, on: bool) -> None:
        """The grid of the floor."""
        with self._lock:
            self._stage.show_grid(on)

    def shadows(self, on: bool) -> None:
        """Shadows; a machine without a graphics card is quicker without."""
        with self._lock:
            self._stage.shadows(on)

    def _add(self, group, on):
        with self._lock, self.server.atomic():
            self._extras = self._extras | {group} if on else self._extras - {group}
            if [body.name for body in self._mechanism.bodies] == self._poses.names:  # else it was edited, and the next show is on its way
                self._draw(self._figure)

    def _toggle(self, group, on):
        with self._lock, self.server.atomic():
            self._board.toggle(group, on)

    # ---- what is touched

    def on_click(self, callback):
        """Call callback(Click) for every click on a part or on the background."""
        return self._hands.touches.on_click(callback)

    def on_drag(self, start=None, move=None, end=None) -> None:
        """Call start(Drag), move(Drag), end(Drag) while a body is dragged."""
        self._hands.touches.on_drag(start, move, end)

    def under(self, origin, direction) -> str | None:
        """The part that a ray meets first; what is switched off is not in its way. None if it meets no part."""
        with self._lock:
            found = self._board.under(origin, direction)
        return None if found is None else found[0]

    # ---- the view

    def heights(self) -> tuple[float, float]:
        """(lowest, highest) z of all bodies that are drawn, m."""
        with self._lock:
            corners = self._corners()
        return float(corners[:, 2].min()), float(corners[:, 2].max())

    def fit_camera(self, client=None, covered=(0.0, 0.0)) -> None:
        """Show all of the mechanism, across its plane if it has one: to one client or to all, and to those to come.

        covered: the shares of the width, left and right, that panels hide.
        """
        with self._lock:
            self._settle()
            turning: list[np.ndarray] = []
            sliding: list[np.ndarray] = []
            for body, axis, turns in self._figure.axes:
                (turning if turns else sliding).append(turned(self._poses.Q[body][None], axis[None])[0])
            clients = list(self.server.get_clients().values()) if client is None else [client]
            self._stage.look(clients, self._corners(), turning, sliding, self._figure.size, covered)

    def close(self) -> None:
        """Call no callback any more."""
        self._hands.touches.close()
        self._stage.close()
