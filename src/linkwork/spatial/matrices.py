"""3x3 matrices as tuples: nine scalars row-major, or six for a symmetric one (xx xy xz yy yz zz). No heap, any scalar."""

from ..kernels import kernel
from ..kernels.scalar import zero


@kernel(inline=True)
def identity9(like):
    """The unit matrix, as scalars of the kind of `like`."""
    o = zero(like)
    e = o + 1.0
    return e, o, o, o, e, o, o, o, e


@kernel(inline=True)
def hat9(a):
    """The matrix of the cross product: hat(a) b = a x b."""
    x, y, z = a
    o = zero(x)
    return o, -z, y, z, o, -x, -y, x, o


@kernel(inline=True)
def hat_times(r, B):
    """hat(r) B."""
    x, y, z = r
    return (
        y * B[6] - z * B[3],
        y * B[7] - z * B[4],
        y * B[8] - z * B[5],
        z * B[0] - x * B[6],
        z * B[1] - x * B[7],
        z * B[2] - x * B[8],
        x * B[3] - y * B[0],
        x * B[4] - y * B[1],
        x * B[5] - y * B[2],
    )


@kernel(inline=True)
def times_hat(B, r):
    """B hat(r)."""
    x, y, z = r
    return (
        B[1] * z - B[2] * y,
        B[2] * x - B[0] * z,
        B[0] * y - B[1] * x,
        B[4] * z - B[5] * y,
        B[5] * x - B[3] * z,
        B[3] * y - B[4] * x,
        B[7] * z - B[8] * y,
        B[8] * x - B[6] * z,
        B[6] * y - B[7] * x,
    )


@kernel(inline=True)
def add9(A, B):
    return A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5], A[6] + B[6], A[7] + B[7], A[8] + B[8]


@kernel(inline=True)
def transposed9(A):
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@kernel(inline=True)
def inverse9(A):
    """A^-1 of a regular matrix."""
    a, b, c, d, e, f, g, h, i = A
    x, y, z = e * i - f * h, f * g - d * i, d * h - e * g
    k = 1.0 / (a * x + b * y + c * z)
    return (
        k * x,
        k * (c * h - b * i),
        k * (b * f - c * e),
        k * y,
        k * (a * i - c * g),
        k * (c * d - a * f),
        k * z,
        k * (b * g - a * h),
        k * (a * e - b * d),
    )


@kernel(inline=True)
def apply9(A, v):
    """A v."""
    x, y, z = v
    return A[0] * x + A[1] * y + A[2] * z, A[3] * x + A[4] * y + A[5] * z, A[6] * x + A[7] * y + A[8] * z


@kernel(inline=True)
def apply9_transposed(A, v):
    """A^T v: for a rotation, its inverse."""
    x, y, z = v
    return A[0] * x + A[3] * y + A[6] * z, A[1] * x + A[4] * y + A[7] * z, A[2] * x + A[5] * y + A[8] * z


@kernel(inline=True)
def times9(A, B):
    """A B."""
    a = apply9_transposed(B, (A[0], A[1], A[2]))
    b = apply9_transposed(B, (A[3], A[4], A[5]))
    c = apply9_transposed(B, (A[6], A[7], A[8]))
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@kernel(inline=True)
def times9_transposed(A, B):
    """A B^T."""
    a, b, c = apply9(B, (A[0], A[1], A[2])), apply9(B, (A[3], A[4], A[5])), apply9(B, (A[6], A[7], A[8]))
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@kernel(inline=True)
def apply_symmetric(S, v):
    """S v of a symmetric matrix in six numbers."""
    x, y, z = v
    return S[0] * x + S[1] * y + S[2] * z, S[1] * x + S[3] * y + S[4] * z, S[2] * x + S[4] * y + S[5] * z


@kernel(inline=True)
def rotate_symmetric(R, S):
    """R S R^T, symmetric in six numbers: 45 multiplications."""
    a = apply_symmetric(S, (R[0], R[1], R[2]))
    b = apply_symmetric(S, (R[3], R[4], R[5]))
    c = apply_symmetric(S, (R[6], R[7], R[8]))
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
        R[3] * b[0] + R[4] * b[1] + R[5] * b[2],
        R[6] * b[0] + R[7] * b[1] + R[8] * b[2],
        R[6] * c[0] + R[7] * c[1] + R[8] * c[2],
    )


@kernel(inline=True)
def rotate_matrix(R, A):
    """R A R^T of a general matrix."""
    return times9_transposed(times9(R, A), R)
