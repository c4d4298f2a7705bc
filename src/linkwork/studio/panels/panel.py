"""What every panel is: a piece of the page's controls, told when the mechanism changes."""


class Panel:
    """A panel of the page. `tab`: the tab that it is in (studio/panel_layout.py says on which side), "" for above all tabs of the right side, always in sight;
    `title`: the folder that it is in there, None for none.

    A panel fills its container in __init__: `with folder: gui.add_button(...)`. It reacts to people with `studio.on(handle, function)`, changes
    the mechanism with `studio.act(function)`, and shows text with `gui.add_html(words.paragraph(text))`: text of a person or a file is never
    markup, so it does not belong into add_markdown. Icons are left out: viser opens an archive of 4500 for each, which takes 40 ms.
    All hooks are called in the physics thread, one after the other.
    """

    tab = ""
    title: str | None = None
    open = True  # is the folder open at first?

    def __init__(self, studio, folder):
        self.studio, self.folder = studio, folder

    def changed(self, live):
        """After every edit, undo, redo, rewind, reset, or another mechanism."""

    def chosen(self, live):
        """After another part was selected: studio.selected is its name, or None."""

    def refresh(self, live):
        """At most ten times a second, when time has passed or something was done."""

    def close(self):
        """When the page is closed."""
