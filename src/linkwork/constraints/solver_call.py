"""How integrators call a solver: one function for accelerations and corrections, by its address (solvers/accelerations.py).

`mode` (modes.py) selects the result. Projection, steps and integrators therefore contain no solver, and do not depend on any.
"""

from ..data.stepper import Stepper
from ..kernels import kernel
from ..kernels.calling import calls_address

ACCELERATION_CALL = "i i i i d"  # how accelerations are called
ACCELERATION_CALL_WIDE = "i i w i d"


@calls_address(ACCELERATION_CALL + " -> i")
def call_accelerations(code, handle, active, data, mode, time):
    """Call a function of solvers/accelerations.py by its address. In plain Python the code is the function itself."""
    return code(handle, active, data, mode, time)


@kernel(inline=True)
def evaluate(stepper: Stepper, mode, time):
    """Accelerations at q and v by the solver, or the result that `mode` selects (solvers/accelerations.py)."""
    call_accelerations(stepper.accelerations, stepper.model, stepper.active, stepper.data, mode, time)
