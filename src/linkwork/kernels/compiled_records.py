"""Records in compiled kernels: Numba types for pointers to records and to arrays, lowered to plain loads and stores.

A pointer is an LLVM pointer inside a kernel and an integer, its address, where it is passed as an argument: to C, a kernel is a function of
addresses and numbers. Reading a field is an address with a constant offset and one load per number; there is no function behind it that
Numba would have to compile. Indices are never negative and are not checked.

Addresses of arrays do not change while kernels run: their loads are marked invariant, so that LLVM need not repeat them after a store. (Those
of constant records are not: LLVM would keep their numbers in registers for too long, and recursions on packs are 3 % slower.)
"""

import functools
import operator

from llvmlite import ir
from numba import types
from numba.core.errors import NumbaTypeError
from numba.core.typing.context import BaseContext
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import lower_builtin, lower_getattr_generic, lower_setattr_generic

from .array_fields import ArrayField, FollowingField
from .compiled_types import POINTER, WORD, ArrayType, PointerType, RecordClassType, align_stack, is_wide, scalar_of
from .fields import AddressField, FlagField, IntegerField, PartField, PointerField, RealField, RealsFixedField
from .lanes.pack import LANES, VECTOR, PackType, as_vector
from .records import pointer_to

__all__ = ["ArrayType", "PointerType", "is_wide", "scalar_of"]

_HALF, _DOUBLE = ir.IntType(32), ir.DoubleType()


def _place(builder, base, offset, kind):
    """A typed pointer to what lies `offset` bytes (a number or an LLVM value) after `base`."""
    offset = WORD(offset) if isinstance(offset, int) else offset
    return builder.bitcast(builder.gep(base, [offset], inbounds=True), kind.as_pointer())


def _load(builder, base, offset, kind, invariant=False):
    if kind is VECTOR:
        align_stack(builder)
    value = builder.load(_place(builder, base, offset, kind), align=4 if kind is _HALF else 8)
    if invariant:
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _store(builder, base, offset, value):
    builder.store(value, _place(builder, base, offset, value.type), align=4 if value.type == _HALF else 8)


def _load_integer(builder, base, offset, bits):
    value = _load(builder, base, offset, WORD if bits == 64 else _HALF)
    return value if bits == 64 else builder.sext(value, WORD)


def _store_integer(context, builder, base, offset, bits, typed):
    value = context.cast(builder, typed[1], typed[0], types.int64)
    _store(builder, base, offset, value if bits == 64 else builder.trunc(value, _HALF))


def _load_pointer(builder, base, offset, invariant):
    return builder.inttoptr(_load(builder, base, offset, WORD, invariant), POINTER)


def _as_scalar(context, builder, typed, wide):
    ty, value = typed
    return as_vector(context, builder, ty, value) if wide else context.cast(builder, value, ty, types.float64)


def _flat(builder, ty, value):
    """The numbers of a tuple, or of a tuple of tuples, with their types."""
    if not isinstance(ty, types.BaseTuple):
        return [(ty, value)]
    return [pair for k, inner in enumerate(ty) for pair in _flat(builder, inner, builder.extract_value(value, k))]


# Reading and writing fields


@infer_getattr
class _Fields(AttributeTemplate):
    key = PointerType

    def generic_resolve(self, typ, attr):
        found = typ.field(attr)
        return None if found is None else found[1]


@lower_getattr_generic(PointerType)
def _read_field(context, builder, typ, base, attr):
    field, ty = typ.field(attr)
    lanes = LANES if typ.wide else 1
    at = typ.record.layout(lanes).offsets[attr]
    if field.lane or isinstance(field, (RealField, RealsFixedField)):
        kind = VECTOR if field.lane and typ.wide else _DOUBLE
        step = 8 * lanes if field.lane else 8
        if not isinstance(ty, types.BaseTuple):
            return _load(builder, base, at, kind)
        values = iter([_load(builder, base, at + k * step, kind) for k in range(field.count)])
        if getattr(field, "blocks", None) is None:
            return context.make_tuple(builder, ty, list(values))
        blocks = [context.make_tuple(builder, block, [next(values) for _ in block]) for block in ty]
        return context.make_tuple(builder, ty, blocks)
    if isinstance(field, IntegerField):
        value = _load_integer(builder, base, at, field.bits)
        return builder.icmp_signed("!=", value, WORD(0)) if isinstance(field, FlagField) else value
    if isinstance(field, AddressField):
        return _load(builder, base, at, WORD)
    if isinstance(field, (PartField, FollowingField)):
        return builder.gep(base, [WORD(at)], inbounds=True)
    return _load_pointer(builder, base, at, invariant=isinstance(field, ArrayField))


@lower_setattr_generic(PointerType)
def _write_field(context, builder, sig, args, attr):
    (typ, given), (base, value) = sig.args, args
    field, ty = typ.field(attr)
    lanes = LANES if typ.wide else 1
    at = typ.record.layout(lanes).offsets[attr]
    if field.lane or isinstance(field, (RealField, RealsFixedField)):
        wide = field.lane and typ.wide
        for k, typed in enumerate(_flat(builder, given, value)):
            _store(builder, base, at + 8 * k * (lanes if wide else 1), _as_scalar(context, builder, typed, wide))
    elif isinstance(field, FlagField):
        truth = context.cast(builder, value, given, types.boolean)
        _store(builder, base, at, builder.zext(truth, WORD if field.bits == 64 else _HALF))
    elif isinstance(field, PointerField):
        _store(builder, base, at, builder.ptrtoint(value, WORD))
    else:
        _store_integer(context, builder, base, at, getattr(field, "bits", 64), (given, value))


def _fits(given, wanted):
    """May a value of the type `given` be stored where a kernel would read one of the type `wanted`?"""
    if isinstance(wanted, types.BaseTuple):
        return isinstance(given, types.BaseTuple) and len(given) == len(wanted) and all(map(_fits, given, wanted))
    if isinstance(wanted, PackType):
        return isinstance(given, (PackType, types.Float, types.Integer))
    if isinstance(wanted, types.Float):
        return isinstance(given, (types.Float, types.Integer))
    if isinstance(wanted, types.Boolean):
        return isinstance(given, (types.Boolean, types.Integer))
    if isinstance(wanted, types.Integer):
        return isinstance(given, types.Integer)
    return given == wanted


def _assignment(typ, attr, given):
    """The signature of an assignment to a field; a NumbaTypeError says what is wrong with it."""
    found, name = typ.field(attr), f"{typ.record.__name__}.{attr}"
    if found is None:
        raise NumbaTypeError(f"{name}: there is no such field; fields are {', '.join(typ.record.fields)}")
    field, wanted = found
    if typ.record.constant:
        raise NumbaTypeError(f"{name}: kernels only read this record, it is constant")
    if isinstance(field, (ArrayField, FollowingField, PartField)):
        raise NumbaTypeError(
            f"{name} is {'a record: assign to its fields' if isinstance(field, PartField) else 'an array: assign to its elements'}"
        )
    if not _fits(given, wanted):
        raise NumbaTypeError(f"{name}: found {given}; it takes {wanted}")
    return signature(types.void, typ, given)


def _check_assignments_to_fields():
    """Numba asks only for the type of a field before it casts what is assigned to it, and a cast that fails says little.

    For pointers to records the type of the assigned value is looked at here; all other types go Numba's way.
    """
    usual = BaseContext.resolve_setattr

    @functools.wraps(usual)
    def resolve_setattr(self, target, attr, value):
        return _assignment(target, attr, value) if isinstance(target, PointerType) else usual(self, target, attr, value)

    BaseContext.resolve_setattr = resolve_setattr


_check_assignments_to_fields()


# Reading and writing elements of arrays


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == 2 and isinstance(args[0], ArrayType) and isinstance(args[1], types.Integer):
            return signature(args[0].element(), args[0], types.int64)


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) != 3 or not isinstance(args[0], ArrayType) or not isinstance(args[1], types.Integer):
            return None
        array, _, given = args
        if array.constant or array.of_records:
            raise NumbaTypeError(f"{array}: elements cannot be assigned, the array is {'constant' if array.constant else 'of records'}")
        if not _fits(given, array.element()):
            raise NumbaTypeError(f"{array}: found {given}; an element takes {array.element()}")
        return signature(types.void, array, types.int64, given)


_STEPS = {"scalar": 8, "real": 8, "integer": 8, "integer32": 4}


def _offset(builder, array, index):
    lanes = LANES if array.wide else 1
    step = array.item.layout(lanes).size if array.of_records else _STEPS[array.item] * lanes
    return builder.mul(index, WORD(step), flags=("nsw",))


@lower_builtin(operator.getitem, ArrayType, types.Integer)
def _read_element(context, builder, sig, args):
    array, (base, index) = sig.args[0], args
    offset = _offset(builder, array, context.cast(builder, index, sig.args[1], types.int64))
    if array.of_records:
        return builder.gep(base, [offset], inbounds=True)
    if array.item in ("scalar", "real"):
        return _load(builder, base, offset, VECTOR if array.wide else _DOUBLE)
    return _load_integer(builder, base, offset, 8 * _STEPS[array.item])


@lower_builtin(operator.setitem, ArrayType, types.Integer, types.Any)
def _write_element(context, builder, sig, args):
    array, index_type, given = sig.args
    base, index, value = args
    offset = _offset(builder, array, context.cast(builder, index, index_type, types.int64))
    if array.item in ("scalar", "real"):
        _store(builder, base, offset, _as_scalar(context, builder, (given, value), array.wide))
    else:
        _store_integer(context, builder, base, offset, 8 * _STEPS[array.item], (given, value))
    return context.get_dummy_value()


# Pointers from addresses


@infer_global(pointer_to)
class _PointerTo(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == 3 and isinstance(args[0], RecordClassType) and isinstance(args[1], types.Integer):
            return signature(PointerType(args[0].record, is_wide(args[2])), args[0], types.int64, args[2])


@lower_builtin(pointer_to, RecordClassType, types.Integer, types.Any)
def _lower_pointer_to(context, builder, sig, args):
    return builder.inttoptr(args[1], POINTER)
