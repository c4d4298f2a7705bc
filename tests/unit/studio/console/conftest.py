"""A console on a folder of its own, and ways to talk to it."""

import pytest

from linkwork.studio.console import Console


class Talk:
    """A console whose answers are looked at. `say` expects no error, `refused` expects one and nothing changed."""

    def __init__(self, console):
        self.console = console

    @property
    def live(self):
        return self.console.live

    def say(self, text):
        """The answers to lines, all of them well."""
        answers = [answer for line in text.strip().splitlines() for answer in self.console.execute(line)]
        assert not [answer for answer in answers if answer.startswith("error:")], answers
        return answers

    def refused(self, line):
        """The error of a line, after which all is as before."""
        before = content(self.console)
        answers = self.console.execute(line)
        assert answers, f"{line!r} was not refused"
        assert answers[-1].startswith("error: ")
        assert content(self.console) == before
        return answers[-1]

    def numbers(self, line, flag, count):
        """The numbers after a flag in the one line that a command answers."""
        (answer,) = self.say(line)
        return numbers_after(answer, flag, count)


def content(console):
    """All that a refused command must not touch."""
    live = console.live
    return live.mechanism.clone(), live.time, live.q.tobytes(), live.v.tobytes(), live.integrator, console.frame, len(live.edits)


def numbers_after(line, flag, count):
    words = line.split()
    at = words.index(flag) + 1
    return [float(word) for word in words[at : at + count]]


@pytest.fixture
def talk(tmp_path):
    return Talk(Console(folder=tmp_path))
