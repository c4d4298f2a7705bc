r"""The referee: dynamics of any mechanism, with loops or without, by dense linear algebra on maximal coordinates.

Nothing here knows of trees, recursions, cuts or link frames. Every body has a pose X_WB and a spatial velocity V in its own frame, every
joint its coordinates q and velocities v, and every joint, whether or not it closes a loop, says the same: the motion of its child's
place M relative to its parent's place F is S(q) v. With X = X_FM, and adjoints Ad that carry motions into M,

    Ad(X_CM^-1) V_child - Ad(X_PM^-1) V_parent = S v                                                                     (1)

and, differentiated component by component, with the child's velocity V_M seen in M (Featherstone 1987, eq. 4.9),

    Ad(X_CM^-1) A_child - Ad(X_PM^-1) A_parent = S vdot + Sdot v + V_M x S v.                                            (2)

Let x = (all A, all vdot): the rows (2) are C x = c, six for each joint, and (1) is C (all V, all v) = 0 with the same C. Let F be the whole
wrench of each joint on its child, drive included, in M about M's origin. Newton and Euler for every body, and the drive of every joint
(which has to move its armature D too), are

    I A + V x* I V - I g - f_ext = sum of its joints' wrenches,        D vdot = tau - S^T F                              (3)

which is H x = h + C^T F with H = diag(all I, all D): the multipliers of C x = c are the joints' wrenches. Solved by the null space N of C:

    x = C^+ c + N y,    (N^T H N) y = N^T (h - H C^+ c),    F = (C^T)^+ (H x - h),                                       (4)

with one rank decision, on geometry alone. The number of columns of N is the mobility; the rows that C has beyond its rank are the
redundant ones. F is the wrench of least |F|, all joints together; `Solution.stresses` spans what may be added to it.

Further constraints, `extra`, have a method rows(snapshot, t) that gives (J, gamma) with J x + gamma = 0: see reference_constraints.py.
reference_motion.py moves snapshots about.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

import linkwork as lw

# Singular values of C below this part of the largest count as zero. C holds directions and lengths of about 1 m, so rounding leaves
# 1e-15, and places closed to 1e-12 leave that; the least motion that a mechanism of some dozen parts really hinders is above 1e-5.
RANK = 1e-9

# ------------------------------------------------------------------------------------------------------------ one joint


def cross_motion(V):
    """The 6x6 matrix of V x, for motions."""
    (a, b, c), (d, e, f) = V[:3], V[3:]
    w = np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
    u = np.array([[0.0, -f, e], [f, 0.0, -d], [-e, d, 0.0]])
    return np.block([[w, np.zeros((3, 3))], [u, w]])


def screw(element):
    """A motion about and along an axis through the origin, per unit of q."""
    axis = np.array(element.axis)
    return np.concatenate([element.turn * axis, element.slide * axis])


def rest(kind):
    """The coordinates in which a joint stands at rest: zeros, and quaternions of no turn."""
    return np.array({"ball": [1.0, 0, 0, 0], "free": [0.0, 0, 0, 1, 0, 0, 0]}.get(_manifold(kind), [0.0] * kind.nq))


def _manifold(kind):
    return "ball" if kind.ball else "free" if kind.free else "flat"


def joint_pose(kind, q):
    """X_FM(q)."""
    if kind.ball:
        return lw.Pose((0.0, 0.0, 0.0), q)
    if kind.free or kind.custom:
        pose = np.asarray(q if kind.free else kind.pose(q), dtype=float)
        return lw.Pose(pose[:3], pose[3:])
    X = lw.Pose()
    for element, angle in zip(kind.elements or (), q, strict=True):
        X = X @ lw.Pose.exp(screw(element) * angle)
    return X


def joint_motion(kind, q, v):
    """(S, Sdot v) in M. Of a product of exponentials, the columns are carried along by the factors behind them: S_k' = -w x S_k."""
    if kind.custom:
        return np.array(kind.motion(q), dtype=float).T, np.array(kind.rate(q, v), dtype=float)
    if kind.ball or kind.free:
        return np.eye(6)[:, : kind.nv], np.zeros(6)
    S, rate, behind, w = np.zeros((6, kind.nv)), np.zeros(6), lw.Pose(), np.zeros(6)
    for k in reversed(range(kind.nv)):
        s = screw(kind.elements[k])
        S[:, k] = behind.inverse().adjoint @ s
        rate -= cross_motion(w) @ S[:, k] * v[k]
        w += S[:, k] * v[k]
        behind = lw.Pose.exp(s * q[k]) @ behind
    return S, rate


def advanced(kind, q, dq):
    """Coordinates after a displacement dq (a velocity times a time)."""
    if kind.ball:
        return (lw.Pose((0.0, 0.0, 0.0), q) @ lw.Pose.exp([*dq, 0.0, 0.0, 0.0])).quaternion
    if kind.free:
        X = joint_pose(kind, q) @ lw.Pose.exp(dq)
        return np.concatenate([X.translation, X.quaternion])
    return np.asarray(q, dtype=float) + dq


# -------------------------------------------------------------------------------------------------------- a mechanism in motion


class JointPart(NamedTuple):
    """What a joint says: a kind, and a place on each of two bodies."""

    name: str
    kind: lw.JointKind
    parent: str
    X_PF: lw.Pose
    child: str
    X_CM: lw.Pose


@dataclass(frozen=True)
class Snapshot:
    """A mechanism at one moment. Dictionaries by the names of bodies (poses and V; "ground" is there too) and of joints (q and v)."""

    mechanism: lw.Mechanism
    joints: tuple[JointPart, ...]
    poses: dict[str, lw.Pose]
    q: dict[str, np.ndarray]
    V: dict[str, np.ndarray]
    v: dict[str, np.ndarray]

    def places(self):
        """Where every unknown of x stands: slices by (body's name) and by (joint's name), and the length of x."""
        bodies, joints, at = {}, {}, 0
        for body in self.mechanism.bodies:
            bodies[body.name], at = slice(at, at + 6), at + 6
        for joint in self.joints:
            joints[joint.name], at = slice(at, at + joint.kind.nv), at + joint.kind.nv
        return bodies, joints, at

    def stacked(self, by_body, by_joint):
        """One vector of what is given by names; zeros for what is not."""
        bodies, joints, n = self.places()
        x = np.zeros(n)
        for table, where in ((by_body, bodies), (by_joint, joints)):
            for name, value in table.items():
                if name != "ground":
                    x[where[name]] = value
        return x

    def split(self, x):
        """The reverse: dictionaries by body and by joint."""
        bodies, joints, _ = self.places()
        return {name: x[k] for name, k in bodies.items()}, {name: x[k] for name, k in joints.items()}


def _joint_parts(mechanism, floating=()):
    parts = [JointPart(j.name, j.kind, j.parent_body, j.parent_pose, j.child_body, j.child_pose) for j in mechanism.joints]
    free = [JointPart(f"{root}.free", lw.Free(), "ground", lw.Pose(), root, lw.Pose()) for root in floating]
    return tuple(parts + free)


def at_rest(mechanism, poses, q=None):
    """A mechanism at rest with its bodies at the given poses. Joints stand at the given coordinates, or at rest."""
    joints = _joint_parts(mechanism)
    q = {j.name: np.asarray((q or {}).get(j.name, rest(j.kind)), dtype=float) for j in joints}
    V, v = {b.name: np.zeros(6) for b in mechanism.bodies}, {j.name: np.zeros(j.kind.nv) for j in joints}
    return Snapshot(mechanism, joints, {"ground": lw.Pose(), **poses}, q, V, v)


def of_model(mechanism, model, q, v):
    """A mechanism in the state (q, v) of its model. Floating roots have their free joint, as the model has."""
    known = {j.name for j in mechanism.joints}
    joints = _joint_parts(mechanism, [j.child for j in model.joints if j.name not in known])
    kinematics = lw.forward_kinematics(model, q, v)
    poses = {b.name: kinematics.pose(b.name) for b in mechanism.bodies}
    V = {b.name: kinematics.velocity(b.name) for b in mechanism.bodies}
    infos = {j.name: model.joint(j.name) for j in joints}
    by_q, by_v = {n: q[i.q_index] for n, i in infos.items()}, {n: v[i.v_index] for n, i in infos.items()}
    return Snapshot(mechanism, joints, {"ground": lw.Pose(), **poses}, by_q, V, by_v)


def moved(snapshot, dx):
    """The snapshot with bodies and joints displaced, each for itself, by dx = (motions of the bodies, of the joints)."""
    by_body, by_joint = snapshot.split(dx)
    poses = {name: X if name == "ground" else X @ lw.Pose.exp(by_body[name]) for name, X in snapshot.poses.items()}
    return replace(snapshot, poses=poses, q={j.name: advanced(j.kind, snapshot.q[j.name], by_joint[j.name]) for j in snapshot.joints})


def gaps(snapshot):
    """How far every joint is from holding: the displacement, in M, from where q says that M is to where it is. (joints, 6)"""
    found = []
    for j in snapshot.joints:
        X_FM = (snapshot.poses[j.parent] @ j.X_PF).inverse() @ snapshot.poses[j.child] @ j.X_CM
        found.append((joint_pose(j.kind, snapshot.q[j.name]).inverse() @ X_FM).log())
    return np.array(found).reshape(-1, 6)


# ------------------------------------------------------------------------------------------------------------------- the equations


def constraint_rows(snapshot, extra=(), t=0.0):
    """(C, c) of eq. 2, six rows for each joint, then the rows of the further constraints."""
    s, (bodies, joints, n) = snapshot, snapshot.places()
    C, c = np.zeros((6 * len(s.joints), n)), np.zeros(6 * len(s.joints))
    for k, j in enumerate(s.joints):
        row = slice(6 * k, 6 * k + 6)
        X_PM = s.poses[j.parent].inverse() @ s.poses[j.child] @ j.X_CM
        S, rate = joint_motion(j.kind, s.q[j.name], s.v[j.name])
        C[row, joints[j.name]] = -S
        c[row] = rate
        if j.parent != "ground":
            C[row, bodies[j.parent]] = -X_PM.inverse().adjoint
        if j.child != "ground":
            to_M = j.X_CM.inverse().adjoint
            C[row, bodies[j.child]] = to_M
            c[row] += cross_motion(to_M @ s.V[j.child]) @ S @ s.v[j.name]
    more = [constraint.rows(s, t) for constraint in extra]
    return np.vstack([C, *(J for J, _ in more)]), np.concatenate([c, *(-gamma for _, gamma in more)])


class Split(NamedTuple):
    """C taken apart: its range and null space, to both sides."""

    free: np.ndarray  # N: motions that break no constraint, in columns
    stress: np.ndarray  # wrenches that are in balance with nothing, in columns
    inverse: np.ndarray  # C^+
    weakest: float  # the least singular value that counts, as a part of the largest


def split(C, tolerance=RANK):
    U, sizes, Vt = np.linalg.svd(C)
    rank = int(np.sum(sizes > tolerance * np.max(sizes, initial=0.0)))
    inverse = Vt[:rank].T @ np.diag(1.0 / sizes[:rank]) @ U[:, :rank].T
    return Split(Vt[rank:].T, U[:, rank:], inverse, sizes[rank - 1] / sizes[0] if rank else 1.0)


class Mobility(NamedTuple):
    dof: int
    redundancy: int
    weakest: float


def mobility(snapshot, extra=(), t=0.0, tolerance=RANK):
    """Degrees of freedom and redundant rows here, by the rank of C. `weakest`: how far from another rank, as a part of the largest."""
    parts = split(constraint_rows(snapshot, extra, t)[0], tolerance)
    return Mobility(parts.free.shape[1], parts.stress.shape[1], parts.weakest)


@dataclass(frozen=True)
class Solution:
    """What happens: accelerations of bodies and joints by name, wrenches of joints on their children in M, multipliers of the rest.

    stresses: (k, joints, 6), wrenches of joints (in the order of the snapshot) that may be added without changing the motion.
    residual: what is left of C x = c, at the scale of c; not 0 if constraints contradict each other or the velocities.
    """

    A: dict[str, np.ndarray]
    vdot: dict[str, np.ndarray]
    wrenches: dict[str, np.ndarray]
    multipliers: np.ndarray
    stresses: np.ndarray
    residual: float
    dof: int
    redundancy: int
    names: tuple[str, ...] = field(repr=False)

    def unique(self, joint, tolerance=1e-7):
        """(6,) booleans: which components of a joint's wrench, in M, are the same in all solutions."""
        return np.all(np.abs(self.stresses[:, self.names.index(joint)]) < tolerance, axis=0)


def solve(snapshot, tau=None, f_ext=None, extra=(), t=0.0, tolerance=RANK):
    """Accelerations and wrenches by eq. 4. tau: by joint; f_ext: wrenches on bodies in their frames, by body; extra: further constraints."""
    s = snapshot
    C, c = constraint_rows(s, extra, t)
    H, h = _inertia_and_force(s, tau or {}, f_ext or {})
    parts = split(C, tolerance)
    N = parts.free
    x = parts.inverse @ c
    x = x + N @ np.linalg.solve(N.T @ H @ N, N.T @ (h - H @ x))
    F = parts.inverse.T @ (H @ x - h)
    A, vdot = s.split(x)
    m, names = 6 * len(s.joints), tuple(j.name for j in s.joints)
    wrenches = dict(zip(names, F[:m].reshape(-1, 6), strict=True))
    residual = float(np.max(np.abs(C @ x - c), initial=0.0) / (1.0 + np.max(np.abs(c), initial=0.0)))
    stresses = parts.stress[:m].T.reshape(-1, len(names), 6)
    return Solution(A, vdot, wrenches, F[m:], stresses, residual, N.shape[1], parts.stress.shape[1], names)


def _inertia_and_force(s, tau, f_ext):
    """(H, h) of eq. 3."""
    bodies, joints, n = s.places()
    H, h = np.zeros((n, n)), s.stacked(f_ext, tau)
    for body in s.mechanism.bodies:
        I, V, at = body.mass_properties().matrix, s.V[body.name], bodies[body.name]
        fall = np.concatenate([np.zeros(3), s.poses[body.name].rotation.T @ np.array(s.mechanism.gravity)])
        H[at, at] = I
        h[at] += I @ fall + cross_motion(V).T @ I @ V  # V x* is minus the transpose of V x
    for j in s.joints:
        A = np.diag(j.kind.effective_armature)
        H[joints[j.name], joints[j.name]] = A
        if j.kind.ball or j.kind.free:  # V . A V / 2 in axes that turn with the joint's frame: A Vdot + V x* A V (Euler and Poincare)
            h[joints[j.name]] += (cross_motion(np.pad(s.v[j.name], (0, 6 - len(A))))[: len(A), : len(A)]).T @ A @ s.v[j.name]
    return H, h


# ------------------------------------------------------------------------------------------------------------- vectors of a model


def by_joint(model, vector):
    """A vector of a model's velocities (tau, v, vdot) by joint."""
    return {j.name: np.asarray(vector)[j.v_index] for j in model.joints}


def by_body(model, rows):
    """Wrenches of a model's bodies by body."""
    return {b.name: np.asarray(rows)[b.index] for b in model.bodies}


def as_vector(model, table):
    """The reverse of `by_joint`."""
    x = np.zeros(model.nv)
    for j in model.joints:
        x[j.v_index] = table[j.name]
    return x


def state_vectors(model, snapshot):
    """(q, v) of a model in the situation of a snapshot. Free joints that only the model has follow from the poses of their bodies."""
    q, v = np.zeros(model.nq), np.zeros(model.nv)
    for j in model.joints:
        if j.name in snapshot.q:
            q[j.q_index], v[j.v_index] = snapshot.q[j.name], snapshot.v[j.name]
        else:
            X = snapshot.poses[j.child]
            q[j.q_index], v[j.v_index] = np.concatenate([X.translation, X.quaternion]), snapshot.V[j.child]
    return q, v
