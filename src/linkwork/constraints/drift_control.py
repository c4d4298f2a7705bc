"""What keeps loops closed over time: projection after steps, feedback (Baumgarte 1972), or nothing.

feedback:  phi_ddot + 2/tau phi_dot + phi/tau^2 = 0,   a gap decays with the time constant tau; ten steps of a fixed step, else 0.01 s.

Projection acts where a state has drifted beyond the tolerance: `settle`, at the beginning and the end of steps, with the corrections of projection.py.
"""

from ..data.stepper import Stepper
from ..errors import StateError
from ..kernels import kernel
from ..kernels.lane_flags import count_flagged, flags_of, where_flagged
from ..kernels.scalar import width, zero
from .modes import GAPS, RATES, VELOCITY
from .projection import project_positions, project_velocities
from .singular_poses import TURNED, allowed_gap, is_near, note_ambiguous_branch, size_of
from .solver_call import evaluate
from .tolerance import reachable

WAYS = ("project", "feedback", "none")
KEPT = 0.1  # of the constraint tolerance, beyond which a state is projected: one more step must not lead beyond the tolerance
ENOUGH = 0.1  # of the tolerance: what a projection may leave
RATE = 1e-7  # of the fastest velocity: rates of prescribed motion that are off by less are left alone, a tenth of what a start may be off


def projection_tolerance(constraint_tolerance):
    """The largest gap that is left alone between projections, for a motion whose gaps are to stay below `constraint_tolerance`."""
    return float(reachable(KEPT * constraint_tolerance))


def set_drift(way, method, system, constraint_tolerance):
    """Set up a method and its system for a way of drift control."""
    if way not in WAYS:
        raise StateError(f"drift: found {way!r}; allowed are {', '.join(map(repr, WAYS))}", "drift")
    method.tolerance = projection_tolerance(constraint_tolerance) if way == "project" else 0.0
    system.active_forces.feedback = 0.0, 0.0, 0.0
    if way == "feedback":
        tau = 10.0 * (getattr(method.integrator, "step", None) or 1e-3)
        system.active_forces.feedback = 2.0 / tau, 1.0 / tau**2, 0.0


@kernel
def settle(stepper: Stepper, time) -> bool:
    """What has drifted beyond the tolerance is projected, in the lanes where it has. Returns whether the state has changed in any of them.

    `begin_step` does it, and whoever looks at the state before.
    """
    if not stepper.constrained or stepper.tolerance <= 0.0:
        return False
    evaluate(stepper, GAPS, time)
    allowed, near = allowed_gap(stepper), is_near(stepper)
    due = flags_of(stepper.gap[0] > allowed)
    if due == 0:
        return stepper.holds_rates and _settle_rates(stepper, time)
    for k in range(stepper.nv):
        stepper.current_v[k] = stepper.v[k]
    project_positions(stepper, due, time, ENOUGH * allowed)
    project_velocities(stepper, due, time, allowed * size_of(stepper, stepper.v))
    _note_turn(stepper, near, time)
    count_flagged(stepper.projections, due, width(stepper))
    return True


@kernel
def _settle_rates(stepper: Stepper, time) -> bool:
    """Velocities onto the rates of the rows, in the lanes where they are off: rows on velocities alone have no gap that would call for it, and those of
    prescribed motion whose acceleration jumps open by the square of the step only."""
    evaluate(stepper, RATES, time)
    due = flags_of(stepper.gap_rate[0] > RATE * size_of(stepper, stepper.v))
    if due == 0:
        return False
    evaluate(stepper, VELOCITY, time)
    for k in range(stepper.nv):
        stepper.v[k] = where_flagged(due, stepper.v[k] + stepper.vdot[k], stepper.v[k])
    count_flagged(stepper.projections, due, width(stepper))
    return True


@kernel
def _note_turn(stepper: Stepper, near, time) -> None:
    """Has the projection of velocities, near a singular pose, taken much of the motion? It has then led to another branch."""
    most, lost = zero(stepper), zero(stepper)
    for k in range(stepper.nv):
        before, change = stepper.scale[k] * stepper.current_v[k], stepper.scale[k] * (stepper.v[k] - stepper.current_v[k])
        most, lost = most + before * before, lost + change * change
    note_ambiguous_branch(stepper, near & flags_of(lost > TURNED * TURNED * most), time)
