"""A pendulum with shapes, under any name."""

import linkwork as lw

HOSTILE = "</title><script>alert(1)</script>&\"'\x00\x1b\ud800"


def pendulum(name="pendulum", bob="bob"):
    m = lw.Mechanism(name)
    body = m.add_body(bob, mass=1.0, shape=lw.Sphere(0.1, at=(0, 0, -1.0)), visuals=[lw.Cylinder(0.02, 1.0, at=(0, 0, -0.5))])
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, body)
    return m
