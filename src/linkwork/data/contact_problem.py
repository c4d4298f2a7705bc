"""The complementarity problem of contacts with friction, and what its solver keeps (solvers/contact/).

Find impulses l, given G (symmetric, positive semidefinite, of any rank) and g:

    w = G l + g                                                        relative velocities after the step
    UNILATERAL   0 <= l,  w >= 0,  l w = 0
    FRICTION     rows n, t1, t2:  K* contains w + mu |wt| n, orthogonal to l in K;   K: |lt| <= mu ln  (Signorini, Coulomb; de Saxce 1998)
    BOX          lower <= l <= upper;  w = 0 inside, w >= 0 at the lower bound, w <= 0 at the upper

Sizes of the records are capacities: `rows` and `contacts`. A problem of n rows and m contacts uses the first n or m elements, and the first n * n of G.
"""

from ..kernels.records import Record, integer, integers, part, real, reals

UNILATERAL, FRICTION, BOX = 0, 1, 2  # kinds of contacts: of one row, three rows, one row
OPEN, STICK, SLIDE, LOWER, UPPER = 0, 1, 2, 3, 4  # statuses; STICK of one row: it is closed, or inside its bounds
EXACT, APPROXIMATE, FAILED = 0, 1, 2  # what `solve_contacts` returns
WARM, NEWTON, SWEEPS, INTERIOR, PROXIMAL, UNSOLVED = 0, 1, 2, 3, 4, 5  # rungs: how the solution was found


class InteriorPoint(Record):
    """What the interior-point method keeps of an island (solvers/contact/interior_point.py)."""

    x = reals("rows", "impulses, those along normals times friction", by="_begin, interior_point")
    u = reals("rows", "velocities in the dual cone; of a BOX, the multiplier of its lower bound", by="_begin, interior_point")
    v = reals("contacts", "of a BOX: the multiplier of its upper bound", by="_begin, interior_point")
    dx = reals("rows", "change of x", by="_solve")
    du = reals("rows", "change of u", by="_solve")
    dv = reals("contacts", "change of v", by="_begin, _solve")
    r = reals("rows", "what the equation of motion lacks", by="_lay_residuals")
    given = reals("rows", "right side of the equation of dx", by="_solve")
    right = reals("rows", "of the complementarity", by="_lay_predictor, _lay_corrector")
    scaled = reals("rows", "lambda = W x = W^-1 u", by="_scale")
    along = reals("2 * contacts", "d: the direction of the slip", by="_lay_residuals")
    eta = reals("contacts", "the size of W", by="_scale")
    w = reals("rows", "the unit vector of W", by="_scale")
    target = reals("contacts", "tau that is aimed at", by="_lay_predictor, _lay_corrector")
    lower_product = reals("contacts", "of a BOX: dx du of the predictor", by="_lay_predictor, _lay_corrector")
    upper_product = reals("contacts", "of a BOX: -dx dv of the predictor", by="_lay_predictor, _lay_corrector")


class ContactIsland(Record):
    """One island of a problem, of which no row is coupled to another island. Contacts are scaled by powers of two, so that the largest diagonal entry of
    each is of order 1: w of the problem is scale * w here, l is l here / scale."""

    n = integer("rows", by="pack_island")
    m = integer("contacts", by="pack_island")
    member = integers("contacts", "which contacts of the problem these are", by="pack_island")
    kind = integers("contacts", "as in the problem", by="pack_island")
    first = integers("contacts", "first row of each, in the island", by="pack_island")
    mu = reals("contacts", "coefficient of friction", by="pack_island")
    lower = reals("contacts", "bound of the impulse", by="pack_island")
    upper = reals("contacts", "bound of the impulse", by="pack_island")
    scale = reals("contacts", "the power of two", by="pack_island")
    normal_size = reals("contacts", "G_nn, 1 if it is 0", by="pack_island")
    tangent_size = reals("contacts", "the larger of the two tangential diagonal entries, 1 if they are 0", by="pack_island")
    G = reals("rows * rows", "row-major", by="pack_island")
    low = integers("rows", "first entry of each row of G that is not 0", by="pack_island")
    high = integers("rows", "one behind the last such entry", by="pack_island")
    g = reals("rows", "right side", by="pack_island, proximal_step")
    l = reals("rows", "impulses", by="pack_island, sweep, _correct")
    w = reals("rows", "G l + g", by="update_velocities, sweep")
    status = integers("contacts", "OPEN, STICK, SLIDE, LOWER or UPPER", by="find_statuses")
    direction = reals("2 * contacts", "of the impulse of friction of each sliding contact", by="find_statuses, _correct")
    velocity = real("the largest |g_i|: what residuals are judged by", by="pack_island")
    noise = real("the rounding of g, velocity", by="pack_island")
    residual = real("largest natural-map residual, velocity", by="solve_island")
    rung = integer("how the solution was found", by="solve_island")
    rounds = integer("linear solves", by="solve_island, newton_round")
    sweeps = integer("Gauss-Seidel sweeps", by="solve_island, sweep")

    # of the linear solves
    unknowns = integer("unknowns of the present statuses", by="lay_unknowns")
    sliding = integer("is a contact with friction sliding, and the matrix not symmetric?", by="lay_unknowns")
    unknown = integers("contacts", "first unknown of each contact, -1: none", by="lay_unknowns")
    count = integers("contacts", "unknowns of each contact", by="lay_unknowns")
    A = reals("rows * rows", "matrix, then its factor", by="fill_matrix, factor_symmetric, factor_general")
    front = integers("rows", "first entry of each row of A that is not 0", by="find_ends, factor_general")
    back = integers("rows", "one behind the last such entry", by="find_ends, factor_symmetric, factor_general")
    depth = integers(
        "rows", "one behind the last row of A whose first entry stands in this column, 0: there is none", by="find_ends, factor_general"
    )
    damping = real("what is added to the diagonal, relative to it", by="newton_round, caller")
    line = reals("rows", "one row on its way into the matrix", by="fill_matrix")
    order = integers("rows", "of the pivots", by="factor_general")
    x = reals("rows", "right side, then solution", by="_correct")
    y = reals("rows", "`best` of the problem without the proximal term", by="proximal_step")
    best = reals("rows", "impulses of the least residual so far", by="keep_best")
    best_residual = real("that residual", by="keep_best")
    swept = reals("rows", "impulses where Gauss-Seidel was last", by="_climb, _swept")
    first_end = reals("rows", "where the climb from the first guess ended", by="solve_island")
    diagonal = reals("rows", "of G without the proximal term", by="proximal_step")
    center = reals("rows", "impulses that a proximal round stays near", by="proximal_step")
    given = reals("rows", "g without the proximal term", by="proximal_step")
    interior = part(InteriorPoint, "of the interior-point method")


class ImpactEnergy(Record):
    """What the energy guard of restitution is given, and what it finds (solvers/contact/restitution.py)."""

    n = integer("rows", by="caller")
    G = reals("rows * rows", "Delassus matrix, n x n, row-major", by="caller")
    u = reals("rows", "relative velocities before the impact", by="caller")
    l0 = reals("rows", "impulses without restitution", by="caller")
    l1 = reals("rows", "impulses with Newton's restitution", by="caller")
    l = reals("rows", "l0 + s (l1 - l0)", by="guard_energy")
    Gl0 = reals("rows", "G l0", by="guard_energy")
    Gd = reals("rows", "G (l1 - l0)", by="guard_energy")
    share = real("s, 1 where the energy does not grow", by="guard_energy")
    gained = real("kinetic energy that l1 would have added", by="guard_energy")
    energy = real("change of kinetic energy by l", by="guard_energy")


class ContactProblem(Record):
    """The problem, its solution, and how it was found."""

    n = integer("rows", by="caller")
    m = integer("contacts", by="caller")
    G = reals("rows * rows", "Delassus matrix J M^-1 J^T, n x n, row-major", by="caller")
    g = reals("rows", "velocities without impulses; with the share of restitution and of gaps", by="caller")
    kind = integers("contacts", "UNILATERAL, FRICTION or BOX", by="caller")
    first = integers("contacts", "first row of each contact", by="caller")
    mu = reals("contacts", "coefficient of friction", by="caller")
    lower = reals("contacts", "of a BOX: least impulse, may be -inf", by="caller")
    upper = reals("contacts", "of a BOX: greatest impulse, may be inf", by="caller")
    l = reals("rows", "impulses: a guess, then the solution", by="caller, solve_contacts")
    noise = real("what g is rounded by, in its unit: residuals below it are not worked on; 0 where it is exact", by="caller")

    status = integers("contacts", "OPEN, STICK or SLIDE; of a BOX also LOWER or UPPER", by="solve_contacts")
    w = reals("rows", "G l + g at the solution", by="solve_contacts")
    residual = real("largest natural-map residual of a row, in its unit of velocity", by="solve_contacts")
    worst = integer("the contact that has it; -1: no contact", by="solve_contacts")
    rung = integer("how the hardest island was solved: WARM, NEWTON, SWEEPS, INTERIOR, PROXIMAL or UNSOLVED", by="solve_contacts")
    rounds = integer("linear solves, of all islands", by="solve_contacts")
    sweeps = integer("Gauss-Seidel sweeps, of all islands", by="solve_contacts")
    islands = integer("how many islands there are", by="find_islands")
    painleve = integer(
        "sliding contacts with G_nn + mu G_nt.d <= 0, d the direction of friction: pushing them adds approach", by="solve_contacts"
    )

    island_of = integers("contacts", "the first contact of each contact's island", by="find_islands")
    island = part(ContactIsland, "the island that is being solved")


def new_contact_problem(rows, contacts):
    """Memory for problems of up to so many rows and contacts."""
    return ContactProblem.allocate({"rows": rows, "contacts": contacts})


def new_impact_energy(rows):
    """Memory for the energy guard of impacts of up to so many rows."""
    return ImpactEnergy.allocate({"rows": rows})
