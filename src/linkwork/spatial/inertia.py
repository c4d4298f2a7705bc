"""Rigid inertia as ten numbers (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz).

m is the mass, h = m c the first moment (c the centre of mass), I the rotational inertia about the frame's ORIGIN,
I = T + m (c.c 1 - c c^T) with T the tensor about the centre of mass. Sums are plain sums of the ten numbers, which is why
these ten are chosen. As a 6x6 matrix on V = (omega, v):   [[I, hat h], [-hat h, m 1]].

Featherstone 1987, eq. 3.3-3.8 and Table 8-3.
"""

from ..kernels import kernel
from ..kernels.scalar import real, where, zero
from .axial import rigid_shift
from .matrices import apply9, rotate_symmetric
from .motion import cross_force
from .vectors import dot6


@kernel(inline=True)
def zero_inertia(like):
    """The inertia of nothing."""
    o = zero(like)
    return o, o, o, o, o, o, o, o, o, o


@kernel(inline=True)
def inertia_from_com(m, c, T):
    """From mass, centre of mass and the tensor about it in six numbers (xx xy xz yy yz zz)."""
    x, y, z = c
    hx, hy, hz = m * x, m * y, m * z
    xx, yy, zz = hx * x, hy * y, hz * z
    return m, hx, hy, hz, T[0] + (yy + zz), T[1] - hx * y, T[2] - hx * z, T[3] + (xx + zz), T[4] - hy * z, T[5] + (xx + yy)


@kernel(inline=True)
def inertia_to_com(I):
    """(m, c, T): the reverse of `inertia_from_com`. Without mass, c is zero."""
    m, hx, hy, hz, a, b, c, d, e, f = I
    k = where(real(m * m) > 0.0, m, 1.0)
    x, y, z = hx / k, hy / k, hz / k
    xx, yy, zz = hx * x, hy * y, hz * z
    return m, (x, y, z), (a - (yy + zz), b + hx * y, c + hx * z, d - (xx + zz), e + hy * z, f - (xx + yy))


@kernel(inline=True)
def inertia_sum(I, J):
    """Two bodies as one."""
    a, b, c, d, e, f, g, h, i, j = I
    return a + J[0], b + J[1], c + J[2], d + J[3], e + J[4], f + J[5], g + J[6], h + J[7], i + J[8], j + J[9]


@kernel(inline=True)
def inertia_times(I, V):
    """The momentum I V: (I omega + h x v, m v - h x omega)."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = I
    a, b, c, x, y, z = V
    return (
        xx * a + xy * b + xz * c + (hy * z - hz * y),
        xy * a + yy * b + yz * c + (hz * x - hx * z),
        xz * a + yz * b + zz * c + (hx * y - hy * x),
        m * x - (hy * c - hz * b),
        m * y - (hz * a - hx * c),
        m * z - (hx * b - hy * a),
    )


@kernel(inline=True)
def kinetic_energy(I, V):
    """V . I V / 2."""
    return 0.5 * dot6(V, inertia_times(I, V))


@kernel(inline=True)
def bias_force(I, V):
    """V x* I V: the force that keeps a body in unchanged spatial velocity."""
    return cross_force(V, inertia_times(I, V))


@kernel(inline=True)
def inertia_shift(I, p):
    """In a parallel frame in which the present origin lies at p."""
    m, h, J = rigid_shift(p, I[0], (I[1], I[2], I[3]), (I[4], I[5], I[6], I[7], I[8], I[9]))
    return m, h[0], h[1], h[2], J[0], J[1], J[2], J[3], J[4], J[5]


@kernel(inline=True)
def inertia_rotate(R, I):
    """In a turned frame with the same origin: R = R_AB, I in B, the result in A."""
    h = apply9(R, (I[1], I[2], I[3]))
    J = rotate_symmetric(R, (I[4], I[5], I[6], I[7], I[8], I[9]))
    return I[0], h[0], h[1], h[2], J[0], J[1], J[2], J[3], J[4], J[5]


@kernel(inline=True)
def inertia_transform(X, I):
    """From frame B to frame A, X = X_AB = (R, p)."""
    R, p = X
    return inertia_shift(inertia_rotate(R, I), p)


@kernel(inline=True)
def inertia_matrix(I):
    """The 6x6 matrix, 36 scalars row-major."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = I
    o = zero(m)
    return (
        (xx, xy, xz, o, -z, y)
        + (xy, yy, yz, z, o, -x)
        + (xz, yz, zz, -y, x, o)
        + (o, z, -y, m, o, o)
        + (-z, o, x, o, m, o)
        + (y, -x, o, o, o, m)
    )
