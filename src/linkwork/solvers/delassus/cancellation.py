"""Do the rows hold to as many digits as they should? Masses may take digits where the rank is beyond doubt.

    vdot = vdot_0 + M^-1 J^T lambda        an error of eps |vdot_0|, however small vdot is
    K lambda = -r                          an error of eps / (least pivot of K, scaled to a unit diagonal)

A rotor of 1e-9 kg m^2 that drives one of 100 by gears would accelerate at 1e9 rad/s^2 alone, and does at 1e-4: of sixteen digits three are left, though K
is as well conditioned as can be. The rows themselves show it, J vdot + gamma is not zero, and a correction with the same factor of K recovers the digits
back (iterative refinement, solvers/delassus/rank_revealing.py). A residual is measured by what the row's wrenches see of the fastest acceleration on their way.
"""

from ...constraints.rows import along_row
from ...dynamics.joints.row_propagation import rate_weight
from ...dynamics.sweep import ACCELERATION_ORDER
from ...kernels import Scalar, kernel
from ...kernels.lane_flags import flags_of
from ...kernels.scalar import sqrt, where, zero
from ...model.constraint_tables import open_constraints
from .row_propagation import magnitude_of_row

LEFT = 1e-3  # of what would be without constraints, or of a row's own K_ii: where less is left, the rows are checked
HOLDS = 1e-11  # of its scale, the allowed residual of a row: rounding of a solve that has lost four digits
ROUNDING = 1e-14  # of the accelerations of links: the allowed residual of a row between links in free fall
TURNING = 1e-3  # of squares of velocities: rounding of centripetal terms is far below HOLDS times this


@kernel
def fastest_on_path(model, block, tree) -> Scalar:
    """The greatest acceleration on the way of a block, slides by the mechanism's length; where there are centripetal terms, some of their size."""
    c, o = open_constraints(model), zero(tree)
    most, slide, turning = o, 1.0 / c.length[0], TURNING if block.a >= 0 or block.b >= 0 else 0.0
    for j in range(block.paths):
        i = c.paths[block.path + j]
        if i <= block.meet:
            break
        joint, weight = model.links[i], rate_weight(model, i, slide)
        for k in range(joint.v, joint.v + joint.nv):
            value, speed = weight * tree.vdot[k], weight * tree.v[k]
            value = where(value < 0.0, o - value, value) + turning * (speed * speed)
            most = where(most < value, value, most)
    return most


@kernel
def may_cancel(model, data) -> bool:
    """Have digits been lost, in any lane? After a solve of `data` (ConstraintData) whose rows were clear: little is left of a pivot, or on the way of a
    row of what it lacked before."""
    c, lost = open_constraints(model), flags_of(data.share < LEFT)
    for b in range(c.nblocks):
        block = c.blocks[b]
        fastest = fastest_on_path(model, block, data.tree)
        for i in range(block.row, block.row + block.rows):
            r = LEFT * data.residuals[i]
            lost = lost | flags_of(r * r > data.magnitudes[i] * (fastest * fastest))
    return lost != 0


@kernel
def rows_hold(model, data) -> bool:
    """Do all rows hold, by the accelerations of links that the sparse solver has found (SparseData)? Its rows' gamma is the right side."""
    c, tree = open_constraints(model), data.tree
    for b in range(c.nblocks):
        block = c.blocks[b]
        scale = HOLDS * fastest_on_path(model, block, tree) + ROUNDING * _of_links(model, block, tree.motion.links)
        for i in range(block.row, block.row + block.rows):
            row = data.rows.rows[i]
            r = along_row(model, block, tree.motion, ACCELERATION_ORDER, tree.vdot, row) + row.gamma
            if r * r > magnitude_of_row(c, block, row) * (scale * scale):
                return False
    return True


@kernel(inline=True)
def _of_links(model, block, links):
    """The greatest component of the accelerations of a block's links, linear ones by the mechanism's length: they may fall, and not move in their joints."""
    most, slide = 0.0, 1.0 / open_constraints(model).length[0]
    if block.a >= 0:
        a = links[block.a].a
        most = max(abs(a[0]) + abs(a[1]) + abs(a[2]), slide * (abs(a[3]) + abs(a[4]) + abs(a[5])))
    if block.b >= 0:
        a = links[block.b].a
        most = max(most, max(abs(a[0]) + abs(a[1]) + abs(a[2]), slide * (abs(a[3]) + abs(a[4]) + abs(a[5]))))
    return most


@kernel
def residuals_beyond(model, data, holds, floor, digits) -> int:
    """Flags of the lanes in which a row that was taken lacks more than `holds` of its scale, which is at least `floor`, and than `digits` of what it lacked
    at first."""
    c, o, found = open_constraints(model), zero(data), 0
    for b in range(c.nblocks):
        block = c.blocks[b]
        fastest = fastest_on_path(model, block, data.tree)
        for i in range(block.row, block.row + block.rows):
            r, first = data.residuals[i], digits * data.first_residuals[i]
            scale = sqrt(data.magnitudes[i]) * fastest
            bound = holds * where(scale < floor, o + floor, scale)
            found = found | (data.taken[i] & flags_of(r * r > bound * bound) & flags_of(r * r > first * first))
    return found
