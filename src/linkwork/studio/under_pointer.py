"""Values under the pointer: what under_pointer.js on the page asks, and what it is told.

Every page gets a key of its own, in an element that is not seen; with it, the page asks for a point of its picture. The server knows the page's camera:
it sends a ray through that point, finds the part that is drawn there, and reads its values in the physics thread. A page that leaves takes its key along.
"""

import asyncio
import logging
import re
import secrets
import time as clock
from dataclasses import dataclass
from typing import Any

import linkwork as lw

from .readings import glance_rows, has_reaction
from .scene.view import ray_through
from .serving import on_question

PATH = "/under-pointer"
NUMBER = re.compile(r"[0-9]{1,3}(\.[0-9]{1,12})?")
LEAST = 0.05  # s between two questions of a page
PATIENCE = 1.0  # s that the physics may take to answer
MOST_NAME = 80  # letters
log = logging.getLogger("linkwork.studio")


@dataclass(eq=False)
class _Page:
    """A page that may ask: its client, when it asked last, and whether it waits for an answer."""

    client: Any
    asked: float = -1.0
    waits: bool = False


class UnderPointer:
    """Answers questions of pages about the point of the picture on which a pointer rests."""

    def __init__(self, studio):
        self.studio, self._pages = studio, {}
        if on_question(studio.server, PATH, self.answer):  # else nobody can ask
            studio.server.on_client_connect(self._came)
            studio.server.on_client_disconnect(self._left)

    # ---- in the page's loop

    async def _came(self, client):
        key = secrets.token_urlsafe(16)
        self._pages[key] = _Page(client)
        client.gui.add_html(f'<span data-linkwork-page="{key}" hidden></span>', order=1e13)

    async def _left(self, client):
        self._pages = {key: page for key, page in self._pages.items() if page.client.client_id != client.client_id}

    async def answer(self, fields):
        """(status of HTTP, text) for the fields of a question: lines of the part's name and kind, then of labels and values; nothing for the background."""
        page = self._pages.get(fields["key"])
        if page is None:
            return 404, "key: no page with this key is open; load the page again"
        found = {name: fields[name] for name in ("x", "y", "aspect")}
        bad = [name for name, text in found.items() if not NUMBER.fullmatch(text)]
        if bad:
            return 400, f"{bad[0]}: found {found[bad[0]][:20]!r}; allowed are numbers such as 0.25; give one"
        x, y, aspect = (float(text) for text in found.values())
        if x > 1.0 or y > 1.0 or not 0.01 <= aspect <= 100.0:
            return 400, "x, y: allowed are 0 to 1, shares of the picture's width and height; aspect: 0.01 to 100, width over height"
        now = clock.monotonic()
        if page.waits or now - page.asked < LEAST:
            return 429, f"one question at a time, at most {1.0 / LEAST:.0f} in a second; ask again later"
        page.asked, page.waits = now, True
        try:
            return await self._asked(ray_through(page.client.camera, x, y, aspect))
        finally:
            page.waits = False

    async def _asked(self, ray):
        try:
            return 200, await asyncio.wait_for(asyncio.wrap_future(self.studio.player.do(self.read, *ray)), PATIENCE)
        except (TimeoutError, lw.StateError):  # it compiles, or it has been closed
            return 503, "the physics is busy; ask again later"

    # ---- in the physics thread

    def read(self, live, origin, direction):
        """What is read of the part that a ray meets first; "" if it meets none, and while places are picked, which it would cover."""
        name = self.studio.scene.under(origin, direction) if self.studio.picker is None else None
        if name is None:
            return ""
        glimpse = self.studio.showing.glimpse
        mechanism = live.mechanism if glimpse is None else glimpse.mechanism
        try:
            mechanism.part(name)
        except lw.UnknownNameError:
            return ""  # it has gone, and the picture has yet to follow
        if glimpse is not None:
            rows = [("", f"at {glimpse.time:.3f} s, in the past: go on from here to read more")]
            return _text(glimpse.mechanism, name, rows)
        return _text(live.mechanism, name, self._rows(live, name))

    def _rows(self, live, name):
        if name == "ground":
            return [("", "does not move")]
        if has_reaction(live.mechanism, name):
            self.studio.reacting.ask(live)
        try:
            return glance_rows(live, name, self.studio.reacting.known(live))
        except (lw.LinkworkError, ArithmeticError):
            log.debug("values of %r cannot be read now", name, exc_info=True)
            return [("", "its values cannot be read now")]


def _text(mechanism, name, rows):
    if name == "ground":
        about = "fixed"
    else:
        part = mechanism.part(name)
        kind = getattr(part, "kind", None)
        about = part.role if kind is None else f"{part.role}, {type(kind).__name__}"
    return "\n".join("\t".join(map(_plain, row)) for row in [(name, about), *rows])


def _plain(word):
    """A word for a line of words: names may have anything in them, and be long."""
    text = re.sub(r"[\x00-\x1f\x7f\u2028\u2029]", " ", word)
    return text if len(text) <= MOST_NAME else text[: MOST_NAME - 1] + "…"
