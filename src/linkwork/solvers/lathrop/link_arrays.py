"""A model in one state as NumPy arrays: what a solver needs that is written in NumPy rather than compiled.

symbol          meaning (link coordinates, about the link's origin, angular part first; l is the parent of link i)
R, p            pose of link i in link l (in the world where l = -1)
S, c            a_i = X a_l + S vdot_i + c,         c = v_i x S v + Sdot v
I, bias         rigid inertia 6x6;      bias = v x* I v - I g - f_ext, so that I a + bias is the force on the link (a without gravity)
tau             joint forces, less what armatures that turn with their joint take (dynamics/joints/general.py: armature_bias)
wrenches        of each row on its two links:        phi_ddot = F_a . a_a + F_b . a_b + sum of coefficients times vdot + gamma
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np


class Term(NamedTuple):
    """A row's coefficient on a joint velocity: `column` of S of `link`, velocity `v` of all."""

    link: int
    column: int
    v: int
    coefficient: float


class Group(NamedTuple):
    """Rows that are evaluated together: they act on the same two links (-1: the world) and on the same joint velocities."""

    rows: slice
    links: tuple[int, int]
    terms: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class LinkArrays:
    """One state of a model, link by link and row by row; see the table at the top of the file."""

    parent: np.ndarray  # (n,)
    R: np.ndarray  # (n, 3, 3)
    p: np.ndarray  # (n, 3)
    S: tuple[np.ndarray, ...]  # n of (6, d)
    v_index: tuple[slice, ...]  # n
    velocity: np.ndarray  # (n, 6)
    c: np.ndarray  # (n, 6)
    I: np.ndarray  # (n, 6, 6)
    bias: np.ndarray  # (n, 6)
    tau: np.ndarray  # (nv,)
    armature: np.ndarray  # (nv,)
    R_world: np.ndarray  # (n, 3, 3)
    p_world: np.ndarray  # (n, 3)
    groups: tuple[Group, ...]
    wrenches: np.ndarray  # (nc, 2, 6)
    phi: np.ndarray  # (nc,)
    phi_dot: np.ndarray  # (nc,)
    gamma: np.ndarray  # (nc,)
    length: float  # one that occurs in the mechanism, m

    def accelerations(self, vdot):
        """Spatial accelerations (n, 6) of the links, gravity not among them."""
        a = np.zeros((len(self.parent), 6))
        for i, parent in enumerate(self.parent):
            above = a[parent] if parent >= 0 else np.zeros(6)
            a[i] = to_child(self.R[i], self.p[i], above) + self.S[i] @ vdot[self.v_index[i]] + self.c[i]
        return a

    def along_rows(self, a, vdot):
        """J vdot of every row, from the links' motions `a` (n, 6) and the joints' `vdot`."""
        value = np.zeros(len(self.gamma))
        for group in self.groups:
            for side, link in enumerate(group.links):
                if link >= 0:
                    value[group.rows] += self.wrenches[group.rows, side] @ a[link]
            for term in group.terms:
                value[group.rows] += term.coefficient * vdot[term.v]
        return value

    def with_rows(self, kept):
        """The same state with some of the rows only (their numbers, ascending)."""
        rows = [kept[(group.rows.start <= kept) & (kept < group.rows.stop)] for group in self.groups]
        ends = np.cumsum([0, *map(len, rows)])
        groups = (group._replace(rows=slice(*ends[k : k + 2])) for k, group in enumerate(self.groups))
        arrays = {name: getattr(self, name)[kept] for name in ("wrenches", "phi", "phi_dot", "gamma")}
        return replace(self, groups=tuple(g for g in groups if g.rows.stop > g.rows.start), **arrays)

    def scaled(self, length, mass):
        """The same state in other units of length and mass; joint coordinates and rows keep theirs, so multipliers count in mass length^2."""
        work = 1 / (mass * length**2)
        motion = np.repeat([1.0, 1 / length], 3)
        force = work / motion
        return replace(
            self,
            p=self.p / length,
            S=tuple(motion[:, None] * S for S in self.S),
            velocity=self.velocity * motion,
            c=self.c * motion,
            I=force[:, None] * self.I / motion,
            bias=self.bias * force,
            tau=self.tau * work,
            armature=self.armature * work,
            p_world=self.p_world / length,
            wrenches=self.wrenches / motion,
            length=self.length / length,
        )


def to_child(R, p, V):
    """A motion vector (or the columns of a matrix of them) from parent to child coordinates."""
    V = np.asarray(V)
    return np.concatenate([R.T @ V[:3], R.T @ (V[3:] - cross_matrix(p) @ V[:3])])


def to_parent(R, p, V):
    """A motion vector (or columns of them) from child to parent coordinates."""
    w = R @ V[:3]
    return np.concatenate([w, R @ V[3:] + cross_matrix(p) @ w])


def force_to_parent(R, p, F):
    """A force vector (or columns of them) from child to parent coordinates."""
    f = R @ F[3:]
    return np.concatenate([R @ F[:3] + cross_matrix(p) @ f, f])


def cross_matrix(x):
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def cross_motion(V, W):
    """V x W, the rate of a motion vector W that moves with V."""
    return np.concatenate([np.cross(V[:3], W[:3]), np.cross(V[:3], W[3:]) + np.cross(V[3:], W[:3])])


def cross_force(V, F):
    """V x* F, the rate of a force vector F that moves with V."""
    return np.concatenate([np.cross(V[:3], F[:3]) + np.cross(V[3:], F[3:]), np.cross(V[:3], F[3:])])
