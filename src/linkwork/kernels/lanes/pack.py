"""The pack type, its masks, and arithmetic on them."""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from ..level import lanes as _lanes

LIBERTIES = {"contract", "nsz", "arcp"}  # fuse multiply-add, ignore the sign of zero, multiply by a reciprocal: none of them hides a NaN
LANES = _lanes()
VECTOR = ir.VectorType(ir.DoubleType(), LANES)
MASK_VECTOR = ir.VectorType(ir.IntType(64), LANES)
_INDEX = ir.IntType(32)
_FLAGS = tuple(sorted(LIBERTIES))


class PackType(types.Type):
    """LANES doubles."""

    def __init__(self):
        super().__init__(name=f"Pack{LANES}")

    text = "P"  # in symbols

    @property
    def scalar(self):
        return self


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


def as_vector(context, builder, ty, value):
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
        a, b = (as_vector(context, builder, t, x) for t, x in zip(sig.args, args, strict=True))
        return emit(builder, a, b)

    for pair in _PAIRS:
        lower_builtin(op, *pair)(lower)


for _op, _inplace, _name in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    for _form in (_op, _inplace):
        _register_binary(_form, PACK, lambda builder, a, b, _name=_name: getattr(builder, _name)(a, b, flags=_FLAGS))
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
        return as_vector(context, builder, sig.args[0], args[0])

    return PACK(x), codegen


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
        return builder.select(truth, as_vector(context, builder, sig.args[1], args[1]), as_vector(context, builder, sig.args[2], args[2]))

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
def any_beyond(typingctx, x, limit):
    """Is there a lane with |x| > limit (or NaN)?"""

    def codegen(context, builder, sig, args):
        fabs = cgutils.get_or_insert_function(builder.module, ir.FunctionType(VECTOR, [VECTOR]), f"llvm.fabs.v{LANES}f64")
        beyond = builder.fcmp_unordered(">", builder.call(fabs, [args[0]]), _spread(builder, args[1]))
        bits = builder.bitcast(beyond, ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))

    return types.boolean(x, types.float64), codegen
