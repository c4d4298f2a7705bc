"""Spherical joint: the child turns in any way about the common origin of the joint frames.

q = (w, x, y, z), a unit quaternion with p_parent = R(q) p_child;   v = angular velocity of the child in the parent, in the child's frame;

X_J = R(q),   S = [1; 0] (6 x 3),   Sdot v = 0,   dq/dt = 1/2 q * (0, v)     (Featherstone 1987, eq. 8.1-8.2).
"""

from dataclasses import dataclass

from .kind import JointKind


@dataclass(frozen=True, repr=False)
class Spherical(JointKind):
    """A ball in a socket. q: unit quaternion wxyz, child to parent; v: angular velocity in the child's joint frame, rad/s.

    >>> import linkwork as lw
    >>> ball = lw.Spherical(damping=0.1)
    >>> ball.nq, ball.nv, ball.damping
    (4, 3, (0.1, 0.1, 0.1))
    """

    nq, nv = 4, 3
    ball = True
