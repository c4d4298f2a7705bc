"""Contact in motion: the points at which bodies touch, the rows that they put on the motion, and what is remembered from step to step.

Sizes beyond those of the model, by capacity (integrators/nonsmooth/memory.py): contacts (points), limits (joint coordinates with limits or friction), rows,
path_links (links along the paths of all rows), row_numbers (numbers of rows along their paths), coupled (rows by rows of constraints).

Components of a point's vectors are along its normal n, which points from body a to body b, and its tangents t1 and t2; impulses act on body b.
"""

from ..geometry.manifold import Manifold
from ..kernels.records import Record, flag, integer, integers, part, pointer, real, reals, records, rotation, scalars, vector3
from .contact_problem import ContactProblem
from .tree import Wrench

# What rows hold: a point of contact, a coordinate from below, from above, dry friction of a coordinate.
POINT, LOWER_LIMIT, UPPER_LIMIT, JOINT_FRICTION = range(4)


class ShapeState(Record):
    """A shape in the world."""

    R = rotation("orientation", by="place_shapes")
    p = vector3("origin, m", by="place_shapes")
    speed = real("m/s: no point of it is faster", by="place_shapes, raise_speeds")
    faster = flag("have impulses of the step made it much faster?", by="raise_speeds")
    low = vector3("least coordinates of a box about it, m", by="place_shapes")
    high = vector3("greatest coordinates of it, m", by="place_shapes")
    reach = real("its share of the gaps that are looked for, m", by="set_reaches")
    listed = vector3("its origin when pairs were listed last, m", by="list_pairs")


class ContactPoint(Record):
    """A point at which two shapes touch, or could within the step."""

    pair = integer("row in the table of pairs", by="find_contacts")
    feature = integer("which features of the shapes meet", by="find_contacts")
    a = integer("link of the first shape, -1: the world", by="find_contacts")
    b = integer("link of the second shape", by="find_contacts")
    touches = flag("is the gap closed?", by="find_contacts")
    bounced = flag("has its restitution been used since it closed?", by="recall")
    status = integer("OPEN, STICK or SLIDE (data/contact_problem.py)", by="keep_impulses")
    block = integer("its block of rows, -1: it is too far away to have any", by="lay_blocks")
    friction = real("coefficient", by="find_contacts")
    restitution = real("coefficient", by="find_contacts")
    gap = real("m, negative: depth", by="find_contacts")
    approach = real("m/s, at which it closed, or is closing", by="recall, note_approach")
    budget = real("energy lost along the normal while it was closing, which a rebound may give back, J", by="recall, keep_impulses")
    p = vector3("position in the world, m", by="find_contacts")
    n = vector3("normal", by="find_contacts")
    t1 = vector3("first tangent", by="find_contacts")
    t2 = vector3("second tangent", by="find_contacts")
    before = vector3("relative velocity at the start of the step, m/s", by="relative_velocities")
    free = vector3("relative velocity without impulses at contacts, m/s", by="relative_velocities")
    after = vector3("relative velocity at the end of the step, m/s", by="keep_impulses")
    timed_impact = real(
        "energy that the impulse along the normal takes since it does not act in the middle of the step, J", by="recall, _time_losses"
    )
    timed_friction = real("the same of friction, J", by="recall, _time_losses")
    l = vector3("impulse, N s", by="recall, keep_impulses")
    lasting = vector3("impulse that the next step begins with, N s", by="recall, keep_impulses")
    response = real("the largest sum |G_ij| of its rows, (m/s) / (N s); 0: not known", by="recall, keep_sizes")
    normal_size = real("G_nn when it was last solved, (m/s) / (N s); 0: not known", by="recall, keep_sizes")
    tangent_size = real("the larger of its two tangential diagonal entries then", by="recall, keep_sizes")
    kept = integer("steps, one after the other, in which the first guess held", by="recall, keep_impulses")
    steady = flag("has its impulse hardly changed?", by="recall, keep_sizes")


class RememberedPoint(Record):
    """What the next step wants to know of a point."""

    pair = integer("row in the table of pairs", by="remember")
    feature = integer("which features of the shapes meet", by="remember")
    flags = integer("1: touches, 2: bounced, 4: slips, 8: steady", by="remember")
    kept = integer("steps, one after the other, in which the first guess held", by="remember")
    status = integer("OPEN, STICK or SLIDE", by="remember")
    approach = real("m/s, at which it closed, or is closing", by="remember")
    budget = real("energy lost along the normal while it was closing, J", by="remember")
    p = vector3("position in the world, m", by="remember")
    force = vector3("impulse over the time of the step, world axes, N", by="remember")
    lasting = vector3("what the next step begins with, over the time of the step, world axes, N", by="remember")
    impact = real("energy lost along the normal, J", by="remember")
    friction = real("energy lost to friction, J", by="remember")
    impulse = real("along the normal, N s", by="remember")
    jump = real("of the normal velocity, if it was struck in the step, else 0, m/s", by="remember")
    response = real("the largest sum |G_ij| of its rows, (m/s) / (N s)", by="remember")
    normal_size = real("G_nn when it was last solved", by="remember")
    tangent_size = real("the larger of its two tangential diagonal entries then", by="remember")


class ContactMemory(Record):
    """What a restart needs of contacts."""

    count = integers(1, "number of points", by="remember")
    points = records(RememberedPoint, "contacts", "points of the last step, in their order", by="remember")


class RowBlock(Record):
    """Rows that are laid out together: those of a point, of a limit, or of the dry friction of a joint."""

    kind = integer("POINT, LOWER_LIMIT, UPPER_LIMIT or JOINT_FRICTION", by="lay_blocks, add_limit")
    index = integer("the point, or the coordinate in `limits`", by="lay_blocks, add_limit")
    row = integer("its first row", by="lay_blocks, add_limit")
    rows = integer("their number", by="lay_blocks, add_limit")
    path = integer("where the links that feel it stand in `paths`, children before parents", by="lay_blocks, add_limit")
    links = integer("number of these links", by="lay_blocks, add_limit")
    width = integer("number of their velocities", by="lay_blocks, add_limit")
    y = integer("where its rows stand in Y", by="lay_blocks, add_limit")
    island = integer("the island that it belongs to", by="find_groups")
    local = integer("its first row in the island", by="find_groups")
    law = integer("UNILATERAL, FRICTION or BOX (data/contact_problem.py)", by="lay_problem, _lay_overlaps")
    mu = real("coefficient of friction", by="lay_problem, _lay_overlaps")
    lower = real("bound of the impulse of a BOX", by="lay_problem, hold_friction")
    upper = real("bound of the impulse of a BOX", by="lay_problem, hold_friction")
    status = integer("as in data/contact_problem.py", by="judge_guesses, take_solution")


class RowGroup(Record):
    """Blocks of rows on linkages that touch each other: an island."""

    first = integer("where its blocks stand in `fellows`", by="find_groups")
    blocks = integer("number of blocks", by="find_groups")
    rows = integer("number of rows", by="find_groups")
    rebounding = integer("points that rebound", by="lay_problem")
    state = integer("OPEN_QUESTION, LIKELY, HOLDS or SOLVED (solvers/contact/first_guess.py)", by="choose_likely, judge_guesses")


class LimitRow(Record):
    """A joint coordinate with limits or dry friction."""

    link = integer("its link", by="caller")
    q = integer("its coordinate, -1 where it has no limits", by="caller")
    v = integer("its velocity", by="caller")
    lower = real("rad or m", by="caller")
    upper = real("rad or m", by="caller")
    tolerance = real("rad or m: a limit so near counts as reached", by="caller")
    friction = real("greatest force of dry friction, N m or N", by="caller")
    force = real("impulse of the limits over the time of the step, on the coordinate, N m or N", by="keep_impulses, _copy_limits")
    friction_force = real("impulse of friction over the time of the step, N m or N", by="keep_impulses, _copy_limits")
    lasting = real("force of the limits that the next step begins with, N m or N", by="keep_impulses, _copy_limits")
    friction_lasting = real("force of friction that the next step begins with, N m or N", by="keep_impulses, _copy_limits")
    response = real("the sum |G_ij| of its row, velocity by impulse; 0: not known", by="keep_sizes, _copy_limits")
    size = real("its G_ii when it was last solved", by="keep_sizes, _copy_limits")
    kept = real("steps, one after the other, in which the first guess held", by="keep_impulses, _copy_limits")
    steady = real("1: its impulse has hardly changed", by="keep_sizes, _copy_limits")
    impact = real("energy lost to the limits in the step, J", by="keep_impulses")
    rubbed = real("energy lost to friction in the step, J", by="keep_impulses")
    friction_loss = real("energy lost to friction so far, J", by="book_losses")


class ContactBooks(Record):
    """What has happened so far."""

    steps = integer("steps with contact", by="book_solution, _copy_books")
    approximate = integer("steps whose solution was not exact", by="book_solution, _copy_books")
    most_points = integer("most points at once", by="book_solution, _copy_books")
    separations = integer("steps after which bodies were moved apart", by="separate, _copy_books")
    guarded = integer("impacts whose restitution was reduced lest energy is gained", by="solve_impulses, _copy_books")
    worst_gap = real("deepest gap after a step, m", by="separate, _copy_books")
    worst_gap_pair = integer("its pair, counted from 1", by="separate, _copy_books")
    worst_slip = real("fastest slip of a sticking point, m/s", by="book_solution, _copy_books")
    worst_slip_pair = integer("its pair, counted from 1", by="book_solution, _copy_books")
    worst_cone = real("largest (|lt| - mu ln) / max ln", by="book_solution, _copy_books")
    worst_residual = real("largest residual, m/s", by="book_solution, _copy_books")
    worst_residual_pair = integer("its pair, counted from 1; 0: a limit", by="book_solution, _copy_books")
    rungs = integers(8, "how often each rung found the solution", by="book_solution, _copy_books")
    pair_friction = reals("npairs", "energy lost to friction of each pair, J", by="book_losses")
    pair_impact = reals("npairs", "energy lost at impacts of each pair, J", by="book_impacts")
    pair_impulse = reals("npairs", "impulses of these along normals, N s", by="book_impacts")
    pair_jump = reals("npairs", "largest jump of a normal velocity, m/s", by="book_impacts")
    pair_impacts = integers("npairs", "number of impacts", by="book_impacts")


class ContactData(Record):
    """Contact of one system that moves."""

    problem = pointer(ContactProblem, "the complementarity problem of a step")
    memory = part(ContactMemory, "points of the last step")
    coming = part(ContactMemory, "points of the step under way")
    books = part(ContactBooks, "sums and extremes")
    books_before = part(ContactBooks, "those of the start of the step, for a step that is not taken; none of pairs")
    manifold = part(Manifold, "points of one pair")

    room = integer("capacity: points", by="caller")
    path_room = integer("capacity: links along paths", by="caller")
    row_room = integer("capacity: rows", by="caller")
    number_room = integer("capacity: numbers of rows along their paths", by="caller")
    overflow = flag("was there more than fits?", by="find_contacts, lay_blocks, add_limit")
    again = flag("was there no room for the step at hand, after its controllers had been sampled?", by="contact_steps")
    failed = integer("the pair at which the last step failed, counted from 1; 0: it did not fail; -1: at a limit", by="contact_steps")
    found = integer("EXACT, APPROXIMATE or FAILED: the solution of the last step", by="contact_steps")
    tolerance = real("m, a gap that counts as closed", by="caller")
    changed = flag("did a pair begin to touch, part, stick or slip in the last step?", by="note_change")

    count = integer("number of points", by="find_contacts")
    nblocks = integer("number of blocks of rows", by="lay_blocks, add_limit")
    nrows = integer("number of rows", by="lay_blocks, add_limit")
    npaths = integer("links in `paths`", by="lay_blocks, add_limit")
    nlimits = integer("number of coordinates with limits or friction", by="caller")

    ngroups = integer("number of islands", by="find_groups")
    ntrees = integer("number of linkages", by="caller")
    rung = integer("how the hardest island of the step was solved", by="solve_islands")
    residual = real("largest residual of the step, m/s", by="solve_islands")
    worst = integer("the block that has it, -1: none", by="solve_islands")
    later = flag("has an impulse acted later than at the start of the step?", by="solve_islands")
    known = flag("are the points those of known_q and known_v?", by="separate, contact_steps")
    nnear = integer("number of pairs in near_pairs", by="list_pairs")
    skin = real("pairs nearer than this were listed, m; 0: none were", by="list_pairs")

    shapes = records(ShapeState, "nshapes", "shapes in the world", by="place_shapes")
    points = records(ContactPoint, "contacts", "points")
    blocks = records(RowBlock, "contacts + 3 * limits", "blocks of rows", by="lay_blocks, add_limit")
    limits = records(LimitRow, "limits", "coordinates with limits or friction", by="caller")
    limits_before = records(LimitRow, "limits", "what they remembered at the start of the step", by="_copy_limits")
    groups = records(RowGroup, "contacts + 3 * limits", "islands")
    fellows = integers("contacts + 3 * limits", "blocks, island by island", by="find_groups")
    trees = integers("n", "the linkage of each link: what joints and constraints connect", by="caller")
    roots = integers("n", "of each linkage, the first of those that it touches", by="find_groups")
    numbers = integers("n", "of each linkage that is the first of an island, which island", by="find_groups")
    near_pairs = integers("npairs", "pairs that can come within reach before their shapes have moved by half the skin", by="list_pairs")
    known_q = reals("nq", "coordinates", by="separate")
    known_v = reals("nv", "velocities", by="separate")
    paths = integers("path_links", "links along the paths of blocks", by="lay_blocks, add_limit")
    Y = scalars("row_numbers", "W J^T D^-1/2: rows x velocities on their path, block by block", by="propagate_blocks")
    weights = scalars("nv", "D^-1/2", by="weigh_velocities")
    coupling = scalars("coupled", "L^-1 (Y_b Y^T) of each row: what constraints take from it", by="eliminate_constraints")
    link_wrenches = records(Wrench, "n", "wrench of one row on its way inward", by="propagate_blocks")
    e = scalars("nv", "what impulses leave at the joints", by="respond_to_impulses")
    v_free = scalars("nv", "velocities without impulses at contacts", by="free_velocities")
    v_mean = scalars("nv", "velocities that the step moves with", by="_jump")
    near = integers("n", "is there a point on the link?", by="mark_links")
    x = scalars("nc", "impulses of constraints", by="respond_to_impulses")
    drive_work = real("what prescribed motion does against the impulses of the step, J", by="_jump")
    separation = real("energy lost, mostly less than 0, where bodies that overlapped were moved apart after the step, J", by="separate")
    free = reals("rows", "J v_free of each row", by="lay_problem")
    g = reals("rows", "right sides", by="lay_problem, _lay_overlaps, take_solution")
    l = reals("rows", "impulses", by="lay_problem, take_solution")
    w = reals("rows", "G l + g", by="judge_guesses, take_solution")
    delayed = reals("rows", "impulses times the part of the step that had gone by when they acted", by="solve_islands, lay_delays")
    guess = reals("rows", "what the step before has left to begin with", by="lay_problem")
    rebound = reals("rows", "impulses with all restitution", by="_reduce_restitution, lay_delays")
    rebound_change = reals(
        "rows",
        "what they change velocities by; then which part of the step had gone by when they acted",
        by="_reduce_restitution, _lay_shares",
    )
