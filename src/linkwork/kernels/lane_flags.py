"""Flags of lanes: one integer, whose bit l is the flag of lane l. A scalar that is no pack has one lane. They are combined by & | ~; 0: no lane."""

from .decorator import kernel, when_compiling

ALL_LANES = -1


def flags_of(condition):
    """The truth of a comparison, lane by lane, as an integer of flags."""
    return 1 if condition else 0


def in_lanes(flags, like):
    """Flags as a condition for `where`, of the kind of comparisons of `like` (a scalar or a record)."""
    return flags & 1 != 0


def where_flagged(flags, a, b):
    """a in the lanes whose flag is set, b in the others; both are evaluated."""
    return a if flags & 1 else b


@kernel(inline=True)
def is_flagged(flags, lane):
    """The flag of one lane."""
    return (flags >> lane) & 1 != 0


@kernel(inline=True)
def count_flagged(counts, flags, lanes):
    """Add 1 to the count (an array of integers) of each lane whose flag is set."""
    for lane in range(lanes):
        counts[lane] = counts[lane] + ((flags >> lane) & 1)


def flagged_lanes(flags, lanes):
    """The numbers of the lanes whose flag is set, for Python."""
    return [lane for lane in range(lanes) if flags >> lane & 1]


@when_compiling
def _verbs():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    from .compiled_records import is_wide
    from .lanes.pack import LANES, MASK, MASK_VECTOR, MaskType, select

    bits, word = ir.IntType(LANES), ir.IntType(64)

    @intrinsic
    def to_bits(typingctx, mask):
        def codegen(context, builder, sig, args):
            truth = builder.icmp_signed("!=", args[0], ir.Constant(MASK_VECTOR, [0] * LANES))
            return builder.zext(builder.bitcast(truth, bits), word)

        return types.int64(mask), codegen

    @intrinsic
    def to_mask(typingctx, flags):
        def codegen(context, builder, sig, args):
            truth = builder.bitcast(builder.trunc(args[0], bits), ir.VectorType(ir.IntType(1), LANES))
            return builder.sext(truth, MASK_VECTOR)

        return MASK(types.int64), codegen

    @overload(flags_of)
    def _flags_of(condition):
        if isinstance(condition, MaskType):
            return lambda condition: to_bits(condition)
        return lambda condition: 1 if condition else 0

    @overload(in_lanes)
    def _in_lanes(flags, like):
        if is_wide(like):
            return lambda flags, like: to_mask(flags)
        return lambda flags, like: flags & 1 != 0

    @overload(where_flagged)
    def _where_flagged(flags, a, b):
        if is_wide(a) or is_wide(b):
            return lambda flags, a, b: select(to_mask(flags), a, b)
        return lambda flags, a, b: a if flags & 1 != 0 else b
