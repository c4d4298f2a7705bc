"""Do the impulses that a step begins with solve its problem? Asked of each island, without a matrix: the answer of the mechanism to all impulses at once
(rows.respond_to_impulses) says what velocities they leave.

The residual is that of the natural map (natural_map.py), with the diagonal entries of G that the island was last solved with: they are only the measure
by which impulses are compared with velocities, so old ones serve as well. An island is asked if its impulses have hardly changed when it was last
solved; where nothing pushes and nothing closes, there is nothing to ask.
"""

from math import inf, sqrt

from ...data.contact import JOINT_FRICTION, POINT
from ...data.contact_problem import BOX, FRICTION, LOWER, OPEN, SLIDE, STICK, UPPER
from ...kernels import kernel
from .natural_map import NOISE

CERTIFIED = 1e-12  # of the velocities in g: the residual of guesses that need no solve
OPEN_QUESTION, LIKELY, HOLDS, SOLVED = range(4)  # of an island: to be solved, to be asked, its guess is the solution, it has been solved


@kernel
def choose_likely(contact, constrained) -> bool:
    """Which islands are asked; those in which nothing acts are answered at once. Is any asked?"""
    asked = False
    for k in range(contact.ngroups):
        group = contact.groups[k]
        acts, likely, closes = False, group.rebounding == 0, False
        for b in range(group.first, group.first + group.blocks):
            block = contact.blocks[contact.fellows[b]]
            l, g = contact.l[block.row], contact.g[block.row]
            if block.kind == JOINT_FRICTION:
                limit = contact.limits[block.index]
                acts, likely = True, likely and limit.steady != 0.0 and limit.size > 0.0 and not constrained
            elif l > 0.0:
                acts = True
                if block.kind == POINT:
                    likely = likely and contact.points[block.index].steady and contact.points[block.index].normal_size > 0.0
                else:
                    likely = likely and contact.limits[block.index].steady != 0.0 and contact.limits[block.index].size > 0.0
            else:
                closes = closes or not g >= 0.0
        group.state = OPEN_QUESTION
        if likely and acts:
            group.state, asked = LIKELY, True
        elif likely and not closes:
            group.state = HOLDS
            for b in range(group.first, group.first + group.blocks):
                block = contact.blocks[contact.fellows[b]]
                block.status = OPEN
                for i in range(block.row, block.row + block.rows):
                    contact.l[i], contact.w[i] = 0.0, contact.g[i]
    return asked


@kernel
def judge_guesses(contact) -> None:
    """Of the islands that were asked: do their impulses leave the velocities w of a solution?"""
    for k in range(contact.ngroups):
        group = contact.groups[k]
        if group.state == LIKELY:
            velocity, residual = 0.0, 0.0
            for b in range(group.first, group.first + group.blocks):
                block = contact.blocks[contact.fellows[b]]
                normal, tangent = _sizes_of(contact, block)
                largest = max(normal, tangent)
                if largest > 0.0:
                    g = abs(contact.g[block.row])
                    if block.rows == 3:
                        g = max(g, max(abs(contact.g[block.row + 1]), abs(contact.g[block.row + 2])))
                    velocity = max(velocity, g / sqrt(largest))
            for b in range(group.first, group.first + group.blocks):
                block = contact.blocks[contact.fellows[b]]
                found = _judge(contact, block, velocity)
                residual = found if not found <= residual else residual
            group.state = HOLDS if residual <= CERTIFIED * velocity else OPEN_QUESTION


@kernel(inline=True)
def _sizes_of(contact, block):
    """Diagonal entries of G, along the normal and along the tangents."""
    if block.kind == POINT:
        return contact.points[block.index].normal_size, contact.points[block.index].tangent_size
    return contact.limits[block.index].size, 0.0


@kernel
def _judge(contact, block, velocity) -> float:
    """The status of a block, and its residual, as it is in an island whose rows are scaled to a diagonal of 1."""
    normal, tangent = _sizes_of(contact, block)
    row = block.row
    l, w = contact.l[row], contact.w[row]
    if not normal > 0.0:  # new, without impulse
        block.status = OPEN
        return 0.0 if w >= 0.0 else inf
    scale = sqrt(max(normal, tangent))
    z = l - w / normal
    if block.law == BOX:
        block.status = STICK
        if z <= block.lower or z >= block.upper:
            block.status = LOWER if z <= block.lower else UPPER
            z = block.lower if z <= block.lower else block.upper
        return abs(l - z) * normal / scale
    if z * normal <= NOISE * velocity * scale:
        block.status = OPEN
        return 0.0 if l == 0.0 else inf
    block.status = STICK
    found = abs(l - z) * normal / scale
    if block.law == FRICTION:
        l1, l2 = contact.l[row + 1], contact.l[row + 2]
        z1, z2 = l1 - contact.w[row + 1] / tangent, l2 - contact.w[row + 2] / tangent
        length, most = sqrt(z1 * z1 + z2 * z2), block.mu * z
        if length > most:
            block.status = SLIDE
            z1, z2 = z1 * (most / length), z2 * (most / length)
        slip = sqrt((l1 - z1) * (l1 - z1) + (l2 - z2) * (l2 - z2)) * tangent / scale
        found = max(found, slip) if slip == slip else slip
    return found
