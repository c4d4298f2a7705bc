"""Inverse kinematics: joint coordinates that bring frames to targets, with loops kept closed and limits respected.

    min over dv  | W (J dv - e) |^2 + mu |dv|^2     with  G dv = -phi          (Levenberg-Marquardt on the constraint manifold)

    dv = d + P y,   d = -G^+ phi,   P = 1 - G^+ G,      (A^T A + mu) y = A^T (W e - W J d),   A = W J P

mu falls while steps help and grows where they do not: near singular poses and beyond reach. All states of a batch are solved together.
"""

from typing import Any, NamedTuple

import numpy as np

from ..arguments import checked, need, need_array
from ..dynamics.call import QUATERNION_TOLERANCE, finite_times, shaped
from ..dynamics.configuration import clamp, integrate
from ..dynamics.jacobian import jacobian
from ..dynamics.kinematics import forward_kinematics
from ..errors import StateError
from ..model.model import need_model
from ..solvers.correct import correction
from ..solvers.jacobian import constraint_jacobian
from ..solvers.rounding import reachable, row_units
from ..spatial.pose import Pose
from .assembly import check_tolerance, held_flags, step_units
from .rank import split_rows

REACH = 0.5  # the longest step, rad, or in lengths of the mechanism
LEAST, MOST = 1e-12, 1e6  # of mu
HELD = 1e-8  # of the largest singular value: rows that only joints that are held, or at a limit, could close


class Target(NamedTuple):
    """Where a frame, a body (by name, or itself) or a place on one shall be: `position` (..., 3) and/or `rotation` (..., 3, 3 or quaternion wxyz)
    in the world, None for free.

    `weight` (per length of the mechanism) and `turn_weight` (per rad) say how much each counts where not all targets can be met.
    """

    frame: Any
    position: object = None
    rotation: object = None
    weight: float = 1.0
    turn_weight: float = 1.0


class Reached(NamedTuple):
    """What inverse kinematics found: q (..., nq); reached (...): all targets within the tolerance; error (...): the largest weighted error that is
    left, m or rad; gap (...): the largest gap of a constraint; iterations."""

    q: np.ndarray
    reached: np.ndarray
    error: np.ndarray
    gap: np.ndarray
    iterations: int


@checked(hold="names", limits="flag", t="times", max_iterations="count")
def inverse_kinematics(model, q0, targets, *, hold=(), limits=True, t=0.0, tolerance=1e-9, max_iterations=200) -> Reached:
    """Coordinates near q0 that bring frames to their targets as well as weights, limits and constraints allow.

    Args:
        q0: where to start, one state or a batch (..., nq).
        targets: {frame: Pose, or position (..., 3)}, frames and bodies by name or as themselves, or places such as body.at(x, y, z); or a list of
            Target.
        hold: joints (names), or a boolean array (nv,), that keep their coordinates. limits: keep joints within their limits.
        tolerance: of errors, by their largest weight, and of gaps: rad or, of those in m, lengths of the mechanism.
    Returns:
        Reached. Beyond reach it is the nearest pose, with reached = False; constraints are closed all the same.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("arm")
    >>> near = m.ground
    >>> for k in (0, 1):
    ...     far = m.add_body(f"link {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    ...     _ = m.add_joint(f"joint {k}", lw.Revolute((0, 0, 1)), near.at(float(k), 0, 0), far)
    ...     near = far
    >>> _ = m.add_frame("hand", near.at(1, 0, 0))
    >>> found = lw.inverse_kinematics(m.build(), [0.3, 0.3], {"hand": (1.0, 1.0, 0.0)})
    >>> bool(found.reached), found.q.round(6).tolist()
    (True, [-0.0, 1.570796])
    """
    need_model(model)
    check_tolerance(tolerance)
    tolerance = reachable(tolerance)
    (q,), leading = shaped([("q0", q0, (model.nq,))])
    wanted = [_judged(model, target, leading) for target in _listed(targets)]
    leading = np.broadcast_shapes(leading, *(shape for *_, shape in wanted))
    count = int(np.prod(leading, dtype=int))
    q = np.broadcast_to(q, (*leading, model.nq)).reshape(count, model.nq).copy()
    wanted = [(frame, p, R, w) for frame, p, R, w, _ in (_flat(item, leading, count) for item in wanted)]
    if limits:
        q = clamp(model, q)
    times = finite_times(t, leading).reshape(count)
    problem = _Problem(model, wanted, np.broadcast_to(held_flags(model, hold), (count, model.nv)), limits, times)
    q, reached, error, gap, iterations = problem.solve(q, tolerance, max_iterations)
    shape = lambda x: x.reshape(leading) if leading else x.reshape(())  # noqa: E731
    return Reached(q.reshape((*leading, model.nq)), shape(reached), shape(error), shape(gap), iterations)


class _Problem:
    """A batch of states on their way to the targets. Gaps are by the units of their rows, positions by the mechanism's length, errors by the largest weight."""

    def __init__(self, model, targets, held, limits, times):
        self.model, self.targets, self.held, self.limits, self.times = model, targets, held, limits, times
        self.unit, self.nearly = step_units(model), np.zeros(len(times), dtype=bool)
        turn = max((w[0] for _, _, R, w in targets if R is not None), default=0.0)
        shift = max((w[1] for _, p, _, w in targets if p is not None), default=0.0)
        self.row_unit, self.length, self.most = row_units(model), float(model.rules.length[0]), max(turn, shift) or 1.0
        self.weights = np.tile(np.repeat([turn or 1.0, shift or 1.0], 3), len(targets))

    def errors(self, q):
        """Weighted errors (N, 6 k) of the targets, and gaps (N, m) of the constraints."""
        from scipy.spatial.transform import Rotation

        kinematics = forward_kinematics(self.model, q)
        found = []
        for frame, p, R, (turn, shift) in self.targets:
            zero = np.zeros((len(q), 3))
            turned = zero if R is None else Rotation.from_matrix(R @ np.swapaxes(kinematics.rotation(frame), -1, -2)).as_rotvec()
            found.append(
                np.concatenate([turn * turned, zero if p is None else shift / self.length * (p - kinematics.position(frame))], axis=-1)
            )
        gaps = (
            constraint_jacobian(self.model, q, np.zeros((len(q), self.model.nv)), self.times).phi
            if self.model.nc
            else np.zeros((len(q), 0))
        )
        for k, split in self.splits(q):
            gaps[k] = split.counted(gaps[k])
        return np.concatenate(found, axis=-1) / self.most, gaps / self.row_unit

    def splits(self, q):
        """(k, Split) of the states in which rows are nearly redundant: by the rule of rank they neither pull nor count."""
        return [(k, split_rows(self.model, q[k], float(self.times[k]))) for k in np.flatnonzero(self.nearly)]

    def step(self, q, errors, gaps, mu, blocked):
        """The damped step of every state."""
        free = ~(self.held | blocked)[:, None, :] * self.unit
        rows = []
        for frame, p, R, (turn, shift) in self.targets:
            J = jacobian(self.model, q, frame)
            J[:, :3] *= 0.0 if R is None else turn
            J[:, 3:] *= 0.0 if p is None else shift / self.length
            rows.append(J)
        J = np.concatenate(rows, axis=1) / self.most * free
        d, P = np.zeros_like(q[:, :0]), None
        if self.model.nc:
            G = constraint_jacobian(self.model, q, np.zeros((len(q), self.model.nv)), self.times).J / self.row_unit[:, None] * free
            for k, split in self.splits(q):
                G[k, split.dependent] = 0.0
            inverse = np.linalg.pinv(G, rcond=HELD)
            d = -(inverse @ gaps[..., None])[..., 0]
            P = np.eye(self.model.nv) - inverse @ G
        else:
            d, P = np.zeros((len(q), self.model.nv)), np.broadcast_to(np.eye(self.model.nv), (len(q), self.model.nv, self.model.nv))
        A = J @ P
        rest = errors - (J @ d[..., None])[..., 0]
        H = np.swapaxes(A, -1, -2) @ A + mu[:, None, None] * np.eye(self.model.nv)
        y = np.linalg.solve(H, np.swapaxes(A, -1, -2) @ rest[..., None])[..., 0]
        dv = d + (P @ y[..., None])[..., 0]
        length = np.abs(dv).max(axis=-1, initial=0.0)
        return dv * self.unit * np.minimum(1.0, REACH / np.maximum(length, 1e-300))[:, None]

    def closed(self, q):
        """Loops closed again after a step, which leaves gaps of second order: else they would keep steps short."""
        for _ in range(3 if self.model.nc else 0):
            dv = correction(self.model, q, t=self.times, held=self.held[0], damping=1e-12)[0]
            if self.nearly.any():  # without damping, rows that are nearly redundant are left out
                dv = np.where(self.nearly[:, None], correction(self.model, q, t=self.times, held=self.held[0])[0], dv)
            q = integrate(self.model, q, dv)
        return q

    def solve(self, q, tolerance, max_iterations):
        if self.model.nc:
            self.nearly = np.array([split_rows(self.model, x, float(t)).nearly for x, t in zip(q, self.times, strict=True)], dtype=bool)
        errors, gaps = self.errors(q)
        mu, blocked, still = np.full(len(q), 1e-4), np.zeros_like(self.held), np.zeros(len(q), dtype=int)
        iterations = 0
        while iterations < max_iterations:
            busy = ~self._met(errors, gaps, tolerance) & (still < 12)
            if not busy.any():
                break
            iterations += 1
            wanted = self.closed(integrate(self.model, q, self.step(q, errors, gaps, mu, blocked)))
            trial = clamp(self.model, wanted) if self.limits else wanted
            new_errors, new_gaps = self.errors(trial)
            before, after = _merit(errors, gaps), _merit(new_errors, new_gaps)
            better = busy & (after < before)
            slow = after > before * (1.0 - 1e-9)
            still = np.where(better & ~slow, 0, still + 1)
            if self.limits:
                stopped = _stopped(self.model, trial, wanted)
                blocked = np.where(better[:, None], stopped, (blocked | stopped) & busy[:, None])
            q = np.where(better[:, None], trial, q)
            errors, gaps = np.where(better[:, None], new_errors, errors), np.where(better[:, None], new_gaps, gaps)
            mu = np.clip(np.where(better, mu / 5.0, mu * 4.0), LEAST, MOST)
        given = np.tile(np.repeat([self.most, self.most * self.length], 3), len(self.targets))
        largest = [np.abs(x).max(axis=-1, initial=0.0) for x in (given * errors, self.row_unit * gaps)]
        return q, self._met(errors, gaps, tolerance), *largest, iterations

    def _met(self, errors, gaps, tolerance):
        """(N,) booleans: are all errors and gaps within the tolerance?"""
        size = np.abs(errors * (self.most / self.weights)).max(axis=-1, initial=0.0)
        return (size <= tolerance) & (np.abs(gaps).max(axis=-1, initial=0.0) <= tolerance)


def _merit(errors, gaps):
    """Constraints count much more than targets: they must close, targets need not be within reach."""
    return (errors**2).sum(axis=-1) + 1e4 * (gaps**2).sum(axis=-1)


def _stopped(model, q, wanted):
    """(N, nv) booleans: was the coordinate stopped by a limit?"""
    flags = np.zeros((len(q), model.nv), dtype=bool)
    for joint in model.joints:
        if joint.nq == joint.nv:
            flags[:, joint.v_index] = q[:, joint.q_index] != wanted[:, joint.q_index]
    return flags


def _listed(targets):
    if isinstance(targets, Target):
        return [targets]
    if isinstance(targets, dict) and targets:
        return [Target(n, x.translation, x.rotation) if isinstance(x, Pose) else Target(n, x) for n, x in targets.items()]
    targets = list(targets) if isinstance(targets, (list, tuple)) else []
    if not targets or not all(isinstance(target, Target) for target in targets):
        raise StateError("targets: allowed are {frame: Pose or position}, or a list of lw.Target; give at least one", "targets")
    return targets


def _judged(model, target, leading):
    """(frame, position, rotation, weights, leading axes) of a target, checked."""
    from scipy.spatial.transform import Rotation

    info = model.frame(target.frame)
    name = f"targets[{info.name!r}]"
    p = None if target.position is None else _array(name, "position", target.position, (3,))
    R = target.rotation
    if R is not None:
        R = (
            R.as_matrix()
            if isinstance(R, Rotation)
            else need_array(f"{name}: rotation", R, "the numbers of a rotation matrix, or of a quaternion w x y z")
        )
        if R.shape[-2:] != (3, 3):
            quaternion = _array(name, "rotation", R, (4,))
            _need_rotation(name, np.abs(np.linalg.norm(quaternion, axis=-1) - 1.0), "a quaternion w x y z of length 1")
            R = Rotation.from_quat(quaternion[..., [1, 2, 3, 0]]).as_matrix()
        off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2))
        _need_rotation(name, np.where(np.linalg.det(R) > 0.0, off, np.inf), "a rotation matrix (R R^T = 1, det R = 1)")
    if p is None and R is None:
        raise StateError(f"{name}: neither a position nor a rotation is given; give one of them", "targets")
    weights = tuple(float(need("size", f"{name}: {what}", getattr(target, what))) for what in ("turn_weight", "weight"))
    shapes = [leading] + ([p.shape[:-1]] if p is not None else []) + ([R.shape[:-2]] if R is not None else [])
    return target.frame, p, R, weights, np.broadcast_shapes(*shapes)


def _need_rotation(name, off, allowed):
    """Refuse what is off a rotation by more than QUATERNION_TOLERANCE."""
    if not (off <= QUATERNION_TOLERANCE).all():
        raise StateError(
            f"{name}: rotation is off by {np.max(off):.3g}; allowed is {allowed}, to {QUATERNION_TOLERANCE:g}; normalise it", "targets"
        )


def _array(name, what, value, shape):
    array = need_array(f"{name}: {what}", value, f"finite numbers of shape (..., {shape[0]})")
    if array.shape[-len(shape) :] != shape or not np.isfinite(array).all():
        raise StateError(f"{name}: {what} has shape {array.shape}; allowed are finite numbers of shape (..., {shape[0]})", "targets")
    return array


def _flat(item, leading, count):
    frame, p, R, weights, _ = item
    p = None if p is None else np.broadcast_to(p, (*leading, 3)).reshape(count, 3)
    R = None if R is None else np.broadcast_to(R, (*leading, 3, 3)).reshape(count, 3, 3)
    return frame, p, R, weights, leading
