"""Inverse kinematics: joint coordinates that bring frames to targets, with loops kept closed and limits respected.

    min over q  f = 1/2 | W e(q) |^2      with   phi(q) = 0,   lower <= q <= upper

A step from q, in velocities by their units, is the least of a quadratic function around q within the limits and a radius (bounded_step.py):

    d = -G^+ phi,      min over x  1/2 x.H x - (W J)^T W (e - J d) . x      with  G x = 0,   lower <= q + d + x <= upper,   | x_i | <= radius

Limits are held and let go by the sign of their multipliers. H = (W J)^T W J + mu (Gauss-Newton, damped by the errors: Levenberg 1944, Marquardt 1963)
while that foretells how f falls. Beyond reach it does not: H is then the second derivative of f along the constraints, lambda . phi included, by
differences of the gradient, its eigenvalues made positive. The radius follows the gain, how much f fell beside what was foretold. The answer is a
pose at which the projected gradient vanishes and no curvature is negative: none near it is nearer. All states of a batch are solved together.
"""

from __future__ import annotations

import contextlib
import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arguments import checked, need, need_array
from ..constraints.jacobian import constraint_jacobian
from ..constraints.tolerance import reachable, row_units
from ..dynamics.call import QUATERNION_TOLERANCE, finite_times, shaped
from ..dynamics.configuration import clamp, integrate
from ..dynamics.jacobian import jacobian
from ..dynamics.kinematics import forward_kinematics
from ..errors import AssemblyError, StateError
from ..model.model import need_model
from ..spatial.pose import Pose
from .assembly import check_tolerance, close, held_flags, sliding, step_units
from .bounded_step import bounded_step, motions
from .split_rows import split_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model

REACH = 0.5  # the longest step, rad, or in lengths of the mechanism
DAMPING, LEAST = 1e-4, 1e-12  # of steps: times the square of the errors, and the least
CLOSED = 1e-11  # rad or lengths: gaps that steps need not look at; what closes them after a step does
SHORTEST = 1e-9  # rad or lengths, of steps
NEAR = 6e-6  # rad or lengths: the step of central differences, at which cutting off and rounding lose alike
CURVED = 1e-6  # of the largest curvature: below it a negative one is rounding
STATIONARY = 1e-9  # of the largest error: the projected gradient of a pose that is as near as it gets
EQUALLY_NEAR = 1e-3  # of the squares that are left: two answers that are equally near
PATIENCE = 16  # steps that do not help, one after another
EPS = float(np.finfo(float).eps)


class Target(NamedTuple):
    """Where a frame, a body (by name, or itself) or a place on one shall be: `position` (..., 3) and/or `rotation` (..., 3, 3 or quaternion wxyz)
    in the world, None for free.

    `weight` (per length of the mechanism) and `turn_weight` (per rad) say how much each counts where not all targets can be met.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("arm")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> hand = lw.Target(arm.at(1, 0, 0), position=(0.6, 0.8, 0.0))
    >>> found = lw.inverse_kinematics(m.build(), [0.1], [hand])
    >>> round(float(found.q[0]), 6)  # atan2(0.8, 0.6)
    0.927295
    """

    frame: Any
    position: object = None
    rotation: object = None
    weight: float = 1.0
    turn_weight: float = 1.0


class Reached(NamedTuple):
    """What inverse kinematics found: q (..., nq); reached (...): all targets within the tolerance; error (...): the largest weighted error that is
    left, m or rad; gap (...): the largest gap of a constraint; iterations.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("arm")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> found = lw.inverse_kinematics(m.build(), [0.1], [lw.Target(arm.at(1, 0, 0), position=(0.0, 2.0, 0.0))])
    >>> bool(found.reached), round(float(found.q[0]), 6), round(float(found.error), 6)  # as near as it comes: pi / 2, 1 m
    (False, 1.570796, 1.0)
    """

    q: np.ndarray
    reached: np.ndarray
    error: np.ndarray
    gap: np.ndarray
    iterations: int


# parameters: a public function; all but the targets are options, given by name
@checked(hold="names", limits="flag", t="times", max_iterations="count", restarts="whole")
def inverse_kinematics(
    model: Model,
    q0: ArrayLike,
    targets: Mapping[Any, Any] | Iterable[Target],
    *,
    hold: Any = (),
    limits: bool = True,
    t: ArrayLike = 0.0,
    tolerance: float = 1e-9,
    max_iterations: int = 200,
    restarts: int = 6,
) -> Reached:
    """Coordinates near q0 that bring frames to their targets as well as weights, limits and constraints allow.

    Args:
        q0: where to start, one state or a batch (..., nq).
        targets: {frame: Pose, or position (..., 3)}, frames and bodies by name or as themselves, or places such as body.at(x, y, z); or a list of
            Target.
        hold: joints (names), or a boolean array (nv,), that keep their coordinates. limits: keep joints within their limits.
        tolerance: of errors, by their largest weight, and of gaps: rad or, of those in m, lengths of the mechanism.
        restarts: where the way from q0 misses the targets (in loops: where a limit ends it), so many others are tried, and the best is taken. 0: stay
            near q0, and take a seventh of the time beyond reach.
    Returns:
        Reached. Beyond reach it is the nearest pose, with reached = False; constraints are closed all the same. No pose around it is nearer; that none
        is anywhere is certain only as far as ways from elsewhere tell.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("arm")
    >>> near = m.ground
    >>> for k in (0, 1):
    ...     far = m.add_body(f"link {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    ...     _ = m.add_joint(f"joint {k}", lw.Revolute((0, 0, 1)), near.at(float(k), 0, 0), far)
    ...     near = far
    >>> _ = m.add_frame("hand", near.at(1, 0, 0))
    >>> found = lw.inverse_kinematics(m.build(), [0.3, 0.3], {"hand": (1.0, 1.0, 0.0)})
    >>> bool(found.reached), (found.q.round(6) + 0.0).tolist()
    (True, [0.0, 1.570796])
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
    q, reached, error, gap, iterations = problem.best(q, tolerance, max_iterations, restarts)
    shape = lambda x: x.reshape(leading) if leading else x.reshape(())  # noqa: E731
    return Reached(q.reshape((*leading, model.nq)), shape(reached), shape(error), shape(gap), iterations)


class _Problem:
    """A batch of states on their way to the targets. Gaps are by the units of their rows, positions by the mechanism's length, errors by the largest weight."""

    def __init__(self, model: Model, targets: list[Any], held: NDArray[np.bool_], limits: bool, times: NDArray[np.float64]) -> None:
        self.model, self.targets, self.held, self.times = model, targets, held, times
        self.unit, self.nearly = step_units(model), np.zeros(len(times), dtype=bool)
        turn = max((w[0] for _, _, R, w in targets if R is not None), default=0.0)
        shift = max((w[1] for _, p, _, w in targets if p is not None), default=0.0)
        self.row_unit, self.length, self.most = row_units(model), float(model.constraint_tables.length[0]), max(turn, shift) or 1.0
        self.weights = np.tile(np.repeat([turn or 1.0, shift or 1.0], 3), len(targets))
        self.lower, self.upper, self.coordinate = _limits(model) if limits else _limits(model, without=True)
        self.limits = limits and bool(np.isfinite([self.lower, self.upper]).any())

    def of(self, some: NDArray[np.int64]) -> _Problem:
        """The same problem for some of its states: their numbers."""
        if len(some) == len(self.times) and (some == np.arange(len(some))).all():
            return self
        part = copy.copy(self)
        part.times, part.nearly, part.held = self.times[some], self.nearly[some], self.held[some]
        part.targets = [(f, None if p is None else p[some], None if R is None else R[some], w) for f, p, R, w in self.targets]
        return part

    # ---- what a pose says

    def errors(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted errors (N, 6 k) of the targets."""
        from scipy.spatial.transform import Rotation

        kinematics = forward_kinematics(self.model, q)
        found = []
        for frame, p, R, (turn, shift) in self.targets:
            zero = np.zeros((len(q), 3))
            turned = zero if R is None else Rotation.from_matrix(R @ np.swapaxes(kinematics.rotation(frame), -1, -2)).as_rotvec()
            found.append(
                np.concatenate([turn * turned, zero if p is None else shift / self.length * (p - kinematics.position(frame))], axis=-1)
            )
        return np.concatenate(found, axis=-1) / self.most

    def rows(self, q: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(gaps, G): phi of the constraints by their units, and how they change with velocities by theirs."""
        if not self.model.nc:
            return np.zeros((len(q), 0)), np.zeros((len(q), 0, self.model.nv))
        found = constraint_jacobian(self.model, q, np.zeros((len(q), self.model.nv)), self.times)
        gaps, G = found.phi, found.J
        for k in np.flatnonzero(self.nearly):  # rows that are nearly redundant, by the rule of rank, neither pull nor count
            split = split_rows(self.model, q[k], float(self.times[k]))
            gaps[k] = split.counted(gaps[k])
            G[k, split.dependent] = 0.0
        return gaps / self.row_unit, G / self.row_unit[:, None] * self.unit

    def jacobian(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """J (N, 6 k, nv): how weighted errors fall with velocities by their units."""
        rows = []
        for frame, p, R, (turn, shift) in self.targets:
            J = jacobian(self.model, q, frame)
            J[:, :3] *= 0.0 if R is None else turn
            J[:, 3:] *= 0.0 if p is None else shift / self.length
            rows.append(J)
        return np.concatenate(rows, axis=1) / self.most * self.unit

    def room(self, q: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(lower, upper): how far velocities by their units may go, (N, nv)."""
        at = np.where(self.coordinate >= 0, q[:, self.coordinate], 0.0)
        lower, upper = np.minimum((self.lower - at) / self.unit, 0.0), np.maximum((self.upper - at) / self.unit, 0.0)
        return np.where(self.held, 0.0, lower), np.where(self.held, 0.0, upper)

    def moved(self, q: NDArray[np.float64], dv: NDArray[np.float64]) -> NDArray[np.float64]:
        q = integrate(self.model, q, dv * self.unit)
        return clamp(self.model, q) if self.limits else q

    # ---- steps

    def closed(
        self, q: NDArray[np.float64], tolerance: float, most: int = 4
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """(q, gaps, G): loops closed again after a step, which leaves gaps of second order: else they would keep steps short."""
        gaps, G = self.rows(q)
        for _ in range(most):
            if np.abs(gaps).max(initial=0.0) <= 0.1 * tolerance:
                break
            trial = self.moved(q, _short(self.closing(q, gaps, G)))
            new_gaps, new_G = self.rows(trial)
            better = np.abs(new_gaps).max(axis=-1) < np.abs(gaps).max(axis=-1)
            if not better.any():
                break
            q = np.where(better[:, None], trial, q)
            gaps, G = np.where(better[:, None], new_gaps, gaps), np.where(better[:, None, None], new_G, G)
        return q, gaps, G

    def closing(self, q: NDArray[np.float64], gaps: NDArray[np.float64], G: NDArray[np.float64]) -> NDArray[np.float64]:
        """The least step d (N, nv) with G d = -phi that stays within the limits, as far as there is one."""
        lower, upper = self.room(q)
        held = lower == upper
        for _ in range(4):
            d = -(motions(G, held)[1] @ gaps[..., None])[..., 0]
            beyond = ~held & ((d < lower) | (d > upper)) & ((lower == 0.0) | (upper == 0.0))
            if not beyond.any():
                break
            held = held | beyond
        return np.clip(d, lower, upper)

    def curvature(
        self, q: NDArray[np.float64], errors: NDArray[np.float64], G: NDArray[np.float64], held: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """(N, nv, nv) The second derivatives of 1/2 |errors|^2 along the constraints, by differences of its gradient, G^T lambda included."""
        count, nv = len(q), self.model.nv
        slope = -_times(np.swapaxes(self.jacobian(q), -1, -2), errors)
        multipliers = -_times(np.swapaxes(motions(G, held)[1], -1, -2), slope)
        around = self.of(np.repeat(np.arange(count), nv))
        multipliers, ends = np.repeat(multipliers, nv, axis=0), []
        for step in (NEAR, -NEAR):
            near = integrate(self.model, np.repeat(q, nv, axis=0), np.tile(step * np.diag(self.unit), (count, 1)))
            errors = around.errors(near)
            slopes = -_times(np.swapaxes(around.jacobian(near), -1, -2), errors)
            if self.model.nc:
                slopes += _times(np.swapaxes(around.rows(near)[1], -1, -2), multipliers)
            ends.append(slopes.reshape(count, nv, nv))
        H = (ends[0] - ends[1]) / (2.0 * NEAR)
        return 0.5 * (H + np.swapaxes(H, -1, -2))

    def look(
        self,
        q: NDArray[np.float64],
        errors: NDArray[np.float64],
        rows: tuple[NDArray[np.float64], NDArray[np.float64]],
        curved: NDArray[np.bool_],
        tolerance: float,
    ) -> _Look:
        """What a step from here needs. rows: the gaps and G of this pose."""
        gaps, G = rows
        J = self.jacobian(q)
        slope = -_times(np.swapaxes(J, -1, -2), errors)
        lower, upper = self.room(q)
        H = np.swapaxes(J, -1, -2) @ J
        flat, saddle, some = np.zeros(len(q), dtype=bool), np.zeros_like(slope), np.flatnonzero(curved)
        if len(some):
            eye = np.broadcast_to(np.eye(self.model.nv), (len(some), self.model.nv, self.model.nv))
            downhill, held = bounded_step(eye, slope[some], G[some], lower[some], upper[some])
            closed = np.abs(gaps[some]).max(axis=-1, initial=0.0) <= tolerance
            flat[some] = closed & (
                np.abs(downhill).max(axis=-1, initial=0.0) <= STATIONARY * np.abs(errors[some]).max(axis=-1, initial=0.0)
            )
            exact = self.of(some).curvature(q[some], errors[some], G[some], held)
            P = motions(G[some], held)[0]
            sizes, axes = np.linalg.eigh(P @ exact @ P)
            falls = flat[some] & (sizes[:, 0] < -CURVED * np.abs(sizes).max(axis=-1))
            saddle[some] = np.where(falls[:, None], axes[:, :, 0] / np.abs(axes[:, :, 0]).max(axis=-1, keepdims=True), 0.0)
            P = motions(G[some], lower[some] == upper[some])[0]
            sizes, axes = np.linalg.eigh(P @ exact @ P)
            H = H.copy()
            H[some] = (axes * np.abs(sizes)[:, None, :]) @ np.swapaxes(axes, -1, -2)
        return _Look(gaps, G, J, H, slope, lower, upper, flat, saddle)

    def step(
        self, q: NDArray[np.float64], errors: NDArray[np.float64], look: _Look, damping: NDArray[np.float64], radius: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """(dv, by how much 1/2 |errors|^2 is to fall) of every state, within the limits and a radius."""
        nothing = np.zeros_like(look.slope)
        d = _short(self.closing(q, look.gaps, look.G)) if np.abs(look.gaps).max(initial=0.0) > CLOSED else nothing
        H = look.H + damping[:, None, None] * np.eye(self.model.nv)
        slope = -_times(np.swapaxes(look.J, -1, -2), errors - _times(look.J, d))
        lower, upper = np.maximum(look.lower - d, -radius[:, None]), np.minimum(look.upper - d, radius[:, None])
        x, _ = bounded_step(H, slope, look.G, np.minimum(lower, 0.0), np.maximum(upper, 0.0))
        if (
            look.saddle.any()
        ):  # a pose without slope that is no minimum, as an arm stretched out beyond a target: the way is along the curvature
            along = look.saddle * np.where((look.saddle * look.slope).sum(axis=-1) > 0.0, -radius, radius)[:, None]
            x = np.where(look.saddle.any(axis=-1, keepdims=True), np.clip(along, lower, upper), x)
        fall = -(x * (slope + 0.5 * _times(look.H, x))).sum(axis=-1)
        return d + x, fall, (np.abs(x) >= radius[:, None]).any(axis=-1)

    def best(
        self, q: NDArray[np.float64], tolerance: float, max_iterations: int, restarts: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64], int]:
        """(q, reached, error, gap, iterations) of the best answer: from q, and where that misses the targets, from elsewhere.

        A loop whose way no limit ends is left in its own branch.
        """
        start, found = q, self.solve(q.copy(), tolerance, max_iterations)
        rng = None
        for _ in range(restarts):
            some = np.flatnonzero(~found.reached & (found.ends_at_limit | (not self.model.nc)))
            if not len(some):
                break
            rng = np.random.default_rng(1990) if rng is None else rng  # np.random is loaded on first use
            part = self.of(some)
            again = part.solve(part.elsewhere(start[some], rng), tolerance, max_iterations)
            nearer = again.merit < (1.0 - EQUALLY_NEAR) * found.merit[some]
            for old, new in zip(found[:-1], again[:-1], strict=True):
                old[some[nearer]] = new[nearer]
            found = found._replace(iterations=found.iterations + again.iterations)
        return found.q, found.reached, found.error, found.gap, found.iterations

    def elsewhere(self, q: NDArray[np.float64], rng: Any) -> NDArray[np.float64]:
        """Coordinates that have two limits anywhere between them, hinges of trees without limits anywhere in their turn; the others as they are."""
        q, draw = q.copy(), rng.random((len(q), self.model.nv))
        limited = np.flatnonzero((self.upper - self.lower < np.inf) & ~self.held[0])
        at, low, high = self.coordinate[limited], self.lower[limited], self.upper[limited]
        q[:, at] = low + (high - low) * draw[:, limited]
        if not self.model.nc:
            free = np.isinf(self.lower) & np.isinf(self.upper) & (self.coordinate >= 0) & ~self.held[0] & ~sliding(self.model)
            free = np.flatnonzero(free)
            q[:, self.coordinate[free]] += np.pi * (2.0 * draw[:, free] - 1.0)
        return q

    def solve(self, q: Any, tolerance: Any, max_iterations: int) -> _Found:
        if self.model.nc:
            self.nearly = np.array([split_rows(self.model, x, float(t)).nearly for x, t in zip(q, self.times, strict=True)], dtype=bool)
        errors, (gaps, G) = self.errors(q), self.rows(q)
        count, iterations = len(q), 0
        radius, still = np.full(count, REACH), np.zeros(count, dtype=int)
        curved, rests = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        while iterations < max_iterations:
            busy = np.flatnonzero(~self._met(errors, gaps, tolerance) & (still < PATIENCE) & ~rests)
            if not len(busy):
                break
            iterations += 1
            part, at, e, bent = self.of(busy), q[busy], errors[busy], curved[busy]
            look = part.look(at, e, (gaps[busy], G[busy]), bent, tolerance)
            rests[busy[look.flat & ~look.saddle.any(axis=-1)]] = True
            before = _merit(e, gaps[busy])
            damping = np.where(bent, LEAST, np.maximum(DAMPING * np.minimum(before, 1.0), LEAST))
            dv, fall, far = part.step(at, e, look, damping, radius[busy])
            trial, new_gaps, new_G = part.closed(part.moved(at, dv), tolerance)
            new_errors = part.errors(trial)
            after = _merit(new_errors, new_gaps)
            better = after < before * (1.0 + np.where(bent, 4.0 * EPS, 0.0))
            gain = 0.5 * (before - after) / np.maximum(fall, 1e-300)
            still[busy] = np.where(better & (after < before * (1.0 - 1e-9)), 0, still[busy] + 1)
            curved[busy] |= (gain < 0.5) | (~far & (after > 0.25 * before))
            size = np.abs(dv).max(axis=-1, initial=0.0)
            radius[busy] = np.where(~better | (gain < 0.25), 0.25 * size, np.where(far & (gain > 0.75), 2.0 * radius[busy], radius[busy]))
            radius[busy[curved[busy] & ~bent]] = REACH  # of another function
            radius = np.clip(radius, SHORTEST, REACH)
            q[busy] = np.where(better[:, None], trial, at)
            errors[busy] = np.where(better[:, None], new_errors, e)
            gaps[busy] = np.where(better[:, None], new_gaps, gaps[busy])
            G[busy] = np.where(better[:, None, None], new_G, G[busy])
        for k in np.flatnonzero(np.abs(gaps).max(axis=-1, initial=0.0) > tolerance):
            self._close(k, q, errors, gaps, tolerance)
        given = np.tile(np.repeat([self.most, self.most * self.length], 3), len(self.targets))
        largest = [np.abs(x).max(axis=-1, initial=0.0) for x in (given * errors, self.row_unit * gaps)]
        lower, upper = self.room(q)
        at_limit = (((lower == 0.0) | (upper == 0.0)) & ~self.held).any(axis=-1)
        return _Found(q, self._met(errors, gaps, tolerance), *largest, _merit(errors, gaps), at_limit, iterations)  # type: ignore[call-arg]

    def _close(self, k: Any, q: Any, errors: Any, gaps: Any, tolerance: Any) -> None:
        """Close the constraints of one state as `assemble` does, if they can be."""
        with contextlib.suppress(AssemblyError):
            q[k] = close(self.model, q[k], self.held[k], self.limits, float(self.times[k]), tolerance, 100)
            part = self.of(np.array([k]))
            errors[k], gaps[k] = part.errors(q[[k]])[0], part.rows(q[[k]])[0][0]

    def _met(self, errors: NDArray[np.float64], gaps: NDArray[np.float64], tolerance: float) -> NDArray[np.bool_]:
        """(N,) booleans: are all errors and gaps within the tolerance?"""
        size = np.abs(errors * (self.most / self.weights)).max(axis=-1, initial=0.0)
        return (size <= tolerance) & (np.abs(gaps).max(axis=-1, initial=0.0) <= tolerance)


class _Found(NamedTuple):
    """Answers of a batch: those of Reached, how much is left in all, and whether a joint ended at a limit."""

    q: np.ndarray
    reached: np.ndarray
    error: np.ndarray
    gap: np.ndarray
    merit: np.ndarray
    ends_at_limit: np.ndarray
    iterations: int


class _Look(NamedTuple):
    """What is seen from a pose, velocities by their units: rows of constraints and targets, the quadratic function around it, room within the limits;
    `flat`: does the projected gradient vanish? `saddle`: if so, a direction in which the curvature is negative, or 0."""

    gaps: np.ndarray
    G: np.ndarray
    J: np.ndarray
    H: np.ndarray
    slope: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    flat: np.ndarray
    saddle: np.ndarray


def _times(A: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    return (A @ x[..., None])[..., 0]


def _short(dv: NDArray[np.float64]) -> NDArray[np.float64]:
    """Steps no longer than REACH."""
    return dv * np.minimum(1.0, REACH / np.maximum(np.abs(dv).max(axis=-1, initial=0.0), 1e-300))[:, None]


def _merit(errors: NDArray[np.float64], gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Constraints count much more than targets: they must close, targets need not be within reach."""
    return (errors**2).sum(axis=-1) + 1e4 * (gaps**2).sum(axis=-1)


def _limits(model: Model, without: bool = False) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """(lower, upper, coordinate), each (nv,): the limits, and the number of the coordinate that they are of, -1 for velocities that have none."""
    lower, upper, coordinate = np.full(model.nv, -np.inf), np.full(model.nv, np.inf), np.full(model.nv, -1)
    for joint in model.joints:
        if not (joint.kind.ball or joint.kind.free):
            if not without:
                lower[joint.v_index], upper[joint.v_index] = joint.lower, joint.upper
            coordinate[joint.v_index] = np.arange(joint.q_index.start, joint.q_index.stop)
    return lower, upper, coordinate


def _listed(targets: Any) -> list[Any]:
    if isinstance(targets, Target):
        return [targets]
    if isinstance(targets, dict) and targets:
        return [Target(n, x.translation, x.rotation) if isinstance(x, Pose) else Target(n, x) for n, x in targets.items()]
    targets = list(targets) if isinstance(targets, (list, tuple)) else []
    if not targets or not all(isinstance(target, Target) for target in targets):
        raise StateError("targets: allowed are {frame: Pose or position}, or a list of lw.Target; give at least one", "targets")
    return targets


def _judged(model: Model, target: Any, leading: Any) -> tuple[Any, ...]:
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


def _need_rotation(name: str, off: NDArray[np.float64], allowed: str) -> None:
    """Refuse what is off a rotation by more than QUATERNION_TOLERANCE."""
    if not (off <= QUATERNION_TOLERANCE).all():
        raise StateError(
            f"{name}: rotation is off by {np.max(off):.3g}; allowed is {allowed}, to {QUATERNION_TOLERANCE:g}; normalise it", "targets"
        )


def _array(name: str, what: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = need_array(f"{name}: {what}", value, f"finite numbers of shape (..., {shape[0]})")
    if array.shape[-len(shape) :] != shape or not np.isfinite(array).all():
        raise StateError(f"{name}: {what} has shape {array.shape}; allowed are finite numbers of shape (..., {shape[0]})", "targets")
    return array


def _flat(item: tuple[Any, ...], leading: tuple[int, ...], count: int) -> tuple[Any, ...]:
    frame, p, R, weights, _ = item
    p = None if p is None else np.broadcast_to(p, (*leading, 3)).reshape(count, 3)
    R = None if R is None else np.broadcast_to(R, (*leading, 3, 3)).reshape(count, 3, 3)
    return frame, p, R, weights, leading
