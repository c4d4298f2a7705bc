"""Sine, cosine and arc tangent of packs, and of single floats by the same polynomials."""

import math

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..annotations import Scalar, Vector
from ..decorator import kernel
from .pack import LANES, MASK_VECTOR, PACK, VECTOR, any_beyond, lane, round_pack, with_lane


@intrinsic
def _quadrant(typingctx, k, s, c):
    """Swap and sign sine and cosine by the quadrant number k."""

    def codegen(context, builder, sig, args):
        def const(v):
            return ir.Constant(MASK_VECTOR, [v] * LANES)

        def flip(value, bits):
            return builder.bitcast(builder.xor(builder.bitcast(value, MASK_VECTOR), bits), VECTOR)

        # Adding 1.5 * 2**52 leaves the integer in the low bits of the mantissa: no conversion instruction needed.
        shifted = builder.fadd(args[0], ir.Constant(VECTOR, [6755399441055744.0] * LANES))
        q = builder.bitcast(shifted, MASK_VECTOR)
        odd = builder.icmp_signed("!=", builder.and_(q, const(1)), const(0))
        s, c = builder.select(odd, args[2], args[1]), builder.select(odd, args[1], args[2])
        s = flip(s, builder.shl(builder.and_(q, const(2)), const(62)))
        c = flip(c, builder.shl(builder.and_(builder.add(q, const(1)), const(2)), const(62)))
        return context.make_tuple(builder, sig.return_type, [s, c])

    return types.UniTuple(PACK, 2)(k, s, c), codegen


@kernel(inline=True)
def _sincos_reduced(x):
    """sin and cos for |x| < 1e5 or so: three-part reduction by pi/2, then minimax polynomials; error below 1.5 ulp of 1."""
    k = round_pack(x * 0.63661977236758134308)
    s, c = _polynomials(x, k)
    return _quadrant(k, s, c)


@kernel(inline=True)
def _polynomials(x, k):
    """Sine and cosine of x - k pi/2, |.| <= pi/4."""
    r = ((x - k * 1.57079632673412561417e00) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21
    z = r * r
    s = r + r * z * (
        -1.66666666666666307295e-1
        + z
        * (
            8.33333333332211858878e-3
            + z
            * (
                -1.98412698295895385996e-4
                + z * (2.75573136213857245213e-6 + z * (-2.50507477628578072866e-8 + z * 1.58962301576546568060e-10))
            )
        )
    )
    c = (
        1.0
        - 0.5 * z
        + z
        * z
        * (
            4.16666666666665929218e-2
            + z
            * (
                -1.38888888888730564116e-3
                + z
                * (
                    2.48015872888517045348e-5
                    + z * (-2.75573141792967388112e-7 + z * (2.08757008419747316778e-9 - z * 1.13585365213876817300e-11))
                )
            )
        )
    )
    return s, c


@kernel
def _sincos_far(x) -> Vector[2]:
    """Lane by lane through the C library: exact for any angle, and rare."""
    s, c = x, x
    for k in range(LANES):
        angle = lane(x, k)
        s, c = with_lane(s, k, math.sin(angle)), with_lane(c, k, math.cos(angle))
    return s, c


@kernel(inline=True)
def sincos_pack(x):
    """Sine and cosine of every lane."""
    if any_beyond(x, 1.0e5):
        return _sincos_far(x)
    return _sincos_reduced(x)


@kernel(inline=True)
def sincos_float(x):
    """Sine and cosine of one float, by the same polynomials: twice as fast as two calls of the C library."""
    if not abs(x) <= 1.0e5:
        return math.sin(x), math.cos(x)
    k = (x * 0.63661977236758134308 + 6755399441055744.0) - 6755399441055744.0
    s, c = _polynomials(x, k)
    n = int(k)
    if n & 1:
        s, c = c, s
    return (-s if n & 2 else s), (-c if (n + 1) & 2 else c)


@kernel
def atan2_pack(y, x) -> Scalar:
    """atan2 of every lane, through the C library (only set-up code needs it)."""
    angle = x
    for k in range(LANES):
        angle = with_lane(angle, k, math.atan2(lane(y, k), lane(x, k)))
    return angle
