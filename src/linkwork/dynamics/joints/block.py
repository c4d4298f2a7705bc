"""Ball joints, and free joints of a base, in the articulated-body recursion: their freedoms are removed as a block.

S is the unit matrix (of a ball: its first three columns), so with A = [[I, H], [H^T, M]] and without armature nothing of I and H is left across
a ball: the link hands on a mass M' = M - H^T I^-1 H that depends on the direction, the moment tau, and a force. Per lane this is half the work of
removing three freedoms one after the other. What the joint does follows from the link's own acceleration a = (alpha, a_v):

I alpha + H a_v + p_n = tau_n          a_v is the frame's at a ball,  M' a_v + f' = tau_f  at a free base;    qddot = a - a_frame - c

I = L D L^T is never inverted (Gauss elimination of [I H]). What is kept is the record Block (data/tree.py).
"""

from ...data.tree import DRIVEN
from ...kernels import kernel
from ...kernels.scalar import zero
from ...model.tables import BALL, FREE
from ...spatial.articulated import mass_to_parent
from ...spatial.matrices import apply_symmetric
from ...spatial.motion import force_to_parent
from ...spatial.vectors import add3, add6, dot3, get3, scale3, set3, sub3
from .general import has_armature, has_unit_axes, pose_general


@kernel(inline=True)
def is_block(joint, general, options):
    """Are this joint's freedoms removed as a block?"""
    return (
        options & DRIVEN == 0
        and has_unit_axes(joint, general)
        and (joint.kind == BALL or (joint.kind == FREE and joint.parent < 0))
        and not has_armature(general)
    )


@kernel(inline=True)
def _factor3(S):
    """S = L D L^T of a symmetric matrix: the three numbers of D^-1, then L (10, 20, 21)."""
    xx, xy, xz, yy, yz, zz = S
    d0 = 1.0 / xx
    l10, l20 = xy * d0, xz * d0
    y, z = yy - l10 * xy, yz - l20 * xy
    d1 = 1.0 / y
    l21 = z * d1
    return (d0, d1, 1.0 / (zz - l20 * xz - l21 * z)), (l10, l20, l21)


@kernel(inline=True)
def eliminate_block(joint, joints, inward, tau):
    """Remove the joint's freedoms from the articulated body `inward`, then express it in parent coordinates."""
    block, place = joints.blocks[joint.general], joints.generals[joint.general]
    I, H, M = inward.IA
    p = inward.pA
    n = get3(tau, joint.v)
    d, L = _factor3(I)
    # L^-1 of the rows of H and of tau - p_n
    h0, h1, h2 = (H[0], H[1], H[2]), (H[3], H[4], H[5]), (H[6], H[7], H[8])
    h1 = sub3(h1, scale3(L[0], h0))
    h2 = sub3(sub3(h2, scale3(L[1], h0)), scale3(L[2], h1))
    u0, u1, u2 = n[0] - p[0], n[1] - p[1], n[2] - p[2]
    u1 = u1 - L[0] * u0
    u2 = u2 - L[1] * u0 - L[2] * u1
    k0, k1, k2 = scale3(d[0], h0), scale3(d[1], h1), scale3(d[2], h2)
    block.K0, block.K1, block.K2, block.L, block.Dinv = k0, k1, k2, L, d
    block.e = d[0] * u0, d[1] * u1, d[2] * u2
    M = (
        M[0] - (k0[0] * h0[0] + k1[0] * h1[0] + k2[0] * h2[0]),
        M[1] - (k0[0] * h0[1] + k1[0] * h1[1] + k2[0] * h2[1]),
        M[2] - (k0[0] * h0[2] + k1[0] * h1[2] + k2[0] * h2[2]),
        M[3] - (k0[1] * h0[1] + k1[1] * h1[1] + k2[1] * h2[1]),
        M[4] - (k0[1] * h0[2] + k1[1] * h1[2] + k2[1] * h2[2]),
        M[5] - (k0[2] * h0[2] + k1[2] * h1[2] + k2[2] * h2[2]),
    )
    f = add3((p[3], p[4], p[5]), add3(scale3(u0, k0), add3(scale3(u1, k1), scale3(u2, k2))))
    if joint.kind == BALL:
        if joint.parent >= 0:
            c = place.c
            f = add3(f, apply_symmetric(M, (c[3], c[4], c[5])))
            X = pose_general(place)
            inward.IA, inward.pA = mass_to_parent(X, M), force_to_parent(X, (n[0], n[1], n[2], f[0], f[1], f[2]))
    else:
        d, L = _factor3(M)
        block.DMinv, block.LM = d, L
        u = sub3(get3(tau, joint.v + 3), f)
        y = u[1] - L[0] * u[0]
        z = d[2] * (u[2] - L[1] * u[0] - L[2] * y)
        y = d[1] * y - L[2] * z
        block.a = d[0] * u[0] - L[0] * y - L[1] * z, y, z


@kernel(inline=True)
def accelerate_block(joint, joints, a, vdot):
    """From the acceleration of the frame (parent's, in child coordinates) to the joint's accelerations, in `vdot`, and the link's."""
    block = joints.blocks[joint.general]
    a = add6(a, joints.generals[joint.general].c)
    v = (a[3], a[4], a[5])
    if joint.kind == FREE:
        v = block.a
        set3(vdot, joint.v + 3, sub3(v, (a[3], a[4], a[5])))
    L, e = block.L, block.e
    z = e[2] - dot3(block.K2, v)
    y = e[1] - dot3(block.K1, v) - L[2] * z
    x = e[0] - dot3(block.K0, v) - L[0] * y - L[1] * z
    set3(vdot, joint.v, sub3((x, y, z), (a[0], a[1], a[2])))
    return x, y, z, v[0], v[1], v[2]


@kernel(inline=True)
def load_into_block(joint, joints, F, y, at):
    """A further load F on the link, on its way inward, with what y[at..] holds as a load along the joint: the innovations L^-1 (F + y) go there; returns
    what the parent gets of it."""
    block = joints.blocks[joint.general]
    along, f = get3(y, at), (F[3], F[4], F[5])
    u = _forward3(block.L, add3((F[0], F[1], F[2]), along))
    set3(y, at, u)
    f = sub3(f, scale3(u[0], block.K0))
    f = sub3(f, add3(scale3(u[1], block.K1), scale3(u[2], block.K2)))
    if joint.kind == FREE:
        set3(y, at + 3, _forward3(block.LM, add3(f, get3(y, at + 3))))  # the parent is the world: what it gets does not matter
    o = zero(joints)
    return force_to_parent(pose_general(joints.generals[joint.general]), (o - along[0], o - along[1], o - along[2], f[0], f[1], f[2]))


@kernel(inline=True)
def answer_of_block(joint, joints, a, e, vdot):
    """The other way: e = D^-1 u of innovations u, and the acceleration a of the frame give the joint's accelerations, which are added to
    those in `vdot`, and the link's."""
    block = joints.blocks[joint.general]
    v = (a[3], a[4], a[5])
    if joint.kind == FREE:
        v = _backward3(block.LM, get3(e, joint.v + 3))
        set3(vdot, joint.v + 3, add3(get3(vdot, joint.v + 3), sub3(v, (a[3], a[4], a[5]))))
    u = get3(e, joint.v)
    u = (u[0] - dot3(block.K0, v), u[1] - dot3(block.K1, v), u[2] - dot3(block.K2, v))
    w = _backward3(block.L, u)
    set3(vdot, joint.v, add3(get3(vdot, joint.v), sub3(w, (a[0], a[1], a[2]))))
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
def block_inverse(block, k):
    """D^-1 of velocity k of the joint."""
    Dinv, DMinv = block.Dinv, block.DMinv
    return Dinv[k] if k < 3 else DMinv[k - 3]
