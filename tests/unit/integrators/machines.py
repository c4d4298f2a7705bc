"""Small mechanisms for integrators, and ways to run them."""

import numpy as np
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.integrators.system import System

MOMENTS = (0.1, 0.2, 0.28)


def top(joint=None, gravity=(0.0, 0.0, 0.0), com=(0.0, 0.0, 0.0)):
    """A body with three different moments of inertia, held at its origin or free."""
    m = lw.Mechanism("top", gravity)
    body = m.add_body("rotor", mass=1.0, com=com, inertia=MOMENTS)
    m.add_joint("ball", lw.Spherical() if joint is None else joint, m.ground, body)
    return m.build()


def free_rates(t, L=1.0):
    """Angular velocity in body axes of the torque-free top with moments A < B < C, by elliptic functions (Landau & Lifshitz 1976, section 37).

    Energy and |angular momentum| are those of w(0) = (w1, 0, w3) with M^2 > 2 E B; the motion starts where w2 = 0.
    """
    A, B, C = MOMENTS
    w1, w3 = 1.0 * L, 3.0 * L
    E2, M2 = A * w1**2 + C * w3**2, (A * w1) ** 2 + (C * w3) ** 2
    rate = np.sqrt((C - B) * (M2 - E2 * A) / (A * B * C))
    k2 = (B - A) * (E2 * C - M2) / ((C - B) * (M2 - E2 * A))
    sn, cn, dn, _ = ellipj(rate * np.asarray(t), k2)
    a = np.sqrt((E2 * C - M2) / (A * (C - A)))
    b = np.sqrt((E2 * C - M2) / (B * (C - B)))
    c = np.sqrt((M2 - E2 * A) / (C * (C - A)))
    return np.stack([a * cn, b * sn, c * dn], axis=-1), 4.0 * ellipk(k2) / rate


def four_bar(gravity=(0.0, -9.81, 0.0)):
    """A planar four-bar linkage, whose spatial rows are redundant, in motion: (model, q, v)."""
    P, m = lw.Pose, lw.Mechanism("four-bar", gravity)
    bars = [m.add_body(f"bar {i}", mass=1.0, inertia=(0.01, 0.1, 0.1)) for i in range(3)]
    m.add_joint("left", lw.Revolute((0, 0, 1)), m.ground, bars[0].at(P((-0.5, 0, 0))))
    m.add_joint("upper left", lw.Revolute((0, 0, 1)), bars[0].at(P((0.5, 0, 0))), bars[1].at(P((-0.5, 0, 0))))
    m.add_joint("upper right", lw.Revolute((0, 0, 1)), bars[1].at(P((0.5, 0, 0))), bars[2].at(P((-0.5, 0, 0))))
    m.add_joint("right", lw.Revolute((0, 0, 1)), bars[2].at(P((0.5, 0, 0))), m.ground.at(P((1.2, 0, 0))))
    model = m.build()
    q = lw.assemble(model, np.array([1.2, -1.0, -0.8, 0.1]))
    return model, q, lw.project_velocity(model, q, np.array([3.0, 0.0, 0.0, 0.0]))


def ball_chain(n=3):
    """A chain of bodies on ball and revolute joints under gravity, away from rest: (model, q, v)."""
    P, m = lw.Pose, lw.Mechanism("chain")
    last = m.ground
    for i in range(n):
        body = m.add_body(f"body {i}", mass=1.0, inertia=(0.01, 0.02, 0.025))
        kind = lw.Spherical() if i % 2 == 0 else lw.Revolute((0, 1, 0))
        m.add_joint(f"joint {i}", kind, last, body.at(P((0, 0, 0.2))))
        last = body.at(P((0, 0, -0.2)))
    model = m.build()
    rng = np.random.default_rng(4)
    return model, lw.integrate(model, lw.neutral(model), 0.5 * rng.normal(size=model.nv)), 2.0 * rng.normal(size=model.nv)


def start(integrator, model, q, v, t=0.0, tolerance=0.0, controllers=()):
    """A method at its start, with a system of its own."""
    system = System(model, None, controllers, stages=max(integrator.stages, 1))
    system.q[:], system.v[:] = q, v
    method = integrator.start(system, t)
    method.tolerance = tolerance
    return method


def error(model, method, t, q, v):
    """Largest difference of a method's state at t from another state, in joint displacements and velocities."""
    found_q, found_v, _ = method.state(t)
    return max(np.abs(lw.difference(model, found_q, q)).max(), np.abs(found_v - v).max())


def total_energy(model, q, v):
    e = lw.energy(model, q, v)
    return float(e.kinetic + e.potential)
