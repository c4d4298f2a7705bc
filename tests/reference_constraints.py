"""Further constraints for the referee, given as plain functions and differentiated by finite differences.

Holonomic phi(poses, q, t) = 0:            phi_dot = J xi + phi_t,   phi_ddot = J x + gamma,
nonholonomic psi(poses, q, V, v, t) = 0:   psi = J xi + psi_0,       psi_dot  = J x + gamma,

with xi = (V of all bodies, v of all joints) and x their rates. Along the path on which every body keeps its V and every joint its v, x = 0:
so gamma is the second rate of phi, or the rate of psi, on this path. The differences are central and of order 8: steps of 1e-2 (m, rad,
s) leave about 1e-14 for first and 1e-12 for second derivatives of functions with features of about 1 m, 1 rad and 1 s.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .reference import moved

STEP = 1e-2
OFFSETS = STEP * np.arange(-4, 5)
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / STEP
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) / STEP**2


class Holonomic(NamedTuple):
    """phi(poses, q, t) = 0, an array of rows; poses of bodies and q of joints by name."""

    phi: Callable

    def rows(self, s, t):
        """(J, gamma) with phi_ddot = J x + gamma. J: the slope of phi along each displacement; gamma: its second rate at x = 0."""
        _, _, n = s.places()
        J = np.array([_weighted(FIRST, lambda h, e=e: self._at(moved(s, h * e), t)) for e in np.eye(n)]).reshape(n, -1).T
        x = s.stacked(s.V, s.v)
        return J, np.atleast_1d(_weighted(SECOND, lambda h: self._at(moved(s, h * x), t + h)))

    def _at(self, s, t):
        return np.atleast_1d(np.asarray(self.phi(s.poses, s.q, t), dtype=float))


class Nonholonomic(NamedTuple):
    """psi(poses, q, V, v, t) = 0, rows that are linear in the velocities V of the bodies and v of the joints, by name."""

    psi: Callable

    def rows(self, s, t):
        """(J, gamma) with psi_dot = J x + gamma. J: the part of psi that the velocities give; gamma: its rate at x = 0."""
        x = s.stacked(s.V, s.v)
        still = self._at(s, 0.0 * x, t)
        J = np.array([self._at(s, e, t) - still for e in np.eye(len(x))]).reshape(len(x), -1).T
        return J, np.atleast_1d(_weighted(FIRST, lambda h: self._at(moved(s, h * x), x, t + h)))

    def _at(self, s, x, t):
        V, v = s.split(x)
        return np.atleast_1d(np.asarray(self.psi(s.poses, s.q, {"ground": np.zeros(6), **V}, v, t), dtype=float))


def _weighted(weights, function):
    return sum(w * function(h) for w, h in zip(weights, OFFSETS, strict=True) if w)
