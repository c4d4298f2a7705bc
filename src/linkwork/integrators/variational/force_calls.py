"""How forces enter the variational integrator: by a function that is called by its address.

    forces(data, q, v, t, out)        data: an integer of the caller's, q (nq), v (nv), out (nv): pointers to floats, t: a float

fills `out` with generalised forces dual to v: all but gravity and inertia. In plain Python it is the function itself, and is given arrays.
"""

from ...kernels import kernel
from ...kernels.calling import calls_address
from ...kernels.views import floats_of
from ..step_ends import margin

FORCES_CALL = "i p p d p"


@calls_address(FORCES_CALL)
def call_forces(code, data, q, v, time, out):
    """Forces at q and v, to `out`: arrays of floats."""
    code(data, q, v, time, out)


@kernel
def add_forces(model, run, time, target) -> None:
    """target += h/2 F(q_0, vm, t), with the mean velocities vm; F is left in `run.force`."""
    call_forces(run.forces, run.data, floats_of(run.start.q), floats_of(run.mean), time, floats_of(run.force))
    weight = 0.5 * run.h
    for k in range(model.nv):
        target[k] = target[k] + weight * run.force[k]


@kernel
def forces_shifted(model, run, direction, size, target) -> None:
    """F(q_0, vm + size times a direction, t_0) to `target`."""
    for k in range(model.nv):
        run.shifted[k] = run.mean[k] + size * direction[k]
    call_forces(run.forces, run.data, floats_of(run.start.q), floats_of(run.shifted), run.time + margin(run.time, run.h), floats_of(target))
