"""Mechanisms with closed loops as plain data: bodies and joints where they stand when assembled, the same for every contestant.

A joint is given once, by its frame in the world at the assembled pose; there every joint coordinate is zero. Its motion, in its frame:

    ball       three turns about the origin
    hinge      a turn about z
    slide      a shift along z
    universal  a turn about x, held by the parent, then about y, held by the child
"""

from dataclasses import dataclass, field

import numpy as np

GROUND = "ground"
GRAVITY = np.array((0.0, 0.0, -9.81))


@dataclass(frozen=True)
class Body:
    """com in body axes, m; inertia about com in body axes, kg m^2; rotation and origin: its assembled pose in the world."""

    name: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    rotation: np.ndarray
    origin: np.ndarray


@dataclass(frozen=True)
class Joint:
    """rotation and origin: the joint frame in the world at the assembled pose, common to parent and child there."""

    name: str
    kind: str
    parent: str
    child: str
    rotation: np.ndarray
    origin: np.ndarray


@dataclass
class Design:
    """All there is to know of a mechanism. planar: every motion stays in a plane, so that closing a loop by a point is enough."""

    name: str
    planar: bool = False
    bodies: list = field(default_factory=list)
    joints: list = field(default_factory=list)

    def body(self, name):
        return next(body for body in self.bodies if body.name == name)

    def add(self, name, mass, inertia, origin, rotation=None, com=(0.0, 0.0, 0.0)):
        rotation = np.eye(3) if rotation is None else np.asarray(rotation, float)
        self.bodies.append(Body(name, float(mass), np.array(com, float), np.diag(inertia).astype(float), rotation, np.array(origin, float)))

    def join(self, kind, parent, child, origin, rotation=None):
        rotation = np.eye(3) if rotation is None else np.asarray(rotation, float)
        self.joints.append(Joint(f"{parent}-{child}", kind, parent, child, rotation, np.array(origin, float)))


def designs():
    """What is measured."""
    return [ring(20), ring(40), ring(20, hung=True), ring(40, hung=True), stewart_platform(), four_bars(40), four_bar()]


def ring(count, hung=False):
    """A closed chain of rods joined by balls: a regular polygon in the plane xz, the first rod on top; hung: a ball holds its middle.

    Rods 0.1 m long, 0.1 kg, solid cylinders of radius 0.01 m.
    """
    design = Design(f"{'hung ' if hung else ''}ring {count}")
    length, mass, radius = 0.1, 0.1, 0.01
    across = mass * (3 * radius**2 + length**2) / 12
    circle = length / (2 * np.tan(np.pi / count))
    for k in range(count):
        turn = 2 * np.pi * k / count
        along, out = np.array((np.cos(turn), 0.0, -np.sin(turn))), np.array((np.sin(turn), 0.0, np.cos(turn)))
        middle = circle * (out - (0.0, 0.0, 1.0))
        # x along the rod, y normal to the polygon
        rotation = np.column_stack((along, (0.0, 1.0, 0.0), np.cross(along, (0.0, 1.0, 0.0))))
        design.add(f"rod{k}", mass, (mass * radius**2 / 2, across, across), middle, rotation)
        design.join("ball", f"rod{k}", f"rod{(k + 1) % count}", middle + along * length / 2)
    if hung:
        design.join("ball", GROUND, "rod0", (0.0, 0.0, 0.0))
    return design


def stewart_platform():
    """Six legs, each a universal joint on ground, a slide and a ball on the platform, which stands a little tilted."""
    design = Design("Stewart platform")
    tilt = rotation_about((0.3, 1.0, 0.2), 0.15)
    centre = np.array((0.05, -0.03, 1.0))
    disc, radius, thickness = 10.0, 0.5, 0.04
    across = disc * (3 * radius**2 + thickness**2) / 12
    design.add("platform", disc, (across, across, disc * radius**2 / 2), centre, tilt)
    for k in range(6):
        side = (-1) ** k
        low, high = np.deg2rad(120 * (k // 2) + side * 12), np.deg2rad(120 * (k // 2) + side * 42)
        foot = np.array((np.cos(low), np.sin(low), 0.0))
        head = centre + tilt @ (radius * np.array((np.cos(high), np.sin(high), 0.0)))
        leg = head - foot
        frame = frame_with_z(leg)
        design.add(f"cylinder{k}", 2.0, (0.042, 0.042, 0.002), foot + 0.25 * leg, frame)
        design.add(f"piston{k}", 1.0, (0.021, 0.021, 0.0005), foot + 0.75 * leg, frame)
        design.join("universal", GROUND, f"cylinder{k}", foot, frame)
        design.join("slide", f"cylinder{k}", f"piston{k}", foot + 0.5 * leg, frame)
        design.join("ball", f"piston{k}", "platform", head)
    return design


PLANE_XZ = np.column_stack(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)))  # a hinge axis across the plane xz


def four_bars(count, lean=0.4):
    """count four-bars in a row (IFToMM problem A02 has two, or forty): cranks that lean by `lean` rad, level couplers, each 1 m and 1 kg."""
    design = Design(f"{count} four-bars", planar=True)
    inertia = (1 / 12, 1 / 12, 1e-4)
    crank, coupler = frame_with_z((np.sin(lean), 0.0, np.cos(lean)), x=(0.0, 1.0, 0.0)), frame_with_z((1.0, 0.0, 0.0), x=(0.0, 1.0, 0.0))
    for k in range(count + 1):
        design.add(f"crank{k}", 1.0, inertia, (k, 0.0, 0.0), crank, com=(0.0, 0.0, 0.5))
        design.join("hinge", GROUND, f"crank{k}", (k, 0.0, 0.0), PLANE_XZ)
    for k in range(count):
        near, far = crank[:, 2] + (k, 0.0, 0.0), crank[:, 2] + (k + 1, 0.0, 0.0)
        design.add(f"coupler{k}", 1.0, inertia, near, coupler, com=(0.0, 0.0, 0.5))
        design.join("hinge", f"crank{k}", f"coupler{k}", near, PLANE_XZ)
        design.join("hinge", f"coupler{k}", f"crank{k + 1}", far, PLANE_XZ)
    return design


FOUR_BAR = np.array(((0.0, 0.0), (0.0, 0.4), (0.9, 0.8), (1.0, 0.0)))  # pin centres in the plane xz, m


def four_bar():
    """A crank of 0.4 m that can turn right round, a coupler and a rocker; three redundant rows when its hinges are taken in space."""
    design = Design("four-bar", planar=True)
    pins = [np.array((x, 0.0, z)) for x, z in FOUR_BAR]
    for name, a, b, mass in (("crank", 0, 1, 0.5), ("coupler", 1, 2, 1.2), ("rocker", 3, 2, 1.0)):
        length = np.linalg.norm(pins[b] - pins[a])
        across = mass * length**2 / 12
        rotation = frame_with_z(pins[b] - pins[a], x=(0.0, 1.0, 0.0))
        design.add(name, mass, (across, across, 1e-3 * mass), pins[a], rotation, com=(0.0, 0.0, length / 2))
    for parent, child, pin in ((GROUND, "crank", 0), ("crank", "coupler", 1), (GROUND, "rocker", 3), ("coupler", "rocker", 2)):
        design.join("hinge", parent, child, pins[pin], PLANE_XZ)
    return design


def four_bar_states(count, seed=0):
    """States of `four_bar` all round its crank: angles and rates of its four hinges, in the order of its joints, count x 4 each."""
    rng = np.random.default_rng(seed)
    spans = np.diff(np.vstack((FOUR_BAR, FOUR_BAR[:1])), axis=0)  # crank, coupler, rocker (downward), ground (backward)
    lengths, start = np.linalg.norm(spans, axis=1), np.arctan2(spans[:, 1], spans[:, 0])
    crank = start[0] + np.linspace(-np.pi, np.pi, count, endpoint=False)
    knee = FOUR_BAR[0] + lengths[0] * np.stack((np.cos(crank), np.sin(crank)), axis=1)
    gap = FOUR_BAR[3] - knee
    distance = np.linalg.norm(gap, axis=1)
    inner = np.arccos((lengths[1] ** 2 + distance**2 - lengths[2] ** 2) / (2 * lengths[1] * distance))
    coupler = np.arctan2(gap[:, 1], gap[:, 0]) + inner  # the branch with the coupler's end above
    end = knee + lengths[1] * np.stack((np.cos(coupler), np.sin(coupler)), axis=1)
    rocker = np.arctan2(*(end - FOUR_BAR[3]).T[::-1])
    # rates from knee_dot + coupler_dot = end_dot
    crank_dot = rng.uniform(-3, 3, count)
    arms = lengths[1] * np.stack((-np.sin(coupler), np.cos(coupler)), 1), lengths[2] * np.stack((-np.sin(rocker), np.cos(rocker)), 1)
    knee_dot = lengths[0] * np.stack((-np.sin(crank), np.cos(crank)), 1) * crank_dot[:, None]
    coupler_dot, rocker_dot = np.linalg.solve(np.stack((arms[0], -arms[1]), axis=2), -knee_dot[:, :, None])[:, :, 0].T
    turns = np.stack((crank - start[0], coupler - start[1], rocker - (start[2] + np.pi)), axis=1)  # of the bodies, from the design
    turns = (turns + np.pi) % (2 * np.pi) - np.pi
    rates = np.stack((crank_dot, coupler_dot, rocker_dot), axis=1)

    def hinges(x):  # PLANE_XZ has its axis along -y: turning x towards z is positive
        return np.stack((x[:, 0], x[:, 1] - x[:, 0], x[:, 2], x[:, 2] - x[:, 1]), axis=1)

    return hinges(turns), hinges(rates)


def rotation_about(axis, angle):
    """Rodrigues' formula."""
    K = cross_matrix(np.asarray(axis, float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def frame_with_z(z, x=(0.0, 0.0, 1.0)):
    """A rotation whose z axis points along z and whose x axis is near the one given, or else upward."""
    z = np.asarray(z, float) / np.linalg.norm(z)
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    return np.column_stack((np.cross(y, z), y, z))


def cross_matrix(v):
    return np.array(((0, -v[2], v[1]), (v[2], 0, -v[0]), (-v[1], v[0], 0)))


def spanning_tree(design):
    """([(joint, parent, child), ...], [joints left over]): shortest paths from ground, or from the first body if nothing is grounded.

    Depth first, since Pinocchio and MuJoCo want the bodies of a subtree side by side. A floating root has None for its joint.
    """
    placed, left = {GROUND}, list(design.joints)
    children = {name: [] for name in (GROUND, *(body.name for body in design.bodies))}
    if all(GROUND not in (joint.parent, joint.child) for joint in left):
        children[GROUND].append((None, GROUND, design.bodies[0].name))
        placed.add(design.bodies[0].name)
    while True:
        layer = {}
        for joint in left:
            for near, far in ((joint.parent, joint.child), (joint.child, joint.parent)):
                if near in placed and far not in placed and far not in layer:
                    layer[far] = joint, near, far
        if not layer:
            break
        for entry in layer.values():
            children[entry[1]].append(entry)
        placed.update(layer)
        used = {entry[0].name for entry in layer.values()}
        left = [joint for joint in left if joint.name not in used]
    tree, waiting = [], children[GROUND][::-1]
    while waiting:
        tree.append(waiting.pop())
        waiting.extend(children[tree[-1][2]][::-1])
    return tree, left
