"""What is drawn: names, centres of mass, signs of joints, forces, contacts, paths."""

from .panel import Panel

SWITCHES = (  # label, method of the scene, at first
    ("Bodies", "bodies", True),
    ("Signs of joints", "glyphs", True),
    ("Springs and forces", "forces", True),
    ("Constraints", "constraints", True),
    ("Frames", "frames", False),
    ("Centres of mass", "mark_com", False),
    ("Names", "labels", False),
    ("Grid", "grid", True),
)


class ViewPanel(Panel):
    """Switches of the scene, and trails."""

    tab = "View"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self._trails: dict = {}
        with folder:
            for label, method, first in SWITCHES:
                on(gui.add_checkbox(label, first), self._switch(method))
            self.contacts = on(gui.add_checkbox("Contacts", True, hint="where bodies touch, and what they exert there"), self._mark)
            self.trail = on(gui.add_button_group("Trail", ("Of the selected", "None")), self._trail)

    def _switch(self, method):
        return lambda event: getattr(self.studio.scene, method)(event.target.value)

    def _mark(self, event):
        self.studio.contact_marks.shown = event.target.value

    def _trail(self, event):
        if event.target.value == "None":
            self._trails = {}
            self.studio.scene.trails({})
        else:
            self.studio.act(self._traced, client=event.client)

    def _traced(self, live):
        """The path of a body's centre of mass, or of a frame."""
        name = self.studio.selected
        part = None if name is None else live.mechanism.part(name)
        if part is None or part.role not in ("body", "frame"):
            self.studio.tell("trail: select a body or a frame first")
            return
        frame = part.role == "frame"
        body, point = (part.body, part.pose.translation) if frame else (name, live.model.body(name).inertia.com)
        if body != "ground":
            self._trails[name] = body, tuple(point)
            self.studio.scene.trails(self._trails)

    def changed(self, live):
        there = {body.name for body in live.mechanism.bodies}
        self._trails = {name: given for name, given in self._trails.items() if given[0] in there}
