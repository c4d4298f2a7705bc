"""What computations keep, declared: one table of records for each stage, with the meaning of every field and what writes it.

    tree.py           recursions over the links of a tree: articulated bodies, Newton-Euler, composite bodies, motion of links
    forces.py         active forces: which act where, and their evaluation
    markers.py        sizes of what is exchanged with laws and relations
    constraints.py    rows of constraints at a state, and the solver by articulated bodies
    sparse.py         the sparse solver: its program for a model, and what a solve keeps
    accelerations.py          accelerations under all forces, as integrators ask for them
    variational.py    a run of the variational integrator
    snapshot.py       the memory of a record as one array, for checkpoints
    lending.py        `Data`: these records for one model and one thread, lent by a pool beside the model

Offsets, NumPy views and the access of kernels follow from these declarations (kernels/records.py). `print(ArticulatedLink.table())` shows one.
"""
