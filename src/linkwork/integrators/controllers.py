"""Controllers inside a compiled loop: sampled at their rate, their joint forces held in between.

A controller's native function reads t, q, v and fills tau (parts/controller.py), of one lane after the other.
"""

from ..data.stepper import Controllers, Stepper
from ..kernels import kernel
from ..kernels.scalar import where, width, zero
from ..kernels.views import floats_of
from ..model.custom import call_native


@kernel
def sample_due(controllers: Controllers, step) -> bool:
    """Is a controller to be called at this step?"""
    for k in range(controllers.count):
        if step % controllers.entries[k].every == 0:
            return True
    return False


@kernel(entry="i i d -> n")
def sample_controllers(stepper: Stepper, step, time) -> None:
    """Call every controller that is due at this step, and add up what all of them hold, within the effort limits of the joints."""
    controllers = stepper.controllers
    if not sample_due(controllers, step):
        return
    for k in range(controllers.count):
        if step % controllers.entries[k].every == 0:
            _sample(stepper, k, time)
    limits = controllers.limits
    for i in range(stepper.nv):
        total = zero(stepper)
        for k in range(controllers.count):
            total = total + stepper.holds[k * stepper.nv + i]
        total = where(total > limits[i], zero(stepper) + limits[i], total)
        stepper.held[i] = where(total < -limits[i], zero(stepper) - limits[i], total)


@kernel
def _sample(stepper: Stepper, k, time) -> None:
    """Call controller k for each lane."""
    controllers, lanes, nq, nv = stepper.controllers, width(stepper), stepper.nq, stepper.nv
    controller, given, tau = controllers.entries[k], controllers.given, controllers.tau
    q, v, holds = floats_of(stepper.q), floats_of(stepper.v), floats_of(stepper.holds)
    for lane in range(lanes):
        given[0] = time
        for i in range(nq):
            given[1 + i] = q[i * lanes + lane]
        for i in range(nv):
            given[1 + nq + i] = v[i * lanes + lane]
        call_native(controller.code, floats_of(given), floats_of(controllers.numbers), controller.number, floats_of(tau))
        for i in range(nv):
            holds[(k * nv + i) * lanes + lane] = tau[i]
