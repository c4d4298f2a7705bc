"""People at a page without a browser, played by their events; and parts for them to handle."""

from types import SimpleNamespace

import numpy as np

import linkwork as lw
from linkwork.studio.scene import Click, Drag


class Person:
    """A client, as far as panels know one: its number, where it looks from, and what it is told."""

    def __init__(self, number=1):
        self.client_id, self.told = number, []
        self.camera = SimpleNamespace(position=np.array((0.5, -3.0, 0.5)), look_at=np.array((0.5, 0.0, 0.3)))

    def add_notification(self, title, body, **_):
        self.told.append(body)


def body(name, x=0.0, length=0.4):
    """An edit: one more rod."""
    return lambda live: live.add_body(name, shape=lw.Box(length, 0.03, 0.03), density=2700.0, pose=(x, 0.0, 0.3))


def done(studio):
    """The Live, when all that was asked is done, and what that asked for too."""
    for _ in range(4):
        live = studio.player.ask(lambda live: live)
    return live


def click(person, name=None, point=(0, 0, 0), world=None, role="body"):
    point = np.array(point, dtype=float)
    return Click(name, role if name else None, name, point if name else None, world, frozenset(), person)


def drag(person, phase, target, name="rod", point=(0.2, 0, 0), modifiers=()):
    return Drag(phase, name, np.array(point, dtype=float), np.array(target, dtype=float), frozenset(modifiers), person, name)


def event(person, handle):
    """What a handle of the page tells when a person uses it."""
    return SimpleNamespace(client=person, client_id=person.client_id, target=handle)
