"""Forward dynamics by articulated bodies (ABA): the accelerations that given forces cause, in O(n).

Featherstone 1987, section 6.4 (link coordinates), with branches (7.2), joints of several freedoms (7.4), free bases (7.5) and
joints driven by acceleration (7.5.2, eq. 7.35-7.38) in one recursion:

outward   v_i = X_i v_l + S_i qdot_i,   c_i = v_i x S_i qdot_i + Sdot_i qdot_i,   p_i = v_i x* I_i v_i - f^x_i
inward    U = I^A_i S_i,   D = S_i^T U + armature,   u = tau_i - S_i^T p_i
          I^A_l += X_i^T (I^A_i - U D^-1 U^T) X_i
          p_l   += X_i^T (p_i + (I^A_i - U D^-1 U^T) c_i + U D^-1 u)
outward   a' = X_i a_l + c_i,   qddot_i = D^-1 (u - U^T a'),   a_i = a' + S_i qddot_i        with a_world = -gravity

l is the parent of link i; all vectors are in the coordinates of link i. What depends on the kind of a joint is asked of it (dynamics/joints/joint.py).
Beside FDab of Featherstone's spatial_v2:

FDab                                                                  here
[XJ, S] = jcalc(...);  vJ = S qd;  Xup = XJ Xtree                     move_joint
v = Xup v_parent + vJ;  c = crm(v) vJ                                 move_joint (c anew in remove_joint and respond_joint: `velocity_product`)
IA = I;  pA = crf(v) I v                                              _inward_inertias: articulated_plus_rigid, bias_force
pA = apply_external_forces(...)                                       _inward_inertias: tree.wrenches
U = IA S;  d = S' U;  u = tau - S' pA                                 remove_joint: K = U / d, Dinv = 1 / d, e = u / d are kept
Ia = IA - U/d U';  pa = pA + Ia c + U u/d                             remove_joint
IA_parent += Xup' Ia Xup;  pA_parent += Xup' pa                       remove_joint, to `inward`; add_body
a = Xup a_parent + c  (a_parent = -gravity at the root)               respond_joint
qdd = (u - U' a) / d;  a = a + S qdd                                  respond_joint: qdd = e - K' a

I^A is kept in blocks, [I H; H' M], and Xup' Ia Xup is three turns about single axes and a shift (spatial/axial.py: `hand_inward` of joints/axial.py).
RigidBodyDynamics.jl has no such recursion, its `dynamics!` factors the mass matrix; what it calls twist, bias acceleration and wrench are v, c and p.

`joint` is a row of the model's table of links, `link` what the recursion keeps of it (data/tree.py). Links are numbered depth first, and
`joint.follows` says that the parent is the link before: v and a then go on from link to link in registers, IA and pA through the one record `inward`.
A link with further children has a record of its own among the branches, numbered by `joint.branch` (-1: none): there the articulated bodies of
children that do not follow are added up on the way inward, and from there these children take their parent's acceleration on the way outward. So
memory for IA and pA is needed for branches only, not for each link.

A driven joint (hybrid dynamics) is a rigid one with the extra bias acceleration S qddot: D^-1 = 0.
"""

from ..data.tree import DRIVEN, GRAVITY, WRENCHES
from ..kernels import kernel
from ..kernels.scalar import zero
from ..model.tables import rigid_of
from ..spatial.articulated import articulated_plus_rigid, articulated_sum, zero_articulated
from ..spatial.inertia import bias_force
from ..spatial.vectors import add6, sub6
from .joints.joint import move_joint, remove_joint, respond_joint


@kernel
def articulated_bodies(model, tree, options) -> None:
    """q, v and tau to vdot. `options`: which of GRAVITY, VELOCITIES, WRENCHES count, and whether some velocities are DRIVEN (their tau is
    then an acceleration)."""
    if options & DRIVEN:
        _sweeps(model, tree, options)
    else:
        _sweeps(model, tree, options & ~DRIVEN)  # compiled for itself: joints that are not driven need not be asked whether they are


@kernel(inline=True)
def _sweeps(model, tree, options):
    _outward_velocities(model, tree, options)
    _inward_inertias(model, tree, options)
    _outward_accelerations(model, tree, options)


@kernel(inline=True)
def _outward_velocities(model, tree, options):
    """Velocities of all links, from the root: FDab's first loop."""
    links, branches = tree.articulated.links, tree.articulated.branches
    o = zero(tree)
    zero6 = (o, o, o, o, o, o)
    v = zero6
    for i in range(model.n):
        joint = model.links[i]
        if not joint.follows:
            v = zero6
            if joint.parent >= 0:
                v = links[joint.parent].v
        v = move_joint(model, tree, i, v, options)  # v = Xup v_parent + S qd
        links[i].v = v
        if joint.branch >= 0:  # children's IA and pA will be added up here
            branch = branches[joint.branch]
            branch.IA, branch.pA = zero_articulated(o), zero6


@kernel(inline=True)
def _inward_inertias(model, tree, options):
    """Articulated inertias and bias forces, from the tips: FDab's second loop.

    What a link hands inward goes through memory (`inward`): 27 numbers do not fit into registers, and the compiler would copy them about at
    every branch of the code.
    """
    links, branches, inward = tree.articulated.links, tree.articulated.branches, tree.articulated.inward
    o = zero(tree)
    nothing, zero6 = zero_articulated(o), (o, o, o, o, o, o)
    n = model.n
    inward.IA, inward.pA = nothing, zero6
    for j in range(n):
        i = n - 1 - j
        joint = model.links[i]
        if joint.branch >= 0:
            add_body(inward, branches[joint.branch])  # `inward` has what all children hand inward
        pA = inward.pA
        if joint.massive:
            pA = add6(pA, bias_force(rigid_of(joint), links[i].v))  # + crf(v) I v
        if options & WRENCHES:
            pA = sub6(pA, tree.wrenches[i].f)  # - f_ext
        IA = articulated_plus_rigid(inward.IA, rigid_of(joint))  # + I
        remove_joint(model, tree, i, IA, pA, options)  # U, d, u; Xup' Ia Xup and Xup' pa to `inward`
        if not joint.follows:
            if joint.parent >= 0:
                add_body(branches[model.links[joint.parent].branch], inward)
            inward.IA, inward.pA = nothing, zero6


@kernel
def add_body(into, other) -> None:
    """Two articulated bodies on the same link."""
    into.IA = articulated_sum(into.IA, other.IA)
    into.pA = add6(into.pA, other.pA)


@kernel(inline=True)
def _outward_accelerations(model, tree, options):
    """Accelerations of joints and links, from the root: FDab's third loop."""
    branches = tree.articulated.branches
    o, g = zero(tree), model.gravity
    world = (o, o, o, o, o, o)
    if options & GRAVITY:
        world = (o, o, o, o - g[0], o - g[1], o - g[2])
    a = world
    for i in range(model.n):
        joint = model.links[i]
        if not joint.follows:
            a = world
            if joint.parent >= 0:
                a = branches[model.links[joint.parent].branch].a
        a = respond_joint(model, tree, i, a, options)  # a = Xup a_parent + c;  qdd = (u - U' a) / d;  a + S qdd
        if joint.branch >= 0:
            branches[joint.branch].a = a
