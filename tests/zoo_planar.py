"""Planar linkages with loops. Every loop of a planar linkage of hinges and slides has three redundant rows: it cannot leave its plane.

Their textbook mobility is Gruebler's 3 n - 2 j for n moving links and j joints, unless a remark says why it is not.
"""

import numpy as np

import linkwork as lw

from .zoo_assembly import Drawing


def _meeting(a, b, ra, rb, side):
    """The point at distance ra from a and rb from b, to the left (side = 1) of the way from a to b, or to the right (-1)."""
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    d = np.linalg.norm(b - a)
    along = (d * d + ra * ra - rb * rb) / (2 * d)
    x = (b - a) / d
    return a + along * x + side * np.sqrt(ra * ra - along * along) * np.array((-x[1], x[0], 0.0))


def _polar(length, angle, start=(0.0, 0.0, 0.0)):
    return np.array(start) + length * np.array((np.cos(angle), np.sin(angle), 0.0))


def _four_bar(name, a, b, c, d, *facts, **more):
    drawing = Drawing(name)
    crank, coupler, rocker = drawing.body("crank", a, b), drawing.body("coupler", b, c), drawing.body("rocker", c, d)
    drawing.hinge("pivot", drawing.ground, crank, a)
    drawing.hinge("crank pin", crank, coupler, b)
    drawing.hinge("rocker pin", rocker, coupler, c)
    drawing.hinge("rocker pivot", drawing.ground, rocker, d)
    return drawing.done(*facts, planar=True, **more)


def four_bar(side=1):
    """Crank 0.4, coupler 0.9, rocker 0.7, ground 1.0 m: the crank can go round. side = -1: crossed."""
    a, d = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)
    b = _polar(0.4, 1.0)
    return _four_bar("four-bar" if side == 1 else "crossed four-bar", a, b, _meeting(b, d, 0.9, 0.7, side), d, 1, 3)


def crossed_four_bar():
    """The other way to assemble the same links: coupler and ground cross."""
    return four_bar(side=-1)


def flat_four_bar():
    """Lengths 0.4, 0.8, 0.6, 1.0 with 0.4 + 1.0 = 0.8 + 0.6, all in one line: the pose in which two motions branch.

    Pins leave the line at speeds y_B and y_C, and links become shorter along it by (change of y)^2 / (2 length); these must cancel:
    -y_B^2 / 0.4 + (y_C - y_B)^2 / 0.8 + y_C^2 / 0.6 = 0. `velocity` is that of one of the two branches, with y_B = 1.
    """
    y = (1 / 0.8 + np.sqrt(1 / 0.8**2 - (1 / 0.8 + 1 / 0.6) * (1 / 0.8 - 1 / 0.4))) / (1 / 0.8 + 1 / 0.6)
    crank, coupler, rocker = -1 / 0.4, (y - 1.0) / 0.8, -y / 0.6
    rates = {"pivot": crank, "crank pin": coupler - crank, "rocker pin": coupler - rocker, "rocker pivot": rocker}
    velocity = {name: np.array([rate]) for name, rate in rates.items()}
    points = ((0.0, 0.0, 0.0), (-0.4, 0.0, 0.0), (0.4, 0.0, 0.0), (1.0, 0.0, 0.0))
    return _four_bar("flat four-bar", *points, 2, 4, 1, velocity=velocity)


def slider_crank():
    """Crank 0.3 m, rod 0.8 m, a slide 0.05 m below the pivot."""
    drawing = Drawing("slider-crank")
    b = _polar(0.3, 0.9)
    c = np.array((b[0] + np.sqrt(0.64 - (b[1] + 0.05) ** 2), -0.05, 0.0))
    crank, rod, slider = drawing.body("crank", (0, 0, 0), b), drawing.body("rod", b, c), drawing.body("slider", c)
    drawing.hinge("pivot", drawing.ground, crank, (0, 0, 0))
    drawing.hinge("crank pin", crank, rod, b)
    drawing.hinge("wrist pin", rod, slider, c)
    drawing.join("guide", lw.Prismatic((1, 0, 0)), drawing.ground, slider, c)
    return drawing.done(1, 3, planar=True)


def parallelogram(legs=3):
    """A coupler on parallel cranks, 0.5 m each. Two make a four-bar; every further one adds a row that is redundant in the plane too."""
    drawing = Drawing(f"parallelogram on {legs} legs")
    lift = _polar(0.5, 1.2)
    feet = [np.array((x, y, 0.0)) for x, y in ((0.0, 0.0), (1.0, 0.1), (0.45, -0.15), (1.4, 0.25), (0.7, 0.3))[:legs]]
    coupler = drawing.body("coupler", *(foot + lift for foot in feet))
    for k, foot in enumerate(feet):
        crank = drawing.body(f"crank {k}", foot, foot + lift)
        drawing.hinge(f"foot {k}", drawing.ground, crank, foot)
        drawing.hinge(f"knee {k}", crank, coupler, foot + lift)
    return drawing.done(1, 3 * (legs - 1) + legs - 2, planar=True)


def scissor_lift(cells=3):
    """Pairs of crossed bars one above the other on a pin and a slide: `cells` loops, each sharing bars with the next."""
    drawing = Drawing(f"scissor lift of {cells}")
    left, right = np.array((0.0, 0.0, 0.0)), np.array((1.0, 0.05, 0.0))
    slider = drawing.body("slider", right)
    drawing.join("slide", lw.Prismatic((1, 0, 0)), drawing.ground, slider, right)
    below = drawing.ground, slider
    for k in range(cells):
        rise = np.array((0.06 * np.sin(k + 1), 0.45 + 0.04 * np.cos(2 * k), 0.0))
        top_left, top_right = left + rise, right + 0.9 * rise + np.array((0.02, 0.0, 0.0))
        up, down = drawing.body(f"rising {k}", left, top_right), drawing.body(f"falling {k}", right, top_left)
        drawing.hinge(f"left {k}", below[0], up, left)
        drawing.hinge(f"right {k}", below[1], down, right)
        drawing.hinge(f"cross {k}", up, down, _crossing(left, top_right, right, top_left))
        left, right, below = top_left, top_right, (down, up)
    return drawing.done(1, 3 * cells, planar=True)


def _crossing(a, b, c, d):
    """Where the lines a b and c d meet."""
    s, _ = np.linalg.solve(np.column_stack([(b - a)[:2], (c - d)[:2]]), (c - a)[:2])
    return a + s * (b - a)


def watt_six_bar():
    """A four-bar with another on two of its sides (Watt's chain): two loops that share three links."""
    drawing = Drawing("Watt six-bar")
    a, d, b = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), _polar(0.5, 1.3)
    c = _meeting(b, d, 0.9, 0.6, 1)
    e, f = c + (0.1, 0.5, 0.0), c + (0.7, 0.15, 0.0)
    g = _meeting(e, f, 0.5, 0.6, 1)
    crank, coupler, rocker = drawing.body("crank", a, b), drawing.body("coupler", b, c, e), drawing.body("rocker", c, d, f)
    first, second = drawing.body("first", e, g), drawing.body("second", f, g)
    drawing.hinge("A", drawing.ground, crank, a)
    drawing.hinge("B", crank, coupler, b)
    drawing.hinge("C", coupler, rocker, c)
    drawing.hinge("D", rocker, drawing.ground, d)
    drawing.hinge("E", coupler, first, e)
    drawing.hinge("F", rocker, second, f)
    drawing.hinge("G", second, first, g)
    return drawing.done(1, 6, planar=True)


def truss(bars=2):
    """Bars from the ground to one pin. Two are a rigid triangle; every further one is redundant in the plane too."""
    drawing = Drawing(f"truss of {bars} bars")
    pin = np.array((0.3, 0.8, 0.0))
    feet = [(0.0, 0.0, 0.0), (1.0, 0.1, 0.0), (0.4, -0.1, 0.0), (1.3, 0.4, 0.0)][:bars]
    parts = [drawing.body(f"bar {k}", foot, pin) for k, foot in enumerate(feet)]
    for k, (bar, foot) in enumerate(zip(parts, feet, strict=True)):
        drawing.hinge(f"foot {k}", drawing.ground, bar, foot)
        if k:
            drawing.hinge(f"pin {k}", parts[0], bar, pin)
    return drawing.done(0, 3 * (bars - 1) + bars - 2, planar=True)


def shaky_truss():
    """Two bars in one line between two supports: their pin may start to move across, and cannot move at all."""
    drawing = Drawing("shaky truss")
    a, b, c = (0.0, 0.0, 0.0), (0.6, 0.0, 0.0), (1.0, 0.0, 0.0)
    left, right = drawing.body("left", a, b), drawing.body("right", b, c)
    drawing.hinge("left foot", drawing.ground, left, a)
    drawing.hinge("pin", left, right, b)
    drawing.hinge("right foot", drawing.ground, right, c)
    return drawing.done(1, 4, 0, planar=True, isolated=True)


def n_four_bar(n=4, theta=np.pi / 2):
    """The N-four-bar of the IFToMM library (problem A02): n + 1 cranks at an angle theta, n couplers, all of 1 m and 1 kg.

    While cranks are parallel it is one pendulum: theta'' = -g cos(theta) ((n + 1) / 2 + n) / ((n + 1) / 3 + n). In the flat pose,
    theta = 0, any crank may fold to the other side; `velocity` is that of the problem, theta' = -1 rad/s.
    """
    drawing = Drawing(f"{n}-four-bar", lw.Pose(), gravity=(0.0, -9.81, 0.0))
    rise = _polar(1.0, theta)
    feet = [np.array((float(k), 0.0, 0.0)) for k in range(n + 1)]
    cranks = [_rod(drawing, f"crank {k}", foot, foot + rise) for k, foot in enumerate(feet)]
    velocity = {}
    for k, foot in enumerate(feet):
        drawing.hinge(f"foot {k}", drawing.ground, cranks[k], foot)
        velocity[f"foot {k}"] = np.array([-1.0])
    for k in range(n):
        coupler = _rod(drawing, f"coupler {k}", feet[k] + rise, feet[k + 1] + rise)
        drawing.hinge(f"left {k}", cranks[k], coupler, feet[k] + rise)
        drawing.hinge(f"right {k}", coupler, cranks[k + 1], feet[k + 1] + rise)
        velocity |= {f"left {k}": np.array([1.0]), f"right {k}": np.array([-1.0])}
    flat = abs(np.sin(theta)) < 1e-12
    return drawing.done(n + 1 if flat else 1, 4 * n if flat else 3 * n, 1, planar=True, velocity=velocity)


def _rod(drawing, name, a, b, mass=1.0):
    """A slender rod; a thousandth of its moment is about its axis."""
    along = np.subtract(b, a)
    moment = mass * (along @ along) / 12.0
    u = along / np.linalg.norm(along)
    inertia = moment * (np.eye(3) - 0.999 * np.outer(u, u))
    return drawing.body(name, a, b, mass=mass, com=np.add(a, b) / 2, inertia=inertia)


def door(hinges=2):
    """A leaf on several hinges in one line: each but one adds five redundant rows."""
    drawing = Drawing(f"door on {hinges} hinges")
    leaf = drawing.body("leaf", (0, 0, 0), (0.8, 0, 0), (0.8, 0, 1.9), (0, 0, 1.9))
    for k in range(hinges):
        drawing.hinge(f"hinge {k}", drawing.ground, leaf, (0.0, 0.0, 0.2 + 0.7 * k), axis=(0, 0, 1) if k % 2 == 0 else (0, 0, -1))
    return drawing.done(1, 5 * (hinges - 1), planar=True)


def gear_train(planets=2):
    """A sun wheel and planets on a carrier, all about parallel axes: a tree of bodies; the meshes are couplings.

    With q of the sun and of the carrier relative to the ground and of a planet to the carrier: r_sun (q_sun - q_carrier) + r q = const.
    """
    drawing = Drawing(f"gear train of {planets} planets")
    r_sun, r = 0.3, 0.17
    sun, carrier = drawing.body("sun", (0, 0, 0)), drawing.body("carrier", (0, 0, 0.1), (r_sun + r, 0, 0.1))
    drawing.hinge("sun shaft", drawing.ground, sun, (0, 0, 0))
    drawing.hinge("carrier shaft", drawing.ground, carrier, (0, 0, 0.1))
    couplings = []
    for k in range(planets):
        at = _polar(r_sun + r, 0.4 + 2.1 * k, (0, 0, 0.05))
        planet = drawing.body(f"planet {k}", at)
        drawing.hinge(f"planet shaft {k}", carrier, planet, at)
        couplings.append({"sun shaft": r_sun, "carrier shaft": -r_sun, f"planet shaft {k}": r})
    return drawing.done(2 + planets, 0, planar=True, couplings=tuple(couplings), coupled_dof=2)
