"""How Python calls a kernel: a C function of CPython's FASTCALL kind, generated for a list of argument types and shared by all kernels that have it.

    shim(self, arguments, n)      self holds the kernel's address; each argument is checked and taken apart; the kernel is called; its number comes back

letter   accepted
i        int
d        float or int
A1 A2..  numpy.ndarray itself (no subclass): native float64, C-contiguous, aligned, with so many axes
J1       the same with int64

Anything else is a TypeError, upon which the caller takes the long way: convert, check, explain.
The offsets are those of NumPy's public PyArrayObject_fields and PyArray_Descr (unchanged from 1.7 to 2.x).
"""

import ctypes
import functools
import sys
import sysconfig

import numpy as np

from .c_functions import built_in
from .loader import address_of_kernel

_DATA, _NDIM, _SHAPE, _STRIDES, _DESCR, _FLAGS = 16, 24, 32, 40, 56, 64
_DESCR_BYTEORDER, _DESCR_NUMBER = 26, 28
_CONTIGUOUS_ALIGNED = 0x101
_NUMBERS = {"A": np.dtype(np.float64).num, "J": np.dtype(np.int64).num}
_API = (
    "PyLong_AsLongLong PyLong_AsVoidPtr PyFloat_AsDouble PyLong_FromLongLong PyFloat_FromDouble PyErr_SetString PyErr_Occurred "
    "PyEval_SaveThread PyEval_RestoreThread Py_IncRef"
).split()


def python_entry(kernel, letters, holds_gil=False):
    """A Python function that calls a kernel; letters as "i A1 -> d"."""
    given, _, result = letters.partition("->")
    address = address_of_kernel(kernel, given)
    return bound(_shim(given, holds_gil, result.strip()), address, kernel.__name__)


def bound(shim, address, name):
    """A Python function of a shim and the address that it calls."""
    return built_in(name, shim, address)


@functools.cache
def _shim(letters, holds_gil, result):
    """The address of the shim for these types."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") or sys.implementation.name != "cpython":
        raise RuntimeError("compiled kernels need CPython with its lock; set LINKWORK_JIT=0 to run without them")
    import llvmlite.binding as llvm

    from .loader import load_text

    for name in _API:
        llvm.add_symbol(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
    llvm.add_symbol("_Py_NoneStruct", id(None))
    name = f"linkwork.shim({letters.replace(' ', ',')}){result}{int(holds_gil)}"
    return load_text(shim_ir(name, letters.split(), holds_gil, result))(name)


def shim_ir(name, letters, holds_gil, result):
    """The shim in LLVM's language, as text."""
    from llvmlite import ir

    m = ir.Module(name)
    p, byte, i32, i64, f64 = ir.PointerType(ir.IntType(8)), ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
    functions = {}

    def api(called, returns, *kinds):
        if called not in functions:
            functions[called] = ir.Function(m, ir.FunctionType(returns, kinds), called)
        return functions[called]

    f = ir.Function(m, ir.FunctionType(p, [p, ir.PointerType(p), i64]), name)
    b = ir.IRBuilder(f.append_basic_block())
    wrong, count_wrong, failed = f.append_basic_block("wrong"), f.append_basic_block("count"), f.append_basic_block("failed")

    def need(b, condition, otherwise=wrong):
        good = f.append_basic_block()
        b.cbranch(condition, good, otherwise)
        return ir.IRBuilder(good)

    def field(b, obj, offset, kind):
        return b.load(b.bitcast(b.gep(obj, [i64(offset)]), ir.PointerType(kind)))

    b = need(b, b.icmp_signed("==", f.args[2], i64(len(letters))), count_wrong)
    given = []
    for k, letter in enumerate(letters):
        obj = b.load(b.gep(f.args[1], [i64(k)]))
        if letter in "iwd":
            call = api(*(("PyLong_AsLongLong", i64, p) if letter != "d" else ("PyFloat_AsDouble", f64, p)))
            value = b.call(call, [obj])
            strange = b.icmp_signed("==", value, i64(-1)) if letter != "d" else b.fcmp_ordered("==", value, f64(-1.0))
            look, fine = f.append_basic_block(), f.append_basic_block()
            b.cbranch(strange, look, fine)
            b = ir.IRBuilder(look)
            b.cbranch(b.icmp_unsigned("!=", b.ptrtoint(b.call(api("PyErr_Occurred", p), []), i64), i64(0)), failed, fine)
            b = ir.IRBuilder(fine)
            given.append(value)
            continue
        ndim = int(letter[1:])
        wanted = _CONTIGUOUS_ALIGNED
        b = need(b, b.icmp_unsigned("==", field(b, obj, 8, i64), i64(id(np.ndarray))))
        b = need(b, b.icmp_signed("==", field(b, obj, _NDIM, i32), i32(ndim)))
        b = need(b, b.icmp_signed("==", b.and_(field(b, obj, _FLAGS, i32), i32(wanted)), i32(wanted)))
        descr = field(b, obj, _DESCR, p)
        b = need(b, b.icmp_signed("==", field(b, descr, _DESCR_NUMBER, i32), i32(_NUMBERS["J" if letter[0] == "J" else "A"])))
        b = need(b, b.icmp_signed("==", field(b, descr, _DESCR_BYTEORDER, byte), byte(ord("="))))
        shape, strides = field(b, obj, _SHAPE, ir.PointerType(i64)), field(b, obj, _STRIDES, ir.PointerType(i64))
        extents = [b.load(b.gep(shape, [i64(a)])) for a in range(ndim)]
        steps = [b.load(b.gep(strides, [i64(a)])) for a in range(ndim)]
        count = i64(1)
        for extent in extents:
            count = b.mul(count, extent)
        # An array as Numba takes it apart: meminfo, parent, number of items, item size, data, shape, strides.
        null = ir.Constant(p, None)
        element = f64 if letter[0] == "A" else i64
        given += [null, null, count, i64(8), field(b, obj, _DATA, ir.PointerType(element)), *extents, *steps]
    returns = {"i": i64, "d": f64, "b": ir.IntType(1), "n": ir.VoidType()}[result]
    address = b.call(api("PyLong_AsVoidPtr", p, p), [f.args[0]])
    function = b.bitcast(address, ir.PointerType(ir.FunctionType(returns, [value.type for value in given])))
    state = None if holds_gil else b.call(api("PyEval_SaveThread", p), [])
    value = b.call(function, given)
    if state is not None:
        b.call(api("PyEval_RestoreThread", ir.VoidType(), p), [state])
    if result == "n":
        none = ir.GlobalVariable(m, byte, "_Py_NoneStruct")
        b.call(api("Py_IncRef", ir.VoidType(), p), [none])
        b.ret(none)
    elif result == "d":
        b.ret(b.call(api("PyFloat_FromDouble", p, f64), [value]))
    else:
        b.ret(b.call(api("PyLong_FromLongLong", p, i64), [b.zext(value, i64) if result == "b" else value]))
    for block, said in (
        (wrong, b"not a C-contiguous float64 array with the right number of axes\0"),
        (count_wrong, b"wrong number of arguments\0"),
    ):
        b = ir.IRBuilder(block)
        text = ir.GlobalVariable(m, ir.ArrayType(byte, len(said)), m.get_unique_name("text"))
        text.initializer, text.global_constant, text.linkage = ir.Constant(text.value_type, bytearray(said)), True, "internal"
        error = b.inttoptr(i64(id(TypeError)), p)
        b.call(api("PyErr_SetString", ir.VoidType(), p, p), [error, b.bitcast(text, p)])
        b.branch(failed)
    ir.IRBuilder(failed).ret(ir.Constant(p, None))
    return str(m)
