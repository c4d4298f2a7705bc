"""How constraint kernels write a row (the record Row of data/constraints.py): wrenches about the markers' points, world axes; see kind.py.

`block` is a row of the model's table of blocks (model/constraint_tables.py), `rows` the RowData: rows, and functions of time that have been evaluated.
A marker is a tuple (R, p, w, u): orientation (9 numbers, row-major), position, angular velocity, velocity of its point; all in world axes.
"""

from ...kernels import kernel


@kernel(inline=True)
def put_row(row, n_a, f_a, n_b, f_b, phi, rate, gamma):
    """Write one row."""
    row.n_a, row.f_a, row.n_b, row.f_b = n_a, f_a, n_b, f_b
    row.phi, row.rate, row.gamma = phi, rate, gamma
