"""Texts in the picture: names of bodies, values of arrows."""

import time

LONGEST = 40  # letters of a label
TEXT_EVERY = 0.12  # s: values that change faster cannot be read


class Labels:
    """Texts at points. Nodes are kept and used again; with many of them a share moves at a time, so that no frame pays for all."""

    def __init__(self, api, path, *, most=20, scale=1.0, anchor="bottom-left"):
        self._api, self._path, self._most, self._scale, self._anchor = api, path, most, scale, anchor
        self._handles: list = []
        self._told: list[str] = []
        self._next, self._last_text, self._count = 0, 0.0, 0

    def show(self, texts):
        """[(text, point)]: these and no others."""
        now = time.monotonic()
        fresh = now - self._last_text > TEXT_EVERY or len(texts) != self._count
        if fresh:
            self._last_text = now
        for k, (text, point) in enumerate(texts):
            self._one(k, text, point, fresh)
        for k in range(len(texts), self._count):
            self._handles[k].visible = False
        self._count = len(texts)

    def move(self, points):
        """The same texts at other points (n, 3)."""
        count = min(len(points), self._count)
        chosen = range(count) if count <= self._most else [(self._next + k) % count for k in range(self._most)]
        self._next = (self._next + self._most) % max(count, 1)
        for k in chosen:
            self._handles[k].position = points[k]

    def _one(self, k, text, point, fresh):
        text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        if k == len(self._handles):
            self._handles.append(
                self._api.add_label(f"{self._path}/{k}", text, position=tuple(point), font_screen_scale=self._scale, anchor=self._anchor)
            )
            self._told.append(text)
            return
        handle = self._handles[k]
        handle.position = point
        if self._told[k] != text and (fresh or not handle.visible):
            handle.text = self._told[k] = text
        handle.visible = True
