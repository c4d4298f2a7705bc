"""Controllers inside a compiled loop: sampled at their rate, their joint forces held in between.

A controller's native function reads t, q, v and fills tau (parts/controller.py), of one lane after the other.
"""

from ..dynamics.slots import HUGE
from ..kernels import kernel
from ..kernels.scalar import where, width, zero
from ..model.custom import call_native
from ..model.tables import floats_at
from .stepper import Controllers, Stepper


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
            total = total + stepper.slots[controllers.entries[k].held + i]
        total = where(total > limits[i], zero(stepper) + limits[i], total)
        stepper.held[i] = where(total < -limits[i], zero(stepper) - limits[i], total)


@kernel
def _sample(stepper: Stepper, k, time) -> None:
    """Call controller k for each lane."""
    work, numbers, lanes = floats_at(stepper.memory, HUGE), floats_at(stepper.controllers.numbers, 1 << 40), width(stepper)
    controller, given = stepper.controllers.entries[k], stepper.controllers.exchange * lanes
    count, nv = stepper.nq + stepper.nv, stepper.nv
    tau = given + 1 + count
    for lane in range(lanes):
        work[given] = time
        for i in range(count):
            work[given + 1 + i] = work[i * lanes + lane]
        call_native(controller.code, work, given, numbers, controller.number, tau)
        for i in range(nv):
            work[(controller.held + i) * lanes + lane] = work[tau + i]
