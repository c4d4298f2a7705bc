"""The selected part: its fields in forms, its state, and what can be done with it."""

from contextlib import contextmanager

import linkwork as lw

from ..confirm import ask
from ..fields import Field
from ..forms import Form
from ..latest_wins import LatestWins
from ..page_text import paragraph
from ..part_fields import Group, change_joint_kind, change_slider, groups_of, range_of, sliders_of
from .panel import Panel

NOTHING = "(nothing)"
DEEDS = ("Remove", "Duplicate", "Switch")
ROLES = ("bodies", "joints", "forces", "constraints", "frames")
EMPTY = "Nothing is here yet. Place a body on the left, or start from a mechanism or a story under Files."


class EditPanel(Panel):
    """A form for any part, generated from the fields of its kind."""

    tab = "Edit"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self._part = None  # (name, role) of the part that the forms are of
        self._forms: list[tuple] = []  # (title, Form)
        self._sliders: dict = {}
        self._names = {NOTHING: None}
        self._latest = LatestWins(studio.act)
        with folder:
            self.choice = on(gui.add_dropdown("Part", (NOTHING,), initial_value=NOTHING), lambda _: self._choose())
            self.about = gui.add_html(paragraph(EMPTY, "quiet"))
            self.deeds = on(gui.add_button_group("", DEEDS[:2], visible=False), self._deed)
            self.slot = gui.add_folder(None)
        with self.slot:
            self.body = gui.add_folder(None)
        on(gui.add_command("Remove the selected part", hotkey="delete"), lambda e: self.remove(e.client))
        on(gui.add_command("Duplicate the selected part", hotkey="D", modifier="shift"), lambda e: self.duplicate(e.client))
        on(gui.add_command("Select nothing"), lambda e: studio.select(None))

    # ------------------------------------------------------------------ what people do

    def _choose(self):
        self.studio.select(self._names.get(self.choice.value))

    def _deed(self, event):
        {"Remove": self.remove, "Duplicate": self.duplicate, "Switch": self.switch}[event.target.value](event.client)

    def remove(self, client=None):
        """Take the selected part away, with all that stands on it."""
        name = self.studio.selected
        if name is not None:
            self.studio.act(lambda live: live.remove(name), client=client)

    def duplicate(self, client=None):
        name = self.studio.selected
        if name is not None:
            self.studio.act(self._duplicated, name, client=client)

    def _duplicated(self, live, name):
        self.studio.select(duplicate(live, name))

    def switch(self, client=None):
        """A force on or off."""
        name = self.studio.selected
        if name is not None:
            self.studio.act(lambda live: live.change(name, on=not live.mechanism.force(name).on), client=client)

    def _send(self, apply, name):
        """What puts a form of the part into effect."""

        def applied(live, values, client):
            new = values.pop("name", name).strip()
            if values:
                with self._offering(name, values, client):
                    apply(live, name, values)
            if new != name:
                live.rename(name, new)
                self.studio.select(new)

        return lambda values, client: self.studio.act(applied, values, client, client=client)

    @contextmanager
    def _offering(self, name, values, client):
        """Where another kind of joint strands what acts on it, nothing is done, and whoever wanted it is asked."""
        try:
            yield
        except lw.DependentError as error:
            self._offer(name, values, error, client)
            raise lw.StudioError(f"joint {name!r} stays as it is: {', '.join(map(repr, error.dependents))} could not go on") from error

    def _offer(self, name, values, error, client):
        """Ask the one who wanted another kind of joint whether what stands in its way shall go."""
        if client is None:
            return
        lines = [f"{part}: {why}." for part, why in error.faults]
        ask(
            client,
            f"Not all can stay with {name}",
            lines,
            {
                "Remove it too" if len(lines) == 1 else "Remove these too": lambda: self.take_kind(name, values, error.dependents, client),
                "Leave all as it was": None,
            },
        )

    def take_kind(self, name, values, agreed, client=None):
        """Another kind of joint, without what could not go on; one edit. agreed: names of what may go; if there is more by now, it is asked again."""
        return self.studio.act(self._taken_kind, name, values, frozenset(agreed), client, client=client)

    def _taken_kind(self, live, name, values, agreed, client):
        with self._offering(name, values, client):
            change_joint_kind(live, name, values, agreed)

    # ------------------------------------------------------------------ what is shown

    def changed(self, live):
        parts = {name: role for name, role in _listed(live.mechanism)}
        self._names = {NOTHING: None} | {f"{name}  ({role})": name for name, role in parts.items()}
        if self.choice.options != tuple(self._names):
            self.choice.options = tuple(self._names)
        self.chosen(live)

    def chosen(self, live):
        name = self.studio.selected
        part = None if name is None else live.mechanism.part(name)
        shown = next((text for text, other in self._names.items() if other == name), NOTHING)
        if self.choice.value != shown:
            self.choice.value = shown
        self._show(live, part)

    def _show(self, live, part):
        groups = [] if part is None else with_name(part, groups_of(live.mechanism, part))
        key = None if part is None else (part.name, part.role, type(getattr(part, "kind", None)))
        titles = [group.title for group in groups]
        sliders = sliders_of(part, live.mechanism)
        same = (
            key == self._part and titles == [title for title, _ in self._forms] and {field.name for field in sliders} == set(self._sliders)
        )
        if same and all(form.same_as(group.fields) for group, (_, form) in zip(groups, self._forms, strict=True)):
            for group, (_, form) in zip(groups, self._forms, strict=True):
                form.update(group.fields)
            self._move_sliders(part, sliders)
        else:
            self._rebuild(part, groups, sliders)
        self._part = key
        self.deeds.visible = part is not None
        if part is not None:
            self.deeds.options = DEEDS if part.role == "force" else DEEDS[:2]
        self.about.content = _about(part) if live.mechanism.bodies else paragraph(EMPTY, "quiet")

    def _rebuild(self, part, groups, sliders):
        gui = self.studio.gui
        self.body.remove()
        self._forms, self._sliders = [], {}
        with self.slot:
            self.body = gui.add_folder(None)
        if part is None:
            return
        name = part.name
        for group in groups:
            container = self.body
            if group.title is not None:
                with self.body:
                    container = gui.add_folder(group.title, expand_by_default=group.open)
            send = self._send(group.apply, name)
            self._forms.append((group.title, Form(self.studio, container, group.fields, send, f"{part.role} {name!r}")))
        self._add_sliders(part, sliders)

    # ---- sliders

    def _add_sliders(self, part, fields):
        gui = self.studio.gui
        if not fields:
            return
        with self.body, gui.add_folder("Where it touches" if part.role == "body" else "While it acts"):
            for field in fields:
                low, high = range_of(part, field)
                made = gui.add_slider(field.name, low, high, (high - low) / 200.0, min(max(float(field.value), low), high))
                self.studio.on(made, self._slide(part.name, field.name))
                self._sliders[field.name] = made

    def _slide(self, name, field):
        return lambda event: self._latest(change_slider, name, field, float(event.target.value), client=event.client)

    def _move_sliders(self, part, fields):
        for field in fields:
            made = self._sliders.get(field.name)
            if made is not None and abs(made.value - field.value) > made.step:
                low, high = range_of(part, field)
                if not made.min <= field.value <= made.max:
                    made.min, made.max, made.step = low, high, (high - low) / 200.0
                made.value = float(field.value)


def with_name(part, groups):
    """The groups of a part, its name before all that matters most."""
    name = Field("name", part.name, "text")
    if groups and groups[0].title is None:
        return [groups[0]._replace(fields=[name, *groups[0].fields]), *groups[1:]]
    return [Group(None, [name], None), *groups]


def _listed(mechanism):
    for role in ROLES:
        for part in getattr(mechanism, role):
            yield part.name, part.role


def _about(part):
    if part is None:
        return paragraph("Click a part, or choose it above.", "quiet")
    kind = getattr(part, "kind", None)
    words = f"{part.role} {part.name!r}" + (f", {type(kind).__name__}" if kind is not None else "")
    ends = [getattr(part, side) for side in ("parent", "child", "a", "b", "place") if getattr(part, side, None) is not None]
    joints = [name for name, _ in getattr(part, "joints", ())]
    on = [place.name for place in ends] + joints
    return paragraph(words, "strong") + (paragraph("on " + " and ".join(map(repr, on)), "quiet") if on else "")


def duplicate(live, name):
    """Copy a part; the name of the copy. Bodies stand beside the original, forces and constraints act beside it."""
    part = live.mechanism.part(name)
    taken = {other for other, _ in _listed(live.mechanism)}
    prefix = next(p for p in ("copy of ", *(f"copy {k} of " for k in range(2, 10**6))) if p + name not in taken)
    if part.role == "body":
        size = getattr(part.shape, "x", None) or 2.0 * getattr(part.shape, "radius", 0.05)
        live.copy([name], prefix, offset=(0.0, 0.0, max(0.1, 0.5 * float(size))))
        return prefix + name
    with live.edit(f"duplicate {name!r}") as m:
        ends = [place for place in (getattr(part, "a", None), getattr(part, "b", None)) if place is not None] or list(
            getattr(part, "joints", ())
        )
        if part.role == "joint":
            m.add_joint(prefix + name, part.kind, part.parent, part.child)
        elif part.role == "frame":
            m.add_frame(prefix + name, part.place)
        elif part.role == "force":
            m.add_force(prefix + name, part.kind, *ends, on=part.on)
        else:
            m.add_constraint(prefix + name, part.kind, *ends)
    return prefix + name
