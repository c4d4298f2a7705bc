"""Scalars in an array by slots, for test kernels: a float, a complex number, or LANES consecutive floats that make a pack. `like`: a scalar of the kind."""

from linkwork.kernels import kernel
from linkwork.kernels.decorator import when_compiling


def load(array, i, like):
    """The scalar in slot `i`."""
    return array[i]


def store(array, i, value):
    """Put a scalar into slot `i`."""
    array[i] = value


@when_compiling
def _verbs():
    from numba.extending import overload

    from linkwork.kernels.compiled_records import is_wide
    from linkwork.kernels.lanes import PackType, load_element, load_pack, store_element, store_pack

    @overload(load)
    def _load(array, i, like):
        if is_wide(like):
            return lambda array, i, like: load_pack(array, i)
        return lambda array, i, like: load_element(array, i)

    @overload(store)
    def _store(array, i, value):
        if isinstance(value, PackType):
            return lambda array, i, value: store_pack(array, i, value)
        return lambda array, i, value: store_element(array, i, value)


@kernel(inline=True)
def load3(array, i, like):
    return load(array, i, like), load(array, i + 1, like), load(array, i + 2, like)


@kernel(inline=True)
def load4(array, i, like):
    return load(array, i, like), load(array, i + 1, like), load(array, i + 2, like), load(array, i + 3, like)


@kernel(inline=True)
def load6(array, i, like):
    a, b = load3(array, i, like), load3(array, i + 3, like)
    return a[0], a[1], a[2], b[0], b[1], b[2]


@kernel(inline=True)
def load9(array, i, like):
    a, b, c = load3(array, i, like), load3(array, i + 3, like), load3(array, i + 6, like)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@kernel(inline=True)
def load_inertia(array, i, like):
    """A rigid inertia: ten slots."""
    m, h, J = load(array, i, like), load3(array, i + 1, like), load6(array, i + 4, like)
    return m, h[0], h[1], h[2], J[0], J[1], J[2], J[3], J[4], J[5]


@kernel(inline=True)
def load_articulated(array, i, like):
    """An articulated inertia: 21 slots, I, H, M."""
    return load6(array, i, like), load9(array, i + 6, like), load6(array, i + 15, like)


@kernel(inline=True)
def store3(array, i, a):
    store(array, i, a[0])
    store(array, i + 1, a[1])
    store(array, i + 2, a[2])


@kernel(inline=True)
def store4(array, i, a):
    store3(array, i, (a[0], a[1], a[2]))
    store(array, i + 3, a[3])


@kernel(inline=True)
def store6(array, i, a):
    store3(array, i, (a[0], a[1], a[2]))
    store3(array, i + 3, (a[3], a[4], a[5]))


@kernel(inline=True)
def store9(array, i, A):
    store3(array, i, (A[0], A[1], A[2]))
    store6(array, i + 3, (A[3], A[4], A[5], A[6], A[7], A[8]))


@kernel(inline=True)
def store_inertia(array, i, I):
    store(array, i, I[0])
    store3(array, i + 1, (I[1], I[2], I[3]))
    store6(array, i + 4, (I[4], I[5], I[6], I[7], I[8], I[9]))


@kernel(inline=True)
def store_articulated(array, i, A):
    store6(array, i, A[0])
    store9(array, i + 6, A[1])
    store6(array, i + 15, A[2])
