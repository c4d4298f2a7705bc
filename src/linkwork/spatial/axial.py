"""Transforms between two link frames as turns about single coordinate axes (Featherstone 1987, section 8.3.4).

A link frame has its z axis on its joint's axis. The constant rotation between two such frames is written as z-x-z angles,
    R_PC(q) = Rz(theta0) Rx(alpha) Rz(theta),         p_PC = r,
so that a turn of a vector costs four multiplications and a turn of a symmetric matrix eight, instead of 9 and 45.

symbol          meaning
c, s            cosine and sine of the angle of one turn
cc, cs          c*c and c*s
(xx xy xz yy yz zz)                     a symmetric 3x3 matrix
(xx xy xz yx yy yz zx zy zz)            a general 3x3 matrix, row-major
I, H, M         blocks of an articulated inertia [[I, H], [H^T, M]]

All functions named `..._out` go from parent to child coordinates, `..._in` from child to parent.
"""

from ..kernels import kernel


@kernel(inline=True)
def turn_symmetric_z(c, s, cc, cs, A):
    """R A R^T with R = Rz, A symmetric; the trace of the upper block is invariant."""
    xx, xy, xz, yy, yz, zz = A
    d = xx - yy
    t = cs * xy
    xx1 = yy + cc * d - (t + t)
    return xx1, cs * d + (cc + cc - 1.0) * xy, c * xz - s * yz, xx + yy - xx1, s * xz + c * yz, zz


@kernel(inline=True)
def turn_symmetric_x(c, s, cc, cs, A):
    """R A R^T with R = Rx, A symmetric: the z turn with the axes named anew (y z x for x y z)."""
    xx, xy, xz, yy, yz, zz = A
    yy1, yz1, xy1, zz1, xz1, xx1 = turn_symmetric_z(c, s, cc, cs, (yy, yz, xy, zz, xz, xx))
    return xx1, xy1, xz1, yy1, yz1, zz1


@kernel(inline=True)
def turn_matrix_z(c, s, cc, cs, A):
    """R A R^T with R = Rz, A general."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = A
    d = xx - yy
    t = xy + yx
    xx1 = yy + cc * d - cs * t
    xy1 = cs * d + cc * t - yx
    return xx1, xy1, c * xz - s * yz, xy1 - xy + yx, xx + yy - xx1, s * xz + c * yz, c * zx - s * zy, s * zx + c * zy, zz


@kernel(inline=True)
def turn_matrix_x(c, s, cc, cs, A):
    """R A R^T with R = Rx, A general."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = A
    yy1, yz1, yx1, zy1, zz1, zx1, xy1, xz1, xx1 = turn_matrix_z(c, s, cc, cs, (yy, yz, yx, zy, zz, zx, xy, xz, xx))
    return xx1, xy1, xz1, yx1, yy1, yz1, zx1, zy1, zz1


@kernel(inline=True)
def place_axial(link, q):
    """The child's origin in parent coordinates: a sliding joint moves it along the joint's axis."""
    d = link.slide * q
    return d * (link.s0 * link.sa) + link.r[0], link.r[1] - d * (link.c0 * link.sa), d * link.ca + link.r[2]


@kernel(inline=True)
def vector_out_axial(link, c, s, v):
    """A vector from parent to child axes: the three turns undone."""
    x, y, z = v
    if link.turned:
        x, y = link.c0 * x + link.s0 * y, link.c0 * y - link.s0 * x
    y, z = link.ca * y + link.sa * z, link.ca * z - link.sa * y
    return c * x + s * y, c * y - s * x, z


@kernel(inline=True)
def motion_out_axial(link, r, c, s, V):
    """A motion vector from parent to child coordinates: shift to r, then undo the three turns."""
    wx, wy, wz, vx, vy, vz = V
    if link.shifted:
        x, y, z = r
        vx, vy, vz = vx + (wy * z - wz * y), vy + (wz * x - wx * z), vz + (wx * y - wy * x)
    if link.turned:
        wx, wy = link.c0 * wx + link.s0 * wy, link.c0 * wy - link.s0 * wx
        vx, vy = link.c0 * vx + link.s0 * vy, link.c0 * vy - link.s0 * vx
    wy, wz = link.ca * wy + link.sa * wz, link.ca * wz - link.sa * wy
    vy, vz = link.ca * vy + link.sa * vz, link.ca * vz - link.sa * vy
    return c * wx + s * wy, c * wy - s * wx, wz, c * vx + s * vy, c * vy - s * vx, vz


@kernel(inline=True)
def force_in_axial(link, r, c, s, F):
    """A force vector from child to parent coordinates: three turns, then the moment of the force about the parent's origin."""
    nx, ny, nz, fx, fy, fz = F
    nx, ny = c * nx - s * ny, s * nx + c * ny
    fx, fy = c * fx - s * fy, s * fx + c * fy
    ny, nz = link.ca * ny - link.sa * nz, link.sa * ny + link.ca * nz
    fy, fz = link.ca * fy - link.sa * fz, link.sa * fy + link.ca * fz
    if link.turned:
        nx, ny = link.c0 * nx - link.s0 * ny, link.s0 * nx + link.c0 * ny
        fx, fy = link.c0 * fx - link.s0 * fy, link.s0 * fx + link.c0 * fy
    if link.shifted:
        x, y, z = r
        nx, ny, nz = nx + (y * fz - z * fy), ny + (z * fx - x * fz), nz + (x * fy - y * fx)
    return nx, ny, nz, fx, fy, fz


@kernel(inline=True)
def rotation_axial(link, c, s, R):
    """R_WC = R_WP Rz(theta0) Rx(alpha) Rz(theta): three turns of columns."""
    x0, y0, z0, x1, y1, z1, x2, y2, z2 = R
    if link.turned:
        x0, y0 = link.c0 * x0 + link.s0 * y0, link.c0 * y0 - link.s0 * x0
        x1, y1 = link.c0 * x1 + link.s0 * y1, link.c0 * y1 - link.s0 * x1
        x2, y2 = link.c0 * x2 + link.s0 * y2, link.c0 * y2 - link.s0 * x2
    y0, z0 = link.ca * y0 + link.sa * z0, link.ca * z0 - link.sa * y0
    y1, z1 = link.ca * y1 + link.sa * z1, link.ca * z1 - link.sa * y1
    y2, z2 = link.ca * y2 + link.sa * z2, link.ca * z2 - link.sa * y2
    x0, y0 = c * x0 + s * y0, c * y0 - s * x0
    x1, y1 = c * x1 + s * y1, c * y1 - s * x1
    x2, y2 = c * x2 + s * y2, c * y2 - s * x2
    return x0, y0, z0, x1, y1, z1, x2, y2, z2


@kernel(inline=True)
def articulated_shift(r, I, H, M):
    """Articulated inertia about the parent's origin, from the child's origin at r: H' = H + rx M, I' = I + rx H^T - H' rx."""
    x, y, z = r
    mxx, mxy, mxz, myy, myz, mzz = M
    h0, h1, h2 = H[0] + (y * mxz - z * mxy), H[1] + (y * myz - z * myy), H[2] + (y * mzz - z * myz)
    h3, h4, h5 = H[3] + (z * mxx - x * mxz), H[4] + (z * mxy - x * myz), H[5] + (z * mxz - x * mzz)
    h6, h7, h8 = H[6] + (x * mxy - y * mxx), H[7] + (x * myy - y * mxy), H[8] + (x * myz - y * mxz)
    I1 = (
        I[0] + (y * H[2] - z * H[1]) - (h1 * z - h2 * y),
        I[1] + (y * H[5] - z * H[4]) - (h2 * x - h0 * z),
        I[2] + (y * H[8] - z * H[7]) - (h0 * y - h1 * x),
        I[3] + (z * H[3] - x * H[5]) - (h5 * x - h3 * z),
        I[4] + (z * H[6] - x * H[8]) - (h3 * y - h4 * x),
        I[5] + (x * H[7] - y * H[6]) - (h6 * y - h7 * x),
    )
    return I1, (h0, h1, h2, h3, h4, h5, h6, h7, h8), M


@kernel(inline=True)
def articulated_turn_axial(link, c, s, A):
    """An articulated inertia A = (I, H, M) from child to parent axes, still about the child's origin (see `articulated_shift`)."""
    I, H, M = A
    cc, cs = c * c, c * s
    I, H, M = turn_symmetric_z(c, s, cc, cs, I), turn_matrix_z(c, s, cc, cs, H), turn_symmetric_z(c, s, cc, cs, M)
    c1, s1 = link.ca, link.sa
    cc1, cs1 = c1 * c1, c1 * s1
    I, H, M = turn_symmetric_x(c1, s1, cc1, cs1, I), turn_matrix_x(c1, s1, cc1, cs1, H), turn_symmetric_x(c1, s1, cc1, cs1, M)
    if link.turned:
        c0, s0 = link.c0, link.s0
        cc0, cs0 = c0 * c0, c0 * s0
        I, H, M = turn_symmetric_z(c0, s0, cc0, cs0, I), turn_matrix_z(c0, s0, cc0, cs0, H), turn_symmetric_z(c0, s0, cc0, cs0, M)
    return I, H, M


@kernel(inline=True)
def rigid_shift(r, m, h, I):
    """Rigid inertia about the parent's origin: I' = I - hx rx - rx hx - m rx rx (symmetric), h' = h + m r."""
    x, y, z = r
    hx, hy, hz = h
    gx, gy, gz = hx + m * x, hy + m * y, hz + m * z
    xx, yy, zz = hx * x + gx * x, hy * y + gy * y, hz * z + gz * z
    I1 = (
        I[0] + (yy + zz),
        I[1] - (hx * y + gy * x),
        I[2] - (hx * z + gz * x),
        I[3] + (xx + zz),
        I[4] - (hy * z + gz * y),
        I[5] + (xx + yy),
    )
    return m, (gx, gy, gz), I1


@kernel(inline=True)
def rigid_in_axial(link, r, c, s, rigid):
    """A rigid inertia (ten numbers) from child to parent coordinates."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = rigid
    I = (xx, xy, xz, yy, yz, zz)
    I = turn_symmetric_z(c, s, c * c, c * s, I)
    hx, hy = c * hx - s * hy, s * hx + c * hy
    I = turn_symmetric_x(link.ca, link.sa, link.ca * link.ca, link.ca * link.sa, I)
    hy, hz = link.ca * hy - link.sa * hz, link.sa * hy + link.ca * hz
    if link.turned:
        I = turn_symmetric_z(link.c0, link.s0, link.c0 * link.c0, link.c0 * link.s0, I)
        hx, hy = link.c0 * hx - link.s0 * hy, link.s0 * hx + link.c0 * hy
    m, h, I = rigid_shift(r, m, (hx, hy, hz), I)
    return m, h[0], h[1], h[2], I[0], I[1], I[2], I[3], I[4], I[5]
