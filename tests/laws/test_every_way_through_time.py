"""Every way to the same motion agrees with the others: each solver, each integrator, one state, a batch, a rollout; with forces, loops and constraints.

The mechanisms are those of the fuzzing campaign (tests/fuzz), by fixed seeds; `make fuzz` draws others.
"""

import functools

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

from ..fuzz.checks import IN_PROCESS, findings
from ..fuzz.draw import draw
from ..fuzz.hostile import hostile_findings
from ..fuzz.same_steps import same_steps
from ..fuzz.through_time import through_time

# Seeds that can be drawn, of every trait; enough of them for every joint, force and constraint kind to occur.
SEEDS = range(300, 360)
# Refused, or failed by name: 310 is a flat four-bar, which begins at a singular pose. 333 is a slider-crank moved by a prescribed distance, which leads to a
# dead point at 0.0437 s: velocities grow as 1 / sqrt(0.0437 - t), and beyond it no pose exists.
REFUSED = (310, 333)
# Seeds of campaigns on which ways parted in silence. 300107, 300144: Adams, and Implicit that follows its error, stepped over the last press of a damped
# support (2.9e-4 and 9e-5; decision 0020). 300191: solvers corrected positions beside a SpeedDrive otherwise (2.2e-3; decision 0006).
PARTED = (300107, 300144, 300191)
pytestmark = pytest.mark.skipif(
    not JIT, reason="many motions in plain Python take an hour; tests/laws/test_plain_python.py compares the kernels"
)


@functools.cache
def drawn(seed):
    """The case of a seed with its model, or None: random constraints may allow no state at all, and then there is nothing to compare."""
    try:
        case = draw(seed, further=False)
    except (lw.AssemblyError, lw.ModelError):
        return None
    return case, case.mechanism.build()


@pytest.mark.slow
def test_most_seeds_can_be_drawn_and_move():
    cases = [drawn(seed) for seed in SEEDS]
    moving = [case for case in cases if case is not None and any(np.any(np.abs(rates) > 0.01) for rates in case[0].v.values())]
    assert len(moving) > 0.6 * len(SEEDS)  # others contradict themselves, or are locked, as some are meant to
    kinds = {type(joint.kind).__name__ for case, _ in moving for joint in case.mechanism.joints}
    kinds |= {type(force.kind).__name__ for case, _ in moving for force in case.mechanism.forces}
    assert len(kinds) > 20, kinds


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_every_way_through_time_agrees(seed):
    """No two ways differ by more than their own errors, unless something was said (in the audit at least: "told"). What is "slow" depends on the machine."""
    if drawn(seed) is None:
        pytest.skip("no state satisfies the constraints of this seed")
    case, _ = drawn(seed)
    found = [*findings(case, IN_PROCESS), *hostile_findings(case)]
    assert [
        finding for finding in found if finding.kind in ("silent", "raw") or (finding.kind == "loud" and not _may_fail(seed, finding))
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", PARTED)
def test_ways_that_parted_in_a_campaign_stay_together(seed):
    case = draw(seed)
    model = case.mechanism.build()
    found = [*through_time(case, model), *same_steps(case, model)]
    assert [finding for finding in found if finding.kind != "slow"] == []


def _may_fail(seed, finding):
    """EnergyMomentum is there for comparison, and takes 5 ms here: where a string or a stop sets in, its Newton iteration may not converge, and says so."""
    return seed in REFUSED or finding.check.endswith("EnergyMomentum")


def chain(links):
    """A loop of equal hinged links on the ground with a spring from one of them to the ground."""
    m = lw.Mechanism("chain", gravity=(0.0, 0.0, -9.81))
    angles = np.linspace(0.0, 2.0 * np.pi, links + 1)
    corners = np.column_stack([np.cos(angles), 0.0 * angles, np.sin(angles)])
    before, place = m.ground, lw.Pose(corners[0])
    for k in range(links):
        length = float(np.linalg.norm(corners[k + 1] - corners[k]))
        link = m.add_body(f"link {k}", mass=1.0, com=(length / 2, 0, 0), inertia=(0.01, 0.02, 0.02))
        m.add_joint(f"hinge {k}", lw.Revolute((0, 1, 0)), before.at(place), link)
        before, place = link, lw.Pose((length, 0.0, 0.0))
    m.add_joint("closing", lw.Revolute((0, 1, 0)), before.at(place), m.ground.at(lw.Pose(corners[0] + [0.3, 0.0, 0.1])))
    m.add_force("spring", lw.SpringDamper(50.0, length=0.3), "link 4", m.ground.at(0.0, 0.0, 0.5))
    return m


@pytest.mark.parametrize("links", [6, 8, 9, 12])
def test_a_spring_on_a_long_loop_moves_it_alike_in_a_simulation_and_in_a_rollout(links):
    """Sweeps of forces overwrote the motion of links in loops of six and more: 4.7 rad after a second.

    The tolerance is what one second of a chain that whips makes of 1e-10 of projection.
    """
    model = chain(links).build()
    turn = -2.0 * np.pi / links  # from link to link around the ring; the first begins half of it beyond the tangent
    guess = lw.neutral(model)
    for k in range(links):
        guess[model.joint(f"hinge {k}").q_index] = turn if k else -0.5 * np.pi + 0.5 * turn
    q = lw.assemble(model, guess)
    v = np.zeros(model.nv)
    ends = [lw.simulate(model, 0.5, lw.RungeKutta4(1e-3), q=q, v=v, solver=solver).q[-1] for solver in ("sparse", "articulated")]
    ends.append(lw.rollout(model, q[None], v[None], 500, lw.RungeKutta4(1e-3), every=500).q[0, -1])
    assert np.abs(ends[0] - q).max() > 0.3
    assert np.abs(ends[1] - ends[0]).max() < 1e-6 and np.abs(ends[2] - ends[0]).max() < 1e-6


def test_a_motor_on_one_joint_stops_no_wheel_elsewhere():
    """Three free wheels, a door on two hinges, two sliders on it, a motor on the last: a rollout stopped a wheel."""
    m = lw.Mechanism("wheels and a door", gravity=(0.0, 0.0, 0.0))
    for k in range(3):
        wheel = m.add_body(f"wheel {k}", mass=1.0, inertia=(0.1, 0.1, 0.2))
        m.add_joint(f"axle {k}", lw.Revolute((0, 0, 1)), m.ground.at(k, 0, 0), wheel)
    door = m.add_body("door", mass=5.0, com=(0.5, 0, 0), inertia=(0.5, 0.5, 0.5))
    for k in range(2):
        m.add_joint(f"hinge {k}", lw.Revolute((0, 0, 1)), m.ground.at(0, 3, k), door.at(0, 0, k))
    before = door
    for k in range(2):
        slider = m.add_body(f"slider {k}", mass=0.5, inertia=(0.01, 0.01, 0.01))
        m.add_joint(f"rail {k}", lw.Prismatic((1, 0, 0)), before.at(0.2, 0, 0), slider)
        before = slider
    m.add_force("motor", lw.Motor(force=(3.0, 0, 0)), "slider 1", "slider 0")
    model = m.build()
    v = np.zeros(model.nv)
    for k in range(3):
        v[model.joint(f"axle {k}").v_index] = 1.0 + k
    v = lw.project_velocity(model, lw.neutral(model), v)
    rolled = lw.rollout(model, lw.neutral(model)[None], v[None], 500, lw.RungeKutta4(1e-3), every=500)
    runs = [lw.simulate(model, 0.5, lw.RungeKutta4(1e-3), v=v, solver=solver) for solver in ("sparse", "articulated")]
    for k in range(3):
        at = model.joint(f"axle {k}").v_index
        for velocity in (rolled.v[0, -1], *(run.v[-1] for run in runs)):
            assert velocity[at] == pytest.approx(1.0 + k, abs=1e-12)  # nothing touches a wheel
    assert np.abs(rolled.q[0, -1] - runs[0].q[-1]).max() < 1e-9
    assert abs(rolled.v[0, -1][model.joint("rail 1").v_index][0]) > 0.5
