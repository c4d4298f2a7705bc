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

from ...constraints.rows import evaluate_rows, wrench_a, wrench_b
from ...constraints.state_arrays import put6
from ...constraints.time_functions import evaluate_time_functions, take_time
from ...data.constraints import ConstraintData
from ...dynamics.call import Driver, run
from ...dynamics.exchange import put, take, take_q
from ...dynamics.external import link_forces, wrenches
from ...dynamics.joints.joint import armature_bias_of, column_of, drift_of, pose_out
from ...dynamics.sweep import VELOCITY_ORDER, sweep_links
from ...kernels import kernel
from ...kernels.records import pointer_to
from ...kernels.scalar import beyond, scalar_for, width, zero
from ...model.constraint_tables import open_rules
from ...model.tables import open_tables
from ...spatial.matrices import identity9

# Columns of what the driver says of a link: R, p | R and p in the world | v | Sdot v | external force | columns of S | bias of the armature.
_R, _P, _RW, _PW, _V, _DRIFT, _FORCE, _S = 0, 9, 12, 21, 24, 30, 36, 42
_TURNING = _S + 36
_WIDTH = _TURNING + 6


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _pieces(handle, data, start, stop, q, v, tau, time, f_ext, links, rows) -> int:
    """`rows`: of each row n_a, f_a, n_b, f_b, phi, phi_t, gamma."""
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    c, tree, nv = open_rules(model), data.tree, model.nv
    for k in range(start, stop, width(data)):
        bad = take_q(model, tree.q, q, k) + take(tree.v, v, k, nv) + take(tree.tau, tau, k, nv) + take_time(model, data.rows, time, k)
        if beyond(bad + link_forces(model, tree, f_ext, k), 0.0):
            return k + 1
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
        _tell_links(model, tree, links, k)
        evaluate_time_functions(model, data.rows)
        evaluate_rows(model, tree.motion, tree.q, data.rows)
        for i in range(c.nc):
            row = data.rows.rows[i]
            put6(rows, k, i, 0, wrench_a(row))
            put6(rows, k, i, 6, wrench_b(row))
            put(rows, k, i, 12, row.phi)
            put(rows, k, i, 13, row.rate)
            put(rows, k, i, 14, row.gamma)
    return 0


@kernel
def _tell_links(model, tree, links, k) -> None:
    """Write the columns of every link, after the sweep."""
    motion, o = tree.motion, zero(tree)
    for i in range(model.n):
        link = motion.links[i]
        R, p = pose_out(model, motion, i, tree.q, (identity9(o), (o, o, o)))
        _put12(links, k, i, _R, R, p)
        _put12(links, k, i, _RW, link.R, link.p)
        put6(links, k, i, _V, link.v)
        put6(links, k, i, _DRIFT, drift_of(model, motion, i))
        put6(links, k, i, _FORCE, tree.wrenches[i].f)
        for j in range(model.links[i].nv):
            put6(links, k, i, _S + 6 * j, column_of(model, motion, i, j))
        put6(links, k, i, _TURNING, armature_bias_of(model, i, tree.v))


@kernel
def _put12(array, k, i, j, R, p) -> None:
    put6(array, k, i, j, (R[0], R[1], R[2], R[3], R[4], R[5]))
    put6(array, k, i, j + 6, (R[6], R[7], R[8], p[0], p[1], p[2]))


_driver = Driver(_pieces, 1, 1, 1, 1, 1, 2, 2, record=ConstraintData)


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
class Pieces:
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
    return np.concatenate([R.T @ V[:3], R.T @ (V[3:] - _cross(p) @ V[:3])])


def to_parent(R, p, V):
    """A motion vector (or columns of them) from child to parent coordinates."""
    w = R @ V[:3]
    return np.concatenate([w, R @ V[3:] + _cross(p) @ w])


def force_to_parent(R, p, F):
    """A force vector (or columns of them) from child to parent coordinates."""
    f = R @ F[3:]
    return np.concatenate([R @ F[:3] + _cross(p) @ f, f])


def _cross(x):
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def cross_motion(V, W):
    """V x W, the rate of a motion vector W that moves with V."""
    return np.concatenate([np.cross(V[:3], W[:3]), np.cross(V[:3], W[3:]) + np.cross(V[3:], W[:3])])


def cross_force(V, F):
    """V x* F, the rate of a force vector F that moves with V."""
    return np.concatenate([np.cross(V[:3], F[:3]) + np.cross(V[3:], F[3:]), np.cross(V[:3], F[3:])])


def prepare(model, q, v, tau=None, f_ext=None, t=0.0):
    """The Pieces of one state: positions q (nq,), velocities v (nv,), joint forces tau (nv,), wrenches f_ext on bodies, time t."""
    n, nv, tables, rules = len(model.tables.links), (model.nv,), model.tables, model.rules
    inputs = [
        ("q", q, (model.nq,)),
        ("v", v, nv),
        ("tau", np.zeros(nv) if tau is None else tau, nv),
        ("t", np.asarray(t, dtype=float)[..., None], (1,)),
        wrenches(model, np.zeros((model.nb, 6)) if f_ext is None else f_ext),
    ]
    links, rows = run(_driver, model, inputs, [(n, _WIDTH), (model.nc, 15)])
    v, tau = np.asarray(v, dtype=float), np.array(inputs[2][1], dtype=float)
    R, R_world = links[:, _R:_P].reshape(n, 3, 3), links[:, _RW:_PW].reshape(n, 3, 3)
    velocity, force = links[:, _V:_DRIFT], links[:, _FORCE:_S]
    S = tuple(links[i, _S : _S + 6 * nv_].reshape(-1, 6).T for i, nv_ in enumerate(tables.links["nv"]))
    v_index = tuple(slice(int(link["v"]), int(link["v"] + link["nv"])) for link in tables.links)
    I = np.array([_inertia(link) for link in tables.links]).reshape(n, 6, 6)
    c, bias = np.zeros((n, 6)), np.zeros((n, 6))
    for i in range(n):
        c[i] = cross_motion(velocity[i], S[i] @ v[v_index[i]]) + links[i, _DRIFT:_FORCE]
        falling = np.concatenate([np.zeros(3), R_world[i].T @ tables.gravity])
        bias[i] = cross_force(velocity[i], I[i] @ velocity[i]) - I[i] @ falling - force[i]
        tau[v_index[i]] -= links[i, _TURNING : _TURNING + tables.links["nv"][i]]
    pieces = Pieces(
        parent=tables.links["parent"].astype(int),
        R=R,
        p=links[:, _P:_RW],
        S=S,
        v_index=v_index,
        velocity=velocity,
        c=c,
        I=I,
        bias=bias,
        tau=tau,
        armature=np.array(tables.armature),
        R_world=R_world,
        p_world=links[:, _PW:_V],
        groups=tuple(_group(model, block) for block in rules.blocks),
        wrenches=rows[:, :12].reshape(-1, 2, 6),
        phi=rows[:, 12],
        phi_dot=rows[:, 13],
        gamma=rows[:, 14],
        length=float(rules.length[0]),
    )
    return replace(pieces, phi_dot=pieces.phi_dot + pieces.along_rows(velocity, v))


def _inertia(link):
    xx, xy, xz, yy, yz, zz = link["I"]
    H = _cross(link["h"])
    return np.block([[np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), H], [H.T, link["m"] * np.eye(3)]])


def _group(model, block):
    links, terms = model.tables.links, []
    for term in model.rules.terms[block["term"] : block["term"] + block["terms"]]:
        link = int(term["link"])
        terms.append(Term(link, int(term["v"] - links[link]["v"]), int(term["v"]), float(term["coefficient"])))
    first = int(block["row"])
    return Group(slice(first, first + int(block["rows"])), (int(block["a"]), int(block["b"])), tuple(terms))
