"""Rows of constraints in lanes: how they begin, how they couple on a link that they pass through, and what their multipliers do to its joint.

The effect of eliminating a joint on the rows of its link is in dynamics/joints/sparse.py.
"""

from ...dynamics.joints.joint import inverse_pivot
from ...dynamics.joints.sparse import lane_of_wrench
from ...kernels import kernel
from ...kernels.scalar import lane_sum, widest, width
from ...kernels.views import floats_of


@kernel
def take_rows(data) -> None:
    """Clear the memory of the factor, and bring the evaluated rows into lanes."""
    program, o = data.program, widest()
    for k in range(program.row_packs):
        data.gamma[k], data.diagonal[k], data.size[k], data.reduced[k] = o, o, o, o
    for k in range(program.wrench_packs):
        data.wrenches[k] = o
    for k in range(program.panel_packs):
        data.panels[k] = o
    take_right_sides(data)
    for e in range(program.count):
        c = program.constraints[e]
        if c.row >= 0:
            for i in range(c.rows):
                row = data.rows.rows[c.row + i]
                if c.a >= 0:
                    add_wrench(data, c.a, i, row.n_a, row.f_a)
                if c.b >= 0:
                    add_wrench(data, c.b, i, row.n_b, row.f_b)


@kernel
def take_right_sides(data) -> None:
    """gamma of the evaluated rows into lanes."""
    program, lanes, gamma = data.program, width(data.gamma), floats_of(data.gamma)
    for e in range(program.count):
        c = program.constraints[e]
        if c.row >= 0:
            for i in range(c.rows):
                gamma[c.pack * lanes + i] = data.rows.rows[c.row + i].gamma


@kernel(inline=True)
def add_wrench(data, at, i, n, f):
    """Add to the wrench of row i of a constraint, whose wrenches on a link stand `at`: one lane of six packs."""
    lanes, wrenches = width(data.wrenches), floats_of(data.wrenches)
    k = lane_of_wrench(at, i, lanes)
    wrenches[k] += n[0]
    wrenches[k + lanes] += n[1]
    wrenches[k + 2 * lanes] += n[2]
    wrenches[k + 3 * lanes] += f[0]
    wrenches[k + 4 * lanes] += f[1]
    wrenches[k + 5 * lanes] += f[2]


@kernel
def couple_rows(model, data, i) -> None:
    """K += y D^-1 y^T for every pair of constraints on a link, after `rows_through_joint`."""
    program, lanes = data.program, width(data.innovations)
    innovations, panels, y = data.innovations, data.panels, floats_of(data.innovations)
    at, nv = program.links[i], model.links[i].nv
    for k in range(nv):
        Dinv = inverse_pivot(model, data, i, k)
        own, pair = at.y, at.coupling
        for a in range(at.entry, at.entry + at.entries):
            first = program.entries[a]
            mine, other = (own + k * first.packs) * lanes, own
            for b in range(a, at.entry + at.entries):
                second, coupling = program.entries[b], program.couplings[pair]
                pair += 1
                for g in range(second.packs):
                    value = innovations[other + k * second.packs + g] * Dinv
                    target = coupling.panel + g
                    for j in range(first.rows):
                        panels[target] = panels[target] + y[mine + j] * value
                        target += coupling.stride
                other += nv * second.packs
            own += nv * first.packs


@kernel
def push(model, data, i, k) -> float:
    """sum y lambda of velocity k of a link: what the multipliers add to its joint's force."""
    program, total = data.program, widest()
    at, nv = program.links[i], model.links[i].nv
    y = at.y
    for j in range(at.entry, at.entry + at.entries):
        entry = program.entries[j]
        for g in range(entry.packs):
            total = total + data.innovations[y + k * entry.packs + g] * data.reduced[entry.pack + g]
        y += nv * entry.packs
    return lane_sum(total)


@kernel
def pass_right_side(model, data, i, k, u) -> None:
    """gamma += y D^-1 u of velocity k of a link, for all rows on it."""
    program = data.program
    at, nv = program.links[i], model.links[i].nv
    y = at.y
    for j in range(at.entry, at.entry + at.entries):
        entry = program.entries[j]
        for g in range(entry.packs):
            data.gamma[entry.pack + g] = data.gamma[entry.pack + g] + u * data.innovations[y + k * entry.packs + g]
        y += nv * entry.packs
