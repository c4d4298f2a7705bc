"""Controllers inside a compiled loop: sampled at their rate, their joint forces held in between.

A controller's native function reads t, q, v and fills tau (parts/controller.py). The table of controllers is one array of integers:

count, raw, numbers, limits     how many; slot of scratch memory for one lane's floats; addresses of parameters and of effort limits
code, every, number, held       of each: address; steps between samples; its first parameter; slot of what it holds
"""

from ..dynamics.force_tables import L_HELD, open_loads
from ..kernels import kernel
from ..kernels.scalar import load, store, where, width, zero
from ..model.custom import call_native
from ..model.tables import count_q, count_v, floats_at, ints_at, open_tables

C_COUNT, C_RAW, C_NUMBERS, C_LIMITS, C_FIRST = range(5)
C_CODE, C_EVERY, C_NUMBER, C_HELD = range(4)
CONTROLLER = 4


@kernel
def sample_due(control, step) -> bool:
    """Is a controller to be called at this step?"""
    c = ints_at(control, 1 << 40)
    for k in range(c[C_COUNT]):
        if step % c[C_FIRST + CONTROLLER * k + C_EVERY] == 0:
            return True
    return False


@kernel(entry="i i i A1 i d d -> n")
def sample_controllers(handle, loads, control, work, step, time, like) -> None:
    """Call every controller that is due at this step, and add up what all of them hold, within the effort limits of the joints."""
    c = ints_at(control, 1 << 40)
    if c[C_COUNT] == 0:
        return
    t, f = open_tables(handle), open_loads(loads)
    nq, nv, lanes, raw = count_q(t), count_v(t), width(like), c[C_RAW] * width(like)
    numbers, limits = floats_at(c[C_NUMBERS], 1 << 40), floats_at(c[C_LIMITS], nv)
    changed = False
    for k in range(c[C_COUNT]):
        at = C_FIRST + CONTROLLER * k
        if step % c[at + C_EVERY] == 0:
            changed = True
            for lane in range(lanes):
                work[raw] = time
                for i in range(nq + nv):
                    work[raw + 1 + i] = work[i * lanes + lane]
                call_native(c[at + C_CODE], work, raw, numbers, c[at + C_NUMBER], raw + 1 + nq + nv)
                for i in range(nv):
                    work[(c[at + C_HELD] + i) * lanes + lane] = work[raw + 1 + nq + nv + i]
    if changed:
        for i in range(nv):
            total = zero(like)
            for k in range(c[C_COUNT]):
                total = total + load(work, c[C_FIRST + CONTROLLER * k + C_HELD] + i, like)
            total = where(total > limits[i], zero(like) + limits[i], total)
            store(work, f.size[L_HELD] + i, where(total < -limits[i], zero(like) - limits[i], total))
