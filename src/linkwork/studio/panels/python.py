"""Everything that was done, as Python: the last line, and the whole script to take along."""

from ..page_text import block, paragraph
from .panel import Panel

SHOWN = 40  # lines


class PythonPanel(Panel):
    """Copy as Python: click the text to select it, or take the whole script as a file."""

    tab = "Python"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self._edit = None
        with folder:
            gui.add_html(paragraph("The last edit; click it to select all of it.", "quiet"))
            self.last = gui.add_html(block(""))
            gui.add_html(paragraph(f"What was done, the last {SHOWN} lines.", "quiet"))
            self.script = gui.add_html(block(""))
            on(gui.add_button("Take the whole script"), lambda e: self._take(e.client))

    def _take(self, client):
        self.studio.act(lambda live: client.send_file_download("session.py", live.python.encode()), client=client)

    def changed(self, live):
        self._show(live)

    def refresh(self, live):
        if not self.studio.player.playing and self._edit != (live.time, live.last_edit):
            self._show(live)

    def _show(self, live):
        self._edit = live.time, live.last_edit
        self.last.content = block(live.last_edit.python if live.last_edit is not None else "")
        self.script.content = block("\n".join(live.last_lines(SHOWN)))
