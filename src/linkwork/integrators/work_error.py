r"""How exactly works of forces and of prescribed motion are known, in steps that follow the error (decision 0023).

Works are integrated along with the motion, W' = P. A method's own error estimate bounds the error of the work of a step; it may be

    e_W <= rtol (30 s h sum |P|  +  2 max(e T, min(T, sum |W|)))  +  1e-10 T,         T = s^2 times the kinetic energy                     (1)
    s = 1 + (atol / rtol) / max |v|,        e: the error of the motion over its tolerance, 1 at most

h sum |P| is the energy that forces, controllers and prescribed motion move in the step. What velocities are off by leaves 2 e rtol of the kinetic energy open.
sum |W|, all works done so far, is what the ledger reports: rtol of it is enough, where it is less than the kinetic energy. Velocities are known to
atol + rtol |v|, s times as badly as rtol says, and powers with them: of a mechanism at rest but for rounding, powers are rounding too. So they are where a
preloaded spring moves without being stretched: hence 1e-10 T.

In motion that forces decide, velocities mostly require shorter steps than (1) does. Where motion is prescribed, or forces balance each other, (1) is all that
keeps steps from growing beyond what powers do.
"""

from math import inf

from ..data.lending import Data
from ..data.stepper import Stepper
from ..data.tree import TreeData
from ..dynamics.energy import kinetic_energy
from ..dynamics.sweep import VELOCITY_ORDER, sweep_links
from ..kernels import kernel
from ..kernels.records import Record, pointer, real
from ..model.tables import open_tables

MOVED = 30.0  # times rtol, of the energy that is moved in a step
ROUNDED = 1e-10  # of the kinetic energy: powers of forces that do not work are rounding, of larger ones


class WorkTolerance(Record):
    """What the error of works is measured by."""

    rtol = real("relative tolerance")
    atol = real("absolute tolerance")
    tree = pointer(TreeData, "where velocities of links are worked out")


@kernel
def over_tolerance(tolerance: WorkTolerance, stepper: Stepper, error, moved, speed, known) -> float:
    """The error of a work over (1), or `known`, that of the motion, if it is larger. moved: h sum |P|; speed: max |v|. T and W are those of the stepper, T is
    worked out only if it decides."""
    if not (error > 0.0 and speed > 0.0):
        return known
    rtol, s = tolerance.rtol, 1.0 + tolerance.atol / (tolerance.rtol * speed)
    allowed = rtol * MOVED * s * moved
    if error <= allowed * known:
        return known
    model, tree = open_tables(stepper.model), tolerance.tree
    sweep_links(model, tree.motion, stepper.q, stepper.v, tree.vdot, VELOCITY_ORDER)
    T, done = s * s * kinetic_energy(model, tree.motion, stepper.v), 0.0
    for k in range(stepper.nw):
        done += abs(stepper.works[k])
    allowed += 2.0 * rtol * max(min(known, 1.0) * T, min(T, done)) + ROUNDED * T
    if error <= allowed * known:
        return known
    return error / allowed if allowed > 0.0 else inf


@kernel(entry="i i d d d d -> d")
def works_over_tolerance(tolerance: WorkTolerance, stepper: Stepper, error, moved, speed, known) -> float:
    """The same, for methods whose steps are taken from Python."""
    return over_tolerance(tolerance, stepper, error, moved, speed, known)


def new_tolerance(model, rtol, atol):
    """The record, with memory of its own."""
    made = Data(model).new(WorkTolerance)
    made.rtol, made.atol = rtol, atol
    return made


def what_works(system, k):
    """Whose work the number k is, in words."""
    names = [f"force {info.name!r}" for info in system.active_forces.infos]
    return [*names, "the controllers", "prescribed motion"][k]
