"""Short motions of small mechanisms, stepped by the explicit midpoint rule, recorded with every channel that can be computed outside the engine."""

import functools

import numpy as np

import linkwork as lw
from linkwork.simulation.ledger import EnergySample, Ledger
from linkwork.simulation.recorder import Recorder
from linkwork.simulation.status import Status

from ...zoo import ZOO, configuration

STIFFNESS, DAMPING, TORQUE = 30.0, 0.4, 1.5  # of the double pendulum's elbow and shoulder: N m/rad, N m s/rad, N m


def double_pendulum():
    """Two rods of 1 m; a spring and a damper at the elbow, a motor of constant torque at the shoulder."""
    m = lw.Mechanism("double pendulum")
    upper = m.add_body("upper", mass=1.2, com=(0, 0, -0.5), inertia=(0.1, 0.11, 0.02))
    lower = m.add_body("lower", mass=0.8, com=(0, 0, -0.4), inertia=(0.08, 0.07, 0.02))
    m.add_joint("shoulder", lw.Revolute((0, 1, 0)), m.ground, upper)
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), upper.at(0, 0, -1.0), lower)
    return m.build()


def satellite():
    """A free body with a ball joint on it and a slide on that: every manifold there is."""
    m = lw.Mechanism("satellite", gravity=(0.0, 0.0, -1.6))
    hull = m.add_body("hull", mass=3.0, inertia=(0.3, 0.5, 0.6))
    dish = m.add_body("dish", mass=0.7, com=(0.1, 0.05, 0.2), inertia=(0.02, 0.03, 0.025))
    boom = m.add_body("boom", mass=0.4, com=(0, 0.1, 0), inertia=(0.01, 0.01, 0.01))
    m.add_joint("gimbal", lw.Spherical(), hull.at(0.2, 0.0, 0.3), dish)
    m.add_joint("sleeve", lw.Cylindrical((0.0, 0.6, 0.8)), dish.at(0.0, 0.1, 0.3), boom)
    return m.build()


def elbow_forces(q, v):
    """(tau, stored, power) of spring, damper and motor."""
    spring, damper = -STIFFNESS * q[1], -DAMPING * v[1]
    return (
        np.array([TORQUE, spring + damper]),
        (0.5 * STIFFNESS * q[1] ** 2, 0.0, 0.0),
        np.array([spring * v[1], damper * v[1], TORQUE * v[0]]),
    )


def nothing(q, v):
    return np.zeros(len(v)), (), np.zeros(0)


CASES = {
    "double pendulum": (double_pendulum, ("spring", "damper", "motor"), elbow_forces),
    "satellite": (satellite, (), nothing),
    "four-bar": (lambda: ZOO["four-bar"]().mechanism.build(), (), nothing),
}


@functools.cache
def model_of(case):
    return CASES[case][0]()


def start(case):
    """(q, v): a pose in which all is closed, and a velocity that keeps it so."""
    model = model_of(case)
    if case == "four-bar":
        q = configuration(model, ZOO["four-bar"]().guess)
        return q, lw.project_velocity(model, q, np.linspace(2.0, -1.0, model.nv))
    if case == "double pendulum":
        return np.array([1.1, -0.4]), np.array([0.3, -1.0])
    rng = np.random.default_rng(5)
    return lw.random_configuration(model, rng), 2.0 * rng.normal(size=model.nv)


@functools.cache
def recorded(case, frames=40, frame=0.02, record="all", steps=4):
    """A Recording with its Audit. steps: of the midpoint rule in a frame."""
    model, (_, names, forces) = model_of(case), CASES[case]
    q, v = start(case)
    work, h = np.zeros(len(names)), frame / steps
    recorder = Recorder(model, record, forces=names, frames=3)
    rows = [recorder.layout.row_label(k) for k in range(model.nc)]
    ledger = Ledger(model.name, names, rows)
    for k in range(frames):
        if k:
            for _ in range(steps):
                q, v, work = _step(model, forces, q, v, work, h)
            ledger.count(steps=steps, evaluations=2 * steps, iterations=k % 3, solves=1, most_iterations=k % 3)
        values = observed(model, q, v, forces, work, ledger, k * frame)
        counts = {"steps": steps if k else 0, "rejections": 0, "iterations": k % 3, "evaluations": 2 * steps, "solver_time": 1e-4 * (k + 1)}
        recorder.append(k * frame, q, v, **values, **counts)
    return recorder.finish(Status("finished", time=recorder.last_time), ledger.audit(wall_time=0.25))


def _step(model, forces, q, v, work, h):
    tau, _, _ = forces(q, v)
    half_v = v + 0.5 * h * lw.forward_dynamics(model, q, v, tau)
    half_q = lw.integrate(model, q, 0.5 * h * v)
    tau, _, power = forces(half_q, half_v)
    return lw.integrate(model, q, h * half_v), v + h * lw.forward_dynamics(model, half_q, half_v, tau), work + h * power


def observed(model, q, v, forces, work, ledger, t):
    """All channels of one state."""
    tau, stored, _ = forces(q, v)
    energy, momentum, kinematics = lw.energy(model, q, v), lw.momentum(model, q, v), lw.forward_kinematics(model, q)
    gaps, rows, multipliers = np.zeros(2), np.full(2, -1), np.zeros(model.nc)
    reactions = lw.reactions(model, q, v, tau)
    if model.nc:
        found = lw.constraint_jacobian(model, q, v)
        rows = np.array([np.argmax(np.abs(found.phi)), np.argmax(np.abs(found.phi_dot))])
        gaps = np.array([np.abs(found.phi).max(), np.abs(found.phi_dot).max()])
        multipliers = reactions.multipliers
    whole = np.concatenate([momentum.about_origin, momentum.linear])
    energies = {"stored": stored, "work": work}
    sample = EnergySample(t, float(energy.kinetic), float(energy.potential), momentum=whole, **energies)
    numerical = ledger.frame(sample, *(zip(gaps, rows, strict=True) if model.nc else ()))
    poses = [[*p, *_quaternion(R)] for p, R in zip(kinematics.positions, kinematics.rotations, strict=True)]
    return {
        "vdot": reactions.vdot,
        "tau": tau,
        "poses": np.array(poses),
        "reactions": np.array([reactions.wrench(name) for name in reactions.names]),
        "kinetic": float(energy.kinetic),
        "potential": float(energy.potential),
        **energies,
        "drives": 0.0,
        "losses": 0.0,
        "numerical": numerical,
        "gaps": gaps,
        "gap_rows": rows,
        "multipliers": multipliers,
        "contact_forces": np.zeros((0, 3)),
        "contact_status": np.zeros(0),
        "momentum": whole,
    }


def _quaternion(R):
    return lw.Pose((0, 0, 0), R).quaternion
