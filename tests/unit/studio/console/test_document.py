"""docs/console.md names every command, and its session moves as it says. Its Python is run by tests/unit/test_documents.py."""

import re
from pathlib import Path

import pytest

from linkwork.studio.console import COMMANDS

TEXT = (Path(__file__).parents[4] / "docs" / "console.md").read_text(encoding="utf-8")


def test_every_command_is_told_of():
    prose = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
    told = {word for code in re.findall(r"`([^`]+)`", prose) for word in code.split()}
    assert {name for name in COMMANDS if name != "heaviest"} - told <= {"exit"}


def test_the_pendulum_runs_and_swings(talk):
    script = re.search(r"```ves\n(il ground.*?)```", TEXT, re.DOTALL).group(1)
    talk.say(script)
    assert talk.live.time == pytest.approx(1.0)
    assert -0.55 < talk.numbers("pl", "-q", 1)[0] < 0.4, "it has swung to the other side"
