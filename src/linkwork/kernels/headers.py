"""Tables behind a header: a block of 64-bit words that holds sizes and the addresses of arrays.

A kernel gets the header's address. What `declare` makes of it is a value with the arrays as attributes: ``t.links[i].parent``. It is passed from kernel to
kernel as that one address; an array is put together where it is used.
"""

import functools
from typing import NamedTuple

from .decorator import when_compiling


class Table(NamedTuple):
    """An array behind a header: its elements, the word that holds its address (None: the header itself), and its length as a function of sizes.

    `element`: a NumPy dtype or a scalar type. `length`: a number, or the words whose product it is.
    """

    element: object
    address: int | None
    length: tuple[int, ...] | int


@functools.cache
def declare(name, opener, **tables):
    """Let compiled code call `opener(address)`; for `when_compiling`. tables: the attributes, each a Table."""
    from llvmlite import ir
    from numba import from_dtype, types
    from numba.core.typing.templates import AttributeTemplate, infer_getattr
    from numba.extending import lower_builtin, lower_getattr_generic, models, register_model, type_callable

    class Header(types.Type):
        text = name  # in symbols

        def __init__(self):
            super().__init__(name=name)

        def __reduce__(self):
            return _header_named, (opener.__module__, name)

    header = Header()
    _headers[opener.__module__, name] = header
    word = ir.IntType(64)
    elements = {key: table.element if isinstance(table.element, types.Type) else from_dtype(table.element) for key, table in tables.items()}
    arrays = {key: types.Array(element, 1, "C") for key, element in elements.items()}

    @register_model(Header)
    class _Model(models.PrimitiveModel):
        def __init__(self, manager, fe_type):
            super().__init__(manager, fe_type, word)

    @infer_getattr
    class _Attributes(AttributeTemplate):
        key = Header

        def generic_resolve(self, typ, attr):
            return arrays.get(attr)

    def load(builder, base, index):
        """A word of the header, which does not change while a kernel runs."""
        value = builder.load(builder.gep(base, [word(index)]))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    @lower_getattr_generic(Header)
    def _attribute(context, builder, typ, value, attr):
        table, kind = tables[attr], arrays[attr]
        base = builder.inttoptr(value, word.as_pointer())
        address = value if table.address is None else load(builder, base, table.address)
        length = (
            word(table.length)
            if isinstance(table.length, int)
            else functools.reduce(builder.mul, [load(builder, base, index) for index in table.length])
        )
        return _array_at(context, builder, kind, address, length)

    type_callable(opener)(lambda context: lambda address: header)
    lower_builtin(opener, types.int64)(lambda context, builder, sig, args: args[0])


def _array_at(context, builder, kind, address, length):
    """Generate code: an array of this type at an address."""
    from numba import types
    from numba.np.arrayobj import populate_array

    array = context.make_array(kind)(context, builder)
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    one = types.UniTuple(types.intp, 1)
    populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=context.make_tuple(builder, one, [length]),
        strides=context.make_tuple(builder, one, [itemsize]),
        itemsize=itemsize,
        meminfo=None,
    )
    return array._getvalue()


def ints_at(address, count):
    """The int64 array at an address; for compiled code."""
    raise NotImplementedError


def address_of_header(header):
    """The address of a header, given as its tables or as that address; for compiled code."""
    raise NotImplementedError


@when_compiling
def _verbs():
    from numba import types
    from numba.extending import intrinsic, lower_builtin, overload, type_callable

    ints = types.Array(types.int64, 1, "C")
    type_callable(ints_at)(lambda context: lambda address, count: ints)
    lower_builtin(ints_at, types.int64, types.int64)(lambda context, builder, sig, args: _array_at(context, builder, ints, *args))

    @intrinsic
    def _as_integer(typingctx, header):
        return types.int64(header), lambda context, builder, sig, args: args[0]

    @overload(address_of_header)
    def _address(header):
        if isinstance(header, types.Integer):
            return lambda header: header
        return lambda header: _as_integer(header)


_headers: dict = {}


def _header_named(module, name):
    import importlib

    importlib.import_module(module)
    return _headers[module, name]
