"""Tuples of three, four and six scalars: the arithmetic under everything else. No heap, any scalar, inlined by LLVM."""

from ..kernels import kernel


@kernel(inline=True)
def add3(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(inline=True)
def sub3(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel(inline=True)
def scale3(k, a):
    return k * a[0], k * a[1], k * a[2]


@kernel(inline=True)
def dot3(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(inline=True)
def cross3(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel(inline=True)
def add6(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@kernel(inline=True)
def sub6(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]


@kernel(inline=True)
def scale6(k, a):
    return k * a[0], k * a[1], k * a[2], k * a[3], k * a[4], k * a[5]


@kernel(inline=True)
def dot6(a, b):
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


# Consecutive numbers of an array of scalars of a record.


@kernel(inline=True)
def get3(array, i):
    return array[i], array[i + 1], array[i + 2]


@kernel(inline=True)
def get4(array, i):
    return array[i], array[i + 1], array[i + 2], array[i + 3]


@kernel(inline=True)
def get6(array, i):
    return array[i], array[i + 1], array[i + 2], array[i + 3], array[i + 4], array[i + 5]


@kernel(inline=True)
def set3(array, i, a):
    array[i], array[i + 1], array[i + 2] = a[0], a[1], a[2]


@kernel(inline=True)
def set4(array, i, a):
    array[i], array[i + 1], array[i + 2], array[i + 3] = a[0], a[1], a[2], a[3]


@kernel(inline=True)
def set6(array, i, a):
    array[i], array[i + 1], array[i + 2], array[i + 3], array[i + 4], array[i + 5] = a[0], a[1], a[2], a[3], a[4], a[5]
