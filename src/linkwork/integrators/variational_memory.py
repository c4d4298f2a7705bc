"""Memory of the variational integrator: what one run keeps from step to step, and its scratch. Three workspaces after another, in slots.

tree      the workspace of the dynamics algorithms (`Model.work_slots`): v from momenta, rows of constraints, projection of velocities
start     the beginning of the step
          q [nq] | vectors of nv: P_NOW momentum, P_DELTA displacement, P_PAST.. three earlier ones, P_RIGHT right side, P_E innovations u / D,
          P_INVERSE 1 / D, P_EPS correction, P_BASE displacement before it, P_FORCE, P_SHIFT what forces
          change by, P_DAMPING of joints | links, STRIDE each | general links' extras | gathers | carry | FLAGS
end       the end of the step: q [nq] | mean velocities [nv] | general links' extras
rows      (loops only) see variational_rows.py

The displacement of a joint: q_1 - q_0 where v = dq/dt; of a ball 2 s of the relative quaternion (c, s); of a free joint 2 s, then the way
of M's origin in the axes that M has at the start.

a link    0 1 cosine, sine at q_0 | 2 3 at q_1 | 4..7 r, 8..10 d its displacement | 11..13 gravity in its axes | 14..19 momentum at the start
          20..25 U | 26..31 W / D | 32..37 correction of its pose | 38..40 centre of mass | 41..46 inertia about it
a general link keeps S_0, U in the columns of its extras in `start`, S_1, W / D in those in `end`.
"""

from ..dynamics.general import COLUMN, E_COLUMN
from ..kernels import kernel
from .variational_blocks import BLOCK

STRIDE = 48
L_SIN1, L_R, L_D, L_G, L_P, L_U, L_W, L_A, L_COM, L_T = 2, 4, 8, 11, 14, 20, 26, 32, 38, 41
P_NOW, P_DELTA, P_PAST, P_RIGHT, P_E, P_INVERSE, P_EPS, P_BASE, P_FORCE = 0, 1, 2, 5, 6, 7, 8, 9, 10
P_SHIFT, P_DAMPING, VECTORS = 11, 12, 13
# What a run remembers besides: how many past displacements it has, the step they were made with, whether forces have steep slopes; of the last
# factor, the rank of the rows, and what displacements of 1, and gaps, are worth in its norm.
F_PAST, F_STEP, F_STEEP, F_RANK, F_UNIT, F_GAPS, FLAGS = 0, 1, 2, 3, 4, 5, 8


@kernel(inline=True)
def at_vector(t, k):
    """Vector k (P_...) of the workspace `start`."""
    return t.size[1] + k * t.size[2]


@kernel(inline=True)
def at_chain(t):
    """The links."""
    return t.size[1] + VECTORS * t.size[2]


@kernel(inline=True)
def at_general(t):
    """Extras of general links at the start."""
    return at_chain(t) + STRIDE * t.size[0]


@kernel(inline=True)
def at_branch(t):
    """Where branches meet, BLOCK slots for each link that has several; then one more, the carry."""
    return at_general(t) + t.size[4]


@kernel(inline=True)
def at_hand(t):
    """What a link hands to the link before it."""
    return at_branch(t) + BLOCK * t.size[5]


@kernel(inline=True)
def at_flags(t):
    return at_hand(t) + BLOCK


@kernel(inline=True)
def start_slots(t):
    return at_flags(t) + FLAGS


@kernel(inline=True)
def at_mean(t):
    """Mean velocities, in the workspace `end`."""
    return t.size[1]


@kernel(inline=True)
def at_general_end(t):
    """Extras of general links at the end of the step, in the workspace `end`."""
    return t.size[1] + t.size[2]


@kernel(inline=True)
def end_slots(t):
    return at_general_end(t) + t.size[4]


@kernel(inline=True)
def column_of(e, k):
    """Column k of a general link's extras at `e`: S (6), then U or W / D (6)."""
    return e + E_COLUMN + COLUMN * k
