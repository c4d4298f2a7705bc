"""Switches in the environment: 0, 1 or not set, and nothing that looks like "off" and means on."""

import os
import subprocess
import sys

import pytest

from linkwork.kernels.switches import SWITCHES, SwitchError, check_switches, switch


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("value", ["off", "yes", "2", "00", " 1", "true"])
def test_what_is_neither_0_nor_1_is_refused_by_name(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(SwitchError, match=rf"{name}: found '{value}' in the environment; allowed are 0 and 1; .*unset it"):
        check_switches()


@pytest.mark.parametrize(("value", "on"), [("0", False), ("1", True)])
def test_a_switch_that_is_set_is_on_or_off_whatever_the_default(monkeypatch, value, on):
    monkeypatch.setenv("LINKWORK_QUIET", value)
    assert [switch("LINKWORK_QUIET", default) for default in (False, True)] == [on, on]


def test_a_switch_that_is_empty_or_not_set_has_its_default(monkeypatch):
    monkeypatch.setenv("LINKWORK_QUIET", "")
    assert [switch("LINKWORK_QUIET", default) for default in (False, True)] == [False, True]
    monkeypatch.delenv("LINKWORK_QUIET")
    assert [switch("LINKWORK_QUIET", default) for default in (False, True)] == [False, True]


@pytest.mark.parametrize("name", SWITCHES)
def test_a_command_says_so_in_one_line_and_does_not_begin(name):
    command = [sys.executable, "-m", "linkwork", "run", "four-bar", "--duration", "0.01"]
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | {name: "off"})
    assert run.returncode == 1 and run.stdout == ""
    assert run.stderr.splitlines() == [
        f"linkwork run: error: {name}: found 'off' in the environment; allowed are 0 and 1; set one of them, or unset it"
    ]
