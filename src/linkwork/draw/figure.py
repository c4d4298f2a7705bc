"""A figure: all that is drawn of a mechanism, each face and line on its body. Poses make a picture of it.

A Model keeps the shapes of its mechanism; a body without any is drawn with rods (sticks.py).
"""

import warnings
from dataclasses import dataclass

import numpy as np

from ..errors import ModelError, PictureWarning
from ..model.model import Model
from ..parts.mechanism import Mechanism
from ..parts.part import Named
from ..parts.place import Place
from ..parts.shapes import MeshFile
from ..parts.validation import refuse
from .floors import floor_planes, is_level, slab
from .glyphs import foot, joint_sign
from .mesh_files import read_mesh
from .shade import GRAPHITE, GRID, INK, SPRING, body_colors
from .solids import Solid, solid_of
from .sticks import equivalent_box, stick_figure
from .strokes import triad

GROUND = -1
SLAB = GRID
AXIS_COLORS = ((0.776, 0.322, 0.275), (0.376, 0.588, 0.353), (0.290, 0.435, 0.678))


@dataclass(frozen=True, eq=False)
class Piece:
    """A solid on a body (its number, -1: ground). backdrop: it is seen, but the camera does not stand back for it."""

    body: int
    solid: Solid
    color: tuple
    backdrop: bool = False


@dataclass(frozen=True, eq=False)
class Line:
    """A line fixed on a body. width in pixels of a picture 720 high."""

    body: int
    points: np.ndarray
    color: tuple
    width: float = 1.5


@dataclass(frozen=True, eq=False)
class Tie:
    """A line between points of two bodies, made anew in every pose. style: a key of strokes.STYLES."""

    style: str
    a: tuple  # body, point
    b: tuple
    color: tuple
    radius: float
    width: float = 2.0


class Figure:
    """pieces, lines, ties of a model. r: the radius of rods, m; labels: (text, body, point)."""

    def __init__(self, model, q=None, *, colors=None, joints=True, frames=()):
        self.model, self.looks = model, {look.body: look for look in model.looks}
        self.index = {"ground": GROUND} | {b.name: b.index for b in model.bodies}
        self.colors = body_colors([b.name for b in model.bodies], colors)
        self.pieces, self.lines, self.ties, self.notes = [], [], [], []
        places = self._places()
        shaped = {b: solids for b in self.index if (solids := self._shapes(b))}
        self.size = self._extent(places, shaped, q)
        self.r = self._rod_radius(places, shaped)
        for name, body in self.index.items():
            solids = shaped.get(name)
            if solids is None and name != "ground":
                solids = stick_figure(places[name], model.bodies[body].inertia, self.r, self.size, flat=joints)
            self.pieces += [Piece(body, solid, self.colors[name]) for solid in solids or ()]
        if joints:
            self._add_joints(shaped)
        self._add_ties()
        self._add_frames(frames)
        self._add_slopes(q, places, shaped)
        self.labels = [(b.name, b.index, np.array(b.inertia.com)) for b in model.bodies]

    # ---- what bodies show

    def _shapes(self, name):
        """Solids of a body: its shape and visuals, or its collision shapes if none of these can be shown."""
        body = self.looks.get(name)
        if body is None:
            return []
        for shapes in ((*([body.shape] if body.shape is not None else ()), *body.visuals), body.collisions):
            solids = [solid for shape in shapes if (solid := self._solid(name, shape)) is not None]
            if solids:
                return solids
        return []

    def _solid(self, name, shape):
        if not isinstance(shape, MeshFile):
            return solid_of(shape)
        made = read_mesh(shape)
        if isinstance(made, str):
            self.notes.append((name, made))
            return None
        return made

    def warn(self):
        """Say, once for a figure, which meshes are not shown."""
        if self.notes:
            name, why = self.notes[0]
            more = f", and {len(self.notes) - 1} more" if len(self.notes) > 1 else ""
            warnings.warn(
                f"{self.model.name!r}: a mesh of body {name!r}{more} cannot be shown: {why}. Collision shapes or boxes of equal inertia stand in",
                PictureWarning,
                stacklevel=4,
            )

    def _places(self):
        """Points of every body, in its axes, at which joints and constraints hold it."""
        places = {name: [] for name in self.index}
        for joint in self.model.joints:
            if not joint.kind.free:
                for name, pose in joint_ends(joint):
                    places[name].append(pose.translation)
        for constraint in self.model.constraints:
            for name, pose in constraint.places:
                places[name].append(pose.translation)
        return places

    def _extent(self, places, shaped, q):
        """The largest side of the box around all of it, m; in the pose q, which decides how thick rods are."""
        points = np.concatenate(list(self._points(q, places, shaped)))
        spread = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
        boxes = [found[0].max() for b in self.model.bodies if (found := equivalent_box(b.inertia)) is not None]
        return spread or float(max(boxes, default=0.0)) or 1.0

    def _add_slopes(self, q, places, shaped):
        """Floors that are not level, as slabs. `floors`: the planes of all floors."""
        self.floors = floor_planes(self.looks.get("ground"))
        slopes = [plane for plane in self.floors if not is_level(plane)]
        if slopes:
            points = np.concatenate(list(self._points(q, places, shaped)))
            middle = 0.5 * (points.min(axis=0) + points.max(axis=0)) if len(points) else np.zeros(3)
            self.pieces += [Piece(GROUND, slab(plane, middle, self.size), SLAB, backdrop=True) for plane in slopes]

    def _points(self, q, places, shaped):
        """Joints, centres of mass and corners of every body in the pose q, in the world."""
        from ..dynamics.kinematics import forward_kinematics

        found = forward_kinematics(self.model, q)
        for name, body in self.index.items():
            inertia = self.model.bodies[body].inertia if body >= 0 else None
            own = [*places[name], *([inertia.com] if inertia is not None and inertia.mass > 0.0 else [])]
            own = np.concatenate([np.reshape(own, (-1, 3)), *(solid.corners for solid in shaped.get(name, ()))])
            yield own @ found.rotation(name).T + found.position(name)

    def _rod_radius(self, places, shaped):
        """A hundredth of the mechanism, but thin against the links of a long chain."""
        lengths = [
            float(np.ptp(np.reshape(points, (-1, 3)), axis=0).max())
            for name, points in places.items()
            if len(points) > 1 and name != "ground"
        ]
        lengths = [length for length in lengths if length > 1e-3 * self.size]
        return min(0.011 * self.size, 0.1 * float(np.median(lengths)) if lengths else np.inf)

    # ---- joints, springs, frames

    def _add_joints(self, shaped):
        gravity = np.asarray(self.model.gravity)
        length = np.linalg.norm(gravity)
        down = gravity / length if length > 0.0 else np.array((0.0, 0.0, -1.0))
        for joint in self.model.joints:
            sign, ends = joint_sign(joint.kind, self.r), dict(zip("FM", joint_ends(joint), strict=True))
            for side, solid, color in sign.solids:
                name, pose = ends[side]
                self.pieces.append(Piece(self.index[name], solid.placed(pose.rotation, pose.translation), color))
            for side, points, color in sign.lines:
                name, pose = ends[side]
                self.lines.append(Line(self.index[name], points @ pose.rotation.T + pose.translation, color))
            slides = joint.kind.elements and any(element.slide for element in joint.kind.elements)
            if slides:
                a, b = ((self.index[name], pose.translation) for name, pose in ends.values())
                self.ties.append(Tie("string", a, b, GRAPHITE, self.r, 3.0))
            if ends["F"][0] == "ground" and not joint.kind.free and (sign.solids or ends["M"][0] not in shaped):
                pose = ends["F"][1]
                solid, color = foot(joint.kind, self.r, pose.rotation.T @ down)
                self.pieces.append(Piece(GROUND, solid.placed(pose.rotation, pose.translation), color))

    def _add_ties(self):
        """Springs, strings and rods without mass: forces and distances between two places."""
        for constraint in self.model.constraints:
            if type(constraint.kind).__name__ == "Distance" and len(constraint.places) == 2:
                a, b = ((self.index[name], pose.translation) for name, pose in constraint.places)
                self.ties.append(Tie("string", a, b, INK, self.r, 2.0))
        for force in self.model.forces:
            name = type(force.kind).__name__.lower()
            style = "coil" if "spring" in name else "string" if "string" in name or "rope" in name else None
            if len(force.places) == 2 and style is not None and "torsion" not in name:
                a, b = ((self.index[body], pose.translation) for body, pose in force.places)
                self.ties.append(Tie(style, a, b, SPRING, 1.7 * self.r, 2.0))

    def _add_frames(self, frames):
        one = isinstance(frames, (str, Named, Place))
        if not one and not isinstance(frames, (bool, list, tuple, set, type(None))):
            raise refuse("draw", "frames", frames, "give True for all, a frame, a body, the name of one or a place, or a list of these")
        names = [frame.name for frame in self.model.frames] if frames is True else [frames] if one else list(frames or ())
        for name in names:
            info = self.model.frame(name)
            for points, color in zip(triad(7.0 * self.r), AXIS_COLORS, strict=True):
                self.lines.append(Line(info.body, points @ info.pose.rotation.T + info.pose.translation, color, 2.2))


def joint_ends(joint):
    """((body, pose of F), (body, pose of M)) of a joint, the way it was given."""
    parent, child = (joint.child, joint.parent) if joint.backwards else (joint.parent, joint.child)
    return (parent, joint.parent_pose), (child, joint.child_pose)


def model_of(thing):
    """The Model of what a picture is asked for."""
    thing = getattr(thing, "mechanism", thing)  # of a Document
    if isinstance(thing, Mechanism):
        return thing.build()
    if isinstance(thing, Model):
        return thing
    raise ModelError(f"draw: found a {type(thing).__name__}; allowed is a Mechanism, a Document or a Model; give what you built, before q")
