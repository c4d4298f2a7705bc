"""The command language of the erector set, on the mechanism of the page."""

from collections import deque

from ..console import Console
from ..page_text import block, paragraph
from .panel import Panel

SHOWN = 60  # lines
PATIENCE = 5.0  # s of real time that one command may take: the page waits for it


class ConsolePanel(Panel):
    """A line to type commands into, and what came of them."""

    tab = "Console"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self.console: Console | None = None
        self._lines: deque[str] = deque(maxlen=SHOWN)
        with folder:
            gui.add_html(paragraph("Commands of the erector set; help lists them.", "quiet"))
            self.output = gui.add_html("")
            self.form = on(gui.add_form(None), lambda e: self._send(e.client))
            with self.form:
                self.line = gui.add_text("Command", "")
                on(gui.add_button_group("", ("Do it", "Stop")), self._press)

    def _press(self, event):
        if event.target.value == "Do it":
            self._send(event.client)
        elif self.console is not None:
            self.console.stop()

    def _send(self, client):
        line = self.line.value.strip()
        if line:
            self.line.value = ""
            self.studio.act(self._execute, line, client=client)

    def _execute(self, live, line):
        """In the physics thread: one line and its answer."""
        console = self._console(live)
        answers = console.execute(line)
        self._lines.extend([f"> {line}", *answers])
        self.output.content = block("\n".join(self._lines))
        console.leaving = False  # the page stays when the language would go

    def _console(self, live):
        if self.console is None:
            self.console = Console(live, self.studio.folder, self.studio.showing, on_open=self._opened, on_freeze=self._frozen)
            self.console.patience = PATIENCE
        self.console.live = live
        return self.console

    def _opened(self, live):
        self.studio.player.live = live
        self.studio.player.playing = False

    def _frozen(self, frozen):
        (self.studio.player.pause if frozen else self.studio.player.play)()

    def close(self):
        if self.console is not None:
            self.console.close()
