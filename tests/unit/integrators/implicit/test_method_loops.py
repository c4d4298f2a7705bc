"""Implicit on redundant rows: spatial linkages, several joints on one door, rows that pass through zero, singular poses, and what cannot be solved."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.implicit.held_rows import independent_rows
from linkwork.integrators.integrator import StepError
from linkwork.kernels import JIT

from ....laws.mechanisms import random_pose
from ....zoo import ZOO, configuration
from ...constraints.rank_cases import add_four_bar
from ..machines import error, start

needs_jit = pytest.mark.skipif(not JIT, reason="hundreds of runs take minutes in plain Python")
Z, X, Y = (0, 0, 1), (1, 0, 0), (0, 1, 0)


def moving(name, speed=1.0):
    """A mechanism of the zoo in motion: (model, q, v)."""
    example = ZOO[name]()
    model = example.mechanism.build()
    q = configuration(model, example.guess)
    return model, q, lw.project_velocity(model, q, speed * np.random.default_rng(1).normal(size=model.nv))


def largest_gaps(method):
    phi, rate = method.system.gaps(method.time, method.system.q, method.system.v)
    return np.abs(phi).max(), np.abs(rate).max()


OVERCONSTRAINED = (
    "Sarrus",
    "Bennett",
    "Bricard, line-symmetric",
    "Bricard, plane-symmetric",
    "Bricard, cube",
    "slider-crank",
    "scissor lift",
)


@needs_jit
@pytest.mark.parametrize("name", [*OVERCONSTRAINED, "parallelogram with two redundant links", "Watt six-bar", "RSSR"])
@pytest.mark.parametrize("step", [1e-2, 1e-3, 2e-4])
def test_newton_converges_on_overconstrained_linkages_which_stay_closed(name, step):
    model, q, v = moving(name)
    exact = start(lw.Adams(rtol=1e-11, atol=1e-12), model, q, v, tolerance=1e-12)
    exact.advance(0.1)
    method = start(lw.Implicit(step=step), model, q, v)
    method.advance(0.1)
    # (h v)^5 at 10 ms and some rad/s; below, what Adams and Newton's method leave. Bennett's loses digits with explicit methods.
    assert error(model, method, 0.1, *exact.state(0.1)[:2]) < 2e-8
    assert method.rejections == 0
    gap, rate = largest_gaps(method)
    assert gap < 2e-11 and rate < 1e-9
    assert np.abs(method.system.v).max() > 0.1, "it moves"


@needs_jit
@pytest.mark.parametrize("name", ["Sarrus", "RSSR"])
def test_fifth_order_on_spatial_loops(name):
    model, q, v = moving(name, speed=4.0)
    exact = start(lw.Adams(rtol=1e-13, atol=1e-14), model, q, v, tolerance=1e-13)
    exact.advance(0.2)
    errors = []
    for step in (0.04, 0.02):
        method = start(lw.Implicit(step=step, accuracy=1e-13), model, q, v)
        method.advance(0.2)
        errors.append(error(model, method, 0.2, *exact.state(0.2)[:2]))
    assert 4.5 < np.log2(errors[0] / errors[1]) < 5.6, errors


def test_a_sarrus_linkage_with_a_spring_runs_at_every_step():
    example = ZOO["Sarrus"]()
    m = example.mechanism
    m.add_force("spring", lw.SpringDamper(stiffness=200.0, damping=0.5, length=0.4), m.ground.at(0.1, 0.0, 0.0), m.bodies[-1])
    model = m.build()
    q = configuration(model, example.guess)
    found = []
    for step in (1e-2, 1e-3) if not JIT else (1e-2, 1e-3, 2e-4):
        method = start(lw.Implicit(step=step), model, q, np.zeros(model.nv))
        method.advance(0.02 if not JIT else 0.1)
        found.append(method.system.q.copy())
        assert method.rejections == 0 and largest_gaps(method)[0] < 2e-11
    assert np.abs(lw.difference(model, q, found[0])).max() > 1e-4
    assert np.abs(lw.difference(model, found[0], found[-1])).max() < 1e-6


DOORS = {
    "hinge and cylinder": (lw.Revolute(Z), lw.Cylindrical(Z)),
    "hinge and planar": (lw.Revolute(Z), lw.Planar(Z)),
    "two hinges": (lw.Revolute(Z), lw.Revolute(Z)),
    "cardan and ball": (lw.Universal(X, Y), lw.Spherical()),
    "two cardans": (lw.Universal(X, Y), lw.Universal(X, Y)),
    "slider and cylinder": (lw.Prismatic(Z), lw.Cylindrical(Z)),
}


def door(first, second, rng):
    """A body held twice at one place, anywhere: (model, q, v)."""
    m = lw.Mechanism("door")
    there, here = random_pose(rng), random_pose(rng)
    body = m.add_body("door", mass=rng.uniform(0.5, 5.0), com=0.5 * rng.normal(size=3), inertia=rng.uniform(0.1, 0.15, 3))
    m.add_joint("first", first, m.ground.at(there), body.at(here))
    m.add_joint("second", second, m.ground.at(there), body.at(here))
    m.add_force("band", lw.SpringDamper(stiffness=rng.uniform(1.0, 50.0), damping=rng.uniform(0.0, 1.0), length=0.3), body, m.ground)
    model = m.build()
    q = lw.neutral(model)
    return model, q, lw.project_velocity(model, q, rng.normal(size=model.nv))


@pytest.mark.slow
@needs_jit
@pytest.mark.parametrize("name", DOORS)
def test_a_body_held_by_two_joints_at_one_place_moves_as_by_explicit_steps_wherever_it_is(name):
    """70 placements each at 1 ms, some at 10 ms: 280 of 400 failed, or ended at 1e33, when rows of rounding were taken for independent."""
    for seed in range(70):
        model, q, v = door(*DOORS[name], np.random.default_rng(seed))
        exact = start(lw.RungeKutta4(step=5e-4), model, q, v, tolerance=1e-11)
        exact.advance(0.05)
        for step, allowed in ((1e-3, 1e-6), (1e-2, 1e-3))[: 2 if seed < 20 else 1]:
            method = start(lw.Implicit(step=step), model, q, v)
            method.advance(0.05)
            assert error(model, method, 0.05, *exact.state(0.05)[:2]) < allowed, (seed, step)
            assert largest_gaps(method)[0] < 2e-11, (seed, step)


def test_of_parallel_rows_the_longer_one_is_taken():
    """Two cardans on one body: a row about an axis that the first turn carries along is cos(angle) long, another sin(angle). At 90 degrees one is rounding."""
    m = lw.Mechanism("two cardans")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.12, 0.14))
    for name in ("first", "second"):
        m.add_joint(name, lw.Universal(X, Y), m.ground, body)
    model = m.build()
    for angle in (0.0, 0.5, np.pi / 2 - 1e-6, np.pi / 2):
        q = np.array([0.3, angle, 0.3, angle])
        rows, places = independent_rows(model, q, 0.0)
        assert len(rows) == 2 and (rows == places).all()
        assert np.linalg.svd(lw.constraint_jacobian(model, q).J[rows], compute_uv=False)[-1] > 0.5


@pytest.mark.slow
def test_a_row_on_positions_is_held_although_it_depends_on_one_on_velocities():
    """A drive and a speed drive say the same of one hinge. Only one row is independent, but both levels are held."""
    m = lw.Mechanism("driven twice")
    m.add_joint("hinge", lw.Revolute(Z), m.ground, m.add_body("wheel", mass=1.0, inertia=(1, 1, 1)))
    m.add_constraint("speed", lw.SpeedDrive(lambda t: np.cos(t)), m.joint("hinge"))
    m.add_constraint("place", lw.Drive(lambda t: np.sin(t)), m.joint("hinge"))
    model = m.build()
    rows, places = independent_rows(model, np.zeros(1), 0.0)
    assert len(rows) == len(places) == 1
    assert places[0] == next(c.rows.start for c in model.constraints if c.name == "place")
    method = start(lw.Implicit(step=0.05), model, np.zeros(1), np.ones(1))
    method.advance(1.0)
    assert abs(method.system.q[0] - np.sin(1.0)) < 1e-11 and abs(method.system.v[0] - np.cos(1.0)) < 1e-9


def test_a_mechanism_without_freedoms_lets_time_pass():
    m = lw.Mechanism("post")
    m.add_joint("foot", lw.Weld(), m.ground, m.add_body("post", mass=1.0, inertia=(1, 1, 1)))
    for integrator in (lw.Implicit(step=0.01), lw.Implicit()):
        recording = lw.simulate(m, 0.1, integrator)
        assert recording.status == "finished" and recording.time[-1] == 0.1


def test_a_body_that_two_hinges_lock_stands_still():
    m = lw.Mechanism("locked")
    body = m.add_body("body", mass=1.0, com=(0.3, 0.2, 0.1), inertia=(1, 1, 1))
    m.add_joint("one", lw.Revolute(Z), m.ground, body)
    m.add_joint("other", lw.Revolute(Y), m.ground, body)
    method = start(lw.Implicit(step=0.01), m.build(), np.zeros(2), np.zeros(2))
    method.advance(0.1)
    assert np.abs(method.system.q).max() < 1e-12


@pytest.mark.parametrize("rtol", [1e-5, 1e-7])
def test_a_loop_in_prescribed_motion_takes_few_steps_and_the_work_of_its_drive_is_known(rtol):
    """Velocities that a drive prescribes converge at once. Multipliers that began at zero then kept what an old matrix left of them: the work of the drive was
    off, steps shrank to 1e-6 s, and 1 s of motion took 65 000 of them."""
    m = lw.Mechanism("driven four-bar", gravity=(0.0, 0.0, -10.0))
    add_four_bar(m)
    m.add_constraint("motor", lw.SpeedDrive(0.7), "a")
    model = m.build()
    q = lw.assemble(model, lw.neutral(model))
    v = lw.project_velocity(model, q, np.zeros(model.nv))
    method = start(lw.Implicit(rtol=rtol, atol=1e-2 * rtol), model, q, v)
    before = lw.energy(model, q, v).total
    for _ in range(60):  # 33 steps take 1 s of motion at rtol=1e-7
        if method.time < 0.5:
            method.step()
        # what is left of the stages' multipliers and of those in equilibrium at their end is the error of order 3 of the stages
        exact = method.system.evaluate(method.time, method.system.q, method.system.v).multipliers
        assert np.abs(method.now.multipliers - exact).max() < 1e-5 * np.abs(exact).max()
    assert method.time >= 0.5
    change = lw.energy(model, method.system.q, method.system.v).total - before
    assert abs(change) > 1.0 and abs(method.system.works.sum() - change) < 10.0 * rtol * abs(change)


@pytest.mark.slow
def test_drives_that_contradict_each_other_stop_the_run_by_name_before_a_loop_is_open():
    m = lw.Mechanism("contradiction")
    m.add_joint("hinge", lw.Revolute(Z), m.ground, m.add_body("wheel", mass=1.0, inertia=(1, 1, 1)))
    m.add_constraint("steady", lw.Drive(lambda t: t), m.joint("hinge"))
    m.add_constraint("faster", lw.Drive(lambda t: t + t * t), m.joint("hinge"))
    method = start(lw.Implicit(step=0.01), m.build(), np.zeros(1), np.ones(1))
    with pytest.raises(StepError, match=r"constraint '(steady|faster)' stayed open by.*contradict"):
        method.advance(1.0)
    assert largest_gaps(method)[0] < 3e-5, "it stands at its last good state"


def test_a_flat_linkage_thrown_along_no_branch_fails_by_name_and_stays_small():
    """Three four-bars stretched out flat, with velocities that no motion has: there is none to follow. It once ended at 1e19."""
    model, q, v = moving("flat 3-four-bar")
    method = start(lw.Implicit(step=1e-2), model, q, v)
    with pytest.raises(StepError, match=r"parts of a step of 0\.01 s; .*(stayed open|out of balance|singular|further than)"):
        method.advance(0.2)
    assert np.abs(method.system.q).max() < 10.0 and largest_gaps(method)[0] < 1e-5


@pytest.mark.slow
@needs_jit
@pytest.mark.parametrize("integrator", [lw.Implicit(step=1e-2), lw.Implicit(step=1e-3), lw.Implicit()], ids=str)
def test_a_parallelogram_goes_round_through_its_singular_poses_on_its_branch(integrator):
    """Three cranks that start upright. Flat, twice a turn, each could turn back; an error eps of a position allows sqrt(eps) there: 3e-6 of 1e-11."""
    m = lw.Mechanism("three cranks", (0, -9.81, 0))
    cranks = [m.add_body(f"crank {i}", mass=1.0, com=(0, 0.5, 0), inertia=(0.1, 0.1, 0.1)) for i in range(3)]
    for i, crank in enumerate(cranks):
        m.add_joint(f"pivot {i}", lw.Revolute(Z), m.ground.at(i, 0, 0), crank)
    for i in range(2):
        coupler = m.add_body(f"coupler {i}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"left {i}", lw.Revolute(Z), cranks[i].at(0, 1, 0), coupler)
        m.add_joint(f"right {i}", lw.Revolute(Z), coupler.at(1, 0, 0), cranks[i + 1].at(0, 1, 0))
    model = m.build()
    turns = np.array([-1.0 if joint.name.startswith("left") else 1.0 for joint in model.joints])
    v = lw.project_velocity(model, np.zeros(model.nv), turns)
    method = start(integrator, model, np.zeros(model.nv), v)
    pivots = [model.joint(f"pivot {i}").q_index.start for i in range(3)]
    while method.time < 4.0:
        method.step()
        assert np.ptp(method.system.q[pivots]) < 1e-6, method.time
    assert method.system.q[pivots[0]] > 2.0 * np.pi, "it went round"
    assert largest_gaps(method)[0] < 2e-11
