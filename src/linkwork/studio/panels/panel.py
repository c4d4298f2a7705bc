"""What every panel is: a piece of the page's controls, told when the mechanism changes."""


class Panel:
    """A panel of the page. `tab`: the tab that it is in (`LEFT` says on which side), "" for above all tabs of the right side, always in sight;
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


# ---- where panels stand

LEFT = ("Build", "World", "Files", "Console")  # tabs of the left side: what things are made of; on the right is what is seen of them
WIDTHS = {"left": 290.0, "right": 350.0}  # px


class Layout:
    """Containers for panels, made as they are asked for."""

    def __init__(self, gui):
        self.gui = gui
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(44, 92, 148))
        gui.set_panel_label("Linkwork")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(WIDTHS["right"])
        self._left = None
        self._right = None
        self._tabs: dict[tuple[str, str], object] = {}

    def container(self, kind):
        """The container of a panel class: its tab, or a folder in it."""
        if not kind.tab:
            return self.gui.add_folder(kind.title, expand_by_default=kind.open)
        tab = self._tab("left" if kind.tab in LEFT else "right", kind.tab)
        if kind.title is None:
            return tab
        with tab:
            return self.gui.add_folder(kind.title, expand_by_default=kind.open)

    def _tab(self, side, name):
        if (side, name) not in self._tabs:
            self._tabs[side, name] = self._group(side).add_tab(name)
        return self._tabs[side, name]

    def _group(self, side):
        if side == "left":
            if self._left is None:
                self._left = self.gui.add_panel()
                self._left.dock_left()
                self._left.set_width(WIDTHS["left"])
            return self._left
        if self._right is None:
            self._right = self.gui.add_tab_group(order=1e12)  # below all that is always in sight
        return self._right
