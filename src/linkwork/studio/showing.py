"""From the motion to the picture: poses are pushed when they changed, and eased where an edit made parts fly together."""

import time as clock

import numpy as np

FLIGHT = 0.4  # s that parts take to fly together
NEAR = 1e-4  # m, a shift that needs no flight


class Showing:
    """Pushes a Live to a Scene, from the physics thread."""

    def __init__(self, scene, player):
        self.scene, self.player = scene, player
        self._names: tuple = ()
        self._P, self._Q = np.zeros((0, 3)), np.zeros((0, 4))
        self._shown = (None, 0.0)
        self._flight = None  # (start, names, P, Q before)
        self.glimpse = None  # a frame of the past that is shown instead
        self._arrows: dict[str, dict] = {}
        self._arrows_changed = False

    def poses(self):
        """{body: (position, quaternion)} as they are shown now."""
        return {name: (p, q) for name, p, q in zip(self._names, self._P, self._Q, strict=True)}

    def arrows(self, owner, arrows):
        """Arrows of one owner, {name: Arrow}, in place of those it had; those of others stay. They are pushed with the next frame."""
        if arrows or self._arrows.get(owner):
            self._arrows[owner] = dict(arrows)
            self._arrows_changed = True

    def _push_arrows(self):
        if self._arrows_changed:
            self._arrows_changed = False
            self.scene.arrows({(owner, name): arrow for owner, arrows in self._arrows.items() for name, arrow in arrows.items()})

    def show(self, live, before=None):
        """Another mechanism, or the same after an edit; before: where bodies were shown."""
        self._settle(live, before)
        self.scene.show(live.mechanism, self._P, self._Q, self._names)

    def moved(self, live, before=None):
        """The same mechanism, put elsewhere."""
        past, self.glimpse = self.glimpse, None
        if past is not None and past.mechanism is not live.mechanism:
            self.show(live, before)
            return
        self._settle(live, before)
        self.scene.move(self._P, self._Q, self._names)

    def _settle(self, live, before):
        """Poses to be shown now: where bodies are, or where they begin to fly from."""
        self.glimpse = None
        self._names = tuple(body.name for body in live.model.bodies)
        P, Q = live.pose_arrays()
        P_0, Q_0 = _mixed(self._names, P, Q, before or {})
        flies = bool(before) and _by_flight(live.last_edit) and float(np.abs(P_0 - P).max(initial=0.0)) > NEAR
        self._flight = (clock.perf_counter(), P_0, Q_0) if flies else None
        if flies:
            self.player.wait(FLIGHT)
        self._P, self._Q = (P_0, Q_0) if flies else (P, Q)
        self._shown = (None, 0.0) if flies else (live.simulation, live.time)

    def look(self, live, glimpse):
        """Show a frame of the past; None goes back to the present."""
        was, self.glimpse = self.glimpse, glimpse
        now = live.mechanism if was is None else was.mechanism
        then = live.mechanism if glimpse is None else glimpse.mechanism
        if glimpse is None:
            self._names = tuple(body.name for body in live.model.bodies)
            self._P, self._Q = live.pose_arrays()
        else:
            self._names, self._P, self._Q = glimpse.names, glimpse.positions, glimpse.quaternions
        self._flight = None
        if now is not then:
            self.scene.show(then, self._P, self._Q, self._names)
        else:
            self.scene.move(self._P, self._Q, self._names)

    def frame(self, live):
        """After every frame: push what has changed."""
        self._push_arrows()
        if self.glimpse is not None:
            return
        if self._flight is None and self._shown[0] is live.simulation and self._shown[1] == live.time:
            return
        P, Q = live.pose_arrays()
        if self._flight is not None:
            P, Q = self._flown(P, Q)
        self._shown = (None, 0.0) if self._flight is not None else (live.simulation, live.time)
        self._P, self._Q = P, Q
        self.scene.move(P, Q, self._names)

    def _flown(self, P, Q):
        started, P_0, Q_0 = self._flight
        s = (clock.perf_counter() - started) / FLIGHT
        if s >= 1.0:
            self._flight = None
            return P, Q
        return between(P_0, Q_0, P, Q, s * s * (3.0 - 2.0 * s))


def between(P_0, Q_0, P_1, Q_1, s):
    """Poses on the way from 0 to 1: positions on lines, turns by the shorter way (normalised; the flight is short)."""
    same = np.where((Q_0 * Q_1).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    Q = (1.0 - s) * Q_0 + s * same * Q_1
    length = np.linalg.norm(Q, axis=1, keepdims=True)
    Q = np.where(length > 1e-9, Q / np.maximum(length, 1e-9), Q_1)
    return (1.0 - s) * P_0 + s * P_1, Q


def _by_flight(edit):
    """Did an edit put parts elsewhere at once, which the eye could not follow? What is drawn by hand moves little by little anyway."""
    return edit is not None and (edit.moved > NEAR or edit.python in ("live.undo()", "live.redo()"))


def _mixed(names, P, Q, before):
    """Where bodies were before, those that are new where they are now."""
    P_0, Q_0 = P.copy(), Q.copy()
    for k, name in enumerate(names):
        if name in before:
            P_0[k], Q_0[k] = before[name]
    return P_0, Q_0
