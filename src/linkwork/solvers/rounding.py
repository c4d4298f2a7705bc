"""The tolerances that numbers of 16 digits can meet: gaps of constraints cannot be closed below the rounding of the mechanism's size.

tolerance >= ROUNDINGS eps L        L: a length of the mechanism, m        7e-15 L: 1e-10 m is kept up to L = 14 km, and is 7e-9 m at 1000 km
"""

import numpy as np

# A gap is the difference of two sums of products along the branches of a loop. Each link adds a product of matrices, 3 roundings of eps / 2 in each of
# a position's components, and these add up as a random walk: 32 eps for some hundred links. A correction that is exact leaves as much.
ROUNDINGS = 32.0


def reachable(model, tolerance):
    """A tolerance of gaps (m or rad), no smaller than what rounding allows in a mechanism of this size; arrays go through too."""
    return np.maximum(tolerance, ROUNDINGS * np.finfo(float).eps * float(model.rules.length[0]))
