"""Runs that fail say so, by name, and keep nothing that is no motion."""

import json
import math
import re
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT
from linkwork.simulation.audit import Audit


def slider(*forces, mass=1.0):
    """A block on a rail, without gravity along it, under forces along it."""
    m = lw.Mechanism("slider")
    block = m.add_body("block", mass=mass, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, block)
    for k, kind in enumerate(forces):
        m.add_force(f"force {k}", kind, "rail")
    return m


def pendulum():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    return m


def failed(run):
    with pytest.warns(lw.FailedRunWarning) as caught:
        recording = run()
    assert recording.status == "failed"
    (said,) = (str(one.message) for one in caught if one.category is lw.FailedRunWarning)
    return recording, said


# ---- energy from nowhere


@pytest.mark.parametrize("stiffness", [1e7, 1e9, 1e13])
@pytest.mark.parametrize("integrator", [lw.RungeKutta4(1e-3), lw.SemiImplicitEuler(1e-3)])
def test_a_spring_far_too_stiff_does_not_finish_with_momenta_of_1e265(stiffness, integrator):
    """It finished, or failed with states of 1e150 and infinite energies on record; semi-implicit Euler raised out of the run."""
    recording, said = failed(lambda: lw.simulate(slider(lw.JointSpring(stiffness)), 0.5, integrator, q=[0.1]))
    assert "energy has grown from nowhere" in said and "'slider'" in said and "'force 0'" in said and "smaller step" in said
    assert all(np.isfinite(recording[name]).all() for name in recording.channels)
    # Never faster than the spring could make it: sqrt(k/m) x.
    assert np.abs(recording.v).max() <= 2.0 * math.sqrt(stiffness) * 0.1
    assert np.isfinite(recording.audit.relative) and recording.audit.relative < 1.0


def test_an_overflow_is_no_success_for_programs(tmp_path, capsys):
    """Exit code 0, "ok": true and a relative error of NaN."""
    from linkwork.cli.main import main

    path = tmp_path / "stiff.toml"
    lw.Document(slider(lw.JointSpring(1e9))).save(path)
    code = main(["run", str(path), "--duration", "0.02", "--set", "rail.q=0.1", "--json", "--out", str(tmp_path / "run.arrow")])
    said = json.loads(capsys.readouterr().out)
    assert code == 1 and said["ok"] is False and said["status"]["word"] == "failed" and said["status"]["force"] == "force 0"
    kept = lw.Recording.load(tmp_path / "run.arrow")
    assert kept.status == "failed" and np.isfinite(kept.v).all()


@pytest.mark.slow
def test_a_stiff_law_of_a_users_own_is_found_out_too():
    """It stores nothing that could be looked at: its work, and the balance, must tell."""

    @lw.force(on="joint")
    def stiff(q, v, t, k=1e8):
        return -k * q

    recording, said = failed(lambda: lw.simulate(slider(stiff()), 0.5, q=[0.1]))
    assert "energy has grown from nowhere" in said and np.abs(recording.v).max() < 1e4


def test_what_was_sound_before_a_brake_was_thrown_in_stays():
    """The recording ends with the last sound sample, and the simulation stands there."""
    sim = lw.Simulation(slider(lw.JointDamper(0.0)), q=[0.0], v=[1.0])
    sim.run(0.3)
    sim.change("force 0", damping=1e5)
    recording, _ = failed(lambda: sim.run(0.3))
    assert recording.time[-1] == pytest.approx(0.3) and sim.time == recording.time[-1] and sim.state.v == pytest.approx(1.0)
    sim.change("force 0", damping=1.0)
    assert sim.run(0.3).status == "finished"  # from where it was sound


def test_a_blown_up_run_after_a_resume_goes_back_too(tmp_path):
    path = tmp_path / "run.ckpt"
    sim = lw.Simulation(slider(lw.JointDamper(0.0)), v=[1.0], checkpoint=path)
    sim.run(0.2)
    again = lw.Simulation.resumed(path, slider(lw.JointDamper(0.0)))
    again.change("force 0", damping=1e5)
    recording, _ = failed(lambda: again.run(0.2))
    assert len(recording) == 11 and again.time == pytest.approx(0.2)


def test_a_live_mechanism_that_blows_up_stands_where_it_was_sound():
    live = lw.Live(slider(lw.JointDamper(0.0)))
    live.simulation.state = lw.State(0.0, [0.0], [1.0])
    live.advance(0.1)
    live.change("force 0", damping=1e5)
    assert live.advance(0.5) == "failed" and "energy has grown" in str(live.status)
    assert live.time == pytest.approx(0.1) and live.v == pytest.approx(1.0)


def test_copies_of_a_rollout_that_blow_up_are_marked_and_others_go_on():
    model = slider(lw.JointSpring(1e9)).build()
    q = np.zeros((11, 1))
    q[[0, 7]] = 0.3
    found = lw.rollout(model, q, np.zeros((11, 1)), 40, every=10)
    assert found.failed.tolist() == [k in (0, 7) for k in range(11)]
    assert np.isnan(found.q[[0, 7], 1:]).all() and (found.q[1] == 0.0).all()


def test_a_fast_copy_of_a_rollout_has_not_failed():
    model = slider()
    model.add_force("jet", lw.Motor(force=(1e4, 0, 0), reaction=False), "block")
    found = lw.rollout(model, np.zeros((3, 1)), np.zeros((3, 1)), 1000, every=250)
    assert not found.failed.any() and found.v[:, -1, 0] == pytest.approx(1e4)


# ---- and no false alarms


@lw.force(on="joint")
def cubed(q, v, t, jerk=1e4):
    return jerk * t**3


@lw.controller(rate=200.0)
def follow(t, q, v, kp=2000.0, kd=20.0):
    return -kp * (q - math.sin(3.0 * t)) - kd * v


@pytest.mark.parametrize("frame", [0.02, 5e-3])
@pytest.mark.parametrize("integrator", [lw.SemiImplicitEuler(5e-3), lw.RungeKutta4(5e-3)])
@pytest.mark.parametrize("case", ["spring", "ramp", "controller", "motor", "stops", "fall"])
def test_rough_steps_motors_and_impacts_are_no_energy_from_nowhere(case, integrator, frame):
    """Explicit methods with much drift, started from rest: they may be poor, but they move the mechanism."""
    m, options = slider(), {}
    if case == "spring":
        m, options = slider(lw.JointSpring(2e4)), {"q": [0.1]}  # 0.7 of what semi-implicit Euler can bear
    elif case == "ramp":
        m = slider(cubed())
    elif case == "controller":
        options = {"controllers": [follow()]}
    elif case == "motor":
        m.add_force("jet", lw.Motor(force=(1e5, 0, 0), reaction=False), "block")
    elif case == "stops":
        m = lw.Mechanism("bouncing")
        block = m.add_body("block", mass=1.0, inertia=(1, 1, 1))
        m.add_joint("rail", lw.Prismatic((0, 0, 1), lower=0.0, upper=2.0), m.ground, block)
        options = {"q": [1.5]}
    else:
        m = lw.Mechanism("stone")
        m.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.FailedRunWarning)
        recording = lw.simulate(m, 1.0, integrator, record_interval=frame, **options)
    assert recording.status == "finished" and np.abs(recording.v).max() > 0.5  # it did move


@lw.force(on="joint")
def setting_in(q, v, t, rate=2e5):
    return rate * max(t - 1.0, 0.0)


EVERY_STEP = [lw.Adaptive(), lw.Adams(), lw.Implicit(), lw.Implicit(1e-3), lw.Variational(), lw.RungeKutta4(1e-3), lw.RungeKutta4(1e-5)]


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [*EVERY_STEP, lw.SemiImplicitEuler(1e-3)], ids=str)
@pytest.mark.parametrize("jumps", [False, True])
def test_work_of_a_force_that_sets_in_at_rest_is_no_energy_from_nowhere(jumps, integrator):
    """At rest rounding is more than a tenth of almost no energy: "400 J where start, forces and gravity explain 0.0001 J", all of it work."""
    kind = lw.JointTable([1.0, 3.0], [2e3, 2e3], outside="zero") if jumps else setting_in()
    recording = lw.simulate(slider(kind), 1.2, integrator)
    reached = 400.0 if jumps else 4000.0  # m/s, the integral of force over mass
    # A step across the jump takes 2 kN for up to 1 ms too long; Euler's rule takes a ramp half a step late, 20 m/s of 40 kN in the end.
    assert recording.status == "finished" and recording.v[-1, 0] == pytest.approx(reached, abs=2.1 if jumps else 21.0)


@pytest.mark.slow
def test_growth_from_rounding_at_an_unstable_rest_is_no_energy_from_nowhere():
    """exp(1000 t) from 1e-12 m: below the least energies nothing balances, above them all is work of the force."""

    @lw.force(on="joint")
    def repelling(q, v, t):
        return 1e6 * q

    recording = lw.simulate(slider(repelling()), 0.04, lw.Adaptive(), q=[1e-12], record_interval=0.01)
    # A start below atol = 1e-10 is followed to about a hundredth of itself.
    assert recording.status == "finished" and recording.q[-1, 0] == pytest.approx(1e-12 * math.cosh(40.0), rel=1e-2)


@pytest.mark.parametrize("x", [0.1, 1e-6])
@pytest.mark.parametrize("integrator", [lw.RungeKutta4(1e-3), lw.SemiImplicitEuler(1e-3)])
def test_a_spring_of_a_users_own_that_turns_too_stiff_at_one_time_is_found_out(x, integrator):
    """The force sets in by time, but in the state where the motion was sound it explains next to nothing of what the steps make of it."""

    @lw.force(on="joint")
    def stiffening(q, v, t):
        return -1e8 * q if t > 0.1 else -10.0 * q

    recording, said = failed(lambda: lw.simulate(slider(stiffening()), 0.5, integrator, q=[x]))
    found, explained = (float(re.search(words, said)[1]) for words in (r"s: ([\d.e+-]+) J", r"explain ([\d.e+-]+) J at most"))
    assert "energy has grown from nowhere" in said and np.abs(recording.v).max() <= 1e4 * x
    assert found > 100.0 * explained and explained >= 0.5 * 1e-4  # what is said is what was judged: energies of 1 cm/s are always explained


def test_chaotic_motion_is_no_energy_from_nowhere():
    m = pendulum()
    second = m.add_body("second", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), m.body("bob").at(0, 0, -1), second)
    recording = lw.simulate(m, 20.0, lw.RungeKutta4(5e-3), q=[math.pi - 1e-6, 0.0])
    assert recording.status == "finished" and np.ptp(recording.q) > 6.0


# ---- what is said


def test_a_failed_run_is_warned_of_by_name_with_time_cause_and_advice():
    recording, said = failed(lambda: lw.simulate(slider(lw.JointSpring(1e9)), 0.5, q=[0.1]))
    assert said.startswith("simulation of 'slider' failed at 0 s: energy") and "try" in said
    with pytest.raises(lw.SolverError, match="energy has grown"), warnings.catch_warnings():
        warnings.simplefilter("error")  # an exception needs no warning beside it
        lw.simulate(slider(lw.JointSpring(1e9)), 0.5, q=[0.1], raises=True)


def test_the_warning_of_a_failed_run_points_to_the_users_line():
    with pytest.warns(lw.FailedRunWarning) as caught:
        lw.simulate(slider(lw.JointSpring(1e9)), 0.5, q=[0.1])
    assert caught[0].filename == __file__ and caught[0].message.status == "failed"


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="in plain Python a function's exceptions are its own")
@pytest.mark.parametrize("integrator", [lw.RungeKutta4(1e-3), lw.SemiImplicitEuler(1e-3), lw.Adaptive(), lw.Adams(), lw.Implicit(1e-3)])
@pytest.mark.parametrize("compiled", [True, False])
def test_a_force_that_raises_after_the_start_is_not_told_as_a_step_too_large(integrator, compiled):
    """It was "a state that is not finite; try a smaller step"."""
    seen = {}

    def late(q, v, t):
        if t > 0.1:
            raise RuntimeError("out of fuel")
        return -q

    def late_and_interpreted(q, v, t):
        seen["t"] = t  # a dictionary is not compiled
        return late(q, v, t)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.InterpretedWarning)
        kind = lw.force(late if compiled else late_and_interpreted, on="joint")()
        recording, said = failed(lambda: lw.simulate(slider(kind), 0.3, integrator, q=[0.5]))
    assert "force 'force 0' raised RuntimeError: out of fuel" in said and "smaller step" not in said and "correct that function" in said
    assert recording.status.force == "force 0" and 0.08 < recording.time[-1] <= 0.1001


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="in plain Python a function's exceptions are its own")
def test_a_controller_that_raises_is_named():
    @lw.controller(rate=100.0)
    def broken(t, q, v, tau):
        if t > 0.1:
            raise RuntimeError("no signal")

    _, said = failed(lambda: lw.simulate(slider(), 0.3, controllers=[broken]))
    assert "controller 'broken' raised RuntimeError: no signal" in said


@pytest.mark.skipif(not JIT, reason="in plain Python a function's exceptions are its own")
def test_an_exception_while_a_sample_is_looked_at_is_not_swallowed():
    """Steps passed by, the sample had NaN in its channels, and nobody was told."""
    seen = {}

    def picky(q, v, t):
        seen["t"] = t
        if abs(t - 0.04) < 1e-9:
            raise RuntimeError("not at 40 ms")
        return -q

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.InterpretedWarning)
        recording, said = failed(lambda: lw.simulate(slider(lw.force(picky, on="joint")()), 0.1, lw.Adaptive(), q=[0.5], record="all"))
    assert "raised RuntimeError: not at 40 ms" in said and recording.time[-1] == pytest.approx(0.02)
    assert all(np.isfinite(recording[name]).all() for name in recording.channels)


@pytest.mark.slow
def test_a_failed_implicit_run_does_not_advise_implicit():
    @lw.force(on="joint")
    def jumping(q, v, t):
        return 1e9 if math.sin(1e6 * q) > 0.0 else -1e9

    _, said = failed(lambda: lw.simulate(slider(jumping()), 0.1, lw.Implicit(1e-3), q=[0.5]))
    assert "or Implicit" not in said and "smaller step" in said


def test_a_failure_at_a_singular_pose_names_the_joints_of_the_loop(monkeypatch):
    """A parallelogram stretched out flat: the advice is not a smaller step."""
    m = lw.Mechanism("parallelogram")
    for name in ("left", "coupler", "right"):
        m.add_body(name, mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    axis = (0, 1, 0)
    m.add_joint("A", lw.Revolute(axis), m.ground, "left")
    m.add_joint("B", lw.Revolute(axis), m.body("left").at(1, 0, 0), "coupler")
    m.add_joint("C", lw.Revolute(axis), m.body("coupler").at(1, 0, 0), m.body("right").at(1, 0, 0))
    m.add_joint("D", lw.Revolute(axis), m.ground.at(1, 0, 0), "right")
    near = lw.assemble(m.build(), [1e-5, -1e-5, 1e-5, 1e-5])
    sim = lw.Simulation(m, q=near)
    monkeypatch.setattr(sim.method, "advance", _gives_up)
    _, said = failed(lambda: sim.run(0.1))
    assert "near a singular pose" in said and "'B'" in said and "lw.mobility" in said and "smaller step" not in said


def _gives_up(until):
    from linkwork.integrators.integrator import StepError

    raise StepError("Newton's method did not converge")


def test_constraints_that_contradict_each_other_do_not_finish_with_twenty_warnings():
    """Two drives of one hinge that part at 0.1 s."""
    from scipy.interpolate import PPoly

    m = pendulum()
    for name, acceleration in (("slow", 1.0), ("fast", 6.0)):
        m.add_constraint(name, lw.SpeedDrive(PPoly([[1.0, acceleration], [0.0, 0.1]], [0.0, 0.1, 1.0])), "pivot")
    recording, said = failed(lambda: lw.simulate(m, 0.5))
    assert "contradict" in said and "'slow'" in said and "'fast'" in said
    assert recording.time[-1] <= 0.1201 and not any("contradict" in text for text in recording.audit.warnings)


# ---- runs that lead nowhere


def test_adaptive_steps_from_accelerations_that_are_no_numbers_come_to_an_end():
    """A size that is no number does not pass for one that is long enough; and the run says that it failed."""

    @lw.force(on="joint")
    def nothing(q, v, t):
        return math.nan

    recording, said = failed(lambda: lw.simulate(slider(nothing()), 0.1, lw.Adaptive(), q=[0.5]))
    assert len(recording) == 1 and "force 0" in said


@pytest.mark.parametrize("method", ["Adaptive", "Adams"])
def test_a_run_that_makes_no_progress_stops_and_says_so(method, monkeypatch):
    """A spring of 1e11 N/m wants steps of 1e-6 s: a frame takes 20 000 of them, which are too many for the patience set here."""
    from linkwork.integrators import progress_check

    monkeypatch.setattr(progress_check, "MANY", 5000)
    monkeypatch.setattr(progress_check, "SHARE", 0.9)
    _, said = failed(lambda: lw.simulate(slider(lw.JointSpring(1e11)), 0.1, getattr(lw, method)(), q=[1e-3]))
    assert "no progress" in said and "are to go" in said


# ---- functions that turn back to the run that calls them


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="in plain Python a function's exceptions are its own")
@pytest.mark.parametrize("what", ["state", "recording", "step", "change"])
@pytest.mark.parametrize("integrator", [lw.Adaptive(), lw.RungeKutta4(1e-3)])
def test_a_force_that_turns_to_its_own_run_is_refused(what, integrator):
    """sim.state inside a step of Adaptive changed the motion by 3e-4; sim.step() took steps within steps."""
    sims = []

    def turning(q, v, t):
        if sims and t > 0.011:
            {
                "state": lambda sim: sim.state,
                "recording": lambda sim: sim.recording,
                "step": lambda sim: sim.step(),
                "change": lambda sim: sim.switch("force 0", False),
            }[what](sims[0])
        return -q

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.InterpretedWarning)
        sims.append(lw.Simulation(slider(lw.force(turning, on="joint")()), integrator, q=[0.5]))
        _, said = failed(lambda: sims[0].run(0.1))
    assert "raised StateError: sim." in said and "under way" in said


def test_each_frame_may_turn_to_its_run():
    seen = []
    lw.Simulation(slider(lw.JointSpring(1.0)), q=[0.5]).run(0.1, each_sample=lambda sim: seen.append((sim.state.t, len(sim.recording))))
    assert len(seen) == 5


# ---- receipts


def audit(**given):
    usual = {"model": "m", "start": 0.0, "end": 1.0, "kinetic_start": 0.0, "kinetic_end": 0.0, "potential_start": 0.0, "potential_end": 0.0}
    usual |= {
        "forces": (),
        "drives": 0.0,
        "losses": 0.0,
        "numerical": 0.0,
        "largest_numerical": 0.0,
        "largest_numerical_time": 0.0,
        "scale": 0.0,
    }
    return Audit(**usual | given)


def test_energies_of_rounding_are_not_unbalanced():
    """ "energy NOT balanced: 1e-33 J of 1e-33 J" of a mechanism at rest."""
    at_rest = audit(kinetic_end=1e-33, largest_numerical=1.2e-33, scale=1e-33)
    assert "NOT" not in str(at_rest) and at_rest.relative == 0.0
    on_a_hill = audit(potential_start=1e4, potential_end=1e4, largest_numerical=1e-12, scale=1e-12)
    assert "NOT" not in str(on_a_hill)
    assert "NOT balanced" in str(audit(kinetic_end=1e-9, largest_numerical=1e-9, scale=1e-9))
    assert "NOT balanced" in str(audit(kinetic_end=1.0, largest_numerical=math.nan, scale=math.nan))


def test_the_time_of_compiling_is_not_the_time_of_a_run(monkeypatch):
    """A first receipt said "0.17 x real time" of a run that takes a hundredth of that."""
    import time

    from linkwork.kernels.progress import Display

    sim = lw.Simulation(slider(lw.JointSpring(1.0)), q=[0.5], record="all")
    sim.run(0.1)
    before, display = sim.recording.audit.wall_time, Display(announces=False)
    advance = sim.method.advance

    def compiling_first(until):
        begun = display.begin()
        time.sleep(0.2)
        display.end(begun, 0)
        advance(until)

    monkeypatch.setattr(sim.method, "advance", compiling_first)
    recording = sim.run(0.02)
    assert recording.audit.wall_time - before < 0.2 and recording["solver_time"][-1] < 0.2


# ---- rollouts begin as simulations do


def four_bar():
    return lw.shipped("four-bar").mechanism.build()


@pytest.mark.parametrize("what", ["q", "v"])
def test_a_rollout_does_not_begin_off_the_constraints(what):
    """Simulation refused such a state, rollout moved it."""
    model = four_bar()
    q = np.tile(lw.assemble(model, lw.neutral(model)), (11, 1))
    v = np.zeros((11, model.nv))
    (q if what == "q" else v)[9, 0] += 1e-3
    with pytest.raises(lw.StateError, match=rf"^{what}\[9\]: constraint 'C' .*lw\.(assemble|project_velocity)"):
        lw.rollout(model, q, v, 10)
    with pytest.raises(lw.StateError, match=rf"^{what}: constraint 'C'"):
        lw.Simulation(model, q=q[9], v=v[9])


def test_a_rollout_keeps_loops_as_closed_as_a_simulation():
    """It let them open ten times as far before they were projected."""
    model = four_bar()
    q = lw.assemble(model, lw.neutral(model))
    v = lw.project_velocity(model, q, np.full(model.nv, 1.0))
    found = lw.rollout(model, q[None], v[None], 2000)
    sim = lw.Simulation(model, q=q, v=v)
    gaps = [np.abs(sim.system.gaps(t, *state)[0]).max() for t, *state in zip(found.time, found.q[0], found.v[0], strict=True)]
    assert 1e-12 < max(gaps[1:]) <= 1.1e-11  # a tenth of the gap of 1e-10, and what a step adds


def test_quaternions_of_a_rollout_that_are_nearly_unit_are_made_so():
    m = lw.Mechanism("stone")
    m.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    q = np.tile(lw.neutral(m.build()), (2, 1))
    q[1, 3] = 1.0 + 5e-7
    assert lw.rollout(m, q, np.zeros((2, 6)), 1).q[1, 0, 3] == 1.0
    q[1, 3] = 1.1
    with pytest.raises(lw.StateError, match=r"length 1\.1"):
        lw.rollout(m, q, np.zeros((2, 6)), 1)


@pytest.mark.parametrize("where", ["floor", "limit"])
def test_prescribed_motion_into_a_contact_or_a_limit_is_told_by_name(where):
    """The best answer was said to satisfy the laws to 2e-13 m/s, and a smaller step or Implicit to be the remedy."""
    m = lw.Mechanism("press")
    ram = m.add_body("ram", shape=lw.Box(0.1, 0.1, 0.1), density=1000)
    m.add_joint("rail", lw.Prismatic((0, 0, 1), lower=0.06 if where == "limit" else -np.inf), m.ground, ram)
    m.add_constraint("drive", lw.SpeedDrive(-0.5007), "rail")
    if where == "floor":
        m.add_floor()
        m.touch("ram", "ground")
    recording, said = failed(lambda: lw.simulate(m, 1.0, lw.ContactStepping(), q=[0.3]))
    assert "no impulse stops what 'drive' prescribes" in said and "Implicit" not in said
    left = float(re.search(r"satisfy the laws of contact to (\S+) m/s", said)[1])
    assert 1e-3 < left <= 0.5007  # what the first step that would pass leaves of the speed
    assert recording.q[-1, 0] == pytest.approx(0.05 if where == "floor" else 0.06, abs=1e-3)
