"""A run of the variational integrator as kernels take it, and how forces enter it: by a function that is called by its address.

    forces(data, q, v, t, out)        data: an integer of the caller's, q (nq), v (nv), out (nv): pointers to floats, t: a float

fills `out` with generalised forces dual to v: all but gravity and inertia. In plain Python it is the function itself, and is given arrays.
"""

from ..dynamics.slots import HUGE
from ..kernels import kernel, when_compiling
from ..kernels.records import Record, address, flag, integer, pointer, real, reals
from ..model.tables import count_v, floats_at, open_tables
from ..solvers.memory import from_slot
from .variational_memory import P_FORCE, at_mean, at_vector, start_slots

CONVERGED, EXHAUSTED, STUCK = range(3)  # how a step ends


class VariationalSettings(Record):
    """How exactly a step is solved."""

    iterations = integer("corrections of Newton's method in a step, at most")
    tolerance = real("of the motion of a step: corrections are made until the next would be smaller")
    real_time = flag("are steps accepted after so many corrections, come what may?")


class VariationalReport(Record):
    """What happened in the last call of `variational_steps`."""

    steps = integer("steps done")
    corrections = integer("corrections in all of them")
    most = integer("the most corrections in one step")
    ended = integer("how the last step ended: CONVERGED, EXHAUSTED (too many corrections) or STUCK (no shorter correction helps)")
    unconverged = integer("steps accepted unconverged")
    worst = integer("the velocity coordinate with the largest residual in a step that did not converge")
    gap = real("the largest |phi| after a step")
    total = integer("corrections in all calls of the run")


class VariationalRecord(Record):
    """A run: its model, its forces, its memory (variational_memory.py), and the step at hand."""

    model = address("tables of the model")
    memory = address("memory of the run: the workspaces `tree`, `start`, `end`, and that of rows")
    tree_slots = integer("slots of the workspace `tree`")
    forces = address("address of the function for forces")
    data = address("what it is given first")
    forced = flag("is there such a function?")
    settings = pointer(VariationalSettings, "settings")
    report = pointer(VariationalReport, "report")
    multipliers = reals("nc", "forces of the rows in the last step, at its start", by="variational_steps")
    time = real("time at the start of the step at hand", by="variational_steps")
    h = real("its size", by="variational_steps")


@kernel(inline=True)
def workspaces(run: VariationalRecord):
    """(start, end) of a run."""
    start = floats_at(from_slot(run.memory, run.tree_slots, 0.0), HUGE)
    return start, floats_at(from_slot(run.memory, run.tree_slots + start_slots(open_tables(run.model)), 0.0), HUGE)


def call_forces(run, start, end, at_v, time, at_out):
    """Forces at q, which stands at the beginning of `start`, and v, in the slots `at_v`.. of `end`, to the slots `at_out`.. of `start`."""
    run.forces(run.data, start, end[at_v:], time, start[at_out:])


@kernel
def add_forces(run: VariationalRecord, start, end, time, target, weight) -> None:
    """The slots `target`.. of `start` += weight F(q, vm, t), with the mean velocities vm in `end`; F is left in P_FORCE."""
    t = open_tables(run.model)
    force = at_vector(t, P_FORCE)
    call_forces(run, start, end, at_mean(t), time, force)
    for k in range(count_v(t)):
        start[target + k] = start[target + k] + weight * start[force + k]


def forces_signature():
    """void(int64, double*, double*, double, double*), for numba.cfunc."""
    from numba import types

    pointer = types.CPointer(types.float64)
    return types.void(types.int64, pointer, pointer, types.float64, pointer)


@when_compiling
def _verbs():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _call_forces(typingctx, code, data, start, end, at_v, time, at_out):
        def codegen(context, builder, sig, args):
            real = ir.DoubleType()

            def place(array, at=None):
                where = context.make_array(sig.args[array])(context, builder, args[array]).data
                return where if at is None else builder.gep(where, [context.cast(builder, args[at], sig.args[at], types.intp)])

            kinds = [ir.IntType(64), real.as_pointer(), real.as_pointer(), real, real.as_pointer()]
            function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), kinds).as_pointer())
            builder.call(function, [args[1], place(2), place(3, 4), args[5], place(2, 6)])
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, start, end, at_v, types.float64, at_out), codegen

    @overload(call_forces)
    def _forces(run, start, end, at_v, time, at_out):
        return lambda run, start, end, at_v, time, at_out: _call_forces(run.forces, run.data, start, end, at_v, time, at_out)
