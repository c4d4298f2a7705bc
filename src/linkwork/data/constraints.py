"""What the solvers of constraints keep of each link and row."""

from ..kernels.records import Record, force, numbers, scalar


class SparseLink(Record):
    """The sparse solver (solvers/sparse_sweep.py): an axial link."""

    K = force("U / D, U = I^A S", by="inward")
    u = scalar("(tau - S^T p^A) / D", by="inward")
    D = scalar("1 / (S^T I^A S + armature)", by="inward")
    c = numbers(4, "v x S qdot without its components 2 and 5", by="inward")
