"""Mechanisms in motion for tests of integrators, and methods started on them."""

import numpy as np

import linkwork as lw
from linkwork.integrators.system import System


def started(model, integrator, q, v=None, t=0.0, controllers=(), tolerance=0.0):
    """A method at its start."""
    system = System(model, controllers=controllers, stages=integrator.stages)
    system.q[:], system.v[:] = q, np.zeros(model.nv) if v is None else v
    method = integrator.start(system, t)
    method.tolerance = tolerance
    return method


def fixed(order, h):
    """Adaptive with steps that are all of one size."""
    return lw.Adaptive(order=order, rtol=1e9, atol=1e9, first_step=h, max_step=h)


def pendulum():
    """A compound pendulum: period 2 pi / sqrt(m g l / I) times K(sin^2(a/2)) / (pi/2)."""
    m = lw.Mechanism("pendulum")
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, com=(0, 0, -0.5), inertia=(0.01, 0.01, 0.01)))
    return m.build()


PENDULUM_RATE = np.sqrt(9.81 * 0.5 / (0.01 + 0.25))  # rad/s, of small swings


def mobile():
    """A ball joint, a hinge on it, and a free body, tied by a damped spring: all kinds of coordinates at once. (model, q, v)"""
    m = lw.Mechanism("mobile")
    top = m.add_body("top", mass=1.2, com=(0.1, 0.05, -0.3), inertia=(0.05, 0.08, 0.03))
    arm = m.add_body("arm", mass=0.7, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02))
    satellite = m.add_body("satellite", mass=0.5, inertia=(0.01, 0.02, 0.025))
    m.add_joint("socket", lw.Spherical(), m.ground, top)
    m.add_joint("elbow", lw.Revolute((0.3, 1, 0.2)), top.at(0, 0, -0.5), arm)
    m.add_force("tie", lw.SpringDamper(30.0, 0.3, 0.4), arm.at(0.4, 0, 0), satellite.at(0.05, 0.02, 0.0))
    m.add_force("holder", lw.SpringDamper(20.0, 0.0, 0.3), satellite, m.ground.at(0.8, 0.3, 0.6))
    model = m.build()
    rng = np.random.default_rng(3)
    q = lw.random_configuration(model, rng)
    return model, q, rng.normal(size=model.nv)


def distance(model, a, b):
    """The largest difference of two results (q, v, works)."""
    return max(np.abs(lw.difference(model, a[0], b[0])).max(), np.abs(a[1] - b[1]).max(), np.abs(a[2] - b[2]).max())


def slopes(errors):
    """Orders, from errors with steps halved each time."""
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
