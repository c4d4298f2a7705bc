"""Custom joints: the user's plain Python functions, compiled to one native function that kernels call by its address.

The native function reads q and v and fills pose (x y z qw qx qy qz), S v-columns (6 nv) and the rate Sdot v (6), in this order.
"""

import functools

from ..errors import ModelError
from ..kernels import JIT, kernel, numba_ready, when_compiling

# In plain Python (LINKWORK_JIT=0) an "address" is an index into this list.
_PLAIN: list = []


def compile_custom(name, kind):
    """(code, keep_alive) for a Custom joint kind: code is what the table `generals` stores."""
    if not JIT:
        return plain_code(_plain(kind)), None
    numba = numba_ready()
    try:
        native = _native(kind.pose, kind.motion, kind.rate, kind.nv)
    except numba.core.errors.NumbaError as error:
        raise ModelError(
            f"joint {name!r}: its functions cannot be compiled: {str(error).strip().splitlines()[0]}. "
            "pose(q) must return 7 numbers, motion(q) a tuple of nv columns of 6 numbers, rate(q, v) 6 numbers, "
            "all floats, using math or NumPy only; write them so, or set LINKWORK_JIT=0 to run without compiling."
        ) from error
    return native.address, native


def plain_code(function):
    """The code of a function (given, given, out) in plain Python."""
    _PLAIN.append(function)
    return len(_PLAIN) - 1


def _plain(kind):
    def fill(q, v, out):
        out[:7] = kind.pose(q)
        for k, column in enumerate(kind.motion(q)):
            out[7 + 6 * k : 13 + 6 * k] = column
        out[7 + 6 * kind.nv : 13 + 6 * kind.nv] = kind.rate(q, v)

    return fill


@functools.cache
def _native(pose, motion, rate, nv):
    numba = numba_ready()
    types = numba.types

    nq = nv
    compiled_pose, compiled_motion, compiled_rate = (numba.njit(f) for f in (pose, motion, rate))

    def fill(q_pointer, v_pointer, out_pointer):
        q = numba.carray(q_pointer, (nq,))
        v = numba.carray(v_pointer, (nv,))
        out = numba.carray(out_pointer, (13 + 6 * nv,))
        place = compiled_pose(q)
        for i in range(7):
            out[i] = place[i]
        columns = compiled_motion(q)
        for k in range(nv):
            column = columns[k]
            for i in range(6):
                out[7 + 6 * k + i] = column[i]
        drift = compiled_rate(q, v)
        for i in range(6):
            out[7 + 6 * nv + i] = drift[i]

    pointer = types.CPointer(types.float64)
    return numba.cfunc(types.void(pointer, pointer, pointer))(fill)


def call_custom(code, q, v, out, nv):
    """Run the native function of a custom joint, or another of two given arrays and a result."""
    _PLAIN[code](q[:nv], v[:nv], out)


def call_native(code, given, numbers, number_at, out):
    """Run a native function on what is given and on its parameters `numbers`. In plain Python the code is the function itself."""
    code(given, numbers[number_at:], out)


@when_compiling
def _verbs():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _call(typingctx, code, q, v, out):
        def codegen(context, builder, sig, args):
            double = ir.DoubleType().as_pointer()
            places = [context.make_array(ty)(context, builder, a).data for a, ty in zip(args[1:], sig.args[1:], strict=True)]
            function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), [double] * 3).as_pointer())
            builder.call(function, places)
            return context.get_dummy_value()

        return types.void(types.int64, q, v, out), codegen

    @intrinsic
    def _native_call(typingctx, code, given, numbers, number_at, out):
        def codegen(context, builder, sig, args):
            double = ir.DoubleType().as_pointer()
            given, numbers, out = (context.make_array(sig.args[k])(context, builder, args[k]).data for k in (1, 2, 4))
            first = builder.gep(numbers, [context.cast(builder, args[3], sig.args[3], types.intp)])
            function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), [double] * 3).as_pointer())
            builder.call(function, [given, first, out])
            return context.get_dummy_value()

        return types.void(types.int64, given, numbers, number_at, out), codegen

    @overload(call_native)
    def _call_native(code, given, numbers, number_at, out):
        return lambda code, given, numbers, number_at, out: _native_call(code, given, numbers, number_at, out)

    @overload(call_custom)
    def _call_custom(code, q, v, out, nv):
        return lambda code, q, v, out, nv: _call(code, q, v, out)


__all__ = ["call_custom", "call_native", "compile_custom", "kernel", "plain_code"]
