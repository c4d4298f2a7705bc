"""Jacobians of frames: V_F = J(q) v, by walking from the frame to the root.

"world": rows are angular velocity and velocity of the frame's origin, in world axes. "body": the frame's spatial velocity in its own axes.
A column of joint i is the motion that a unit rate of it gives the frame: with z the joint axis through p_i in the world,
    revolute (z, z x (p_F - p_i)),    prismatic (0, z),    in general (R_i w, R_i u + R_i w x (p_F - p_i)) for S = (w, u).
"""

import numpy as np

from ..data.lending import KNOWN, beside_of
from ..data.tree import TreeData
from ..errors import StateError
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.model import Model, need_model
from ..model.tables import open_tables
from ..options import checked
from ..spatial.matrices import apply9, apply9_transposed, times9
from ..spatial.vectors import add3, cross3, sub3
from .bound import Bound, Route
from .call import Driver, deliver, run
from .exchange import clear, put, take_q
from .joints.joint import column_of
from .kinematics import forward_kinematics
from .sweep import POSE_ORDER, body_pose, sweep_links


@kernel
def _jacobian(handle, data, start, stop, row, q, out) -> int:
    """`row`: body index, R (9), p (3) of the frame in the body, 1 for body axes."""
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    motion, o, b = tree.motion, zero(tree), int(row[0])
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k), 0.0):
            return k + 1
        clear(out, k)
        if b < 0:
            continue
        sweep_links(model, motion, tree.q, tree.v, tree.vdot, POSE_ORDER)
        R, p = body_pose(model, motion, b)
        p = add3(p, apply9(R, (o + row[10], o + row[11], o + row[12])))
        F = (o + row[1], o + row[2], o + row[3], o + row[4], o + row[5], o + row[6], o + row[7], o + row[8], o + row[9])
        R = times9(R, F)
        i = model.bodies[b].link
        while i >= 0:
            joint, link = model.links[i], motion.links[i]
            Q, arm = link.R, sub3(p, link.p)
            for column in range(joint.nv):
                S = column_of(model, motion, i, column)
                angular = apply9(Q, (S[0], S[1], S[2]))
                linear = add3(apply9(Q, (S[3], S[4], S[5])), cross3(angular, arm))
                if row[13] != 0.0:
                    angular, linear = apply9_transposed(R, angular), apply9_transposed(R, linear)
                for j in range(3):
                    put(out, k, j, joint.v + column, angular[j])
                    put(out, k, j + 3, joint.v + column, linear[j])
            i = joint.parent
    return 0


_driver = Driver(_jacobian, 1, 2, constants=1)
_bound = Bound(Route(_driver, (14, "nq"), ((6, "nv"),)))


@_bound.within
def jacobian(model, q, frame, *, axes="world", out=None, threads=1):
    """J(q) of a frame or body by name, (..., 6, nv): its velocity is J v, three angular rows first, then three linear ones.

    axes="world": angular velocity, and velocity of the frame's origin, both in world axes. axes="body": the spatial velocity of the frame in
    its own axes, i.e. the same two vectors turned into the frame's axes.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> _ = m.add_frame("tip", arm.at(2.0, 0, 0))
    >>> lw.jacobian(m.build(), [0.0], "tip")[:, 0].tolist()
    [0.0, 0.0, 1.0, 0.0, 2.0, 0.0]
    """
    if out is None and type(threads) is int and threads == 1 and type(frame) is str and type(model) is Model:
        beside = KNOWN.get(id(model))
        row = beside.kept.get(("jacobian", axes, frame)) if beside is not None and type(axes) is str else None
        result = None if row is None else _bound.short(model, row, q)
        if result is not None:
            return result
    need_model(model)
    info = model.frame(frame)
    if not isinstance(axes, str) or axes not in ("world", "body"):
        raise StateError(f"axes: found {axes!r}; allowed are 'world' and 'body'", "axes")
    row = np.array([info.body, *info.pose.rotation.ravel(), *info.pose.translation, axes == "body"], dtype=float)
    if type(frame) is str:
        beside_of(model).kept["jacobian", axes, frame] = row
    return run(_driver, model, [("q", q, (model.nq,))], [(6, model.nv)], out, threads, (row,))


@checked(frame="frame", axes="word", threads="threads")
def jacobian_rate_times_v(model, q, v, frame, *, axes="world", out=None, threads=1):
    """dJ/dt v: the acceleration of the frame when vdot = 0, (..., 6), in the sense of `Kinematics.acceleration`.

    For many frames of one state call `forward_kinematics(model, q, v, np.zeros(model.nv))` once and ask it for their accelerations.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> _ = m.add_frame("tip", arm.at(2.0, 0, 0))
    >>> lw.jacobian_rate_times_v(m.build(), [0.0], [3.0], "tip")[3:].tolist()  # towards the pivot
    [-18.0, 0.0, 0.0]
    """
    need_model(model)
    kinematics = forward_kinematics(model, q, v, np.zeros(model.nv), threads=threads)
    return deliver(kinematics.acceleration(frame, axes), out)
