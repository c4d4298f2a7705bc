"""Colours of parts: a quiet palette, and a colour for every body that stays its own while others come and go."""

from collections import Counter

from ...draw.shade import color_from
from .pieces import ints

# The palette of the pictures, a little deeper: light in the page is brighter than on paper.
PALETTE = tuple(
    tuple(int(h[k : k + 2], 16) for k in (0, 2, 4))
    for h in ("3f6f9f", "c9683f", "5f9467", "d6a135", "82629a", "2f8f94", "c4708a", "66758c")
)
GRAPHITE, STEEL, PIN = (62, 68, 79), (126, 136, 150), (176, 184, 194)
STAND_COLOR = (158, 152, 140)
SPRING, RUBBER, SLACK = (108, 122, 142), (150, 74, 52), (214, 176, 158)
DRIVE, BRASS, BRAKE, RULE = (190, 74, 48), (196, 158, 84), (150, 60, 60), (112, 82, 168)
SELECTED = (255, 138, 0)


class BodyColors:
    """{name: colour}: a new body gets the colour that is used least among those that are there; a name keeps its colour for ever."""

    def __init__(self):
        self._index: dict[str, int] = {}
        self._given: dict[str, tuple] = {}
        self._names: list[str] = []

    def update(self, names):
        """Colours for the bodies that are there now. A body that was renamed, at the same place in the list, keeps its colour."""
        old, new = set(self._names), set(names)
        if len(names) == len(self._names):
            for before, after in zip(self._names, names, strict=True):
                if before not in new and after not in old and after not in self._index:
                    self._index[after] = self._index[before]
                    if before in self._given:
                        self._given[after] = self._given[before]
        used = Counter(self._index[name] for name in names if name in old)
        for name in names:
            if name not in old or name not in self._index:
                # A name from earlier, an undone removal for one, gets its colour back unless another body has taken it.
                least = min(used[k] for k in range(len(PALETTE)))
                before = self._index.get(name)
                self._index[name] = (
                    before if before is not None and used[before] == least else min(range(len(PALETTE)), key=lambda k: (used[k], k))
                )
                used[self._index[name]] += 1
        self._names = list(names)

    def paint(self, name, color):
        """A colour of one's own, "#rrggbb" or three numbers from 0 to 1; None for that of the palette."""
        if color is None:
            self._given.pop(name, None)
        else:
            self._given[name] = ints(color_from(color, f"body {name!r}"))

    def __getitem__(self, name):
        if name == "ground":
            return self._given.get(name, STAND_COLOR)
        return self._given.get(name) or PALETTE[self._index[name]]
