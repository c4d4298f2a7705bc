import numpy as np
import pytest

import linkwork as lw


def scene():
    m = lw.Mechanism("scene")
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1)))
    for name in ("crate", "ball"):
        m.add_body(name, shape=lw.Sphere(0.1), density=500)
    m.add_joint("float", lw.Free(), m.ground, "ball")
    return m


def test_a_start_by_names_is_that_of_the_numbers():
    m = scene()
    model = m.build()
    turned = lw.Pose.from_rpy(0.1, 0.2, 0.3, (1, 2, 3))
    q = lw.neutral(model)
    q[model.joint("pivot").q_index] = 0.3
    q[next(j for j in model.joints if j.child == "crate").q_index] = [*turned.translation, *turned.quaternion]
    q[model.joint("float").q_index] = [0, 0, 1, 1, 0, 0, 0]
    v = np.zeros(model.nv)
    v[model.joint("pivot").v_index], v[model.joint("float").v_index] = -2.0, np.arange(6.0)
    sim = lw.Simulation(m, q={"pivot": 0.3, m.body("crate"): turned, "ball": (0, 0, 1)}, v={"pivot": -2.0, "ball": np.arange(6.0)})
    assert np.array_equal(sim.state.q, q) and np.array_equal(sim.state.v, v)
    assert np.array_equal(lw.Simulation(m, q={"pivot": [0.3], "float": [0, 0, 1, 1, 0, 0, 0]}).state.q[:1], q[:1])


def test_what_is_not_named_closes_the_loops():
    m = lw.shipped("four-bar").mechanism
    model = m.build()
    start = lw.neutral(model)
    name = model.joints[0].name
    closed = lw.assemble(model, start)[model.joint(name).q_index][0]
    sim = lw.Simulation(m, q={name: closed + 0.1}, v={name: 0.5})
    assert sim.state.q[model.joint(name).q_index] == pytest.approx(closed + 0.1, abs=1e-12)
    assert sim.state.v[model.joint(name).v_index] == pytest.approx(0.5, abs=1e-12)
    assert max(lw.mobility(model, sim.state.q).open_gaps.values(), default=0.0) < 1e-9


@pytest.mark.parametrize(
    ("q", "kind", "text"),
    [
        ({"pivvot": 0.3}, lw.UnknownNameError, "no joint or floating body is called 'pivvot'; did you mean 'pivot'"),
        ({"bob": 0.3}, lw.UnknownNameError, "no joint or floating body is called 'bob'"),
        ({"pivot": [0.3, 0.2]}, lw.StateError, r"q\['pivot'\]: found shape \(2,\); allowed is one number"),
        ({"ball": 1.0}, lw.StateError, r"q\['ball'\]: found shape \(1,\); allowed is a Pose, a place \(x, y, z\), or 7 numbers"),
        ({"ball": (0, 0, 1), "float": (0, 0, 2)}, lw.StateError, "joint 'float' is found twice"),
        ({"pivot": "fast"}, lw.StateError, "q"),
        ({"pivot": np.nan}, lw.StateError, "pivot"),
    ],
)
def test_what_names_cannot_mean_is_refused(q, kind, text):
    with pytest.raises(kind, match=text):
        lw.Simulation(scene(), q=q)


def test_a_body_that_is_given_a_pose_says_where_poses_go():
    for name in ("pose", "at", "velocity"):
        with pytest.raises(lw.ArgumentError, match=r"(?s)not (where it begins|how it moves): give lw.simulate.*\[initial\]"):
            scene().add_body("s", shape=lw.Sphere(0.1), density=1, **{name: (0, 0, 1)})
