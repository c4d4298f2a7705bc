"""A story: steps with words, each an action on a live mechanism and some time that runs after it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import linkwork as lw

SLICE = 1.0 / 60.0


@dataclass(frozen=True)
class Step:
    """What a person does (`act(live, told)`), in words, and how long time runs then, s. each: called with (live, told) at every frame of it.

    `told` is a dictionary that steps hand on to each other, and in which they leave what they found out.
    """

    words: str
    act: Callable[[lw.Live, dict[str, Any]], None] | None = None
    run: float = 0.0
    each: Callable[[lw.Live, dict[str, Any]], None] | None = None


@dataclass(frozen=True)
class Story:
    """A name, a title, and steps. start: the mechanism it begins with."""

    name: str
    title: str
    start: Callable[[], lw.Mechanism]
    steps: tuple[Step, ...]

    def live(self):
        """A live mechanism to tell it on."""
        return lw.Live(self.start())

    def tell(self, live=None, say=None):
        """Tell the whole story as fast as it goes; returns the Telling. say: called with the words of every step."""
        telling = Telling(self, live or self.live())
        while not telling.over:
            if say is not None:
                say(telling.words)
            telling.act()
            while telling.left > 0.0:
                telling.advance(min(SLICE, telling.left))
            telling.next()
        return telling


@dataclass
class Telling:
    """A story being told: which step it is at, how much time is left in it, and what was found out so far."""

    story: Story
    live: lw.Live
    told: dict[str, Any] = field(default_factory=dict)
    at: int = 0
    left: float = 0.0

    @property
    def over(self):
        return self.at >= len(self.story.steps)

    @property
    def step(self):
        return self.story.steps[self.at]

    @property
    def words(self):
        return "The end." if self.over else self.step.words

    def act(self):
        """Do what the step does."""
        if self.step.act is not None:
            self.step.act(self.live, self.told)
        self.left = self.step.run

    def advance(self, duration):
        """Let time run within the step."""
        self.live.advance(duration)
        if not self.live.status.ok:
            raise lw.SolverError(f"story {self.story.name!r}, step {self.at + 1} ({self.step.words}): {self.live.status}")
        self.left = self.left - duration if self.left - duration > 1e-9 else 0.0
        if self.step.each is not None:
            self.step.each(self.live, self.told)

    def next(self):
        self.at += 1
