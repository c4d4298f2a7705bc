"""Records in scratch memory: fields by name at a place of an array of slots.

    links = records_in(ArticulatedLink, work, at_links(t), like)      an array of records
    link = record_in(ArticulatedLink, work, slot, like)               one record

A slot is one number of the kind of `like`: a double, or LANES doubles. In plain Python the slots may be numbers of any kind.
"""

from .decorator import when_compiling


def slots_of(kind):
    """How many slots a record takes."""
    return kind.layout().size // 8


def slot_of(kind, name):
    """The place of a field in a record, in slots."""
    return kind.layout().offsets[name] // 8


def record_in(kind, work, slot, like):
    """The record that begins at a slot of `work`."""
    return kind(_Cells(work), 8 * slot, 1)


def records_in(kind, work, slot, like):
    """The array of records that begins at a slot of `work`."""
    return _Records(kind, work, slot)


def floats_of(array):
    """The floats of an array of scalars or reals of a record as an array: slot i of a pack begins at LANES * i. In plain Python the array itself."""
    return array


class _Cells:
    """An array of numbers as the memory of records that have nothing but numbers. They are read as NumPy's, which divide by zero as kernels do."""

    plain_numbers = False

    def __init__(self, work):
        self.cells = self.doubles = work
        self.words: dict = {}


class _Records:
    def __init__(self, kind, work, slot):
        self.kind, self.memory, self.start, self.size = kind, _Cells(work), 8 * slot, kind.layout().size

    def __getitem__(self, i):
        return self.kind(self.memory, self.start + self.size * i, 1)


def _template(base, pointer, signature):
    """How Numba finds the type of a view."""

    class View(base):
        def generic(self, args, kws):
            from numba import types

            from .compiled_types import RecordClassType, is_wide

            if len(args) == 4 and isinstance(args[0], RecordClassType) and isinstance(args[1], types.Array):
                return signature(pointer(args[0].record, is_wide(args[3])), args[0], args[1], types.int64, args[3])

    return View


@when_compiling
def _verbs():
    from numba import types
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import lower_builtin

    from .compiled_types import POINTER, WORD, ArrayType, PointerType, RecordClassType, is_wide
    from .lanes.pack import LANES

    def place(context, builder, sig, args):
        data = context.make_array(sig.args[1])(context, builder, args[1]).data
        slot = context.cast(builder, args[2], sig.args[2], types.int64)
        lanes = LANES if is_wide(sig.args[3]) else 1
        return builder.bitcast(builder.gep(data, [builder.mul(slot, WORD(lanes), flags=("nsw",))], inbounds=True), POINTER)

    floats = types.Array(types.float64, 1, "C")

    @infer_global(floats_of)
    class _FloatsOf(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 1 and isinstance(args[0], ArrayType) and args[0].item in ("scalar", "real"):
                return signature(floats, args[0])

    @lower_builtin(floats_of, ArrayType)
    def _floats_of(context, builder, sig, args):
        from numba.np.arrayobj import populate_array

        array = context.make_array(floats)(context, builder)
        one = types.UniTuple(types.intp, 1)
        populate_array(
            array,
            data=builder.bitcast(args[0], array.data.type),
            shape=context.make_tuple(builder, one, [WORD(1 << 60)]),  # kernels do not check it
            strides=context.make_tuple(builder, one, [WORD(8)]),
            itemsize=WORD(8),
            meminfo=None,
        )
        return array._getvalue()

    for function, pointer in ((record_in, PointerType), (records_in, ArrayType)):
        infer_global(function)(_template(AbstractTemplate, pointer, signature))
        lower_builtin(function, RecordClassType, types.Array, types.Integer, types.Any)(place)
