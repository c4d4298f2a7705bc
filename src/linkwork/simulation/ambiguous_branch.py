"""Warnings of singular poses in which the branch along which the motion continues is ambiguous.

Integrators count such poses step by step (constraints/singular_poses.py). Besides, whatever the method, every sample is compared with the one before:

    |v_1 - v_0 - h (vdot_0 + vdot_1) / 2|  >  |v| / 2      and a singular pose on the way                         the motion has changed its branch
    v turns back between the samples, at rest in a singular pose                                                  it may go back, or on by another branch
    v = 0 and vdot = 0 in a singular pose                                                                         it may stay, or leave by any branch
"""

import warnings

import numpy as np

from ..analysis.branches import crossing_joints
from ..analysis.report_text import listed
from ..constraints.tolerance import comparable, rest_pace
from ..dynamics.configuration import difference, integrate
from ..errors import SingularPoseWarning

STILL = 3e-7  # of the pace of rest, and of its square: nothing moves
SINGULAR = 1e-5  # of the clearance on the way: as near as the rule of rank distinguishes poses
TURNED = 0.5  # of the velocity: a change that accelerations do not explain; two branches differ by more
REACH = 2.0  # of the way between two samples
FAR = 0.5  # rad: samples further apart say nothing of the way between them
PLACES = 17  # examined between two samples, and again between two of these
PASSED = 0.02  # of the clearance on the way: the way is known to the third power of the time between two samples


def ambiguous_branch_text(model, time, q, copies=""):
    """The warning, with the names of the joints that branches move differently."""
    names = crossing_joints(model, q, time)
    whose = f"joints {listed(names)}" if names else f"mechanism {model.name!r}"
    return (
        f"singular pose at t = {time:.6g} s{copies}: branches of motion of {whose} cross there, and the motion does not say which of them goes on "
        "(it rests there, or arrives along none of them, or the method cannot follow it from there); the run follows any one of them; "
        "give it a velocity along the branch that is meant, start beside that pose, or hold the branch by a spring or limit; "
        "lw.mobility(model, q) lists the branches"
    )


def unbounded_text(model, time, q):
    """The warning of unbounded multipliers and reactions in a singular pose that is passed."""
    names = crossing_joints(model, q, time)
    whose = f"joints {listed(names)}" if names else f"mechanism {model.name!r}"
    return (
        f"multipliers and reactions at t = {time:.6g} s: the pose is singular, to 1e-5 rad, and what {whose} transmit grows without bound towards it; "
        "recorded are those of the constraints that are left there, which do not balance the motion; samples beside it are right"
    )


class BranchWatch:
    """Reports the first ambiguous pose of a run, once: as a SingularPoseWarning, and its text for the ledger."""

    def __init__(self, system):
        self._system, self._told, self._before = system, False, None
        self._scale = comparable(system.model)

    def forget(self):
        """The state was set: forget the sample before."""
        self._before = None

    def check(self, t, q, v, evaluation, leaves_singular_start=True):
        """A sample: its state, what acts there, and can the method leave a singular pose in which it starts? Returns the warning, or None."""
        if self._told:
            return None
        before, self._before = self._before, (t, q, v, evaluation)
        if before is not None:
            self._probe_between(before, self._before)
        pose = self._system.ambiguous_branch
        if (
            pose is None
            and before is None
            and (self._rests(q, v, evaluation.vdot, t) or not (leaves_singular_start or evaluation.clearance > SINGULAR))
        ):
            pose = t, q
        if pose is None and before is not None and self._turned(before, self._before):
            pose = self._singular_between(before, self._before)
        if pose is None:
            return None
        self._told = True
        text = ambiguous_branch_text(self._system.model, *pose)
        warnings.warn(text, SingularPoseWarning, stacklevel=2)
        return text

    def _size(self, rates):
        return float(np.max(np.abs(self._scale * rates), initial=0.0))

    def _rests(self, q, v, vdot, t):
        pace = rest_pace(self._system.model)
        return self._size(v) < STILL * pace and self._size(vdot) < STILL * pace**2 and bool(crossing_joints(self._system.model, q, t))

    def _within_reach(self, first, last):
        """Can a singular pose lie between two samples, which are near enough to decide?"""
        way = (last[0] - first[0]) * max(self._size(first[2]), self._size(last[2]))
        return way < FAR and min(first[3].clearance, last[3].clearance) < REACH * way

    def _turned(self, first, last):
        (t0, _, v0, acts0), (t1, _, v1, acts1) = first, last
        change = v1 - v0 - 0.5 * (t1 - t0) * (acts0.vdot + acts1.vdot)
        return self._within_reach(first, last) and self._size(change) > TURNED * max(self._size(v0), self._size(v1))

    def _singular_between(self, first, last):
        """(t, q) of a singular pose on the way that the first of two samples begins, or None: q_0 (+) (s v_0 + s^2 / 2 vdot_0)."""
        system, (t, q, v, evaluation) = self._system, first
        h = last[0] - t

        def pose(s):
            return t + s, integrate(system.model, q, s * v + 0.5 * s * s * evaluation.vdot)

        best, width = 0.0, h
        for _ in range(4):
            times = np.linspace(max(0.0, best - width), min(h, best + width), PLACES)
            clearances = [system.clearance(*pose(s)) for s in times]
            best, width = times[int(np.argmin(clearances))], 2.0 * width / PLACES
        return pose(best) if min(clearances) < PASSED else None

    def _probe_between(self, first, last):
        """Where the motion turns back near a singular pose: has it come to rest in it? The pose is evaluated there, and the system counts it if so."""
        (t0, q0, v0, _), (t1, q1, v1, _) = first, last
        weight = self._scale**2
        if not (float((weight * v0) @ v1) < 0.0 and self._within_reach(first, last)):
            return
        h, change = t1 - t0, v1 - v0
        x = float(np.clip(-(weight * v0) @ change / ((weight * change) @ change), 0.0, 1.0))
        way = difference(self._system.model, q0, q1)
        theta = (3 * x**2 - 2 * x**3) * way + h * ((x - 2 * x**2 + x**3) * v0 + (x**3 - x**2) * v1)
        rate = (6 * x - 6 * x**2) * way / h + (1 - 4 * x + 3 * x**2) * v0 + (3 * x**2 - 2 * x) * v1
        self._system.evaluate(t0 + x * h, integrate(self._system.model, q0, theta), rate)
