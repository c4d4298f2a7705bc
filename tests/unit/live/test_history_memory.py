"""What a session keeps: edits cost kilobytes, not models; the past is made again with the same bits when it is wanted."""

import gc
import pickle
import tracemalloc
import weakref

import numpy as np
import pytest

import linkwork as lw
from linkwork.live.design import Design
from linkwork.live.history import FRESH
from linkwork.live.state_history import BESIDES

from .mechanisms import four_bar, pucks, run


def there_and_back(live, count, name="ball"):
    """Edits while time runs: a body comes and goes."""
    for k in range(count):
        live.advance(1.0 / 60.0)
        live.add_body(f"{name} {k}", shape=lw.Sphere(0.05), density=500.0, pose=(0, 0, 1))
        live.advance(1.0 / 60.0)
        live.remove(f"{name} {k}")


@pytest.mark.slow
def test_an_edit_costs_kilobytes():
    """Per edit: two states, 8 bytes a part, the parts that changed, and about 3 kB of words and lines; a frame or two on the tape. It was 1 MB."""
    live = pucks(8)
    there_and_back(live, 1)
    state = 8 * (live.model.nq + live.model.nv)
    tracemalloc.start()
    try:
        there_and_back(live, FRESH // 2 + 1)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        state_history = live.state_history.bytes
        there_and_back(live, 40, "other")
        gc.collect()
        cost = (tracemalloc.get_traced_memory()[0] - before - (live.state_history.bytes - state_history)) / 80
    finally:
        tracemalloc.stop()
    assert cost < 4 * state + 8 * 8 + 6000, f"{cost:.0f} bytes"  # twice what was measured
    assert live.state_history.bytes < 120 * (BESIDES + 4 * state + 1000)


@pytest.mark.slow
def test_models_and_simulations_go_when_they_are_no_longer_needed():
    """Those of the next steps back and forth are kept. No collection of garbage is waited for: their memory is large, their objects are few."""
    live, models, simulations = pucks(3), [], []

    def note(_=None):
        models.append(weakref.ref(live.model))
        simulations.append(weakref.ref(live.simulation))

    gc.collect()
    gc.disable()
    try:
        for k in range(3 * FRESH):
            live.advance(1.0 / 60.0)
            note(live.add_body(f"ball {k}", mass=1.0, inertia=(1, 1, 1), pose=(0, 0, 1 + k)))
            if k % 3 == 0:
                live.pull("puck 0", (0, 0, 0), (0, 0, 1), hard=True)
                live.advance(1.0 / 60.0)
                note(live.look(live.time / 2.0))
        for _ in range(2 * FRESH):
            note(live.undo())
        for _ in range(2 * FRESH):
            note(live.redo())
        note(live.reset())
        kept = {id(ref()) for ref in models} - {id(None)}
        assert len(kept) <= FRESH + 3  # those of the steps back, the present, the start, and the one looked back at
        assert len({id(ref()) for ref in simulations} - {id(None)}) == 1
    finally:
        gc.enable()


def test_undoing_more_than_is_kept_ready_gives_the_same_bits():
    live, states = four_bar(), []
    for k in range(2 * FRESH):
        live.add_body(f"ball {k}", mass=1.0, inertia=(1, 1, 1), pose=(k, 0, 1))
        states.append((live.mechanism.clone(), live.model.fingerprint, live.moment))
    for mechanism, fingerprint, moment in reversed(states):
        assert live.mechanism == mechanism and live.model.fingerprint == fingerprint and live.moment.same_state(moment)
        live.undo()
    for mechanism, fingerprint, moment in states:
        live.redo()
        assert live.mechanism == mechanism and live.model.fingerprint == fingerprint and live.moment.same_state(moment)


def test_a_design_gives_back_what_it_was_made_of():
    mechanism = lw.shipped("jansen-linkage").mechanism.clone()
    mechanism.ground._put(visuals=(lw.Box(1.0, 1.0, 0.1),))
    mechanism.add_body("loose", mass=1.0, inertia=(1, 1, 1))
    mechanism.reroot("loose")
    first = Design(mechanism)
    assert first.mechanism is mechanism
    other = mechanism.clone()
    other.change("loose", mass=2.0)
    second = Design(other, before=first)
    shared = sum(a is b for a, b in zip(first._parts, second._parts, strict=True))
    assert shared == len(first._parts) - 1  # all but the one that changed
    kept = [(first, pickle.dumps(mechanism), mechanism.build().fingerprint), (second, pickle.dumps(other), other.build().fingerprint)]
    lost = weakref.ref(mechanism)
    del mechanism, other
    gc.collect()
    assert lost() is None
    for design, text, fingerprint in kept:
        again, was = design.mechanism, pickle.loads(text)
        assert again == was and again._roots == was._roots == ["loose"] and again.ground.visuals == was.ground.visuals
        model = design.model
        assert design.mechanism is again and design.model is model and model.fingerprint == fingerprint


@pytest.mark.slow
def test_the_past_is_looked_at_with_the_bits_of_then():
    live, seen = four_bar(), []
    for k in range(6):
        live.advance(0.05)
        seen.append((live.time, live.mechanism.clone(), live.pose_arrays()))
        if k == 2:
            live.pull("rod 1", (0, 0, 0), (0.3, 0, 0.5), hard=True)  # simulated with one constraint more
        else:
            live.add_body(f"ball {k}", mass=1.0, inertia=(1, 1, 1), pose=(k, 0, 1))
        live.advance(0.01)
    gc.collect()
    for t, mechanism, (P, Q) in seen:
        before = live.look(t - 1e-6)  # frames are shown as they were up to the edit: at its very time, as after it
        at = live.look(t)
        assert at.time == t and len(at.names) >= len(mechanism.bodies)
        assert [name for name in at.names if name in {b.name for b in mechanism.bodies}] == [b.name for b in mechanism.bodies]
        assert np.array_equal(at.positions[: len(P)], P) and np.array_equal(at.quaternions[: len(Q)], Q)
        assert live.look(t).mechanism is at.mechanism and before.time <= t
    assert live.look(live.time).mechanism is live.mechanism


def test_edits_at_rest_leave_nothing_to_look_back_at():
    live = pucks(1)
    live.advance(0.1)
    count = len(live.state_history.pages)
    for k in range(10):
        live.add_body(f"ball {k}", mass=1.0, inertia=(1, 1, 1), pose=(0, 0, 1 + k))
    assert len(live.state_history.pages) <= count + 2 and len(live.look(0.1).names) == 11


def test_what_came_after_is_forgotten_even_within_a_page():
    live = pucks(1)
    run(live, 1.0, 60)
    live.rewind(0.5)
    assert live.look(0.9).time == live.time == pytest.approx(0.5, abs=0.01)
    assert all(page.times[-1] <= live.time for page in live.state_history.pages)
    assert live.state_history.bytes == sum(page.bytes for page in live.state_history.pages)


def test_the_recording_since_the_last_edit_is_whole():
    live = pucks(1)
    run(live, 0.1, 6)
    live.add_body("ball", mass=1.0, inertia=(1, 1, 1), pose=(0, 0, 1))
    for _ in range(1100):  # more than two pages
        live.advance(1e-3)
    recording = live.recording
    assert recording.time[0] == pytest.approx(0.1) and recording.time[-1] == live.time and len(recording) == 1101
    assert "kinetic" in recording.channels and recording.model is live.model


def test_a_body_that_comes_again_starts_where_it_was_put_last():
    live = pucks(1)
    live.advance(0.1)
    for height in (1.0, 2.0):
        live.add_body("ball", mass=1.0, inertia=(1, 1, 1), pose=(0, 0, height))
        live.advance(0.1)
        if height == 1.0:
            live.remove("ball")
    live.reset()
    assert live.poses()["ball"].translation[2] == 2.0
