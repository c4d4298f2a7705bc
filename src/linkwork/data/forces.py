"""The active forces of a mechanism: the table that says which act where, and what their evaluation keeps (dynamics/applied.py).

A law between two places sees two markers (data/markers.py) and the time, and gives the wrenches (n, f) about the two
markers' points, and the energy stored. A law along a joint sees coordinate, velocity and time, and gives force and energy (parts/forces/kind.py).

A law may remember a few numbers. It is evaluated at trial states with what stood at the start of the step, and says what it would remember if the step
ended there; that is taken over where a step has been accepted (integrators/force_memory.py).
"""

from ..kernels.records import (
    Record,
    address,
    integer,
    integer32,
    integers,
    part,
    reals,
    reals_fixed,
    records,
    scalars,
)
from .markers import GIVEN, MARKER, MEMORY, RESULT

BETWEEN, ALONG = range(2)  # kinds of entries: two places, a joint coordinate


class ForceEntry(Record, constant=True):
    """A law at one pair of places, or along one joint coordinate."""

    kind = integer32("BETWEEN or ALONG")
    force = integer32("the force it belongs to: its power and its energy are added up there")
    a = integer32("BETWEEN: link of the first marker, -1 for the world")
    b = integer32("BETWEEN: link of the second marker")
    q = integer32("ALONG: the coordinate, -1 for a velocity without one")
    v = integer32("ALONG: the velocity")
    parameters = address("its parameters: the record that the law reads, or the numbers of a user's function")
    Ra = reals_fixed(9, "BETWEEN: orientation of the first marker in its link")
    pa = reals_fixed(3, "its position")
    Rb = reals_fixed(9, "orientation of the second marker in its link")
    pb = reals_fixed(3, "its position")
    code = address("address of the compiled law")
    memory = integer32("the first number that it remembers, among those of all laws")
    slots = integer32("how many it remembers")


class ForceTable(Record):
    """All active forces of a system. Parameters and switches may change between steps."""

    count = integer("number of entries")
    forces = integer("number of forces")
    between = integer("number of entries between places")
    slots = integer("numbers that all laws remember")
    feedback = reals_fixed(3, "speed, stiffness and damping with which constraints draw gaps in (solvers/delassus/solve.py)")
    entries = records(ForceEntry, "count", "one for each pair of places or joint coordinate")
    on = integers("forces", "1 for a force that acts, else 0")


class LawCall(Record):
    """What is exchanged with a law, which sees one lane at a time."""

    given = reals(GIVEN + MEMORY, "what the law reads", by="apply_forces")
    result = reals(RESULT + MEMORY, "what it gives", by="call_law")
    markers = scalars(2 * MARKER, "both markers, all lanes", by="apply_forces")
    results = scalars(RESULT, "results of all lanes", by="apply_forces")


class ForceData(Record):
    """What the evaluation of all forces keeps; joint forces and wrenches on links go to TreeData."""

    held = scalars("nv", "joint forces that controllers hold, N m and N", by="sample_controllers")
    powers = scalars("forces + 2", "power of each force, of the controllers, of prescribed motion, W", by="apply_forces, store_multipliers")
    stored = scalars("forces", "energy stored in each force, J", by="apply_forces")
    memory = scalars("slots", "what laws remember", by="advance_memory")
    coming = scalars(
        "slots", "what they would remember if the step ended at the state they were last evaluated at", by="apply_forces, advance_memory"
    )
    call = part(LawCall, "exchange with a law")
