"""`linkwork run`: settings from the file with options on top, files that are left, exit codes."""

import numpy as np
import pytest

import linkwork as lw


def test_the_receipt_is_printed_and_the_file_decides(call, pendulum, tmp_path):
    done = call("run", pendulum, "--out", tmp_path / "run.arrow")
    assert done.code == 0
    assert "Receipt: rod" in done.out
    assert "0 s to 0.5 s" in done.out
    assert f"recording: {tmp_path / 'run.arrow'}" in done.out
    recording = lw.Recording.load(tmp_path / "run.arrow")
    assert recording.status == "finished"
    assert len(recording) == 11  # 0.5 s in frames of 0.05 s, and the first
    np.testing.assert_array_equal(recording.q[0], [0.5])
    np.testing.assert_array_equal(recording.v[0], [1.0])
    assert np.ptp(recording.q) > 0.1


def test_options_stand_above_the_file(call, pendulum, tmp_path):
    out = tmp_path / "run.arrow"
    options = (
        "--duration",
        "0.2",
        "--record-interval",
        "0.1",
        "--integrator",
        "SemiImplicitEuler",
        "--step",
        "2e-3",
        "--record",
        "q,momentum",
    )
    assert call("run", pendulum, *options, "--out", out).code == 0
    recording = lw.Recording.load(out)
    np.testing.assert_allclose(recording.time, [0.0, 0.1, 0.2], rtol=1e-15)
    assert recording.channels == ("time", "q", "momentum")
    assert recording.notes["integrator"] == "SemiImplicitEuler(step=0.002)"


def test_the_same_as_in_python(call, pendulum, tmp_path):
    call("run", pendulum, "--out", tmp_path / "run.arrow")
    m = lw.read(pendulum)
    again = lw.Simulation(m, q=[0.5], v=[1.0], record_interval=0.05).run(0.5)
    assert lw.Recording.load(tmp_path / "run.arrow").digest == again.digest


def test_integrator_of_the_file_keeps_its_settings_where_only_one_changes(call, pendulum, tmp_path):
    pendulum.write_text(pendulum.read_text() + 'integrator = { kind = "adaptive", rtol = 1e-6, atol = 1e-7 }\n', encoding="utf-8")
    out = tmp_path / "run.arrow"
    assert call("run", pendulum, "--set", "integrator.order=8", "--out", out).code == 0
    said = lw.Recording.load(out).notes["integrator"]
    assert said.startswith("Adaptive(order=8, rtol=1e-06, atol=1e-07")
    assert call("run", pendulum, "--integrator", "runge-kutta-4", "--out", out).code == 0
    assert lw.Recording.load(out).notes["integrator"] == "RungeKutta4(step=0.001)"


def test_json_is_one_object_and_nothing_else(call, pendulum, tmp_path):
    done = call("run", pendulum, "--json", "--out", tmp_path / "run.csv")
    assert done.code == 0
    data = done.data
    assert data["ok"] is True
    assert data["status"]["word"] == "finished"
    assert data["audit"]["steps"] == 500
    assert data["files"] == {"recordings": [str(tmp_path / "run.csv")]}
    assert (tmp_path / "run.csv").read_text().startswith("time [s],q pin [rad],v pin [rad/s]")


def test_quiet_says_nothing(call, pendulum, monkeypatch):
    monkeypatch.setenv("LINKWORK_QUIET", "0")  # is set by the option, and put back by this fixture
    assert call("run", pendulum, "--quiet") == (0, "", "")


@pytest.mark.slow
def test_plots_pictures_and_animations_are_left(call, pendulum, tmp_path):
    files = [tmp_path / name for name in ("a.svg", "b.svg", "c.html")]
    done = call("run", pendulum, "--record", "v", "--plot", files[0], "--picture", files[1], "--animate", files[2], "--trail", "tip")
    assert done.code == 0
    assert all(file.stat().st_size > 1000 for file in files)
    assert files[0].read_text().startswith("<?xml")
    assert "<svg" in files[1].read_text()[:200]
    assert "<html" in files[2].read_text()[:200]


def test_a_step_that_fails_is_exit_code_1_with_a_status_and_the_partial_recording(call, pendulum, tmp_path):
    # Damping of 1e7 N m s/rad on an inertia of 0.7 kg m^2 is far too stiff for explicit steps of 1 ms: the velocity overflows.
    done = call("run", pendulum, "--set", "pin.damping=1e7", "--out", tmp_path / "run.arrow", "--json")
    assert done.code == 1
    assert done.data["ok"] is False
    assert done.data["status"]["joint"] == "pin"
    assert "failed at" in done.err
    assert "smaller step" in done.err
    assert "Traceback" not in done.err
    assert lw.Recording.load(tmp_path / "run.arrow").status == "failed"


def test_ctrl_c_keeps_what_was_recorded(call, pendulum, tmp_path, monkeypatch):
    taken = []
    look = lw.Simulation._run_to_goal

    def interrupted(self, goal, each_sample, show):
        def later(t):
            taken.append(t)
            if len(taken) == 4:
                raise KeyboardInterrupt

        return look(self, goal, each_sample, later)

    monkeypatch.setattr(lw.Simulation, "_run_to_goal", interrupted)
    done = call("run", pendulum, "--out", tmp_path / "run.arrow")
    assert done.code == 1
    assert "interrupted" in done.err
    recording = lw.Recording.load(tmp_path / "run.arrow")
    assert recording.status == "interrupted"
    assert len(recording) == 5


def test_a_checkpoint_is_left_and_a_longer_run_goes_on_from_it(call, pendulum, tmp_path):
    checkpoint, out = tmp_path / "run.lw", tmp_path / "run.arrow"
    assert call("run", pendulum, "--duration", "0.2", "--checkpoint", checkpoint).code == 0
    assert call("run", pendulum, "--duration", "0.4", "--checkpoint", checkpoint, "--resume", "--out", out).code == 0
    recording = lw.Recording.load(out)
    assert len(recording) == 9
    whole = call("run", pendulum, "--duration", "0.4", "--json")
    assert recording.digest == whole.data["digest"]
    done = call("run", pendulum, "--duration", "0.1", "--checkpoint", checkpoint, "--resume")
    assert done.code == 2
    assert "beyond the end" in done.err


def test_a_shipped_mechanism_runs_by_its_name(call):
    done = call("run", "pendulum", "--duration", "0.1", "--json")
    assert done.code == 0
    assert done.data["model"] == "pendulum"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--resume"], "no --checkpoint"),
        (["--resume", "--checkpoint", "none.lw"], "no checkpoint none.lw yet"),
        (["--integrator", "runge-kuta"], "did you mean 'runge-kutta-4'"),
        (["--integrator", "adaptive", "--step", "1e-3"], "setting of the integrator 'adaptive'"),
        (["--record", "q,energie"], "did you mean 'energy'"),
        (["--record", "q,,v"], "separated by commas"),
        (["--trail", "tipp"], "did you mean 'tip'"),
        (["--trail", "tip"], "nothing is drawn that could show it"),
        (["--duration", "-1"], "from 0 on"),
        (["--step", "0"], "above 0"),
        (["--record-interval", "soon"], "above 0"),
        (["--dur", "1"], "no option is called '--dur'; did you mean '--duration'"),
        (["--floating"], "for URDF files only"),
    ],
)
def test_wrong_options_are_exit_code_2_with_a_hint(call, pendulum, options, words):
    done = call("run", pendulum, *options)
    assert done.code == 2
    assert words in done.err
    assert done.out == ""
