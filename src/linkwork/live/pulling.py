"""Pulling at a body while time runs: see hand.py for the two ways."""

import contextlib

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import LinkworkError, StateError
from ..spatial.checks import numbers
from . import hand
from .carry import carry
from .easing import last_sound
from .hand import Grip, Path
from .moments import Moment, same_coordinates
from .python_text import call_text
from .spans import present_run

FASTEST = 50.0  # lengths of the mechanism a second: no pointer moves a hard pull faster
FAR = 1e6  # m, beyond which a target is a slip of the hand


class Pulling:
    """The part of Live that pulls."""

    _slices = 0  # of time, that a hard pull has gone through

    def pull(self, body, point, target, hard=False):
        """Pull a point of a body (m, in its frame) towards a target in the world, from now until release(); call again to move the target.

        hard: the point follows the target as if held between fingers; otherwise a critically damped spring pulls, with a limited force.
        """
        point, target = numbers("point", point, (3,)), numbers("target", target, (3,))
        if not (np.isfinite(point).all() and np.isfinite(target).all() and np.abs(target).max() < FAR and np.abs(point).max() < FAR):
            raise StateError(f"target: found {target.tolist()}; allowed are finite numbers below {FAR:g} m", "target")
        self._model.body(body)
        same = (
            self._grip is not None
            and self._grip[0] == body
            and bool(hard) == (self._hard is not None)
            and np.array_equal(self._grip[1], point)
        )
        if not same:
            self.release()
            (self._grab_hard if hard else self._grab_soft)(body, point)
        if self._grip is None or not same or not np.array_equal(self._grip[2], target):
            more = {"hard": True} if hard else {}
            self._say(call_text("live", "pull", [body, tuple(point.tolist()), tuple(target.tolist())], more))
        self._grip = (body, point, target)
        if self._hard is None:
            self._simulation._settle()
            loads = self._simulation.system.loads
            hand.lay_soft(loads, len(loads.infos) - 1, self._model, body, point, target)

    def _grab_soft(self, body, point):
        step = getattr(self._integrator, "step", None) or 1e-3
        law = hand.soft_law(self._model, self.q, body, point, step)
        name = self._simulation.system.loads.names[-1]
        self._simulation.change(name, stiffness=law.stiffness, damping=law.damping, limit=law.limit)
        self._simulation.switch(name, True)
        self._law = law

    def _grab_hard(self, body, point):
        K, _ = hand.yielding(self._model, self.q, body, point)
        axes = hand.ways(K)
        if not len(axes):
            raise StateError(f"pull: body {body!r} cannot move at this point; pull elsewhere, or remove what holds it", "body")
        x, u = self._point(body, point)
        held, axes = hand.holding(self.mechanism, body, point, axes, self.time, x, u)
        name = held.constraints[-1].name
        model = held.build()
        path = Path(model, name, axes, x, u)
        plain, mechanism = self._model, self.mechanism
        moment = Moment(model, self.time, *same_coordinates(plain, model, self.q, self.v))
        self._begin(carry(moment, model, set()).moment)
        self._model, self.mechanism = plain, mechanism
        self._hard = path, name

    def release(self):
        """Let go."""
        if self._let_go() is not None:
            self._say("live.release()")

    def _let_go(self):
        """Let go, and return what _grip_again takes to grip again, None if nothing was held."""
        if self._grip is None:
            return None
        grip = (*self._grip, self._hard is not None)
        if self._hard is not None:
            state, held = self._simulation.state, self._simulation.model
            self._hard = self._grip = None
            try:
                self._begin(Moment(self._model, state.t, *same_coordinates(held, self._model, state.q, state.v)))
            except LinkworkError:
                self._begin_whole()
        else:
            self._simulation.switch(self._simulation.system.loads.names[-1], False)
            self._grip = None
        return grip

    def _begin_whole(self):
        """Go on from the last frame in which loops are closed: a step that failed may have torn them. Nothing may be held by a hand for ever."""
        recording = present_run(self)
        for k in range(last_sound(recording), -1, -1):
            t = float(recording.time[k])
            with contextlib.suppress(LinkworkError):
                self._begin(Moment(self._model, t, np.array(recording.q[k]), np.array(recording.v[k])))
                self._forget_after(t)
                return
        self.reset()

    def _grip_again(self, grip):
        """After an edit: go on pulling, if the body is still there."""
        if grip is not None:
            with contextlib.suppress(LinkworkError):
                self.pull(*grip)

    @property
    def pulling(self):
        """What is being pulled, with the force on it."""
        if self._grip is None:
            return None
        body, point, target = self._grip
        x, u = self._point(body, point)
        if self._hard is None:
            return Grip(body, point, target, hand.soft_force(self._law, x, u, target), False, x)
        path, name = self._hard
        rows = self._simulation.model.constraint(name).rows
        state = self._simulation.state
        force = self._simulation.system.evaluate(state.t, state.q, state.v).multipliers[rows]
        return Grip(body, point, target, np.array(force) @ path.axes, True, x)

    def _point(self, body, point):
        """Position and velocity of a point of a body, in the world."""
        k = forward_kinematics(self._model, self.q, self.v)
        b = self._model.body(body).index
        R, V = k.rotations[b], k.velocities[b]
        return k.positions[b] + R @ point, R @ (V[3:] + np.cross(V[:3], point))

    def _follow_path(self, duration):
        if self._hard is not None and duration > 0.0:
            body, point, target = self._grip
            self._slices += 1
            if self._slices % 4 == 0 and not self._hard[0].fits(hand.yielding(self._model, self.q, body, point)[0]):
                self.release()
                with contextlib.suppress(LinkworkError):  # where it cannot be held any more, it slips from the hand
                    self.pull(body, point, target, hard=True)
                if self._hard is None:
                    return
            self._simulation._settle()
            length = float(self._simulation.model.rules.numbers[0])
            self._hard[0].go(self.time, target, duration, FASTEST * length)
