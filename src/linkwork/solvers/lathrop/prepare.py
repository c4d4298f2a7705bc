"""A model in one state as link arrays: the results of a compiled sweep over its links and rows, in NumPy."""

from dataclasses import replace

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
from ...model.constraint_tables import open_constraints
from ...model.tables import open_tables
from ...spatial.matrices import identity9
from .link_arrays import Group, LinkArrays, Term, cross_force, cross_matrix, cross_motion

# Columns of the driver's results for a link: R, p | R and p in the world | v | Sdot v | external force | columns of S | bias of the armature.
_R, _P, _RW, _PW, _V, _DRIFT, _FORCE, _S = 0, 9, 12, 21, 24, 30, 36, 42
_TURNING = _S + 36
_WIDTH = _TURNING + 6


# parameters: every array of a batch reaches compiled code as an argument of its own
@kernel
def _link_arrays(handle, data, start, stop, q, v, tau, time, f_ext, links, rows) -> int:
    """`rows`: of each row n_a, f_a, n_b, f_b, phi, phi_t, gamma."""
    model, data = open_tables(handle), pointer_to(ConstraintData, data, scalar_for(q))
    c, tree, nv = open_constraints(model), data.tree, model.nv
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


_driver = Driver(_link_arrays, 1, 1, 1, 1, 1, 2, 2, record=ConstraintData)


def prepare(model, q, v, tau=None, f_ext=None, t=0.0):
    """The LinkArrays of one state: positions q (nq,), velocities v (nv,), joint forces tau (nv,), wrenches f_ext on bodies, time t."""
    n, nv, tables, constraint_tables = len(model.tables.links), (model.nv,), model.tables, model.constraint_tables
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
    state = LinkArrays(
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
        groups=tuple(_group(model, block) for block in constraint_tables.blocks),
        wrenches=rows[:, :12].reshape(-1, 2, 6),
        phi=rows[:, 12],
        phi_dot=rows[:, 13],
        gamma=rows[:, 14],
        length=float(constraint_tables.length[0]),
    )
    return replace(state, phi_dot=state.phi_dot + state.along_rows(velocity, v))


def _inertia(link):
    xx, xy, xz, yy, yz, zz = link["I"]
    H = cross_matrix(link["h"])
    return np.block([[np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), H], [H.T, link["m"] * np.eye(3)]])


def _group(model, block):
    links, terms = model.tables.links, []
    for term in model.constraint_tables.terms[block["term"] : block["term"] + block["terms"]]:
        link = int(term["link"])
        terms.append(Term(link, int(term["v"] - links[link]["v"]), int(term["v"]), float(term["coefficient"])))
    first = int(block["row"])
    return Group(slice(first, first + int(block["rows"])), (int(block["a"]), int(block["b"])), tuple(terms))
