"""Scenes of bodies that touch, for questions about one state."""

import numpy as np

import linkwork as lw


def box_on_slope(angle, friction, sides=(0.2, 0.2, 0.2), mass=2.0):
    """(model, q) of a box that lies on a slope which falls along +x."""
    m = lw.Mechanism("slope")
    m.change("ground", collisions=[lw.Floor(at=lw.Pose.from_rpy(0, angle, 0))])
    m.surface = lw.Surface(friction=friction)
    m.add_body("box", mass=mass, inertia=solid(mass, sides), shape=lw.Box(*sides))
    pose = lw.Pose.from_rpy(0, angle, 0) @ lw.Pose((0, 0, sides[2] / 2))
    return m.build(), np.array([*pose.translation, *pose.quaternion])


def solid(mass, sides):
    """Principal moments of a solid box."""
    x, y, z = sides
    return tuple(mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y]))


def portal(welded=(False, True), friction=0.8):
    """(model, q): a beam on four legs, one side of them on hinges, with balls for feet, on the floor."""
    m = lw.Mechanism("portal")
    m.add_floor(surface=lw.Surface(friction=friction))
    m.surface = lw.Surface(friction=friction)
    beam = m.add_body("beam", mass=3.0, com=(0.1, 0.05, 0), inertia=(0.1, 0.2, 0.3), shape=lw.Box(1.0, 0.1, 0.1))
    m.add_joint("free", lw.Free(), m.ground, beam)
    for i, x in enumerate((-0.5, 0.5)):
        for j, y in enumerate((-0.2, 0.2)):
            leg = m.add_body(
                f"leg{i}{j}", mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.01), collisions=[lw.Sphere(0.05, at=(0, 0, -0.4))]
            )
            m.add_joint(f"hip{i}{j}", lw.Weld() if welded[j] else lw.Revolute((0, 1, 0)), beam.at(x, y, 0), leg)
    model = m.build()
    q = np.array(lw.neutral(model))
    q[2] = 0.45
    return model, q


def five_bar(friction=0.6, crossing=0.0):
    """(model, q): a linkage of four bars, one end on a cart, whose coupler rests on the floor with a ball; loops closed, nothing balanced.

    crossing: slope of the floor along y.
    """

    def made(height):
        m = lw.Mechanism("five-bar")
        m.surface = lw.Surface(friction=friction)
        m.change("ground", collisions=[lw.Floor(at=lw.Pose.from_rpy(crossing, 0, 0, (0, 0, height)))])
        crank = m.add_body("crank", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02))
        coupler = m.add_body(
            "coupler", mass=2.0, com=(0.3, 0, 0), inertia=(0.01, 0.08, 0.08), collisions=[lw.Sphere(0.05, at=(0.3, 0, -0.1))]
        )
        rocker = m.add_body("rocker", mass=1.5, com=(0.2, 0, 0), inertia=(0.01, 0.03, 0.03))
        m.add_joint("A", lw.Revolute((0, 1, 0)), m.ground.at(0, 0, 0.5), crank)
        m.add_joint("B", lw.Revolute((0, 1, 0)), crank.at(0.4, 0, 0), coupler)
        m.add_joint("C", lw.Revolute((0, 1, 0)), coupler.at(0.6, 0, 0), rocker.at(0.4, 0, 0))
        cart = m.add_body("cart", mass=1.0, inertia=(0.01, 0.01, 0.01))
        m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground.at(0.8, 0, 0.5), cart)
        m.add_joint("D", lw.Revolute((0, 1, 0)), cart, rocker)
        return m.build()

    model = made(-10.0)
    q = lw.assemble(model, [0.8, -0.9, 0.9, 0.0, 0.9])
    ball = lw.forward_kinematics(model, q)
    p = ball.position("coupler") + ball.rotation("coupler") @ [0.3, 0, -0.1]
    return made(p[2] + p[1] * -np.tan(crossing) - 0.05 / np.cos(crossing)), q
