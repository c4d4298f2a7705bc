r"""The compiled loop of an adaptive method: steps whose size follows the error, until a time has been passed.

Step control (Gustafsson's PI controller as in Hairer & Wanner 1996, IV.2), e_n the error of step n by integrators/error_norm.py, k the order:

    h_n+1 = h_n  0.9  e_n^-(1/k - 3/4 beta)  e_n-1^beta,      beta = 0.2 / k,     between 1/5 and 10 times h_n                      (1)
    h_n   = h_n  0.9  e_n^-(1/k),   at least 1/5 of it:       the step is rejected (e_n > 1) and taken again                         (2)

A step ends exactly at the next critical time or controller sample, and the method starts afresh there. It never turns a ball or a free body by
more than TURN, where the differential of the exponential has no inverse any more. `until` shortens no step.

A step in which a one-sided force sets in or ends is cut to end there, just behind the switch (integrators/switches.py), and the size of the next
is chosen as at a start.
So it is behind a corner of a function of time, at which steps end too, and none is longer than what it sees of these functions (integrators/time_watch.py).
"""

from math import inf, sqrt

from ...constraints.singular_poses import accelerate, allowed_gap, learn_rank
from ...data.stepper import Stepper
from ...kernels import kernel
from ...kernels.records import Record, flag, integer, pointer, real, reals
from ..controllers import sample_controllers
from ..error_norm import ErrorEstimate, largest_turn, norm_of_one, norm_of_two
from ..event_screen import EventScreen, begin_at, begin_probe, keep_step, probe_step, state_given, value_at
from ..force_memory import accept_memory
from ..step_ends import begin_step, keep_state, move_from_start, restore_state
from ..switches import LATE, MOST_CUTS, OVERSHOOT, first_switch
from ..time_watch import TimeWatch, probe_ahead
from ..work_error import WorkTolerance, over_tolerance
from .dense_output import copy_step, dense_stages
from .steps import add_works, first_stage, move_by_stages, runge_kutta_stages, stage_sum

REACHED, UNDER_WAY, TOO_SMALL, NOT_FINITE = range(4)

SAFETY, LEAST, MOST = 0.9, 0.2, 10.0
TRIFLE = 1e-15  # of a time: before it, or after it, as near as the clock resolves
TURN = 2.5  # rad, the most that a ball or a free body is expected to turn in one step
MOST_TURN = 3.1  # rad; steps that turn a body further are rejected


class AdaptiveSettings(Record):
    """What does not change from step to step."""

    order = integer("order of the method")
    max_step = real("longest step allowed, s")
    min_step = real("shortest step allowed, s")
    limit = real("time at which the next step must end, if it does not before; infinite but for events of contact")
    origin = real("time of tick 0 of the controllers' clock, s")
    ticks = real("ticks of the controllers' clock in a second")


class AdaptiveClock(Record):
    """What changes from step to step. The last step went from `before` to `after`, which is `time` unless it was cut."""

    time = real("time of the state")
    before = real("time at the start of the last step")
    step = real("size that the error control proposes for the next step; 0: none yet")
    error = real("error of the last step, at least 1e-4")
    fresh = flag("does nothing evaluated before count any more?")
    sample = real("time at which a controller is due next")
    tick = integer("the same as a tick of the controllers' clock")
    critical = integer("index of the next critical time")
    steps = integer("steps taken, since Python last looked")
    rejections = integer("steps rejected")
    evaluations = integer("evaluations of accelerations")
    after = real("time at the end of the last step")
    redundant = flag("were rows left out as redundant where the last step started?", by="_evaluate_first_stage")
    cuts = integer("how many of the last steps, one after the other, were cut at a switch", by="_accept_step")
    seen = real("time until which functions of time alone are seen", by="_see_functions_of_time")


class AdaptiveStep(Record):
    """The step at hand, from the clock's time on."""

    wish = real("size that the error and the turning of bodies allow")
    stop = real("the next critical time or controller sample")
    h = real("size, with regard to the stop")
    end = real("time at its end")
    span = real("h, or a trifle less where the step ends at a stop: forces that jump there are seen just before")
    error = real("norm of its error")
    rejected = flag("has it been rejected before?")
    finite = flag("was the last attempt finite?")
    cut = flag("does it end at a switch?", by="_cut_at_switch, _reject_step")


class AdaptiveRun(Record):
    """All of a run by an adaptive method."""

    stepper = pointer(Stepper, "the system")
    settings = pointer(AdaptiveSettings, "settings")
    clock = pointer(AdaptiveClock, "the clock")
    step = pointer(AdaptiveStep, "the step at hand")
    estimate = pointer(ErrorEstimate, "the error of the step at hand")
    of_works = pointer(WorkTolerance, "what the errors of works are measured by")
    critical = reals("critical", "critical times in order, the last of them infinite")
    switched = flag("has a force a switch?")
    switches = pointer(EventScreen, "the switches of forces, if any")
    timed = flag("are there functions of time?")
    times = pointer(TimeWatch, "these functions, if any")
    dense_stepper = pointer(Stepper, "where the extra stages of the dense output are evaluated, if looks inside a step need them")
    extra = flag("do they?")
    terms = integer("powers of x in the polynomial by which a step is looked into")
    screening = reals("terms * stages", "its coefficients: of each power, of each stage")


@kernel(entry="i d i -> i")
def adaptive_steps(run: AdaptiveRun, until, most) -> int:
    """Steps until the clock has reached `until`, or `most` have been taken (UNDER_WAY), or none can be taken: the last good state stands then."""
    taken = 0
    while run.clock.time < until:
        if taken == most:
            return UNDER_WAY
        _sample_due_controllers(run)
        _find_stop(run)
        _evaluate_first_stage(run)
        _propose_step(run)
        if run.timed:
            _see_functions_of_time(run)
        if run.switched and (run.stepper.constrained or run.switches.time != run.clock.time):
            begin_at(run.switches, run.clock.time, run.stepper.q, run.stepper.v)
        while True:
            if _is_too_short(run):
                return TOO_SMALL if run.step.finite else NOT_FINITE
            _fit_to_stop(run)
            _attempt_step(run)
            if not run.step.error <= 1.0:
                _reject_step(run)
            elif not (run.switched and _cut_at_switch(run)):
                break
        _accept_step(run)
        taken += 1
    return REACHED


@kernel(entry="i i d i -> i")
def adaptive_steps_until_suspect(run: AdaptiveRun, screen: EventScreen, until, most) -> int:
    """The same, until a step may hold an event (`screen.suspect`; UNDER_WAY)."""
    screen.suspect = False
    for _ in range(most):
        taken = run.clock.steps
        status = adaptive_steps(run, until, 1)
        if run.clock.steps > taken and _suspect(run, screen):
            screen.suspect = True
            return status
        if status != UNDER_WAY:
            return status
    return UNDER_WAY


@kernel
def _suspect(run: AdaptiveRun, screen: EventScreen) -> bool:
    """May there be an event in the last step?"""
    time, q, v, found = run.clock.time, run.stepper.q, run.stepper.v, False
    if begin_probe(screen, time, q, v):
        _lay_polynomial(run, screen, run.clock.before, time - run.clock.before, True)
        found = probe_step(screen, time, q, v)
    keep_step(screen, time, q, v)
    return found


@kernel
def _lay_polynomial(run: AdaptiveRun, screen: EventScreen, time, h, accepted) -> None:
    """The step of size h from a time on, as a polynomial by its stages, into a screen."""
    stepper, source = run.stepper, run.stepper.stages
    nq, nv, stride, stages = stepper.nq, stepper.nv, stepper.stride, stepper.tableau.stages
    count = stepper.tableau.end + 1
    if run.extra:
        copy_step(stepper, run.dense_stepper, accepted)
        dense_stages(run.dense_stepper, time, h)
        source, count = run.dense_stepper.stages, stages
    for k in range(nq):
        screen.base[k] = stepper.q0[k]
    for j in range(run.terms):
        for k in range(nv):
            of_theta, of_v = 0.0, 0.0
            for l in range(count):
                weight = h * run.screening[j * stages + l]
                of_theta += weight * source[l * stride + k]
                of_v += weight * source[l * stride + nv + k]
            screen.of_theta[j * nv + k], screen.of_v[j * nv + k] = of_theta, of_v
    for k in range(nv):
        screen.of_v[k] = stepper.v0[k]
    screen.terms, screen.shift = run.terms, 0.0


# ---- where the step begins and where it must end


@kernel
def _sample_due_controllers(run: AdaptiveRun) -> None:
    """Call the controllers that are due now, and find out when the next are."""
    clock, settings, controllers = run.clock, run.settings, run.stepper.controllers
    if clock.time < clock.sample:
        return
    sample_controllers(run.stepper, clock.tick, clock.time)
    clock.fresh = True
    clock.sample = inf
    tick = clock.tick
    while controllers.count > 0 and clock.sample == inf:
        tick += 1
        for k in range(controllers.count):
            if tick % controllers.entries[k].every == 0:
                clock.tick = tick
                clock.sample = settings.origin + tick / settings.ticks
                break


@kernel
def _find_stop(run: AdaptiveRun) -> None:
    """The next time at which a step must end; the method starts afresh at a critical time."""
    clock = run.clock
    while run.critical[clock.critical] <= clock.time:
        clock.critical += 1
        clock.fresh = True
    run.step.stop = min(run.critical[clock.critical], clock.sample, run.settings.limit)


@kernel
def _evaluate_first_stage(run: AdaptiveRun) -> None:
    """Stage 0: the last stage of the step before, or evaluated anew."""
    clock, time = run.clock, run.clock.time
    if clock.fresh:
        clock.error = 1e-4
    if clock.fresh or clock.redundant or not _first_stage_again(run.stepper):
        # Forces that change abruptly at a critical time are seen just before it in one step, and just after it in the next.
        behind = time + TRIFLE * abs(time) + 1e-300
        begin_step(run.stepper, behind, behind)
        first_stage(run.stepper)
        clock.evaluations += 1
        # Which redundant rows to leave out is decided where a step starts, for all its stages.
        clock.redundant = run.stepper.constrained and run.stepper.redundant[0] != 0
    clock.fresh = True  # until the step has been taken


@kernel
def _first_stage_again(stepper: Stepper) -> bool:
    """Stage 0 from the last stage of the step before; False if constraints have drifted beyond the tolerance."""
    if stepper.constrained:
        gap = stepper.gap[0]
        if stepper.tolerance > 0.0 and gap > allowed_gap(stepper):
            return False
        learn_rank(stepper)
        stepper.largest_gap[0] = max(stepper.largest_gap[0], gap)
    nv, last = stepper.nv, stepper.stride * stepper.tableau.end
    keep_state(stepper)
    for k in range(nv):
        stepper.stages[k] = stepper.v[k]
    for k in range(nv, stepper.stride):
        stepper.stages[k] = stepper.stages[last + k]
    return True


# ---- the size of the step


@kernel
def _propose_step(run: AdaptiveRun) -> None:
    """The size to begin with: what the error control proposes, unless bodies turn too fast for it."""
    clock, settings, step = run.clock, run.settings, run.step
    if clock.step <= 0.0:
        clock.step = max(_starting_step(run), settings.min_step)
        clock.evaluations += 1
    step.rejected, step.finite, step.cut = False, True, False
    step.wish = min(clock.step, settings.max_step)
    turning = largest_turn(run.stepper, run.stepper.v0)
    if turning * step.wish > TURN:
        step.wish = TURN / turning


@kernel
def _see_functions_of_time(run: AdaptiveRun) -> None:
    """No longer than what the step sees of functions of time, and no further than their first corner."""
    step, time, h = run.step, run.clock.time, min(run.step.wish, run.step.stop - run.clock.time)
    seen = probe_ahead(run.times, time, h, run.clock.seen)
    if run.times.corner < step.stop:
        step.stop = run.times.corner
    elif seen < time + h:
        step.wish = seen - time
    run.clock.seen = seen


@kernel
def _starting_step(run: AdaptiveRun) -> float:
    """A first step from the sizes of v, vdot and of the change of both in a small Euler step (Hairer, Norsett & Wanner 1993, II.4).

    Stage 0 stands; the state is that of the start before and after.
    """
    stepper, estimate = run.stepper, run.estimate
    nv, error, stage = stepper.nv, estimate.error, stepper.stages
    for k in range(nv):
        error[k] = 0.0
        error[nv + k] = stepper.v0[k]
    d0 = norm_of_one(stepper, estimate)
    for k in range(2 * nv):
        error[k] = stage[k]
    d1 = norm_of_one(stepper, estimate)
    # Velocities of rounding size, as behind a corner at rest, are no measure: no less than what the clock shows well.
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else max(0.01 * d0 / d1, 1e-10 * max(abs(run.clock.time), 1e-3))
    for k in range(nv):
        stepper.theta[k] = h * stepper.v0[k]
        stepper.v[k] = stepper.v0[k] + h * stage[nv + k]
    move_from_start(stepper)
    accelerate(stepper, 0, run.clock.time + h)
    for k in range(nv):
        error[k] = stepper.v[k] - stepper.v0[k]
        error[nv + k] = stepper.vdot[k] - stage[nv + k]
    d2 = norm_of_one(stepper, estimate) / h
    restore_state(stepper)
    most = max(d1, d2)
    if not most <= 1e300:
        return h
    power = 1.0 / (run.settings.order + 1.0)
    return min(100.0 * h, max(1e-6, 1e-3 * h) if most <= 1e-15 else (0.01 / most) ** power)


@kernel
def _is_too_short(run: AdaptiveRun) -> bool:
    """Is the step shorter than allowed, or than the clock resolves?"""
    clock = run.clock
    if not run.step.wish >= max(run.settings.min_step, 4e-15 * max(abs(clock.time), 1e-3)):  # nor is one that is no number
        clock.before = clock.time
        return True
    return False


@kernel
def _fit_to_stop(run: AdaptiveRun) -> None:
    """A step that ends at the stop if it reaches it, half way there if another one would."""
    step, time = run.step, run.clock.time
    left = step.stop - time
    h, ends = step.wish, False
    if h >= left * (1.0 - 1e-9):
        h, ends = left, True
    elif 2.0 * h > left:
        h = 0.5 * left
    step.end = step.stop if ends else time + h
    step.h = step.end - time
    step.span = step.h - TRIFLE * abs(step.stop) if ends else step.h


# ---- the step itself


@kernel
def _attempt_step(run: AdaptiveRun) -> None:
    """The stages of the step, which end in the state at its end, and the norm of its error: infinite if a body turns too far."""
    stepper, estimate, step, h = run.stepper, run.estimate, run.step, run.step.h
    table = stepper.tableau
    runge_kutta_stages(stepper, 1, table.end + 1, run.clock.time, step.span, h)
    for k in range(2 * stepper.nv):
        estimate.error[k] = h * stage_sum(stepper, table.error, 0, table.end + 1, k)
        estimate.second[k] = h * stage_sum(stepper, table.second_error, 0, table.end + 1, k)
    step.error = norm_of_two(stepper, estimate)
    if step.error <= 1e300:
        step.error = _with_works(run)
    if step.error <= 1.0 and largest_turn(stepper, stepper.theta) > MOST_TURN:
        step.error = inf
    run.clock.evaluations += table.end


@kernel
def _with_works(run: AdaptiveRun) -> float:
    """The norm of the error, or that of the works if it is larger (integrators/work_error.py)."""
    stepper, step, table, powers = run.stepper, run.step, run.stepper.tableau, 2 * run.stepper.nv
    main, other = 0.0, 0.0
    for k in range(powers, powers + stepper.nw):
        error = step.h * stage_sum(stepper, table.error, 0, table.end + 1, k)
        second = step.h * stage_sum(stepper, table.second_error, 0, table.end + 1, k)
        main += error * error
        other += second * second
    if not main > 0.0:
        return step.error
    moved, speed = 0.0, 0.0
    for j in range(table.end + 1):
        total = 0.0
        for k in range(powers, powers + stepper.nw):
            total += abs(stepper.stages[stepper.stride * j + k])
        moved = max(moved, step.h * total)
    for k in range(stepper.nv):
        speed = max(speed, abs(stepper.v0[k]), abs(stepper.v[k]))
    return over_tolerance(run.of_works, stepper, main / sqrt(main + 0.01 * other), moved, speed, step.error)


@kernel
def _reject_step(run: AdaptiveRun) -> None:
    """Back to the start, with a shorter step: (2)."""
    step = run.step
    run.clock.rejections += 1
    step.rejected, step.cut = True, False
    step.finite = step.error <= 1e300
    step.wish = step.h * (max(LEAST, SAFETY * step.error ** (-1.0 / run.settings.order)) if step.finite else LEAST)
    restore_state(run.stepper)


@kernel
def _switched_stage(run: AdaptiveRun) -> float:
    """The part of the step at the first extra stage of the dense output that stands beyond a switch, beyond 1 if none does. It has seen a force that the step
    has not, and the polynomial, which it bends, does not show the switch: a step to that stage will."""
    dense_stepper, screen, table, time, h = run.dense_stepper, run.switches, run.dense_stepper.tableau, run.clock.time, run.step.h
    for j in range(table.end + 1, table.stages):
        move_by_stages(dense_stepper, table.a, table.stages * j, j, h)
        at = time + table.c[j] * h
        state_given(screen, at, dense_stepper.q, dense_stepper.v, screen.posing)
        for i in range(screen.count):
            if not screen.entries[i].clear and value_at(screen, i, at, dense_stepper.q, dense_stepper.v) * screen.entries[i].last < 0.0:
                return table.c[j]
    return 2.0


@kernel
def _cut_at_switch(run: AdaptiveRun) -> bool:
    """If a force sets in or ends within the step, before its last part: back to the start, with a step that ends just behind that switch."""
    stepper, clock, step, screen = run.stepper, run.clock, run.step, run.switches
    if not begin_probe(screen, step.end, stepper.q, stepper.v) or clock.cuts >= MOST_CUTS:
        return False
    _lay_polynomial(run, screen, clock.time, step.h, False)
    x = first_switch(screen, step.h)
    if run.extra:
        clock.evaluations += stepper.tableau.stages - stepper.tableau.end - 1
        x = min(x, _switched_stage(run))
    h = step.h * (x + OVERSHOOT)
    if x > 1.0 - LATE or not h >= max(run.settings.min_step, 1e-12 * max(abs(clock.time), 1e-3)):
        return False
    clock.rejections += 1
    step.wish, step.rejected, step.cut = h, True, True
    restore_state(stepper)
    return True


@kernel
def _accept_step(run: AdaptiveRun) -> None:
    """Works, the size of the next step by (1), and the clock."""
    stepper, clock, step, order = run.stepper, run.clock, run.step, run.settings.order
    add_works(stepper, stepper.tableau.b, stepper.tableau.end, step.h)
    beta = 0.2 / order
    factor = SAFETY * max(step.error, 1e-10) ** (0.75 * beta - 1.0 / order) * clock.error**beta
    factor = min(1.0 if step.rejected else MOST, max(LEAST, factor))
    clock.step = max(step.h * factor, step.wish) if factor >= 1.0 and not step.rejected else step.h * factor
    clock.error = max(step.error, 1e-4)
    clock.before, clock.after, clock.time = clock.time, step.end, step.end
    clock.fresh = accept_memory(stepper, step.end)
    clock.steps += 1
    clock.cuts = clock.cuts + 1 if step.cut else 0
    at_corner = run.timed and step.end == run.times.corner
    if step.cut or at_corner or clock.fresh:
        clock.step, clock.error = 0.0, 1e-4
    if at_corner:
        clock.fresh = True
    if run.switched:
        keep_step(run.switches, step.end, stepper.q, stepper.v)
