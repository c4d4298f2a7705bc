"""A figure: all pieces and ties of a mechanism, and what else is known of it for drawing."""

import math
from dataclasses import dataclass, field

import numpy as np

import linkwork as lw

from .bodies import body_pieces, body_shapes, stick_pieces
from .joints import AXIS_COLORS, foot_pieces, joint_pieces, reach
from .pieces import CENTRES, FRAMES, GROUND, Piece, Tie
from .signs import GROUP_OF, law_pieces
from .turns import FAR, along, turned, within_reach

# The radius of rods is kept until a mechanism asks for one that differs by more than this factor: signs do not change with every edit.
KEEP = 1.7
MOST_REACH = 14.0  # radii: a hub is not longer than that on each side, however thick the bodies are
_MASSLESS = lw.Inertia(0.0, (0.0, 0.0, 0.0), np.zeros((3, 3)))


@dataclass(eq=False)
class Figure:
    """names: bodies, by number; role: {name of a part: "body", "joint", ...}; places: points at which each body is held; com, mass: of bodies."""

    names: list[str]
    pieces: list[Piece] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    role: dict[str, str] = field(default_factory=dict)
    holds: list[tuple[int, np.ndarray]] = field(default_factory=list)
    axes: list[tuple[int, np.ndarray, bool]] = field(default_factory=list)  # body, direction of a hinge (True) or a slide (False)
    com: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    mass: np.ndarray = field(default_factory=lambda: np.zeros(0))
    inertia: dict = field(default_factory=dict)  # of all bodies, by what was given for it
    r: float = 0.01
    size: float = 1.0
    down: np.ndarray = field(default_factory=lambda: np.array((0.0, 0.0, -1.0)))


def make_figure(mechanism, colors, surfaces, poses=None, before=None, extras=()):
    """The figure of a mechanism.

    poses: (P, Q) of all bodies and ground, or None if they are not known. before: the figure of the same mechanism before an edit, whose sizes
    are kept if they still suit. extras: groups that are drawn on request only (CENTRES, FRAMES).
    """
    return _Maker(mechanism, colors, surfaces, poses, before, extras).figure


class _Maker:
    def __init__(self, mechanism, colors, surfaces, poses, before, extras):
        self.mechanism, self.surfaces = mechanism, surfaces
        self.old_inertia = before.inertia if before is not None else {}
        bodies = mechanism.bodies
        self.figure = figure = Figure([body.name for body in bodies])
        self.number = {name: k for k, name in enumerate(figure.names)} | {"ground": GROUND}
        self.everyone = [*bodies, mechanism.ground]
        self.inertia = [self._inertia(body) for body in bodies]
        figure.com = within_reach(np.array([i.com for i in self.inertia], dtype=float).reshape(-1, 3))
        figure.mass = np.array([i.mass for i in self.inertia], dtype=float)
        if any(mechanism.gravity):
            figure.down = along(tuple(mechanism.gravity))[:, 2]
        self.ends = self._joint_ends()
        self.law_places = {part.name: self._law_places(part) for part in (*mechanism.constraints, *mechanism.forces)}
        self.places = self._places()
        self.shapes = {body.name: body_shapes(body, surfaces) for body in self.everyone}
        self.boxes = self._boxes()
        figure.size = self._size(poses)
        figure.r = self._radius(before.r if before is not None else None)
        self.girth = self._girths()
        for body in self.everyone:
            self._add_body(body, colors[body.name])
        self.half: dict[str, float] = {}
        self._add_joints()
        for part in (*mechanism.constraints, *mechanism.forces):
            self._add_law(part)
        self._add_frames(FRAMES in extras)
        if CENTRES in extras:
            self._add_centres()

    # ---- where parts are

    def _inertia(self, body):
        """The body's inertia; looked up if it has not changed. The shape is in the table too, so that no other can get its number."""
        key = body.mass, body.com, body.inertia, body.density, id(body.shape)
        found = self.old_inertia.get(key)
        if found is None:
            try:
                found = body.mass_properties(), body.shape
            except lw.LinkworkError:
                found = _MASSLESS, body.shape
        self.figure.inertia[key] = found
        return found[0]

    def _joint_ends(self):
        ends = {}
        for joint in self.mechanism.joints:
            try:
                F, M = (joint.parent_body, joint.parent_pose), (joint.child_body, joint.child_pose)
                ends[joint.name] = {side: (self.number[name], _near(pose)) for side, (name, pose) in (("F", F), ("M", M))}
            except (lw.LinkworkError, KeyError):
                continue  # a joint that stands on nothing: a fault of the mechanism, told elsewhere
        return ends

    def _law_places(self, part):
        """[(body, pose)] of the places of a force or constraint, none if it acts on joints."""
        found = []
        for place in (part.a, part.b):
            if place is None:
                continue
            try:
                on = self.mechanism.part(place.name)
                name, pose = (on.body, on.pose @ place.pose) if isinstance(on, lw.Frame) else (on.name, place.pose)
                found.append((self.number[name], _near(pose)))
            except (lw.LinkworkError, KeyError):
                return []
        return found

    def _places(self):
        places: list[list] = [[] for _ in self.everyone]
        for joint in self.mechanism.joints:
            if joint.name in self.ends and not joint.kind.free:
                for number, pose in self.ends[joint.name].values():
                    places[number].append(pose.translation)
        for found in self.law_places.values():
            for number, pose in found:
                places[number].append(pose.translation)
        self.figure.holds = [(k if k < len(places) - 1 else GROUND, np.reshape(points, (-1, 3))) for k, points in enumerate(places)]
        return places

    # ---- sizes

    def _size(self, poses):
        """The largest side of the box around all of it where poses are known; else twice the largest body."""
        owner, points = [], []
        for k, held in enumerate(self.places):
            owner += [k] * len(held)
            points += held
        massive = np.flatnonzero(self.figure.mass > 0.0)
        boxes, owners = self.boxes
        owner_of = np.concatenate([np.array(owner, dtype=np.intp), massive, owners, owners])
        local = np.concatenate([np.array(points, dtype=float).reshape(-1, 3), self.figure.com[massive], boxes[:, 0], boxes[:, 1]])
        if poses is None:
            order = np.argsort(owner_of, kind="stable")
            cuts = np.flatnonzero(np.diff(owner_of[order])) + 1
            return 2.0 * max((float(np.ptp(own, axis=0).max()) for own in np.split(local[order], cuts) if len(own)), default=0.0) or 1.0
        P, Q = poses
        world = P[owner_of] + turned(Q[owner_of], local)
        world = world[np.isfinite(world).all(axis=1)]
        return float(np.ptp(world, axis=0).max(initial=0.0) if len(world) else 0.0) or 1.0

    def _boxes(self):
        """Low and high corners (n, 2, 3) of the boxes around all shapes, in the axes of their bodies, and the bodies' numbers."""
        rows = [(k, self.surfaces[mesh], *where) for k, body in enumerate(self.everyone) for mesh, *where in self.shapes[body.name]]
        low, high = (np.array([getattr(mesh, side) for _, mesh, *_ in rows]).reshape(-1, 3) for side in ("low", "high"))
        R, p = np.array([R for *_, R, _, _ in rows]).reshape(-1, 3, 3), np.array([p for *_, p, _ in rows]).reshape(-1, 3)
        scale = np.array([scale for *_, scale in rows]).reshape(-1, 3)
        middle = np.einsum("nij,nj->ni", R, 0.5 * (low + high) * scale) + p
        half = np.einsum("nij,nj->ni", np.abs(R), 0.5 * (high - low) * scale)
        return np.stack([middle - half, middle + half], axis=1), np.array([k for k, *_ in rows], dtype=np.intp)

    def _radius(self, before):
        """A hundredth of the mechanism, but thin against the links of a long chain."""
        lengths = [float(np.ptp(points, axis=0).max()) for number, points in self.figure.holds if number >= 0 and len(points) > 1]
        lengths = [length for length in lengths if length > 1e-3 * self.figure.size]
        r = min(0.011 * self.figure.size, 0.1 * float(np.median(lengths)) if lengths else math.inf)
        return before if before is not None and before / KEEP < r < before * KEEP else r

    def _girths(self):
        """(bodies and ground,): the middle side of the box around each body's shapes, m; infinite where there are none, and for ground."""
        boxes, owners = self.boxes
        low, high = np.full((len(self.everyone), 3), np.inf), np.full((len(self.everyone), 3), -np.inf)
        np.minimum.at(low, owners, boxes[:, 0])
        np.maximum.at(high, owners, boxes[:, 1])
        sides = np.sort(high - low, axis=1)[:, 1]
        girth = np.where(sides > 0.0, sides, np.inf)
        girth[-1] = np.inf
        return girth.tolist()

    def _sign_size(self, numbers):
        """The radius that signs on these bodies go by: smaller than usual where all of the bodies are small."""
        girths = [self.girth[number] for number in numbers if number != GROUND]
        girths = [girth for girth in girths if math.isfinite(girth)]
        return min(self.figure.r, 0.25 * max(girths)) if girths else self.figure.r

    # ---- parts

    def _add_body(self, body, color):
        k, figure = self.number[body.name], self.figure
        shapes = self.shapes[body.name]
        if not shapes and k >= 0:
            shapes = stick_pieces(self.places[k], self.inertia[k], figure.r, figure.size, self.surfaces)
        figure.role[body.name] = "body"
        figure.pieces += body_pieces(body, k, color, shapes)

    def _add_joints(self):
        figure = self.figure
        for joint in self.mechanism.joints:
            figure.role[joint.name] = "joint"
            ends = self.ends.get(joint.name)
            if ends is None:
                continue
            self.half[joint.name] = self._hub(joint, ends)
            pieces, ties = joint_pieces(joint, ends, self._sign_size(number for number, _ in ends.values()), self.half[joint.name])
            figure.pieces += pieces
            figure.ties += ties
            number, pose = ends["F"]
            if number == GROUND:
                figure.pieces += foot_pieces(joint, pose, figure.r, figure.down)
            figure.axes += [(number, pose.rotation @ e.axis, bool(e.turn)) for e in joint.kind.elements or ()]
            if joint.kind.elements is None and joint.kind.nv:
                figure.axes += [(number, axis, True) for axis in np.eye(3)]

    def _hub(self, joint, ends):
        """Half the length of a hub that comes out of the bodies it holds, in m."""
        if not joint.kind.elements or type(joint.kind).__name__ != "Revolute":
            return 0.0
        longest, r = 0.0, self.figure.r
        for number, pose in ends.values():
            axis = pose.rotation @ joint.kind.elements[0].axis
            for mesh, R, p, scale in self.shapes[self.everyone[number].name]:
                made = self.surfaces[mesh]
                found = reach(axis, pose.translation, R, p, (made.low * scale).tolist(), (made.high * scale).tolist())
                if found < MOST_REACH * r:
                    longest = max(longest, found)
        return longest + 0.7 * r

    def _add_law(self, part):
        figure = self.figure
        figure.role[part.name] = part.role
        places = self.law_places[part.name]
        r = self._sign_size(number for number, _ in places) if places else figure.r
        pieces, ties = law_pieces(part, GROUP_OF[part.role], places, self._hubs(part), r)
        figure.pieces += pieces
        figure.ties += ties

    def _hubs(self, part):
        """[(body, pose, axis, half)] of every joint coordinate that a law acts on: where the joint's hub is."""
        hubs = []
        for name, dof in part.joints:
            if name not in self.ends:
                continue
            number, pose = self.ends[name]["F"]
            elements = self.mechanism.joint(name).kind.elements
            axis = elements[max(dof, 0)].axis if elements else (0.0, 0.0, 1.0)
            hubs.append((number, pose, axis, self.half.get(name, 0.0)))
        return hubs

    def _add_frames(self, drawn):
        figure, length = self.figure, 7.0 * self.figure.r
        for frame in self.mechanism.frames:
            figure.role[frame.name] = "frame"
            if not drawn:
                continue
            try:
                body, pose = self.number[frame.body], _near(frame.pose)
            except (lw.LinkworkError, KeyError):
                continue
            for axis, color in zip(np.eye(3).tolist(), AXIS_COLORS, strict=True):
                R = pose.rotation @ along(tuple(axis))
                at = pose.translation + 0.5 * length * R[:, 2]
                figure.pieces.append(Piece(FRAMES, "rod", body, R, at, (0.28 * figure.r, 0.28 * figure.r, length), color, frame.name))

    def _add_centres(self):
        size = (1.7 * self.figure.r,) * 3
        for k, name in enumerate(self.figure.names):
            if self.figure.mass[k] > 0.0:
                for mesh, color in (("dark", (30, 32, 36)), ("light", (250, 206, 60))):
                    self.figure.pieces.append(Piece(CENTRES, mesh, k, np.eye(3), self.figure.com[k], size, color, name))


def _near(pose):
    """A pose that can be drawn: as it is, or where it is further away than pages can hold, as far as they can."""
    return pose if np.abs(pose.translation).max() <= FAR else lw.Pose(within_reach(pose.translation), pose.rotation)
