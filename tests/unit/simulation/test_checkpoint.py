"""Checkpoints: the old one or the new one, whatever happens in between."""

import os
import random
import signal
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

import linkwork as lw
from linkwork.simulation import checkpoint
from linkwork.simulation.checkpoint import Checkpoints, read_checkpoint, write_checkpoint
from linkwork.simulation.recorder import Recorder
from linkwork.simulation.resuming import contents

from .motions import model_of

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
shapes = arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
any_array = st.sampled_from([np.float64, np.int64, np.uint8, np.bool_]).flatmap(lambda kind: arrays_of.arrays(kind, shapes))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3),
    max_leaves=10,
)


@SHARED
@given(st.dictionaries(st.text(st.characters(codec="utf-8")), any_array, max_size=4), json_values)
def test_everything_comes_back_bit_by_bit(tmp_path, arrays, data):
    write_checkpoint(tmp_path / "c", arrays, data)
    back, back_data = read_checkpoint(tmp_path / "c")
    assert back_data == data
    assert list(back) == list(arrays)
    for name, array in arrays.items():
        assert (back[name].dtype, back[name].shape) == (array.dtype, array.shape)
        assert back[name].tobytes() == array.tobytes()


def test_arrays_may_be_strided_and_come_back_writeable(tmp_path):
    given_ = np.arange(24.0).reshape(4, 6)[::2, ::3]
    write_checkpoint(tmp_path / "c", {"x": given_, "n": 3})
    back, _ = read_checkpoint(tmp_path / "c")
    assert np.array_equal(back["x"], given_) and back["n"] == 3
    back["x"][0] = 7.0


@pytest.mark.parametrize(("arrays", "data"), [({"x": np.array(["a"])}, None), ({"x": np.zeros(2, complex)}, None), ({}, {"f": len})])
def test_what_cannot_be_kept_is_refused(tmp_path, arrays, data):
    with pytest.raises(lw.StateError, match="checkpoint"):
        write_checkpoint(tmp_path / "c", arrays, data)
    assert not list(tmp_path.iterdir())


@SHARED
@given(st.data())
def test_any_damage_is_noticed(tmp_path, data):
    path = tmp_path / "c"
    write_checkpoint(path, {"q": np.arange(5.0)}, {"step": 12})
    raw = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    else:
        raw = raw[: data.draw(st.integers(0, len(raw) - 1))]
    path.write_bytes(raw)
    with pytest.raises(lw.FormatError, match="checkpoint"):
        read_checkpoint(path)


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b"{",
        b'{"data": 1}',
        b'{"data": 1, "arrays": [["x", "<f8", [9]]]}',
        b'{"data": 1, "arrays": [["x", "|O", [1]]]}',
        b"[" * 100000,
    ],
)
def test_a_forged_checkpoint_is_refused(tmp_path, text):
    body = len(text).to_bytes(8, "little") + text + b"12345678"
    (tmp_path / "c").write_bytes(checkpoint.MAGIC + checkpoint.hashlib.sha256(body).digest() + body)
    with pytest.raises(lw.FormatError, match="not understood"):
        read_checkpoint(tmp_path / "c")


def test_a_missing_checkpoint(tmp_path):
    with pytest.raises(lw.FormatError, match="cannot be read"):
        Checkpoints(tmp_path / "c").resume()
    write_checkpoint(tmp_path / "c", {}, 5)
    with pytest.raises(lw.FormatError, match="without a list of samples"):
        Checkpoints(tmp_path / "c").resume()


# ---------------------------------------------------------------------- with the frames of a run


def append(recorder, count):
    """Frames that anyone can compute again from their number."""
    for _ in range(count):
        k = len(recorder)
        recorder.append(0.01 * k, [np.sin(k), np.cos(k)], [k, -k], kinetic=k**0.5)


def new_recorder():
    return Recorder(model_of("double pendulum"), ("q", "v", "kinetic"), frames=8)


def test_frames_come_back_and_only_new_ones_are_written(tmp_path, monkeypatch):
    written = []
    save = checkpoint.save_recording
    monkeypatch.setattr(checkpoint, "save_recording", lambda rec, *a, **k: (written.append(len(rec)), save(rec, *a, **k)))
    checkpoints, recorder = Checkpoints(tmp_path / "run.check"), new_recorder()
    for k in range(64):
        append(recorder, 5)
        checkpoints.write({"q": np.full(3, k)}, {"k": k}, recorder)
        assert len(list(tmp_path.iterdir())) <= 8, "about log2 of 64 segments, and the checkpoint"
    assert sum(written) < 7 * 320, "every frame about log2(64) times, not 32 times"
    found = Checkpoints(tmp_path / "run.check").resume(model_of("double pendulum"))
    assert found.recording == recorder.recording()
    assert found.data == {"k": 63} and found.arrays["q"][0] == 63
    checkpoints.remove()
    assert not list(tmp_path.iterdir())


def test_without_new_frames_nothing_is_written_again(tmp_path):
    checkpoints, recorder = Checkpoints(tmp_path / "c"), new_recorder()
    checkpoints.write({}, 0, recorder)
    assert Checkpoints(tmp_path / "c").resume().recording is None
    append(recorder, 3)
    checkpoints.write({}, 1, recorder)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.glob("*.arrow")}
    checkpoints.write({}, 2, recorder)
    assert {p: p.stat().st_mtime_ns for p in tmp_path.glob("*.arrow")} == before
    assert Checkpoints(tmp_path / "c").resume().data == 2


def test_a_new_run_at_an_old_path_does_not_spoil_the_old_checkpoint(tmp_path, monkeypatch):
    old, first = Checkpoints(tmp_path / "c"), new_recorder()
    append(first, 4)
    old.write({}, "old", first)
    new, second = Checkpoints(tmp_path / "c"), new_recorder()
    second.append(0.0, [9, 9], [9, 9], kinetic=9.0)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(checkpoint, "write_checkpoint", killed)
        new.write({}, "new", second)
    assert Checkpoints(tmp_path / "c").resume().recording == first.recording()
    new.write({}, "new", second)
    assert Checkpoints(tmp_path / "c").resume().recording == second.recording()
    assert len(list(tmp_path.iterdir())) == 2, "the old segment is gone"


def test_files_of_others_are_left_alone(tmp_path):
    for name in ("c.arrow", "c.backup.arrow", "c2.0123456789abcdef.arrow", "notes.txt"):
        (tmp_path / name).touch()
    checkpoints, recorder = Checkpoints(tmp_path / "c"), new_recorder()
    append(recorder, 2)
    checkpoints.write({}, None, recorder)
    checkpoints.remove()
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("damage", [lambda p: p.unlink(), lambda p: p.write_bytes(p.read_bytes()[:-30])])
def test_a_lost_segment_is_noticed(tmp_path, damage):
    checkpoints, recorder = Checkpoints(tmp_path / "c"), new_recorder()
    append(recorder, 2)
    checkpoints.write({}, None, recorder)
    damage(next(tmp_path.glob("*.arrow")))
    with pytest.raises(lw.FormatError):
        Checkpoints(tmp_path / "c").resume()


def _run_on(path):
    """The process to be killed: goes on from the last checkpoint for ever, a checkpoint every three frames."""
    checkpoints, recorder = Checkpoints(path), new_recorder()
    if path.exists():
        recorder.restore(checkpoints.resume().recording)
    while True:
        append(recorder, 3)
        n = len(recorder)
        checkpoints.write({"q": np.full(1000, float(n)), "memory": np.arange(n % 7)}, {"frames": n, "text": "x" * (n % 50)}, recorder)


def _generation(path):
    """Changes whenever a checkpoint takes the place of another."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork: a fresh interpreter for every kill would take a minute")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_run_killed_at_any_moment_leaves_a_whole_checkpoint(tmp_path):
    """SIGKILL thirty times: what is found is always whole, never older than before, and goes on where it was."""
    path, rng, reached = tmp_path / "run.check", random.Random(1), 0
    for kill in range(30):
        before = _generation(path)
        child = os.fork()
        if child == 0:
            try:
                _run_on(path)
            finally:
                os._exit(1)
        deadline = time.monotonic() + 20.0
        while kill % 2 == 0 and _generation(path) == before and time.monotonic() < deadline:  # every other child gets something done
            time.sleep(0.0005)
        time.sleep(rng.uniform(0.0, 0.03))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the child was to be killed while it wrote, not to end of itself"
        found = Checkpoints(path).resume(model_of("double pendulum"))
        frames = found.data["frames"]
        assert frames >= reached and len(found.recording) == frames
        assert np.array_equal(found.arrays["q"], np.full(1000, float(frames)))
        assert len(found.arrays["memory"]) == frames % 7
        reached = frames
    expected = new_recorder()
    append(expected, reached)
    assert found.recording == expected.recording()
    assert reached >= 45, "three frames for every other child at least"
    checkpoints = Checkpoints(path)
    checkpoints.resume()
    checkpoints.write({}, None, expected)
    assert not [p for p in tmp_path.iterdir() if p.name.endswith(".part")], "what kills left behind is cleared away"


# ---------------------------------------------------------------------- runs that are taken up again


def pendulum():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    return m


def happened(sim):
    return [(found.name, found.t, found.q.tobytes(), found.v.tobytes(), found.direction) for found in sim.events]


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(step=0.013), lw.Adaptive(), lw.Adams(), lw.Variational(step=1e-3)])
def test_events_before_a_checkpoint_are_not_lost_on_resume(tmp_path, integrator):
    """Nor those within a step that ends after the checkpoint: the method is ahead of the time that is shown."""
    events = [lw.joint_reaches("pivot", 0.0), lw.Event(lambda t, q, v: q[0] - 0.3, direction=1, name="up")]
    whole = lw.Simulation(pendulum(), integrator, q=[1.0], events=events)
    whole.run(3.0)
    assert len(whole.events) >= 4
    for stop in (1.5, 2.007):
        lw.Simulation(pendulum(), integrator, q=[1.0], events=events, checkpoint=tmp_path / "c").run(stop)
        again = lw.Simulation.resumed(tmp_path / "c", pendulum(), integrator, events=events)
        assert happened(again) == [found for found in happened(whole) if found[1] <= stop] != []
        again.run(3.0 - stop)
        assert happened(again) == happened(whole) and again.state == whole.state


def test_a_run_is_taken_up_without_its_events(tmp_path):
    event = lw.joint_reaches("pivot", 0.0)
    lw.Simulation(pendulum(), q=[1.0], events=[event], checkpoint=tmp_path / "c").run(1.5)
    again = lw.Simulation.resumed(tmp_path / "c", pendulum())
    again.run(1.0)
    assert [(found.name, found.event) for found in again.events] == [(event.name, None)]


@pytest.mark.parametrize("other", [{"t": 5.0}, {"q": [0.5]}, {"v": [1.0]}])
def test_another_beginning_of_a_run_that_is_taken_up_is_refused(tmp_path, other):
    lw.Simulation(pendulum(), q=[1.0], checkpoint=tmp_path / "c").run(0.1)
    with pytest.raises(lw.StateError, match="found another beginning than that of the run in the checkpoint") as caught:
        lw.Simulation.resumed(tmp_path / "c", pendulum(), **other)
    assert caught.value.argument == next(iter(other))
    assert lw.Simulation.resumed(tmp_path / "c", pendulum(), t=0.0, q=[1.0], v=[0.0]).time == pytest.approx(0.1, abs=1e-12)


@pytest.mark.slow
def test_other_controllers_of_a_run_that_is_taken_up_are_refused(tmp_path):
    one, two = (lw.controller(function, rate=100.0)() for function in (lambda t, q, v: -q, lambda t, q, v: -v))
    lw.Simulation(pendulum(), q=[1.0], controllers=[one], checkpoint=tmp_path / "c").run(0.1)
    with pytest.raises(lw.FormatError, match="another list of controllers"):
        lw.Simulation.resumed(tmp_path / "c", pendulum(), controllers=[one, two])


OTHERS = {
    "another function": [lw.Event(lambda t, q, v: q[0] - 0.4, name="up"), lw.at_time(9.0)],
    "another direction": [lw.Event(lambda t, q, v: q[0] - 0.3, name="up", direction=1), lw.at_time(9.0)],
    "one that stops": [lw.Event(lambda t, q, v: q[0] - 0.3, name="up", stop=True), lw.at_time(9.0)],
    "another time": [lw.Event(lambda t, q, v: q[0] - 0.3, name="up"), lw.at_time(8.0)],
    "one less": [lw.at_time(9.0)],
}


@pytest.mark.parametrize("events", OTHERS.values(), ids=OTHERS)
def test_other_events_of_a_run_that_is_taken_up_are_refused_by_name(tmp_path, events):
    ours = [lw.Event(lambda t, q, v: q[0] - 0.3, name="up"), lw.at_time(9.0)]
    lw.Simulation(pendulum(), q=[1.0], events=ours, checkpoint=tmp_path / "c").run(0.1)
    with pytest.raises(lw.FormatError, match=r"events: found .* the run watched for"):
        lw.Simulation.resumed(tmp_path / "c", pendulum(), events=events)


def test_events_that_a_run_did_not_have_are_refused_when_it_is_taken_up(tmp_path):
    lw.Simulation(pendulum(), q=[1.0], checkpoint=tmp_path / "c").run(0.1)
    with pytest.raises(lw.FormatError, match="the run watched for none"):
        lw.Simulation.resumed(tmp_path / "c", pendulum(), events=[lw.at_time(1.0)])


@pytest.mark.parametrize("other", [{"record_interval": 0.01}, {"constraint_tolerance": 1e-6}, {"times": [0.1, 0.5]}, {"drift": "none"}])
def test_other_settings_of_a_run_that_is_taken_up_are_refused_by_name(tmp_path, other):
    lw.Simulation(pendulum(), q=[1.0], checkpoint=tmp_path / "c").run(0.1)
    with pytest.raises(lw.FormatError, match=f"{next(iter(other))}: found .* but the run in the checkpoint has"):
        lw.Simulation.resumed(tmp_path / "c", pendulum(), **other)


@pytest.mark.slow
def test_another_function_or_parameter_of_a_controller_is_refused_when_a_run_is_taken_up(tmp_path):
    def law(t, q, v, k=1.0):
        return -k * q

    def other(t, q, v, k=1.0):
        return -k * v

    other.__name__ = "law"
    one, two = (lw.controller(function, rate=100.0) for function in (law, other))
    lw.Simulation(pendulum(), q=[1.0], controllers=[one(k=2.0)], checkpoint=tmp_path / "c").run(0.1)
    for wrong in (one(k=3.0), two(k=2.0)):
        with pytest.raises(lw.FormatError, match="another list of controllers"):
            lw.Simulation.resumed(tmp_path / "c", pendulum(), controllers=[wrong])
    assert lw.Simulation.resumed(tmp_path / "c", pendulum(), controllers=[one(k=2.0)]).time == pytest.approx(0.1)


@pytest.mark.slow
def test_a_run_that_is_taken_up_judges_energy_as_one_that_went_on(tmp_path):
    """A bound that forgot its samples trusted forces that feed less than the uninterrupted one did, or more."""
    m = pendulum()
    m.add_force("push", lw.force(lambda q, v, t: 50.0 * t**3, on="joint")(), "pivot")
    integrator = lw.SemiImplicitEuler(step=1e-3)
    whole = lw.Simulation(m, integrator, record_interval=1e-3)
    whole.run(0.010)
    lw.Simulation(m, integrator, record_interval=1e-3, checkpoint=tmp_path / "c").run(0.005)
    again = lw.Simulation.resumed(tmp_path / "c", m, integrator, record_interval=1e-3)
    again.run(0.005)
    assert again._samples.bound.to_dict() == whole._samples.bound.to_dict()
    assert again._samples.bound._samples == 11


def test_a_run_that_is_taken_up_in_doubt_goes_back_to_the_sample_before_the_doubt(tmp_path):
    """Energy had begun to grow when the checkpoint was written; the run that went on ended at the sample before that."""

    def run(parts):
        m = lw.Mechanism("slider")
        m.add_joint("rail", lw.Prismatic(axis=(1, 0, 0)), m.ground, m.add_body("block", mass=1.0, inertia=(1, 1, 1)))
        m.add_force("spring", lw.JointSpring(1.2e7), "rail")
        sim = lw.Simulation(m, q=[1e-3], record_interval=1e-3, checkpoint=tmp_path / "c")
        for k, part in enumerate(parts):
            sim = sim if k == 0 else lw.Simulation.resumed(tmp_path / "c", m, record_interval=1e-3)
            if not sim.run(part).status.ok:
                return sim, k
        raise AssertionError("it did not fail")

    with pytest.warns(lw.FailedRunWarning):
        whole, _ = run([0.1])
    stood = set()
    for n in range(1, 8):
        with pytest.warns(lw.FailedRunWarning):
            again, parts = run([n * 1e-3, 0.1])
        if parts == 1:
            stood.add(again.recording.time[-1])
    assert stood == {whole.recording.time[-1]}


@pytest.mark.parametrize("integrator", [lw.EnergyMomentum(step=2e-3), lw.Implicit(step=2e-3), lw.Implicit(), lw.RungeKutta4(step=2e-3)])
def test_a_run_that_an_event_stopped_goes_on_from_there_after_it_is_taken_up(tmp_path, integrator):
    """A method that was to begin anew where the event had stopped it began anew at the start of the run."""
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    settings = {"q": [0.8], "events": [lw.Event(lambda t, q, v: q[0], stop=True, name="lowest")], "record_interval": 0.05}
    sim = lw.Simulation(m, integrator, checkpoint=tmp_path / "run.ckpt", **settings)
    assert "lowest" in str(sim.run(2.0).status)
    taken_up = lw.Simulation.resumed(tmp_path / "run.ckpt", m, integrator, **settings)
    for s in (sim, taken_up):
        s.run(0.3)
    assert taken_up.time == sim.time and len(taken_up.events) == len(sim.events) == 1
    assert np.array_equal(taken_up.recording.q, sim.recording.q) and np.array_equal(taken_up.recording.v, sim.recording.v)


def test_a_run_at_asked_times_goes_on_with_them_after_it_is_taken_up(tmp_path):
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    settings = {"q": [0.8], "times": [0.0, 0.1, 0.25, 0.7, 1.3]}
    sim = lw.Simulation(m, checkpoint=tmp_path / "run.ckpt", **settings)
    sim.run(0.3)
    whole = lw.Simulation(m, **settings).run()
    rest = lw.Simulation.resumed(tmp_path / "run.ckpt", m, **settings).run()
    assert rest.time.tolist() == settings["times"] and np.array_equal(rest.q, whole.q)


ADAPTIVE = (lw.Adaptive(rtol=1e-6, atol=1e-8), lw.Adaptive(order=8, rtol=1e-6, atol=1e-8), lw.Adams(rtol=1e-6, atol=1e-8), lw.Implicit())


@pytest.mark.parametrize("solver", ["sparse", "articulated"])
@pytest.mark.parametrize("integrator", ADAPTIVE, ids=repr)
def test_a_run_with_constraints_is_taken_up_bit_by_bit(tmp_path, integrator, solver):
    """The last stage of a step of Adaptive is the first of the next: a solver did not know any more in which order it had taken its pivots, asked
    another one, and rounded otherwise."""
    m, near = lw.Mechanism("arm"), "ground"
    for k in range(4):
        m.add_body(f"bar {k}", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.2, 0.3))
        m.add_joint(f"hinge {k}", lw.Revolute((0.0, 1.0, 0.3 * k)), lw.Place(near, lw.Pose((0.5 * bool(k), 0, 0))), f"bar {k}")
        near = f"bar {k}"
    m.add_constraint("gear", lw.Gear(0.7), "hinge 0", "hinge 1")
    m.add_constraint("rod", lw.Distance(1.2), "bar 3", m.ground.at(0.0, 0.2, 0.3))
    model = m.build()
    options = {"record_interval": 0.05, "solver": solver, "q": lw.assemble(model, [0.3, 0.2, 0.8, 0.5])}
    whole = lw.simulate(model, 0.4, integrator, **options)
    first = lw.Simulation(model, integrator, checkpoint=tmp_path / "run", **options)
    first.run(0.4, each_sample=lambda sim: sim.pause() if sim.time > 0.17 else None)
    assert first.time < 0.3
    again = lw.Simulation.resumed(tmp_path / "run", model, integrator, **options).resume()
    assert again.status == whole.status == "finished"
    assert np.abs(whole.q[-1] - whole.q[0]).max() > 0.1
    assert np.array_equal(again.q, whole.q) and np.array_equal(again.v, whole.v)


@pytest.mark.parametrize(
    ("name", "value"), [("decision order", 7), ("decision order", -1), ("decision kept", 9), ("decision asked", 2), ("decision taken", -3)]
)
def test_decisions_about_rows_that_no_solver_takes_are_refused(tmp_path, name, value):
    """Kernels use them as indices."""
    m = lw.Mechanism("two wheels")
    for k in range(2):
        wheel = m.add_body(f"wheel {k}", mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"axle {k}", lw.Revolute((0, 0, 1)), m.ground.at(k, 0, 0), wheel)
    m.add_constraint("gear", lw.Gear(2.0), "axle 0", "axle 1")
    sim = lw.Simulation(m, lw.Adaptive(), checkpoint=tmp_path / "run")
    sim.run(0.1)
    arrays, data = contents(sim)
    arrays[name] = np.full_like(arrays[name], value)
    sim._checkpoints.write(arrays, data, sim._samples.recorder)
    with pytest.raises(lw.FormatError, match="decision"):
        lw.Simulation.resumed(tmp_path / "run", m, lw.Adaptive())
