"""Open and save, uploads and exports, recovery, and mechanisms to start from."""

from contextlib import suppress

import linkwork as lw

from ..confirm import ask
from ..exports import BEFORE
from ..open_file import EXPORTS, RECORDED
from ..page_text import paragraph
from .panel import Panel

NONE = "–"
LOOK = 2.0  # s between two looks into the folder


class RecoveryPanel(Panel):
    """What a studio left that did not end cleanly. Out of sight unless there is something."""

    tab, title = "Files", "Recovery"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        with folder:
            self.text = gui.add_html("")
            self.recover = on(gui.add_button("Recover it", color="green"), self._recover)
            self.discard = on(gui.add_button("Throw it away"), self._discard)
        self._show()

    def _show(self):
        left = self.studio.keeper.leftovers
        self.folder.visible = bool(left)
        if left:
            more = f" ({len(left) - 1} more after this)" if len(left) > 1 else ""
            self.text.content = paragraph(f"A studio ended here without saving {left[0]}{more}.")

    def _recover(self, event):
        left = self.studio.keeper.leftovers
        if left:
            unless_lost(self.studio, event.client, lambda: self.studio.bring(self.studio.keeper.recover, left[0], client=event.client))

    def _discard(self, event):
        left = self.studio.keeper.leftovers
        if left:
            self.studio.keeper.discard(left[0])
            self._show()

    def changed(self, live):
        self._show()


class FilesPanel(Panel):
    """The file that is open, others of the folder, uploads."""

    tab = "Files"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self._state = None
        with folder:
            self.state = gui.add_html("")
            self.name = gui.add_text("Name", "mechanism.toml", hint="a file of the folder the studio was started in")
            self.replace = gui.add_checkbox("Replace", False, hint="write over a file of this name; what was there is kept as NAME~")
            on(gui.add_button("Save"), lambda e: self.save(e.client))
            self.file = gui.add_dropdown("File", self._names())
            on(gui.add_button("Open"), self._open)
            self.upload = gui.add_upload_button("Upload .toml or .urdf", mime_type=".toml,.urdf")
            on(self.upload, self._uploaded)
            self.floating = gui.add_checkbox(
                "Robots float", False, hint="a URDF is held by nothing, and falls on a floor; else its root is fixed"
            )
            on(gui.add_button("New"), self._new)
        on(gui.add_command("Save", hotkey="S", modifier="cmd/ctrl"), lambda e: self.save(e.client))

    # ------------------------------------------------------------------ what people do

    def save(self, client=None):
        """Save under the name that is given."""
        return self.studio.keeper.job(self._save, self.name.value, self.replace.value, client)

    def _save(self, name, replace, client):
        def saved():
            done = self.studio.keeper.save(name, replace)
            self.replace.value = False
            self._list()
            self.studio.player.do(self._show)
            self.studio.tell(f"saved as {done}")

        told(self.studio, client, saved)

    def _open(self, event):
        name, client, floating = self.file.value, event.client, self.floating.value
        if name == NONE:
            self.studio.tell("open: there is no file to open in the folder; save one, or upload one", error=True, client=client)
        else:
            unless_lost(self.studio, client, lambda: self.studio.bring(self.studio.keeper.open, name, floating, client=client))

    def _uploaded(self, event):
        value, client, floating = self.upload.value, event.client, self.floating.value
        bring, upload = self.studio.bring, self.studio.keeper.upload
        unless_lost(self.studio, client, lambda: bring(upload, value.name, value.content, floating, client=client))

    def _new(self, event):
        unless_lost(self.studio, event.client, lambda: self.studio.bring(self.studio.keeper.empty, client=event.client))

    # ------------------------------------------------------------------ what is shown

    def changed(self, live):
        keeper = self.studio.keeper
        keeper.changed(live)
        if self._state is None or self._state[0] is not live:  # another mechanism: its own name
            self.name.value = keeper.file_of(live) or f"{keeper.stem}.toml"
            keeper.job(self._list)
        self._show(live)

    def _show(self, live):
        keeper = self.studio.keeper
        state = live, keeper.file_of(live), keeper.at_risk(live)
        if self._state is None or self._state[0] is not live or self._state[1:] != state[1:]:
            self._state = state
            changed = ", changed since it was saved" if state[1] and state[2] else ""
            words = paragraph(f"{state[1] or 'not in a file yet'}{changed}", "strong")
            self.state.content = words + paragraph(f"in {keeper.folder.path}", "quiet")

    def _list(self):
        names = self._names()
        if self.file.options != names:
            self.file.options = names

    def _names(self):
        return tuple(self.studio.keeper.folder.names()) or (NONE,)


class ExportPanel(Panel):
    """Recordings, pictures, replays, scripts: to take along, or into the folder."""

    tab, title = "Files", "Take along"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        self._shown = None
        with folder:
            self.what = studio.on(studio.gui.add_dropdown("What", tuple(EXPORTS)), lambda _: studio.player.do(self._show))
            self.covers = studio.gui.add_html("")
            self.where = studio.on(studio.gui.add_button_group("", ("Download", "Into the folder")), self._export)

    def changed(self, live):
        self._show(live)

    def _show(self, live):
        """What the chosen export covers."""
        words, first, since = "", live.span[0], live.recorded_since
        if self.what.value in RECORDED:
            words = f"from {first:.2f} s on" if "replay" in self.what.value or since <= first else f"from {since:.2f} s on; {BEFORE}"
        if words != self._shown:
            self._shown = words
            self.covers.content = paragraph(words, "quiet") if words else ""

    def _export(self, event):
        self.studio.keeper.job(self._exported, self.what.value, event.target.value == "Download", event.client)

    def _exported(self, what, download, client):
        def exported():
            export = self.studio.keeper.export(what, client)
            if download:
                client.send_file_download(export.filename, export.data, save_immediately=True)
            done = f"sent as {export.filename}" if download else f"written to {self.studio.keeper.put(export)}"
            if export.words or not download:
                self.studio.tell(f"{done}: {export.words}" if export.words else done, client=client if download else None)

        told(self.studio, client, exported)


class GalleryPanel(Panel):
    """Mechanisms that come with Linkwork, to start from."""

    tab, title, open = "Files", "Start from", False

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        self._buttons = {}
        with folder:
            for name in lw.shipped():
                self._buttons[name] = studio.gui.add_button(name.replace("-", " ").capitalize())
                studio.on(self._buttons[name], lambda e, name=name: self._start(name, e.client))
        studio.keeper.job(self._say_what_they_are)

    def _say_what_they_are(self):
        """To say it takes reading them all: nobody waits for that."""
        for name, button in self._buttons.items():
            button.hint = lw.shipped(name).summary

    def _start(self, name, client):
        unless_lost(self.studio, client, lambda: self.studio.bring(self.studio.keeper.start_from, name, client=client))


def told(studio, client, function):
    """Call a function; what is wrong is told in words to whoever asked."""
    with suppress(lw.LinkworkError), studio.telling("writing a file", client):
        return function()


def unless_lost(studio, client, function):
    """Call a function that puts another mechanism in place of this one; if that would lose something, ask this client first."""
    if not studio.keeper.at_risk(studio.player.live):
        function()
        return
    words = ["Another mechanism takes the place of this one. Save it first, or let it go?"]
    ask(client, "What was edited is not saved", words, {"Let it go": function, "Stay here": None})
