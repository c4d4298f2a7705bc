"""`Stepper`: the record of what every integrator needs to take a step of one system, or of LANES systems side by side.

Kernels take a stepper in the place of the tables of model and forces, the function that evaluates accelerations, its data and the
controllers. A wide stepper (of a wide system) holds packs of lanes; `zero(stepper)` and `width(stepper)` tell which.

The arrays of the state and of what acts are those of the data that accelerations are evaluated in (data/accelerations.py).
"""

from ..kernels import JIT
from ..kernels.records import Record, address, flag, integer, integers, pointer, real, reals, records, scalars
from .butcher import ButcherTable
from .contact import ContactData


class Controller(Record):
    """A controller: a native function that is called every so many steps, and whose joint forces are held in between (parts/controller.py)."""

    code = address("address of the native function")
    every = integer("steps from one call to the next")
    number = integer("its first parameter among those of all controllers")


class Controllers(Record):
    """All controllers of a system."""

    count = integer("how many")
    given = reals("1 + nq + nv", "t, q and v of one lane", by="sample_controllers")
    tau = reals("nv", "joint forces of one lane", by="the user's function")
    numbers = reals("numbers", "parameters of all controllers")
    limits = reals("nv", "effort limit of each velocity")
    entries = records(Controller, "count", "one each")


class Stepper(Record):
    """A system that is carried forward in time: its tables, its functions, its memory."""

    model = address("tables of the model (model/tables.py)")
    active = address("the table of active forces (data/forces.py)")
    accelerations = address("address of the function that evaluates accelerations (solvers/accelerations.py)")
    data = address("the data that it works in (data/accelerations.py)")
    controllers = pointer(Controllers, "controllers")
    tableau = pointer(ButcherTable, "coefficients of a Runge-Kutta method", by="caller")
    contact = pointer(ContactData, "contact, if the model's bodies touch and the method takes it; one lane", by="caller")
    tolerance = real("largest gap that is left alone; 0: constraints are never projected", by="caller")
    constrained = flag("has the model constraints?")
    holds_rates = flag("are the rates of rows looked at where no position calls for it? for motion that is prescribed", by="caller")

    nq = integer("number of coordinates")
    nv = integer("number of velocities")
    nw = integer("number of powers: of each force, of the controllers, of prescribed motion")
    stride = integer("numbers of a stage: 2 nv + nw")

    q = scalars("nq", "coordinates")
    v = scalars("nv", "velocities")
    tau = scalars("nv", "joint forces", by="evaluate")
    vdot = scalars("nv", "accelerations, or corrections of positions or velocities", by="evaluate")
    held = scalars("nv", "joint forces that all controllers hold", by="sample_controllers")
    holds = scalars("controllers * nv", "joint forces that each controller holds", by="sample_controllers")
    powers = scalars("nw", "power of each force, of the controllers, of prescribed motion", by="evaluate")
    gap = scalars(1, "largest |phi| of a row of constraints by its unit (constraints/tolerance.py)", by="evaluate")
    gap_rate = scalars(1, "largest |phi_dot| of a row by its unit, 1/s, where rates were asked for (RATES)", by="evaluate")
    rank = scalars(1, "number of independent rows, a whole number in each lane", by="evaluate")
    pivot = scalars(1, "least pivot of an independent row", by="evaluate")
    ahead = scalars(1, "s, by which rows are looked at later than forces", by="_place_on_branch")
    redundant = integers(1, "were rows that could move left out as redundant? a flag for each lane (kernels/lane_flags.py)", by="evaluate")

    q0 = scalars("nq", "coordinates at the start of the step", by="begin_step")
    v0 = scalars("nv", "velocities at the start of the step", by="begin_step")
    theta = scalars("nv", "local coordinates about q0: q = q0 (+) theta")
    memory = scalars("slots", "what force laws remember", by="advance_memory")
    memory0 = scalars("slots", "what they remembered at the start of the step", by="advance_memory")
    works = scalars(
        "nw + losses", "integral of each power; with contact also what impacts and friction have lost, and what separation has, J"
    )
    largest_gap = scalars(1, "the largest gap at the start of any step so far", by="begin_step")
    projections = integers("lanes", "of each lane: how often its state was projected onto the constraints", by="settle")
    stages = scalars("stages * (2 * nv + nw)", "of each stage: theta', v', powers")
    correction = scalars("nv", "what a projection changes", by="project_positions")

    # singular poses (constraints/singular_poses.py)
    pace = real("1/s: what rest is measured by, sqrt(|g| / length); 1 without gravity")
    scale = reals("nv", "per velocity: 1 for turns, 1 / length for slides")
    known_rank = scalars(1, "rank of the rows on the way; 0: not known yet", by="learn_rank")
    known_pivot = scalars(1, "the size of `pivot` away from singular poses", by="_get_to_know, learn_rank")
    ambiguous_branch = integers(
        1, "was the branch that continues the motion ever ambiguous? a flag for each lane", by="note_ambiguous_branch"
    )
    ambiguous_branch_time = scalars(1, "when it first was so", by="note_ambiguous_branch")
    ambiguous_branch_q = scalars("nq", "the pose in which it first was so", by="note_ambiguous_branch")
    current_q = scalars("nq", "q at which accelerations are asked for", by="_follow_branch")
    current_v = scalars("nv", "v there, or before a projection", by="_follow_branch, settle")
    current_tau = scalars("nv", "joint forces there", by="_follow_branch")
    follows = integers(1, "are the accelerations those of the branch? a flag for each lane", by="_follow_branch")
    branch_vdot = scalars("nv", "accelerations of the branch, else those of the solver", by="_follow_branch")
    branch_power = scalars(1, "mean power of prescribed motion on the branch", by="_follow_branch")
    unbalanced = scalars(1, "rad/s^2: what no multipliers explain of accelerations of the branch", by="_settle_on_branch")
    mean_vdot = scalars("nv", "mean of accelerations before and behind", by="_mean_on_branch")
    direction = scalars("nv", "along which the rows are looked at", by="_get_to_know, _find_change")
    imbalance = scalars("nv", "accelerations of the branch that no multipliers give", by="_settle_on_branch")
    mean_power = scalars(1, "mean power of prescribed motion before and behind", by="_mean_on_branch")


# What a restart needs of a stepper, beside the numbers of its method.
STATE = (
    *("q", "v", "tau", "vdot", "held", "holds", "powers", "gap"),
    *("memory", "memory0"),
    *("q0", "v0", "theta", "works", "largest_gap", "projections", "stages"),
    *("rank", "pivot", "known_rank", "known_pivot", "ambiguous_branch", "ambiguous_branch_time", "ambiguous_branch_q"),
)


def for_kernels(record):
    """A record as kernels take it: its address; in plain Python the record itself."""
    return record.address if JIT else record


def numbers_of(record):
    """The numbers of a record without arrays as a list of floats, in the order of the declaration: for checkpoints."""
    return [float(getattr(record, name)) for name in record.fields]
