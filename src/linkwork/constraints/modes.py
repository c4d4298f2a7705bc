"""What a solve is for: accelerations, a correction of velocities or positions, or a jump. The residual of each is what the rows lack on that level.

Two further ones only look: GAPS evaluates the rows at q, v and the time; RATES their phi_dot after v alone has changed. Added to a level,

    REUSE_ROWS     the rows have been evaluated at this state by GAPS, and are not evaluated again
    REUSE_FACTOR    so have they, and the factor of an earlier solve nearby is used again: an approximate correction, for iterations that look at the
             gaps they leave (simplified Newton). Only for VELOCITY and POSITION.
    SAME     within a step: rows that the last solve without it left out are left out again (constraints/rank.py), so that stages see one smooth
             field of accelerations. Only for ACCELERATION.
    RANK_REVEALING  the rank is in doubt: look at J (solvers/delassus/rank_revealing.py)

and where accelerations are evaluated under all forces (solvers/accelerations.py), only for ACCELERATION,

    REUSE_FORCES  joint forces and wrenches on links are those of another state, which stand where forces leave them; no law is called
    MULTIPLIERS   accelerations are known, in the lanes that follow a branch: the multipliers that go with them are asked for
"""

ACCELERATION, VELOCITY, POSITION, IMPULSE, GAPS, RATES = range(6)
REUSE_ROWS, REUSE_FACTOR, SAME, RANK_REVEALING, REUSE_FORCES, MULTIPLIERS = 8, 16, 32, 64, 128, 256
LEVEL = 7  # mask
CONTRADICTION = 1e-4  # residual of dependent rows, relative to the rows of their group: beyond it they say different things
