"""Array arguments that reach a kernel in nanoseconds.

Numba recognises the type of every argument of every call and adapts each array through two C functions: 0.1 us an array, half of the time
of a whole dynamics call. `Exact` is an array type whose unboxing reads the NumPy object directly and accepts precisely what the kernels
want: an `ndarray` itself, native float64, the right number of axes, C-contiguous and aligned. Anything else is a TypeError, upon which the caller takes the
long way (convert, check, explain). A compiled function is then called by its entry point, without Numba's dispatcher.

The offsets are those of NumPy's public `PyArrayObject_fields` and `PyArray_Descr` (unchanged from 1.7 to 2.x).
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import NativeValue, register_model, unbox

_DATA, _NDIM, _SHAPE, _STRIDES, _DESCR, _FLAGS = 16, 24, 32, 40, 56, 64
_DESCR_BYTEORDER, _DESCR_NUMBER = 26, 28
_FLOAT64, _CONTIGUOUS_ALIGNED = 12, 0x101


class Exact(types.Array):
    """A C-contiguous float64 array with `ndim` axes."""

    def __init__(self, ndim):
        super().__init__(types.float64, ndim, "C", name=f"Exact{ndim}")

    @property
    def key(self):
        return ("Exact", self.ndim)

    def __reduce__(self):
        return Exact, (self.ndim,)


@register_model(Exact)
class _ExactModel(models.ArrayModel):
    pass


def _ndarray_class(c):
    """The class numpy.ndarray, looked up once per compiled module: cached code can hold no address."""
    builder, kind = c.builder, c.pyapi.pyobj
    known = builder.module.globals.get("linkwork.ndarray")
    if known is None:
        known = cgutils.add_global_variable(builder.module, kind, "linkwork.ndarray")
        known.initializer, known.linkage = kind(None), "internal"
    with builder.if_then(cgutils.is_null(builder, builder.load(known)), likely=False):
        numpy = c.pyapi.import_module(c.context.insert_const_string(builder.module, "numpy"))
        builder.store(c.pyapi.object_getattr_string(numpy, "ndarray"), known)
        c.pyapi.decref(numpy)
    return builder.load(known)


@unbox(Exact)
def _unbox_exact(typ, obj, c):
    builder = c.builder
    int32, int64, byte = ir.IntType(32), ir.IntType(64), ir.IntType(8)

    def field(base, offset, kind):
        place = builder.gep(builder.bitcast(base, byte.as_pointer()), [int64(offset)])
        return builder.load(builder.bitcast(place, kind.as_pointer()))

    array = cgutils.create_struct_proxy(typ)(c.context, builder)
    ndarray = _ndarray_class(c)
    fits = cgutils.alloca_once_value(builder, ir.IntType(1)(0))
    with builder.if_then(builder.icmp_unsigned("==", field(obj, 8, ndarray.type), ndarray), likely=True):
        descr = field(obj, _DESCR, byte.as_pointer())
        flags = builder.and_(field(obj, _FLAGS, int32), int32(_CONTIGUOUS_ALIGNED))
        good = builder.icmp_signed("==", field(obj, _NDIM, int32), int32(typ.ndim))
        good = builder.and_(good, builder.icmp_signed("==", flags, int32(_CONTIGUOUS_ALIGNED)))
        good = builder.and_(good, builder.icmp_signed("==", field(descr, _DESCR_NUMBER, int32), int32(_FLOAT64)))
        good = builder.and_(good, builder.icmp_signed("==", field(descr, _DESCR_BYTEORDER, byte), byte(ord("="))))
        builder.store(good, fits)
        with builder.if_then(good, likely=True):
            shape, strides = field(obj, _SHAPE, int64.as_pointer()), field(obj, _STRIDES, int64.as_pointer())
            count = int64(1)
            extents, steps = [], []
            for k in range(typ.ndim):
                extents.append(builder.load(builder.gep(shape, [int64(k)])))
                steps.append(builder.load(builder.gep(strides, [int64(k)])))
                count = builder.mul(count, extents[-1])
            array.data = builder.bitcast(field(obj, _DATA, byte.as_pointer()), array.data.type)
            array.nitems, array.itemsize = count, int64(8)
            array.shape = cgutils.pack_array(builder, extents)
            array.strides = cgutils.pack_array(builder, steps)
            array.parent = obj
    failed = builder.not_(builder.load(fits))
    with builder.if_then(failed, likely=False):
        c.pyapi.err_set_string("PyExc_TypeError", "not a C-contiguous float64 array with the right number of axes")
    return NativeValue(array._getvalue(), is_error=failed)
