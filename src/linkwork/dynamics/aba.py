"""Forward dynamics by articulated bodies (ABA): the accelerations that given forces cause, in O(n).

Featherstone 1987, section 6.4 (link coordinates), with branches (7.2), joints of several freedoms (7.4), free bases (7.5) and
joints driven by acceleration (7.5.2, eq. 7.35-7.38) in one recursion:

outward   v_i = X_i v_l + S_i qdot_i,   c_i = v_i x S_i qdot_i + Sdot_i qdot_i,   p_i = v_i x* I_i v_i - f^x_i
inward    U = I^A_i S_i,   D = S_i^T U + armature,   u = tau_i - S_i^T p_i
          I^A_l += X_i^T (I^A_i - U D^-1 U^T) X_i
          p_l   += X_i^T (p_i + (I^A_i - U D^-1 U^T) c_i + U D^-1 u)
outward   a' = X_i a_l + c_i,   qddot_i = D^-1 (u - U^T a'),   a_i = a' + S_i qddot_i        with a_world = -gravity

l is the parent of link i; all vectors are in the coordinates of link i. `joint` is a row of the model's table of links, `link` the record of what the
recursion keeps of it (data/tree.py). In Featherstone's spatial_v2, FDab: Xup is (joint, r, c, s), vJ is S qdot, d is 1 / link.D, IA and pA go
from a link to its parent through the record `carry` if the parent is the link before, through a branch otherwise.

A driven joint (hybrid dynamics) is a rigid one with the extra bias acceleration S qddot: D^-1 = 0.
"""

from ..data.tree import ArticulatedBranch, ArticulatedLink
from ..kernels import kernel
from ..kernels.scalar import load, sincos, store, zero
from ..kernels.views import record_in, records_in, slots_of
from ..model.tables import AXIAL, at_carry, at_extras, at_gathers, at_links, at_v, at_x, at_y, count_links, open_tables
from ..spatial.articulated import articulated_plus_rigid, articulated_sum, zero_articulated
from ..spatial.axial import motion_out_axial, place_axial
from ..spatial.inertia import bias_force
from ..spatial.vectors import add6, dot6, load6, scale6, sub6
from .axial_joint import along_axis, hand_inward, on_axis, plus_product, times_axis, velocity_product
from .ball import move_general, remove_general, respond_general
from .general import is_driven
from .links import rigid_of

STRIDE = slots_of(ArticulatedLink)


@kernel
def articulated_bodies(handle, work, gravity, at_force, at_driven, like) -> None:
    """q, v, tau in `work` to the accelerations in `work`.

    `gravity` scales the model's gravity (0 or 1). `at_force`: where link forces start, or -1; `at_driven`: where the flags of
    driven velocities start, or -1 (their tau is then an acceleration).
    """
    _outward_velocities(handle, work, at_driven, like)
    _inward_inertias(handle, work, at_force, at_driven, like)
    _outward_accelerations(handle, work, gravity, at_driven, like)


@kernel(inline=True)
def _outward_velocities(handle, work, at_driven, like):
    """Velocities of all links, from the root: FDab's first loop."""
    t = open_tables(handle)
    links, branches = records_in(ArticulatedLink, work, at_links(t), like), records_in(ArticulatedBranch, work, at_gathers(t, STRIDE), like)
    o = zero(like)
    zero6 = (o, o, o, o, o, o)
    v = zero6
    for i in range(count_links(t)):
        joint, link = t.links[i], links[i]
        if not joint.follows:
            v = zero6
            if joint.parent >= 0:
                v = links[joint.parent].v
        if joint.kind == AXIAL:
            q, qdot = load(work, joint.q, like), load(work, at_v(t) + joint.v, like)
            s, c = sincos(joint.turn * q + joint.offset)
            link.c, link.s = c, s
            v = along_axis(joint, motion_out_axial(joint, place_axial(joint, q), c, s, v), qdot)
        else:
            extra = at_extras(t, STRIDE) + joint.extra
            v = move_general(joint, t.generals[joint.general], work, extra, v, at_v(t), at_driven, like)
        link.v = v
        if joint.gather >= 0:
            branch = branches[joint.gather]
            branch.IA, branch.pA = zero_articulated(like), zero6


@kernel(inline=True)
def _inward_inertias(handle, work, at_force, at_driven, like):
    """Articulated inertias and bias forces, from the tips: FDab's second loop.

    What a link hands inward goes through memory (`carry`): 27 numbers do not fit into registers, and the compiler would copy them about at
    every branch of the code.
    """
    t = open_tables(handle)
    links, branches = records_in(ArticulatedLink, work, at_links(t), like), records_in(ArticulatedBranch, work, at_gathers(t, STRIDE), like)
    carry = record_in(ArticulatedBranch, work, at_carry(t, STRIDE), like)
    o = zero(like)
    nothing, zero6 = zero_articulated(like), (o, o, o, o, o, o)
    n = count_links(t)
    carry.IA, carry.pA = nothing, zero6
    for j in range(n):
        i = n - 1 - j
        joint, link = t.links[i], links[i]
        if joint.gather >= 0:
            _add_branch(carry, branches[joint.gather])
        pA = carry.pA
        if joint.massive:
            pA = add6(pA, bias_force(rigid_of(joint), link.v))
        if at_force >= 0:
            pA = sub6(pA, load6(work, at_force + 6 * i, like))
        IA = articulated_plus_rigid(carry.IA, rigid_of(joint))
        if joint.kind == AXIAL:
            tau, qdot = load(work, at_x(t) + joint.v, like), load(work, at_v(t) + joint.v, like)
            U = times_axis(joint, IA)
            u = tau - on_axis(joint, pA)
            D = 1.0 / (on_axis(joint, U) + joint.armature)
            if at_driven >= 0 and is_driven(work, at_driven + joint.v, like):
                D, u = o, o
                pA = add6(pA, scale6(tau, U))
            K = scale6(D, U)
            link.K, link.u, link.D = K, u * D, D
            if joint.parent >= 0:
                c = velocity_product(joint, link.v, qdot)
                hand_inward(joint, load(work, joint.q, like), link.c, link.s, IA, pA, (U, K, D, u), c, carry)
        else:
            carry.IA, carry.pA = IA, pA
            extra = at_extras(t, STRIDE) + joint.extra
            remove_general(joint, t.generals[joint.general], work, extra, at_carry(t, STRIDE), at_x(t), at_driven, like)
        if not joint.follows:
            if joint.parent >= 0:
                _add_branch(branches[t.links[joint.parent].gather], carry)
            carry.IA, carry.pA = nothing, zero6


@kernel
def _add_branch(into, other) -> None:
    """Two articulated bodies on the same link."""
    into.IA = articulated_sum(into.IA, other.IA)
    into.pA = add6(into.pA, other.pA)


@kernel(inline=True)
def _outward_accelerations(handle, work, gravity, at_driven, like):
    """Accelerations of joints and links, from the root: FDab's third loop."""
    t = open_tables(handle)
    links, branches = records_in(ArticulatedLink, work, at_links(t), like), records_in(ArticulatedBranch, work, at_gathers(t, STRIDE), like)
    o, g = zero(like), t.gravity
    world = (o, o, o, o - gravity * g[0], o - gravity * g[1], o - gravity * g[2])
    a = world
    for i in range(count_links(t)):
        joint, link = t.links[i], links[i]
        if not joint.follows:
            a = world
            if joint.parent >= 0:
                a = branches[t.links[joint.parent].gather].a
        if joint.kind == AXIAL:
            qdot = load(work, at_v(t) + joint.v, like)
            a = motion_out_axial(joint, place_axial(joint, load(work, joint.q, like)), link.c, link.s, a)
            a = plus_product(a, velocity_product(joint, link.v, qdot))
            qddot = link.u - dot6(link.K, a)
            if at_driven >= 0 and is_driven(work, at_driven + joint.v, like):
                qddot = load(work, at_x(t) + joint.v, like)
            store(work, at_y(t) + joint.v, qddot)
            a = along_axis(joint, a, qddot)
        else:
            extra = at_extras(t, STRIDE) + joint.extra
            a = respond_general(joint, t.generals[joint.general], work, extra, a, at_x(t), at_driven, at_y(t), like)
        if joint.gather >= 0:
            branches[joint.gather].a = a
