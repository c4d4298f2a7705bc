"""The verbs that depend on what a scalar is: a float, a complex number, a pack of lanes, or (in plain Python) any number-like object.

A kernel calls `sincos`, `sqrt`, `atan2`, `where`, `real`, `zero`; all else is ordinary arithmetic, on fields of records and elements of their arrays.
`like` is any scalar of the wanted kind, or a record (kernels/records.py) that holds such scalars.
"""

import cmath
import math

import numpy as np

from .array_fields import RecordArray
from .decorator import when_compiling
from .records import Record


def width(like):
    """How many states a scalar holds: 1, or LANES for a pack."""
    return like.lanes if isinstance(like, (Record, RecordArray)) else 1


def zero(like):
    """The number 0 as a scalar of the kind of `like`."""
    if isinstance(like, (Record, RecordArray)):
        return like.zero
    if isinstance(like, np.ndarray):
        return 0.0 if like.dtype == object else like.dtype.type(0)
    return like * 0


def sincos(x):
    """(sin x, cos x)."""
    if isinstance(x, float):
        return math.sin(x), math.cos(x)
    if isinstance(x, complex):
        return cmath.sin(x), cmath.cos(x)
    return x.sincos()


def sqrt(x):
    """The square root (of a number that is not negative)."""
    if isinstance(x, complex):
        return cmath.sqrt(x)
    return math.sqrt(x) if isinstance(x, (float, int)) else x.sqrt()


def atan2(y, x):
    """The angle of the point (x, y)."""
    if isinstance(y, complex) or isinstance(x, complex):
        return _complex_atan2(y, x)
    return math.atan2(y, x)


def where(condition, a, b):
    """a if the condition holds, else b; both are evaluated, as lanes need it."""
    return a if condition else b


def beyond(x, limit):
    """Is |x| greater than the limit, or NaN (in any lane)?"""
    return not abs(x) <= limit


def scalar_for(array):
    """Zero, as the scalar that suits an input array: one state (1-D) is walked by floats, a batch (2-D) by packs."""
    return 0.0


def widest():
    """Zero, as the widest scalar there is: a pack if kernels are compiled, else a float."""
    return 0.0


def lane_sum(x):
    """The sum over the lanes of a scalar."""
    return x


def real(x):
    """What comparisons look at: the real part of a complex number, the number itself otherwise."""
    return x.real if isinstance(x, complex) else x


def _complex_atan2(y, x):
    # First-order (complex-step) continuation: the real angle, plus i times its derivative along the imaginary parts.
    yr, xr = complex(y).real, complex(x).real
    yi, xi = complex(y).imag, complex(x).imag
    return complex(math.atan2(yr, xr), (xr * yi - yr * xi) / (xr * xr + yr * yr))


@when_compiling
def _verbs():
    from numba import types
    from numba.extending import overload

    from .compiled_records import is_wide
    from .lanes import (
        LANES,
        MaskType,
        PackType,
        any_beyond,
        atan2_pack,
        lane,
        select,
        sincos_float,
        sincos_pack,
        spread,
        sqrt_pack,
    )

    def _is_pack(t):
        return isinstance(t, PackType)

    @overload(width)
    def _width(like):
        lanes = LANES if is_wide(like) else 1
        return lambda like: lanes

    @overload(zero)
    def _zero(like):
        if is_wide(like):
            return lambda like: spread(0.0)
        if isinstance(like, types.Complex):
            return lambda like: complex(0.0, 0.0)
        return lambda like: 0.0

    @overload(sincos)
    def _sincos(x):
        if _is_pack(x):
            return lambda x: sincos_pack(x)
        if isinstance(x, types.Complex):
            return lambda x: (cmath.sin(x), cmath.cos(x))
        return lambda x: sincos_float(x)

    @overload(sqrt)
    def _sqrt(x):
        if _is_pack(x):
            return lambda x: sqrt_pack(x)
        if isinstance(x, types.Complex):
            return lambda x: cmath.sqrt(x)
        return lambda x: math.sqrt(x)

    @overload(atan2)
    def _atan2(y, x):
        if _is_pack(y):
            return lambda y, x: atan2_pack(y, x)
        if isinstance(y, types.Complex):

            def angle(y, x):
                size = x.real * x.real + y.real * y.real
                return complex(math.atan2(y.real, x.real), (x.real * y.imag - y.real * x.imag) / size)

            return angle
        return lambda y, x: math.atan2(y, x)

    @overload(where)
    def _where(condition, a, b):
        if isinstance(condition, MaskType):  # a and b may be plain numbers
            return lambda condition, a, b: select(condition, a, b)
        return lambda condition, a, b: a if condition else b

    @overload(beyond)
    def _beyond(x, limit):
        if _is_pack(x):
            return lambda x, limit: any_beyond(x, limit)
        return lambda x, limit: not abs(x) <= limit

    @overload(scalar_for)
    def _scalar_for(array):
        if array.ndim > 1:
            return lambda array: spread(0.0)
        return lambda array: 0.0

    @overload(widest)
    def _widest():
        return lambda: spread(0.0)

    @overload(lane_sum)
    def _lane_sum(x):
        if not _is_pack(x):
            return lambda x: x
        if LANES == 2:
            return lambda x: lane(x, 0) + lane(x, 1)

        def total(x):
            value = lane(x, 0) + lane(x, 1) + (lane(x, 2) + lane(x, 3))
            for k in range(4, LANES):
                value += lane(x, k)
            return value

        return total

    @overload(real)
    def _real(x):
        if isinstance(x, types.Complex):
            return lambda x: x.real
        return lambda x: x
