"""The state of the selected part: seen always, set while time stands still."""

import math

import linkwork as lw

from ..forms import Form
from ..latest_wins import LatestWins
from ..page_text import table
from ..state_fields import HINTS, is_floating, rows_of, set_state, state_fields
from .panel import Panel


class StatePanel(Panel):
    """Pose and velocity of a body, coordinates of a joint; a slider for joints with one."""

    tab, title = "Edit", "State"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        self._latest = LatestWins(studio.act)
        self._key, self.form, self.slider = None, None, None
        self._floats = (None, "", False)
        with folder:
            self.values = studio.gui.add_html("")
            self.slot = studio.gui.add_folder(None)
        folder.visible = False

    def _set(self, values, client):
        return self.studio.act(self._setting, self._key[0], values, client=client)

    def _setting(self, live, name, values):
        if self.studio.player.playing:
            raise lw.StudioError(f"{name!r}: time runs; allowed is to set it while time stands still; pause first")
        set_state(live, name, values)

    def _slid(self, event):
        self._latest(self._setting, self._key[0], {"q": (float(event.target.value),)}, client=event.client)

    # ------------------------------------------------------------------ what is shown

    def changed(self, live):
        self.chosen(live)

    def chosen(self, live):
        part = self._part(live)
        if part is not None and (self._floats[0] is not live.mechanism or self._floats[1] != part.name):
            self._floats = live.mechanism, part.name, part.role == "body" and is_floating(live.mechanism, part.name)
        fields = [] if part is None else state_fields(live, part, self._floats[2])
        key = None if part is None else (part.name, tuple((field.name, field.count) for field in fields))
        if key != self._key:
            self._key = key
            self._rebuild(live, part, fields)
        elif self.form is not None:
            self.form.update(fields)
        self._show(live, part)

    def refresh(self, live):
        part = self._part(live)
        if part is None or self._key is None or self._key[0] != part.name:
            return
        self._show(live, part)
        if self.form is not None and not self.studio.player.playing:
            self.form.update(state_fields(live, part, floats=True))  # there is no form for bodies that do not

    def _part(self, live):
        name = self.studio.selected
        part = None if name is None else live.mechanism.part(name)
        return part if part is not None and part.role in ("body", "joint") else None

    def _show(self, live, part):
        text = "" if part is None else table(rows_of(live, part))
        if self.values.content != text:
            self.values.content = text
        if self.folder.visible != bool(text):
            self.folder.visible = bool(text)
        if self.slider is not None:
            q = float(live.q[live.model.joint(part.name).q_index][0])
            if abs(q - self.slider.value) > self.slider.step and self.slider.min <= q <= self.slider.max:
                self.slider.value = q

    def _rebuild(self, live, part, fields):
        for made in (self.form, self.slider):
            if made is not None:
                made.remove()
        self.form = self.slider = None
        if not fields:
            return
        if part.role == "joint" and fields[0].count == 1 and fields[1].count == 1:
            self._add_slider(live.model.joint(part.name), fields[0].value[0])
        self.form = Form(self.studio, self.slot, fields, self._set, f"{part.role} {part.name!r}", "Set", HINTS)

    def _add_slider(self, joint, q):
        reach = math.pi if joint.kind.elements and joint.kind.elements[0].turn else 1.0
        low, high = max(float(joint.lower[0]), min(-reach, q)), min(float(joint.upper[0]), max(reach, q))
        if not low < high:
            return
        with self.slot:
            made = self.studio.gui.add_slider("q", low, high, (high - low) / 500.0, min(max(q, low), high))
        self.slider = self.studio.on(made, self._slid)
