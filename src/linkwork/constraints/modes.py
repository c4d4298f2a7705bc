"""Modes of a solve: accelerations, corrections of velocities or positions, or impulses, each with the residual of the rows on its level.

Two further modes solve nothing: GAPS evaluates the rows at q, v and the time; RATES evaluates phi_dot after v alone has changed. Flags added to
a level:

    REUSE_ROWS     the rows have been evaluated at this state by GAPS, and are not evaluated again
    REUSE_FACTOR   the rows have been evaluated, and the factor of an earlier solve nearby is reused: an approximate correction, for iterations that
                   check the residuals they leave (simplified Newton). Only for VELOCITY and POSITION.
    SAME_ROWS           within a step: rows that the last solve without this flag left out are left out again (constraints/rank.py), so that all stages
                   have one smooth field of accelerations. Only for ACCELERATION.
    RANK_REVEALING the rank is uncertain: rows are chosen on J (solvers/delassus/rank_revealing.py)

and where accelerations are evaluated under all forces (solvers/accelerations.py), only for ACCELERATION,

    REUSE_FORCES   joint forces and wrenches on links are those of an earlier evaluation, and no force law is called
    MULTIPLIERS    accelerations are known, in the lanes that follow a branch: compute the multipliers that belong to them
"""

ACCELERATION, VELOCITY, POSITION, IMPULSE, GAPS, RATES = range(6)
REUSE_ROWS, REUSE_FACTOR, SAME_ROWS, RANK_REVEALING, REUSE_FORCES, MULTIPLIERS = 8, 16, 32, 64, 128, 256
LEVEL = 7  # mask
CONTRADICTION = 1e-4  # residual of dependent rows, relative to the rows of their group: beyond it they say different things
