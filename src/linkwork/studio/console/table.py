"""The table of commands. A command is a function with its usage, in one place:

    @command("rtime", "the time, s")
    def rtime(console, given):
        yield f"time {shown(console.live.time)}"

It gets the console and what the line gave (usage.py), and yields its lines. It raises a LinkworkError before anything has changed.
A usage that ends in `...` alone stands for words that the command reads by itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .usage import Usage

COMMANDS: dict[str, "Command"] = {}


@dataclass(frozen=True)
class Command:
    """One command: how it is written, what it does in a sentence, and the function that does it."""

    usage: Usage
    says: str
    run: Callable
    others: tuple[str, ...]

    def lines(self, console, words) -> Iterator[str]:
        """Do it; its lines as they come."""
        given: Any = words if self.usage.open else self.usage.parse(words)
        yield from self.run(console, given) or ()


def command(usage, says, *others):
    """Put a function in the table; `others`: further names of the same command."""

    def keep(function):
        parsed = Usage(usage)
        for name in (parsed.name, *others):
            if name in COMMANDS:
                raise ValueError(f"two commands are called {name!r}")
            COMMANDS[name] = Command(parsed, says, function, others)
        return function

    return keep
