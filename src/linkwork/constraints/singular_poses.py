r"""Accelerations near a singular pose: those of the branch that continues the motion (decision 0016).

At a singular pose the rows J lose rank, and branches of possible motion cross. Near it, with x the way along the branch of the motion and y the way off it,
a row reads phi = x y, and

    y'' = -(2 x' y' + x'' y) / x          for |x| < 1e-5 the rank rule drops the row, and y is free
    phi = e  allows  y = e / x            so a motion that holds phi = e to the letter turns from one branch into the other

while the motion along the branch itself, and its accelerations, are smooth there. So near the pose accelerations are the mean of those at four places on
the branch, before and behind,

    vdot = (-f(-2d) + 4 f(-d) + 4 f(d) - f(2d)) / 6,     error  d^4 / 6  times the fourth derivative along the branch             (1)
    f(s): accelerations at  q (+) s v / |v|  and v, both projected to rounding: the rows are regular there

under the forces of the state itself, which need not be smooth: on the branch, with T its tangent,

    vdot = A tau + b,    A = T (T^T M T)^-1 T^T,    and (1) is the mean of A and b. Wrenches are kept in the axes of links, joint forces as they are.  (2)

Multipliers are those of M vdot + h = tau + J^T lambda at the state. They grow as 1 / x, so that no mean would be right; where the rank rule drops the row
there are none.

The rounding e = 1e-16 of phi leaves e x'^2 / x^3 in y'': 1e-8 where the zone begins, less at d. The root r of the least pivot is in proportion to x, so

    x = r / |dr/ds|                                                                                                               (3)

along the motion. It is measured where the pivot is small against its size r^2 + (dr/ds)^2 where the motion began, or against a greater one that it has had:
rows that are merely badly conditioned are not near anything.

Undecided is which branch continues the motion where there is no motion (at rest in a singular pose), or where the place ahead cannot be reached by it.
The first such pose is stored, and a warning names it (simulation/ambiguous_branch.py).

What holds in some lanes and not in others are flags (kernels/lane_flags.py).
"""

from ..data.stepper import Stepper
from ..dynamics.configuration import move, subtract
from ..kernels import Scalar, kernel
from ..kernels.lane_flags import ALL_LANES, flags_of, where_flagged
from ..kernels.scalar import sqrt, where, zero
from ..model.tables import open_tables
from .modes import ACCELERATION, GAPS, MULTIPLIERS, REUSE_FORCES, REUSE_ROWS, VELOCITY
from .projection import project_positions, project_velocities
from .solver_call import evaluate

ZONE = 2e-3  # rad, x: below it rounding of phi leaves more than 1e-8 in accelerations
SCREEN = 1.6e-5  # of the known pivot, x below 4e-3 of its size: whether it is in the zone is measured
DEEP = 4e-6  # of the known pivot, x below 2e-3: states are not projected to rounding
SMALL = 0.1  # of what it could be: a pivot below it may be one near a singular pose
FLAT = 1.0  # rad, x: what seems to be further away is no singular pose, but a pivot that is small along the motion
NEAR = 1e-2  # of the known pivot: x below 0.1; states are projected to rounding there, so that y = e / x stays below 1e-13 / x
OFF = 1e-9  # of accelerations: what a gap may change in them; y'' = 2 x'^2 phi / x^3
TIGHT = 1e-4  # of the tolerance: with that of every day, 1e-11, rounding
DISTANCE = 8e-3  # rad, d of (1): the error of the formula, d^4 / 6, and of rounding, 1e-16 / d^3, are both below 1e-9
CLEAR = (
    1.0 / 64.0
)  # of the greatest pivot of the four places: x as from 2e-3 to 1.6e-2; it is at least as from 6e-3 to 1.8e-2 where x is below 2e-3
GROWTH, ATTEMPTS = 4.0, 3  # d grows where the motion is mostly that of other parts
PROBE = (
    3e-4  # rad: far enough for the rank to rise (x^2 = 1e-7, tolerance 1e-10), near enough that no redundant row looks independent (x^4)
)
BENT = 0.25  # of the way: a place ahead that is further off than this is not on the branch of the motion
REST = 1e-5  # rad: a motion that comes to rest within it, v^2 / (2 vdot), is at rest; the width of the rank rule
STILL = 3e-7  # of the pace of rest, accelerations of its square: slower motion has no direction
TURNED = 0.25  # of the velocity: a projection that changes more of it has taken the state to another branch


@kernel
def accelerate(stepper: Stepper, rows_known, time) -> None:
    """Accelerations at q and v, near a singular pose those of the branch of the motion. `rows_known`: REUSE_ROWS or 0."""
    evaluate(stepper, ACCELERATION + rows_known, time)
    if stepper.constrained:
        if _doubt(stepper) != 0:
            _follow_branch(stepper, time)
        else:
            off = _is_off(stepper)
            if off != 0:
                _accelerate_on_constraints(stepper, off, time)


@kernel
def learn_rank(stepper: Stepper) -> None:
    """What the rows are like on the way: to be called after accelerations at a state on the constraints, where redundant rows agree."""
    if not stepper.constrained:
        return
    rank, pivot, known, greatest = stepper.rank[0], stepper.pivot[0], stepper.known_rank[0], stepper.known_pivot[0]
    more = where(rank > known, pivot, where(pivot > greatest, pivot, greatest))
    asked = known > 0.0
    stepper.known_pivot[0] = where(asked, where(rank < known, greatest, more), greatest)
    stepper.known_rank[0] = where(asked, where(rank < known, known, rank), known)


@kernel
def is_near(stepper: Stepper) -> int:
    """Flags of the lanes where the last evaluation was near a singular pose but not in its zone."""
    pivot, greatest = stepper.pivot[0], stepper.known_pivot[0]
    return flags_of(pivot < NEAR * greatest) & flags_of(pivot > DEEP * greatest)


@kernel
def allowed_gap(stepper: Stepper) -> Scalar:
    """The largest gap that is left alone: the tolerance; near a singular pose rounding."""
    return where_flagged(is_near(stepper), zero(stepper) + TIGHT * stepper.tolerance, zero(stepper) + stepper.tolerance)


@kernel(inline=True)
def _is_unknown(stepper):
    """Flags of the lanes of which it is not known yet what their rows are like."""
    return flags_of(stepper.known_rank[0] <= 0.0)


@kernel
def _doubt(stepper: Stepper) -> int:
    """Flags of the lanes whose rows have a lower rank or a much smaller pivot than on the way here, or of which nothing is known yet."""
    fewer, smaller = stepper.rank[0] < stepper.known_rank[0], stepper.pivot[0] < SCREEN * stepper.known_pivot[0]
    return flags_of(fewer) | flags_of(smaller) | _is_unknown(stepper)


@kernel
def _is_off(stepper: Stepper) -> int:
    """Flags of the lanes near a singular pose whose gap spoils accelerations: |phi| > OFF x^3, with x^2 the pivot."""
    o, share = zero(stepper), stepper.pivot[0] / where(stepper.known_pivot[0] > 0.0, stepper.known_pivot[0], zero(stepper) + 1.0)
    gap = where(stepper.gap[0] < 0.0, -stepper.gap[0], stepper.gap[0])
    return flags_of(share < NEAR) & flags_of(gap > OFF * share * sqrt(where(share > 0.0, share, o)))


@kernel
def _accelerate_on_constraints(stepper: Stepper, off, time) -> None:
    """Accelerations at the projected state, in the lanes that are off; q, v and the gap stay as they were."""
    gap = stepper.gap[0]
    for k in range(stepper.nq):
        stepper.current_q[k] = stepper.q[k]
    for k in range(stepper.nv):
        stepper.current_v[k] = stepper.v[k]
    evaluate(stepper, GAPS, time)
    _project(stepper, off, time)
    evaluate(stepper, ACCELERATION, time)
    _go_back(stepper)
    stepper.gap[0] = gap


@kernel
def _project(stepper: Stepper, due, time) -> None:
    """q and v onto the constraints, to rounding, in the lanes where it is due; the rows have been evaluated."""
    project_positions(stepper, due, time, 0.0)
    evaluate(stepper, VELOCITY + REUSE_ROWS, time)  # with a factor made here: the one of the first correction is not good to rounding
    for k in range(stepper.nv):
        stepper.v[k] = where_flagged(due, stepper.v[k] + stepper.vdot[k], stepper.v[k])
    project_velocities(stepper, due, time, 0.0)


@kernel
def size_of(stepper: Stepper, vector) -> Scalar:
    """The largest of some velocities, slides as turns over the mechanism's length."""
    most = zero(stepper)
    for k in range(stepper.nv):
        size = stepper.scale[k] * vector[k]
        size = where(size < 0.0, -size, size)
        most = where(most < size, size, most)
    return most


@kernel
def _go_back(stepper: Stepper) -> None:
    """Set q and v to the state at which accelerations are evaluated."""
    for k in range(stepper.nq):
        stepper.q[k] = stepper.current_q[k]
    for k in range(stepper.nv):
        stepper.v[k] = stepper.current_v[k]
    stepper.ahead[0] = zero(stepper)


@kernel
def _follow_branch(stepper: Stepper, time) -> None:
    """Accelerations by (1) in the lanes that are in doubt, once the solver's have been evaluated."""
    o, rank, pivot = zero(stepper), stepper.rank[0], stepper.pivot[0]
    for k in range(stepper.nq):
        stepper.current_q[k] = stepper.q[k]
    for k in range(stepper.nv):
        stepper.current_v[k] = stepper.v[k]
        stepper.current_tau[k] = stepper.tau[k]
        stepper.branch_vdot[k] = stepper.vdot[k]
    speed, size = size_of(stepper, stepper.v), size_of(stepper, stepper.vdot)
    unknown = _is_unknown(stepper)
    if unknown != 0:
        _get_to_know(stepper, unknown, rank, pivot, time)
    singular, flat = flags_of(rank < stepper.known_rank[0]), 0
    doubt = singular | flags_of(pivot < SCREEN * stepper.known_pivot[0])
    if doubt != 0:
        far = _distance(stepper, rank, pivot, speed, time)
        flat = doubt & ~singular & flags_of(far > FLAT)
        doubt = singular | (doubt & ~flags_of(far > ZONE))
    singular = singular | flags_of(pivot < REST * REST * stepper.known_pivot[0])
    lost = singular & flags_of(size > 0.0) & ~flags_of(speed * speed > 2.0 * REST * size)  # at rest in a singular pose
    still = STILL * stepper.pace
    follow, found = doubt & flags_of(speed > still), 0
    way = where_flagged(follow, DISTANCE / where(speed > still, speed, o + 1.0), o)
    for _ in range(ATTEMPTS):
        if follow == 0:
            break
        clear, bent = _mean_on_branch(stepper, follow, way, time)
        for k in range(stepper.nv):
            stepper.branch_vdot[k] = where_flagged(clear, stepper.mean_vdot[k], stepper.branch_vdot[k])
        stepper.branch_power[0] = where_flagged(clear, stepper.mean_power[0], stepper.branch_power[0])
        found = found | clear
        lost = lost | bent
        follow = follow & ~(clear | bent)
        way = GROWTH * way
    follow = follow | flat
    if follow != 0 or unknown != 0:
        # Along the motion the rank does not rise: it may do so along the accelerations, if this is the rest in a singular pose of some part.
        _find_change(stepper, time)
        lost = lost | _rank_rises(stepper, follow | (unknown & ~doubt), size, rank, pivot, time)
        stepper.known_rank[0] = where_flagged(follow, rank, stepper.known_rank[0])
        stepper.known_pivot[0] = where_flagged(follow, pivot, stepper.known_pivot[0])
    _go_back(stepper)
    note_ambiguous_branch(stepper, lost, time)
    stepper.follows[0] = found
    _settle_on_branch(stepper, time)


@kernel
def _settle_on_branch(stepper: Stepper, time) -> None:
    """The solver's results at the state itself, with the accelerations of the branch and the multipliers that go with them, in the lanes that follow it."""
    o, follows, last = zero(stepper), stepper.follows[0], stepper.nw - 1
    _evaluate_with_forces_of_state(stepper, MULTIPLIERS, time)
    for k in range(stepper.nv):
        stepper.imbalance[k] = stepper.branch_vdot[k] - stepper.vdot[k]
        stepper.vdot[k] = where_flagged(follows, stepper.branch_vdot[k], stepper.vdot[k])
    stepper.unbalanced[0] = where_flagged(follows, size_of(stepper, stepper.imbalance), o)
    stepper.powers[last] = where_flagged(follows, stepper.branch_power[0], stepper.powers[last])


@kernel
def _evaluate_with_forces_of_state(stepper: Stepper, more, time) -> None:
    """Accelerations at q and v under the forces of the state at which they are evaluated (2). `more`: MULTIPLIERS or 0."""
    for k in range(stepper.nv):
        stepper.tau[k] = stepper.current_tau[k]  # corrections have none
    evaluate(stepper, ACCELERATION + REUSE_FORCES + more, time)


@kernel
def note_ambiguous_branch(stepper: Stepper, lost, time) -> None:
    """Note the lanes in which the branch is not decided, with the first such pose of each."""
    first = lost & ~stepper.ambiguous_branch[0]
    for k in range(stepper.nq):
        stepper.ambiguous_branch_q[k] = where_flagged(first, stepper.q[k], stepper.ambiguous_branch_q[k])
    stepper.ambiguous_branch_time[0] = where_flagged(first, zero(stepper) + time, stepper.ambiguous_branch_time[0])
    stepper.ambiguous_branch[0] = stepper.ambiguous_branch[0] | lost


@kernel
def _find_change(stepper: Stepper, time) -> None:
    """What accelerations would change of the motion if it were at rest, to `direction`: the part of them along which the rows stay closed."""
    _go_back(stepper)
    for k in range(stepper.nv):
        stepper.v[k] = stepper.current_v[k] + stepper.branch_vdot[k]
    evaluate(stepper, VELOCITY, time)
    for k in range(stepper.nv):
        stepper.direction[k] = stepper.branch_vdot[k] + stepper.vdot[k]


@kernel
def _probe_along(stepper: Stepper, direction, way, later, time) -> None:
    """Rank and pivot of the rows where the state is moved along a direction for a time `way`. `later`: the lanes in which it is the motion in time."""
    for k in range(stepper.nv):
        stepper.correction[k] = way * direction[k]
        stepper.v[k] = stepper.current_v[k]
    move(open_tables(stepper.model), stepper.current_q, stepper.correction, stepper.q)
    stepper.ahead[0] = where_flagged(later, way, zero(stepper))
    evaluate(stepper, VELOCITY, time)


@kernel
def _root(rank, pivot, most) -> Scalar:
    """The square root of a pivot, which is in proportion to x; 0 if a row is missing."""
    o = 0.0 * pivot
    return sqrt(where(rank < most, o, where(pivot > 0.0, pivot, o)))


@kernel
def _slope(stepper: Stepper, direction, way, first, later, time) -> tuple[Scalar, Scalar]:
    """|dr/ds|, a rad, with r the root of the pivot, along a direction of which a time `way` is PROBE: the least and the middle one of three.

    They are changes from place to place, from `first` on: a singular pose among the places makes one too small, another order of elimination
    some too large.
    """
    o, most = zero(stepper), stepper.known_rank[0]
    a, b, c, before = o, o, o, o
    for k in range(4):
        _probe_along(stepper, direction, (first + k) * way, later, time)
        root = _root(stepper.rank[0], stepper.pivot[0], most)
        change = root - before
        a, b, c, before = b, c, where(change < 0.0, -change, change), root
    low, high = where(a < b, a, b), where(a < b, b, a)
    return where(c < low, c, low) / PROBE, where(c < low, low, where(c < high, c, high)) / PROBE


# parameters: what was found at the state, lane by lane, which the evaluations of the probe overwrite
@kernel
def _distance(stepper: Stepper, rank, pivot, speed, time) -> Scalar:
    """x in rad: how far along the motion a singular pose is, r / |dr/ds|; 0 where nothing moves, which means nothing."""
    o, still = zero(stepper), STILL * stepper.pace
    way = where(speed > still, PROBE / where(speed > still, speed, o + 1.0), o)
    _, slope = _slope(stepper, stepper.current_v, way, -1.0, ALL_LANES, time)
    root = _root(rank, pivot, stepper.known_rank[0])
    far = where(root < 2.0 * FLAT * slope, root / where(slope > 0.0, slope, o + 1.0), o + 2.0 * FLAT)
    return where(speed > still, far, o)


# parameters: what was found at the state, lane by lane, which the evaluations of the probe overwrite
@kernel
def _get_to_know(stepper: Stepper, unknown, rank, pivot, time) -> None:
    """The rank of the rows where a motion begins, here or, if it begins in a singular pose, a little further on; and the size of the pivot,

        r^2 + (dr/ds)^2,      r the root of the pivot, which goes as sin s from a singular pose at s = 0

    along the motion; of a mechanism at rest, along the accelerations.
    """
    o, direction = zero(stepper), stepper.direction
    still = STILL * stepper.pace
    moving = flags_of(size_of(stepper, stepper.current_v) > still)
    for k in range(stepper.nv):
        direction[k] = where_flagged(moving, stepper.current_v[k], stepper.branch_vdot[k])
    size = size_of(stepper, direction)
    least = where_flagged(moving, o + still, o + still * stepper.pace)
    way = where_flagged(unknown & flags_of(size > least), PROBE / where(size > least, size, o + 1.0), o)
    _probe_along(stepper, direction, way, moving, time)
    ahead, most = stepper.pivot[0], where_flagged(moving, where(stepper.rank[0] > rank, stepper.rank[0], rank), rank)
    ahead = where(stepper.rank[0] < most, pivot, where(stepper.rank[0] > most, pivot, ahead))
    known = where(most > rank, ahead, where(ahead > pivot, ahead, pivot))
    stepper.known_rank[0] = where_flagged(unknown, most, stepper.known_rank[0])
    small = unknown & flags_of(known < SMALL)
    if small != 0:
        slope, _ = _slope(
            stepper, direction, way, 0.0, moving, time
        )  # the least: where pivots jump with the choice of rows, others are no slopes
        size = known + slope * slope
        known = where_flagged(small, where(size < 1.0, size, o + 1.0), known)
    stepper.known_pivot[0] = where_flagged(unknown, known, stepper.known_pivot[0])


# parameters: what was found at the state, lane by lane, which the evaluations of the probe overwrite
@kernel
def _rank_rises(stepper: Stepper, due, size, rank, pivot, time) -> int:
    """Flags of the lanes (of those due) where the rows have a higher rank at PROBE along `direction`, or a pivot as from REST to there."""
    o, still = zero(stepper), STILL * stepper.pace * stepper.pace
    way = where_flagged(due & flags_of(size > still), PROBE / where(size > still, size, o + 1.0), o)
    _probe_along(stepper, stepper.direction, way, 0, time)
    rises = flags_of(stepper.rank[0] > rank) | flags_of(pivot < (REST / PROBE) * (REST / PROBE) * stepper.pivot[0])
    return rises & flags_of(way > 0.0)


@kernel
def _mean_on_branch(stepper: Stepper, follow, way, time) -> tuple[int, int]:
    """Formula (1) to mean_vdot and mean_power, d = `way` as a time of the motion. Returns flags of the lanes that follow: where all
    four places are clear of the zone, and where one is not on the branch of the motion."""
    o, last = zero(stepper), stepper.nw - 1
    clear, bent, least, greatest = follow, 0, o + 1.0, o
    for k in range(stepper.nv):
        stepper.mean_vdot[k] = o
    stepper.mean_power[0] = o
    for place in range(4):
        steps = place - 2.0 if place < 2 else place - 1.0
        weight = -1.0 / 6.0 if place == 0 or place == 3 else 4.0 / 6.0
        bent = bent | (follow & _place_on_branch(stepper, follow, steps * way, time))
        _evaluate_with_forces_of_state(stepper, 0, time)
        clear = clear & ~flags_of(stepper.rank[0] < stepper.known_rank[0])
        least = where(stepper.pivot[0] < least, stepper.pivot[0], least)
        greatest = where(stepper.pivot[0] > greatest, stepper.pivot[0], greatest)
        for k in range(stepper.nv):
            stepper.mean_vdot[k] = stepper.mean_vdot[k] + weight * stepper.vdot[k]
        stepper.mean_power[0] = stepper.mean_power[0] + weight * stepper.powers[last]
    # Among redundant rows the least pivot jumps with the choice: one that is small beside the others may still be far from that of the zone.
    clear = clear & ~(flags_of(least < CLEAR * greatest) & flags_of(least < SCREEN * stepper.known_pivot[0]))
    bent = bent & clear  # a place in the zone decides nothing: another distance may
    return clear & ~bent, bent


@kernel
def _place_on_branch(stepper: Stepper, follow, way, time) -> int:
    """q and v moved along the motion for a time `way`, and projected. Returns flags of the lanes where that does not lead along the motion."""
    model = open_tables(stepper.model)
    for k in range(stepper.nv):
        stepper.correction[k] = way * stepper.current_v[k]
        stepper.v[k] = stepper.current_v[k]
    move(model, stepper.current_q, stepper.correction, stepper.q)
    stepper.ahead[0] = way
    evaluate(stepper, GAPS, time)
    _project(stepper, follow, time)
    subtract(model, stepper.current_q, stepper.q, stepper.correction)
    for k in range(stepper.nv):
        stepper.correction[k] = stepper.correction[k] - way * stepper.current_v[k]
    off, moved = size_of(stepper, stepper.correction), size_of(stepper, stepper.current_v) * where(way < 0.0, -way, way)
    return flags_of(off > BENT * moved)


@kernel(entry="i d -> n")
def accelerations(stepper: Stepper, time) -> None:
    """`accelerate`, from Python."""
    accelerate(stepper, 0, time)


@kernel(entry="i -> n")
def learn_current_rank(stepper: Stepper) -> None:
    """`learn_rank`, from Python."""
    learn_rank(stepper)
