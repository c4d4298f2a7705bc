"""Packs and single numbers between memory and registers; blocks of states transposed on the way."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .pack import LANES, PACK, VECTOR, as_vector

_INDEX = ir.IntType(32)


@intrinsic
def load_element(typingctx, array, index):
    """array[index] for an index that is known not to be negative: no wrap-around to compute."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        return context.unpack_value(
            builder, sig.args[0].dtype, builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)])
        )

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
        place = builder.gep(
            data, [builder.mul(context.cast(builder, args[1], sig.args[1], types.intp), ir.Constant(ir.IntType(64), LANES))]
        )
        value = builder.load(builder.bitcast(place, VECTOR.as_pointer()))
        value.align = 8
        return value

    return PACK(array, index), codegen


@intrinsic
def store_pack(typingctx, array, index, value):
    """The reverse of `load_pack`."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        place = builder.gep(
            data, [builder.mul(context.cast(builder, args[1], sig.args[1], types.intp), ir.Constant(ir.IntType(64), LANES))]
        )
        builder.store(as_vector(context, builder, sig.args[2], args[2]), builder.bitcast(place, VECTOR.as_pointer())).align = 8
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


def _times_zero(builder, vectors):
    """Sum of the vectors times zero: zero, or NaN in the lanes where a value is not finite."""
    nothing = ir.Constant(VECTOR, [0.0] * LANES)
    total = nothing
    for vector in vectors:
        total = builder.fadd(total, builder.fmul(vector, nothing, flags=("contract",)), flags=("contract",))
    return total


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
        packs = _transposed(builder, rows)
        for k, pack in enumerate(packs):
            place = builder.mul(builder.add(slot, index(k)), index(LANES))
            builder.store(pack, _vector_at(builder, target, place)).align = 8
        return _times_zero(builder, packs)

    return PACK(array, length, row, column, work, slot), codegen


@intrinsic
def packs_to_rows(typingctx, work, slot, array, length, row, column):
    """The reverse of `rows_to_packs`; returns likewise NaN where a value is not finite."""

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
        return _times_zero(builder, packs)

    return PACK(work, slot, array, length, row, column), codegen


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
        populate_array(
            view,
            data=source.data,
            shape=shape,
            strides=context.make_tuple(builder, types.UniTuple(types.intp, 1), [one]),
            itemsize=one,
            meminfo=None,
        )
        return view._getvalue()

    return result(array), codegen
