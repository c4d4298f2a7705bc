"""Whatever is typed: an answer or an error, never an exception; after an error all is as it was; no pose is ever NaN."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkwork.studio.console import COMMANDS, Console

BEGINNING = """ib a
sb a -if gravity g
il a b
sl a b -djt 1 0 0
ib c
sb c -t 2 1 0 -if damping g
ir s b c -k 3
il ground p
sb p -if support g
ilc c move_to_point
save x.toml"""
NAMES = ("a", "b", "c", "p", "g", "s", "b.joint", "p.joint", "a.g", "c.point", "new", "ground")
ODD_NAMES = ('"odd; name"', '""', "a.free", "hand", '"-t"', "é", '"\\u0000"', '"\\ud800"', "__class__", "x" * 300, "..", "b.joint.distal")
NUMBERS = ("0", "1", "-1", ".5", "-.5", "2", "1e-3", "3")
ODD_NUMBERS = ("1e9", "-1e12", "1e30", "1e100", "1e150", "1e-150", "1e-300", "1e400", "nan", "inf", "-inf", "0x10", "1_0", "1e", "٣")
WORDS = ("on", "off", "gravity", "motor", "damping", "support", "brake", "energy", "kinetic", "x.toml", "film", "../x.toml", "l.")
SLOW = {"help", "?", "python", "signals", "audit", "quit", "exit", "run", "pull"}  # they change nothing, end it, or are tried elsewhere
MOVING = ("step", "undo", "redo")  # these may have done a part of what was asked when they stop


def content(console):
    live = console.live
    return live.mechanism.clone(), live.q.tobytes(), live.v.tobytes(), live.time, live.integrator, len(live.edits)


def check(console, line):
    """One line, and what must hold whatever it is."""
    before = content(console)
    answers = console.execute(line)
    assert not [answer for answer in answers if "fault of Linkwork" in answer], (line, answers)
    assert not [answer for answer in answers if "\n" in answer or "\ud800" in answer], "an answer is a line of text"
    failed = [answer for answer in answers if answer.startswith("error:")]
    if failed and not line.startswith(MOVING):
        assert content(console) == before, (line, failed)
    positions, quaternions = console.live.pose_arrays()
    assert np.isfinite(positions).all(), line
    assert np.isfinite(quaternions).all(), line
    return failed


def value(what):
    """Words for a place in a usage: mostly sensible ones."""
    if what.startswith("{"):
        return st.sampled_from(what[1:-1].split("|"))
    if what == "n":
        return st.sampled_from(("0", "1", "2", "3", "-1", "1.5"))
    if what.isupper():
        likely = WORDS if what in ("WORD", "TYPE", "FILE", "PREFIX") else NAMES
        return st.one_of(st.sampled_from(likely), st.sampled_from(likely), st.sampled_from(ODD_NAMES + WORDS))
    return st.one_of(*[st.sampled_from(NUMBERS)] * 9, st.sampled_from(ODD_NUMBERS))


@st.composite
def commands(draw):
    """A line that is nearly right."""
    name = draw(st.sampled_from([name for name in COMMANDS if name not in SLOW]))
    usage = COMMANDS[name].usage
    words = [name]
    for item in usage.places:
        if item.needed or draw(st.booleans()):
            words += [draw(value(what)) for what in item.values]
    for flag, item in usage.options.items():
        if draw(st.integers(0, 3)) == 0:
            words += [flag, *(draw(value(what)) for what in item.values)]
    if usage.open:
        words += draw(st.sampled_from((["-d", "1"], ["-k", "1e30"], ["-g", "-1"], ["-stiffness", "5"], ["-x"], [])))
    return " ".join(words)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lines=st.lists(commands(), min_size=5, max_size=15))
def test_lines_that_are_nearly_right(tmp_path_factory, lines):
    console = Console(folder=tmp_path_factory.mktemp("hostile"), patience=0.5)
    for line in BEGINNING.splitlines():
        assert not check(console, line)
    for line in lines:
        check(console, line)
    console.live.mechanism.build()
    console.close()


@pytest.fixture(scope="module")
def console(tmp_path_factory):
    made = Console(folder=tmp_path_factory.mktemp("garbage"))
    for line in BEGINNING.splitlines():
        assert not check(made, line)
    return made


@settings(max_examples=200, deadline=None)
@given(
    line=st.one_of(
        st.text(),
        st.text('-.;"\\ 0123456789eabis\t{}[]'),
        st.sampled_from(sorted(COMMANDS)).flatmap(lambda c: st.text().map(f"{c} {{}}".format)),
    )
)
def test_garbage(console, line):
    if not line.split() or line.split()[0].rstrip(";") in ("quit", "exit"):
        return
    check(console, line)
    assert not console.leaving


@pytest.mark.parametrize("size", ODD_NUMBERS[:9])
@pytest.mark.parametrize(
    "line",
    ["sb a -t {0} 0 0", "sb a -vl 0 {0} 0", "sb a -vr 0 0 {0}", "sb a -m {0}", "sb a -in {0} {0} {0}", "sf c g -d {0}", "sr s -k {0} -l 0"],
)
def test_huge_numbers_fail_at_most_in_a_step_and_can_be_taken_back(tmp_path, line, size):
    console = Console(folder=tmp_path, patience=0.3)
    for beginning in BEGINNING.splitlines():
        assert not check(console, beginning)
    before = console.execute("pb")
    if not check(console, line.format(size)):
        check(console, "step 1")
        check(console, "state")
        console.execute("rewind 0")
        console.execute("undo 2")
    assert not check(console, "stime 0")
    assert len(console.execute("pb")) == len(before)
    assert all(math.isfinite(float(x)) for line in console.execute("pb") for x in line.split("-t ")[1].split(" -E")[0].split())


def test_what_is_used_or_pulled_can_be_removed(tmp_path):
    console = Console(folder=tmp_path)
    for line in [*BEGINNING.splitlines(), "pull b -t 5 0 0", "step 3"]:
        assert not check(console, line)
    for part in ("b", "c", "p", "a"):
        assert not check(console, f"remove {part}")
        assert not check(console, "step 1")
    assert not console.live.mechanism.bodies
    assert not check(console, "undo 4")
    assert not check(console, "step 1")
    assert len(console.live.mechanism.bodies) == 4


def test_names_with_odd_letters_live_like_others(tmp_path):
    console = Console(folder=tmp_path)
    for name in ODD_NAMES:
        if name == '""':
            assert check(console, f"ib {name}")
            continue
        assert not check(console, f"ib {name}"), name
        assert not check(console, f"sb {name} -t 1 2 3 -if gravity g"), name
    lines = console.execute("pb")
    assert len(lines) == len(ODD_NAMES) - 1
    for line in lines:
        assert console.execute(f"pb {line.removeprefix('body ').rpartition(' -m ')[0]}") == [line], "what is printed is read back"
    assert not check(console, "step 1")
