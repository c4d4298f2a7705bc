"""Contact in a variational step (integrators/variational/): points at its start, where impulses act, and at its end, where signs and cones hold.

Sizes beyond those of the model, as in data/contact.py: contacts (points), rows. Components are along the normal and the tangents that a point has at the start.
"""

from ..kernels.records import Record, flag, integer, pointer, real, reals, records, scalars, vector3
from .contact import ContactData


class StepPoint(Record):
    """A point of contact in a step. Its pair, gap, frame and impulse at the start are those of the ContactPoint of the same number."""

    row = integer("its first row", by="fill_node")
    rows = integer("3, or without friction 1", by="fill_node")
    at_a = vector3("the point of body a that was there at the start, link axes", by="lay_point")
    at_b = vector3("the point of body b that was there at the start, link axes", by="lay_point")
    n_a = vector3("normal at the start, in the axes of link a", by="lay_point")
    s_a = vector3("first tangent", by="lay_point")
    t_a = vector3("second tangent", by="lay_point")
    n_b = vector3("normal at the start, in the axes of link b", by="lay_point")
    s_b = vector3("first tangent", by="lay_point")
    t_b = vector3("second tangent", by="lay_point")

    found = flag("was it found at the end of the step?", by="measure_ends")
    p = vector3("where bodies touch, or are nearest, at the end, m", by="measure_ends")
    n = vector3("normal there", by="measure_ends")
    gap = real("m, at the end", by="measure_ends")
    slip_s = real("m, how far b has slipped along the first tangent", by="measure_ends")
    slip_t = real("m, along the second", by="measure_ends")
    last = real("N s, the impulse along the normal that the step before makes expect", by="lay_point")
    floor = real("m, what the gap must not fall below at the end of the step: 0, or how deep it is at the start", by="fill_node")
    exempt = flag("does it rebound, and may pass through the other body until the step is cut where it touches?", by="fill_node")
    impact = real("energy lost along the normal in the step, J", by="book_works")
    friction = real("energy lost to friction in the step, J", by="book_works")


class VariationalContact(Record):
    """Contact of one run."""

    contact = pointer(ContactData, "points, the complementarity problem, what is remembered", by="caller")
    points = records(StepPoint, "contacts")
    reach = real("time within which points are looked for that may close, s", by="caller")
    missed = integer("points of overlap at the end of the step that its start did not have", by="measure_ends")
    frozen = flag("are gaps those of the points of the start, as they move with their bodies?", by="solve_contact_step")
    rebounding = integer("points at which the step at hand would bring a rebound", by="note_rebounds")
    slowest = real("m/s, the least closing speed of these at the start", by="note_rebounds")
    nearest = real("m, their least gap at the start", by="note_rebounds")
    exempting = flag("are points that close about as fast as `slowest`, or faster, and rebound, exempt?", by="caller")
    plastic = flag("does no point rebound?", by="caller")
    least = real("m, the least gap of exempt points at the end of the step", by="_least_exempt")
    deepest = real("m, the least gap of all others there, 0 if none is negative", by="measure_ends")
    deepest_pair = integer("its pair", by="measure_ends")
    impact = real("energy lost along normals, J", by="book_works")
    friction = real("energy lost to friction, J", by="book_works")
    driven = flag("do constraints prescribe velocities, and so may do work?", by="caller")
    drive = real("what prescribed motion has done against the impulses, J", by="_book_drives")
    before = scalars("nv", "velocities at the start, before the impulses of the step", by="start_velocities, caller")
    mean = scalars("nv", "mean velocities of the step before", by="contact_steps")
    u = reals("rows", "relative velocities at the start, before the impulses of the step", by="fill_node")
    K = reals("rows * rows", "what impulses change them by: K(q_0, q_0), without damping", by="fill_node")
    damping = scalars("nv", "what Newton's matrix takes for granted, while it does not", by="leave_damping")
