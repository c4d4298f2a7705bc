"""A model in one state as NumPy arrays: what a solver needs that is written in NumPy rather than compiled.

symbol          meaning (link coordinates, about the link's origin, angular part first; l is the parent of link i)
R, p            pose of link i in link l (in the world where l = -1)
S, c            a_i = X a_l + S vdot_i + c,         c = v_i x S v + Sdot v
I, bias         rigid inertia 6x6;      bias = v x* I v - I g - f_ext, so that I a + bias is the force on the link (a without gravity)
wrenches        of each row on its two links:        phi_ddot = F_a . a_a + F_b . a_b + sum of coefficients times vdot + gamma
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..dynamics.call import Driver, run
from ..dynamics.external import link_forces, wrenches
from ..dynamics.general import COLUMN, E_C, E_COLUMN, pose_general
from ..dynamics.slots import HUGE, put, take, take_qv
from ..dynamics.sweep import S_P, S_R, S_V, STRIDE, sweep_links
from ..kernels import kernel
from ..kernels.scalar import beyond, load, scalar_for, width, zero
from ..model.rules import open_rules
from ..model.tables import AXIAL, at_end, at_extras, at_links, at_x, at_y, count_links, count_v, floats_at, open_tables
from ..parts.constraints.rows import R_GAMMA, R_PHI, R_RATE, ROW
from ..spatial.axial import place_axial, rotation_axial
from ..spatial.matrices import identity9, load9
from ..spatial.vectors import load3, load6
from .laws import evaluate_laws
from .memory import at_laws, at_raw, at_rows, at_time
from .rows import evaluate_rows

# Columns of what the driver says of a link: R, p | R and p in the world | v | Sdot v | external force | columns of S.
_R, _P, _RW, _PW, _V, _DRIFT, _FORCE, _S = 0, 9, 12, 21, 24, 30, 36, 42
_WIDTH = _S + 36


@kernel
def _pieces(handle, memory, start, stop, q, v, tau, time, f_ext, links, rows) -> int:
    t, c = open_tables(handle), open_rules(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    constrained = c.size[1] > 0
    clock = at_time(t, c) if constrained else at_y(t)  # without rows the scratch ends before
    for k in range(start, stop, width(like)):
        bad = take_qv(t, work, q, v, k, like) + take(work, at_x(t), tau, k, count_v(t), like)
        bad = bad + link_forces(handle, work, at_end(t, STRIDE), f_ext, k, like)
        if beyond(bad, 0.0):
            return k + 1
        sweep_links(handle, work, 1, like)
        _tell_links(handle, work, links, k, like)
        if beyond(take(work, clock, time, k, 1, like), 0.0):
            return k + 1
        if constrained:
            evaluate_laws(handle, work, clock, at_laws(t, c), at_raw(t, c) * width(like), like)
            evaluate_rows(handle, work, work, at_rows(t), at_time(t, c), at_laws(t, c), at_raw(t, c), like)
            for i in range(c.size[1]):
                for j in range(R_GAMMA + 1):
                    put(rows, k, i, j, load(work, at_rows(t) + ROW * i + j, like), like)
    return 0


@kernel
def _tell_links(handle, work, links, k, like) -> None:
    """Write the columns of every link, after the sweep."""
    t = open_tables(handle)
    o = zero(like)
    for i in range(count_links(t)):
        link = t.links[i]
        w, e = at_links(t) + STRIDE * i, at_extras(t, STRIDE) + link.extra
        if link.kind == AXIAL:
            R = rotation_axial(link, load(work, w, like), load(work, w + 1, like), identity9(like))
            p = place_axial(link, load(work, link.q, like))
            _put6(links, k, i, _S, (o, o, o + link.turn, o, o, o + link.slide), like)
            _put6(links, k, i, _DRIFT, (o, o, o, o, o, o), like)
        else:
            R, p = pose_general(work, e, like)
            for j in range(link.nv):
                _put6(links, k, i, _S + 6 * j, load6(work, e + E_COLUMN + COLUMN * j, like), like)
            _put6(links, k, i, _DRIFT, load6(work, e + E_C, like), like)
        _put12(links, k, i, _R, R, (o + p[0], o + p[1], o + p[2]), like)
        _put12(links, k, i, _RW, load9(work, w + S_R, like), load3(work, w + S_P, like), like)
        _put6(links, k, i, _V, load6(work, w + S_V, like), like)
        _put6(links, k, i, _FORCE, load6(work, at_end(t, STRIDE) + 6 * i, like), like)


@kernel
def _put6(array, k, i, j, x, like) -> None:
    put(array, k, i, j, x[0], like)
    put(array, k, i, j + 1, x[1], like)
    put(array, k, i, j + 2, x[2], like)
    put(array, k, i, j + 3, x[3], like)
    put(array, k, i, j + 4, x[4], like)
    put(array, k, i, j + 5, x[5], like)


@kernel
def _put12(array, k, i, j, R, p, like) -> None:
    _put6(array, k, i, j, (R[0], R[1], R[2], R[3], R[4], R[5]), like)
    _put6(array, k, i, j + 6, (R[6], R[7], R[8], p[0], p[1], p[2]), like)


_driver = Driver(_pieces, 1, 1, 1, 1, 1, 2, 2)


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


def pieces_of(model, q, v, tau=None, f_ext=None, t=0.0):
    """The Pieces of one state: positions q (nq,), velocities v (nv,), joint forces tau (nv,), wrenches f_ext on bodies, time t."""
    n, nv, tables, rules = len(model.tables.links), (model.nv,), model.tables, model.rules
    inputs = [
        ("q", q, (model.nq,)),
        ("v", v, nv),
        ("tau", np.zeros(nv) if tau is None else tau, nv),
        ("t", np.asarray(t, dtype=float)[..., None], (1,)),
        wrenches(model, np.zeros((model.nb, 6)) if f_ext is None else f_ext),
    ]
    links, rows = run(_driver, model, inputs, [(n, _WIDTH), (model.nc, ROW)])
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
        phi=rows[:, R_PHI],
        phi_dot=rows[:, R_RATE],
        gamma=rows[:, R_GAMMA],
        length=float(rules.numbers[0]),
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
