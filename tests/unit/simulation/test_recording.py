"""Recordings as values: read by name and time, joined, compared, pickled."""

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.recorder import Recorder
from linkwork.simulation.recording import Recording
from linkwork.simulation.status import Status

from .motions import DAMPING, model_of, recorded


def test_the_motion_under_test_is_not_trivial():
    for case in ("double pendulum", "satellite", "four-bar"):
        rec = recorded(case)
        assert np.ptp(rec.q, axis=0).max() > 0.5
        assert np.ptp(rec["kinetic"]) > 0.5


def test_names_lead_to_columns():
    rec = recorded("satellite")
    assert rec["q"] is rec.q
    assert np.array_equal(rec["hull.free"], rec.q[:, :7])
    assert np.array_equal(rec["hull.free.z"], rec.q[:, 2])
    assert np.array_equal(rec["hull.free.wy"], rec.v[:, 1])
    assert np.array_equal(rec["gimbal", "v"], rec.v[:, 6:9])
    assert np.array_equal(rec["sleeve.slide", "vdot"], rec["vdot"][:, 10])
    assert np.array_equal(rec["dish"], rec.pose("dish"))
    assert np.array_equal(rec["dish", "pose"], rec["poses"][:, 1])
    assert set(rec.names) >= {"q", "energy", "gimbal", "gimbal.qw", "sleeve.angle", "boom", "solver_time"}
    for name in rec.names:
        assert len(rec[name]) == len(rec)


def test_a_joint_of_one_coordinate_gives_one_row_of_numbers():
    rec = recorded("double pendulum")
    assert rec["elbow"].shape == (40,)
    assert np.array_equal(rec["elbow", "v"], rec.v[:, 1])
    assert np.array_equal(rec[rec.model.joint("elbow")], rec["elbow"]), "the part itself will do"


def test_reactions_are_those_of_the_joint():
    rec = recorded("four-bar")
    k = 17
    expected = lw.reactions(rec.model, rec.q[k], rec.v[k]).wrench("rocker pin")
    assert np.array_equal(rec["rocker pin", "reaction"][k], expected)
    closing = next(j.name for j in rec.model.joints if j.closes_loop)
    assert np.array_equal(rec[closing, "multiplier"], rec["multipliers"])


def test_forces_have_work_stored_and_dissipated_energy():
    rec = recorded("double pendulum")
    assert np.array_equal(rec["spring", "stored"], rec["stored"][:, 0])
    # The work of the midpoint rule differs from the change of the stored energy by its own error, of the order of (omega h)^2.
    assert np.abs(rec["spring", "dissipated"]).max() < 1e-2 * rec["stored"].max()
    rate = np.gradient(rec["damper", "dissipated"], rec.time)
    assert np.allclose(rate[5:-5], DAMPING * rec["elbow", "v"][5:-5] ** 2, atol=0.1 * rate.max())
    assert np.array_equal(rec["energy"], rec["kinetic"] + rec["potential"] + rec["stored"].sum(axis=1))


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        ("elbo", lw.UnknownNameError, "did you mean 'elbow'"),
        (("elbo", "v"), lw.UnknownNameError, "no joint or coordinate is called 'elbo'; did you mean 'elbow'"),
        (("elbow", "velocity"), lw.UnknownNameError, "no quantity of a part is called 'velocity'"),
        (("ell", "pose"), lw.UnknownNameError, "no body is called 'ell'"),
        (("sprin", "work"), lw.UnknownNameError, "no force is called 'sprin'; did you mean 'spring'"),
        (("elbow", "multiplier"), lw.UnknownNameError, "constraint"),
        ("spring", lw.StateError, r"'spring' is a force; ask for .*\['spring', 'work'\]"),
        ("statistics", lw.StateError, "is a group of channels.*'steps'"),
        (3, lw.StateError, r"rec.sample\(k\), times are rec.at\(t\)"),
        (0.5, lw.StateError, r"rec.at\(t\)"),
        (slice(0.0, 1.0, 0.1), lw.StateError, "np.arange"),
        (slice("elbow", None), lw.StateError, "times in s"),
    ],
)
def test_wrong_names_are_explained(key, error, message):
    with pytest.raises(error, match=message):
        recorded("double pendulum")[key]


def test_what_was_not_recorded_is_not_there():
    rec = recorded("double pendulum", record=("q",))
    with pytest.raises(lw.UnknownNameError, match=r"no recorded channel .*'kinetic'"):
        rec["kinetic"]
    with pytest.raises(lw.UnknownNameError, match=r"no recorded channel .*'v'"):
        rec["elbow", "v"]
    with pytest.raises(KeyError):
        rec.sample(0).state  # noqa: B018 - asking is the test


def test_poses_follow_from_the_model_where_they_were_not_recorded():
    whole = recorded("satellite")
    short = Recording(whole.layout, {"time": whole.time, "q": whole.q}, model=whole.model)
    found, expected = short.pose("boom"), whole.pose("boom")
    turn = np.sign(np.sum(found[:, 3:] * expected[:, 3:], axis=1))[:, None]
    assert np.allclose(np.hstack([found[:, :3], found[:, 3:] * turn]), expected, atol=1e-14)
    assert short.sample(3)["boom", "pose"].shape == (7,)
    with pytest.raises(lw.UnknownNameError):
        Recording(whole.layout, {"time": whole.time, "q": whole.q}).pose("boom")


def test_time_cuts_both_ends_included():
    rec = recorded("double pendulum")
    part = rec[0.1:0.2]
    assert part.time[0] == pytest.approx(0.1) and part.time[-1] == pytest.approx(0.2)
    assert len(part) == 6
    assert part == rec.between(0.1, 0.2)
    assert np.array_equal(part["work"], rec["work"][5:11])
    assert part.audit is None, "the receipt is that of the whole run"
    assert rec[:] is rec
    assert len(rec[0.5:0.4]) == 0
    assert len(rec[5.0:]) == 0


def test_frames_are_states():
    rec = recorded("satellite")
    assert rec.sample(-1).time == rec.time[-1]
    assert rec.sample(2).state == lw.State(rec.time[2], rec.q[2], rec.v[2])
    assert np.array_equal(rec.sample(2)["gimbal", "v"], rec["gimbal", "v"][2])
    assert [frame.time for frame in rec] == rec.time.tolist()
    with pytest.raises(lw.StateError, match="40 samples"):
        rec.sample(40)


def test_a_recording_cannot_be_changed():
    rec = recorded("double pendulum")
    with pytest.raises(AttributeError, match="what happened"):
        rec.model = None
    for name in rec.channels:
        with pytest.raises(ValueError, match="read-only"):
            rec[name][...] = 0
    given = np.linspace(0.0, 1.0, 40)
    own = Recording(rec.layout, {"time": given})
    given[0] = -1.0
    assert own.time[0] == 0.0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"q": np.zeros((3, 2))}, "no time"),
        ({"time": np.zeros(3), "q": np.zeros((3, 3))}, r"q has shape \(3, 3\); its channel needs \(3, 2\)"),
        ({"time": np.zeros(3), "speed": np.zeros(3)}, "'speed' is no channel"),
        ({"time": [0.0, 2.0, 1.0]}, "does not increase"),
        ({"time": [0.0, np.nan]}, "does not increase"),
        ({"time": 1.0}, "time has shape"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns, message):
    with pytest.raises(lw.StateError, match=message):
        Recording(recorded("double pendulum").layout, columns)


# ---------------------------------------------------------------------- equality and joining


def test_equality_is_that_of_bits():
    rec = recorded("double pendulum", record=("q", "v"))
    q = rec.q.copy()

    def other(q, **more):
        return Recording(rec.layout, {"time": rec.time, "q": q, "v": rec.v}, status=rec.status, **more)

    assert other(q) == rec
    assert other(q).digest == rec.digest
    assert other(q, notes={"by": "us"}) == rec
    q[7, 1] = np.nextafter(q[7, 1], 10.0)
    assert other(q) != rec
    assert other(q).digest != rec.digest
    assert other(np.full_like(q, np.nan)) == other(np.full_like(q, -np.nan))
    assert other(0.0 * q) != other(-0.0 * np.abs(q))
    assert rec != rec[0.1:] and rec != 5


def test_wall_time_is_no_part_of_equality():
    rec = recorded("satellite")
    columns = {name: rec[name] for name in rec.channels}
    slow = Recording(rec.layout, columns | {"solver_time": 2.0 * rec["solver_time"]}, status=rec.status)
    assert slow == rec
    assert slow.digest == rec.digest


@pytest.mark.parametrize("overlap", [True, False])
def test_a_cut_recording_joins_to_itself(overlap):
    rec = recorded("double pendulum")
    first, second = rec[:0.3], rec[0.3 if overlap else 0.301 :]
    joined = first + second
    assert joined == rec
    assert joined.model is rec.model


def test_sums_go_on_where_the_first_ended():
    rec = recorded("double pendulum")
    second = rec[0.3:]
    columns = {name: second[name] for name in second.channels}
    for name in ("work", "numerical"):  # as a run that counts from its own start
        columns[name] = columns[name] - columns[name][0]
    joined = rec[:0.3] + Recording(rec.layout, columns, status=rec.status)
    assert np.allclose(joined["work"], rec["work"], rtol=0, atol=1e-14 * np.abs(rec["work"]).max())
    assert np.allclose(joined["numerical"], rec["numerical"], rtol=0, atol=1e-14)


def test_a_state_that_was_set_anew_is_kept_as_a_second_frame_of_one_time():
    rec = recorded("double pendulum", record=("q", "v"))
    pushed = Recording(rec.layout, {"time": rec.time + rec.time[-1], "q": rec.q, "v": rec.v + 1.0})
    joined = rec + pushed
    assert len(joined) == 2 * len(rec)
    assert joined.time[39] == joined.time[40]


def test_only_what_belongs_together_joins():
    rec = recorded("double pendulum")
    with pytest.raises(lw.StateError, match="different models"):
        rec + recorded("satellite")
    with pytest.raises(lw.StateError, match="only one has kinetic"):
        rec + Recording(rec.layout, {name: rec[name] for name in rec.channels if name != "kinetic"})
    with pytest.raises(lw.StateError, match="before the first ends"):
        rec + rec
    with pytest.raises(TypeError):
        rec + 3


def test_audits_are_joined_with_their_recordings():
    a, b = recorded("double pendulum"), recorded("double pendulum", frames=30)
    later = Recording(b.layout, {name: b[name] + (a.time[-1] if name == "time" else 0) for name in b.channels}, audit=b.audit)
    audit = (a + later).audit
    assert audit.steps == a.audit.steps + b.audit.steps
    assert audit.force("damper").work == a.audit.force("damper").work + b.audit.force("damper").work


@pytest.mark.parametrize("with_model", [True, False])
def test_a_recording_can_be_pickled(with_model):
    rec = recorded("four-bar")
    rec = rec if with_model else Recording(rec.layout, dict(rec._columns), status=rec.status, audit=rec.audit, notes={"a": 1})
    back = pickle.loads(pickle.dumps(rec))
    assert back == rec
    assert back.audit == rec.audit and dict(back.notes) == dict(rec.notes)
    assert not back.q.flags.writeable
    assert (back.model == model_of("four-bar")) is with_model


# ---------------------------------------------------------------------- status


def test_a_status_is_its_word():
    assert Status() == "finished"
    assert Status("stopped") != "finished"
    assert Status("failed", "a") != Status("failed", "b")
    assert Status("failed", "a") in {Status("failed", "a")}
    assert Status("interrupted").ok and not Status("failed").ok


def test_a_failure_says_what_where_when_and_what_to_do():
    status = Status("failed", "the step did not converge", 0.25, "crank", "pivot", "spring", "loop.x", "halve the step")
    assert str(status) == (
        "failed at 0.25 s: the step did not converge (body 'crank', joint 'pivot', force 'spring', row 'loop.x'); halve the step"
    )
    with pytest.raises(lw.SolverError, match="did not converge"):
        status.raise_failure()
    Status("stopped", "the ball hit the ground").raise_failure()
    assert Status.from_dict(status.to_dict()) == status


@pytest.mark.parametrize("given", [{"word": "exploded"}, {"word": 3}, {"colour": "red"}, {"time": "now"}, [], None])
def test_a_status_that_makes_no_sense_is_refused(given):
    with pytest.raises(lw.FormatError, match="status"):
        Status.from_dict(given)


def test_a_failed_run_keeps_its_frames_and_says_so():
    r = Recorder(model_of("double pendulum"), "q")
    r.append(0.0, [0, 0], [0, 0])
    rec = r.finish(Status("failed", "NaN", joint="elbow"))
    assert "failed" in repr(rec)
    assert rec.status.joint == "elbow"


def test_a_quantity_of_a_part_is_one_name_with_a_dot_and_a_column_has_the_name_of_its_csv_head(tmp_path):
    for case in ("double pendulum", "satellite"):
        rec = recorded(case)
        for name in (
            ("elbow.v", "elbow.vdot", "spring.work", "spring.dissipated") if case == "double pendulum" else ("dish.pose", "gimbal.v")
        ):
            assert np.array_equal(rec[name], rec[tuple(name.rsplit(".", 1))])
        rec.to_csv(tmp_path / "run.csv")
        heads = (tmp_path / "run.csv").read_text().splitlines()[0].split(",")
        numbers = np.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
        for head, column in zip(heads, numbers.T, strict=True):
            assert np.array_equal(rec[head.split(" [")[0]], column), head


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sprng.work", "no force is called 'sprng'; did you mean 'spring'"),
        ("spring.wrok", "no quantity of a part is called 'wrok'; did you mean 'work'"),
        ("spring.v", "no recorded quantity of 'spring' is called 'v'; there are 3: 'stored', 'work', 'dissipated'"),
        ("SPRING.WORK", "did you mean 'spring.work'"),
        (["q"], "no channel, joint, coordinate or body is called"),
    ],
)
def test_a_name_with_a_dot_that_means_nothing_says_what_was_meant(name, said):
    with pytest.raises(lw.UnknownNameError, match=said):
        recorded("double pendulum")[name]


def test_what_was_not_recorded_says_how_it_is():
    """'poses' that were not recorded were answered with "did you mean 'losses'?"."""
    rec = lw.simulate(model_of("double pendulum"), 0.02)
    with pytest.raises(lw.UnknownNameError, match=r"no recorded channel is called 'momentum'; it was not asked for: record='momentum'"):
        rec["momentum"]


@pytest.mark.parametrize(("suffix", "remedy"), [(".pkl", "pickle.dump"), (".csv", "to_csv"), (".png", "rec.plot"), (".json", "rename it")])
def test_a_suffix_of_another_format_is_refused(tmp_path, suffix, remedy):
    rec = lw.simulate(model_of("double pendulum"), 0.02)
    with pytest.raises(lw.FormatError, match=f"found the suffix '{suffix}'.*allowed is .arrow; .*{remedy}"):
        rec.save(tmp_path / f"run{suffix}")
    assert not list(tmp_path.iterdir())
    rec.save(tmp_path / "run.arrow")
    assert lw.Recording.load(tmp_path / "run.arrow") == rec
