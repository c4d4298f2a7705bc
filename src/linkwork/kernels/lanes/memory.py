"""Packs and single numbers between memory and registers; blocks of states transposed on the way."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..decorator import kernel
from .pack import LANES, PACK, VECTOR, as_vector

_INDEX = ir.IntType(32)
LINE = 8  # doubles in a cache line


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
def rows_to_packs(typingctx, array, at, apart, work, slot):
    """LANES rows of LANES doubles, at array[at + k * apart], become LANES packs in `work`: a transposition in registers.

    Returns the sum of the packs times zero: NaN where a value is not finite.
    """

    def codegen(context, builder, sig, args):
        source, target = (context.make_array(sig.args[k])(context, builder, args[k]).data for k in (0, 3))
        at, apart, slot = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (1, 2, 4))
        index = ir.IntType(64)
        rows = []
        for k in range(LANES):
            place = builder.add(at, builder.mul(apart, index(k)))
            value = builder.load(_vector_at(builder, source, place))
            value.align = 8
            rows.append(value)
        packs = _transposed(builder, rows)
        for k, pack in enumerate(packs):
            place = builder.mul(builder.add(slot, index(k)), index(LANES))
            builder.store(pack, _vector_at(builder, target, place)).align = 8
        return _times_zero(builder, packs)

    return PACK(array, at, apart, work, slot), codegen


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


def _chosen_packs(context, builder, sig, args, count):
    """`count` packs of `work`, those in slots slot + places[first..]."""
    source, numbers = (context.make_array(sig.args[k])(context, builder, args[k]).data for k in (0, 2))
    slot, first = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (1, 3))
    index = ir.IntType(64)
    packs = []
    for k in range(count):
        place = builder.sext(builder.load(builder.gep(numbers, [builder.add(first, index(k))])), index)
        value = builder.load(_vector_at(builder, source, builder.mul(builder.add(slot, place), index(LANES))))
        value.align = 8
        packs.append(value)
    return packs


@intrinsic
def chosen_to_rows(typingctx, work, slot, places, first, array, at, apart):
    """LANES packs of `work`, those in slots slot + places[first..], transposed into rows at array[at + k * apart]."""

    def codegen(context, builder, sig, args):
        target = context.make_array(sig.args[4])(context, builder, args[4]).data
        at, apart = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (5, 6))
        for k, values in enumerate(_transposed(builder, _chosen_packs(context, builder, sig, args, LANES))):
            builder.store(values, _vector_at(builder, target, builder.add(at, builder.mul(apart, ir.IntType(64)(k))))).align = 8
        return context.get_dummy_value()

    return types.void(work, slot, places, first, array, at, apart), codegen


@intrinsic
def stream_lines(typingctx, work, slot, places, first, array, at, apart):
    """As `chosen_to_rows`, with LINE packs and past the caches: for arrays too large for them. Every row must be a cache line."""

    def codegen(context, builder, sig, args):
        target = context.make_array(sig.args[4])(context, builder, args[4]).data
        at, apart = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (5, 6))
        packs = _chosen_packs(context, builder, sig, args, LINE)
        parts = [_transposed(builder, packs[i : i + LANES]) for i in range(0, LINE, LANES)]
        for k in range(LANES):
            for i, part in enumerate(parts):
                place = builder.add(builder.add(at, builder.mul(apart, ir.IntType(64)(k))), ir.IntType(64)(i * LANES))
                _past_caches(builder, builder.store(part[k], _vector_at(builder, target, place))).align = 8 * LANES
        return context.get_dummy_value()

    return types.void(work, slot, places, first, array, at, apart), codegen


def _past_caches(builder, store):
    store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(_INDEX, 1)]))
    return store


@intrinsic
def stream_element(typingctx, array, index, value):
    """array[index] = value past the caches, for what does not make a whole line."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        bits = ir.IntType(64)
        place = builder.bitcast(builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)]), bits.as_pointer())
        _past_caches(builder, builder.store(builder.bitcast(args[2], bits), place))
        return context.get_dummy_value()

    return types.void(array, index, types.float64), codegen


@intrinsic
def until_line(typingctx, array, at):
    """How many doubles after array[at] a cache line begins: 0..LINE-1."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        index = ir.IntType(64)
        place = builder.lshr(
            builder.ptrtoint(builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)]), index), index(3)
        )
        return builder.and_(builder.neg(place), index(LINE - 1))

    return types.intp(array, at), codegen


@intrinsic
def streams_end(typingctx):
    """Whatever was stored past the caches is in memory before anything that follows: other threads may look at it."""

    def codegen(context, builder, sig, args):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


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


@kernel
def stream_edge(work, at, places, start, stop, values, first, between) -> None:
    """Store what does not make whole cache lines, lane by lane, past the caches."""
    for i in range(start, stop):
        for lane in range(LANES):
            stream_element(values, first + lane * between + i, work[(at + places[i]) * LANES + lane])
