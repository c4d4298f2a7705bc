"""Torsion springs and bushings that are turned past half a turn: they know poses, not turns, and their torque jumps to the other side there.

Between two samples the turn from rest, in (-pi, pi], or the rotation vector, changes by nearly 2 pi where it passes half a turn. A Simulation is told
sample by sample, for its audit; a rollout when it is done.
"""

import math
import warnings

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import LimitWarning, outside_level
from ..parts.forces import Bushing, TorsionSpring
from ..parts.registry import GROUND
from . import rotation_arrays

PASSED = 1.5 * math.pi  # rad: what turns by less than a quarter of a turn between samples changes by more only there
AT_ONCE = 2_000_000  # numbers of poses: copies of a rollout are taken so many at a time


class HalfTurnWatch:
    """Tells each such force once."""

    def __init__(self, system):
        self._system = system
        self._watched = _watched(system.active_forces.infos)
        self._before, self._told = {}, set()

    def forget(self):
        """The state was set: forget the angles before."""
        self._before = {}

    def check(self, t, q):
        """The warnings of one sample."""
        if not self._watched:
            return
        found = forward_kinematics(self._system.model, q)
        for k in self._watched:
            info = self._system.active_forces.infos[k]
            turn, before = _turn(info, found), self._before.get(k)
            self._before[k] = turn
            if info.on and before is not None and k not in self._told and np.linalg.norm(turn - before) > PASSED:
                self._told.add(k)
                yield _text(info, f"before t = {t:.6g} s")


def warn_of_half_turns(model, forces, time, q, threads):
    """Warn of the forces that copies of a rollout have turned past half a turn: samples q (copies, samples, nq), NaN where there are none."""
    watched = [info for k in _watched(forces) if (info := forces[k]).on]
    at_once = max(1, AT_ONCE // max(1, 12 * model.nb * len(time)))
    first = {}  # of each force: (copy, sample)
    for start in range(0, len(q) if watched else 0, at_once):
        some = q[start : start + at_once]
        known = np.isfinite(some).all(axis=-1)
        poses = forward_kinematics(model, some[known], threads=threads)
        for info in watched:
            turn = _turn(info, poses)
            turns = np.full((*known.shape, turn.shape[-1]), np.nan)
            turns[known] = turn
            passed = np.linalg.norm(np.diff(turns, axis=1), axis=-1) > PASSED
            if info.name not in first and passed.any():
                copy = int(np.argmax(passed.any(axis=1)))
                first[info.name] = info, start + copy, int(np.argmax(passed[copy])) + 1
    for info, copy, k in first.values():
        warnings.warn(_text(info, f"before t = {time[k]:.6g} s of copy {copy}"), LimitWarning, stacklevel=outside_level())


def _watched(infos):
    return [k for k, info in enumerate(infos) if isinstance(info.kind, (TorsionSpring, Bushing))]


def _text(info, when):
    return (
        f"force {info.name!r} was turned past half a turn {when}: a {type(info.kind).__name__} knows poses, not turns, "
        "and its torque jumped from pulling back to pushing on; a JointSpring on a hinge counts turns, and winds up"
    )


def _turn(info, poses):
    """The rotation vector (..., 3) from the second place to the first; about an axis, the turn from rest in (-pi, pi], (..., 1)."""
    R_a, R_b = (place.rotation if body == GROUND else poses.rotation(body) @ place.rotation for body, place in info.places)
    relative, kind = rotation_arrays.from_matrix(np.swapaxes(R_b, -1, -2) @ R_a), info.kind
    if isinstance(kind, Bushing) or kind.axis is None:
        return rotation_arrays.log(relative)
    axis = np.asarray(kind.axis) / np.linalg.norm(kind.axis)
    angle = 2.0 * np.arctan2(relative[..., 1:] @ axis, relative[..., 0]) - kind.rest
    return (angle - 2.0 * math.pi * np.round(angle / (2.0 * math.pi)))[..., None]
