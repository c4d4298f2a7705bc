"""From what the page tells (an instance of a batch, a ray, a point) to what a person touched (a part, a point of a body).

The page shows poses a few frames old, and more of them where it is slow. So a touched point is looked for in the last frames that were sent: a click
is on the newest in which the ray meets the instance; a drag, which tells its point, on the one in which the ray comes nearest to it.
"""

import asyncio

import numpy as np

from .casting import nearest_on_ray, ray_on_instance, ray_on_plane
from .pieces import GROUND
from .touch import Click, Drag, Touches, modifiers_of
from .turns import product, turned

LATER = 0.15  # s between the two messages of one click, at most
_PHASE = {"start": "start", "update": "move", "end": "end"}


class Hands:
    """Takes viser's events, tells Click and Drag."""

    def __init__(self, board, poses, stage, lock):
        self.board, self._poses, self._stage, self._lock = board, poses, stage, lock
        self.roles: dict[str, str] = {}
        self.touches = Touches()
        self._held: dict[int, tuple] = {}
        self._touched: dict[int, tuple] = {}

    def _name(self, body):
        return "ground" if body == GROUND else self._poses.names[body]

    # ---- clicks

    def clicked(self, batch, event):
        """A click on an instance of a batch; without an index it was on the outline of what the pointer was over before."""
        if event.instance_index is None:
            return
        self._touched[event.client_id] = tuple(event.screen_pos)
        with self._lock:
            row = self.board.row(batch, event.instance_index)
            if row is None:
                return
            body, point, world = self._found(row, event.ray_origin, event.ray_direction)
            role = self.roles.get(row.part)
        self.touches.click(Click(row.part, role, body, point, world, modifiers_of(event.modifier), event.client))

    def _found(self, row, origin, direction):
        origin, direction = np.array(origin), np.array(direction)
        if row.body is None:
            t = ray_on_instance(row.mesh, origin, direction, row.p, row.q, row.scale)
            return None, None, origin + t * direction if np.isfinite(t) else nearest_on_ray(origin, direction, row.p)
        for pose in reversed(self._poses.past):
            world = self._met(row, pose, origin, direction)
            if world is not None:
                return self._name(row.body), self._poses.within(row.body, world, pose), world
        P, Q = self._poses.P, self._poses.Q
        world = nearest_on_ray(origin, direction, P[row.body] + turned(Q[row.body][None], row.p[None])[0])
        return self._name(row.body), self._poses.within(row.body, world), world

    def _met(self, row, pose, origin, direction):
        P, Q = pose
        q = Q[row.body][None]
        t = ray_on_instance(row.mesh, origin, direction, P[row.body] + turned(q, row.p[None])[0], product(q, row.q[None])[0], row.scale)
        return origin + t * direction if np.isfinite(t) else None

    async def background(self, event):
        """A click anywhere. viser tells it for one on a part too, before that or after it, at the same place of the page: so it waits a little."""
        asyncio.get_running_loop().call_later(LATER, self._tell_background, event)

    def _tell_background(self, event):
        at = tuple(np.ravel(event.screen_pos).tolist())
        if self._touched.get(event.client_id) == at:
            del self._touched[event.client_id]
            return
        world = ray_on_plane(event.ray_origin, event.ray_direction, self._stage.floor)
        self.touches.click(Click(None, None, None, None, world, modifiers_of(event.modifier), event.client))

    # ---- drags

    def dragged(self, batch, event):
        """A drag of an instance of a moving batch; the instance is that under the pointer when it began."""
        phase = _PHASE[event.phase]
        if phase == "start":
            if event.instance_index is None:
                return
            with self._lock:
                row = self.board.row(batch, event.instance_index)
                if row is None or row.body is None or row.body == GROUND:
                    return
                self._held[event.client_id] = row.part, self._name(row.body), self._grabbed(row, event)
        held = self._held.get(event.client_id)
        if held is None:
            return
        part, body, point = held
        if body not in self._poses.names:
            phase = "end"  # it was taken away under the hand
        if phase == "end":
            del self._held[event.client_id]
        target = np.array(event.end_position, dtype=float)
        self.touches.drag(Drag(phase, body, point, target, modifiers_of(event.modifier), event.client, part))

    def _grabbed(self, row, event):
        """The point in the body's coordinates, from the frame that the page showed."""
        grabbed, eye = np.array(event.start_position, dtype=float), np.array(event.client.camera.position, dtype=float)
        best, least = self._poses.within(row.body, grabbed), np.inf
        for pose in reversed(self._poses.past):
            world = self._met(row, pose, eye, grabbed - eye)
            if world is not None and (gap := float(np.linalg.norm(world - grabbed))) < 0.999 * least:
                best, least = self._poses.within(row.body, grabbed, pose), gap
        return best
