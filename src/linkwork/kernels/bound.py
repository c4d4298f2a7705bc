"""Calls bound to a model: public functions that are C functions, as long as their arguments are plain.

    public(model, arrays..)       checks the arrays and their lengths, makes the results, calls the kernel, returns them: no line of Python runs.
                                  Whatever is not plain goes on to the Python function of the same name, which converts, checks and explains.
    short(model, arrays..)        the same from within that Python function, once it has looked at options: the result, or None

Both are generated for a list of ways (`Way`), which are tried in turn. A way finds what it needs of a model in the model's *table*, an int64 array
that is looked up by the model's identity (WORDS, then the addresses of kernels, 0 for a way that is not open to this model, then those of the
records that the kernels work on). The table is marked as busy while a kernel runs, by an atomic exchange: whoever finds it busy, another
thread or a call from within a user's function, takes the long way, which borrows a Data of its own.

Results are made through NumPy's table of C functions, whose places are fixed for good (numpy/__multiarray_api.h).
"""

import ctypes
import functools
import inspect
import sys
import types
from typing import Any, NamedTuple

import numpy as np

from .c_functions import FASTCALL, KEYWORDS, built_in, kept_for_ever
from .decorator import JIT
from .level import target

WORDS = ("closed", "busy", "handle", "n", "nq", "nv", "nb", "nc", "zeros", "multipliers", "report", "forces")
FIRST = len(WORDS)  # where addresses of kernels begin
CAPACITY = 48  # of kernels
RECORDS = FIRST + CAPACITY  # where addresses of records begin
TABLE = RECORDS + CAPACITY
_AT = {word: k for k, word in enumerate(WORDS)}
_DATA, _NDIM, _SHAPE, _DESCR, _FLAGS = 16, 24, 32, 56, 64
_DESCR_BYTEORDER, _DESCR_NUMBER = 26, 28
_CONTIGUOUS_ALIGNED, _FLOAT64, _INT64 = 0x101, 12, np.dtype(np.int64).num
_ARRAY_NEW = 93  # PyArray_New


# Pairs (identity of a model, address of its table), found by a hash of the identity. Where two models meet at one place, the latter has it, and the
# other goes the long way, which takes the place back.
_BITS, _MIX = 12, 0x9E3779B97F4A7C15
_tables = kept_for_ever(np.zeros(2 << _BITS, dtype=np.int64))


def _place(key):
    return 2 * (((key * _MIX) % (1 << 64)) >> (64 - _BITS))


def install(key, table):
    """Let the object with the identity `key` be found with its table, until `forget`."""
    at = _place(key)
    if _tables[at] != key:
        _tables[at] = 0
        _tables[at + 1] = table.ctypes.data
        _tables[at] = key


def forget(key):
    """The object with this identity is gone."""
    if _tables[_place(key)] == key:
        _tables[_place(key)] = 0


class Way(NamedTuple):
    """How a kernel is called for one state.

    `number`: its place among the kernels of a table. `inputs`: lengths of its arrays, each a word or a number; "nv?" may be missing or None and is
    then zero, "0 nv" is always zero and not among the arguments, "int 2" and "int nv" are arrays of integers and flags (int64).
    `outputs`: (shape, number of axes that the kernel wants); shape () is a float.
    `timed`: the kernel takes the time after the inputs; a time is read and ignored where it is None.
    `limit`: the kernel writes multipliers and a report after its outputs; a residual beyond this is a matter of the long way.
    `finish`: called with the model and the outputs, makes the result; None where the only output is it.
    """

    number: int
    inputs: tuple
    outputs: tuple
    timed: bool | None = False
    limit: float | None = None
    finish: Any = None


class _Home(types.ModuleType):
    """What a public function is bound to: calls the Python function as long as there is nothing better.

    A module in name, since Python takes a function that is bound to a module for one of that module: it is shown and pickled by its name alone.
    """

    __slots__ = ("goal",)

    def __call__(self, *arguments, **options):
        self.calls += 1
        return self.function(*arguments, **options)


def public(function):
    """A C function in place of a Python function, which it calls until `serve` gives it something better; it knows the same name and text."""
    home = _Home(function.__name__, function.__doc__)
    home.function, home.calls = function, 0
    home.goal = np.array([ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value], dtype=np.int64)
    plain = inspect.signature(function)
    signature = plain.replace(
        parameters=[p.replace(annotation=inspect.Parameter.empty) for p in plain.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )
    text = f"{function.__name__}{signature}\n--\n\n{function.__doc__ or ''}"
    return built_in(function.__name__, _door(), kept_for_ever(home), function.__module__, FASTCALL | KEYWORDS, text), home


def possible():
    """Can functions be bound? They need CPython with its lock, and kernels that run on this machine."""
    return JIT and sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)() and target().is_host


def serve(home, ways):
    """Generate code for the ways of a public function and let it run from now on; returns the function `short`."""
    name = f"linkwork.bound.{home.function.__module__}.{home.function.__name__}.{len(ways)}"
    from .loader import load_text

    address = load_text(_Writer(name).write(ways, home.function))
    kept_for_ever(ways)
    home.goal[0] = address(name + ".public")
    return built_in("short", address(name + ".short"), home, home.function.__module__)


@functools.cache
def _door():
    """The C function that all public functions are: it jumps to the address in the slot `goal` of its home.

    CPython makes the hash of a function from its home and its address, so these stay, and what is called changes behind them. In the beginning that is
    PyObject_Vectorcall, which has the very arguments of a C function and calls its `self`.
    """
    text = f"""
    define i8* @linkwork.door(i8* %self, i8* %arguments, i64 %count, i8* %names) {{
      %slot = getelementptr i8, i8* %self, i64 {slot_offset(_Home, "goal")}
      %at = bitcast i8* %slot to i8**
      %array = load i8*, i8** %at
      %data = getelementptr i8, i8* %array, i64 {_DATA}
      %goals = bitcast i8* %data to i8* (i8*, i8*, i64, i8*)***
      %goal = load i8* (i8*, i8*, i64, i8*)**, i8* (i8*, i8*, i64, i8*)*** %goals
      %called = load i8* (i8*, i8*, i64, i8*)*, i8* (i8*, i8*, i64, i8*)** %goal
      %result = tail call i8* %called(i8* %self, i8* %arguments, i64 %count, i8* %names)
      ret i8* %result
    }}"""
    from .loader import load_text

    return load_text(text)("linkwork.door")


def slot_offset(kind, name):
    """Where a slot of a class stands in its objects: PyMemberDescrObject.d_member->offset."""
    member = ctypes.c_void_p.from_address(id(kind.__dict__[name]) + 5 * ctypes.sizeof(ctypes.c_void_p)).value
    return ctypes.c_ssize_t.from_address(member + 2 * ctypes.sizeof(ctypes.c_void_p)).value


def _numpy_function(index):
    """A function of NumPy's C API by its place in the table."""
    try:
        from numpy._core.multiarray import _ARRAY_API
    except ImportError:  # NumPy 1
        from numpy.core.multiarray import _ARRAY_API
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.c_void_p.from_address(get(_ARRAY_API, None) + index * ctypes.sizeof(ctypes.c_void_p)).value


class _Writer:
    """Writes the code of one public function in LLVM's language."""

    def __init__(self, name):
        from llvmlite import ir

        self.ir, self.name = ir, name
        self.module = ir.Module(name)
        self.p, self.byte, self.i32, self.i64, self.f64 = (
            ir.PointerType(ir.IntType(8)),
            ir.IntType(8),
            ir.IntType(32),
            ir.IntType(64),
            ir.DoubleType(),
        )
        self.null = ir.Constant(self.p, None)

    def write(self, ways, function):
        attempts = [(self.attempt(way, k), way) for k, way in enumerate(ways)]
        self.public(attempts, function)
        self.short(attempts)
        return str(self.module)

    # ---- small words

    def object(self, b, thing):
        """A Python object that stays, as a constant."""
        return b.inttoptr(self.i64(id(thing)), self.p)

    def api(self, b, what, returns, *arguments):
        """Call a function of CPython by its name, or of anyone by its address."""
        address = what if isinstance(what, int) else ctypes.cast(getattr(ctypes.pythonapi, what), ctypes.c_void_p).value
        kind = self.ir.FunctionType(returns, [a.type for a in arguments])
        return b.call(b.inttoptr(self.i64(address), kind.as_pointer()), arguments)

    def field(self, b, thing, offset, kind):
        return b.load(b.bitcast(b.gep(thing, [self.i64(offset)]), kind.as_pointer()))

    def same(self, b, one, other):
        return b.icmp_unsigned("==", one, other)

    def need(self, b, condition, otherwise):
        good = b.append_basic_block()
        b.cbranch(condition, good, otherwise)
        b.position_at_end(good)

    def local(self, b, kind, count=1):
        """Room on the stack; taken at the entry of the function, where it costs nothing."""
        with b.goto_entry_block():
            return b.alloca(kind, count)

    def word(self, b, table, word):
        """A word of the table, or a number as it is."""
        return self.i64(word) if isinstance(word, int) else b.load(b.gep(table, [self.i64(_AT[word])]))

    # ---- one way: ptr attempt(arguments, count, time or null, flags of `forces` that are in the way); null: not plain, or an error

    def attempt(self, way, k):
        ir, p, i64 = self.ir, self.p, self.i64
        kind = ir.FunctionType(p, [p.as_pointer(), i64, p, i64])
        f = ir.Function(self.module, kind, f"{self.name}.{k}")
        f.linkage = "internal"
        b = ir.IRBuilder(f.append_basic_block())
        refuse = f.append_basic_block("refuse")
        ir.IRBuilder(refuse).ret(self.null)
        given = [text for text in way.inputs if not _is_hidden(text)]
        fewest = 1 + sum(not _is_optional(text) for text in given)
        self.need(b, b.icmp_unsigned(">=", f.args[1], i64(fewest)), refuse)
        self.need(b, b.icmp_unsigned("<=", f.args[1], i64(1 + len(given))), refuse)
        model = b.load(f.args[0])
        table = self.table(b, model, refuse)
        kernel = b.load(b.gep(table, [i64(FIRST + way.number)]))
        self.need(b, b.not_(self.same(b, kernel, i64(0))), refuse)
        self.need(b, self.same(b, b.and_(self.word(b, table, "forces"), f.args[3]), i64(0)), refuse)
        record = b.load(b.gep(table, [i64(RECORDS + way.number)]))
        passed = [self.word(b, table, "handle"), record, i64(0), i64(1)]
        at = 0
        for text in way.inputs:
            length = self.word(b, table, _word_of(text))
            if _is_hidden(text):
                data = self.pointer(b, self.word(b, table, "zeros"))
            else:
                at += 1
                kind = _INT64 if _is_integers(text) else _FLOAT64
                data = self.array(b, f.args[0], at, f.args[1] if _is_optional(text) else None, length, table, refuse, kind)
            passed += self.vector(data, length)
        time = self.time(b, f.args[2], refuse)
        if way.timed:
            held = self.local(b, self.f64)
            b.store(time, held)
            passed += self.vector(held, i64(1))
        made, results = [], []
        for shape, axes in way.outputs:
            result, arguments = self.output(b, shape, axes, table, made, refuse)
            made += [result] if shape else []
            results.append(result)
            passed += arguments
        if way.limit is not None:
            passed += self.vector(self.pointer(b, self.word(b, table, "multipliers")), self.word(b, table, "nc"))
            passed += self.vector(self.pointer(b, self.word(b, table, "report")), i64(2))
        called = b.inttoptr(kernel, ir.FunctionType(i64, [a.type for a in passed]).as_pointer())
        busy, drop = b.gep(table, [i64(_AT["busy"])]), self.dropping(b, made, refuse)
        taken = b.cmpxchg(busy, i64(0), i64(1), "acquire", "monotonic")
        self.need(b, b.extract_value(taken, 1), drop)
        free = b.append_basic_block()  # what is refused from here on opens the table again
        with b.goto_block(free):
            b.store_atomic(i64(0), busy, "release", 8)
            b.branch(drop)
        self.need(b, self.same(b, self.word(b, table, "closed"), i64(0)), free)
        status = b.call(called, passed)
        self.need(b, self.same(b, status, i64(0)), free)
        if way.limit is not None:
            residual = b.load(b.gep(self.pointer(b, self.word(b, table, "report")), [i64(1)]))
            self.need(b, b.fcmp_ordered("<=", residual, self.f64(way.limit)), free)
        b.store_atomic(i64(0), busy, "release", 8)
        self.finish(b, way, model, results)
        return f

    def table(self, b, model, refuse):
        """The table of a model, found by its identity."""
        i64 = self.i64
        key = b.ptrtoint(model, i64)
        place = b.shl(b.lshr(b.mul(key, i64(_MIX)), i64(64 - _BITS)), i64(1))
        entry = b.gep(b.inttoptr(i64(_tables.ctypes.data), i64.as_pointer()), [place])
        self.need(b, self.same(b, b.load(entry), key), refuse)
        return b.inttoptr(b.load(b.gep(entry, [i64(1)])), i64.as_pointer())

    def pointer(self, b, address):
        return b.inttoptr(address, self.f64.as_pointer())

    def vector(self, data, length):
        """An array of one axis as Numba takes it apart: meminfo, parent, number of items, item size, data, shape, strides."""
        return [self.null, self.null, length, self.i64(8), data, length, self.i64(8)]

    # parameters: what the code that is written has at hand
    def array(self, b, arguments, at, count, length, table, refuse, kind):
        """The data of argument number `at`, checked; zeros for one that is missing or None, if `count` is given."""
        b_block, done = b.append_basic_block, b.append_basic_block()
        ways = []
        if count is not None:
            there, zeros, exact = b_block(), b_block(), b_block()
            b.cbranch(b.icmp_unsigned(">", count, self.i64(at)), there, zeros)
            b.position_at_end(there)
            thing = b.load(b.gep(arguments, [self.i64(at)]))
            b.cbranch(self.same(b, thing, self.object(b, None)), zeros, exact)
            b.position_at_end(zeros)
            ways.append((self.pointer(b, self.word(b, table, "zeros")), zeros))
            b.branch(done)
            b.position_at_end(exact)
        else:
            thing = b.load(b.gep(arguments, [self.i64(at)]))
        self.need(b, self.same(b, self.field(b, thing, 8, self.p), self.object(b, np.ndarray)), refuse)
        self.need(b, self.same(b, self.field(b, thing, _NDIM, self.i32), self.i32(1)), refuse)
        wanted = self.i32(_CONTIGUOUS_ALIGNED)
        self.need(b, self.same(b, b.and_(self.field(b, thing, _FLAGS, self.i32), wanted), wanted), refuse)
        descr = self.field(b, thing, _DESCR, self.p)
        self.need(b, self.same(b, self.field(b, descr, _DESCR_NUMBER, self.i32), self.i32(kind)), refuse)
        self.need(b, self.same(b, self.field(b, descr, _DESCR_BYTEORDER, self.byte), self.byte(ord("="))), refuse)
        self.need(b, self.same(b, b.load(self.field(b, thing, _SHAPE, self.i64.as_pointer())), length), refuse)
        data = self.field(b, thing, _DATA, self.f64.as_pointer())
        ways.append((data, b.block))
        b.branch(done)
        b.position_at_end(done)
        found = b.phi(self.f64.as_pointer())
        for value, block in ways:
            found.add_incoming(value, block)
        return found

    def time(self, b, thing, refuse):
        """The time: a float that is finite, or 0 where there is none."""
        start, some, done = b.block, b.append_basic_block(), b.append_basic_block()
        b.cbranch(self.same(b, thing, self.null), done, some)
        b.position_at_end(some)
        self.need(b, self.same(b, self.field(b, thing, 8, self.p), self.object(b, float)), refuse)
        value = self.field(b, thing, 16, self.f64)
        self.need(b, b.fcmp_ordered("==", b.fsub(value, value), self.f64(0.0)), refuse)
        some = b.block
        b.branch(done)
        b.position_at_end(done)
        found = b.phi(self.f64)
        found.add_incoming(self.f64(0.0), start)
        found.add_incoming(value, some)
        return found

    def output(self, b, shape, axes, table, made, refuse):
        """(a new array, or the place of a number; what the kernel gets of it)."""
        i64, i32 = self.i64, self.i32
        if not shape:
            held = self.local(b, self.f64)
            return held, self.vector(held, i64(1))
        extents = [self.word(b, table, extent) for extent in shape]
        dims = self.local(b, i64, len(shape))
        for k, extent in enumerate(extents):
            b.store(extent, b.gep(dims, [i64(k)]))
        none = self.ir.Constant(i64.as_pointer(), None)
        new = _numpy_function(_ARRAY_NEW)
        kind = self.object(b, np.ndarray)
        result = self.api(b, new, self.p, kind, i32(len(shape)), dims, i32(_FLOAT64), none, self.null, i32(0), i32(0), self.null)
        self.need(b, b.not_(self.same(b, result, self.null)), self.dropping(b, made, refuse))
        data = self.field(b, result, _DATA, self.f64.as_pointer())
        count = extents[0]
        for extent in extents[1:]:
            count = b.mul(count, extent)
        if axes == 1:
            return result, self.vector(data, count)
        steps = [i64(8)]
        for extent in reversed(extents[1:]):
            steps.insert(0, b.mul(steps[0], extent))
        return result, [self.null, self.null, count, i64(8), data, *extents, *steps]

    def dropping(self, b, made, refuse):
        """A block that lets new arrays go and refuses."""
        if not made:
            return refuse
        block = b.append_basic_block()
        with b.goto_block(block):
            for thing in made:
                self.api(b, "Py_DecRef", self.ir.VoidType(), thing)
            b.branch(refuse)
        return block

    def finish(self, b, way, model, results):
        things = []
        for (shape, _), result in zip(way.outputs, results, strict=True):
            things.append(result if shape else self.api(b, "PyFloat_FromDouble", self.p, b.load(result)))
        if way.finish is None:
            b.ret(things[0])
            return
        held = self.local(b, self.p, 1 + len(things))
        for k, thing in enumerate((model, *things)):
            b.store(thing, b.gep(held, [self.i64(k)]))
        made = self.api(b, "PyObject_Vectorcall", self.p, self.object(b, way.finish), held, self.i64(1 + len(things)), self.null)
        for thing in things:
            self.api(b, "Py_DecRef", self.ir.VoidType(), thing)
        b.ret(made)

    # ---- the two functions

    def public(self, attempts, function):
        """(self, arguments, count, names of keywords): a lone t= is understood where a way knows the time."""
        ir, p, i64 = self.ir, self.p, self.i64
        f = ir.Function(self.module, ir.FunctionType(p, [p, p.as_pointer(), i64, p]), self.name + ".public")
        b = ir.IRBuilder(f.append_basic_block())
        long, start = f.append_basic_block("long"), b.block
        named, plain = b.append_basic_block(), b.append_basic_block()
        b.cbranch(self.same(b, f.args[3], self.null), plain, named)
        b.position_at_end(named)
        if attempts[0][1].timed is False:
            b.branch(long)
            time = self.null
        else:
            self.need(b, self.same(b, self.field(b, f.args[3], 16, i64), i64(1)), long)  # a tuple: its size, its first entry
            self.need(b, self.same(b, self.field(b, f.args[3], 24, p), self.object(b, sys.intern("t"))), long)
            last = b.load(b.gep(f.args[1], [f.args[2]]))
            named = b.block
            b.branch(plain)
            b.position_at_end(plain)
            time = b.phi(p)
            time.add_incoming(self.null, start)
            time.add_incoming(last, named)
        b.position_at_end(plain)
        self.tries(b, attempts, f.args[1], f.args[2], time, i64(1))
        failed = self.api(b, "PyErr_Occurred", p)
        stop = b.append_basic_block()
        b.cbranch(self.same(b, failed, self.null), long, stop)
        ir.IRBuilder(stop).ret(self.null)
        b.position_at_end(long)
        b.ret(self.api(b, "PyObject_Vectorcall", p, self.object(b, function), f.args[1], f.args[2], f.args[3]))

    def short(self, attempts):
        """(self, arguments, count): the last argument is the time where a way knows it. None for what is not plain."""
        ir, p, i64 = self.ir, self.p, self.i64
        f = ir.Function(self.module, ir.FunctionType(p, [p, p.as_pointer(), i64]), self.name + ".short")
        b = ir.IRBuilder(f.append_basic_block())
        count, time = f.args[2], self.null
        if attempts[0][1].timed is not False:
            count = b.sub(count, i64(1))
            time = b.load(b.gep(f.args[1], [count]))
        self.tries(b, attempts, f.args[1], count, time, i64(0))
        failed, stop, none = self.api(b, "PyErr_Occurred", p), b.append_basic_block(), b.append_basic_block()
        b.cbranch(self.same(b, failed, self.null), none, stop)
        ir.IRBuilder(stop).ret(self.null)
        b.position_at_end(none)
        self.api(b, "Py_IncRef", ir.VoidType(), self.object(b, None))
        b.ret(self.object(b, None))

    def tries(self, b, attempts, arguments, count, time, forces):
        for attempt, _ in attempts:
            result = b.call(attempt, [arguments, count, time, forces])
            found = b.append_basic_block()
            with b.goto_block(found):
                b.ret(result)
            after = b.append_basic_block()
            b.cbranch(self.same(b, result, self.null), after, found)
            b.position_at_end(after)


def _is_hidden(text):
    return isinstance(text, str) and text.startswith("0 ")


def _is_integers(text):
    return isinstance(text, str) and text.startswith("int ")


def _is_optional(text):
    return isinstance(text, str) and text.endswith("?")


def _word_of(text):
    if _is_integers(text):
        size = text.removeprefix("int ")
        return int(size) if size.isdigit() else size
    return text.removeprefix("0 ").removesuffix("?") if isinstance(text, str) else text
