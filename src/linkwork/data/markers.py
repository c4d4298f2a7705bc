"""What is exchanged with laws of forces, with relations and with custom joints: numbers of markers, and of results.

A marker is seen in world axes: R (9, row-major), p, w (angular velocity), u (velocity of its point). A law between places and a relation are given two
markers, then the time. A law gives n_a f_a | n_b f_b | V (parts/forces/kind.py), a relation n_a f_a n_b f_b phi phi_t gamma for each row
(parts/constraints/kind.py). A law with a memory is given it last, and gives last what it is to remember. A custom joint gives its pose x y z qw qx
qy qz, the columns of S and the rate Sdot v (model/custom.py).
"""

MARKER = 18  # numbers of a marker
TIME = 2 * MARKER  # where the time stands
GIVEN = TIME + 1  # numbers that are given
RESULT = 13  # numbers that a law gives
MEMORY = 4  # numbers that a law may remember, at most
ROW_RESULT = 15  # numbers that a relation gives for each row
JOINT_POSE = 7  # numbers of the pose that a custom joint gives
JOINT_COLUMN = 6  # numbers of each column of S, and of Sdot v behind them
