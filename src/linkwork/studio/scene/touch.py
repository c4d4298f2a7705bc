"""What a person does in the picture: clicks and drags, as events that name parts. Callbacks run one after the other in a thread of their own."""

import contextlib
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

log = logging.getLogger("linkwork.studio")


@dataclass(frozen=True, eq=False)
class Click:
    """A click. part: the name of what was clicked, None for the background; role: "body", "joint", "force", "constraint".

    body, point: the body that carries it ("ground" too) and the point in that body's coordinates, m; None for what spans two bodies.
    world: the point in the world; on the background that of the floor, or None. modifiers: of "shift", "ctrl", "alt". client: viser's handle.
    """

    part: str | None
    role: str | None
    body: str | None
    point: np.ndarray | None
    world: np.ndarray | None
    modifiers: frozenset
    client: Any


@dataclass(frozen=True, eq=False)
class Drag:
    """A body that is dragged. point: where it was grabbed, in the body's coordinates, m; target: where the pointer is, in the world, m, in the
    plane parallel to the screen through the point that was grabbed. phase: "start", "move" or "end". part: what the pointer was on.
    """

    phase: str
    body: str
    point: np.ndarray
    target: np.ndarray
    modifiers: frozenset
    client: Any
    part: str


def modifiers_of(modifier):
    """viser's "cmd/ctrl+shift" as a set."""
    return frozenset("ctrl" if word == "cmd/ctrl" else word for word in modifier.split("+")) if modifier else frozenset()


class Touches:
    """Callbacks for clicks and drags, called in order. Of moves that wait, only the last of a client is told."""

    def __init__(self):
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="linkwork-touch")
        self._clicks: list = []
        self._drags: list[dict] = []
        self._waiting: dict[int, Drag] = {}

    def on_click(self, callback):
        self._clicks.append(callback)
        return callback

    def on_drag(self, start=None, move=None, end=None):
        self._drags.append({"start": start, "move": move, "end": end})

    def click(self, event):
        self._submit(self._clicks, event)

    def drag(self, event):
        if event.phase != "move":
            self._submit(self._told(event.phase), event)
            return
        waits = event.client.client_id in self._waiting
        self._waiting[event.client.client_id] = event
        if not waits:
            self._pool.submit(self._move, event.client.client_id)

    def close(self):
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _told(self, phase):
        return [callbacks[phase] for callbacks in self._drags if callbacks[phase] is not None]

    def _move(self, client):
        event = self._waiting.pop(client)
        self._call(self._told("move"), event)

    def _submit(self, callbacks, event):
        with contextlib.suppress(RuntimeError):  # closed: nobody listens any more
            self._pool.submit(self._call, list(callbacks), event)

    @staticmethod
    def _call(callbacks, event):
        for callback in callbacks:
            try:
                callback(event)
            except Exception:  # what a callback does wrong must not end the others, nor stay unseen
                log.exception("a callback of %s failed", type(event).__name__)
