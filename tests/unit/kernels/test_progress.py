"""What a person reads while kernels are compiled: announced once, counted through, ended by one line."""

import io
import time

import pytest

from linkwork.kernels import progress
from linkwork.kernels.progress import Display, compiling


class Stream(io.StringIO):
    """Standard error, a terminal or not."""

    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.fixture
def written(monkeypatch):
    """written(terminal): standard error from now on."""

    def replaced(terminal):
        stream = Stream(terminal)
        monkeypatch.setattr(progress.sys, "stderr", stream)
        return stream

    monkeypatch.delenv("LINKWORK_QUIET", raising=False)
    monkeypatch.delenv("LINKWORK_JIT", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(progress, "PAUSE", 1e9)
    return replaced


def two_builds(display):
    """One of two units, and one of three."""
    for count in (2, 3):
        begun = display.begin()
        assert compiling.busy
        for done in range(count):
            display.show(begun, done, count)
        display.end(begun, count)


def test_without_a_terminal_builds_are_announced_once_and_summed_up_once(written):
    stream, display = written(False), Display()
    two_builds(display)
    display.finish()
    display.finish()
    first, last = stream.getvalue().splitlines()
    assert first == "linkwork: compiling kernels (once; 'make kernels' builds all) (LINKWORK_QUIET=1 hides this line)"
    assert last.startswith("linkwork: 5 kernels compiled in 0.") and last.endswith(" s")
    two_builds(display)
    display.finish()
    assert "5 kernels" in stream.getvalue().splitlines()[2] and len(stream.getvalue().splitlines()) == 3, "not announced again"


def test_without_a_terminal_someone_who_waits_is_told_every_few_seconds(written, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.02)
    stream, display = written(False), Display()
    begun = display.begin()
    for done in range(4):
        display.show(begun, done, 4)
        time.sleep(0.03)
    display.end(begun, 4)
    display.finish()
    assert stream.getvalue().splitlines()[1:4] == [f"linkwork: compiling kernels: {done} done, 0 s" for done in (1, 2, 3)]


def test_who_builds_all_is_told_what_is_left_at_least_not_a_total_that_grows(written, monkeypatch):
    """It said "124 of 262 done", and later "of 504": what a kernel calls is known when it has been compiled."""
    monkeypatch.setattr(progress, "EVERY", 0.0)
    stream, display = written(False), Display(announces=False)
    begun = display.begin()
    for done, known in ((0, 3), (1, 5), (4, 5)):
        display.show(begun, done, known)
    display.end(begun, 5)
    lines = [line.partition(": compiling kernels: ")[2].rpartition(",")[0] for line in stream.getvalue().splitlines()]
    assert lines == ["0 done, at least 3 to go", "1 done, at least 4 to go", "4 done, at least 1 to go"]


def test_a_terminal_has_one_line_that_counts_through_all_builds(written):
    stream, display = written(True), Display()
    two_builds(display)
    display.finish()
    lines = stream.getvalue().split("\r\033[K")
    assert lines[1] == "compiling kernels (once; 'make kernels' builds all): 0 done, 0 s"[:79]
    assert lines[4] == "compiling kernels (once; 'make kernels' builds all): 2 done, 0 s"[:79]
    assert stream.getvalue().count("\n") == 1 and "5 kernels compiled in" in lines[-1]


def test_a_narrow_terminal_is_not_overrun(written, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream, display = written(True), Display()
    two_builds(display)
    assert max(map(len, stream.getvalue().split("\r\033[K"))) == 39


def test_the_end_is_said_if_nothing_follows(written, monkeypatch):
    monkeypatch.setattr(progress, "PAUSE", 0.02)
    stream, display = written(False), Display()
    two_builds(display)
    until = time.monotonic() + 10.0
    while "5 kernels compiled" not in stream.getvalue() and time.monotonic() < until:
        time.sleep(0.01)
    assert stream.getvalue().count("compiled in") == 1


def test_who_announces_it_himself_gets_the_count_alone(written):
    stream, display = written(True), Display(announces=False)
    two_builds(display)
    display.finish()
    assert "2 done, at least 3 to go" in stream.getvalue() and "compiled in" not in stream.getvalue()


def test_jit_1_is_named_as_the_reason(written, monkeypatch):
    monkeypatch.setenv("LINKWORK_JIT", "1")
    stream = written(False)
    two_builds(Display())
    assert "because LINKWORK_JIT=1 leaves the built library aside" in stream.getvalue()


def test_quiet_says_nothing(written, monkeypatch):
    monkeypatch.setenv("LINKWORK_QUIET", "1")
    for terminal in (False, True):
        stream, display = written(terminal), Display()
        two_builds(display)
        display.finish()
        assert stream.getvalue() == ""
    assert not compiling.busy
