"""Scratch memory of the articulated solver: where what stands, in slots.

tree       q v tau vdot | links of the articulated-body recursion | 6 n link forces | nv flags of driven velocities
motion     a second workspace for the sweep over links: q v vdot | poses, velocities, accelerations
rows       ROW slots each, then the time and the laws (3 each), then the multipliers
Y          each row propagated through the tree: rows x velocities on its path, block by block
K          m x m, then the residuals r and the sizes of rows
F          6 n: the wrench of one row on its way inward, later nv innovations;   e: nv, D^-1/2
raw        floats of one lane: the scaled K and its factor; before that, what laws and relations need
"""

from ..dynamics.aba import STRIDE as TREE_STRIDE
from ..dynamics.sweep import STRIDE as MOTION_STRIDE
from ..kernels import kernel, when_compiling
from ..kernels.scalar import width
from ..model.rules import open_rules
from ..model.tables import at_end, count_links, count_v, open_tables
from ..parts.constraints.rows import ROW


@kernel(inline=True)
def at_forces(t):
    return at_end(t, TREE_STRIDE)


@kernel(inline=True)
def at_driven(t):
    return at_forces(t) + 6 * count_links(t)


@kernel(inline=True)
def at_motion(t):
    """Where the second workspace starts."""
    return at_driven(t) + count_v(t)


@kernel(inline=True)
def at_rows(t):
    return at_motion(t) + at_end(t, MOTION_STRIDE)


@kernel(inline=True)
def at_time(t, c):
    return at_rows(t) + ROW * c.size[1]


@kernel(inline=True)
def at_laws(t, c):
    return at_time(t, c) + 1


@kernel(inline=True)
def at_multipliers(t, c):
    return at_laws(t, c) + 3 * c.size[3]


@kernel(inline=True)
def at_propagated(t, c):
    return at_multipliers(t, c) + c.size[1]


@kernel(inline=True)
def at_matrix(t, c):
    return at_propagated(t, c) + c.size[6]


@kernel(inline=True)
def at_residuals(t, c):
    return at_matrix(t, c) + c.size[1] * c.size[1]


@kernel(inline=True)
def at_sizes(t, c):
    return at_residuals(t, c) + c.size[1]


@kernel(inline=True)
def at_loads(t, c):
    return at_sizes(t, c) + c.size[1]


@kernel(inline=True)
def at_e(t, c):
    return at_loads(t, c) + 6 * count_links(t)


@kernel(inline=True)
def at_report(t, c):
    """Rank, and what dependent rows lack."""
    return at_e(t, c) + count_v(t)


@kernel(inline=True)
def at_raw(t, c):
    return at_report(t, c) + 2


@kernel
def slots_needed(handle):
    """How many slots the articulated solver uses."""
    t, c = open_tables(handle), open_rules(handle)
    m = c.size[1]
    return at_raw(t, c) + m * m + 5 * m + 128


def from_slot(memory, slots, like):
    """The scratch memory from slot `slots` on, as an address. In plain Python an 'address' is the array itself."""
    return memory[slots:]


@when_compiling
def _verbs():
    from numba.extending import overload

    @overload(from_slot)
    def _from_slot(memory, slots, like):
        return lambda memory, slots, like: memory + 8 * width(like) * slots
