"""The multiplier system in maximal coordinates as one dense matrix, solved by NumPy: the referee of the sparse solver.

Unknowns are six accelerations for each link, the joint accelerations, and multipliers of joints and constraints. Rows of constraints and poses
are read from the sparse solver's memory (they have tests of their own); mass matrix, joints, order and elimination are not.
"""

import numpy as np

from linkwork.dynamics.general import COLUMN, E_COLUMN
from linkwork.dynamics.sweep import S_P, S_R, S_V, STRIDE
from linkwork.kernel import JIT
from linkwork.model.tables import AXIAL
from linkwork.parts.constraints.rows import R_GAMMA, ROW
from linkwork.solvers.sparse_program import P_ROWS, RESERVED, workspace_of


def hat(p):
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


def crm(V):
    return np.block([[hat(V[:3]), np.zeros((3, 3))], [hat(V[3:]), hat(V[:3])]])


def scratch(model):
    """The floats of the sparse solver's own memory, as its last call for one state left them (compiled kernels only)."""
    array = workspace_of(model)._memories[0]
    assert JIT
    return array[-array.ctypes.data % 64 // 8 + RESERVED :]


def link_quantities(model, work):
    """R, p, v (link axes) and S of all links."""
    size = model.tables.size
    links, extras = size[1] + 3 * size[2], size[1] + 3 * size[2] + STRIDE * size[0]
    for i, link in enumerate(model.tables.links):
        at = links + STRIDE * i
        R, p, V = work[at + S_R : at + S_R + 9].reshape(3, 3), work[at + S_P : at + S_P + 3], work[at + S_V : at + S_V + 6]
        if link["kind"] == AXIAL:
            S = np.array([[0, 0, link["turn"], 0, 0, link["slide"]]]).T
        else:
            e = extras + link["extra"] + E_COLUMN
            S = np.array([work[e + COLUMN * k : e + COLUMN * k + 6] for k in range(link["nv"])]).T
        yield R.copy(), p.copy(), V.copy(), S


def dense(model, v, tau, f_links=None):
    """(vdot, link accelerations, multipliers) after a call of the sparse solver for one state at the same q, v.

    Joint rows: a_i - X a_parent - S qddot = c_i, with c_i = v_i x S qdot + Sdot qdot, taken as v_i x vJ (no custom joints).
    """
    work, links, nv, m = scratch(model), model.tables.links, model.nv, model.nc
    n, program = len(links), workspace_of(model).program
    found = list(link_quantities(model, work))
    size = 6 * n + nv
    M, f = np.zeros((size, size)), np.zeros(size)
    G, g = np.zeros((6 * n + m, size)), np.zeros(6 * n + m)
    M[6 * n :, 6 * n :] = np.diag(model.tables.armature)
    f[6 * n :] = tau
    for i, link in enumerate(links):
        R, p, V, S = found[i]
        here = slice(6 * i, 6 * i + 6)
        xx, xy, xz, yy, yz, zz = link["I"]
        H, mass = hat(link["h"]), link["m"]
        inertia = np.block([[np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), H], [-H, mass * np.eye(3)]])
        M[here, here] = inertia
        gravity = np.concatenate([np.zeros(3), R.T @ model.gravity])
        f[here] = inertia @ gravity + crm(V).T @ inertia @ V
        if f_links is not None:
            f[here] += f_links[i]
        joint = slice(6 * n + link["v"], 6 * n + link["v"] + link["nv"])
        G[here, here], G[here, joint] = np.eye(6), -S
        g[here] = crm(V) @ S @ v[link["v"] : link["v"] + link["nv"]]
        if link["parent"] >= 0:
            R_up, p_up, *_ = found[link["parent"]]
            E, r = R.T @ R_up, R_up.T @ (p - p_up)
            G[here, 6 * link["parent"] : 6 * link["parent"] + 6] = -np.block([[E, np.zeros((3, 3))], [-E @ hat(r), E]])
    for block in model.rules.blocks:
        for k in range(block["rows"]):
            row = 6 * n + block["row"] + k
            record = work[program[P_ROWS] + ROW * (block["row"] + k) :][:ROW]
            for link, wrench in ((block["a"], record[:6]), (block["b"], record[6:12])):
                if link >= 0:
                    G[row, 6 * link : 6 * link + 6] += wrench
            for term in model.rules.terms[block["term"] : block["term"] + block["terms"]]:
                G[row, 6 * n + term["v"]] += term["coefficient"]
            g[row] = -record[R_GAMMA]
    solution = solve_redundant(M, G, f, g)
    return solution[6 * n : size], solution[: 6 * n].reshape(n, 6), -solution[size + 6 * n :]


def solve_redundant(M, G, f, g):
    """[[M, G^T], [G, 0]] x = (f, g) where rows of G may depend on each other: least squares after scaling M to the size of G."""
    scale = np.abs(M).max()
    matrix = np.block([[M / scale, G.T], [G, np.zeros((len(G), len(G)))]])
    x = np.linalg.lstsq(matrix, np.concatenate([f / scale, g]), rcond=1e-11)[0]
    x[len(M) :] *= scale
    return x
