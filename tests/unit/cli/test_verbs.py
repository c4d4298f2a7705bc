"""The smaller verbs: list, info, plot, bench, kernels, completion."""

import pytest

import linkwork as lw
from linkwork.cli.arguments import integrators, mechanisms, recordings
from linkwork.kernels import JIT


def test_list_describes_every_shipped_mechanism(call):
    done = call("list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == list(lw.shipped())
    found = call("list", "--json").data["mechanisms"]
    assert [entry["name"] for entry in found] == list(lw.shipped())
    assert all(len(entry["description"]) > 20 for entry in found)


def test_info_shows_the_tree_the_sizes_and_the_masses(call, pendulum):
    done = call("info", pendulum)
    assert done.code == 0
    assert "`-- pin (Revolute) -> rod, 2 kg" in done.out
    assert "coordinates 1, velocities 1" in done.out
    assert "mass 2 kg" in done.out
    data = call("info", pendulum, "--json").data
    assert (data["nq"], data["nv"], data["rows"], data["mass"], data["bodies"]) == (1, 1, 0, 2.0, 1)


def test_info_works_for_what_cannot_be_built(call, pendulum):
    pendulum.write_text(pendulum.read_text().replace('parent = "ground"', 'parent = "grund"'))
    done = call("info", pendulum)
    assert done.code == 0
    assert "1 fault; `linkwork check` lists them" in done.out


@pytest.mark.slow
def test_recordings_are_shown_and_plotted(call, pendulum, tmp_path):
    path = tmp_path / "run.arrow"
    assert call("run", pendulum, "--out", path).code == 0
    shown = call("info", path)
    assert "11 samples" in shown.out
    assert "RungeKutta4(step=0.001)" in shown.out
    assert "Receipt: rod" in shown.out
    assert call("info", path, "--json").data["channels"][:3] == ["time", "q", "v"]
    assert call("plot", path).out == f"plot: {tmp_path / 'run.png'}\n"
    assert (tmp_path / "run.png").read_bytes()[:4] == b"\x89PNG"
    curves = tmp_path / "curves.svg"
    assert call("plot", path, "pin.v", "energy", "--out", curves, "--title", "A rod").code == 0
    assert "A rod" in curves.read_text()


@pytest.mark.parametrize(("names", "words"), [(["pni"], "did you mean 'pin'"), (["pin.x"], "x"), (["reactions"], "record")])
def test_a_curve_that_is_not_there_is_exit_code_2(call, pendulum, tmp_path, names, words):
    path = tmp_path / "run.arrow"
    call("run", pendulum, "--duration", "0.1", "--out", path)
    done = call("plot", path, *names)
    assert done.code == 2
    assert words in done.err
    assert not (tmp_path / "run.png").exists()


def test_a_damaged_recording_is_exit_code_1(call, pendulum, tmp_path):
    path = tmp_path / "run.arrow"
    call("run", pendulum, "--duration", "0.1", "--out", path)
    path.write_bytes(path.read_bytes()[:-200])
    assert call("plot", path).code == 1
    assert call("plot", tmp_path / "none.arrow").code == 2


def test_bench_measures_steps_per_second(call):
    done = call("bench", "pendulum", "--json")
    assert done.code == 0
    (row,) = done.data["mechanisms"]
    assert row["name"] == "pendulum"
    # Compiled a million on an ordinary machine, as plain Python some hundreds.
    assert row["steps_per_second"] > (1e3 if JIT else 10.0)
    assert row["real_time_factor"] == pytest.approx(row["steps_per_second"] * 1e-3, rel=0.5)
    assert call("bench", "pendulun").code == 2
    assert call("bench", "--integrator", "none").code == 2


@pytest.mark.skipif(not JIT, reason="plain Python has no kernels to build")
def test_kernels_says_what_is_ready(call):
    done = call("kernels", "info", "--json")
    assert done.code == 0
    assert done.data["ready"] > 100
    assert done.data["lanes"] in (2, 4, 8)
    assert call("kernels", "build", "--target", "amiga-68000").code == 2
    assert call("kernels", "build", "--jobs", "0").code == 2


@pytest.mark.skipif(JIT, reason="of plain Python")
def test_kernels_are_not_built_in_plain_python(call):
    assert call("kernels", "build").code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(call, shell):
    done = call("completion", shell)
    assert done.code == 0
    assert "linkwork" in done.out
    assert "_ARGCOMPLETE" in done.out or "argcomplete" in done.out


def test_completion_knows_what_there_is_without_loading_it(pendulum, monkeypatch):
    assert sorted(integrators()) == list(lw.named_integrators())
    assert {"four-bar"} == set(mechanisms("four"))
    monkeypatch.chdir(pendulum.parent)
    (pendulum.parent / "run.arrow").touch()
    (pendulum.parent / "runs").mkdir()
    assert "rod.toml" in mechanisms("r")
    assert sorted(recordings("ru")) == ["run.arrow", "runs/"]


def test_without_a_verb_the_help_is_shown(call):
    done = call()
    assert done.code == 2
    assert "linkwork run four-bar" in done.err


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["run", "--help"], ["check", "--help"]])
def test_help_is_exit_code_0(call, argv):
    assert call(*argv).code == 0


@pytest.mark.parametrize("argv", [["runn"], ["run"], ["--nothing"], ["completion", "tcsh"], ["list", "four-bar"]])
def test_wrong_words_are_exit_code_2(call, argv):
    done = call(*argv)
    assert done.code == 2
    assert "usage: linkwork" in done.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rn four-bar", "argument COMMAND: found 'rn'; did you mean 'run'?"),
        ("run --duraton 5 four-bar", "linkwork run: error: no option is called '--duraton'; did you mean '--duration' or '--drift'?"),
        ("run --dur=5", "no option is called '--dur'; did you mean '--duration'"),  # not: FILE is missing
        ("run four-bar -d 5", "no option is called '-d'; did you mean '--duration'"),
        ("run four-bar --solver sparce", "argument --solver: found 'sparce'; did you mean 'sparse'?"),
        ("run four-bar --integrator rungekutta", "no integrator is called 'rungekutta'; did you mean 'runge-kutta-4'?"),
        ("run fourbar", "no mechanism of that name comes with Linkwork; did you mean 'four-bar'?"),
        ("check fourbar", "did you mean 'four-bar'?"),
        ("bench fourbar", "did you mean 'four-bar'?"),
        ("studio fourbar", "did you mean 'four-bar'?"),
        ("console fourbar", "did you mean 'four-bar'?"),
        ("kernels biuld", "found 'biuld'; did you mean 'build'?"),
        ("completion bsh", "found 'bsh'; did you mean 'bash'"),
        ("run four-bar --record q,enrgy", "no channel is called 'enrgy'; did you mean 'energy'?"),
        ("run four-bar twice", "found 'twice' beyond what it takes"),
        ("studio --port eighty", "argument --port: found 'eighty'; allowed is a whole number"),
        ("--json list", "no option before the command is called '--json'"),
        ("plot", "the following arguments are required: RECORDING\n"),  # and not NAME, which may be left out
    ],
)
def test_a_word_that_is_not_known_says_what_may_have_been_meant(call, line, said):
    done = call(*line.split())
    assert done.code == 2 and said in done.err


def test_wrong_usage_is_one_json_object_too_if_json_is_asked_for(call):
    done = call("run", "four-bar", "--duraton", "5", "--json")
    assert done.code == 2 and done.data["ok"] is False and "did you mean '--duration'" in done.data["error"]


@pytest.mark.slow
def test_names_of_the_command_plot_are_those_of_recordings(call, pendulum, tmp_path):
    run = tmp_path / "run.arrow"
    assert call("run", pendulum, "--out", run, "--quiet").code == 0
    assert call("plot", run, "pin.v", "v pin", "energy", "--out", tmp_path / "curves.svg").code == 0
    done = call("plot", run, "pin.w")
    assert done.code == 2 and "no quantity of a part is called 'w'; did you mean 'work'?" in done.err
    done = call("plot", run, "rod.v")
    assert done.code == 2 and "no recorded quantity of 'rod' is called 'v'" in done.err
