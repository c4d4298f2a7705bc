"""Chains that close on themselves or hang between two poles, of any number of links."""

import numpy as np

import linkwork as lw

from .zoo_assembly import Drawing


def chain_between_poles(n=6, joints="ball"):
    """n links between two poles 3 m apart, sagging, each end on the ground.

    ball: 3 n - 3 degrees of freedom, n of them spins. parallel: hinges across the plane in which it hangs, n - 2 and three redundant
    rows. skew: hinges in any direction, n - 5 (at least 6 links).
    """
    drawing = Drawing(f"{joints} chain of {n} between poles")
    s = np.linspace(-1.0, 1.0, n + 1)
    points = np.column_stack([1.5 * s, 0.8 * s * s + 0.1 * s, 0.0 * s])
    if joints == "skew":
        points[1:-1] += drawing.rng.uniform(-0.1, 0.1, (n - 1, 3))
    links = [drawing.ground, *(drawing.body(f"link {k}", points[k], points[k + 1]) for k in range(n)), drawing.ground]
    for k, point in enumerate(points):
        axis = drawing.rng.normal(size=3) if joints == "skew" else (0.0, 0.0, 1.0)
        kind = lw.Spherical() if joints == "ball" else lw.Revolute(axis)
        drawing.join(f"joint {k}", kind, links[k], links[k + 1], point)
    facts = {"ball": (3 * n - 3, 0), "parallel": (n - 2, 3), "skew": (n - 5, 0)}[joints]
    return drawing.done(*facts, planar=joints == "parallel")


def ball_loop(n=3):
    """n rods and the ground in a ring of n + 1 balls: 6 n - 3 (n + 1), n of them spins. With two rods, a triangle that turns about one side."""
    drawing = Drawing(f"loop of {n + 1} balls")
    points = _polygon(drawing, n + 1, 0.5)
    links = [*(drawing.body(f"rod {k}", points[k], points[k + 1]) for k in range(n)), drawing.ground]
    for k, point in enumerate(points):
        drawing.ball(f"ball {k}", links[k - 1], links[k], point)
    return drawing.done(3 * n - 3, 0)


def floating_ring(n=7, joints="hinge"):
    """n bodies in a ring that nothing holds. hinge (in any direction): n degrees of freedom, six of them of the whole; ball: 3 n."""
    drawing = Drawing(f"floating ring of {n} with {joints} joints")
    points = _polygon(drawing, n, 0.6)
    ends = [(points[k], points[(k + 1) % n]) for k in range(n)]
    links = [drawing.root("link 0", *ends[0]), *(drawing.body(f"link {k}", *ends[k]) for k in range(1, n))]
    for k, point in enumerate(points):
        kind = lw.Spherical() if joints == "ball" else lw.Revolute(drawing.rng.normal(size=3))
        drawing.join(f"joint {k}", kind, links[k - 1], links[k], point)
    return drawing.done(3 * n if joints == "ball" else max(n, 6), 0 if joints == "ball" else max(6 - n, 0), floating=True)


def _polygon(drawing, n, radius):
    angles = np.arange(n) * 2 * np.pi / n
    points = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), 0.2 * np.sin(2 * angles + 0.3)])
    return points + drawing.rng.uniform(-0.05, 0.05, (n, 3))


def necklace(n=20):
    """n rods of 0.1 m, 0.1 kg and 0.01 m radius in a regular polygon in the world's x-z plane, joined by balls; nothing holds it.

    Rod 0 is at the top, its middle at the origin; the others follow clockwise, seen from -y. Each rod's frame is at its middle, x along
    it in the sense of counting, y along the world's y.
    """
    drawing = Drawing(f"necklace of {n}", lw.Pose())
    length, mass, radius = 0.1, 0.1, 0.01
    apothem = length / (2.0 * np.tan(np.pi / n))
    across = mass * (3 * radius**2 + length**2) / 12
    rods, ends = [], []
    for k in range(n):
        R = lw.Pose.from_rpy(0.0, 2 * np.pi / n * k, 0.0).rotation
        middle = R @ (0.0, 0.0, apothem) - (0.0, 0.0, apothem)
        ends.append(middle - R @ (length / 2, 0.0, 0.0))
        drawing.poses[f"rod {k}"] = lw.Pose(middle, R)
        rods.append(drawing.mechanism.add_body(f"rod {k}", mass=mass, inertia=(mass * radius**2 / 2, across, across)))
    drawing.mechanism.reroot(rods[0])
    for k, end in enumerate(ends):
        drawing.ball(f"ball {k}", rods[k - 1], rods[k], end)
    return drawing.done(3 * n, 0, floating=True)
