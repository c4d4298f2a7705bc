r"""Forces as discrete gradients in maximal coordinates: what they take from the motion is exactly what their energy gains.

The energy V of a law between two places depends on how one stands in the other, pi = (X_i . Y_j, X_i . D), twelve products of the axes X, Y and of
D = p_Y - p_X, each quadratic in the coordinates. With w the mean of dV/dpi at both ends of the step (Gonzalez 1996)

    V_pi = w + (V_1 - V_0 - w . dpi) / (dpi . W dpi) W dpi,          force = - sum_k V_pi,k grad pi_k(middle),          work = -(V_1 - V_0)

W makes the products comparable: 1, and 1 / length^2 for those in m. The products do not change when everything turns, so no such force changes the angular
momentum. A joint coordinate s is a product (slides) or the
angle of two products (turns), and its force is -(V_1 - V_0) / (s_1 - s_0) times the discrete gradient of s.
What a law does because of velocities (dampers), or without any energy (motors, tables of time, jets), acts at the middle of the step.
A law has no energy in a step if V is exactly zero at both of its ends; so one that begins to push later is seen when it does.
"""

import ctypes
import functools

import numpy as np

from ...errors import ModelError
from ...kernels import JIT
from ...parts.forces.kind import GIVEN, MARKER, WRENCHES
from .maximal import BODY
from .maximal_rows import cross

NUDGES = (1e-6, 1e-9)  # rad, lengths of the mechanism: a law that sets in within the first is judged by the second
AGREES = 1e-4  # of the force: the allowed error of a difference of energies
ROUNDING = 4 * np.finfo(float).eps  # of an energy


def follows(law, unit, size):
    """Does a law along one motion, s -> (force along it, V), draw on V at s = 0? size: of the forces there. It is checked on both sides separately: where a
    law sets in, or ends, it has a kink, and follows on the side where it acts."""
    force, V = law(0.0)
    for nudge in NUDGES:
        for s in (nudge * unit, -nudge * unit):
            other, V_other = law(s)
            mismatch = V_other - V + 0.5 * s * (force + other)
            if abs(mismatch) <= AGREES * abs(s) * max(size, abs(other)) + ROUNDING * max(abs(V), abs(V_other)):
                return True
    return False


class ForceLaw:
    """A compiled law that Python calls."""

    def __init__(self, info, active_forces, k, code):
        self.info, self.active_forces, self.k, self.code = info, active_forces, k, code
        self.parameters = active_forces.parameters_of(k)
        if JIT:
            kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
            self._call = kind(int(code))

    @property
    def acts(self):
        return self.active_forces.on[self.k] != 0

    def __call__(self, given, size):
        out = np.zeros(size)
        if JIT:
            self._call(given.ctypes.data, self.parameters, out.ctypes.data)
        else:
            self.code(given, self.parameters, out)
        return out


class Force:
    """A force in maximal coordinates. `bodies`: the numbers that it acts on."""

    def __init__(self, law, index, marks):
        self.law, self.index = law, index
        self.bodies = sorted({mark.body for mark in marks})

    def places(self, maximal):
        return np.concatenate([BODY * b + np.arange(BODY) for b in self.bodies if b < maximal.model.nb])

    def refuse(self):
        raise ModelError(
            f"EnergyMomentum: force {self.law.info.name!r} stores energy that is not the one its force draws on; allowed are forces that follow from "
            "their energy, dampers, and forces without energy; use Implicit or Variational"
        )


class PlacesForce(Force):
    def __init__(self, law, index, a, b):
        super().__init__(law, index, (a, b))
        self.a, self.b = a, b

    def _call(self, frames, t, moving, z=None):
        """(n_a, f_a, n_b, f_b, V) in world axes, at frames of bodies; without velocities unless moving. z: numbers that tell the points instead."""
        given = np.zeros(GIVEN)
        for mark, at in ((self.a, 0), (self.b, MARKER)):
            R, c, u, w = frames[mark.body]
            r = R @ mark.r if z is None else mark.r @ numbers_of(z, mark)[1:]
            given[at : at + 9] = (R @ mark.R).ravel()
            given[at + 9 : at + 12] = c + r
            if moving:
                given[at + 12 : at + 15], given[at + 15 : at + 18] = w, u + cross(w, r)
        given[2 * MARKER] = t
        out = self.law(given, WRENCHES)
        return out[:3], out[3:6], out[6:9], out[9:12], float(out[12])

    def _pair(self, maximal):
        """(X, Y, sign): the reference and the other; the ground, if it is one of them, is the reference."""
        return (self.b, self.a, 0) if self.b.body == maximal.model.nb else (self.a, self.b, 1)

    def _standing(self, maximal, z):
        """Axes (columns) and points of X and Y at numbers z, which need not be those of rigid bodies."""
        found = []
        for mark in self._pair(maximal)[:2]:
            Z = z[BODY * mark.body : BODY * (mark.body + 1)].reshape(4, 3)
            found += [Z[1:].T @ mark.R, Z[0] + Z[1:].T @ mark.r]
        return found

    def _products(self, maximal, z):
        A, p, B, r = self._standing(maximal, z)
        return np.column_stack([A.T @ B, A.T @ (r - p)])

    def _slope(self, maximal, frames, t):
        """(dV/dpi, V) at a state of rigid bodies."""
        X, Y, other = self._pair(maximal)
        n_a, f_a, n_b, f_b, V = self._call(frames, t, False)
        n, f = (n_b, f_b) if other else (n_a, f_a)
        A = frames[X.body][0] @ X.R
        B = frames[Y.body][0] @ Y.R
        turn = A.T @ n
        half = -0.5 * cross(turn, (A.T @ B).T).T
        return np.column_stack([half, -(A.T @ f)]), V

    def judge(self, maximal, t, z, u):
        """Refuse a force at rest that does not follow from its energy, if it has any: compared along six motions of Y; what acts on X is the reaction."""
        X, Y, other = self._pair(maximal)
        frames = maximal.frames(z, u)
        if Y.body == maximal.model.nb:
            return
        n_a, f_a, n_b, f_b, V = self._call(frames, t, False)
        if V == 0.0:
            return
        R, c, *rest = frames[Y.body]
        r = R @ Y.r
        length = maximal.length

        def moved(k, s):
            """(force along it, V) for s of motion k: turns about world axes through the point of Y, 1 rad, and shifts along them by the mechanism's length."""
            turn, shift = (np.eye(3)[k] * s, np.zeros(3)) if k < 3 else (np.zeros(3), np.eye(3)[k - 3] * length * s)
            T = _turn(turn)
            there = list(frames)
            there[Y.body] = (T @ R, c + r - T @ r + shift, *rest)
            n_a, f_a, n_b, f_b, V = self._call(there, t, False)
            n, f = (n_b, f_b) if other else (n_a, f_a)
            return float(n[k] if k < 3 else length * f[k - 3]), V

        size = max(abs(moved(k, 0.0)[0]) for k in range(6))
        if not all(follows(functools.partial(moved, k), 1.0, size) for k in range(6)):
            self.refuse()
        if X.body == maximal.model.nb:  # the ground takes any reaction: that of a load comes from outside
            return
        p_a, p_b = (frames[mark.body][1] + frames[mark.body][0] @ mark.r for mark in (self.a, self.b))
        left = np.concatenate([n_a + n_b + cross(p_a - p_b, f_a), length * (f_a + f_b)])  # of action and reaction, about the second point
        if np.abs(left).max() > 1e-9 * (1.0 + np.abs(p_a - p_b).max() / length) * size:
            self.refuse()

    def pull(self, maximal, step):
        """(generalised force on all numbers, change of V, work of what has no energy) over a step."""
        whole, force = np.zeros(maximal.size + BODY), np.zeros(maximal.size + BODY)
        X, Y, _ = self._pair(maximal)
        change = 0.0
        # Both ends at the time of the middle: what the energy changes by time alone is no work of the motion.
        (w0, V0), (w1, V1) = (self._slope(maximal, frames, step.times[1]) for frames in step.frames[:2])
        elastic = V0 != 0.0 or V1 != 0.0
        if elastic:
            d = self._products(maximal, step.z[1]) - self._products(maximal, step.z[0])
            way = d / np.array([1.0, 1.0, 1.0, maximal.length**2])
            w, change, square = 0.5 * (w0 + w1), V1 - V0, float((d * way).sum())
            if square > 1e-28:
                w = w + (change - float((w * d).sum())) / square * way
            A, p, B, r = self._standing(maximal, step.middle)
            D = r - p
            # grad of X_i . Y_j and of X_i . D, spread on axes and points, then on the bodies' numbers.
            self._spread(force, X, -(w[:, :3] @ B.T + np.outer(w[:, 3], D)), A @ w[:, 3])
            self._spread(force, Y, -(w[:, :3].T @ A.T), -(A @ w[:, 3]))
        rest = self._call(step.frames[2], step.times[1], True, step.middle)
        if elastic:
            still = self._call(step.frames[2], step.times[1], False, step.middle)
            rest = tuple(a - b for a, b in zip(rest, still, strict=True))
        for mark, n, f in ((self.a, rest[0], rest[1]), (self.b, rest[2], rest[3])):
            press(whole, step.middle, mark, n, f)
        move = step.z[1] - step.z[0]
        return (force + whole)[: maximal.size], change, float(whole @ move)

    @staticmethod
    def _spread(force, mark, axes, f):
        """axes: force on each axis of the mark (rows), f: on its point."""
        at = force[BODY * mark.body : BODY * (mark.body + 1)].reshape(4, 3)
        at[0] += f
        at[1:] += mark.R @ axes + np.outer(mark.r, f)


class Step:
    """Both ends of a step and its middle: numbers with those of the ground behind, frames, times."""

    # parameters: the step, the state at its start, and both ends in maximal coordinates
    def __init__(self, maximal, t, h, q, v, z0, u0, z1, u1):
        self.times, self.q, self.v = (t, t + 0.5 * h, t + h), q, v
        self.z = [np.concatenate([z, ground()]) for z in (z0, z1)]
        self.middle = 0.5 * (self.z[0] + self.z[1])
        middle = self.middle[: maximal.size].reshape(-1, 4, 3).copy()
        U, _, V = np.linalg.svd(middle[:, 1:])
        middle[:, 1:] = U @ V  # the nearest rotation
        rate = (self.z[1] - self.z[0])[: maximal.size] / h
        self.frames = maximal.frames(z0, u0), maximal.frames(z1, u1), maximal.frames(middle.ravel(), rate)


def numbers_of(z, mark):
    """The numbers of a mark's body, (4, 3)."""
    return z[BODY * mark.body : BODY * (mark.body + 1)].reshape(4, 3)


def press(whole, z, mark, n, f):
    """Put a force at a mark's point and a couple on its body. In the middle of a step axes are no unit vectors: the couple is scaled so that it is n."""
    Z, at = numbers_of(z, mark), numbers_of(whole, mark)
    at[0] += f
    at[1:] += np.outer(mark.r, f)
    if n.any():
        d = Z[1:]
        turn = np.linalg.solve(np.trace(d @ d.T) * np.eye(3) - d.T @ d, n)
        at[1:] += cross(turn, d)


def ground():
    return np.concatenate([np.zeros(3), np.eye(3).ravel()])


def _turn(w):
    a = np.linalg.norm(w)
    if a == 0.0:
        return np.eye(3)
    k = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) / a
    return np.eye(3) + np.sin(a) * k + (1 - np.cos(a)) * k @ k
