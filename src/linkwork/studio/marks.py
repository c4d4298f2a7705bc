"""Marks in the picture for places that were picked."""

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
