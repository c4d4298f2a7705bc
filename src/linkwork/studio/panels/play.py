"""Run, pause, step, speed, reset; what to do when a step failed; look back and go on from there; undo and redo."""

from ..latest_wins import LatestWins
from ..page_text import paragraph
from .panel import Panel

NOTHING = "nothing"
MOST = 30  # letters of a label
SPEEDS = {"1/20": 0.05, "1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "5": 5.0}
LEAST = 1e-3  # s: a slider has a length, though nothing has passed


class PlayPanel(Panel):
    """Time: always in sight."""

    title = None

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, player, on = studio.gui, studio.player, studio.on
        self._latest = LatestWins(player.do)
        self._past = None  # the time that is looked at, s
        self._told = None  # the status that was told
        self._remedies: dict = {}  # {words: lw.Remedy} that are offered
        with folder:
            self.clock = gui.add_html("")
            self.run = on(gui.add_button("Run", color="green"), lambda _: self.toggle())
            self.why = gui.add_html("", visible=False)
            self.remedy = on(gui.add_button_group("Go on with", (NOTHING,), visible=False), lambda e: self.take(e.target.value, e.client))
            self.more = on(gui.add_button_group("Time", ("Step", "Reset", "Fit view")), self._more)
            self.speed = on(gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1"), lambda _: self._speed())
            self.scrub = on(gui.add_slider("Look back", 0.0, 1.0, 0.001, 1.0, disabled=True), lambda _: self._look())
            self.onward = on(gui.add_button_group("", ("Go on from here", "Back to now"), visible=False), self._onward)
            self.undo = on(gui.add_button_group("Undo", (NOTHING,)), lambda e: self._undo(e.client))
            self.redo = on(gui.add_button_group("Redo", (NOTHING,)), lambda e: self._redo(e.client))
        self._commands(gui, on)
        self._speed()
        player.pause()

    def _commands(self, gui, on):
        entries = (
            ("Run or pause", "space", None, lambda e: self.toggle()),
            ("One step", "arrowright", None, lambda e: self.step(e.client)),
            ("Back to the beginning", "home", None, lambda e: self.reset(e.client)),
            ("Undo", "Z", "cmd/ctrl", lambda e: self._undo(e.client)),
            ("Redo", "Z", "cmd/ctrl+shift", lambda e: self._redo(e.client)),
            ("Fit the view", "F", None, lambda e: self.studio.scene.fit_camera(e.client)),
        )
        for label, key, modifier, function in entries:
            on(gui.add_command(label, hotkey=key, modifier=modifier), function)

    # ------------------------------------------------------------------ what people do

    def toggle(self):
        """Run if paused, pause if running. What is run is the present, even if the past was looked at."""
        self.studio.player.do(self._return)
        self.studio.player.toggle()
        self.studio.player.do(self.refresh)

    def step(self, client=None):
        self.studio.player.pause()
        self.studio.act(self._step, client=client)

    def _step(self, live):
        self._return(live)
        live.step()

    def reset(self, client=None):
        self.studio.player.pause()
        self.studio.act(lambda live: live.reset(), client=client)

    def take(self, words, client=None):
        """Go on after a step that failed, as one of the offers says. Returns a Future."""
        remedy = self._remedies.get(words)
        return None if remedy is None else self.studio.act(self._eased, remedy, client=client)

    def _eased(self, live, remedy):
        live.take(remedy)
        self.studio.tell(f"{remedy.words[0].lower()}{remedy.words[1:]} from {live.time:.3f} s on")
        self.studio.player.play()

    def _more(self, event):
        {"Step": self.step, "Reset": self.reset, "Fit view": self.studio.scene.fit_camera}[event.target.value](event.client)

    def _speed(self):
        self.studio.player.speed = SPEEDS[self.speed.value]

    def _look(self):
        self._latest(self._looked, float(self.scrub.value))

    def _looked(self, live, t):
        player = self.studio.player
        first, last = live.span
        player.playing = False
        self._past = min(max(t, first), last)
        self.studio.showing.look(live, live.look(self._past))
        self._show_playing()
        self.onward.visible = True
        self.refresh(live)

    def _onward(self, event):
        if event.target.value == "Back to now":
            self.studio.player.do(self._return)
        else:
            self.studio.act(self._go_on, client=event.client)

    def _go_on(self, live):
        if self._past is not None:
            live.rewind(self._past)

    def _return(self, live):
        if self._past is not None:
            self._past, self.onward.visible = None, False
            self.studio.showing.look(live, None)
            self.refresh(live)

    def _undo(self, client):
        self.studio.act(lambda live: live.undo(), client=client)

    def _redo(self, client):
        self.studio.act(lambda live: live.redo(), client=client)

    # ------------------------------------------------------------------ what is shown

    def changed(self, live):
        self._past, self.onward.visible = None, False
        _put(self.undo, "options", (_label(live.edits),))
        _put(self.redo, "options", (_label(live.undone),))

    def refresh(self, live):
        self._show_playing()
        self._show_status(live)
        text = self._words(live)
        _put(self.clock, "content", text)
        first, last = live.span
        _put(self.scrub, "disabled", not last > first)
        _put(self.scrub, "min", first)
        _put(self.scrub, "max", max(last, first + LEAST))
        if self._past is None:
            _put(self.scrub, "value", last)

    def _words(self, live):
        player = self.studio.player
        if self._past is not None:
            return paragraph(f"t = {self._past:.3f} s, looking back; now is {live.time:.3f} s", "strong")
        if not player.playing:
            return paragraph(f"t = {live.time:.3f} s, paused", "strong")
        text = paragraph(f"t = {live.time:.2f} s, {player.real_time_factor:.2f} of real time", "strong")
        if player.behind:
            text += paragraph("The physics cannot keep up, so time runs slower: take a larger step, or fewer parts.", "bad")
        return text

    def _show_playing(self):
        playing = self.studio.player.playing
        label = "Pause" if playing else "Run"
        if self.run.label != label:
            self.run.label = label
            self.run.color = "orange" if playing else "green"

    def _show_status(self, live):
        if live.status is self._told:
            return
        self._told = live.status
        self._remedies = {} if live.status.ok else {remedy.words: remedy for remedy in live.remedies}
        if self._remedies:
            _put(self.remedy, "options", tuple(self._remedies))
            sound = next(iter(self._remedies.values())).time
            self.why.content = paragraph(f"The motion is sound up to {sound:.3f} s. Go on from there, with one of these:", "bad")
        if not live.status.ok:
            said = f"the steps are too large for {_part(live.status)}; what helps is offered under Run" if self._remedies else live.status
            self.studio.tell(f"time stands still: {said}", error=True)
        for shown in (self.why, self.remedy):  # last: a button that is seen says what it does
            _put(shown, "visible", bool(self._remedies))


def _part(status):
    """The part that a failure concerns most, in words."""
    return next((f"{what} {name!r}" for what in ("force", "joint", "body") if (name := getattr(status, what))), "the mechanism")


def _label(edits):
    """What would be undone or done again. Both buttons stay where they are, so that pressing twice never hits the other."""
    words = edits[-1].words if edits else NOTHING
    return words if len(words) <= MOST else words[: MOST - 1] + "…"


def _put(handle, prop, value):
    if getattr(handle, prop) != value:
        setattr(handle, prop, value)
