"""Free joint: no constraint at all; it only says where the child is.

q = (x y z, qw qx qy qz): position of the child's joint frame in the parent's, unit quaternion child to parent;
v = [omega; v]: spatial velocity of the child's joint frame, in that frame, angular first;

X_J = (R(q), p),   S = 1 (6 x 6),   Sdot v = 0,   dp/dt = R v_linear,   dquat/dt = 1/2 quat * (0, omega).
"""

from dataclasses import dataclass

from .kind import JointKind


@dataclass(frozen=True, repr=False)
class Free(JointKind):
    """Six degrees of freedom. q: (x y z in m, unit quaternion wxyz); v: (angular rad/s, linear m/s) in the child's joint frame.

    >>> import linkwork as lw
    >>> free = lw.Free()
    >>> free.nq, free.nv
    (7, 6)
    """

    nq, nv = 7, 6
    free = True
