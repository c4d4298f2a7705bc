"""Time, pulling, posing, looking back, watching, saving: each against an independent route."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.live.pull_force import yielding

from .mechanisms import four_bar, pucks, rods, run


def test_editing_between_slices_changes_nothing_else():
    """A run in slices, with an edit of a bystander, is bit by bit the run without."""
    a, b = four_bar(), four_bar()
    run(a, 0.5, 25)
    run(b, 0.26, 13)
    b.add_body("bystander", mass=1.0, inertia=(1, 1, 1), pose=(5, 5, 5))
    run(b, 0.24, 12)
    joints = [j.name for j in a.model.joints]
    for name in joints:
        assert np.allclose(a.q[a.model.joint(name).q_index], b.q[b.model.joint(name).q_index], rtol=0, atol=1e-9)


def test_a_soft_pull_is_critically_damped_and_ends_at_the_target():
    live = pucks(1)
    live.place("puck 0", pose=(0, 0, 0), twist=(0,) * 6)
    com = live.model.bodies[0].inertia.com
    target = live.poses()["puck 0"].act(com) + (0.3, 0.0, 0.0)
    live.pull("puck 0", com, target)
    xs = []
    for _ in range(90):
        live.advance(1 / 60)
        xs.append(live.pulling.at[0])
    assert np.linalg.norm(live.pulling.at - target) < 1e-3
    assert max(xs) < target[0] + 0.02 * 0.3  # pulled at the centre of mass it does not overshoot
    live.release()
    assert live.pulling is None


def test_the_hand_is_bounded_and_booked():
    live = four_bar()
    live.integrator = lw.RungeKutta4(step=1e-3)
    live.pull("rod 1", (0, 0, 0), (1e5, 0, 0))
    run(live, 0.5)
    force = np.linalg.norm(live.pulling.force)
    assert force <= 20.001 * live.model.mass * 9.81
    entry = live.audit.run.force("hand")
    assert entry.work != 0.0
    assert abs(live.audit.run.numerical) < 0.05 * live.audit.run.scale
    live.release()
    with pytest.raises(lw.LinkworkError, match="target"):
        live.pull("rod 1", (0, 0, 0), (np.nan, 0, 0))
    with pytest.raises(lw.UnknownNameError):
        live.pull("rod 7", (0, 0, 0), (0, 0, 0))


def test_a_hard_pull_carries_the_point_and_keeps_the_loops_closed():
    live = four_bar()
    start = live._point("rod 1", np.zeros(3))[0]
    target = start + (0.05, 0.0, 0.02)
    live.pull("rod 1", (0, 0, 0), target, hard=True)
    run(live, 1.0)
    grip = live.pulling
    assert live.audit.run.gap.value < 1e-8
    # One degree of freedom: the point goes where its way is nearest the target, so what is left is across the way.
    way = np.linalg.eigh(yielding(live.model, live.q, "rod 1", np.zeros(3))[0])[1][:, -1]
    assert abs(way @ (target - grip.at)) < 1e-3 * np.linalg.norm(target - grip.at)  # at rest, but for what is left of the approach
    assert np.linalg.norm(grip.at - start) > 0.02
    assert np.linalg.norm(grip.force) > 1.0  # it holds the weight
    live.release()
    run(live, 0.1)


@pytest.mark.parametrize("slices", [1, 30])
@pytest.mark.parametrize("target", [(0.5, 0.0, 0.5), (0.5, 0.3, 0.5), (0.2, 0.0, 0.3), (-3.0, 0.0, -3.0)])
def test_a_hard_pull_out_of_reach_does_not_blow_up_and_rests_at_the_nearest_place(target, slices):
    """1e228 J, or 13190 rad/s that were accepted."""
    live = lw.Live(lw.shipped("four-bar"))
    live.advance(0.5)
    live.pull("coupler", (0.1, 0, 0), target, hard=True)
    for _ in range(2 * slices):
        assert live.advance(0.5 / slices) == "stopped"
        assert np.abs(live.v).max() < 24.0  # the bound of the rates of parts, 12 rad/s; a joint's is that of two parts
    # At rest, with all that is left across its way, but for what is left of the approach after a second of 25 rad/s.
    assert abs(live.time - 1.5) < 1e-9 and np.abs(live.v).max() < 1e-2
    left = np.array(target) - live.pulling.at
    way = np.linalg.eigh(yielding(live.model, live.q, "coupler", np.array([0.1, 0, 0]))[0])[1][:, -1]
    assert abs(way @ left) < 1e-3 * np.linalg.norm(left)
    if target == (0.5, 0.0, 0.5):
        assert np.allclose(
            live.pulling.at, (0.153, 0.0, 0.129), atol=2e-3
        )  # where the soft pull comes to rest, its spring stretched by the weight


def test_a_hard_pull_stretches_an_arm_and_holds_it_at_full_reach():
    m = lw.Mechanism("arm")
    upper, lower = (m.add_body(name, mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)) for name in ("upper", "lower"))
    m.add_joint("shoulder", lw.Revolute((0, -1, 0)), m.ground, upper)
    m.add_joint("elbow", lw.Revolute((0, -1, 0)), upper.at(1, 0, 0), lower)
    live = lw.Live(m)
    live.set_joint("elbow", 0.3)
    live.pull("lower", (1, 0, 0), (3.0, 0, 2.0), hard=True)
    for _ in range(300):
        assert live.advance() == "stopped"
        assert np.abs(live.v).max() < 24.0  # rad/s
    # 2 m towards the target. Along the arm a spring of 20 weights holds, across it the hand: the elbow sags by some 1/100 of a right angle.
    assert np.linalg.norm(live.pulling.at - 2.0 * np.array([3.0, 0, 2.0]) / np.sqrt(13.0)) < 0.03


def test_a_hard_pull_of_a_free_body_reaches_any_place():
    live = pucks(1)
    live.pull("puck 0", (0.1, 0, 0), (0.5, 0.4, -0.2), hard=True)
    run(live, 1.0)
    assert np.allclose(live.pulling.at, (0.5, 0.4, -0.2), atol=1e-3)


def test_deleting_what_is_pulled_lets_go():
    live = rods()
    live.pull("rod 1", (0, 0, 0), (0, 0, 1))
    run(live, 0.1)
    live.remove("rod 1")
    assert live.pulling is None
    live.pull("rod 0", (0, 0, 0), (0, 0, 1))
    live.remove("rod 2")
    assert live.pulling.body == "rod 0"  # another edit does not let go
    run(live, 0.1)


def test_drawing_while_paused_keeps_loops_closed():
    live = four_bar()
    start = live._point("rod 1", np.zeros(3))[0]
    left = live.pose_to("rod 1", (0, 0, 0), start + (0.03, 0, 0.01))
    assert left < 0.03
    assert np.abs(lw.constraint_jacobian(live.model, live.q, live.v).phi).max() < 1e-9
    assert live.time == 0.0


def test_place_and_set_joint():
    live = four_bar()
    before = live.q.copy()
    live.set_joint("A", q=float(before[live.model.joint("A").q_index][0]) + 0.1, v=1.0)
    assert live.q[live.model.joint("A").q_index][0] == pytest.approx(before[live.model.joint("A").q_index][0] + 0.1, abs=1e-9)
    assert live.v[live.model.joint("A").v_index][0] == pytest.approx(1.0, abs=1e-9)
    with pytest.raises(lw.StateError, match="held to ground"):
        live.place("rod 0", pose=(0, 0, 0))
    live.add_body("ball", mass=1.0, inertia=(1, 1, 1), pose=(1, 1, 1))
    live.place("ball", pose=(2, 0, 0), twist=(0, 0, 0, 1, 0, 0))
    assert np.allclose(live.poses()["ball"].translation, (2, 0, 0)) and live.twists()["ball"][3] == pytest.approx(1.0)


def test_looking_back_and_going_on_from_there():
    live = four_bar()
    run(live, 0.5, 30)
    mark = live.moment
    live.add_body("ball", mass=1.0, inertia=(1, 1, 1), pose=(1, 1, 1))
    run(live, 0.5, 30)
    assert live.span[0] == 0.0 and live.span[1] == pytest.approx(1.0)
    glimpse = live.look(0.5)
    assert glimpse.time == pytest.approx(0.5, abs=1e-9)
    live.rewind(0.4)
    assert "ball" not in {b.name for b in live.mechanism.bodies}
    assert live.time == pytest.approx(0.4, abs=0.01) and live.span[1] == pytest.approx(live.time)
    live.advance(mark.t - live.time)
    assert np.allclose(live.q, mark.q, atol=1e-5)  # frames are exact; the grid of steps begins anew
    live.undo()
    assert "ball" in {b.name for b in live.mechanism.bodies}


def test_reset_goes_back_to_where_bodies_started():
    live = four_bar()
    start = live.moment
    run(live, 0.3)
    live.add_body("late", mass=1.0, inertia=(1, 1, 1), pose=(3, 0, 0))
    run(live, 0.2)
    live.reset()
    assert live.time == 0.0
    poses = live.poses()
    assert np.allclose(poses["late"].translation, (3, 0, 0))
    for name, (X, _) in start.bodies().items():
        assert poses[name].isclose(X)


def test_signals_say_what_the_functions_say():
    live = four_bar()
    live.add_force("band", lw.SpringDamper(30.0, length=0.1), "rod 1", lw.Place("ground", lw.Pose((0, 0, 1))))
    for name in (
        "q A",
        "v A",
        "torque A",
        "reaction B",
        "tension band",
        "length band",
        "z rod 1",
        "energy total",
        "gap",
        "distance rod 0 | rod 2",
    ):
        live.watch(name)
    run(live, 0.3)
    last = {name: live.history(name)[1][-1] for name in live.watched.values}
    q, v = live.q, live.v
    k = lw.forward_kinematics(live.model, q, v)
    assert last["q A"] == q[live.model.joint("A").q_index][0]
    assert last["z rod 1"] == pytest.approx(k.position("rod 1")[2])
    assert last["distance rod 0 | rod 2"] == pytest.approx(np.linalg.norm(k.position("rod 0") - k.position("rod 2")))
    assert last["length band"] == pytest.approx(np.linalg.norm(k.position("rod 1") - (0, 0, 1)))
    assert last["tension band"] == pytest.approx(30.0 * (last["length band"] - 0.1))
    assert last["reaction B"] == pytest.approx(np.linalg.norm(lw.reactions(live.model, q, v).wrench("B")[3:]), rel=1e-6)
    assert last["gap"] < 1e-9
    with pytest.raises(lw.UnknownNameError):
        live.watch("q Z")
    live.remove("B")
    run(live, 0.1)  # what is no more is watched no more
    assert len(live.history("reaction B")[0]) == 60


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("given", [{"density": 1e308}, {"mass": 1e308}])
def test_a_mass_beyond_all_measure_is_refused_and_nothing_changes(given):
    live = rods()
    before = live.mechanism, live.q.tobytes(), len(live.edits)
    with pytest.raises(lw.ModelError, match=r"with its Box gives a mass of .* allowed is less than 1e\+150"):
        live.add_body("star", shape=lw.Box(0.4, 0.03, 0.03), **given)
    with pytest.raises(lw.ModelError, match="allowed is less than"):
        live.change("rod 0", shape=lw.Box(0.4, 0.03, 0.03), inertia=None, com=None, **given)
    assert (live.mechanism, live.q.tobytes(), len(live.edits)) == before and live.mechanism is before[0]


def test_a_step_that_fails_leaves_the_last_good_state():
    live = rods()
    live.integrator = lw.SemiImplicitEuler(step=1e-3)  # it fails after some steps, when the jet does work already
    live.add_force("jet", lw.Motor(force=(1e306, 0, 0), reaction=False), "rod 0")
    for _ in range(40):
        live.advance(0.1)
    assert not live.status.ok and "jet" in str(live.status)
    assert np.isfinite(live.q).all() and np.isfinite(live.v).all()
    live.remove("jet")
    live.reset()
    run(live, 0.1)


def test_saving_keeps_comments_and_state(tmp_path):
    path = tmp_path / "bar.toml"
    path.write_text("# my rig\nlinkwork = 1\n[body.bob]  # the bob\nmass = 2  # kg\ninertia = [0.1, 0.1, 0.1]\n")
    live = lw.Live.open(path)
    live.add_body("ball", mass=1.0, inertia=(1, 1, 1), pose=(1, 0, 0))
    live.rename("bob", "weight")
    run(live, 0.2)
    live.save(path)
    text = path.read_text()
    assert "# my rig" in text and "# kg" in text and "[body.weight]" in text
    again = lw.Live.open(path)
    assert again.mechanism == live.mechanism
    assert again.moment.same_state(live.moment)


def test_the_script_does_the_same_again():
    live = four_bar()
    run(live, 0.2)
    live.pull("rod 1", (0, 0, 0), (0.3, 0, 0.5))
    run(live, 0.2)
    live.release()
    live.change("rod 1", density=500.0)
    names = {}
    exec(live.python, names)  # the test's own text
    assert names["live"].mechanism == live.mechanism
    assert np.allclose(names["live"].q, live.q, atol=1e-9)


@pytest.mark.slow
def test_memory_of_the_past_is_bounded():
    live = pucks(2)
    live.state_history.most = 200_000
    for _ in range(6000):
        live.advance(1e-3)
    assert sum(page.bytes for page in live.state_history.pages) <= 200_000 + max(page.bytes for page in live.state_history.pages)
    assert live.span[0] > 0.0


def test_copies_stand_beside_and_move_along():
    live = pucks(2)
    live.add_joint("hinge", lw.Revolute((0, 0, 1)), lw.Place("puck 0", lw.Pose((0.5, 0, 0))), "puck 1")
    live.copy("puck 0", "copy of ", offset=(0, 3, 0))
    poses, twists = live.poses(), live.twists()
    for name in ("puck 0", "puck 1"):
        assert np.allclose(poses[f"copy of {name}"].translation, poses[name].translation + (0, 3, 0), atol=1e-9)
        assert np.allclose(twists[f"copy of {name}"], twists[name], atol=1e-9)


@pytest.mark.slow
def test_controllers_act():
    @lw.controller(rate=200)
    def brake(t, q, v):
        return -5.0 * v

    live = lw.Live(lw.shipped("pendulum"))
    free = lw.Live(lw.shipped("pendulum"))
    live.controllers = [brake]
    run(live, 1.0)
    run(free, 1.0)
    assert sum(live.energy()[:2]) < sum(free.energy()[:2]) - 0.5


@pytest.mark.parametrize("hard", [False, True])
def test_the_hand_goes_on_holding_through_edits_and_other_methods(hard):
    live = rods()
    live.add_force("band", lw.SpringDamper(10.0), "rod 0", "rod 1")
    live.pull("rod 1", (0, 0, 0), (0, 0, 1), hard=hard)
    run(live, 0.05, 3)
    live.integrator = lw.RungeKutta4(step=1e-3)
    assert live.pulling.hard == hard and np.linalg.norm(live.pulling.force) > 0
    live.change("band", stiffness=20.0)
    live.add_body("ball", mass=1.0, inertia=(1, 1, 1), pose=(2, 0, 0))
    assert live.pulling.body == "rod 1" and live.pulling.hard == hard
    run(live, 0.5)
    assert np.linalg.norm(live.pulling.at - (0, 0, 1)) < 0.3
    live.pose_to("rod 0", (0, 0, 0), (1, 0, 0))  # the hand poses now
    assert live.pulling is None
    run(live, 0.1)


def test_what_came_after_is_forgotten_frame_by_frame():
    """Symptom: after a rewind the tape still held frames of the time that was taken back, and the recording could not be joined."""
    live = four_bar()
    run(live, 0.5)
    live.rewind(0.1)
    assert live.span[1] == live.time < 0.12
    run(live, 0.1)
    times = live.recording.time
    assert (np.diff(times) >= 0.0).all() and times[-1] == live.time


def test_a_model_with_other_numbers_of_its_forces_shares_what_depends_on_its_tables():
    """A key that nothing was kept under any more let every retuned model find all of it out again."""
    from linkwork.data.lending import cache_of
    from linkwork.live.retune import _SHARED

    live = lw.Live(lw.shipped("four-bar"))
    live.add_force("spring", lw.SpringDamper(10.0), live.mechanism.bodies[0].name)
    live.advance(0.05)
    live.simulation.gauges.reactions(live.time, live.q, live.v)
    before = dict(cache_of(live.model).kept)
    model = live.model
    live.change("spring", stiffness=20.0)
    after = cache_of(live.model).kept
    assert live.model is not model and all(name in before and after[name] is before[name] for name in _SHARED)


@pytest.mark.parametrize("name", ["pendulum", "four-bar"])
@pytest.mark.parametrize("integrator", [lw.RungeKutta4(step=1e-3), lw.Adaptive()])
def test_rewind_goes_to_the_time_and_not_to_the_nearest_frame(name, integrator):
    """The clock stayed at 1.0 after rewind(0.6). The state of then is that of a run which ended there, bit by bit."""
    live, plain = lw.Live(lw.shipped(name), integrator), lw.Live(lw.shipped(name), integrator)
    live.advance(1.0)
    edit = live.rewind(0.6)
    plain.advance(0.6)
    assert live.time == 0.6 == edit.time and edit.words == "back to 0.600 s"
    assert live.q.tobytes() == plain.q.tobytes() and live.v.tobytes() == plain.v.tobytes()
    live.advance(0.4)
    plain.advance(0.4)
    assert live.q.tobytes() == plain.q.tobytes() and (np.diff(live.recording.time) >= 0.0).all()


def test_rewind_into_a_pull_says_that_it_went_to_the_frame_before():
    live = lw.Live(lw.shipped("pendulum"))
    live.advance(0.5)
    live.pull(live.model.bodies[0].name, live.model.bodies[0].inertia.com, (1, 0, 1))
    live.advance(0.25)
    live.release()
    live.advance(0.25)
    edit = live.rewind(0.6)
    assert live.time == edit.time == 0.5 and "the frame before 0.6 s" in edit.words
    with pytest.raises(lw.StateError, match=r"t: found 2 s; allowed is a time that is kept, from 0 to 0.5 s"):
        live.rewind(2.0)


def test_signals_answer_to_the_names_of_recordings():
    live = lw.Live(lw.shipped("four-bar"))
    live.advance(0.1)
    for name, signal in {
        "A.v": "v A",
        "A": "q A",
        "v A": "v A",
        "energy": "energy total",
        "kinetic": "energy kinetic",
        "A.reaction": "reaction A",
    }.items():
        assert live.read(name) == live.read(signal)
    live.watch("A.v")
    live.advance(0.1)
    assert (
        list(live.watched.values) == ["v A"]
        and np.array_equal(live.history("A.v"), live.history("v A"))
        and live.history("A.v")[1].tolist() == [live.read("v A")]
    )
    with pytest.raises(lw.UnknownNameError, match=r"no signal is called 'A.w'; did you mean"):
        live.watch("A.w")
    with pytest.raises(lw.StateError, match=r"'q B' is not watched; live.watch\('q B'\)"):
        live.history("q B")  # it answered with nothing
    live.unwatch("A.v")
    assert not live.watched.values
