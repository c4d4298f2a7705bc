"""Files that are missing, broken or cannot be written: one clean message, before any work is done."""

import os
import stat

import pytest

import linkwork as lw

URDF = """<robot name="r"><link name="base"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="arm"><inertial><mass value="1"/><origin xyz="0 0 0.5"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF, encoding="utf-8")
    return path


@pytest.mark.parametrize("verb", ["run", "check", "info"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rodd.toml", "did you mean 'rod.toml'"),
        ("nowhere/rod.toml", "there is no such file"),
        ("four-baar", "did you mean 'four-bar'"),
        ("zzz", "'walking-linkage'"),
        (".", "this is a folder"),
    ],
)
def test_a_missing_file_is_exit_code_2(call, pendulum, monkeypatch, verb, name, words):
    monkeypatch.chdir(pendulum.parent)
    done = call(verb, name)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1
    assert done.out == ""


def test_a_broken_file_is_exit_code_1_with_its_line(call, pendulum):
    pendulum.write_text(pendulum.read_text().replace("mass = 2.0", "mas = 2.0"), encoding="utf-8")
    done = call("run", pendulum)
    assert done.code == 1
    assert "rod.toml" in done.err
    assert "line 6" in done.err
    assert "mass" in done.err
    assert "Traceback" not in done.err


def test_a_recording_is_no_mechanism(call, tmp_path):
    (tmp_path / "x.arrow").write_bytes(b"")
    done = call("run", tmp_path / "x.arrow")
    assert done.code == 2
    assert "this is a recording" in done.err


@pytest.fixture
def never(monkeypatch):
    """Nothing may be simulated."""

    def started(*_, **__):
        raise AssertionError("the run was started")

    monkeypatch.setattr(lw.Simulation, "__init__", started)


@pytest.mark.usefixtures("never")
@pytest.mark.parametrize(
    ("option", "name", "words"),
    [
        ("--out", "run.txt", "allowed are .arrow, .csv"),
        ("--out", "none/run.arrow", "does not exist"),
        ("--plot", "run.arrow", "allowed are .png, .svg, .pdf"),
        ("--picture", "run.gif", "allowed are .png, .svg"),
        ("--animate", "run.png", "allowed are .html, .gif"),
        ("--animate", "none/run.html", "does not exist"),
        ("--checkpoint", "none/run.lw", "does not exist"),
        ("--out", "folder.arrow", "this is a folder"),
        ("--out", "pipe.csv", "no ordinary file"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_run(call, pendulum, tmp_path, option, name, words):
    (tmp_path / "folder.arrow").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    before = sorted(tmp_path.rglob("*"))
    done = call("run", pendulum, option, tmp_path / name)
    assert done.code == 2
    assert words in done.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("never")
def test_a_file_that_is_read_is_not_written_over(call, pendulum, tmp_path):
    """A checkpoint took the place of the mechanism, or of the controllers, and `convert` wrote over its own source."""
    code, link = tmp_path / "balance.py", tmp_path / "link.toml"
    code.write_text("def balance(t): return 0.0")
    link.symlink_to(pendulum)
    before = pendulum.read_bytes()
    for words in (
        ("run", pendulum, "--checkpoint", pendulum),
        ("run", pendulum, "--checkpoint", link),
        ("run", pendulum, "--controllers", code, "--checkpoint", code),
        ("convert", pendulum, pendulum),
    ):
        done = call(*words)
        assert done.code == 2 and "is read from there too; give another path" in done.err
    assert pendulum.read_bytes() == before


def test_a_checkpoint_of_another_run_is_not_written_over_without_a_word(call, pendulum, tmp_path):
    """Who forgot --resume lost the run."""
    checkpoint = tmp_path / "run.lw"
    assert call("run", pendulum, "--duration", "0.1", "--checkpoint", checkpoint).code == 0
    before = checkpoint.read_bytes()
    done = call("run", pendulum, "--duration", "0.2", "--checkpoint", checkpoint)
    assert done.code == 2 and "--resume goes on with it" in done.err
    assert checkpoint.read_bytes() == before
    assert call("run", pendulum, "--duration", "0.2", "--checkpoint", checkpoint, "--resume").code == 0


@pytest.mark.usefixtures("never")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused_before_the_run(call, pendulum, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    done = call("run", pendulum, "--out", locked / "run.arrow")
    locked.chmod(stat.S_IRWXU)
    assert done.code == 2
    assert "cannot be written" in done.err


@pytest.mark.usefixtures("never")
def test_a_read_only_file_system_is_refused_before_the_run(call, pendulum, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    done = call("run", pendulum, "--out", tmp_path / "run.arrow")
    assert done.code == 2
    assert "Read-only file system" in done.err


@pytest.mark.usefixtures("never")
def test_two_outputs_of_one_name_are_refused(call, pendulum, tmp_path):
    done = call("run", pendulum, "--plot", tmp_path / "x.svg", "--picture", tmp_path / "x.svg")
    assert done.code == 2
    assert "--plot writes there too" in done.err


def test_urdf_to_toml_is_the_same_mechanism(call, urdf, tmp_path):
    done = call("convert", urdf, tmp_path / "arm.toml")
    assert done.code == 0
    assert lw.read(tmp_path / "arm.toml").build() == lw.read(urdf).build()
    assert call("convert", urdf, tmp_path / "free.toml", "--floating").code == 0
    assert lw.read(tmp_path / "free.toml").build().nv == 7


def test_toml_is_normalised_with_its_setup(call, pendulum, tmp_path):
    done = call("convert", pendulum, tmp_path / "plain.toml", "--json")
    assert done.code == 0
    assert done.data["files"] == {"mechanism": str(tmp_path / "plain.toml")}
    before, after = lw.Document.open(pendulum), lw.Document.open(tmp_path / "plain.toml")
    assert after.mechanism == before.mechanism
    assert after.setup == before.setup
    assert "#" not in after.text


def test_a_recording_becomes_a_table(call, pendulum, tmp_path):
    call("run", pendulum, "--out", tmp_path / "run.arrow", "--out", tmp_path / "direct.csv")
    assert call("convert", tmp_path / "run.arrow", tmp_path / "run.csv").code == 0
    assert (tmp_path / "run.csv").read_bytes() == (tmp_path / "direct.csv").read_bytes()
    assert call("convert", tmp_path / "run.arrow", tmp_path / "run.toml").code == 2
    assert call("convert", tmp_path / "none.arrow", tmp_path / "none.csv").code == 2
    assert call("convert", pendulum, tmp_path / "rod.urdf").code == 2
