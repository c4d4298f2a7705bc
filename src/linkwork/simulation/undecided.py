"""What is told of a singular pose in which nothing decides along which branch the motion goes on.

Integrators count such poses step by step (integrators/singular_poses.py). Besides, whatever the method, every frame is compared with the one before:

    |v_1 - v_0 - h (vdot_0 + vdot_1) / 2|  >  |v| / 2      and a singular pose within reach, x < 2 h |v|          the motion has changed its branch
    v = 0 and vdot = 0 in a singular pose                                                                         it may stay, or leave by any branch
"""

import warnings

import numpy as np

from ..analysis.branches import crossing_joints
from ..analysis.text import listed
from ..analysis.wiring import comparable
from ..errors import SingularPoseWarning

STILL = 1e-6  # rad/s, rad/s^2: nothing moves
TURNED = 0.5  # of the velocity: a change that accelerations do not explain; two branches differ by more
REACH = 2.0  # of the way between two frames


def undecided_text(model, time, q, copies=""):
    """The warning, with the names of the joints that branches move differently."""
    names = crossing_joints(model, q, time)
    whose = f"joints {listed(names)}" if names else f"mechanism {model.name!r}"
    return (
        f"singular pose at t = {time:.6g} s{copies}: branches of motion of {whose} cross there, and the motion does not say which of them goes on "
        "(it rests there, or arrives along none of them); the run follows any one of them; give it a velocity along the branch that is meant, start "
        "beside that pose, or hold the branch by a spring or limit; lw.mobility(model, q) lists the branches"
    )


class BranchWatch:
    """Tells the first undecided pose of a run, once: as a SingularPoseWarning, and its text for the ledger."""

    def __init__(self, system):
        self._system, self._told, self._before = system, False, None
        self._scale = comparable(system.model)

    def forget(self):
        """The state was set: what was before says nothing of what comes."""
        self._before = None

    def look(self, t, q, v, acts):
        """A frame: its state and what acts there. Returns the warning, or None."""
        if self._told:
            return None
        before, self._before = self._before, (t, q, v, acts)
        pose = self._system.undecided
        if pose is None and before is None and self._rests(q, v, acts.vdot, t):
            pose = t, q
        if pose is None and before is not None and self._turned(before, self._before):
            pose = min(before, self._before, key=lambda frame: frame[3].clearance)[:2]
        if pose is None:
            return None
        self._told = True
        text = undecided_text(self._system.model, *pose)
        warnings.warn(text, SingularPoseWarning, stacklevel=2)
        return text

    def _size(self, rates):
        return float(np.max(np.abs(self._scale * rates), initial=0.0))

    def _rests(self, q, v, vdot, t):
        return self._size(v) < STILL and self._size(vdot) < STILL and bool(crossing_joints(self._system.model, q, t))

    def _turned(self, first, last):
        (t0, _, v0, acts0), (t1, _, v1, acts1) = first, last
        h, speed = t1 - t0, max(self._size(v0), self._size(v1))
        if not min(acts0.clearance, acts1.clearance) < REACH * h * speed:
            return False
        return self._size(v1 - v0 - 0.5 * h * (acts0.vdot + acts1.vdot)) > TURNED * speed
