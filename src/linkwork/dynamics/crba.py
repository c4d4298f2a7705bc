"""The joint-space mass matrix by composite rigid bodies (CRBA).

Featherstone 1987, sections 5.3-5.4, with branches (7.2) and joints of several freedoms (7.4). Composite inertias are summed in link coordinates;
motion axes S and momenta F are then expressed in the frame of the tree's root link, where one product of six gives an entry of M:

outward   X_i, the pose of link i in its root link's frame;   S_i' = Ad(X_i) S_i
inward    I^C_l += X_li I^C_i X_li^T                     composite inertia of everything outboard
          F = Ad*(X_i) I^C_i S_i                         momentum of it when joint i moves at unit rate
          M_ii = S_i^T I^C_i S_i + armature,    M_ji = M_ij = S_j'^T F    for all j that support i

The root link's frame (instead of the world's) keeps numbers small wherever the mechanism stands. Joints of which none supports the other leave
zeros in M.

What depends on the kind of a joint is asked of it (dynamics/joints/joint.py). `joint` is a row of the model's table of links, `link` the record of
what the recursion keeps of it (data/tree.py).
"""

from ..kernels import kernel
from ..kernels.scalar import zero
from ..model.tables import rigid_of
from ..spatial.inertia import inertia_sum, zero_inertia
from ..spatial.matrices import identity9
from .joints.composite import enter_joint, place_in_root
from .matrix_entries import Leaving, leave


@kernel
def composite_bodies(model, tree, out, at, leaving) -> None:
    """Fill the mass matrix: of one state in `out`, of a block of states in the entries from `at` on (see matrix_entries.py).

    Entries of unrelated joints are not touched. Meanwhile the matrices `leaving`, of the block before, go to `out`.
    """
    data = tree.composite
    branches = data.branches
    leaving = _axes_in_root(model, tree, out, leaving)
    nothing = zero_inertia(zero(tree))
    composite = nothing
    for i in range(model.n - 1, -1, -1):
        joint = model.links[i]
        composite = inertia_sum(composite, rigid_of(joint))
        if joint.branch >= 0:
            composite = inertia_sum(composite, branches[joint.branch].I)
        at, composite = enter_joint(model, tree, i, composite, out, at)
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[model.links[joint.parent].branch]
                branch.I = inertia_sum(branch.I, composite)
            composite = nothing
        leaving = leave(model, data.entries, out, leaving)


@kernel
def _axes_in_root(model, tree, out, leaving) -> Leaving:
    """Outward: poses and motion axes in the root link's frame."""
    data = tree.composite
    links, o = data.links, zero(tree)
    root = (identity9(o), (o, o, o))
    X = root
    for i in range(model.n):
        joint = model.links[i]
        if not joint.follows and joint.parent >= 0:
            X = (links[joint.parent].R, links[joint.parent].p)
        if joint.parent < 0:
            X = root
        X = place_in_root(model, tree, i, X)
        if joint.branch >= 0:
            data.branches[joint.branch].I = zero_inertia(o)
        leaving = leave(model, data.entries, out, leaving)
    return leaving
