"""Truth for the loops benchmark: every joint as rows on the six velocities of each body, solved densely. Slow and simple on purpose.

Unknowns: for each body the acceleration (alpha, a) of its mass centre, world axes. Rows J x + gamma = 0 are the second time derivatives of

    ball, hinge, universal   p_C - p_P                     (the joint's origin on child and parent)
    hinge                    x_P . z_C, y_P . z_C          (axes of the joint frame, held by parent or child)
    universal                x_P . y_C
    slide                    all three turns, x_P . (p_C - p_P), y_P . (p_C - p_P)

so one number, max |J x + gamma| in m/s^2 and rad/s^2, judges any contestant, whatever its coordinates.
"""

import numpy as np
from loops_mechanisms import GRAVITY, GROUND, cross_matrix, rotation_about


class Motion:
    """A design with a pose (the assembled one, or `poses` by name) and a velocity; judges accelerations. Cheap for any number of bodies.

    twists: (omega, v of the mass centre) of each body, nb x 6, world axes.
    """

    def __init__(self, design, twists, poses=None):
        self.design = design
        self.index = {body.name: k for k, body in enumerate(design.bodies)}
        self.poses = poses or {body.name: (body.rotation, body.origin) for body in design.bodies}
        self.centres = np.array([self.poses[b.name][1] + self.poses[b.name][0] @ b.com for b in design.bodies])
        self.twists = np.asarray(twists)

    def residual(self, accelerations):
        """max |J x + gamma| over all joints, for accelerations nb x 6."""
        return float(max(abs(self._left(row, accelerations)) for joint in self.design.joints for row in self._joint_rows(joint)))

    def rate(self, joint, parent, child):
        """Velocity of child against parent at the joint, as its coordinates have it at the assembled pose."""
        omega = joint.rotation.T @ (self.twist(child)[:3] - self.twist(parent)[:3])
        shift = joint.rotation.T @ (self.velocity(child, joint.origin) - self.velocity(parent, joint.origin))
        return {"ball": omega, "hinge": omega[2:], "slide": shift[2:], "universal": omega[:2]}[joint.kind]

    def twist(self, name):
        return np.zeros(6) if name == GROUND else self.twists[self.index[name]]

    def velocity(self, name, point):
        """Velocity of the point of a body that is at `point` of the world."""
        if name == GROUND:
            return np.zeros(3)
        omega, v = np.split(self.twist(name), 2)
        return v + np.cross(omega, point - self.centres[self.index[name]])

    # ---- inside

    def _left(self, row, accelerations):
        terms, gamma = row
        return gamma + sum(six @ accelerations[self.index[name]] for name, six in terms if name != GROUND)

    def _end(self, joint, name):
        """Origin, axes, arm from the mass centre, omega, velocity and velocity-dependent acceleration of the joint frame on a body."""
        if name == GROUND:
            return joint.origin, joint.rotation, np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
        body = self.design.bodies[self.index[name]]
        R, p = self.poses[name]
        origin = p + R @ body.rotation.T @ (joint.origin - body.origin)
        arm = origin - self.centres[self.index[name]]
        omega = self.twist(name)[:3]
        return origin, R @ body.rotation.T @ joint.rotation, arm, omega, self.velocity(name, origin), np.cross(omega, np.cross(omega, arm))

    def _joint_rows(self, joint):
        p_P, R_P, arm_P, w_P, v_P, a_P = self._end(joint, joint.parent)
        p_C, R_C, arm_C, w_C, v_C, a_C = self._end(joint, joint.child)

        def along(direction, gamma):  # direction . (acceleration of the child's point minus the parent's)
            terms = (
                (joint.child, np.r_[np.cross(arm_C, direction), direction]),
                (joint.parent, -np.r_[np.cross(arm_P, direction), direction]),
            )
            return terms, direction @ (a_C - a_P) + gamma

        def turning(direction, gamma):  # direction . (alpha of the child minus alpha of the parent)
            return ((joint.child, np.r_[direction, 0, 0, 0]), (joint.parent, -np.r_[direction, 0, 0, 0])), gamma

        def perpendicular(e, f):  # e held by the parent, f by the child: (f x e) . (w_P - w_C) = 0 and its rate
            n_dot = np.cross(np.cross(w_C, f), e) + np.cross(f, np.cross(w_P, e))
            return turning(-np.cross(f, e), n_dot @ (w_P - w_C))

        if joint.kind == "slide":
            assert np.abs(p_C - p_P).max() < 1e-12, "the rows of a slide are written for its middle position"
            for e in np.eye(3):
                yield turning(e, 0.0)
            for e in R_P.T[:2]:
                yield along(e, 2 * np.cross(w_P, e) @ (v_C - v_P))
            return
        for e in np.eye(3):
            yield along(e, 0.0)
        if joint.kind == "hinge":
            yield perpendicular(R_P[:, 0], R_C[:, 2])
            yield perpendicular(R_P[:, 1], R_C[:, 2])
        elif joint.kind == "universal":
            yield perpendicular(R_P[:, 0], R_C[:, 1])


class Reference(Motion):
    """A motion with its dense system. Without twists: an admissible velocity drawn by `seed`, up to 2 rad/s; still: at rest."""

    def __init__(self, design, twists=None, poses=None, seed=0, still=False):
        super().__init__(design, np.zeros((len(design.bodies), 6)) if twists is None else twists, poses)
        size = 6 * len(design.bodies)
        self.mass, self.inverse = np.zeros((size, size)), np.zeros((size, size))
        for k, body in enumerate(design.bodies):
            R = self.poses[body.name][0]
            block = np.zeros((6, 6))
            block[:3, :3], block[3:, 3:] = R @ body.inertia @ R.T, body.mass * np.eye(3)
            self.mass[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
            self.inverse[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = np.linalg.inv(block)
        self.jacobian, self.gamma = self._rows()
        if twists is None and not still:
            self.twists = self._admissible(seed)
            self.gamma = self._rows()[1]

    def accelerations(self):
        """Gauss' principle: the free accelerations, moved as little as possible in the mass metric onto the rows."""
        free = np.zeros_like(self.twists)
        free[:, 3:] = GRAVITY
        for k in range(len(self.twists)):
            omega = self.twists[k, :3]
            inertia = self.mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3]
            free[k, :3] = -np.linalg.solve(inertia, np.cross(omega, inertia @ omega))
        return (free.ravel() + self._onto_rows(-self.gamma - self.jacobian @ free.ravel())).reshape(-1, 6)

    # ---- inside

    def _admissible(self, seed):
        twist = np.random.default_rng(seed).normal(size=self.jacobian.shape[1])
        for _ in range(2):  # the second time for the digits that the first one lost
            twist += self._onto_rows(-self.jacobian @ twist)
        twists = twist.reshape(-1, 6)
        return twists * 2.0 / np.linalg.norm(twists[:, :3], axis=1).max()

    def _onto_rows(self, target):
        """The least x in the mass metric with J x = target; rows may repeat each other."""
        root = np.linalg.cholesky(self.inverse)
        return root @ np.linalg.lstsq(self.jacobian @ root, target, rcond=1e-10)[0]

    def _rows(self):
        rows = [row for joint in self.design.joints for row in self._joint_rows(joint)]
        jacobian = np.zeros((len(rows), 6 * len(self.design.bodies)))
        for k, (coefficients, _) in enumerate(rows):
            for name, six in coefficients:
                if name != GROUND:
                    jacobian[k, 6 * self.index[name] : 6 * self.index[name] + 6] += six
        return jacobian, np.array([gamma for _, gamma in rows])


def rolling(design):
    """A ring, free or hung, of any size: it turns as a whole about the origin while each rod spins about its own axis."""
    whole = np.array((0.3, -0.4, 0.5))
    twists = []
    for k, body in enumerate(design.bodies):
        twists.append(np.r_[whole + (1.0 + 0.5 * np.cos(k)) * body.rotation[:, 0], np.cross(whole, body.origin)])
    return Motion(design, twists)


def turned(design, tree, turns, rates):
    """Poses and twists of a design of hinges: turns and rates by joint name, walked along the tree."""
    poses, velocity = {GROUND: (np.eye(3), np.zeros(3))}, {GROUND: np.zeros(6)}  # velocity at the world's origin
    original = {GROUND: (np.eye(3), np.zeros(3))} | {body.name: (body.rotation, body.origin) for body in design.bodies}
    for joint, near, far in tree:
        sign = 1.0 if near == joint.parent else -1.0
        (R0, p0), (R1, p1) = original[near], poses[near]
        carry = R1 @ R0.T  # how far the near body has turned since the design
        origin, axis = p1 + carry @ (joint.origin - p0), carry @ joint.rotation[:, 2]
        swing = rotation_about(axis, sign * turns[joint.name]) @ carry
        rotation, place = original[far]
        poses[far] = swing @ rotation, origin + swing @ (place - joint.origin)
        omega = sign * rates[joint.name] * axis
        velocity[far] = velocity[near] + np.r_[omega, np.cross(origin, omega)]
    twists = []
    for body in design.bodies:
        R, p = poses[body.name]
        omega, v = np.split(velocity[body.name], 2)
        twists.append(np.r_[omega, v + cross_matrix(omega) @ (p + R @ body.com)])
    return poses, np.array(twists)
