"""Mechanisms on which the rule of rank is tried, and what exact arithmetic says of them."""

from fractions import Fraction

import numpy as np

import linkwork as lw

SOLVERS = ("articulated", "sparse", "propagation")


def idler(light, heavy=100.0):
    """Two rotors and an idler between them, geared 1 to -1 to 1; inertias in kg m^2."""
    m = lw.Mechanism("idler", gravity=(0, 0, 0))
    for k, inertia in enumerate((heavy, light, heavy)):
        wheel = m.add_body(f"wheel {k}", mass=1.0, inertia=(inertia, inertia, inertia))
        m.add_joint(f"axle {k}", lw.Revolute((0, 0, 1)), m.ground.at(k, 0, 0), wheel)
    m.add_constraint("mesh 1", lw.Gear(-1.0), "axle 0", "axle 1")
    m.add_constraint("mesh 2", lw.Gear(-1.0), "axle 1", "axle 2")
    return m.build()


POINTS = {"a": (0.0, 0.0), "b": (0.5, 0.875), "c": (2.125, 1.375), "d": (2.25, 0.0)}  # x, z in m, exact in binary
BARS = {"crank": "ab", "coupler": "bc", "rocker": "cd"}


def four_bar(tilt=0.0, masses=(1.0, 1.0, 1.0), inertias=None):
    """A planar four-bar of rods about y, at rest as drawn, the axis between crank and coupler tilted; inertia of a rod about its middle: mass / 8, or given."""
    m = lw.Mechanism("four-bar", gravity=(0.0, 0.0, -10.0))
    add_four_bar(m, tilt, masses, inertias)
    return m.build()


# parameters: a four-bar, and where it stands
def add_four_bar(m, tilt=0.0, masses=(1.0, 1.0, 1.0), inertias=None, place="", y=0.0):
    """The parts of `four_bar`, their names followed by `place`, in the plane at y."""
    rods = {"ground": (m.ground, (0.0, 0.0))}
    for (name, (p, q)), mass, inertia in zip(BARS.items(), masses, inertias or [0.125 * mass for mass in masses], strict=True):
        (x0, z0), (x1, z1) = POINTS[p], POINTS[q]
        rod = m.add_body(name + place, mass=mass, com=(0.5 * (x1 - x0), 0.0, 0.5 * (z1 - z0)), inertia=(inertia, inertia, inertia))
        rods[name] = rod, (x0, z0)
    for joint, (parent, child, axis) in {
        "a": ("ground", "crank", (0, 1, 0)),
        "b": ("crank", "coupler", (0, 1, tilt)),
        "c": ("coupler", "rocker", (0, 1, 0)),
        "d": ("ground", "rocker", (0, 1, 0)),
    }.items():
        places = []
        for part in (parent, child):
            body, (x0, z0) = rods[part]
            places.append(body.at(POINTS[joint][0] - x0, y if part == "ground" else 0.0, POINTS[joint][1] - z0))
        m.add_joint(joint + place, lw.Revolute(axis), *places)


def exact_four_bar(masses, inertias=None, torques=()):
    """{joint: angular acceleration} of `four_bar` at rest, in rational numbers: three rods in the plane and eight forces, Newton and Euler. `torques`:
    {joint: N m}, of the first rod on the second.

    Unknown are x'', z'', theta'' of each rod's middle (theta about y: a point (x, z) beside the middle accelerates by theta'' (z, -x)) and two
    components of force in each hinge, on the rod that comes second.
    """
    names, n = list(BARS), 17
    A, b = [[Fraction(0)] * n for _ in range(n)], [Fraction(0)] * n
    middle = {name: tuple((Fraction(POINTS[p][k]) + Fraction(POINTS[q][k])) / 2 for k in (0, 1)) for name, (p, q) in BARS.items()}
    hinges = {"a": (None, "crank"), "b": ("crank", "coupler"), "c": ("coupler", "rocker"), "d": (None, "rocker")}
    for i, (name, mass) in enumerate(zip(names, masses, strict=True)):
        mass = Fraction(mass)
        A[3 * i][3 * i] = A[3 * i + 1][3 * i + 1] = mass
        A[3 * i + 2][3 * i + 2] = Fraction(inertias[i]) if inertias else mass / 8
        b[3 * i + 1] = -10 * mass
        for k, (joint, ends) in enumerate(hinges.items()):
            for end, sign in zip(ends, (-1, 1), strict=True):
                if end == name:
                    x, z = (Fraction(POINTS[joint][c]) - middle[name][c] for c in (0, 1))
                    fx, fz = 9 + 2 * k, 10 + 2 * k
                    A[3 * i][fx] -= sign
                    A[3 * i + 1][fz] -= sign
                    A[3 * i + 2][fx] -= sign * z
                    A[3 * i + 2][fz] += sign * x
                    A[fx][3 * i] += sign
                    A[fz][3 * i + 1] += sign
                    A[fx][3 * i + 2] += sign * z
                    A[fz][3 * i + 2] -= sign * x
                    b[3 * i + 2] += sign * Fraction(dict(torques).get(joint, 0))
    x = solved(A, b)
    turn = dict(zip(names, (x[2], x[5], x[8]), strict=True))
    found = {"a": turn["crank"], "b": turn["coupler"] - turn["crank"], "c": turn["rocker"] - turn["coupler"], "d": turn["rocker"]}
    return {name: float(value) for name, value in found.items()}


def solved(A, b):
    """x with A x = b, by Gauss's elimination in rational numbers."""
    n, rows = len(b), [[*row, right] for row, right in zip(A, b, strict=True)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def contradicting_drives():
    """Two drives of one hinge, of 0 and of 5 rad/s^2, and another body that is held."""
    m = lw.Mechanism("drives", gravity=(0, 0, 0))
    wheel, held = (m.add_body(name, mass=1.0, inertia=(1, 1, 1)) for name in ("wheel", "held"))
    m.add_joint("axle", lw.Revolute((0, 0, 1)), m.ground, wheel)
    m.add_joint("pin", lw.Revolute((0, 0, 1)), m.ground.at(1, 0, 0), held)
    m.add_constraint("slow", lw.SpeedDrive(lambda t: 0.0 * t), "axle")
    m.add_constraint("fast", lw.SpeedDrive(lambda t: 5.0 * t), "axle")
    m.add_constraint("lock", lw.Lock(), held, m.ground.at(1, 0, 0))
    return m.build()


def motion_of(model, q, speed):
    """The velocity of a mechanism of one freedom, its fastest joint at a speed."""
    J = lw.constraint_jacobian(model, q).J
    v = np.linalg.svd(J)[2][-1]
    return speed * v / np.abs(v).max()
