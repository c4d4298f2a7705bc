"""From multipliers to the wrenches in all joints and constraints, by Newton and Euler body by body, from the tips inward.

symbol   meaning                                                   (wrenches in world axes, about the middle of the mechanism)
G_b      what body b needs: I a + v x* I v - I g - f_ext            (0 for a self-stress)
W_j      what joint j exerts on the tree's child, drive included

loop joint that carries a twin of b with the share s of its inertia:      W = s (I a + v x* I v - I g) - what the weld exerts on the twin
inward:                                                                   W_j = G_b - sum of constraints on b - sum of W into b + sum of W out of b

A body is whole here: the twin and the weld that holds it to its body are internal, and never seen.
"""

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..solvers.survey import survey


class Transmission:
    """The joints and constraints of a model in one state, as parts that carry wrenches.

    `parts`: the infos of all joints, then of all constraints but the joints that close loops. `points`: for each part its two points, that
    of its own child (or first place) first. `frames`: the rotations there. `length`: what makes moments and forces comparable, m.
    """

    def __init__(self, model, q, v, vdot, t):
        self.model = model
        self.kinematics = forward_kinematics(model, q, v, vdot)
        self.bodies = {b.name: b.index for b in model.bodies}
        self.constraints = [c for c in model.constraints if not c.is_loop]
        self.parts = [*model.joints, *self.constraints]
        self.index = {part.name: k for k, part in enumerate(self.parts)}
        self._place()
        self.length = length_of(model)
        if model.nc:
            self._read_rows(survey(model, q, v, t))

    def _place(self):
        count, joints = len(self.parts), self.model.joints
        self.points, self.frames = np.zeros((count, 2, 3)), np.tile(np.eye(3), (count, 2, 1, 1))
        for k, part in enumerate(self.parts):
            for side, (body, pose) in enumerate(_sides(part) if k < len(joints) else part.places):
                R, p = self.body_pose(body)
                self.points[k, side], self.frames[k, side] = p + R @ pose.translation, R @ pose.rotation
        self.middle = self.points[:, 0].mean(axis=0) if count else np.zeros(3)

    def body_pose(self, body):
        """(R, p) of a body by name; ground is the world."""
        if body == "ground":
            return np.eye(3), np.zeros(3)
        k = self.bodies[body]
        return self.kinematics.rotations[k], self.kinematics.positions[k]

    def _read_rows(self, found):
        """The wrenches of all rows on their first and second links, (nc, 6) each."""
        blocks, m = self.model.rules.blocks, self.model.nc
        R, p = found.poses[:, :9].reshape(-1, 3, 3), found.poses[:, 9:]
        self.row_wrenches = np.zeros((2, m, 6))
        for side, name in enumerate("ab"):
            for block in blocks:
                rows, link = slice(block["row"], block["row"] + block["rows"]), block[name]
                F = found.rows[rows, 6 * side : 6 * side + 6]
                turn, origin = (R[link], p[link]) if link >= 0 else (np.eye(3), block["p" + name])
                n, f = F[:, :3] @ turn.T, F[:, 3:] @ turn.T
                self.row_wrenches[side, rows] = np.hstack([n + np.cross(origin - self.middle, f), f])

    def inertial(self):
        """I a + v x* I v - I g of every body, (nb, 6)."""
        model, kin, table = self.model, self.kinematics, self.model.tables.bodies
        R, V, A = kin.rotations, kin.velocities, kin.accelerations.copy()
        A[:, 3:] -= model.gravity @ R
        P = _inertia_times(table, V)
        G = _inertia_times(table, A)
        G[:, :3] += np.cross(V[:, :3], P[:, :3]) + np.cross(V[:, 3:], P[:, 3:])
        G[:, 3:] += np.cross(V[:, :3], P[:, 3:])
        return self.from_bodies(G)

    def from_bodies(self, wrenches):
        """Wrenches on bodies, given in their frames, in world axes about the middle."""
        R, p = self.kinematics.rotations, self.kinematics.positions
        n, f = (np.einsum("bij,bj->bi", R, wrenches[:, part]) for part in (slice(0, 3), slice(3, 6)))
        return np.hstack([n + np.cross(p - self.middle, f), f])

    def spread(self, multipliers, inertial=None, f_ext=None):
        """(first, second): wrenches of all parts for each column of multipliers (nc, k), (parts, 6, k).

        `first`: on a joint's tree child, or on a constraint's first place. `second`: on a constraint's second place (zero for joints).
        """
        model = self.model
        k = multipliers.shape[1]
        first, second = np.zeros((len(self.parts), 6, k)), np.zeros((len(self.parts), 6, k))
        G = np.zeros((model.nb, 6)) if inertial is None else inertial
        need = np.repeat((G if f_ext is None else G - f_ext)[:, :, None], k, axis=2)

        def add(body, wrench):
            if body != "ground":
                need[self.bodies[body]] += wrench

        for at, part in enumerate(self.constraints, len(model.joints)):
            for side, (body, _) in enumerate(part.places):
                W = self.row_wrenches[side, part.rows].T @ multipliers[part.rows]
                (first, second)[side][at] = W
                add(body, -W)
        shares = _shares(model)
        for at, joint in enumerate(model.joints):
            if joint.closes_loop:
                rows = model.constraint(joint.name).rows
                W = -self.row_wrenches[0, rows].T @ multipliers[rows]
                if joint.child != "ground" and joint.nv:
                    W += G[self.bodies[joint.child]][:, None] / shares[joint.child]
                first[at] = W
                add(joint.child, -W)
                add(joint.parent, W)
        for at in range(len(model.joints) - 1, -1, -1):
            joint = model.joints[at]
            if not joint.closes_loop:
                first[at] = need[self.bodies[joint.child]]
                add(joint.parent, first[at])
        return first, second

    def at(self, wrench, point):
        """A wrench (6, ...) with its moment about another point (world axes)."""
        n = wrench[:3] - np.cross(point - self.middle, wrench[3:], axisb=0, axisc=0)
        return np.concatenate([n, wrench[3:]])

    def joint_forces(self, multipliers):
        """Generalised forces (nv, k) that couplings and drives exert at the joints, for each column of multipliers."""
        rules, forces = self.model.rules, np.zeros((self.model.nv, multipliers.shape[1]))
        for block in rules.blocks:
            rows = slice(block["row"], block["row"] + block["rows"])
            for term in rules.terms[block["term"] : block["term"] + block["terms"]]:
                forces[term["v"]] += term["coefficient"] * multipliers[rows].sum(axis=0)
        return forces

    def weighted(self, first, second, multipliers):
        """All wrenches as one tall matrix whose squared columns are the measure that is made least: forces, and moments over the length.

        Moments are about a part's points; where it has two that differ, each counts half, so that either side may be called the child.
        """
        half, joints, blocks = np.sqrt(0.5), len(self.model.joints), []
        for side, W in enumerate((first, np.concatenate([first[:joints], second[joints:]]))):
            n, f = W[:, :3], W[:, 3:]
            arm = (self.points[:, side] - self.middle)[:, :, None]
            blocks += [half * (n - np.cross(arm, f, axis=1)) / self.length, half * f]
        tall = [np.concatenate(blocks, axis=1).reshape(-1, first.shape[-1])]
        for part in self.constraints:
            for joint, dof in part.joints:
                scale = self.length if turns(self.model.joint(joint).kind, dof) else 1.0
                tall.append(_coefficient(self.model, part, joint, dof) * multipliers[part.rows] / scale)
        return np.concatenate(tall)


def turns(kind, dof):
    """Is a joint's velocity `dof` one of turning (rad/s), not of sliding (m/s)?"""
    if kind.free:
        return dof < 3
    if kind.ball or kind.custom:
        return True
    return kind.elements[dof].turn != 0.0


def _sides(joint):
    """The child's and the parent's (body, pose) of a joint, in its own sense."""
    parent, child = (joint.child, joint.parent) if joint.backwards else (joint.parent, joint.child)
    return (child, joint.child_pose), (parent, joint.parent_pose)


def _coefficient(model, part, joint, dof):
    v = model.joint(joint).v_index.start + dof
    block = next(b for b in model.rules.blocks if b["row"] == part.rows.start)
    terms = model.rules.terms[block["term"] : block["term"] + block["terms"]]
    return sum(float(term["coefficient"]) for term in terms if term["v"] == v)


def _shares(model):
    """Into how many equal parts build() divided the inertia of each body."""
    shares = dict.fromkeys([b.name for b in model.bodies], 1)
    for joint in model.joints:
        if joint.closes_loop and joint.nv and joint.child != "ground":
            shares[joint.child] += 1
    return shares


def _inertia_times(table, X):
    m, h, (xx, xy, xz, yy, yz, zz) = table["m"][:, None], table["h"], table["I"].T
    I = np.moveaxis(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), -1, 0)
    n = np.einsum("bij,bj->bi", I, X[:, :3]) + np.cross(h, X[:, 3:])
    return np.hstack([n, m * X[:, 3:] - np.cross(h, X[:, :3])])


def length_of(model):
    """A length of the mechanism that depends on its bodies alone, not on the tree: how far joints are from the middle of their body, m."""
    points = {b.name: [] for b in model.bodies}
    for joint in model.joints:
        if not joint.kind.free:
            for body, pose in _sides(joint):
                if body != "ground":
                    points[body].append(pose.translation)
    for b, row in zip(model.bodies, model.tables.bodies, strict=True):
        if row["m"] > 0.0:
            points[b.name].append(row["h"] / row["m"])
    spread = [np.max(np.linalg.norm(np.array(p) - np.mean(p, axis=0), axis=1)) for p in points.values() if p]
    longest = float(max(spread, default=0.0))
    return longest if longest > 0.0 else float(model.rules.numbers[0])
