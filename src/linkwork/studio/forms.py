"""A form: fields as inputs of the page, sent together; what is refused shows its old value again."""

import linkwork as lw

from .fields import Field, read, text_of
from .page_text import paragraph

UNITS = {
    "stiffness": "N/m", "damping": "N s/m", "length": "m", "radius": "m", "height": "m", "mass": "kg", "density": "kg/m³", "pitch": "m/rad",
    "com": "m", "at": "m", "x": "m", "y": "m", "z": "m", "step": "s",
}  # fmt: skip


class Form:
    """Inputs for fields in a container. on_submit(values, client) is called with the fields that were changed, {name: value}, and gives the
    Future of what comes of it.
    """

    def __init__(self, studio, container, fields: list[Field], on_submit, owner="", button="Apply", hints=None):
        self.studio, self.owner, self._on_submit = studio, owner, on_submit
        self.fields: dict[str, Field] = {}
        self._inputs: dict = {}
        self._given: dict = {}
        gui = studio.gui
        with container:
            self.form = gui.add_form(None)
            with self.form:
                for field in fields:
                    self._add(gui, field, (hints or {}).get(field.name))
                editable = any(field.form != "fixed" for field in fields)
                self.button = gui.add_button_group("", (button,), visible=editable, hint="or press Enter")
        studio.on(self.button, lambda event: self.submit(event.client))
        studio.on(self.form, lambda event: self.submit(event.client))

    def _add(self, gui, field, hint):
        label = field.name.replace("_", " ")
        self.fields[field.name] = field
        if field.form == "switch":
            made = gui.add_checkbox(label, field.value, hint=hint)
        elif field.form == "choice":
            made = gui.add_dropdown(label, field.choices, initial_value=field.value, hint=hint)
        elif field.form == "fixed":
            gui.add_html(paragraph(f"{label}: {text_of(field.value)}", "quiet"))
            return
        else:
            made = gui.add_text(label, text_of(field.value), hint=hint or UNITS.get(field.name))
        self._inputs[field.name] = made
        self._given[field.name] = made.value

    def submit(self, client):
        """Read what was changed, and hand it on; a text that says no value is refused in words."""
        values = {}
        try:
            for name, made in self._inputs.items():
                if made.value != self._given[name]:
                    value = read(self.fields[name], made.value, self.owner)
                    if value != self.fields[name].value:
                        values[name] = value
        except lw.StudioError as error:
            self.restore()
            self.studio.tell(error, error=True, client=client)
            return
        if values:
            self._on_submit(values, client).add_done_callback(self._answered)
        else:
            self.restore()

    def _answered(self, future):
        if future.cancelled() or future.exception() is not None:
            self.restore()

    def restore(self):
        """Show the old values again."""
        for name, made in self._inputs.items():
            if made.value != self._given[name]:
                made.value = self._given[name]

    def same_as(self, fields):
        """Are these the same fields, whatever their values?"""
        mine = [(field.name, field.form, field.count) for field in self.fields.values()]
        return mine == [(field.name, field.form, field.count) for field in fields]

    def update(self, fields):
        """Other values for the same fields; what a person is typing meanwhile stays, unless just this value changed."""
        for field in fields:
            self.fields[field.name] = field
            made = self._inputs.get(field.name)
            if made is None:
                continue
            value = field.value if field.form in ("switch", "choice", "text") else text_of(field.value)
            if value != self._given[field.name]:
                self._given[field.name] = value
                if made.value != value:
                    made.value = value

    def remove(self):
        self.form.remove()
