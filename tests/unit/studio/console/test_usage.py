"""The usage of a command is its grammar."""

import pytest

from linkwork.studio.console import COMMANDS
from linkwork.studio.console.errors import MisusedError
from linkwork.studio.console.usage import Usage
from linkwork.studio.console.words import split

USAGE = Usage("try BODY [{on|off}] [n] [-t x y z] [-m mass] [-if TYPE NAME]... [-hard]")


def parsed(line):
    return USAGE.parse(split(line))


def test_values_and_options_in_any_order():
    given = parsed("-t 1 -.5 .25 ball -m 2 on -if gravity g -if motor m 3")
    assert given.values == ("ball", "on", 3)
    assert given["-t"] == (1.0, -0.5, 0.25)
    assert given["-m"] == 2.0
    assert given.all("-if") == [("gravity", "g"), ("motor", "m")]
    assert given["-hard"] is None


def test_what_is_left_out_is_none_and_a_flag_without_values_is_there():
    given = parsed("ball -hard")
    assert given.values == ("ball", None, None)
    assert given["-t"] is None
    assert given["-hard"] is not None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "BODY is missing"),
        ("ball -x 1", "no option is called '-x'"),
        ("ball -t 1 2", "-t takes 3 values"),
        ("ball -t 1 2 -m 3", "-t takes 3 values"),
        ("ball -m two", "-m mass is two"),
        ("ball -m 1 -m 2", "given twice"),
        ("ball maybe", "allowed are on, off"),
        ("ball on 1.5", "a whole number"),
        ("ball on -1", "a whole number"),
        ("ball on 1 2", "one word too many"),
    ],
)
def test_what_is_written_otherwise_is_refused_with_the_usage(line, said):
    with pytest.raises(MisusedError) as refused:
        parsed(line)
    assert said in str(refused.value)
    assert refused.value.usage == USAGE.text


def test_every_command_has_a_usage_that_reads_as_itself_and_a_sentence():
    for name, command in COMMANDS.items():
        assert name in (command.usage.name, *command.others)
        if not command.usage.open:
            items = [*command.usage.places, *command.usage.options.values()]
            assert sum(len(item.values) + (item.flag is not None) for item in items) == len(command.usage.text.split()) - 1, name
        assert len(command.says) > 10


def test_all_commands_of_the_erector_set_are_there():
    assert set("ib il ilc pb sb sl sf pf ir step rtime stime sacc rstepsize sstepsize rlsode draw ? help".split()) <= set(COMMANDS)
