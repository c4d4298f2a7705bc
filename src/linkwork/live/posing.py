"""Where things are put by hand while time stands still: floating bodies, joints, and a point that is drawn to a place."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.inverse_kinematics import Target, inverse_kinematics
from ..arguments import need, need_array
from ..parts.graph import assembly_of
from ..parts.place import Place, part_name
from ..parts.registry import GROUND
from ..spatial.checks import numbers
from ..spatial.pose import Pose
from .edit import Edit
from .placing import placed_assembly
from .pull_force import point_of_body
from .python_text import call_text
from .separation import separated
from .state_transfer import transfer_state

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..parts.part import Named


class Posing:
    """The part of Live that puts things somewhere."""

    def place(self, body: str | Named | Place, pose: Any = None, twist: Any = None) -> Edit:
        """Put a floating body, with all that hangs together with it, at a pose in the world (a Pose, or x, y, z), or give it a velocity.

        twist: [w; v] in the body's axes; the assembly then moves as one piece, as far as its joints let it.
        """
        body = part_name(body, "body")
        placed = placed_assembly(self.mechanism, self.moment.bodies(), body, pose, twist)
        given = {key: value for key, value in (("pose", pose), ("twist", twist)) if value is not None}
        return self._moved(f"place {body!r}", call_text("live", "place", [body], given), set(placed), placed=placed)

    def set_joint(self, joint: Any, q: ArrayLike | None = None, v: ArrayLike | None = None) -> Edit:
        """Set coordinates or speeds of a joint; loops are closed again by the least motion of the other joints."""
        info = self._model.joint(joint)
        joint = info.name
        q = None if q is None else numbers(f"q of joint {joint!r}", np.atleast_1d(need_array(f"q of joint {joint!r}", q)), (info.nq,))
        v = None if v is None else numbers(f"v of joint {joint!r}", np.atleast_1d(need_array(f"v of joint {joint!r}", v)), (info.nv,))
        given = {key: value for key, value in (("q", q), ("v", v)) if value is not None}
        names = {name for body in (info.parent, info.child) if body != GROUND for name in assembly_of(self.mechanism, body)} - {GROUND}
        words = f"set joint {joint!r}"
        line = call_text("live", "set_joint", [joint], {key: x.tolist() for key, x in given.items()})
        return self._moved(words, line, names, joints={joint: (q, v)}, together=("set_joint", joint))

    def _moved(
        self,
        words: str,
        python: str,
        touched: set[str],
        placed: dict[str, tuple[Pose, NDArray[np.float64]]] | None = None,
        joints: dict[str, Any] | None = None,
        together: tuple[str, str] | None = None,
    ) -> Edit:
        started, before = clock.perf_counter(), self._version()
        self.release()
        transferred = transfer_state(self.moment, self._model, touched, {}, placed, joints)
        apart = separated(transferred.moment, before.moment)
        self._begin(apart.moment)
        edit = Edit(words, python, self.time, apart.moved, seconds=clock.perf_counter() - started, apart=apart.words)
        self._record_edit(edit, before, {}, together)
        self._remember_start()
        return edit

    def set_time(self, t: float) -> Any:
        """Set the clock; all stays where it is, but for what functions of time carry along. Frames after that time are forgotten."""
        t = float(need("number", "t", t))
        started, before = clock.perf_counter(), self._version()
        self.release()
        touched = {body.name for body in self._model.bodies} if self._model.nc else set()
        self._begin(transfer_state(self.moment._replace(t=t), self._model, touched).moment)
        self._forget_after(t)
        edit = Edit(f"time {t:g} s", f"live.set_time({t!r})", t, seconds=clock.perf_counter() - started)
        self._record_edit(edit, before, {})
        return edit

    def pose_to(self, body: Any, point: ArrayLike, target: ArrayLike, together: str | None = None) -> float:
        """Draw a point of a body (m, in its frame) to a place in the world as far as joints, limits and loops allow: inverse kinematics.

        `body` may be a frame, or a place on a body, too: the point is then in its axes.
        Returns how far from the target the point stays, m. Velocities are kept as far as the new pose allows. together: as for edit.
        """
        point = numbers("point", point, (3,))
        target = numbers("target", target, (3,))
        body, point = point_of_body(self._model, body, point)
        self.release()
        found = inverse_kinematics(
            self._model, self.q, [Target(Place(body, Pose(point)), target)], t=self.time, tolerance=1e-6, max_iterations=30, restarts=0
        )
        started, before = clock.perf_counter(), self._version()
        moment = self.moment._replace(q=np.array(found.q))
        apart = separated(transfer_state(moment, self._model, {b.name for b in self._model.bodies}).moment, before.moment)
        self._begin(apart.moment)
        line = call_text("live", "pose_to", [body, tuple(point.tolist()), tuple(target.tolist())], {})
        edit = Edit(f"draw {body!r}", line, self.time, seconds=clock.perf_counter() - started, apart=apart.words)
        self._record_edit(edit, before, {}, together or ("pose_to", body))
        self._remember_start()
        return float(found.error)
