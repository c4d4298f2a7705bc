"""SIMD lanes as a Numba scalar type: a ``Pack`` is LANES doubles in one vector register.

Kernels are written once, for "a scalar". Called with float64 they work on one state; called with packs they work on LANES
states at once, one state a lane. Arithmetic (+ - * / unary -), comparison (a mask), `where`, `sqrt`, `sincos` and `atan2` are all they need; the verbs
that choose between scalar kinds live in `scalar.py`. Nothing else in the package mentions lanes.
"""

import math
import operator

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from .kernel import LIBERTIES, kernel

LANES = 8 if binding.get_host_cpu_features().get("avx512f") else 4
VECTOR = ir.VectorType(ir.DoubleType(), LANES)
MASK_VECTOR = ir.VectorType(ir.IntType(64), LANES)
_INDEX = ir.IntType(32)
_FLAGS = tuple(sorted(LIBERTIES))


class PackType(types.Type):
    """LANES doubles."""

    def __init__(self):
        super().__init__(name=f"Pack{LANES}")


class MaskType(types.Type):
    """LANES truth values (all bits set: true), the result of comparing packs."""

    def __init__(self):
        super().__init__(name=f"Mask{LANES}")


PACK = PackType()
MASK = MaskType()


@register_model(PackType)
class _PackModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, VECTOR)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, MASK_VECTOR)


def _spread(builder, scalar):
    """The scalar copied into every lane."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), scalar, ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES))


def _as_vector(context, builder, ty, value):
    if isinstance(ty, PackType):
        return value
    return _spread(builder, context.cast(builder, value, ty, types.float64))


def _is_number(ty):
    return isinstance(ty, (PackType, types.Float, types.Integer, types.Boolean))


_PAIRS = [(PackType, PackType)] + [pair for other in (types.Float, types.Integer) for pair in ((PackType, other), (other, PackType))]


def _register_binary(op, result, emit):
    @infer_global(op)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and any(isinstance(a, PackType) for a in args) and all(_is_number(a) for a in args):
                return signature(result, *args)

    def lower(context, builder, sig, args):
        a, b = (_as_vector(context, builder, t, x) for t, x in zip(sig.args, args, strict=True))
        return emit(builder, a, b)

    for pair in _PAIRS:
        lower_builtin(op, *pair)(lower)


for _op, _name in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv")):
    _register_binary(_op, PACK, lambda builder, a, b, _name=_name: getattr(builder, _name)(a, b, flags=_FLAGS))
for _op, _sign in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">=")):
    _register_binary(_op, MASK, lambda builder, a, b, _sign=_sign: builder.sext(builder.fcmp_ordered(_sign, a, b), MASK_VECTOR))


@infer_global(operator.neg)
class _NegTemplate(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == 1 and isinstance(args[0], PackType):
            return signature(PACK, PACK)


@lower_builtin(operator.neg, PackType)
def _lower_neg(context, builder, sig, args):
    return builder.fsub(ir.Constant(VECTOR, [-0.0] * LANES), args[0], flags=_FLAGS)


@intrinsic
def spread(typingctx, x):
    """A pack with the same float in every lane."""

    def codegen(context, builder, sig, args):
        return _as_vector(context, builder, sig.args[0], args[0])

    return PACK(x), codegen


@intrinsic
def load_pack(typingctx, array, index):
    """LANES consecutive doubles of `array`, from element LANES * index on."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [builder.mul(context.cast(builder, args[1], sig.args[1], types.intp), ir.Constant(ir.IntType(64), LANES))])
        value = builder.load(builder.bitcast(place, VECTOR.as_pointer()))
        value.align = 8
        return value

    return PACK(array, index), codegen


@intrinsic
def store_pack(typingctx, array, index, value):
    """The reverse of `load_pack`."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [builder.mul(context.cast(builder, args[1], sig.args[1], types.intp), ir.Constant(ir.IntType(64), LANES))])
        builder.store(_as_vector(context, builder, sig.args[2], args[2]), builder.bitcast(place, VECTOR.as_pointer())).align = 8
        return context.get_dummy_value()

    return types.void(array, index, value), codegen


@intrinsic
def lane(typingctx, pack, k):
    """The k-th double of a pack."""

    def codegen(context, builder, sig, args):
        return builder.extract_element(args[0], builder.trunc(context.cast(builder, args[1], sig.args[1], types.int64), _INDEX))

    return types.float64(pack, k), codegen


@intrinsic
def with_lane(typingctx, pack, k, x):
    """The pack with its k-th double replaced by x."""

    def codegen(context, builder, sig, args):
        return builder.insert_element(args[0], args[2], builder.trunc(context.cast(builder, args[1], sig.args[1], types.int64), _INDEX))

    return PACK(pack, k, types.float64), codegen


@intrinsic
def select(typingctx, mask, a, b):
    """a where the mask is true, b elsewhere, lane by lane."""

    def codegen(context, builder, sig, args):
        truth = builder.icmp_signed("!=", args[0], ir.Constant(MASK_VECTOR, [0] * LANES))
        return builder.select(truth, _as_vector(context, builder, sig.args[1], args[1]), _as_vector(context, builder, sig.args[2], args[2]))

    return PACK(mask, a, b), codegen


def _unary(llvm_name):
    @intrinsic
    def function(typingctx, x):
        def codegen(context, builder, sig, args):
            callee = cgutils.get_or_insert_function(builder.module, ir.FunctionType(VECTOR, [VECTOR]), f"llvm.{llvm_name}.v{LANES}f64")
            return builder.call(callee, args)

        return PACK(x), codegen

    return function


sqrt_pack = _unary("sqrt")
abs_pack = _unary("fabs")
round_pack = _unary("nearbyint")


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
    r = ((x - k * 1.57079632673412561417e00) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21
    z = r * r
    s = r + r * z * (
        -1.66666666666666307295e-1
        + z * (8.33333333332211858878e-3 + z * (-1.98412698295895385996e-4 + z * (2.75573136213857245213e-6 + z * (-2.50507477628578072866e-8 + z * 1.58962301576546568060e-10))))
    )
    c = 1.0 - 0.5 * z + z * z * (
        4.16666666666665929218e-2
        + z * (-1.38888888888730564116e-3 + z * (2.48015872888517045348e-5 + z * (-2.75573141792967388112e-7 + z * (2.08757008419747316778e-9 - z * 1.13585365213876817300e-11))))
    )
    return _quadrant(k, s, c)


@intrinsic
def any_beyond(typingctx, x, limit):
    """Is there a lane with |x| > limit (or NaN)?"""

    def codegen(context, builder, sig, args):
        fabs = cgutils.get_or_insert_function(builder.module, ir.FunctionType(VECTOR, [VECTOR]), f"llvm.fabs.v{LANES}f64")
        beyond = builder.fcmp_unordered(">", builder.call(fabs, [args[0]]), _spread(builder, args[1]))
        bits = builder.bitcast(beyond, ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))

    return types.boolean(x, types.float64), codegen


@kernel
def _sincos_far(x):
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


@kernel
def atan2_pack(y, x):
    """atan2 of every lane, through the C library (only set-up code needs it)."""
    angle = x
    for k in range(LANES):
        angle = with_lane(angle, k, math.atan2(lane(y, k), lane(x, k)))
    return angle
