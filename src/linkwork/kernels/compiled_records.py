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
from numba.extending import (
    NativeValue,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from ..lanes.pack import LANES, PACK, VECTOR, PackType, as_vector
from . import records as declared
from .records import Record, RecordArray, RecordClass, pointer_to

_BYTE, _HALF, _WORD, _DOUBLE = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_POINTER = _BYTE.as_pointer()


@functools.cache
def _identity(record):
    """What tells record classes apart: the name, and the layout, as a class may be declared anew in a session."""
    return f"{record.__module__}.{record.__qualname__}", record.constant, str(record.dtype(LANES))


class PointerType(types.Type):
    """A pointer to a record; `wide`: its numbers are packs. A record without numbers is never wide."""

    def __init__(self, record, wide=False):
        self.record, self.wide = record, bool(wide and record.widens)
        super().__init__(name=f"{'Wide' if self.wide else ''}{record.__name__}")

    @property
    def key(self):
        return _identity(self.record), self.wide

    def __reduce__(self):
        return PointerType, (self.record, self.wide)

    def scalar(self):
        return PACK if self.wide else types.float64

    def field(self, name):
        """The declared field and its type in a kernel, or None."""
        field = self.record.fields.get(name)
        return None if field is None else (field, _type_of_field(field, self))


class ArrayType(types.Type):
    """A pointer to an array. `item`: a record, or one of the words "scalar", "integer", "integer32", "real"; `constant`: never written."""

    def __init__(self, item, wide=False, constant=False):
        self.item, self.constant = item, constant
        self.wide = bool(wide and (item.widens if self.of_records else item == "scalar"))
        super().__init__(
            name=f"{'Wide' if self.wide else ''}{item.__name__ if self.of_records else item.capitalize()}s{'Constant' * constant}"
        )

    @property
    def of_records(self):
        return isinstance(self.item, RecordClass)

    @property
    def key(self):
        return _identity(self.item) if self.of_records else self.item, self.wide, self.constant

    def __reduce__(self):
        return ArrayType, (self.item, self.wide, self.constant)

    def element(self):
        """The type of an element in a kernel."""
        if self.of_records:
            return PointerType(self.item, self.wide)
        return {"scalar": PACK if self.wide else types.float64, "real": types.float64}.get(self.item, types.int64)


class RecordClassType(types.Dummy):
    """A record class as a value in a kernel, for `pointer_to`."""

    def __init__(self, record):
        self.record = record
        super().__init__(name=f"class {record.__name__}")

    @property
    def key(self):
        return _identity(self.record)

    def __reduce__(self):
        return RecordClassType, (self.record,)


register_model(RecordClassType)(models.OpaqueModel)


def is_wide(ty):
    """Is it a pack, or a pointer to wide memory?"""
    return isinstance(ty, PackType) or (isinstance(ty, (PointerType, ArrayType)) and ty.wide)


def scalar_of(ty):
    """The type of the scalars that go with a scalar, a pointer to a record or an array."""
    if isinstance(ty, types.Complex):
        return ty
    return PACK if is_wide(ty) else types.float64


@register_model(PointerType)
@register_model(ArrayType)
class _PointerModel(models.PrimitiveModel):
    """An LLVM pointer; an integer as an argument."""

    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, _POINTER)

    def get_argument_type(self):
        return _WORD

    def as_argument(self, builder, value):
        return builder.ptrtoint(value, _WORD)

    def from_argument(self, builder, value):
        if self.fe_type.wide:
            _align_stack(builder)
        return builder.inttoptr(value, _POINTER)


def _align_stack(builder):
    """Packs that a function keeps on its stack shall not cross cache lines.

    LLVM aligns a stack for them only if it knows before the allocation of registers that there will be any; otherwise they lie where
    the caller's stack happens to end, and the same kernel takes a quarter longer in one process than in another.
    """
    builder.function.attributes.alignstack = 8 * LANES
    builder.function.attributes.add("nounwind")  # llvmlite writes no attributes at all if only the alignment is set


@typeof_impl.register(Record)
def _typeof_record(record, c):
    if record.lanes not in (1, LANES):
        raise TypeError(f"a {type(record).__name__} of {record.lanes} lanes: compiled kernels take 1 or {LANES}")
    return PointerType(type(record), record.lanes > 1)


@typeof_impl.register(RecordArray)
def _typeof_records(array, c):
    return ArrayType(array.record, array.lanes > 1)


@typeof_impl.register(RecordClass)
def _typeof_class(record, c):
    return RecordClassType(record)


@unbox(PointerType)
@unbox(ArrayType)
def _unbox_pointer(typ, obj, c):
    address = c.pyapi.object_getattr_string(obj, "address")  # NULL with an error set, if the record has none
    native = c.unbox(types.int64, address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.inttoptr(native.value, _POINTER), is_error=native.is_error)


_ITEMS = {declared._Scalars: "scalar", declared._Integers: "integer", declared._Integers32: "integer32", declared._Reals: "real"}


def _type_of_field(field, pointer):
    if isinstance(field, declared._Scalar):
        return pointer.scalar()
    if isinstance(field, declared._Numbers):
        of = pointer.scalar()
        return types.UniTuple(of, field.count) if field.blocks is None else types.Tuple([types.UniTuple(of, n) for n in field.blocks])
    if isinstance(field, declared._Flag):
        return types.boolean
    if isinstance(field, (declared._Integer, declared._Address)):
        return types.int64
    if isinstance(field, declared._RealsFixed):
        return types.UniTuple(types.float64, field.count)
    if isinstance(field, declared._Real):
        return types.float64
    if isinstance(field, declared._Pointer):
        return PointerType(field.target, pointer.wide)
    item = field.target if isinstance(field, declared._Records) else _ITEMS[type(field)]
    return ArrayType(item, pointer.wide, pointer.record.constant)


def _place(builder, base, offset, kind):
    """A typed pointer to what lies `offset` bytes (a number or an LLVM value) after `base`."""
    offset = _WORD(offset) if isinstance(offset, int) else offset
    return builder.bitcast(builder.gep(base, [offset], inbounds=True), kind.as_pointer())


def _load(builder, base, offset, kind, invariant=False):
    if kind is VECTOR:
        _align_stack(builder)
    value = builder.load(_place(builder, base, offset, kind), align=4 if kind is _HALF else 8)
    if invariant:
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _store(builder, base, offset, value):
    builder.store(value, _place(builder, base, offset, value.type), align=4 if value.type == _HALF else 8)


def _load_integer(builder, base, offset, bits):
    value = _load(builder, base, offset, _WORD if bits == 64 else _HALF)
    return value if bits == 64 else builder.sext(value, _WORD)


def _store_integer(context, builder, base, offset, bits, typed):
    value = context.cast(builder, typed[1], typed[0], types.int64)
    _store(builder, base, offset, value if bits == 64 else builder.trunc(value, _HALF))


def _load_pointer(builder, base, offset, invariant):
    return builder.inttoptr(_load(builder, base, offset, _WORD, invariant), _POINTER)


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
    if field.lane or isinstance(field, (declared._Real, declared._RealsFixed)):
        kind = VECTOR if field.lane and typ.wide else _DOUBLE
        step = 8 * lanes if field.lane else 8
        if not isinstance(ty, types.BaseTuple):
            return _load(builder, base, at, kind)
        values = iter([_load(builder, base, at + k * step, kind) for k in range(field.count)])
        if getattr(field, "blocks", None) is None:
            return context.make_tuple(builder, ty, list(values))
        blocks = [context.make_tuple(builder, block, [next(values) for _ in block]) for block in ty]
        return context.make_tuple(builder, ty, blocks)
    if isinstance(field, declared._Integer):
        value = _load_integer(builder, base, at, field.bits)
        return builder.icmp_signed("!=", value, _WORD(0)) if isinstance(field, declared._Flag) else value
    if isinstance(field, declared._Address):
        return _load(builder, base, at, _WORD)
    return _load_pointer(builder, base, at, invariant=isinstance(field, declared._Array))


@lower_setattr_generic(PointerType)
def _write_field(context, builder, sig, args, attr):
    (typ, given), (base, value) = sig.args, args
    field, ty = typ.field(attr)
    lanes = LANES if typ.wide else 1
    at = typ.record.layout(lanes).offsets[attr]
    if field.lane or isinstance(field, (declared._Real, declared._RealsFixed)):
        wide = field.lane and typ.wide
        for k, typed in enumerate(_flat(builder, given, value)):
            _store(builder, base, at + 8 * k * (lanes if wide else 1), _as_scalar(context, builder, typed, wide))
    elif isinstance(field, declared._Flag):
        truth = context.cast(builder, value, given, types.boolean)
        _store(builder, base, at, builder.zext(truth, _WORD if field.bits == 64 else _HALF))
    elif isinstance(field, declared._Pointer):
        _store(builder, base, at, builder.ptrtoint(value, _WORD))
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
    if isinstance(field, declared._Array):
        raise NumbaTypeError(f"{name} is an array: assign to its elements")
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
    return builder.mul(index, _WORD(step), flags=("nsw",))


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
    return builder.inttoptr(args[1], _POINTER)
