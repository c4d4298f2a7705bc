"""The one place where forces enter: a compiled function, called by its address.

    forces(data, q, v, t, out)        data: an integer of the caller's, q (nq), v (nv), out (nv): pointers to floats, t: a float

It fills `out` with generalised forces dual to v: all but gravity and inertia. In plain Python it is the function itself, which is given arrays.
"""

from ..kernel import JIT, kernel
from ..scalar import load


def call_forces(code, data, q, at_q, v, at_v, time, out, at_out):
    """Run the function on places of three arrays."""
    code(data, q[at_q:], v[at_v:], time, out[at_out:])


def forces_signature():
    """void(int64, double*, double*, double, double*), for numba.cfunc."""
    from numba import types

    pointer = types.CPointer(types.float64)
    return types.void(types.int64, pointer, pointer, types.float64, pointer)


def is_given(code):
    """Is there a function?"""
    return code is not None


@kernel
def add_forces(code, data, start, at_q, mean, at_mean, time, at_force, target, weight, count, like):
    """target += weight F(q, v, t) in the workspace `start`, one state; `at_force`: scratch of as many numbers."""
    call_forces(code, data, start, at_q, mean, at_mean, time, start, at_force)
    for k in range(count):
        start[target + k] = load(start, target + k, like) + weight * load(start, at_force + k, like)


if JIT:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _call(typingctx, code, data, q, at_q, v, at_v, time, out, at_out):
        def codegen(context, builder, sig, args):
            real = ir.DoubleType()

            def place(array, at):
                where = context.make_array(sig.args[array])(context, builder, args[array]).data
                return builder.gep(where, [context.cast(builder, args[at], sig.args[at], types.intp)])

            kinds = [ir.IntType(64), real.as_pointer(), real.as_pointer(), real, real.as_pointer()]
            function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), kinds).as_pointer())
            builder.call(function, [args[1], place(2, 3), place(4, 5), args[6], place(7, 8)])
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, q, at_q, v, at_v, types.float64, out, at_out), codegen

    @overload(call_forces)
    def _call_forces(code, data, q, at_q, v, at_v, time, out, at_out):
        return lambda code, data, q, at_q, v, at_v, time, out, at_out: _call(code, data, q, at_q, v, at_v, time, out, at_out)

    @overload(is_given)
    def _is_given(code):
        return lambda code: code != 0
