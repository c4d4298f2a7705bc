"""The stage: paper behind, light from the left above, a floor with a grid and shadows, and the camera."""

import threading

import numpy as np

from ...draw.floors import level_height
from ...spatial.pose import Pose
from .view import eye_for, grid_step, suitable_direction

PAPER, PAPER_BELOW = (250, 249, 246), (226, 228, 231)
FIELD_OF_VIEW = 0.62  # rad
ASPECT = 1.0  # of a picture between two columns of panels, on a usual screen
SAME_SHAPE = 0.01  # of an aspect
SAME_PLACE = 1e-3  # of the distance: a camera that is nearer to where it was placed has not been moved
SOON = 2.0  # s after the first page came
LAMP = (-0.45, -0.5, 1.0)  # towards the lamp
_DARK, _DARK_BELOW = (46, 50, 58), (24, 26, 31)


class Stage:
    """What stays while mechanisms come and go."""

    def __init__(self, server, path, dark=False):
        self._server, self._path = server, path
        self.paper, self._below = (_DARK, _DARK_BELOW) if dark else (PAPER, PAPER_BELOW)
        self._line = (76, 82, 92) if dark else (206, 204, 198)
        self.floor, self._laid, self._on = 0.0, None, True
        self._grid = None
        scene = server.scene
        scene.set_up_direction("+z")
        self._shadows = True
        self._look = "plain"  # then soon, finished; or closed
        self._placed = {}  # where cameras of clients were placed, and for which shape of picture; of those to come under None
        self.fit_again = lambda client: None  # called with a client whose picture has another shape than its camera was placed for
        self._light()
        server.on_client_connect(self._came)
        server.on_client_disconnect(lambda client: self._placed.pop(client.client_id, None))
        server.initial_camera.fov = FIELD_OF_VIEW
        server.initial_camera.up = (0.0, 0.0, 1.0)

    def _came(self, client):
        """Somebody looks at it: soon it shall look well. Panels take their place beside the picture after it has come, and windows change."""
        client.camera.on_update(lambda camera: self._seen_by(client))
        if self._look == "plain":
            self._look = "soon"
            timer = threading.Timer(SOON, self._finish)
            timer.daemon = True
            timer.start()

    def _seen_by(self, client):
        """Fit the view again if the picture is narrower than what it was fitted to, as long as nobody has moved the view."""
        view = client.camera
        eye, aspect = self._placed.get(client.client_id) or self._placed.get(None, (None, 1.0))
        if eye is None or self._look == "closed" or not view.image_height or view.aspect > (1.0 - SAME_SHAPE) * aspect:
            return
        away = np.linalg.norm(np.asarray(view.position) - eye)
        if away < SAME_PLACE * np.linalg.norm(np.asarray(view.look_at) - eye):
            self.fit_again(client)

    def _finish(self):
        """Shadows, and shades of paper behind it all. What is to be used comes first: without a graphics card shadows take most of a second to
        begin with, and to encode a picture viser loads a library.
        """
        if self._look == "soon":
            self._look = "finished"
            shades = np.linspace(self.paper, self._below, 256)[:, None].repeat(4, axis=1).round().astype(np.uint8)
            self._server.scene.set_background_image(shades, format="png")
            self._lamp.cast_shadow = self._shadows

    def close(self):
        """Nobody looks any more."""
        self._look = "closed"

    def _light(self):
        """A sky, a lamp with shadows over the mechanism, and a fill from the other side. No environment map: it costs slow machines seconds."""
        scene = self._server.scene
        scene.configure_environment_map(None)
        scene.configure_default_lights(False)
        scene.add_light_hemisphere(f"{self._path}/sky", sky_color=(255, 255, 255), ground_color=(168, 164, 158), intensity=1.1)
        scene.add_light_directional(f"{self._path}/fill", intensity=0.45, position=(3.0, 2.0, 1.5))
        self._lamp = scene.add_light_spot(
            f"{self._path}/lamp", intensity=1.75, decay=0.0, angle=0.5, penumbra=0.4, cast_shadow=False, direction=(0.0, 0.0, -1.0)
        )

    def _hang_lamp(self, middle, size):
        towards = np.array(LAMP) / np.linalg.norm(LAMP)
        self._lamp.position = middle + 6.0 * size * towards
        self._lamp.direction = tuple(-towards)

    def shadows(self, on):
        self._shadows = on
        if self._look == "finished":
            self._lamp.cast_shadow = on

    def lay_floor(self, low, high, size, planes=()):
        """Put the floor at 0, or where a mechanism (in the box from low to high) reaches lower, below it; rule its grid in round lengths.

        planes: those of the mechanism's own floors, (R, p); then the highest level one of them is the floor, or else the first.
        """
        self._hang_lamp(0.5 * (low + high), size)
        lowest = float(low[2])
        step = grid_step(size)
        floor = 0.0 if lowest > -0.02 * size else float(np.floor((lowest - 0.05 * size) / step) * step)
        p, turn = (0.0, 0.0, floor), (1.0, 0.0, 0.0, 0.0)
        if planes:
            level = level_height(planes)
            R, origin = (np.eye(3), np.array((0.0, 0.0, level))) if level is not None else planes[0]
            middle = 0.5 * (low + high)
            p = tuple((middle - R[:, 2] * (R[:, 2] @ (middle - origin))).tolist()) if level is None else (0.0, 0.0, level)
            floor, turn = p[2], tuple(Pose((0.0, 0.0, 0.0), R).quaternion.tolist())
        if self._grid is not None and (p, turn, step) == self._laid:
            return
        self.floor, self._laid = floor, (p, turn, step)
        self._grid = self._server.scene.add_grid(
            f"{self._path}/floor",
            infinite_grid=True,
            cell_size=step,
            section_size=5.0 * step,
            cell_color=self._line,
            section_color=tuple(int(0.88 * c) for c in self._line),
            cell_thickness=0.7,
            section_thickness=1.0,
            fade_distance=9.0 * size,
            fade_strength=1.5,
            shadow_opacity=0.22,
            position=p,
            wxyz=turn,
            visible=self._on,
        )

    def show_grid(self, on):
        self._on = on
        if self._grid is not None:
            self._grid.visible = on

    def look(self, clients, points, turning, sliding, size, covered):
        """Place the camera of clients, and of those to come, so that all points are seen."""
        direction = suitable_direction(turning, sliding)
        eye, target = eye_for(points, direction, FIELD_OF_VIEW, ASPECT, covered=covered)
        camera = self._server.initial_camera
        camera.position, camera.look_at = eye, target
        camera.near, camera.far = 0.005 * size, 400.0 * size
        self._placed[None] = eye, ASPECT
        for client in clients:
            with client.atomic():
                view = client.camera
                view.up_direction = (0.0, 0.0, 1.0)
                aspect = view.aspect if view.image_height else ASPECT
                own, at = eye_for(points, direction, view.fov, aspect, covered=covered)
                view.position, view.look_at = own, at
                self._placed[client.client_id] = own, aspect
                view.near, view.far = camera.near, camera.far
