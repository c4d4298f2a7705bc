"""Axes of shapes and directions: a few lines that all pair kernels need."""

from ..kernels import kernel
from ..kernels.scalar import sqrt
from ..spatial.vectors import add3, dot3, scale3


@kernel(inline=True)
def axis_x(R):
    return R[0], R[3], R[6]


@kernel(inline=True)
def axis_y(R):
    return R[1], R[4], R[7]


@kernel(inline=True)
def axis_z(R):
    return R[2], R[5], R[8]


@kernel(inline=True)
def axis_of(R, k):
    """The k-th axis of a frame."""
    return axis_x(R) if k == 0 else axis_y(R) if k == 1 else axis_z(R)


@kernel(inline=True)
def size_of(shape):
    """The three lengths of a shape."""
    return shape["size"][0], shape["size"][1], shape["size"][2]


@kernel(inline=True)
def component(a, k):
    return a[0] if k == 0 else a[1] if k == 1 else a[2]


@kernel(inline=True)
def clamp(x, low, high):
    return low if x < low else high if x > high else x


@kernel(inline=True)
def sign_of(x):
    """1 or -1; of zero 1."""
    return -1.0 if x < 0.0 else 1.0


@kernel(inline=True)
def beside(p, k, n):
    """p + k n."""
    return add3(p, scale3(k, n))


@kernel(inline=True)
def length3(a):
    return sqrt(dot3(a, a))


@kernel(inline=True)
def opposite(a):
    return -a[0], -a[1], -a[2]
