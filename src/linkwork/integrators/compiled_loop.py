"""Many steps in one compiled call, by the address of a method's own loop, with states kept on the way.

Every integrator with a fixed step has one native function

    loop(stepper, start, step, h, steps) -> steps taken

for one state and, if it can, one for packs of lanes. The first of its steps, of size h, begins at the time start + step h.
"""

from ..data.stepper import Stepper
from ..kernels import address_of, kernel
from ..kernels.calling import calls_address
from ..kernels.records import pointer_to
from ..kernels.views import floats_of
from .event_screen import EventScreen, suspect_step

LOOP_CALL = "i d i d i"  # how a loop is called
LOOP_CALL_WIDE = "w d i d i"


@calls_address(LOOP_CALL + " -> i")
def call_loop(code, stepper, start, step, h, steps):
    """Call a loop by its address. In plain Python the code is the function itself."""
    return code(stepper, start, step, h, steps)


@kernel(entry="i i d i d i -> i")
def run_steps(code, stepper, start, step, h, steps) -> int:
    """Take steps; returns how many were taken. `stepper`: the address of one, wide or not."""
    return call_loop(code, stepper, start, step, h, steps)


@kernel(entry="i i d i d i A2 -> i")
def run_steps_recording(code, stepper, start, step, h, every, states) -> int:
    """Take `every` steps for each row of `states`, which keeps q and v of all lanes; returns how many rows were filled."""
    # The addresses of arrays stand at the same places in a wide stepper, and floats are floats.
    s = pointer_to(Stepper, stepper, 0.0)
    q, v = floats_of(s.q), floats_of(s.v)
    count = states.shape[1] * s.nq // (s.nq + s.nv)
    for row in range(states.shape[0]):
        taken = call_loop(code, stepper, start, step + row * every, h, every)
        if taken < every:
            return row
        for k in range(count):
            states[row, k] = q[k]
        for k in range(count, states.shape[1]):
            states[row, k] = v[k - count]
    return states.shape[0]


@kernel(entry="i i i d i d i d -> i")
def run_until_suspect(code, stepper, screen: EventScreen, start, step, h, steps, until) -> int:
    """Take up to `steps` steps, until a time has been reached or one is suspect (`screen.suspect`); returns how many were taken, or -1 less than
    their number if the next could not be.

    One call of the loop for each step: `settle` at its end leaves the state that the next step would have begun with.
    """
    s = pointer_to(Stepper, stepper, 0.0)
    screen.suspect = False
    for i in range(steps):
        if call_loop(code, stepper, start, step + i, h, 1) < 1:
            return -1 - i
        time = start + (step + i + 1) * h
        if suspect_step(screen, time, s.q, s.v) or (screen.contacts and s.contact.changed):
            screen.suspect = True
            return i + 1
        if time >= until:
            return i + 1
    return steps


def loop_address(function):
    """The address of a native loop."""
    return address_of(function)
