"""What holds for the whole mechanism: gravity, air, the method and its step."""

import dataclasses

import linkwork as lw

from ..fields import field_of, fields_of
from ..forms import Form
from ..gravity_and_drag import DOWN, is_weightless, let_air, let_gravity, still_air
from ..latest_wins import LatestWins
from .panel import Panel


class WorldPanel(Panel):
    """Switches of gravity and air, and how time is stepped through."""

    tab = "World"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self._gravity = DOWN
        self._latest = LatestWins(studio.act)
        self._methods = lw.named_integrators()
        with folder:
            self.gravity = on(gui.add_checkbox("Gravity", True), lambda e: self._weigh(e.client))
            self.air = on(gui.add_checkbox("Air", False, hint="slows every body down"), lambda e: self._calm(e.client))
            self.settle = on(gui.add_slider("Calms in", 0.1, 10.0, 0.1, 1.0, hint="s"), lambda e: self._settle(e.client))
        self.vector = Form(studio, folder, [field_of("gravity", DOWN)], self._pull_down, "world", hints={"gravity": "m/s²"})
        with folder:
            self.method = on(gui.add_dropdown("Method", tuple(self._methods)), lambda e: self._choose(e.client))
            self.settings = gui.add_folder(None)
        self.form = None

    # ------------------------------------------------------------------ what people do

    def _weigh(self, client):
        self.studio.act(let_gravity, self.gravity.value, self._gravity, client=client)

    def _pull_down(self, values, client):
        return self.studio.act(lambda live: live.change_gravity(values["gravity"]), client=client)

    def _calm(self, client):
        self.studio.act(let_air, float(self.settle.value) if self.air.value else None, client=client)

    def _settle(self, client):
        if self.air.value:
            self._latest(let_air, float(self.settle.value), client=client)

    def _choose(self, client):
        self.studio.act(self._chosen_method, self.method.value, client=client)

    def _chosen_method(self, live, name):
        if not isinstance(live.integrator, self._methods[name]):
            step = getattr(live.integrator, "step", None)
            takes = {field.name for field in dataclasses.fields(self._methods[name])}
            live.integrator = self._methods[name](**({"step": step} if step and "step" in takes else {}))
        self.changed(live)

    def _set(self, values, client):
        return self.studio.act(self._changed_method, values, client=client)

    def _changed_method(self, live, values):
        try:
            live.integrator = dataclasses.replace(live.integrator, **values)
        except (TypeError, ValueError) as error:
            if isinstance(error, lw.LinkworkError):
                raise
            raise lw.StudioError(f"method: {error}") from error
        self.changed(live)

    # ------------------------------------------------------------------ what is shown

    def changed(self, live):
        weightless, settle = is_weightless(live.mechanism), still_air(live.mechanism)
        if not weightless:
            self._gravity = tuple(live.mechanism.gravity)
        self.vector.update([field_of("gravity", tuple(live.mechanism.gravity))])
        _put(self.gravity, not weightless)
        _put(self.air, settle is not None)
        if settle is not None and abs(settle - self.settle.value) > 0.05:
            _put(self.settle, min(max(round(settle, 1), 0.1), 10.0))
        self._show_method(live)

    def _show_method(self, live):
        name = next(name for name, kind in self._methods.items() if type(live.integrator) is kind)
        _put(self.method, name)
        fields = [field for field in fields_of(live.integrator) if field.form != "fixed"]
        if self.form is not None and self.form.same_as(fields):
            self.form.update(fields)
            return
        if self.form is not None:
            self.form.remove()
        self.form = Form(self.studio, self.settings, fields, self._set, "method")


def _put(handle, value):
    if handle.value != value:
        handle.value = value
