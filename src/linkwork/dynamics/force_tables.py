"""What a kernel sees of the forces that act: a table of entries, reached through one integer.

entries   an entry       kind                        BETWEEN (two places) or ALONG (a joint coordinate)
                         force                       the force it belongs to: its power and its energy are added up there
                         a, b, Ra, pa, Rb, pb        BETWEEN: the markers, as in model/rules.py
                         q, v                        ALONG: the coordinate (-1: a velocity without one) and the velocity
                         number                      its first parameter in `numbers`
                         code                        address of the compiled law (parts/forces/kind.py)
numbers   (float)        parameters, which may change between steps
on        a force        1 or 0: does it act?
feedback  (3 floats)     speed, stiffness and damping with which constraints draw gaps in (solvers/articulated.py)

slots     (in the scratch memory of whoever calls, behind what solvers need)
          wrenches       6 for each link: what acts on it, in its own axes about its origin
          held           nv: joint forces that controllers hold
          powers         one for each force, one for the controllers, one for prescribed motion (the work of its multipliers)
          stored         one for each force: the energy in it
          multipliers    one for each row of constraints
          gap            the largest |phi|, and the largest residual of dependent rows
          scratch        two markers and a result, then floats of one lane
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels import when_compiling
from ..kernels.headers import Table, declare

BETWEEN, ALONG = range(2)

ENTRY = np.dtype(
    [
        *((name, "i4") for name in ("kind", "force", "a", "b", "q", "v", "number", "spare")),
        *(("Ra", "f8", 9), ("pa", "f8", 3), ("Rb", "f8", 9), ("pb", "f8", 3), ("code", "i8")),
    ],
    align=True,
)

# The header: entries, forces, entries between places, numbers, then the slots, addresses of entries, numbers, on; the address of the feedback.
L_ENTRIES, L_FORCES, L_BETWEEN, L_NUMBERS = range(4)
L_WRENCHES, L_HELD, L_POWERS, L_STORED, L_SCRATCH, L_TABLE, L_VALUES, L_ON, L_LAMBDA, L_GAP, L_FEEDBACK = range(4, 15)
LOADS_HEADER = 16


class LoadTables(NamedTuple):
    """The tables behind a handle of loads. `size` is the header."""

    size: Any
    entries: Any
    numbers: Any
    on: Any
    feedback: Any


def open_loads(loads):
    """The tables behind a handle. In plain Python the handle is the tables themselves."""
    return loads


@when_compiling
def _verbs():
    real = np.dtype(np.float64)
    declare(
        "Loads",
        open_loads,
        size=Table(np.dtype(np.int64), None, LOADS_HEADER),
        entries=Table(ENTRY, L_TABLE, (L_ENTRIES,)),
        numbers=Table(real, L_VALUES, (L_NUMBERS,)),
        on=Table(real, L_ON, (L_FORCES,)),
        feedback=Table(real, L_FEEDBACK, 3),
    )
