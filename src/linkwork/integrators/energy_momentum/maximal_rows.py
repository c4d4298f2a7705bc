"""Joints and constraints as quadratic rows of maximal coordinates (maximal.py), and joint coordinates read back from poses.

joint           points            axes                          q from  R = R_F^T R_M,  p = R_F^T (r_M - r_F)
ball, free      coincide, -       -                             quaternion of R, p
no turns        coincide, or      F_x . M_y = F_y . M_z = 0     a . p for each slide a
one turn a      planes across     a_M across two axes of F      angle of R about a
two turns a, b  the slides        a_F . b_M = a . b             of R b about a, and of R^T a about b
"""

import numpy as np

from ...errors import ModelError
from ...parts.constraints.lock import COORDINATES
from ...parts.constraints.measure import Angle, Distance
from ...parts.constraints.places import Coincident, ParallelAxes, PointOnLine, PointOnPlane, SameOrientation
from ...spatial.pose import Pose


class JointMarks:
    """A joint by its two frames F and M: its rows, and its coordinates from poses."""

    def __init__(self, joint, maximal):
        self.joint, kind = joint, joint.kind
        parent, child = (joint.child, joint.parent) if joint.backwards else (joint.parent, joint.child)
        self.F, self.M = maximal.mark(parent, joint.parent_pose), maximal.mark(child, joint.child_pose)
        if kind.custom or any(e.turn and e.slide for e in kind.elements or ()):
            raise ModelError(
                f"EnergyMomentum: joint {joint.name!r} is {type(kind).__name__}, whose rows are not quadratic in poses; allowed are revolute, prismatic, "
                "cylindrical, universal, planar, translational, spherical, free and weld; use Variational or Implicit"
            )
        if np.any(np.asarray(joint.armature) > 0.0):
            raise ModelError(
                f"EnergyMomentum: joint {joint.name!r} has an armature, allowed is none; give the rotor as a body, or use another integrator"
            )
        free = kind.ball or kind.free
        self.turns = [] if free else [np.array(e.axis) for e in kind.elements if e.turn]
        self.slides = [] if free else [np.array(e.axis) for e in kind.elements if e.slide]
        self.order = [] if free else [bool(e.turn) for e in kind.elements]
        self._dials = self._laid_dials()
        self._add_rows(maximal)

    def _add_rows(self, maximal):
        name, F, M, kind = f"joint {self.joint.name!r}", self.F, self.M, self.joint.kind
        if kind.free:
            return
        if not self.slides:
            maximal.coincide(name, F, M)
        for n in _complement(self.slides) if self.slides else ():
            maximal.in_plane(name, F, n, M)
        if kind.ball:
            return
        if not self.turns:
            maximal.same_axes(name, F, M)
        elif len(self.turns) == 1:
            maximal.parallel(name, F, self.turns[0], M, self.turns[0])
        else:
            maximal.at_angle(name, F, self.turns[0], M, self.turns[1], float(self.turns[0] @ self.turns[1]))

    def read(self, frames, q, v, old, guess):
        """Fill the joint's q and v."""
        (R_P, p_P, u_P, w_P), (R_C, p_C, u_C, w_C) = frames[self.F.body], frames[self.M.body]
        R_F, R_M = R_P @ self.F.R, R_C @ self.M.R
        r_F, r_M = R_P @ self.F.r, R_C @ self.M.r
        D = p_C + r_M - p_P - r_F
        R, shift = R_F.T @ R_M, R_F.T @ D
        speed = R_F.T @ (u_C + cross(w_C, r_M) - u_P - cross(w_P, r_F) - cross(w_P, D))
        turning = R_M.T @ (w_C - w_P)
        at, iq, iv = self.joint, self.joint.q_index, self.joint.v_index
        if at.kind.ball or at.kind.free:
            near = old[iq][-4:]
            turn = _quaternion(R)
            turn = -turn if turn @ near < 0.0 else turn
            q[iq] = np.concatenate([shift, turn]) if at.kind.free else turn
            v[iv] = np.concatenate([turning, R.T @ speed]) if at.kind.free else turning
            return
        angles, rates = self._angles(R, turning)
        slides = [(a @ shift, a @ speed) for a in self.slides]
        for k, turns in enumerate(self.order):
            value, rate = (angles.pop(0), rates.pop(0)) if turns else slides.pop(0)
            if turns:
                value += 2.0 * np.pi * np.round((guess[iq.start + k] - value) / (2.0 * np.pi))
            q[iq.start + k], v[iv.start + k] = value, rate

    def _laid_dials(self):
        """Pairs of axes on which the angles are read."""
        if not self.turns:
            return ()
        if len(self.turns) == 1:
            return (across(self.turns[0]),)
        a, b = self.turns
        return level(b, a), level(a, b)

    def _angles(self, R, turning):
        if not self.turns:
            return [], []
        if len(self.turns) == 1:
            e, f = self._dials[0]
            x = R @ e
            return [np.arctan2(f @ x, e @ x)], [self.turns[0] @ turning]
        (a, b), ((e, f), (g, h)) = self.turns, self._dials
        x, seen = R @ b, R.T @ a
        rates = np.linalg.lstsq(np.column_stack([seen, b]), turning, rcond=None)[0]
        return [np.arctan2(f @ x, e @ x), -np.arctan2(h @ seen, g @ seen)], list(rates)


def constraint_rows(maximal, constraint):
    kind, name = constraint.kind, f"constraint {constraint.name!r}"
    laws = [getattr(kind, field) for field in ("length", "height", "angle", *COORDINATES) if hasattr(getattr(kind, field, None), "moves")]
    if any(law.moves for law in laws):
        raise ModelError(
            f"EnergyMomentum: {name} prescribes a motion, whose work no energy accounts for; allowed are constraints at rest; use Implicit or Variational"
        )
    marks = [maximal.mark(*place) for place in constraint.places]
    if not constraint.holonomic or len(marks) != 2 or not isinstance(kind, _KNOWN):
        raise ModelError(
            f"EnergyMomentum: {name} is {type(kind).__name__}, which is not quadratic in poses or holds velocities only; allowed are "
            f"{', '.join(k.__name__ for k in _KNOWN)}; use Implicit or Variational"
        )
    a, b = marks
    if isinstance(kind, Coincident):
        maximal.coincide(name, a, b)
    elif isinstance(kind, Distance):
        maximal.distance(name, a, b, kind.length.value)
    elif isinstance(kind, PointOnLine):
        for n in across(_unit(kind.axis)):
            maximal.in_plane(name, b, n, a)
    elif isinstance(kind, PointOnPlane):
        maximal.in_plane(name, b, _unit(kind.normal), a, kind.height.value)
    elif isinstance(kind, ParallelAxes):
        maximal.parallel(name, a, _unit(kind.axis_a), b, _unit(kind.axis_b))
    elif isinstance(kind, Angle):
        maximal.at_angle(name, a, _unit(kind.axis_a), b, _unit(kind.axis_b), float(np.cos(kind.angle.value)))
    else:
        maximal.same_axes(name, a, b)


_KNOWN = (Coincident, Distance, PointOnLine, PointOnPlane, ParallelAxes, SameOrientation, Angle)


_NEXT, _AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])


def cross(a, b):
    """a x b along the last axis; NumPy's own looks at its arguments ten times longer than it multiplies."""
    return a[..., _NEXT] * b[..., _AFTER] - a[..., _AFTER] * b[..., _NEXT]


def _unit(a):
    return np.asarray(a, dtype=float) / np.linalg.norm(a)


def across(a):
    """Two unit vectors that make a right-handed set with a: (e, f), a = e x f."""
    e = np.eye(3)[int(np.argmin(np.abs(a)))]
    e = _unit(e - (e @ a) * a)
    return e, cross(a, e)


def level(b, a):
    """The part of b across a as a unit vector, and that turned by a right angle about a."""
    e = _unit(b - (b @ a) * a)
    return e, cross(a, e)


def _complement(axes):
    """Unit vectors across all of some orthonormal axes."""
    if len(axes) == 1:
        return across(axes[0])
    return [cross(*axes)] if len(axes) == 2 else []


def _quaternion(R):
    return np.array(Pose(rotation=R).quaternion)
