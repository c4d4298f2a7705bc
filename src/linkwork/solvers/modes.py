"""What a solve is for: accelerations, a correction of velocities or positions, or a jump. The residual of each is what the rows lack on that level.

Two further ones only look: GAPS evaluates the rows at q, v and the time; RATES their phi_dot after v alone has changed. Added to a level,

    HERE     the rows have been evaluated at this state by GAPS, and are not evaluated again
    AGAIN    so have they, and the factor of an earlier solve nearby is used again: an approximate correction, for iterations that look at the
             gaps they leave (simplified Newton). Only for VELOCITY and POSITION.
"""

ACCELERATION, VELOCITY, POSITION, IMPULSE, GAPS, RATES = range(6)
HERE, AGAIN = 8, 16
LEVEL = 7  # mask
CONTRADICTION = 1e-4  # residual of dependent rows, relative to the largest: beyond it they say different things
