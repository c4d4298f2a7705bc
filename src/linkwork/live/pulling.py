"""Pulling at a body while time runs: see pull_force.py for the two ways."""

from __future__ import annotations

import contextlib
import time as clock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import LinkworkError, StateError
from ..spatial.checks import numbers
from . import pull_force
from .moments import Moment, same_coordinates
from .pull_force import Grip, Path
from .python_text import call_text
from .segments import present_run
from .state_transfer import transfer_state
from .step_recovery import last_valid_sample
from .time_budget import reached_in_budget

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..simulation.status import Status

FAR = 1e6  # m, beyond which a target is a slip of the pointer


class Pulling:
    """The part of Live that pulls."""

    _grip: Any
    _hard: Any

    def pull(self, body: Any, point: ArrayLike, target: ArrayLike, hard: bool = False) -> None:
        """Pull a point of a body (m, in its frame) towards a target in the world, from now until release(); call again to move the target.

        hard: the point follows the target as if held between fingers, or the place nearest to it that it reaches; otherwise a critically
        damped spring pulls, with a limited force. `body` may be a frame, or a place on a body, too: the point is then in its axes.
        """
        point = numbers("point", point, (3,))
        target = numbers("target", target, (3,))
        if not (np.isfinite(point).all() and np.isfinite(target).all() and np.abs(target).max() < FAR and np.abs(point).max() < FAR):
            raise StateError(f"target: found {target.tolist()}; allowed are finite numbers below {FAR:g} m", "target")
        body, point = pull_force.point_of_body(self._model, body, point)
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
        self._simulation._settle()
        self._lay_spring()

    def _lay_spring(self) -> None:
        active_forces = self._simulation.system.active_forces
        pull_force.lay_soft(active_forces, len(active_forces.infos) - 1, self._simulation.model, *self._grip)

    def _grab_soft(self, body: str, point: Any) -> None:
        step = getattr(self.integrator, "step", None) or 1e-3
        law = pull_force.soft_law(self._model, self.q, body, point, step)
        name = self._simulation.system.active_forces.names[-1]
        self._simulation.change(name, stiffness=law.stiffness, damping=law.damping, limit=law.limit)
        self._simulation.switch(name, True)
        self._law = law

    def _grab_hard(self, body: Any, point: Any) -> None:
        K, _ = pull_force.yielding(self._model, self.q, body, point)
        axes = pull_force.ways(K)
        if not len(axes):
            raise StateError(f"pull: body {body!r} cannot move at this point; pull elsewhere, or remove what holds it", "body")
        x, u = self._point(body, point)
        held = pull_force.holding(self.mechanism, body, point, axes, self.time, x, u)
        name = held.constraints[-1].name
        model = held.build()
        path = Path(model, name, axes)
        plain, mechanism = self._model, self.mechanism
        q, v = same_coordinates(plain, model, self.q, self.v)
        moment = Moment(model, self.time, q, v, self.moment.memory)
        self._begin(transfer_state(moment, model, set()).moment)
        self._model, self.mechanism = plain, mechanism
        self._hard = path, name
        self._grab_soft(body, point)

    def release(self) -> None:
        """Let go."""
        if self._let_go() is not None:
            self._say("live.release()")

    def _let_go(self) -> Any:
        """Let go, and return what _grip_again takes to grip again, None if nothing was held."""
        if self._grip is None:
            return None
        grip = (*self._grip, self._hard is not None)
        if self._hard is not None:
            state, held = self._simulation.state, self._simulation.model
            self._hard = self._grip = None
            try:
                q, v = same_coordinates(held, self._model, state.q, state.v)
                self._begin(Moment(self._model, state.t, q, v, self._simulation.system.memory))
            except LinkworkError:
                self._begin_whole()
        else:
            self._simulation.switch(self._simulation.system.active_forces.names[-1], False)
            self._grip = None
        return grip

    def _begin_whole(self) -> None:
        """Go on from the last frame in which loops are closed: a step that failed may have torn them. Nothing may be held by a pull for ever."""
        recording = present_run(self)
        for k in range(last_valid_sample(recording), -1, -1):
            t = float(recording.time[k])
            with contextlib.suppress(LinkworkError):
                self._begin(Moment(self._model, t, np.array(recording.q[k]), np.array(recording.v[k])))
                self._forget_after(t)
                return
        self.reset()

    def _grip_again(self, grip: tuple[str, NDArray[np.float64], NDArray[np.float64], bool] | None) -> None:
        """After an edit: go on pulling, if the body is still there."""
        if grip is not None:
            with contextlib.suppress(LinkworkError):
                self.pull(*grip)

    @property
    def pulling(self) -> Grip | None:
        """What is being pulled, with the force on it."""
        if self._grip is None:
            return None
        body, point, target = self._grip
        x, u = self._point(body, point)
        spring = pull_force.soft_force(self._law, x, u, target)
        if self._hard is None:
            return Grip(body, point, target, spring, False, x)
        path, name = self._hard
        rows = self._simulation.model.constraint(name).rows
        state = self._simulation.state
        force = self._simulation.system.evaluate(state.t, state.q, state.v).multipliers[rows]
        return Grip(body, point, target, spring + np.array(force) @ path.axes, True, x)

    def _point(self, body: Any, point: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position and velocity of a point of a body, in the world."""
        k = forward_kinematics(self._model, self.q, self.v)
        b = self._model.body(body).index
        assert k.velocities is not None  # v was given
        R, V = k.rotations[b], k.velocities[b]
        return k.positions[b] + R @ point, R @ (V[3:] + np.cross(V[:3], point))

    def _advance_held(self, duration: float, time_budget: Any = None) -> Status:
        """Let time run while a pull holds hard: in slices, each with its own piece of the path."""
        until, ends = self.time + duration, None if time_budget is None else clock.monotonic() + time_budget
        while True:
            left = until - self.time
            part = min(left, self._lay_path(left))
            if ends is not None:
                part = reached_in_budget(self._simulation, part, max(ends - clock.monotonic(), 0.0))
            status = self._simulation.advance(part)
            if status == "failed" and self._yields_to_contact():
                continue
            if part >= left or not part or status == "failed" or (ends is not None and clock.monotonic() > ends):
                return status

    def _step_held(self, n: Any) -> Any:
        """Take n steps of the integrator while a pull holds hard, each slice of time with its own piece of the path."""
        step = getattr(self.integrator, "step", None)
        while True:
            count = n if self._hard is None else min(n, max(int(self._lay_path(pull_force.SLICE) / step), 1) if step else 1)
            began = self.time
            status = self._simulation.take_steps(count)
            if status == "failed" and self._yields_to_contact():
                n -= round((self.time - began) / step)
                continue
            n -= count
            if n <= 0 or status == "failed":
                return status

    def _yields_to_contact(self) -> bool:
        """Was the step that failed one in which bodies stand in the way of a hard pull? Then it goes on with the spring, whose force has a limit."""
        contact = self._simulation.system.contact
        if self._hard is None or contact is None or contact.failed == 0:
            return False
        body, point, target = self._grip
        self._let_go()
        self._grab_soft(body, point)
        self._grip = (body, point, target)
        self._lay_spring()
        return True

    def _lay_path(self, duration: float) -> float:
        """Lay the path of a hard pull for the next slice of time, and return how long it is, s; all of it if there is no hand any more."""
        if self._hard is None or not duration > 0.0:
            return duration
        body, point, _ = grip = self._grip
        self._simulation._settle()
        part = min(duration, pull_force.SLICE, pull_force.TURN / max(pull_force.quickest(self._model, self.q, self.v), 1e-300))
        if laid := self._hard[0].go(self.moment, grip, part, *self._point(body, point)):
            return laid
        self._let_go()
        try:
            self._grab_hard(body, point)  # it can move in more directions now, or in fewer
        except LinkworkError:  # where it cannot be held any more, the pull lets go
            self._say("live.release()")
            return duration
        self._grip = grip
        self._lay_spring()
        return self._hard[0].go(self.moment, grip, part, *self._point(body, point)) or part
