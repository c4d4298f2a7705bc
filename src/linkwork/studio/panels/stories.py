"""Stories: what people do in the studio, told on the page itself, a step at a click."""

from ..page_text import paragraph
from ..stories import STORIES, Telling
from .files import unless_lost
from .panel import Panel


class StoriesPanel(Panel):
    """Choose a story, and go through it step by step; after each step the mechanism is yours to play with."""

    tab, title, open = "Files", "Stories", False

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self.telling: Telling | None = None
        self._until = None
        with folder:
            self.which = gui.add_dropdown("Story", tuple(STORIES))
            on(gui.add_button("Begin"), lambda e: self._begin(e.client))
            self.words = gui.add_html(paragraph("Three stories show what the studio is for.", "quiet"))
            self.next = on(gui.add_button("Next step", disabled=True), lambda e: self.go_on(e.client))
        studio.player.on_frame(lambda live: studio._guarded(self.frame, live))

    def _begin(self, client):
        story = STORIES[self.which.value]
        unless_lost(self.studio, client, lambda: self.begin(story, client))

    def begin(self, story, client=None):
        """Begin a story on a mechanism of its own; what was there before is given up, as when another file is opened."""

        def make():
            self.telling, self._until = Telling(story, story.live()), None
            return self.telling.live

        self.studio.player.pause()
        done = self.studio.open(make, client)
        self.studio.act(lambda live: self._show(), client=client)
        return done

    def go_on(self, client=None):
        """Do what the next step does, and let its time run."""
        return self.studio.act(self._step, client=client)

    def _step(self, live):
        telling = self.telling
        if telling is None or telling.over or telling.live is not live or self._until is not None:
            return
        bodies = len(live.mechanism.bodies)
        telling.act()
        if len(live.mechanism.bodies) != bodies:
            self.studio.player.do(lambda live: self.studio.scene.fit_camera())
        if telling.left > 0.0:
            self._until = live.time + telling.left
            self.studio.player.play()
            self._show()
        else:
            telling.next()
            self._show()

    def frame(self, live):
        """In the physics thread, after every frame."""
        telling = self.telling
        if telling is None or self._until is None:
            return
        if telling.live is not live:  # another mechanism was opened
            self.telling = self._until = None
            self._show()
        elif live.time >= self._until - 1e-9 or not live.status.ok:
            self._until = None
            self.studio.player.pause()
            telling.next()
            self._show()
        elif telling.step.each is not None and self.studio.player.playing:
            self.studio.apply(live, telling.step.each, telling.told)

    def _show(self):
        telling = self.telling
        if telling is None:
            self.words.content, self.next.disabled = paragraph("Three stories show what the studio is for.", "quiet"), True
            return
        count = f"{min(telling.at + 1, len(telling.story.steps))} of {len(telling.story.steps)}"
        coming = "" if telling.over or self._until is not None else "Next: "
        self.words.content = paragraph(f"{telling.story.title} ({count}). {coming}{telling.words}")
        self.next.disabled = telling.over or self._until is not None
