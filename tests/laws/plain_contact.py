"""What `test_contact_plain.py` compares: motions with contact; run as a program, it prints their ends pickled."""

import pickle
import sys

import numpy as np

import linkwork as lw


def motions():
    """q and v at the end of short motions, by name."""
    scenes = ("tumbling", _tumbling), ("colliding", _colliding), ("linkage", _linkage)
    found = {name: np.concatenate(_end(lw.ContactStepping(step=2e-3), *make())) for name, make in scenes}
    found |= {f"{name}, variational": np.concatenate(_end(lw.Variational(step=4e-3), *make())) for name, make in scenes}
    return found | {f"{name}, by events": np.concatenate(_by_events(*make())) for name, make in scenes[1:]}


def _end(integrator, model, q, v, steps):
    sim = lw.Simulation(model, integrator, q=q, v=v)
    sim.method.take(steps)
    return np.array(sim.system.q), np.array(sim.system.v)


def _by_events(model, q, v, steps):
    end = lw.simulate(model, 2e-3 * steps, lw.RungeKutta4(step=1e-2), q=q, v=v, record=("q", "v"))
    return end.q[-1], end.v[-1]


def _tumbling():
    m = lw.Mechanism("brick", gravity=(0, 0, -9.81))
    m.surface = lw.Surface(friction=0.4, restitution=0.5)
    m.add_floor()
    m.add_body("brick", shape=lw.Box(0.2, 0.1, 0.06), density=500)
    turn = np.array([0.9, 0.3, 0.2, 0.1])
    return m.build(), [0, 0, 0.15, *(turn / np.linalg.norm(turn))], [1.0, 2.0, 3.0, 0.5, 0.2, 0.0], 60


def _colliding():
    m = lw.Mechanism("two", gravity=(0, 0, 0))
    m.contact = True
    for name in "ab":
        m.add_body(name, shape=lw.Sphere(0.1), density=1000)
    return m.build(), [0, 0, 0, 1, 0, 0, 0, 0.25, 0.05, 0, 1, 0, 0, 0], [0, 0, 5, 1, 0, 0, 0, 0, 0, -1, 0, 0], 40


def _linkage():
    m = lw.Mechanism("triangle", gravity=(0, 0, -9.81))
    m.add_floor()
    bars = [m.add_body(f"bar {k}", shape=lw.Capsule(0.02, 0.4), density=1000) for k in range(3)]
    for k in range(3):
        m.add_joint(f"pin {k}", lw.Revolute(axis=(0, 1, 0)), bars[k].at(0, 0, 0.2), bars[(k + 1) % 3].at(0, 0, -0.2))
    model = m.build()
    q = lw.neutral(model)
    for joint in model.joints:
        if joint.kind.free:
            q[joint.q_index] = [0, 0, 0.25, 1, 0, 0, 0]
        else:
            q[joint.q_index] = 2 * np.pi / 3
    return model, lw.assemble(model, q), None, 30


def bennett_ring(restitution=0.0):
    """A free ring of rods between four skew hinges, twists proportional to lengths (Bennett 1903), above a floor: (model, q)."""
    theta, alpha, beta, a = 1.9, 0.6, 1.2, 0.25
    b = a * np.sin(beta) / np.sin(alpha)
    other = 2.0 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    at, hinges = lw.Pose(), []
    for turn, length, twist in ((theta, a, alpha), (other, b, beta), (-theta, a, alpha), (-other, b, beta)):
        hinges.append(at)
        at = at @ lw.Pose.from_rpy(0.0, 0.0, turn) @ lw.Pose((length, 0.0, 0.0)) @ lw.Pose.from_rpy(twist, 0.0, 0.0)
    m = lw.Mechanism("Bennett", gravity=(0, 0, -9.81))
    m.surface = lw.Surface(friction=0.4, restitution=restitution)
    m.add_floor()
    rods = []
    for k in range(4):
        p, way = hinges[k].translation, hinges[(k + 1) % 4].translation - hinges[k].translation
        along = way / np.linalg.norm(way)
        across = np.cross(along, (0.3, 0.5, 0.8))
        across /= np.linalg.norm(across)
        axes = np.column_stack([across, np.cross(along, across), along])
        rods.append((m.add_body(f"rod {k}", shape=lw.Capsule(0.02, np.linalg.norm(way)), density=1000), lw.Pose(p + way / 2, axes)))
    for k in range(4):
        ends = [rod.at(pose.inverse() @ hinges[k]) for rod, pose in (rods[k - 1], rods[k])]
        m.add_joint(f"hinge {k}", lw.Revolute(axis=(0, 0, 1)), *ends)
    for k in range(4):
        m.ignore(rods[k][0].name, rods[k - 2][0].name)
    model = m.build()
    q = lw.neutral(model)
    turn = np.array([0.9, 0.3, 0.2, 0.1])
    q[next(joint for joint in model.joints if joint.kind.free).q_index] = [0, 0, 1.0, *(turn / np.linalg.norm(turn))]
    return model, lw.assemble(model, q)


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(motions()))
