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
def load_element(typingctx, array, index):
    """array[index] for an index that is known not to be negative: no wrap-around to compute."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        return context.unpack_value(builder, sig.args[0].dtype, builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)]))

    return array.dtype(array, index), codegen


@intrinsic
def store_element(typingctx, array, index, value):
    """array[index] = value for an index that is known not to be negative."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        value = context.cast(builder, args[2], sig.args[2], sig.args[0].dtype)
        context.pack_value(builder, sig.args[0].dtype, value, builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)]))
        return context.get_dummy_value()

    return types.void(array, index, value), codegen


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


def _transposed(builder, vectors):
    """LANES vectors as rows of a square, returned as its columns: log2(LANES) rounds of pairwise shuffles."""
    step = 1
    while step < LANES:
        low = [i if i & step == 0 else LANES + i - step for i in range(LANES)]
        high = [i + step if i & step == 0 else LANES + i for i in range(LANES)]
        masks = [ir.Constant(ir.VectorType(_INDEX, LANES), m) for m in (low, high)]
        done = list(vectors)
        for i in range(LANES):
            if i & step == 0:
                a, b = vectors[i], vectors[i + step]
                done[i], done[i + step] = (builder.shuffle_vector(a, b, mask) for mask in masks)
        vectors = done
        step *= 2
    return vectors


def _vector_at(builder, data, index):
    return builder.bitcast(builder.gep(data, [index]), VECTOR.as_pointer())


@intrinsic
def rows_to_packs(typingctx, array, length, row, column, work, slot):
    """LANES columns of LANES rows (of `length` doubles each) of an array become LANES packs in `work`: a transposition in registers.

    Returns the sum of the packs times zero: NaN where a value is not finite.
    """

    def codegen(context, builder, sig, args):
        source, target = (context.make_array(sig.args[k])(context, builder, args[k]).data for k in (0, 4))
        length, row, column, slot = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (1, 2, 3, 5))
        index = ir.IntType(64)
        rows = []
        for k in range(LANES):
            place = builder.add(builder.mul(builder.add(row, index(k)), length), column)
            value = builder.load(_vector_at(builder, source, place))
            value.align = 8
            rows.append(value)
        bad = ir.Constant(VECTOR, [0.0] * LANES)
        for k, pack in enumerate(_transposed(builder, rows)):
            place = builder.mul(builder.add(slot, index(k)), index(LANES))
            builder.store(pack, _vector_at(builder, target, place)).align = 8
            bad = builder.fadd(bad, builder.fmul(pack, ir.Constant(VECTOR, [0.0] * LANES), flags=("contract",)), flags=("contract",))
        return bad

    return PACK(array, length, row, column, work, slot), codegen


@intrinsic
def packs_to_rows(typingctx, work, slot, array, length, row, column):
    """The reverse of `rows_to_packs`."""

    def codegen(context, builder, sig, args):
        source, target = (context.make_array(sig.args[k])(context, builder, args[k]).data for k in (0, 2))
        slot, length, row, column = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (1, 3, 4, 5))
        index = ir.IntType(64)
        packs = []
        for k in range(LANES):
            value = builder.load(_vector_at(builder, source, builder.mul(builder.add(slot, index(k)), index(LANES))))
            value.align = 8
            packs.append(value)
        for k, values in enumerate(_transposed(builder, packs)):
            place = builder.add(builder.mul(builder.add(row, index(k)), length), column)
            builder.store(values, _vector_at(builder, target, place)).align = 8
        return context.get_dummy_value()

    return types.void(work, slot, array, length, row, column), codegen


@intrinsic
def flat(typingctx, array):
    """The data of a C-contiguous array as one dimension, to be indexed by hand."""
    result = types.Array(types.float64, 1, "C")

    def codegen(context, builder, sig, args):
        from numba.np.arrayobj import populate_array

        source = context.make_array(sig.args[0])(context, builder, args[0])
        view = context.make_array(result)(context, builder)
        one = context.get_constant(types.intp, 8)
        shape = context.make_tuple(builder, types.UniTuple(types.intp, 1), [source.nitems])
        populate_array(view, data=source.data, shape=shape, strides=context.make_tuple(builder, types.UniTuple(types.intp, 1), [one]), itemsize=one, meminfo=None)
        return view._getvalue()

    return result(array), codegen


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
    s, c = _polynomials(x, k)
    return _quadrant(k, s, c)


@kernel(inline=True)
def _polynomials(x, k):
    """Sine and cosine of x - k pi/2, |.| <= pi/4."""
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
    return s, c


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
def atan2_pack(y, x):
    """atan2 of every lane, through the C library (only set-up code needs it)."""
    angle = x
    for k in range(LANES):
        angle = with_lane(angle, k, math.atan2(lane(y, k), lane(x, k)))
    return angle
