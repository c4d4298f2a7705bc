"""`Studio`: the page. It holds the server, the player, the scene and the panels together, and orders all that is asked of them."""

import logging
import time as clock
from contextlib import contextmanager, suppress
from pathlib import Path

import linkwork as lw

from .contact_marks import ContactMarks
from .open_file import Keeper
from .page_text import fault, paragraph
from .panels import PANELS
from .panels.panel import Layout
from .pointer_pull import Pulling
from .progress_notice import Patience
from .reacting import Reacting
from .scene import Scene
from .serving import Sweeper, close_server, open_server
from .showing import Showing
from .under_pointer import UnderPointer

log = logging.getLogger("linkwork.studio")
REFRESH = 0.1  # s between two looks of the panels at the mechanism
REPEAT = 10.0  # s after which the same fault is told again


class Studio:
    """A page on which a mechanism is built, run, pulled at and looked into.

    live: a lw.Live, or nothing for an empty one; or a function that makes one, which is called in the physics thread while the page is served
    already. folder: what may be read and written. server: a viser server; one on loopback is made if none is given. panels: classes, see
    panels/panel.py.

    server, player, scene, showing: viser's server, the physics thread, what is seen, and how it gets there.
    """

    def __init__(self, live=None, *, folder=".", server=None, port=8080, panels=PANELS):
        self.folder = Path(folder).resolve()
        self.server = open_server(port=port) if server is None else server
        self.gui = self.server.gui
        self._sweep = Sweeper(self.server)
        self.selected: str | None = None
        self.message, self._refreshed, self._stale = ("", False), 0.0, False
        self._about = None  # the edit that the message tells of
        self._fault, self._faults = ("", 0.0), 0  # the last one, and when; those of the player that were told
        self.picker = None  # while places are picked: picker(click) is True if it took the click, which then selects nothing
        later = live if callable(live) else None
        self.player = lw.Player(lw.Live if live is None or later else live)
        self.keeper = Keeper(self.folder, self.player, lambda words: self.tell(words, error=True))
        self.scene = Scene(self.server, may_read=self.keeper.folder.holds)
        self.showing = Showing(self.scene, self.player)
        self.pulling = Pulling(self)
        self.contact_marks = ContactMarks(self)
        self.reacting = Reacting(self.player)
        self.panels: list = []
        self._lay_out(panels)
        self.scene.on_click(self._clicked)
        self.player.do(self._begin)
        self.player.on_frame(self._frame)
        self.under_pointer = UnderPointer(self)
        self._patience = Patience(self)
        if later:
            self.open(later)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def close(self):
        """End the page and the physics."""
        self._patience.close()
        for panel in self.panels:
            self._guarded(panel.close)
        self.reacting.close()
        self._guarded(self.keeper.close)
        self.player.close()
        self.scene.close()
        close_server(self.server)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ------------------------------------------------------------------ what is asked

    def act(self, function, *args, client=None):
        """Call function(live, *args) in the physics thread, in the order of asking; returns a Future. A LinkworkError is told in words to the
        client, or to all, and the mechanism is as it was; the Future has it too.
        """
        return self.player.do(self._acted, function, args, client)

    def open(self, make, client=None):
        """Go on with another Live: make() is called in the physics thread."""
        return self.act(self._adopt, make, client=client)

    def bring(self, function, *args, client=None):
        """Go on with what a function of the keeper opens, `studio.bring(studio.keeper.open, "fourbar.toml")`. It is read in the thread for files:
        time runs on until it is there. Returns a Future. What cannot be opened is told in words, and nothing changes.
        """
        return self.keeper.job(self._brought, function, args, client)

    def _brought(self, function, args, client):
        with self.telling("opening", client):
            opened = function(*args)
        live = self.open(lambda: self.keeper.adopt(opened), client).result()
        parts = f"{len(live.mechanism.bodies)} bodies, {len(live.mechanism.joints)} joints"
        notes = f"; {len(opened.notes)} notes of its reader" if opened.notes else ""
        self.tell(f"{opened.name or opened.stem}: {parts}{notes}", about="opening")  # true until the next edit
        return opened

    def on(self, handle, function):
        """Call function(event) whenever a person uses a button, an input or a command: in the page's loop, so that things happen in the order
        in which they were done. Values that the program sets call nothing. What takes time belongs into act.
        """

        async def called(event):
            if event.client is not None:
                self._guarded(function, event)

        register = next(
            getattr(handle, name) for name in ("on_update", "on_click", "on_trigger", "on_submit", "on_upload") if hasattr(handle, name)
        )
        register(called)
        return handle

    def tell(self, text, error=False, client=None, about=None):
        """Say something to one client, or to all; the last thing that was said stays to be read. about: the edit, or
        what was opened, that it tells of: with the next edit it goes."""
        self._say(text, error, about)
        clients = [client] if client is not None else list(self.server.get_clients().values())
        for each in clients if error else ():
            try:
                each.add_notification("That cannot be", str(text), color="red", auto_close_seconds=12.0)
            except Exception:  # the client has left
                log.debug("a client left before it was told", exc_info=True)

    def _say(self, text, error, about=None):
        self.message, self._about = (str(text), error), about
        self._line.content, self._line.visible = paragraph(text, "bad" if error else "quiet"), bool(text)

    @contextmanager
    def telling(self, doing, client=None, often=False):
        """with studio.telling("saving", client): what goes wrong meanwhile is told in words, to this client or to all, and raised again.

        often: it is done with every frame, so that the same fault is logged, and pages notified of it, once in a while only.
        """
        try:
            yield
        except lw.LinkworkError as error:
            self.tell(error, error=True, client=client)
            raise
        except Exception as error:
            words, now = fault(error), clock.monotonic()
            if not often or words != self._fault[0] or now - self._fault[1] > REPEAT:
                self._fault = words, now
                log.exception("a fault while %s", doing)
                self.tell(words, error=True, client=client)
            else:
                self._say(words, error=True)
            raise

    def select(self, name):
        """Select a part by its name; None for nothing. Names that are no parts select nothing."""
        self.selected = name
        return self.player.do(self._choose, name)

    def changed(self):
        """Let the page look anew at everything, as after an edit."""
        return self.player.do(self._renew)

    # ------------------------------------------------------------------ in the physics thread

    def apply(self, live, function, *args):
        """Call function(live, *args), already in the physics thread, and show what came of it. Errors are the caller's to tell."""
        before, edit, mechanism = self.showing.poses(), live.last_edit, live.mechanism
        try:
            return function(live, *args)
        finally:
            live = self.player.live
            if live.last_edit is not edit and (self.message[1] or (self._about is not None and self._about is not live.last_edit)):
                self.tell("")  # what was wrong, or told of another edit, is over
            if live.last_edit is not edit and live.last_edit is not None and live.last_edit.apart:
                self.tell(f"{live.last_edit.words}: {live.last_edit.apart}", about=live.last_edit)
            if live.mechanism is not mechanism:
                self._renew(live, before)
            elif live.last_edit is not edit:  # things were moved, as by a drag: the panels may look a little later
                self.showing.moved(live, before)
                self._stale = True

    def _acted(self, live, function, args, client):
        with self.telling("acting", client):
            return self.apply(live, function, *args)

    def _adopt(self, live, make):
        new = make()
        self.player.playing = False
        self.player.live = new
        self.selected = None
        self.player.do(self._choose, None)  # panels let go of the part that was selected, though another may have its name
        self.player.do(lambda live: self.scene.fit_camera())
        return new

    def _begin(self, live):
        self._renew(live)
        self.scene.fit_camera()

    def _renew(self, live, before=None):
        """After an edit."""
        gone = self.selected is not None and self.selected not in _names(live.mechanism)
        self.showing.show(live, before)
        if gone:
            self._choose(live, None)
        for panel in self.panels:
            self._guarded(panel.changed, live)
        self._refreshed, self._stale = 0.0, False

    def _choose(self, live, name):
        self.selected = name if name in _names(live.mechanism) else None
        self.scene.select(self.selected)
        for panel in self.panels:
            self._guarded(panel.chosen, live)

    def _frame(self, live):
        self._guarded(self.pulling.frame, live)
        self._guarded(self.contact_marks.frame, live)
        self._guarded(self.showing.frame, live)
        now = clock.perf_counter()
        if now - self._refreshed >= REFRESH:
            self._refreshed, stale, self._stale = now, self._stale, False
            self._sweep()
            if len(self.player.faults) > self._faults:  # time stopped for a reason that no step knows of
                self._faults = len(self.player.faults)
                self.tell(f"a fault of Linkwork itself: {self.player.faults[-1]}", error=True)
            for panel in self.panels:
                if stale:
                    self._guarded(panel.changed, live)
                self._guarded(panel.refresh, live)

    # ------------------------------------------------------------------ inside

    def _lay_out(self, panels):
        layout = Layout(self.gui)
        self._line = self.gui.add_html("", order=1e11, visible=False)  # below what is always in sight, so that it pushes no button away
        for kind in panels:
            self.panels.append(kind(self, layout.container(kind)))

    def _clicked(self, click):
        picker = self.picker
        if picker is None or not self._guarded(picker, click):
            self.select(click.part)

    def _guarded(self, function, *args):
        """Call a function of a panel; what it does wrong must not end the others, nor stay unseen."""
        with suppress(Exception), self.telling("a panel was called", often=True):
            return function(*args)
        return None


def _names(mechanism):
    """The names of all parts that can be selected."""
    parts = mechanism.bodies, mechanism.joints, mechanism.frames, mechanism.constraints, mechanism.forces
    return {part.name for some in parts for part in some}
