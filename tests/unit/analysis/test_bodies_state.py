"""A state from poses and velocities of bodies: trees, loops, bodies of which nothing is said, and what cannot be."""

import numpy as np
import pytest

import linkwork as lw


def said(model, q, v, names=None, axes="body"):
    """What bodies do in a state, as a person would say it."""
    k = lw.forward_kinematics(model, q, v)
    names = [body.name for body in model.bodies] if names is None else names
    return {name: lw.Pose(k.position(name), k.rotation(name)) for name in names}, {name: k.velocity(name, axes) for name in names}


def tree():
    """Every kind of joint in a row, and a body that floats."""
    m, on = lw.Mechanism("tree"), None
    kinds = [
        lw.Revolute((0, 1, 0.5)),
        lw.Spherical(),
        lw.Cylindrical((1, 0, 0)),
        lw.Universal((1, 0, 0), (0, 1, 0)),
        lw.Planar((0, 0, 1)),
        lw.Screw((0, 1, 1), 0.1),
        lw.Translational(),
    ]
    for k, kind in enumerate(kinds):
        body = m.add_body(f"b{k}", mass=1.0, com=(0.1, 0, 0.2), inertia=(0.1, 0.1, 0.1))
        place = lw.Pose.from_rpy(0.3, -0.2, 0.5, (0.1, 0.2, 0.3))
        m.add_joint(f"j{k}", kind, (m.ground if on is None else on).at(place), body.at(0.05, -0.1, 0.02))
        on = body
    m.add_body("float", mass=2.0, inertia=(0.1, 0.2, 0.3))
    return m.build()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("axes", ["body", "world"])
def test_a_tree_is_found_again_from_its_bodies(seed, axes):
    model, random = tree(), np.random.default_rng(seed)
    q = lw.integrate(model, lw.neutral(model), random.uniform(-1.0, 1.0, model.nv))
    v = random.normal(size=model.nv)
    found = lw.state_from_bodies(model, *said(model, q, v, axes=axes), axes=axes)
    assert np.abs(lw.difference(model, q, found.q)).max() < 1e-9 and np.abs(found.v - v).max() < 1e-8
    assert max(max(miss) for miss in found.misses.values()) < 1e-8
    assert isinstance(found.state, lw.State) and set(found.misses) == {body.name for body in model.bodies}


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "jansen-linkage", "stewart-platform"])
def test_a_mechanism_with_loops_is_found_again_wherever_it_has_gone(name):
    document = lw.shipped(name)
    model = document.build()
    rec = lw.simulate(document, 0.3)
    q, v = rec.q[-1], rec.v[-1]
    found = lw.state_from_bodies(model, *said(model, q, v), t=0.3)
    way = lw.difference(model, q, found.q)
    assert np.abs(way - 2 * np.pi * np.round(way / (2 * np.pi))).max() < 1e-7  # bodies do not know of whole turns,
    assert np.abs(found.v - v).max() < 1e-6 * (1.0 + np.abs(v).max())
    assert np.abs(lw.difference(model, q, lw.state_from_bodies(model, *said(model, q, v), q=q, t=0.3).q)).max() < 1e-7  # but q does
    lw.Simulation(model, q=found.q, v=found.v, t=0.3).run(0.01)  # is accepted as a start


def test_one_body_of_a_loop_says_where_the_others_are():
    document = lw.shipped("four-bar")
    model = document.build()
    start = document.setup.start(model)
    rec = lw.simulate(document, 0.2)
    body = model.bodies[0].name
    poses, velocities = said(model, rec.q[-1], rec.v[-1], [body])
    found = lw.state_from_bodies(model, poses, velocities, q=start.q)
    assert np.abs(found.q - rec.q[-1]).max() < 1e-6 and np.abs(found.v - rec.v[-1]).max() < 1e-5 * np.abs(rec.v[-1]).max()
    assert np.abs(rec.q[-1] - start.q).max() > 0.01


def test_positions_alone_and_seven_numbers_and_motions_will_do():
    m = lw.Mechanism("two")
    a = m.add_body("a", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, a)
    m.add_body("b", mass=1.0, inertia=(1, 1, 1))
    model = m.build()
    turned = lw.Pose.from_rpy(0.1, 0.2, 0.3, (4, 5, 6))
    found = lw.state_from_bodies(
        model, {"a": (0.7, 0, 0), "b": [*turned.translation, *turned.quaternion]}, {"a": (0.2, 0, 0), "b": lw.Motion((1, 2, 3), (4, 5, 6))}
    )
    assert found.q[model.joint("rail").q_index].tolist() == pytest.approx([0.7]) and found.v[
        model.joint("rail").v_index
    ].tolist() == pytest.approx([0.2])
    assert np.allclose(found.q[model.joint("b.free").q_index], [*turned.translation, *turned.quaternion], atol=1e-12)
    assert np.allclose(found.v[model.joint("b.free").v_index], [1, 2, 3, 4, 5, 6], atol=1e-12)


def test_what_joints_forbid_is_refused_by_name_or_met_as_nearly_as_can_be():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    model = m.build()
    poses, velocities = {"bob": lw.Pose.from_rpy(0, 0.3, 0, (0, 0.5, 0))}, {"bob": (1.0, 2.0, 0, 0, 0, 0.25)}
    with pytest.raises(lw.AssemblyError, match=r"'bob' by 0.5 m and 0.25 m/s and 1 rad/s; allowed is 1e-06.*strict=False") as caught:
        lw.state_from_bodies(model, poses, velocities)
    assert caught.value.gaps == {"bob": pytest.approx(1.0)} and caught.value.q[0] == pytest.approx(0.3)
    near = lw.state_from_bodies(model, poses, velocities, strict=False)
    assert near.q[0] == pytest.approx(0.3) and near.v[0] == pytest.approx(2.0) and near.worst == "bob"
    assert tuple(near.misses["bob"]) == pytest.approx((0.5, 0.0, 0.25, 1.0), abs=1e-9)


def test_prescribed_motion_goes_on_where_nothing_is_said_of_velocities():
    m = lw.Mechanism("driven")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    m.add_constraint("motor", lw.SpeedDrive(3.0), "pivot")
    found = lw.state_from_bodies(m.build(), {"bob": lw.Pose.from_rpy(0, 0.3, 0)})
    assert found.q[0] == pytest.approx(0.3) and found.v[0] == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"poses": {"bib": (0, 0, 0)}}, lw.UnknownNameError, "no body or frame is called 'bib'; did you mean 'bob'"),
        ({"poses": {"bob": (0, 0)}}, lw.StateError, r"poses\['bob'\]: found \(0, 0\); allowed are 3 or 7 finite numbers"),
        ({"velocities": {"bob": "fast"}}, lw.StateError, r"velocities\['bob'\]: found 'fast' \(str\); allowed are 3 or 6 finite numbers"),
        ({"poses": [1, 2]}, lw.StateError, "poses: found a list; allowed is {name of a body: value}"),
        ({"axes": "mine"}, lw.StateError, "axes: found 'mine'"),
        ({"q": [1.0, 2.0]}, lw.StateError, r"q: found shape \(2,\); allowed are 1 finite numbers"),
    ],
)
def test_what_is_no_pose_or_velocity_is_refused(options, error, words):
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    with pytest.raises(error, match=words):
        lw.state_from_bodies(m.build(), **options)
