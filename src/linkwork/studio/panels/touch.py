"""Contact of the whole mechanism: a floor, whether bodies touch, and how rough and elastic they are where nothing else is said."""

from .. import fields
from ..latest_wins import LatestWins
from ..page_text import paragraph
from ..touching import AS_DECLARED, MODES, RANGES, STEP, add_floor, change_mode, change_surface, surface_of, words_of
from .panel import Panel


class TouchPanel(Panel):
    """A floor, and the surface of all that has none of its own."""

    tab, title = "World", "Contact"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self._latest, self._words = LatestWins(studio.act), ""
        with folder:
            self.words = gui.add_html("")
            self.height = gui.add_text("Floor at", "", hint="m; empty: at 0, or below the lowest body")
            self.floor = on(gui.add_button("Add a floor"), lambda e: self._lay(e.client))
            self.mode = on(gui.add_dropdown("Bodies touch", tuple(MODES)), lambda e: self._choose(e.client))
            self.sliders = {
                field: on(gui.add_slider(field.capitalize(), *RANGES[field], STEP, 0.0), self._slide(field)) for field in RANGES
            }

    def _lay(self, client):
        text = str(self.height.value).strip()
        height = fields.number(text, "floor at") if text else None
        self.studio.act(self._laid, height, client=client)

    def _laid(self, live, height):
        self.studio.keeper.need_own_meshes(live.mechanism)
        add_floor(live, height)

    def _choose(self, client):
        self.studio.act(self._chosen, self.mode.value, client=client)

    def _chosen(self, live, mode):
        try:
            if MODES[mode] is not False:
                self.studio.keeper.need_own_meshes(live.mechanism)
            change_mode(live, mode)
        finally:
            self.changed(live)

    def _slide(self, field):
        return lambda event: self._latest(self._slid, field, float(event.target.value), client=event.client)

    def _slid(self, live, field, value):
        self.studio.keeper.need_own_meshes(live.mechanism)
        change_surface(live, None, field, value)

    # ------------------------------------------------------------------ what is shown

    def changed(self, live):
        surface = surface_of(live.mechanism)
        for field, slider in self.sliders.items():
            value = min(max(getattr(surface, field), slider.min), slider.max)
            if abs(slider.value - value) > 0.5 * STEP:
                slider.value = value
        mode = next((text for text, contact in MODES.items() if contact is live.mechanism.contact), AS_DECLARED)
        if self.mode.value != mode:
            self.mode.value = mode
        self.refresh(live)

    def refresh(self, live):
        words = words_of(live)
        if words != self._words:
            self._words, self.words.content = words, paragraph(words, "quiet")
