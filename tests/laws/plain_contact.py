"""What `test_contact_plain.py` compares: motions with contact; run as a program, it prints their ends pickled."""

import pickle
import sys

import numpy as np

import linkwork as lw


def motions():
    """q and v at the end of short motions, by name."""
    steps = {
        name: np.concatenate(_end(*make())) for name, make in (("tumbling", _tumbling), ("colliding", _colliding), ("linkage", _linkage))
    }
    return steps | {
        f"{name} by events": np.concatenate(_by_events(*make())) for name, make in (("colliding", _colliding), ("linkage", _linkage))
    }


def _end(model, q, v, steps):
    sim = lw.Simulation(model, lw.ContactStepping(step=2e-3), q=q, v=v)
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


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(motions()))
