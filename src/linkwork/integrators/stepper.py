"""`Stepper`: the record of what every integrator needs to take a step of one system, or of LANES systems side by side.

Kernels take a stepper in the place of the tables of model and forces, the function that evaluates accelerations, the scratch memory and the
controllers. A wide stepper (of a wide system) holds packs of lanes; `zero(stepper)` and `width(stepper)` tell which.

All arrays of a stepper are parts of one scratch memory (system.py). Kernels outside this folder find numbers there by their slots, and
take the memory itself: `floats_at(stepper.memory, HUGE)`.
"""

import numpy as np

from ..kernels import JIT
from ..kernels.records import Memory, Record, address, flag, integer, pointer, real, reals, records, scalars
from .butcher import ButcherTable


class Controller(Record):
    """A controller: a native function that is called every so many steps, and whose joint forces are held in between (parts/controller.py)."""

    code = address("address of the native function")
    every = integer("steps from one call to the next")
    number = integer("its first parameter among those of all controllers")
    held = integer("slot of the joint forces that it holds")


class Controllers(Record):
    """All controllers of a system."""

    count = integer("how many")
    exchange = integer("slot where the floats of one lane are handed over: t, q, v, and behind them tau")
    numbers = address("parameters of all controllers")
    limits = reals("nv", "effort limit of each velocity")
    entries = records(Controller, "count", "one each")


class Stepper(Record):
    """A system that is carried forward in time: its tables, its functions, its memory."""

    model = address("tables of the model (model/tables.py)")
    loads = address("tables of the forces (dynamics/force_tables.py)")
    rates = address("address of the function that evaluates accelerations (rates.py)")
    memory = address("scratch memory")
    controllers = pointer(Controllers, "controllers")
    tableau = pointer(ButcherTable, "coefficients of a Runge-Kutta method", by="integrator")
    tolerance = real("largest |phi| that is left alone; 0: constraints are never projected", by="method")
    constrained = flag("has the model constraints?")

    nq = integer("number of coordinates")
    nv = integer("number of velocities")
    nw = integer("number of powers: of each force, of the controllers, of prescribed motion")
    stride = integer("numbers of a stage: 2 nv + nw")

    q = scalars("nq", "coordinates")
    v = scalars("nv", "velocities")
    tau = scalars("nv", "joint forces", by="rates")
    vdot = scalars("nv", "accelerations, or corrections of positions or velocities", by="rates")
    held = scalars("nv", "joint forces that controllers hold", by="sample_controllers")
    powers = scalars("nw", "power of each force, of the controllers, of prescribed motion", by="rates")
    gap = scalars(1, "largest |phi| (or |phi_dot|) of a row of constraints", by="rates")

    q0 = scalars("nq", "coordinates at the start of the step", by="begin_step")
    v0 = scalars("nv", "velocities at the start of the step", by="begin_step")
    theta = scalars("nv", "local coordinates about q0: q = q0 (+) theta")
    works = scalars("nw", "integral of each power")
    largest_gap = scalars(1, "the largest |phi| at the start of any step so far", by="begin_step")
    projections = scalars(1, "how often a state was projected onto the constraints", by="settle")
    stages = scalars("stages * (2 * nv + nw)", "of each stage: theta', v', powers")
    slots = scalars("slots", "all of the memory")

    at_q0 = integer("slot of q0")
    at_theta = integer("slot of theta")
    at_stages = integer("slot of the first stage")


CONTROLLER = Controller.dtype()


def without_arrays(record, lanes=1):
    """A new record of a class, zero, whose arrays are set afterwards: those that exist already."""
    return record(Memory(np.zeros(record.layout(lanes).size, np.uint8)), 0, lanes)


def for_kernels(record):
    """A record as kernels take it: its address; in plain Python the record itself."""
    return record.address if JIT else record


def numbers_of(record):
    """The numbers of a record without arrays as a list of floats, in the order of the declaration: for checkpoints."""
    return [float(getattr(record, name)) for name in record.fields]


def take_numbers(record, numbers):
    """Set the fields of a record from what `numbers_of` gave."""
    for name, value in zip(record.fields, numbers, strict=False):
        kept = getattr(record, name)
        setattr(record, name, type(kept)(value))
