"""The console itself: lines in, lines out, errors that harm nothing, questions, taking back."""

import io

import pytest

import linkwork as lw
from linkwork.studio.console import COMMANDS, Console

PAIR = "ib a\nil a b\nsl a b -djt 1 0 0 -pjt -1 0 0\nib c\nir s b c -k 2\nsb c -if damping d\nilc a nail\n"


def test_an_unknown_command_is_reported_with_near_ones(talk):
    assert talk.refused("ibb ball") == "error: no command is called 'ibb'; did you mean 'ib'?; help lists them"


def test_a_wrong_option_shows_the_usage_of_the_command(talk):
    talk.say("ib a")
    usage, error = talk.console.execute("sb a -q 1")
    assert usage == f"usage: {COMMANDS['sb'].usage.text}"
    assert error.startswith("error: sb: no option is called '-q'")


def test_an_error_is_one_line_however_many_faults_there_are(talk):
    talk.say("ib a")
    answers = talk.console.execute("sb a -in -1 -1 -1")
    assert len(answers) == 1
    assert "\n" not in answers[0]


def test_help_shows_every_usage_and_what_each_command_does(talk):
    lines = talk.say("help")
    assert len(lines) == len({command.usage.text for command in COMMANDS.values()})
    assert talk.say("?") == lines
    assert talk.say("help unpost")[0].startswith("usage: remove NAME")
    assert "did you mean 'step'" in talk.refused("help stepp")
    for name in COMMANDS:
        usage, says = talk.say(f"help {name}")
        assert usage.startswith("usage: ")
        assert says[0].isupper() or not says[0].isalpha()
        assert says.rstrip().endswith(".")


def test_a_stream_is_answered_line_by_line(tmp_path):
    out = io.StringIO()
    script = "ib a ; a body\n\nsb a -vl 1 0 0\nib a\nsstepsize .5\nstep 2\nquit\nib b\n"
    console = Console(folder=tmp_path)
    assert console.run(io.StringIO(script), out) == 1
    assert out.getvalue().splitlines() == [
        "error: there is already a body 'a'; a name is used once; give another one, or remove that first",
        "time 1",
    ]
    assert [body.name for body in console.live.mechanism.bodies] == ["a"], "nothing is read after quit"


def test_ok_after_every_line_lets_a_program_wait_for_it(tmp_path):
    out = io.StringIO()
    Console(folder=tmp_path).run(io.StringIO("ib a\nib a\n; comment\nrtime\n"), out, acknowledge=True)
    lines = out.getvalue().splitlines()
    assert lines[0] == "ok"
    assert lines[1].startswith("error: ")
    assert lines[2:] == ["time 0", "ok"]


def test_a_line_that_is_too_long_is_refused_whole(tmp_path):
    out = io.StringIO()
    console = Console(folder=tmp_path)
    console.run(io.StringIO("x" * 100_001 + " " * 200_000 + "\nib a\n"), out)
    (line,) = out.getvalue().splitlines()
    assert "letters; allowed are 100000" in line
    assert len(console.live.mechanism.bodies) == 1


def test_state_tells_degrees_of_freedom_and_every_joint(talk):
    talk.say(PAIR + "sl a b -q .5")
    lines = talk.say("state")
    assert lines[:7] == ["time 0", "bodies 3", "joints 1", "constraints 1", "forces 2", "dof 7", "redundant 0"]
    assert "joint b.joint -q 0.5 -qdot 0" in lines


def test_state_of_nothing(talk):
    assert talk.say("state")[:2] == ["time 0", "bodies 0"]
    assert talk.say("step 1") == ["time 0.03333333333333333"]
    for question in ("pb", "pf", "pl", "pr", "pc", "connectivity"):
        assert talk.say(question) == []


def test_connectivity(talk):
    talk.say(PAIR)
    assert talk.say("connectivity") == ["joint b.joint Revolute a b", "constraint a.nail Nail a ground", "string s RubberString b c"]
    assert talk.say("connectivity c") == ["string s RubberString b c"]
    assert "no body is called 'z'" in talk.refused("connectivity z")


def test_signals_are_listed_and_read(talk):
    talk.say("ib a\nsb a -m 2 -vl 3 0 0")
    assert 'signal "energy kinetic" J' in talk.say("signals")
    assert talk.say("get energy kinetic") == ['"energy kinetic" 9']
    assert talk.say('get "speed a"') == ['"speed a" 3']
    assert "did you mean" in talk.refused("get energy kinetik")


def test_the_audit_closes(talk):
    talk.say("ib a\nsb a -vl 1 2 3 -if damping d\nstep 30")
    text = "\n".join(talk.say("audit"))
    assert "energy balanced" in text


def test_undo_and_redo(talk):
    talk.say("ib a\nib b\nsb b -t 1 0 0")
    moved = talk.say("pb")
    assert talk.say("undo") == ['undo "set body b"']
    assert talk.say("undo 5") == ['undo "body b"', 'undo "body a"']
    assert "nothing to undo" in talk.refused("undo")
    talk.say("redo 3")
    assert talk.say("pb") == moved
    assert "nothing to redo" in talk.refused("redo")


def test_removing_takes_all_that_stands_on_a_part(talk):
    talk.say(PAIR)
    assert talk.say("remove b") == ["removed body b", "removed joint b.joint", "removed force s"]
    assert talk.say("unpost c d") == ["removed force c.d"]
    assert talk.say("unpost ground a") == ["removed constraint a.nail"]
    assert "nothing connects 'a' and 'c'" in talk.refused("unpost a c")
    assert "cannot be removed" in talk.refused("remove ground")
    assert "no part is called 'z'" in talk.refused("remove z")
    talk.say("remove a\nremove c\nstep 1")
    assert not talk.live.mechanism.bodies


def test_unpost_between_two_bodies_keeps_their_velocities(talk):
    talk.say(PAIR + "sl a b -qdot 2\nilc a free")
    before = talk.live.twists()["b"]
    assert talk.say("unpost a b") == ["removed joint b.joint"]
    assert talk.live.twists()["b"] == pytest.approx(before, abs=1e-12)


def test_rename_copy_reset_rewind(talk):
    talk.say("ib a\nil a b\nrename a base\ncopy base left. -t 0 1 0")
    assert [body.name for body in talk.live.mechanism.bodies] == ["base", "b", "left.base", "left.b"]
    assert talk.live.poses()["left.b"].translation == pytest.approx([0, 1, 0])
    assert "already a body 'b'" in talk.refused("rename base b")
    talk.say("sb base -vl 1 0 0\nstep 30\nrewind .5")
    assert talk.live.time == pytest.approx(0.5, abs=0.02)
    talk.say("reset")
    assert talk.live.time == 0
    assert talk.live.poses()["base"].translation == pytest.approx([0, 0, 0])


def test_pull_draws_a_point_and_release_lets_go(talk):
    talk.say("ib a\npull a -p 0 0 0 -t 1 0 0\nsstepsize 2\nstep 1\nrelease")
    assert talk.live.poses()["a"].translation == pytest.approx([1, 0, 0], abs=0.05)
    assert talk.live.pulling is None


def test_the_session_is_a_python_script_that_does_the_same(talk):
    talk.say(PAIR + "sl a b -q .25\nsb c -t 1 2 3")
    space = {}
    exec("\n".join(talk.say("python")), space)  # our own text, in our own test
    assert space["live"].mechanism == talk.live.mechanism
    assert space["live"].poses()["b"].isclose(talk.live.poses()["b"], 1e-12)


def test_a_fault_of_ours_is_told_and_the_session_goes_on(talk, monkeypatch):
    def broken(self, words=None, *, together=None):
        raise RuntimeError("boom")

    with monkeypatch.context() as patch:
        patch.setattr(lw.Live, "edit", broken)
        assert talk.refused("ib a") == "error: this is a fault of Linkwork, please report it: RuntimeError: boom"
    talk.say("ib a")
