"""The mode of contact between two events: which points are closed, and whether each sticks or slides (decision 0028)."""

from ..kernels.records import Record, flag, integer, integers, pointer, real, reals, records, vector3
from .accelerations import AccelerationData, ArticulatedAccelerationData
from .contact import ContactData


class ModePoint(Record):
    """A closed point."""

    pair = integer("row in the table of pairs", by="caller")
    feature = integer("which features of the shapes meet", by="caller")
    status = integer("STICK or SLIDE (data/contact_problem.py)", by="caller")
    p = vector3("position in the world, m", by="caller")
    force = vector3("force on body b where the step begins, world axes, N: what is not unique stays nearest to it", by="caller")
    slip = vector3("unit vector along which it slides, or begins to, world axes", by="caller")


class ContactMode(Record):
    """All closed points, in the order of the table of pairs, and what accelerations with them need."""

    contact = pointer(ContactData, "points, rows and matrix", by="caller")
    count = integer("number of points", by="caller")
    only_lays = flag("are rows and matrix laid, and no forces sought?", by="caller")
    still = real("m/s, slower slip has no direction of its own", by="caller")
    lost = integer("points that were not found at the last evaluation", by="find_mode_points")
    points = records(ModePoint, "contacts", "the points", by="caller")
    of = integers("contacts", "which of them each point of the contact data is", by="find_mode_points")
    bias = reals("3 * contacts", "what accelerations along n, t1, t2 are where no joint accelerates, m/s^2", by="lay_bias")
    q = reals("nq", "a place a little further along the motion", by="lay_bias")
    theta = reals("nv", "the way to it", by="lay_bias")
    free = reals("nv", "accelerations without forces at contacts", by="lay_mode")
    residual = reals("rows", "what the equations of the mode still lack, m/s^2", by="solve_mode")
    column = reals("rows", "one column of the matrix of the mode", by="solve_mode")
    pair_gap = reals("npairs", "least gap of the points of each pair that are not closed, m; infinite beyond reach", by="open_gaps")


class ContactAccelerationData(AccelerationData):
    """Accelerations of a tree with contact."""

    mode = pointer(ContactMode, "the closed points")


class ArticulatedContactAccelerationData(ArticulatedAccelerationData):
    """The same with constraints."""

    mode = pointer(ContactMode, "the closed points")
