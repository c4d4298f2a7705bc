"""Many steps in one compiled call, by the address of a method's own loop, with states kept on the way.

Every integrator with a fixed step has one native function

    loop(handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance) -> steps taken

for one state and, if it can, one for packs of lanes. `table` is the address of its coefficients, if it has any.
"""

from ..dynamics.slots import HUGE
from ..kernels import address_of, kernel, when_compiling
from ..model.tables import floats_at

LOOP_CALL = "i i i i i i i d i d i d"  # how a loop is called


def call_loop(code, handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance):
    """Call a loop by its address. In plain Python the code is the function itself, and the table the array."""
    return code(handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance)


@kernel(entry="i i i i i i i i d i d i d -> i")
def walk(code, handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance) -> int:
    """Take steps; returns how many were taken."""
    return call_loop(code, handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance)


@kernel(entry="i i i i i i i i d i d i d A2 -> i")
def walk_keeping(code, handle, loads, rates, memory, control, first, table, start, step, h, every, tolerance, states) -> int:
    """Take `every` steps for each row of `states`, which keeps the first floats of the memory (q and v); returns how many rows were filled."""
    work = floats_at(memory, HUGE)
    for row in range(states.shape[0]):
        taken = call_loop(code, handle, loads, rates, memory, control, first, table, start, step + row * every, h, every, tolerance)
        if taken < every:
            return row
        for k in range(states.shape[1]):
            states[row, k] = work[k]
    return states.shape[0]


def loop_address(function):
    """The address of a native loop."""
    return address_of(function)


@when_compiling
def _verbs():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _call(typingctx, code, handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance):
        whole, real = types.int64, types.float64
        signature = whole(*([whole] * 8), real, whole, real, whole, real)

        def codegen(context, builder, sig, args):
            kinds = [ir.IntType(64) if kind is whole else ir.DoubleType() for kind in sig.args[1:]]
            return builder.call(builder.inttoptr(args[0], ir.FunctionType(ir.IntType(64), kinds).as_pointer()), args[1:])

        return signature, codegen

    @overload(call_loop)
    def _call_loop(code, handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance):
        def called(code, handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance):
            return _call(code, handle, loads, rates, memory, control, first, table, start, step, h, steps, tolerance)

        return called
