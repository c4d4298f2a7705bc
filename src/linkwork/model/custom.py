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


def call_custom(code, work, q_at, v_at, out_at):
    """Run a custom joint's native function on three places of `work`."""
    q, v, out = work[q_at:out_at], work[v_at:out_at], work[out_at:]
    nv = out_at - v_at
    _PLAIN[code](q[:nv], v[:nv], out)


def call_native(code, work, given_at, numbers, number_at, out_at):
    """Run a native function on places of `work` and of its parameters `numbers`. In plain Python the code is the function itself."""
    code(work[given_at:out_at], numbers[number_at:], work[out_at:])


@when_compiling
def _verbs():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _call(typingctx, code, work, q_at, v_at, out_at):
        def codegen(context, builder, sig, args):
            double = ir.DoubleType().as_pointer()
            data = context.make_array(sig.args[1])(context, builder, args[1]).data
            places = [builder.gep(data, [context.cast(builder, a, ty, types.intp)]) for a, ty in zip(args[2:], sig.args[2:], strict=True)]
            function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), [double] * 3).as_pointer())
            builder.call(function, places)
            return context.get_dummy_value()

        return types.void(types.int64, work, q_at, v_at, out_at), codegen

    @intrinsic
    def _native_call(typingctx, code, work, given_at, numbers, number_at, out_at):
        def codegen(context, builder, sig, args):
            double = ir.DoubleType().as_pointer()

            def place(array, array_type, at, at_type):
                data = context.make_array(array_type)(context, builder, array).data
                return builder.gep(data, [context.cast(builder, at, at_type, types.intp)])

            kinds = sig.args
            given, out = (place(args[1], kinds[1], args[k], kinds[k]) for k in (2, 5))
            function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), [double] * 3).as_pointer())
            builder.call(function, [given, place(args[3], kinds[3], args[4], kinds[4]), out])
            return context.get_dummy_value()

        return types.void(types.int64, work, given_at, numbers, number_at, out_at), codegen

    @overload(call_native)
    def _call_native(code, work, given_at, numbers, number_at, out_at):
        return lambda code, work, given_at, numbers, number_at, out_at: _native_call(code, work, given_at, numbers, number_at, out_at)

    @overload(call_custom)
    def _call_custom(code, work, q_at, v_at, out_at):
        return lambda code, work, q_at, v_at, out_at: _call(code, work, q_at, v_at, out_at)


__all__ = ["call_custom", "call_native", "compile_custom", "kernel", "plain_code"]
