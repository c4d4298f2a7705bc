"""Ball joints, and free joints of a base, in the articulated-body recursion: their freedoms are removed as a block.

S is the unit matrix (of a ball: its first three columns), so with A = [[I, H], [H^T, M]] and without armature nothing of I and H is left across
a ball: the link hands on a mass M' = M - H^T I^-1 H that depends on the direction, the moment tau, and a force. Per lane this is half the work of
removing three freedoms one after the other. What the joint does follows from the link's own acceleration a = (alpha, a_v):

I alpha + H a_v + p_n = tau_n          a_v is the frame's at a ball,  M' a_v + f' = tau_f  at a free base;    qddot = a - a_frame - c

I = L D L^T is never inverted (Gauss elimination of [I H]). In place of the columns stands the record Block (data/tree.py).
"""

from ..data.tree import ArticulatedBranch, Block, GeneralLink
from ..kernels import Vector, kernel
from ..kernels.scalar import load, zero
from ..kernels.views import record_in, slot_of
from ..model.tables import BALL, FREE
from ..spatial.articulated import mass_to_parent
from ..spatial.matrices import apply_symmetric
from ..spatial.motion import cross_motion, force_to_parent
from ..spatial.vectors import add3, add6, dot3, load3, scale3, store3, sub3
from .general import (
    E_COLUMN,
    accelerate_general,
    eliminate_general,
    has_unit_axes,
    joint_motion,
    motion_out_general,
    place_general,
    pose_general,
)

AT_INVERSE = slot_of(Block, "D")


@kernel(inline=True)
def is_block(link, general, at_driven):
    """Are this joint's freedoms removed as a block?"""
    J = general.armature
    return (
        at_driven < 0
        and has_unit_axes(link, general)
        and (link.kind == BALL or (link.kind == FREE and link.parent < 0))
        and (J[0] == 0.0 and J[1] == 0.0 and J[2] == 0.0 and J[3] == 0.0 and J[4] == 0.0 and J[5] == 0.0)
    )


@kernel(inline=True)
def _factor3(S):
    """S = L D L^T of a symmetric matrix: the three 1 / D, then L (10, 20, 21)."""
    xx, xy, xz, yy, yz, zz = S
    d0 = 1.0 / xx
    l10, l20 = xy * d0, xz * d0
    y, z = yy - l10 * xy, yz - l20 * xy
    d1 = 1.0 / y
    l21 = z * d1
    return (d0, d1, 1.0 / (zz - l20 * xz - l21 * z)), (l10, l20, l21)


@kernel
def eliminate_block(link, work, e, at, at_tau, like) -> None:
    """Remove the joint's freedoms from the articulated inertia and bias force in slots `at`.., then express them in parent coordinates."""
    branch, block = record_in(ArticulatedBranch, work, at, like), block_in(work, e, like)
    I, H, M = branch.IA
    p = branch.pA
    tau = load3(work, at_tau + link.v, like)
    d, L = _factor3(I)
    # L^-1 of the rows of H and of tau - p_n
    h0, h1, h2 = (H[0], H[1], H[2]), (H[3], H[4], H[5]), (H[6], H[7], H[8])
    h1 = sub3(h1, scale3(L[0], h0))
    h2 = sub3(sub3(h2, scale3(L[1], h0)), scale3(L[2], h1))
    u0, u1, u2 = tau[0] - p[0], tau[1] - p[1], tau[2] - p[2]
    u1 = u1 - L[0] * u0
    u2 = u2 - L[1] * u0 - L[2] * u1
    k0, k1, k2 = scale3(d[0], h0), scale3(d[1], h1), scale3(d[2], h2)
    block.K0, block.K1, block.K2, block.L, block.D = k0, k1, k2, L, d
    block.u = d[0] * u0, d[1] * u1, d[2] * u2
    M = (
        M[0] - (k0[0] * h0[0] + k1[0] * h1[0] + k2[0] * h2[0]),
        M[1] - (k0[0] * h0[1] + k1[0] * h1[1] + k2[0] * h2[1]),
        M[2] - (k0[0] * h0[2] + k1[0] * h1[2] + k2[0] * h2[2]),
        M[3] - (k0[1] * h0[1] + k1[1] * h1[1] + k2[1] * h2[1]),
        M[4] - (k0[1] * h0[2] + k1[1] * h1[2] + k2[1] * h2[2]),
        M[5] - (k0[2] * h0[2] + k1[2] * h1[2] + k2[2] * h2[2]),
    )
    f = add3((p[3], p[4], p[5]), add3(scale3(u0, k0), add3(scale3(u1, k1), scale3(u2, k2))))
    if link.kind == BALL:
        if link.parent >= 0:
            c = record_in(GeneralLink, work, e, like).c
            f = add3(f, apply_symmetric(M, (c[3], c[4], c[5])))
            X = pose_general(work, e, like)
            branch.IA, branch.pA = mass_to_parent(X, M), force_to_parent(X, (tau[0], tau[1], tau[2], f[0], f[1], f[2]))
    else:
        d, L = _factor3(M)
        block.DM, block.LM = d, L
        u = sub3(load3(work, at_tau + link.v + 3, like), f)
        y = u[1] - L[0] * u[0]
        z = d[2] * (u[2] - L[1] * u[0] - L[2] * y)
        y = d[1] * y - L[2] * z
        block.a = d[0] * u[0] - L[0] * y - L[1] * z, y, z


@kernel
def accelerate_block(link, work, e, a, at_result, like) -> Vector[6]:
    """From the acceleration of the frame (parent's, in child coordinates) to the joint's accelerations and the link's."""
    block = block_in(work, e, like)
    a = add6(a, record_in(GeneralLink, work, e, like).c)
    v = (a[3], a[4], a[5])
    if link.kind == FREE:
        v = block.a
        store3(work, at_result + link.v + 3, sub3(v, (a[3], a[4], a[5])))
    L, u = block.L, block.u
    z = u[2] - dot3(block.K2, v)
    y = u[1] - dot3(block.K1, v) - L[2] * z
    x = u[0] - dot3(block.K0, v) - L[0] * y - L[1] * z
    store3(work, at_result + link.v, sub3((x, y, z), (a[0], a[1], a[2])))
    return x, y, z, v[0], v[1], v[2]


@kernel
def load_into_block(link, work, e, F, at, like) -> Vector[6]:
    """A further load F on the link, on its way inward: its innovations L^-1 F go to the slots `at`..; returns what the parent gets of it."""
    block = block_in(work, e, like)
    n, f = (F[0], F[1], F[2]), (F[3], F[4], F[5])
    u = _forward3(block.L, n)
    store3(work, at, u)
    f = sub3(f, scale3(u[0], block.K0))
    f = sub3(f, add3(scale3(u[1], block.K1), scale3(u[2], block.K2)))
    if link.kind == FREE:
        store3(work, at + 3, _forward3(block.LM, f))
    o = zero(like)
    return force_to_parent(pose_general(work, e, like), (o, o, o, f[0], f[1], f[2]))


@kernel
def answer_of_block(link, work, e, a, at, at_result, like) -> Vector[6]:
    """The other way: innovations over D in the slots `at`.. and the acceleration a of the frame give the joint's accelerations, which are added to
    those in slots `at_result`.., and the link's."""
    block = block_in(work, e, like)
    v = (a[3], a[4], a[5])
    if link.kind == FREE:
        v = _backward3(block.LM, load3(work, at + 3, like))
        store3(work, at_result + 3, add3(load3(work, at_result + 3, like), sub3(v, (a[3], a[4], a[5]))))
    u = load3(work, at, like)
    u = (u[0] - dot3(block.K0, v), u[1] - dot3(block.K1, v), u[2] - dot3(block.K2, v))
    w = _backward3(block.L, u)
    store3(work, at_result, add3(load3(work, at_result, like), sub3(w, (a[0], a[1], a[2]))))
    return w[0], w[1], w[2], v[0], v[1], v[2]


@kernel(inline=True)
def _forward3(L, u):
    """L^-1 u, L given as (10, 20, 21)."""
    y = u[1] - L[0] * u[0]
    return u[0], y, u[2] - L[1] * u[0] - L[2] * y


@kernel(inline=True)
def _backward3(L, u):
    """L^-T u."""
    y = u[1] - L[2] * u[2]
    return u[0] - L[0] * y - L[1] * u[2], y, u[2]


@kernel(inline=True)
def block_inverse(work, e, k, like):
    """1 / D of velocity k."""
    return load(work, e + E_COLUMN + AT_INVERSE + k, like)


@kernel(inline=True)
def block_in(work, e, like):
    """The record of a block whose general link begins at slot e."""
    return record_in(Block, work, e + E_COLUMN, like)


# What the articulated-body recursion asks of a general link, by one way or the other. Calls, not inlined: a branch that meets the axial one
# with many values would cost every axial link a detour through memory.


@kernel
def move_general(link, general, work, e, v, at_velocity, at_driven, like) -> Vector[6]:
    """Outward: the link's velocity from its parent's; pose, S and bias acceleration c go to the scratch."""
    place_general(link, general, work, e, at_velocity, not is_block(link, general, at_driven), like)
    vJ = joint_motion(link, general, work, e, at_velocity + link.v, like)
    v = add6(motion_out_general(work, e, v, like), vJ)
    place = record_in(GeneralLink, work, e, like)
    place.c = add6(place.c, cross_motion(v, vJ))
    return v


@kernel
def remove_general(link, general, work, e, at, at_tau, at_driven, like) -> None:
    """Inward: the joint's freedoms go from the articulated inertia and bias force in slots `at`.., which then are the parent's."""
    if is_block(link, general, at_driven):
        eliminate_block(link, work, e, at, at_tau, like)
    else:
        eliminate_general(link, general, work, e, at, at_tau, at_driven, like)


@kernel
def respond_general(link, general, work, e, a, at_tau, at_driven, at_result, like) -> Vector[6]:
    """Outward: the joint's accelerations, and the link's from its parent's."""
    a = motion_out_general(work, e, a, like)
    if is_block(link, general, at_driven):
        return accelerate_block(link, work, e, a, at_result, like)
    return accelerate_general(link, work, e, a, at_tau, at_driven, at_result, like)
