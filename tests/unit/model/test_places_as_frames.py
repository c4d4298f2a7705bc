"""Places (body.at(...)) where frames are wanted: their poses were ignored. Parts themselves where names are wanted."""

import numpy as np
import pytest

import linkwork as lw

Q, V = [0.3, 0.2], [1.0, 2.0]
TURNED = lw.Pose.from_rpy(0.4, -0.2, 0.9).rotation


@pytest.fixture
def arms():
    """Two arms; the frame "tip" stands where `place` is, `nested` at the same pose on a frame."""
    m = lw.Mechanism("arms")
    near = m.add_body("near", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
    far = m.add_body("far", mass=1.0, com=(0.3, 0, -0.5), inertia=(1, 1, 1))
    m.add_joint("shoulder", lw.Revolute((0, 1, 0)), m.ground, near)
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), near.at(0, 0, -1), far)
    m.add_frame("tip", far.at(1, 0.2, 0, rotation=TURNED))
    m.add_frame("half", far.at(0.5, 0.2, 0))
    return m


def places(m):
    yield m.body("far").at(1, 0.2, 0, rotation=TURNED)
    yield lw.Place("far", lw.Pose((1, 0.2, 0), TURNED))
    yield m.frame("half").at(0.5, 0, 0, rotation=TURNED)


QUESTIONS = {
    "jacobian": lambda model, frame: lw.jacobian(model, Q, frame),
    "jacobian in its axes": lambda model, frame: lw.jacobian(model, Q, frame, axes="body"),
    "rate": lambda model, frame: lw.jacobian_rate_times_v(model, Q, V, frame),
    "inverse inertia": lambda model, frame: lw.inverse_inertia(model, Q, frame),
    "cross inertia": lambda model, frame: lw.inverse_inertia(model, Q, "far", frame),
    "pose": lambda model, frame: lw.forward_kinematics(model, Q).pose(frame).matrix,
    "velocity": lambda model, frame: lw.forward_kinematics(model, Q, V).velocity(frame),
    "acceleration": lambda model, frame: lw.forward_kinematics(model, Q, V, V).acceleration(frame, axes="world"),
    "wrench": lambda model, frame: lw.reactions(model, Q, V).wrench("elbow", frame=frame),
    "inverse kinematics": lambda model, frame: lw.inverse_kinematics(model, Q, [lw.Target(frame, (0.5, 0.2, -1.0))]).q,
    "targets": lambda model, frame: lw.inverse_kinematics(model, Q, {frame: (0.5, 0.2, -1.0)}).q,
    "state from bodies": lambda model, frame: lw.state_from_bodies(model, {frame: (0.5, 0.2, -1.0)}, q=Q, strict=False).q,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_pose_of_a_place_was_ignored(arms, question):
    """A place answers as the frame that stands there, and not as its body's origin."""
    model, ask = arms.build(), QUESTIONS[question]
    expected = ask(model, "tip")
    assert np.abs(expected - ask(model, "far")).max() > 0.05
    for place in places(arms):
        assert ask(model, place) == pytest.approx(expected, abs=1e-12)  # poses composed in another order: rounding


def test_a_place_drawn_or_trailed_was_its_bodys_origin(arms, tmp_path):
    place = next(places(arms))
    assert lw.draw(arms, Q, frames=[place]).svg() == lw.draw(arms, Q, frames="tip").svg() == lw.draw(arms, Q, frames=place).svg()
    assert lw.draw(arms, Q, frames=["tip"]).svg() != lw.draw(arms, Q, frames=["far"]).svg()
    pages = []
    for k, trail in enumerate(("tip", place, "far")):
        path = tmp_path / f"{k}.html"
        lw.animate(arms, [0.0, 1.0], np.array([Q, V]), path=path, trails=trail, quiet=True)
        pages.append(path.read_text())
    assert pages[0] == pages[1] != pages[2]


@pytest.mark.parametrize("hard", [False, True])
def test_a_pull_at_a_place_pulled_at_the_bodys_origin(arms, hard):
    states = []
    for where, point in ((next(places(arms)), (0, 0, 0)), ("tip", (0, 0, 0)), ("far", (1, 0.2, 0))):
        live = lw.Live(arms)
        live.pull(where, point, (1.0, 0.2, 0.0), hard=hard)
        assert live.pulling.body == "far" and live.pulling.point == pytest.approx([1, 0.2, 0], abs=1e-15)
        live.advance(0.05)
        states.append(live.q)
    assert states[0] == pytest.approx(states[2], abs=1e-12) and states[1] == pytest.approx(states[2], abs=1e-12)
    with pytest.raises(lw.StateError, match=r"does not move"):
        live.pull("ground", (0, 0, 0), (1.0, 0.0, 0.0))


def test_a_place_drawn_to_a_target_is_what_gets_there(arms):
    live = lw.Live(arms)
    left = live.pose_to(arms.body("far").at(1, 0.2, 0), (0, 0, 0), (0.5, 0.2, -1.0))
    assert left < 1e-6 and lw.forward_kinematics(live.model, live.q).position("tip") == pytest.approx([0.5, 0.2, -1.0], abs=1e-6)


REFUSALS = {
    "model.body": lambda m, model, place: model.body(place),
    "model.joint": lambda m, model, place: model.joint(place),
    "mechanism.body": lambda m, model, place: m.body(place),
    "mechanism.change": lambda m, model, place: m.change(place, mass=2.0),
    "mechanism.remove": lambda m, model, place: m.remove(place),
    "f_ext": lambda m, model, place: lw.forward_dynamics(model, Q, V, f_ext={place: np.zeros(6)}),
    "hold": lambda m, model, place: lw.inverse_kinematics(model, Q, {"tip": (0, 0, 0)}, hold=[place]),
    "reactions": lambda m, model, place: lw.reactions(model, Q, V).wrench(place),
    "recording": lambda m, model, place: lw.simulate(m, 0.01, q=Q).pose(place),
    "live.place": lambda m, model, place: lw.Live(m).place(place, (0, 0, 0)),
    "event": lambda m, model, place: lw.joint_reaches(place, 0.1),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_place_where_a_body_or_joint_is_wanted_is_refused_by_name(arms, what):
    with pytest.raises(lw.ModelError, match=r"Place|place"):
        REFUSALS[what](arms, arms.build(), arms.body("far").at(1, 0, 0))


def test_anything_with_a_name_was_taken_for_a_frame(arms):
    class Thing:
        name = "far"

    for given in (Thing(), arms.joint("elbow"), 3, None):
        with pytest.raises(lw.UnknownNameError, match=r"no frame or body is called"):
            lw.jacobian(arms.build(), Q, given)
    for given in (Thing(), 3, None):
        with pytest.raises(lw.UnknownNameError, match=r"no body is called"):
            arms.build().body(given)
        with pytest.raises(lw.UnknownNameError, match=r"no body is called"):
            arms.body(given)


def test_parts_as_keys_were_unhashable(arms):
    """f_ext, state_from_bodies and targets take the parts that add_body and add_frame returned."""
    model, far, tip = arms.build(), arms.body("far"), arms.frame("tip")
    wrench = np.arange(6.0)
    assert np.array_equal(lw.forward_dynamics(model, Q, V, f_ext={far: wrench}), lw.forward_dynamics(model, Q, V, f_ext={"far": wrench}))
    pose = lw.forward_kinematics(model, Q).pose("far")
    found = lw.state_from_bodies(model, {far: pose}, {far: np.zeros(6)})
    assert found.q == pytest.approx(Q, abs=1e-9) and list(found.misses) == ["far"]
    assert np.array_equal(
        lw.inverse_kinematics(model, V, {tip: (0.5, 0.2, -1)}).q, lw.inverse_kinematics(model, V, {"tip": (0.5, 0.2, -1)}).q
    )
    live = lw.Live(arms)
    live.set_joint(arms.joint("elbow"), 0.4)
    assert live.q[1] == 0.4
    with pytest.raises(lw.StateError, match=r"'far'.*twice"):
        lw.forward_dynamics(model, Q, V, f_ext={far: wrench, "far": wrench})
    with pytest.raises(lw.StateError, match=r"'far'.*twice"):
        lw.state_from_bodies(model, {far: pose, "far": pose})


def test_equal_parts_have_equal_hashes(arms):
    copied = arms.clone()
    for part, other in zip((*arms.bodies, *arms.joints, *arms.frames), (*copied.bodies, *copied.joints, *copied.frames), strict=True):
        assert part == other and hash(part) == hash(other) and {part: 1}[other] == 1
    assert len({*arms.bodies, *copied.bodies}) == 2


@pytest.mark.parametrize("part", [3, None, lw.Pose(), ["far"]])
def test_a_place_on_a_number_was_an_attribute_error(part):
    with pytest.raises(lw.ModelError, match=r"Place: part is .* give a body"):
        lw.Place(part)
