"""Picking, step by step: what a tool wants, what has been picked, and what to do next in words."""

from .tools import Tool


class Picking:
    """One round of picking by one client. done: everything that the tool wants is there."""

    def __init__(self, tool: Tool | None, client_id=None, label=""):
        self.tool, self.client_id = tool, client_id
        self.label = label or tool.label  # type: ignore[union-attr]
        self.picks, self.count = (tool.picks, tool.count) if tool is not None else ("places", 1)
        self.picked: list = []

    @property
    def done(self) -> bool:
        return len(self.picked) >= self.count

    @property
    def offers_ground(self) -> bool:
        """May the next place be the ground just where the first one is?"""
        first = self.picked[0] if self.picked else None
        return self.picks == "places" and self.count == 2 and len(self.picked) == 1 and first.body != "ground"  # type: ignore[union-attr]

    def take(self, item):
        """A Spot, or the name of a joint."""
        self.picked.append(item)

    @property
    def words(self) -> str:
        """What to do now."""
        if self.done:
            return f"{self.label}: done."
        what = "joint" if self.picks == "joints" else "place"
        which = "the" if self.count == 1 else ("the first", "the second", "the next")[min(len(self.picked), 2)]
        hint = " (its sign in the picture, or by name under Edit)" if what == "joint" else " on a body, or on the ground"
        had = f" First: {self._said(self.picked[0])}." if self.picked else ""
        return f"{self.label}.{had} Now click {which} {what}{hint}."

    @staticmethod
    def _said(item):
        return (
            repr(item) if isinstance(item, str) else f"{item.what} of {item.body!r}" if item.body != "ground" else f"{item.what} (ground)"
        )


# ---- marks in the picture for what was picked

COLOR = (255, 138, 0)
PATH = "/linkwork/picked"


class Marks:
    """Small balls, as many as there are places."""

    def __init__(self, server):
        self._api, self._made = server.scene, []

    def show(self, points, radius):
        """points: in the world, m; none takes all of them away."""
        while len(self._made) > len(points):
            self._made.pop().remove()
        for k, point in enumerate(points):
            if k == len(self._made):
                name = f"{PATH}/{k}"
                self._made.append(self._api.add_icosphere(name, radius, color=COLOR, position=tuple(point), cast_shadow=False))
            else:
                self._made[k].position = tuple(point)
