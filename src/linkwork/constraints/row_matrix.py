"""The rows of all constraints in joint velocities, along their paths, and how large they could be: what the rule of rank looks at (constraints/rank.py).

    J_k = c_k + S_k . F,      F the row's wrench on all that hangs on joint k

J stands as propagated rows do: of each block row by row the velocities on its path (model/constraint_tables.py).

A wrench in world axes about the world's origin is the same on its whole way inward, so it is only added up, link by link; S_k sees it in the
coordinates of its link.
"""

from ..dynamics.exchange import fill
from ..dynamics.joints.joint import column_of
from ..kernels import Scalar, kernel
from ..kernels.scalar import sqrt, where, width, zero
from ..kernels.views import floats_of
from ..model.constraint_tables import open_constraints
from ..spatial.matrices import apply9, apply9_transposed
from ..spatial.vectors import add3, add6, cross3, dot3, dot6, sub3
from .rows import coefficient_of, set_link_wrenches

SMALLEST = (
    1e-3  # of the mechanism's length: a loop shorter than this is measured by it, so that rounding of one that is a point counts as nothing
)


@kernel
def fill_jacobian(model, data, motion, rows) -> None:
    """J, the natural sizes of its rows and the reach of its columns (in `data`), of rows that have been evaluated after `motion` was swept."""
    c, o = open_constraints(model), zero(data)
    fill(data.J, c.propagated, 0.0)
    fill(data.reach, model.nv, 0.0)
    for b in range(c.nblocks):
        block = c.blocks[b]
        square = _extent(model, motion, rows, block)
        for j in range(block.paths):
            i = c.paths[block.path + j]
            if i <= block.meet:
                break
            for v in range(model.links[i].nv):
                S = column_of(model, motion, i, v)
                at = model.links[i].v + v
                length = where(dot3((S[0], S[1], S[2]), (S[0], S[1], S[2])) > 0.0, o + 1.0, sqrt(square))
                data.reach[at] = where(data.reach[at] < length, length, data.reach[at])
    for b in range(c.nblocks):
        block = c.blocks[b]
        square = _extent(model, motion, rows, block)
        for i in range(block.row, block.row + block.rows):
            set_link_wrenches(model, block, rows[i], data.link_wrenches)
            _fill_row(model, data, motion, block, i, square)


@kernel
def _extent(model, motion, rows, block) -> Scalar:
    """The square of a block's length: the farthest that a joint on its way is from where it acts, and the longest arm of its forces there."""
    c, links, end = open_constraints(model), motion.links, max(block.a, block.b)
    least = SMALLEST * c.length[0]
    square = zero(motion) + least * least
    if end < 0:
        return square
    for j in range(block.paths):
        i = c.paths[block.path + j]
        if i <= block.meet:
            break
        d = sub3(links[i].p, links[end].p)
        square = _greater(square, dot3(d, d))
    for i in range(block.row, block.row + block.rows):
        row = rows[i]
        if block.a >= 0:
            square = _greater(square, _arm(square, row.n_a, row.f_a))
        if block.b >= 0:
            square = _greater(square, _arm(square, row.n_b, row.f_b))
    return square


@kernel(inline=True)
def _greater(a, b):
    return where(a < b, b, a)


@kernel(inline=True)
def _arm(none, n, f):
    """n^2 / f^2; `none` where there is no force."""
    force = dot3(f, f)
    return where(force > 0.0, dot3(n, n) / where(force > 0.0, force, force + 1.0), none)


@kernel
def _fill_row(model, data, motion, block, row, square) -> None:
    """One row of J, whose wrenches are in the loads: add them up on the way inward, and let each joint see them. `square`: of the length that weighs
    forces as moments."""
    c, link_wrenches, y = open_constraints(model), data.link_wrenches, block.y + (row - block.row) * block.width
    if block.a >= 0:
        link_wrenches[block.a].f = _to_world(motion.links[block.a], link_wrenches[block.a].f)
    if block.b >= 0 and block.b != block.a:
        link_wrenches[block.b].f = _to_world(motion.links[block.b], link_wrenches[block.b].f)
    natural = zero(data)
    for j in range(block.paths):
        i = c.paths[block.path + j]
        if i <= block.meet:
            break  # from here inward the two wrenches of a row cancel
        joint = model.links[i]
        wrench = link_wrenches[i].f
        local = _to_link(motion.links[i], wrench)
        n, f = (local[0], local[1], local[2]), (local[3], local[4], local[5])
        force = dot3(f, f)
        moment = sqrt(dot3(n, n) + square * force)
        for column in range(joint.nv):
            S, v = column_of(model, motion, i, column), joint.v + column
            coefficient, reach = coefficient_of(model, block, v), data.reach[v]
            data.J[y + column] = dot6(S, local) + coefficient
            turn, slide = (S[0], S[1], S[2]), (S[3], S[4], S[5])
            most = (sqrt(dot3(turn, turn)) * moment + sqrt(dot3(slide, slide) * force)) * reach
            natural = natural + most * most + coefficient * coefficient * (reach * reach)
        y += joint.nv
        if joint.parent > block.meet:
            link_wrenches[joint.parent].f = add6(link_wrenches[joint.parent].f, wrench)
    data.natural[row] = sqrt(natural)


# parameters: which rows, and where they go
@kernel
def lay_directions(model, data, one, group, lane, positions) -> None:
    """The rows of a group in one lane as the rule of rank judges them, to the directions of `one` (RowChoice): J of `data` by natural size and reach.

    `positions`: rows that hold velocities only do not count."""
    c, lanes, n = open_constraints(model), width(data), group.columns
    J, natural, reach = floats_of(data.J), floats_of(data.natural), floats_of(data.reach)
    for k in range(group.rows * n):
        one.directions[k] = 0.0
    for f in range(group.block, group.block + group.blocks):
        block = c.blocks[c.fellows[f]]
        for i in range(block.rows):
            size, y, at = natural[(block.row + i) * lanes + lane], block.y + i * block.width, n * (c.places[block.row] + i)
            if size > 0.0 and (block.holonomic or not positions):
                for k in range(y, y + block.width):
                    v = c.velocities[k]
                    one.directions[at + c.columns[v]] = J[k * lanes + lane] * reach[v * lanes + lane] / size


@kernel(inline=True)
def _to_world(link, wrench):
    """From the coordinates of a link to world axes about the world's origin."""
    R, p = link.R, link.p
    f = apply9(R, (wrench[3], wrench[4], wrench[5]))
    n = add3(apply9(R, (wrench[0], wrench[1], wrench[2])), cross3(p, f))
    return n[0], n[1], n[2], f[0], f[1], f[2]


@kernel(inline=True)
def _to_link(link, wrench):
    """The reverse of `_to_world`."""
    R, p = link.R, link.p
    f = (wrench[3], wrench[4], wrench[5])
    n = apply9_transposed(R, sub3((wrench[0], wrench[1], wrench[2]), cross3(p, f)))
    f = apply9_transposed(R, f)
    return n[0], n[1], n[2], f[0], f[1], f[2]
