"""The recorder: columns that grow, frames that are whole or refused."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.recorder import Recorder

from .motions import model_of, recorded


def recorder(record=("q", "v", "kinetic"), **more):
    return Recorder(model_of("double pendulum"), record, **more)


def fill(r, n, start=0):
    for k in range(start, start + n):
        r.append(0.1 * k, [k, -k], [2.0 * k, 0.5], kinetic=float(k * k))


def test_frames_come_back_as_they_were_given():
    r = recorder(frames=2)
    fill(r, 1000)
    rec = r.finish()
    k = np.arange(1000.0)
    assert np.array_equal(rec.time, 0.1 * k)
    assert np.array_equal(rec.q, np.column_stack([k, -k]))
    assert np.array_equal(rec["kinetic"], k * k)
    assert rec.channels == ("time", "q", "v", "kinetic")


def test_memory_grows_by_doubling(monkeypatch):
    sizes = []
    grow = Recorder._allocate
    monkeypatch.setattr(Recorder, "_allocate", lambda self, n: (sizes.append(n), grow(self, n))[1])
    fill(recorder(frames=300), 5000)
    assert sizes == [300, 600, 1200, 2400, 4800, 9600]


def test_a_finished_recording_holds_no_spare_memory():
    r = recorder(frames=1024)
    fill(r, 3)
    assert r.finish().q.base.shape == (3, 2)


def test_a_block_is_the_same_as_its_frames():
    whole, part = recorder(frames=1), recorder(frames=1)
    fill(whole, 70)
    fill(part, 5)
    k = np.arange(5, 70)
    part.extend(0.1 * k, np.column_stack([k, -k]), np.column_stack([2.0 * k, 0 * k + 0.5]), kinetic=(k * k).astype(float))
    assert part.finish() == whole.finish()


def test_what_was_taken_out_does_not_change_when_frames_follow():
    r = recorder(frames=4)
    fill(r, 4)
    early = r.recording()
    before = early.q.copy()
    fill(r, 100, start=4)
    assert len(early) == 4
    assert np.array_equal(early.q, before)
    with pytest.raises(ValueError, match="read-only"):
        early.q[0, 0] = 5.0


def test_channels_that_are_not_recorded_are_let_pass():
    r = recorder(("q",))
    r.append(0.0, [1, 2], [3, 4], kinetic=5.0)
    assert r.finish().channels == ("time", "q")
    assert not r.has("v")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": [1.0]}, r"q has shape \(1,\); \(2,\) is needed for 'double pendulum'"),
        ({"q": 1.0}, r"q has shape \(\)"),
        ({"kinetic": [1.0]}, r"kinetic has shape \(1,\)"),
        ({"time": -1.0}, "a sample at -1.0 s after one at 0.2"),
        ({"time": np.nan}, "finite times"),
        ({"time": np.inf}, "finite times"),
        ({"kinetics": 1.0}, "'kinetics' is no channel"),
        ({"kinetic": None}, "kinetic not given"),
    ],
)
@pytest.mark.parametrize("block", [False, True])
def test_a_wrong_frame_is_refused_and_leaves_nothing(change, message, block):
    r = recorder()
    fill(r, 3)
    before = r.recording()
    given = {"time": 0.5, "q": [1.0, 2.0], "v": [0.0, 0.0], "kinetic": 1.0} | change
    given = {name: value for name, value in given.items() if value is not None}
    with pytest.raises(lw.StateError, match=message if not block else message.split(" has ")[0].split(" at ")[0]):
        r.extend(**{name: [value] for name, value in given.items()}) if block else r.append(**given)
    assert r.finish() == before


def test_two_frames_may_share_a_time():
    r = recorder(("q",))
    for q in (1.0, 2.0):
        r.append(0.5, [q, q], [0, 0])
    assert r.finish().at(0.5).q[0] == 2.0, "after an impact"


def test_a_recording_without_frames_is_empty():
    rec = recorder().finish()
    assert len(rec) == 0
    with pytest.raises(lw.StateError, match="no samples"):
        rec.at(0.0)


@pytest.mark.parametrize("record", ["all", ("poses", "kinetic")])
def test_a_run_is_taken_up_again_from_its_frames(record):
    rec = recorded("satellite", record=record)
    r = Recorder(rec.model, record)
    r.restore(rec[0:0.3])
    later = rec[0.3001:1.0]
    r._extend({name: later.column(name) for name in later.channels})
    assert r.finish(rec.status) == rec


def test_frames_of_another_model_are_refused():
    with pytest.raises(lw.StateError, match="build the same model"):
        recorder().restore(recorded("satellite"))
