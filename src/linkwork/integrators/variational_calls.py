"""How forces enter the variational integrator: by a function that is called by its address.

    forces(data, q, v, t, out)        data: an integer of the caller's, q (nq), v (nv), out (nv): pointers to floats, t: a float

fills `out` with generalised forces dual to v: all but gravity and inertia. In plain Python it is the function itself, and is given arrays.
"""

from ..kernels import kernel, when_compiling
from ..kernels.views import floats_of
from ..model.tables import count_v


def call_forces(run, q, v, time, out):
    """Forces at q and v, to `out`: arrays of floats."""
    run.forces(run.data, q, v, time, out)


@kernel
def add_forces(model, run, time, target) -> None:
    """target += h/2 F(q_0, vm, t), with the mean velocities vm; F is left in `run.force`."""
    call_forces(run, floats_of(run.start.q), floats_of(run.mean), time, floats_of(run.force))
    weight = 0.5 * run.h
    for k in range(count_v(model)):
        target[k] = target[k] + weight * run.force[k]


@kernel
def forces_beside(model, run, direction, size, target) -> None:
    """F(q_0, vm + size times a direction, t_0) to `target`."""
    for k in range(count_v(model)):
        run.beside[k] = run.mean[k] + size * direction[k]
    call_forces(run, floats_of(run.start.q), floats_of(run.beside), run.time, floats_of(target))


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
    def _call_forces(typingctx, code, data, q, v, time, out):
        def codegen(context, builder, sig, args):
            real = ir.DoubleType()
            q, v, out = (context.make_array(sig.args[k])(context, builder, args[k]).data for k in (2, 3, 5))
            kinds = [ir.IntType(64), real.as_pointer(), real.as_pointer(), real, real.as_pointer()]
            function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), kinds).as_pointer())
            builder.call(function, [args[1], q, v, args[4], out])
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, q, v, types.float64, out), codegen

    @overload(call_forces)
    def _forces(run, q, v, time, out):
        return lambda run, q, v, time, out: _call_forces(run.forces, run.data, q, v, time, out)
