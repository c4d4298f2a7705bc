"""Numba types of pointers to records and to arrays.

A pointer is an LLVM pointer inside a kernel and an integer, its address, where it is passed as an argument: to C, a kernel is a function of
addresses and numbers. Types are equal if record (by name and layout) and width are.
"""

import functools
import hashlib

from llvmlite import ir
from numba import types
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from . import array_fields, fields
from .lanes.pack import LANES, PACK, PackType
from .records import Record, RecordArray, RecordClass

WORD = ir.IntType(64)
POINTER = ir.IntType(8).as_pointer()


@functools.cache
def _identity(record):
    """What tells record classes apart: the name, and the layout, its own and that of all records it leads to.

    A class may be declared anew in a session, and a kernel reaches `run.links[i].p` through the address in `run`: the layout of a link is in its code.
    """
    reached = tuple(_identity(field.target) for field in record.fields.values() if field.target is not None)
    return f"{record.__module__}.{record.__qualname__}", record.constant, str(record.dtype(LANES)), reached


def _digest(key):
    return hashlib.blake2b(repr(key).encode(), digest_size=4).hexdigest()


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

    @property
    def text(self):
        """In symbols."""
        return f"{self.name}#{_digest(self.key)}"

    @property
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

    @property
    def text(self):
        """In symbols."""
        return f"{self.name}#{_digest(self.key)}"

    @property
    def scalar(self):
        return PACK if self.wide else types.float64

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
        super().__init__(manager, fe_type, POINTER)

    def get_argument_type(self):
        return WORD

    def as_argument(self, builder, value):
        return builder.ptrtoint(value, WORD)

    def from_argument(self, builder, value):
        if self.fe_type.wide:
            align_stack(builder)
        return builder.inttoptr(value, POINTER)


def align_stack(builder):
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
    return NativeValue(c.builder.inttoptr(native.value, POINTER), is_error=native.is_error)


_ITEMS = {
    array_fields.ScalarsField: "scalar",
    array_fields.PacksField: "scalar",
    array_fields.IntegersField: "integer",
    array_fields.RealsField: "real",
}


def _type_of_field(field, pointer):
    if isinstance(field, fields.ScalarField):
        return pointer.scalar
    if isinstance(field, fields.NumbersField):
        of = pointer.scalar
        return types.UniTuple(of, field.count) if field.blocks is None else types.Tuple([types.UniTuple(of, n) for n in field.blocks])
    if isinstance(field, fields.FlagField):
        return types.boolean
    if isinstance(field, (fields.IntegerField, fields.AddressField)):
        return types.int64
    if isinstance(field, fields.RealsFixedField):
        return types.UniTuple(types.float64, field.count)
    if isinstance(field, fields.RealField):
        return types.float64
    if isinstance(field, (fields.PointerField, fields.PartField)):
        return PointerType(field.target, pointer.wide)
    if isinstance(field, array_fields.FollowingField):
        return ArrayType("real", False, pointer.record.constant)
    item = field.target if isinstance(field, array_fields.RecordsField) else _ITEMS[type(field)]
    return ArrayType(item, pointer.wide or isinstance(field, array_fields.PacksField), pointer.record.constant)
