"""Gaps of constraints measured without units, and the tolerances that numbers of 16 digits can meet.

gap = max |phi_i| / u_i        u_i: the mechanism's length for rows in m, 1 for rows in rad (model/lay_rules.py)        tolerance >= ROUNDINGS eps

So a tolerance says the same of a mechanism of 1 mm and of 1 km: 1e-10 is 1e-10 rad, and 1e-10 m for each m of its length.
"""

import numpy as np

# A gap is the difference of two sums of products along the branches of a loop. Each link adds a product of matrices, 3 roundings of eps / 2 in each of
# a position's components, and these add up as a random walk: 32 eps for some hundred links. A correction that is exact leaves as much.
ROUNDINGS = 32.0


def reachable(tolerance):
    """A tolerance of gaps, no smaller than what rounding allows; arrays go through too."""
    return np.maximum(tolerance, ROUNDINGS * np.finfo(float).eps)


def row_units(model):
    """(nc,) What each row of constraints is measured by: a length of the mechanism, m, or 1 rad."""
    return 1.0 / model.rules.inverse_units


def largest_gap(model, rows):
    """The largest of some rows (..., nc), phi or phi_dot, by their units."""
    return np.max(np.abs(rows) / row_units(model), axis=-1, initial=0.0)
