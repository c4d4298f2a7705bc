"""The inverse mass matrix, by two independent ways.

method="factor": columns solved with the sparse factor L^T L of `factor.py`.
method="square": the square factorisation of Reuss 2002 (eq. 55-58, after Ploen), D^-1 = W^T Om^-1 W, whose factors fall out of the articulated-body
sweep: Om_j = S_j^T I^A_j S_j, and W x is the inward sweep of Newton-Euler with K in place of the inertia forces:
    p = 0;  for j = n .. 1:   e_j = x_j - S_j^T p,    p := X_j^T (p + K_j e_j),     (W x)_j = e_j
The second needs no mass matrix at all and serves as a check on the first.
"""

import numpy as np

from ..data.tree import ArticulatedBranch, ArticulatedLink
from ..errors import StateError
from ..kernels import kernel
from ..kernels.scalar import beyond, load, scalar_for, store, width, zero
from ..kernels.views import records_in
from ..model.model import need_model
from ..model.tables import AXIAL, at_end, at_extras, at_gathers, at_links, count_links, count_v, floats_at, open_tables
from ..spatial.axial import force_in_axial, place_axial
from ..spatial.vectors import add6, dot6, scale6
from .aba import STRIDE, articulated_bodies
from .axial_joint import on_axis
from .call import Driver, deliver, run
from .factor import factor_mass_matrix
from .general import columns_in, force_in_general
from .slots import HUGE, SINGULAR, clear, fill, put, take_q


@kernel
def _inward(handle, work, at, like) -> None:
    """Overwrite x in slots `at`.. by e = W x, using K and D that `articulated_bodies` left behind."""
    t = open_tables(handle)
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    n, extras = count_links(t), at_extras(t, STRIDE)
    links, branches = records_in(ArticulatedLink, work, at_links(t), like), records_in(ArticulatedBranch, work, at_gathers(t, STRIDE), like)
    for i in range(n):
        if t.links[i].gather >= 0:
            branches[t.links[i].gather].pA = zero6
    p = zero6
    for j in range(n):
        i = n - 1 - j
        link, kept = t.links[i], links[i]
        if link.gather >= 0:
            p = add6(p, branches[link.gather].pA)
        if link.kind == AXIAL:
            e = load(work, at + link.v, like) - on_axis(link, p)
            store(work, at + link.v, e)
            p = add6(p, scale6(e, kept.K))
            p = force_in_axial(link, place_axial(link, load(work, link.q, like)), kept.c, kept.s, p)
        else:
            x = extras + link.extra
            columns = columns_in(work, x, like)
            for k in range(link.nv):
                e = load(work, at + link.v + k, like) - dot6(columns[k].S, p)
                store(work, at + link.v + k, e)
                p = add6(p, scale6(e, columns[k].K))
            p = force_in_general(work, x, p, like)
        if not link.follows:
            if link.parent >= 0:
                branch = branches[t.links[link.parent].gather]
                branch.pA = add6(branch.pA, p)
            p = zero6


@kernel
def _square_factors(handle, memory, start, stop, q, W, om) -> int:
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    nv, x = count_v(t), at_end(t, STRIDE)
    for k in range(start, stop, width(like)):
        if beyond(take_q(t, work, q, k, like), 0.0):
            return k + 1
        fill(work, t.size[1], 2 * nv, 0.0, like)
        fill(work, x, nv, 0.0, like)
        articulated_bodies(handle, work, 0.0, -1, x, like)  # flags, though none is set: freedoms are then removed one by one
        clear(om, k, like)
        bad = zero(like)
        for i in range(count_links(t)):
            link = t.links[i]
            if link.kind == AXIAL:
                D = records_in(ArticulatedLink, work, at_links(t), like)[i].D
                bad = bad + D * 0.0
                put(om, k, 0, link.v, D, like)
            else:
                for j in range(link.nv):
                    D = columns_in(work, at_extras(t, STRIDE) + link.extra, like)[j].D
                    bad = bad + D * 0.0
                    put(om, k, 0, link.v + j, D, like)
        if beyond(bad, 0.0):
            return SINGULAR - k
        for column in range(nv):
            fill(work, x, nv, 0.0, like)
            store(work, x + column, zero(like) + 1.0)
            _inward(handle, work, x, like)
            for i in range(nv):
                put(W, k, i, column, load(work, x + i, like), like)
    return 0


_driver = Driver(_square_factors, 1, 2, 2)


def inverse_mass_matrix(model, q, *, method="factor", out=None, threads=1):
    """M(q)^-1, (..., nv, nv), by the sparse factor of M or by the square factorisation of the articulated inertias (see the module).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("flywheel")
    >>> wheel = m.add_body("wheel", mass=2.0, inertia=(0.2, 0.2, 0.25))
    >>> _ = m.add_joint("axle", lw.Revolute(axis=(0, 0, 1)), m.ground, wheel)
    >>> lw.inverse_mass_matrix(m.build(), [0.0]).tolist()
    [[4.0]]
    """
    need_model(model)
    if method not in ("factor", "square"):
        raise StateError(f"method: found {method!r}; allowed are 'factor' and 'square'", "method")
    if method == "factor":
        return factor_mass_matrix(model, q, threads=threads).inverse(out=out)
    W, om = run(_driver, model, [("q", q, (model.nq,))], [(model.nv, model.nv), (1, model.nv)], None, threads)
    return deliver(np.swapaxes(W, -1, -2) @ (np.swapaxes(om, -1, -2) * W), out)
