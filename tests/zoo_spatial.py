"""Spatial linkages with loops. Kutzbach's count is 6 n - sum over joints of (6 - f); what exceeds it is owed to the geometry."""

import numpy as np

import linkwork as lw

from .zoo_assembly import Drawing

X, Y, Z = np.eye(3)


def _ring(drawing, axes, names=None):
    """A loop of hinges through the ground: axes are (point, direction) pairs; body k lies between axis k and the next."""
    count = len(axes)
    parts = [drawing.ground if k == count - 1 else drawing.body(f"link {k}", axes[k][0], axes[k + 1][0]) for k in range(count)]
    for k, (point, direction) in enumerate(axes):
        drawing.hinge(f"hinge {k}", parts[k - 1], parts[k], point, direction)


def spatial_slider_crank():
    """Crank hinge, ball, cross, slide, askew to each other: nothing is redundant."""
    drawing = Drawing("spatial slider-crank")
    a, b, c = np.zeros(3), np.array((0.05, 0.2, 0.25)), np.array((0.9, -0.1, 0.15))
    crank, rod, slider = drawing.body("crank", a, b), drawing.body("rod", b, c), drawing.body("slider", c)
    drawing.hinge("pivot", drawing.ground, crank, a, (1.0, 0.1, -0.2))
    drawing.ball("crank ball", crank, rod, b)
    drawing.join("cross", lw.Universal((0.0, 1.0, 0.1), (0.1, 0.2, 1.0)), slider, rod, c)
    drawing.join("guide", lw.Prismatic((1.0, 0.2, 0.1)), drawing.ground, slider, c)
    return drawing.done(1, 0)


def rssr():
    """Two hinges and a rod with two balls: one motion, and the rod may spin about itself."""
    drawing = Drawing("RSSR")
    a, b, c, d = np.zeros(3), np.array((0.1, 0.3, 0.2)), np.array((0.8, 0.5, 0.4)), np.array((1.0, 0.0, 0.1))
    crank, rod, rocker = drawing.body("crank", a, b), drawing.body("rod", b, c), drawing.body("rocker", c, d)
    drawing.hinge("pivot", drawing.ground, crank, a, (0.9, 0.1, -0.3))
    drawing.ball("crank ball", crank, rod, b)
    drawing.ball("rocker ball", rocker, rod, c)
    drawing.hinge("rocker pivot", rocker, drawing.ground, d, (0.1, 0.3, 1.0))
    return drawing.done(2, 0)


def sarrus():
    """A plate on two legs of three parallel hinges each (Sarrus 1853): it moves straight up and down. Kutzbach's count is 0."""
    drawing = Drawing("Sarrus")
    plate = drawing.body("plate", (0.2, 0.3, 0.7), (0.6, 0.2, 0.7))
    for k, (axis, points) in enumerate(
        ((X, ((0.2, 0.0, 0.0), (0.15, -0.3, 0.35), (0.25, 0.05, 0.7))), (Y, ((0.9, 0.2, 0.05), (1.25, 0.3, 0.4), (0.8, 0.25, 0.75))))
    ):
        foot, knee, top = map(np.array, points)
        shin, thigh = drawing.body(f"shin {k}", foot, knee), drawing.body(f"thigh {k}", knee, top)
        drawing.hinge(f"foot {k}", drawing.ground, shin, foot, axis)
        drawing.hinge(f"knee {k}", shin, thigh, knee, axis)
        drawing.hinge(f"top {k}", thigh, plate, top, axis)
    return drawing.done(1, 1)


def bennett(theta=1.9):
    """Four skew hinges, twists proportional to lengths, sin(alpha) / a = sin(beta) / b (Bennett 1903). Kutzbach's count is -2.

    With Denavit and Hartenberg's angles tan(theta_1 / 2) tan(theta_2 / 2) = sin((beta + alpha) / 2) / sin((beta - alpha) / 2),
    theta_3 = -theta_1 and theta_4 = -theta_2.
    """
    alpha, beta, a = 0.6, 1.2, 0.5
    b = a * np.sin(beta) / np.sin(alpha)
    other = 2.0 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    at, axes = lw.Pose(), []
    for turn, length, twist in ((theta, a, alpha), (other, b, beta), (-theta, a, alpha), (-other, b, beta)):
        axes.append((at.translation, at.rotation[:, 2]))
        at = at @ lw.Pose.from_rpy(0.0, 0.0, turn) @ lw.Pose((length, 0.0, 0.0)) @ lw.Pose.from_rpy(twist, 0.0, 0.0)
    if not at.isclose(lw.Pose(), 1e-12):
        raise ArithmeticError(f"Bennett's linkage does not close: {at}")
    drawing = Drawing("Bennett")
    _ring(drawing, axes)
    return drawing.done(1, 3)


def bricard(symmetry="line"):
    """Six hinges in a ring with a symmetry (Bricard 1897). Kutzbach's count is 0.

    line: three skew hinges, and the same turned by half a turn about a line. plane: two hinges in a plane, two beside it and their mirror
    images. cube: along six edges of a cube, each hinge perpendicular to both of its rods (the IFToMM library's problem A04, unit rods).
    """
    points = np.array(((0.9, 0.1, 0.2), (0.6, 0.8, -0.2), (-0.1, 0.9, 0.4)))
    directions = np.array(((0.2, 1.0, 0.3), (1.0, -0.4, 0.5), (0.3, 0.2, 1.0)))
    if symmetry == "line":
        half_turn = np.diag((-1.0, -1.0, 1.0))
        axes = [*zip(points, directions, strict=True), *zip(points @ half_turn, directions @ half_turn, strict=True)]
    elif symmetry == "plane":
        mirror = np.diag((1.0, 1.0, -1.0))
        beside, along = points[:2] + (0.0, 0.0, 0.5), directions[:2]
        there = list(zip(beside, along, strict=True))
        back = list(zip(beside @ mirror, along @ mirror, strict=True))[::-1]
        axes = [((1.1, -0.3, 0.0), (0.3, 1.0, 0.0)), *there, ((-0.3, 0.8, 0.0), (1.0, 0.6, 0.0)), *back]
    else:
        corners = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
        axes = list(zip(np.array(corners, dtype=float), (Y, Z, X, Y, Z, X), strict=True))
    drawing = Drawing(f"Bricard ({symmetry})")
    _ring(drawing, axes)
    return drawing.done(1, 1)


def stewart(foot="universal"):
    """A platform on six legs that can change their length (Gough 1956, Stewart 1965): 6, and with balls at both ends a spin for each leg."""
    drawing = Drawing(f"Stewart platform on {foot} feet")
    feet, tops = _hexapod(drawing)
    plate = drawing.body("platform", *tops)
    for k, (low, top) in enumerate(zip(feet, tops, strict=True)):
        middle = low + (0.45 + 0.02 * k) * (top - low)
        cylinder, piston = drawing.body(f"cylinder {k}", low, middle), drawing.body(f"piston {k}", middle, top)
        drawing.join(f"foot {k}", _foot(foot, k), drawing.ground, cylinder, low)
        drawing.join(f"leg {k}", lw.Prismatic(top - low), cylinder, piston, middle)
        drawing.ball(f"top {k}", piston, plate, top)
    return drawing.done(6 if foot == "universal" else 12, 0)


def hexapod_truss():
    """The platform on six legs of fixed length: a spatial truss."""
    drawing = Drawing("hexapod truss")
    feet, tops = _hexapod(drawing)
    plate = drawing.body("platform", *tops)
    for k, (low, top) in enumerate(zip(feet, tops, strict=True)):
        leg = drawing.body(f"leg {k}", low, top)
        drawing.join(f"foot {k}", _foot("universal", k), drawing.ground, leg, low)
        drawing.ball(f"top {k}", leg, plate, top)
    return drawing.done(0, 0)


def _hexapod(drawing):
    """Feet in pairs on a circle of 1 m, tops in pairs on one of 0.6 m, 0.9 m above and turned by 60 degrees; all a little off."""

    def circle(radius, start, height):
        angles = start + np.repeat(np.arange(3) * 2 * np.pi / 3, 2) + np.tile((-0.25, 0.25), 3)
        points = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(6, height)])
        return points + drawing.rng.uniform(-0.04, 0.04, (6, 3))

    feet, tops = circle(1.0, 0.0, 0.0), circle(0.6, np.pi / 3, 0.9)
    return feet, tops[[5, 0, 1, 2, 3, 4]]


def _foot(kind, k):
    return lw.Spherical() if kind == "spherical" else lw.Universal((np.cos(1.1 * k), np.sin(1.1 * k), 0.1), (0.3, 1.0 + 0.1 * k, -0.4))


def delta():
    """Three arms, each a hinge and a parallelogram of two rods with balls (Clavel 1988): the plate shifts, and six rods spin.

    Kutzbach's count is 9 already: the parallelograms keep the plate from turning, but no row is redundant.
    """
    drawing = Drawing("delta robot")
    plate = drawing.body("plate", (0.05, 0.02, -0.6))
    for k in range(3):
        turn = lw.Pose.from_rpy(0.0, 0.0, 2 * np.pi / 3 * k)
        hip, elbow, wrist = (turn.act(p) for p in ((0.3, 0.0, 0.0), (0.5, 0.0, -0.15 - 0.03 * k), (0.12, 0.0, -0.6)))
        across = turn.rotation @ (0.0, 0.06, 0.0)
        arm = drawing.body(f"arm {k}", hip, elbow)
        drawing.hinge(f"hip {k}", drawing.ground, arm, hip, turn.rotation @ Y)
        for side, shift in (("left", across), ("right", -across)):
            rod = drawing.body(f"{side} rod {k}", elbow + shift, wrist + shift)
            drawing.ball(f"{side} elbow {k}", arm, rod, elbow + shift)
            drawing.ball(f"{side} wrist {k}", rod, plate, wrist + shift)
    return drawing.done(9, 0)
