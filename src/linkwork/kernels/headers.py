"""Tables behind a header: a block of 64-bit words that holds sizes and the addresses of arrays.

A kernel gets the header's address. What `declare` makes of it is a value with the arrays and the sizes as attributes: ``t.links[i].parent``, ``t.n``. It is
passed from kernel to kernel as that one address; an array is put together where it is used.
"""

import functools
from typing import NamedTuple

from .decorator import when_compiling


class Table(NamedTuple):
    """An array behind a header. `element`: a NumPy dtype or a scalar type. `length`: a number, or the names of the words whose product it is."""

    element: object
    length: tuple[str, ...] | int


@functools.cache
def declare(name, opener, words, **tables):
    """Let compiled code call `opener(address)`; for `when_compiling`.

    words: the names of the header's words, in their order. A word that has the name of a table holds its address; the others are integer attributes.
    tables: the attributes that are arrays, each a Table; one whose name is not that of a word is the header itself.
    """
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
    place = {key: word(k) for k, key in enumerate(words)}
    attributes = dict.fromkeys(words, types.int64) | arrays

    @register_model(Header)
    class _Model(models.PrimitiveModel):
        def __init__(self, manager, fe_type):
            super().__init__(manager, fe_type, word)

    @infer_getattr
    class _Attributes(AttributeTemplate):
        key = Header

        def generic_resolve(self, typ, attr):
            return attributes.get(attr)

    def load(builder, base, key):
        """A word of the header, which does not change while a kernel runs."""
        value = builder.load(builder.gep(base, [place[key]]))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    @lower_getattr_generic(Header)
    def _attribute(context, builder, typ, value, attr):
        base = builder.inttoptr(value, word.as_pointer())
        if attr not in tables:
            return builder.load(builder.gep(base, [place[attr]]))
        table, kind = tables[attr], arrays[attr]
        address = load(builder, base, attr) if attr in place else value
        length = (
            word(table.length)
            if isinstance(table.length, int)
            else functools.reduce(builder.mul, [load(builder, base, key) for key in table.length])
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


def address_of_header(header):
    """The address of a header, given as its tables or as that address; for compiled code."""
    raise NotImplementedError


@when_compiling
def _verbs():
    from numba import types
    from numba.extending import intrinsic, overload

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
