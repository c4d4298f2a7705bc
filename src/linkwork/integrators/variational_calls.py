"""Functions that a step calls by their addresses: forces, all that has to do with rows of constraints, and its own large parts.

What is called by name is compiled anew inside each of its callers, and whether it is needed or not; what is called by address once, if at all.
`calls` = (forces, data, loops, rows, *parts). The one place where forces enter is

    forces(data, q, v, t, out)        data: an integer of the caller's, q (nq), v (nv), out (nv): pointers to floats, t: a float

which fills `out` with generalised forces dual to v: all but gravity and inertia. In plain Python it is the function itself (None: no forces), and is
given arrays. `rows` evaluates the rows of constraints, `loops` does everything else with them (variational_loops.py); parts: variational_parts.py.
"""

from ..kernels import kernel, when_compiling
from ..kernels.scalar import load

RESIDUAL, FACTOR, INNOVATE, CORRECT, FORESEE, FINISH = range(4, 10)  # places of the parts in `calls`
# What there is to be done with rows, see variational_loops.py.
BEGIN, MEASURE, REDUCE, CLOSE_GAPS, ANSWER, TAKE, TAKE_BACK, KEEP = range(8)


def call_forces(calls, q, at_q, v, at_v, time, out, at_out):
    """Forces at q and v, which stand in two arrays, to the slots `at_out`.. of a third."""
    calls[0](calls[1], q[at_q:], v[at_v:], time, out[at_out:])


def call_rows(rows, handle, memory, at_q, at_v, time):
    """Rows at q and v, which stand in `memory` (from slots at_q and at_v on), to the workspace of the tree."""
    rows(handle, memory, at_q, at_v, time)


def call_loops(calls, task, handle, memory, tree_slots, time, h, number):
    """One of the tasks with rows; they all have one number for a result."""
    return calls[2](handle, memory, tree_slots, calls[3], task, time, h, number)


def call_part(calls, part, handle, memory, tree_slots, time, h):
    """One of the parts of a step; they all have one number for a result."""
    return calls[part](handle, memory, tree_slots, *calls[:4], time, h)


def has_forces(calls):
    """Is there a function for forces?"""
    return calls[0] is not None


def forces_signature():
    """void(int64, double*, double*, double, double*), for numba.cfunc."""
    from numba import types

    pointer = types.CPointer(types.float64)
    return types.void(types.int64, pointer, pointer, types.float64, pointer)


@kernel
def add_forces(calls, start, mean, at_mean, time, at_force, target, weight, count, like) -> None:
    """target += weight F(q, v, t): q stands at the beginning of `start`, v in `mean`; `at_force`: where F is left."""
    call_forces(calls, start, 0, mean, at_mean, time, start, at_force)
    for k in range(count):
        start[target + k] = load(start, target + k, like) + weight * load(start, at_force + k, like)


@when_compiling
def _verbs():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _call_forces(typingctx, code, data, q, at_q, v, at_v, time, out, at_out):
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

    def _caller(integers, floats, result):
        """An intrinsic that calls an address with so many integers, then floats; `result`: does it give a float?"""

        def codegen(context, builder, sig, args):
            integer, real = ir.IntType(64), ir.DoubleType()
            kind = ir.FunctionType(real if result else ir.VoidType(), [integer] * integers + [real] * floats)
            given = builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
            return given if result else context.get_dummy_value()

        return (types.float64 if result else types.void)(*[types.int64] * (integers + 1), *[types.float64] * floats), codegen

    @intrinsic
    def _call_rows(typingctx, code, handle, memory, at_q, at_v, time):
        return _caller(4, 1, False)

    @intrinsic
    def _call_loops(typingctx, code, handle, memory, tree_slots, rows, task, time, h, number):
        return _caller(5, 3, True)

    @intrinsic
    def _call_part(typingctx, code, handle, memory, tree_slots, forces, data, loops, rows, time, h):
        return _caller(7, 2, True)

    @overload(call_forces)
    def _forces(calls, q, at_q, v, at_v, time, out, at_out):
        return lambda calls, q, at_q, v, at_v, time, out, at_out: _call_forces(calls[0], calls[1], q, at_q, v, at_v, time, out, at_out)

    @overload(call_rows)
    def _rows(rows, handle, memory, at_q, at_v, time):
        return lambda rows, handle, memory, at_q, at_v, time: _call_rows(rows, handle, memory, at_q, at_v, time)

    @overload(call_loops)
    def _loops(calls, task, handle, memory, tree_slots, time, h, number):
        def called(calls, task, handle, memory, tree_slots, time, h, number):
            return _call_loops(calls[2], handle, memory, tree_slots, calls[3], task, time, h, number)

        return called

    @overload(call_part)
    def _part(calls, part, handle, memory, tree_slots, time, h):
        def called(calls, part, handle, memory, tree_slots, time, h):
            return _call_part(calls[part], handle, memory, tree_slots, calls[0], calls[1], calls[2], calls[3], time, h)

        return called

    @overload(has_forces)
    def _has_forces(calls):
        return lambda calls: calls[0] != 0
