"""What force laws remember: taken over where a step has been accepted, and kept as it was at the start of that step for looks inside it.

Within a step laws are given what stood at its start, whatever states a method tries; so methods of several stages, of rejected steps and of iterations see
functions of the state. What they remember next is what they say at the end of the step (data/forces.py).
"""

from ..data.accelerations import AccelerationData
from ..data.forces import ForceTable
from ..data.stepper import Stepper
from ..dynamics.applied import advance_memory
from ..kernels import kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import zero
from ..model.tables import open_tables


@kernel(inline=True)
def accept_memory(stepper: Stepper, time) -> bool:
    """The end of an accepted step, in q and v of the stepper. Returns whether a law remembers anything new: then what was evaluated there is no longer so."""
    if pointer_to(ForceTable, stepper.active, 0.0).slots == 0:
        return False
    return advance_to(stepper, time)


@kernel
def advance_to(stepper: Stepper, time) -> bool:
    table = pointer_to(ForceTable, stepper.active, 0.0)
    data = pointer_to(AccelerationData, stepper.data, zero(stepper))
    for k in range(table.slots):
        stepper.memory0[k] = stepper.memory[k]
    return advance_memory(open_tables(stepper.model), table, data.tree, data.forces, time)


@kernel(entry="i d -> b")
def accept_memory_of(stepper: Stepper, time) -> bool:
    """The same, called from Python."""
    return accept_memory(stepper, time)
