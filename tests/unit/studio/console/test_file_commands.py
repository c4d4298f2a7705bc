"""Files: save load merge run, in the folder and nowhere else."""

import os

import pytest

import linkwork as lw

ARM = "ib a\nsb a -t 1 2 3 -vl 0 0 1\nil a b\nsl a b -s 0 1 0 .5 0 .1 -djt 1 0 0 -pjt -1 0 0 -q .3 -qdot 1\nir s a b -k 3\nilc b move_to_point -t 5 0 0\n"


def test_what_is_saved_is_loaded_with_its_state(talk, tmp_path):
    talk.say(ARM + "step 5")
    before = talk.say("pb") + talk.say("pl") + talk.say("pr") + talk.say("pc")
    mechanism, q = talk.live.mechanism.clone(), talk.live.q
    assert talk.say("save arm.toml") == ["saved arm.toml"]
    talk.say("remove a\nremove b")
    told = []
    talk.console.on_open = told.append
    assert talk.say("load arm.toml") == ["loaded 2 bodies"]
    assert told == [talk.live]
    assert talk.live.mechanism == mechanism
    assert talk.live.q == pytest.approx(q, abs=1e-12)
    assert talk.live.time == pytest.approx(5 / 30)
    after = talk.say("pb") + talk.say("pl") + talk.say("pr") + talk.say("pc")
    assert [line.split()[:3] for line in after] == [line.split()[:3] for line in before]
    assert isinstance(talk.live.integrator, lw.Adams)
    talk.say("sl a b -pjt -2 0 0\nstep 1")


def test_a_saved_assembly_is_added_several_times_under_prefixes(talk):
    talk.say("ib a\nsb a -t 1 0 0\nil a b\nsl a b -djt 1 0 0 -q .5\nsave arm.toml\nremove a\nremove b")
    assert talk.say("merge arm.toml left. -t 0 1 0\nmerge arm.toml right. -t 0 -1 0 -E 0 0 0 1") == ["merged 2 bodies"] * 2
    assert talk.live.poses()["left.a"].translation == pytest.approx([1, 1, 0])
    assert talk.live.poses()["right.b"].translation == pytest.approx([-2, -1, 0])
    assert talk.numbers("pl left.a", "-q", 1) == pytest.approx([0.5])
    assert "already" in talk.refused("merge arm.toml left.")


def test_a_script_of_the_folder_is_run(talk, tmp_path):
    (tmp_path / "two.ves").write_text("ib a ; one\nib a\nstep 1\n")
    assert talk.console.execute("run two.ves") == [
        "error: line 2: there is already a body 'a'; a name is used once; give another one, or remove that first",
        "time 0.03333333333333333",
    ]
    assert talk.console.errors == 1


def test_a_script_that_runs_itself_ends(talk, tmp_path):
    (tmp_path / "snake.ves").write_text("run snake.ves\n")
    assert "8 deep" in talk.console.execute("run snake.ves")[-1]
    talk.say("ib a")


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "sub/../../x", "~/../../x", "out/x", '"x\\u0000"', '""', "."])
@pytest.mark.parametrize("command", ["save", "load", "run", "draw corpus"])
def test_nothing_outside_of_the_folder_is_read_or_written(talk, tmp_path, command, name):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    os.symlink(outside, tmp_path / "out")
    suffix = {"save": ".toml", "load": ".toml", "run": ".ves", "draw corpus": ""}[command]
    if name.endswith("x"):
        name += suffix
    (outside / f"x{suffix}").write_text("ib stolen\n")
    talk.say("ib a")
    talk.refused(f"{command} {name}")
    assert (outside / f"x{suffix}").read_text() == "ib stolen\n"


def test_refused(talk, tmp_path):
    (tmp_path / "broken.toml").write_text("linkwork = 1\n[body.a]\nmass = 'heavy'\n")
    (tmp_path / "near.toml").write_text("linkwork = 1\n")
    talk.say("ib a")
    assert "mass" in talk.refused("load broken.toml")
    assert "did you mean 'near.toml'" in talk.refused("load neer.toml")
    assert "ends in .toml" in talk.refused("save arm.txt")
    assert "there is no such file" in talk.refused("run a.ves")


def test_what_was_in_a_file_is_kept_when_it_is_written_over(talk, tmp_path):
    (tmp_path / "arm.toml").write_text("# precious\n")
    talk.say("ib a\nsave arm.toml")
    assert (tmp_path / "arm.toml~").read_text() == "# precious\n"
    assert "[body.a]" in (tmp_path / "arm.toml").read_text()
