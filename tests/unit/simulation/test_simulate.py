"""Simulation: the engine as its users meet it."""

import numpy as np
import pytest

import linkwork as lw


def pendulum(**options):
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.3, com=(0, 0, -0.7), inertia=(0.02, 0.02, 0.01))
    m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0), **options), m.ground, bob)
    return m


def pulled_pendulum():
    m = pendulum(damping=0.05)
    m.add_force("spring", lw.SpringDamper(4.0, 0.1, 0.4), m.body("bob").at(0, 0, -1), m.ground.at(0.8, 0.2, 0))
    return m


def four_bar():
    m = lw.Mechanism("four-bar")
    for name, length in (("crank", 0.2), ("coupler", 0.5), ("rocker", 0.4)):
        m.add_body(name, shape=lw.Box(length, 0.02, 0.02), density=2700.0)
    axis = (0, 1, 0)
    m.add_joint("A", lw.Revolute(axis), m.ground, m.body("crank").at(-0.1, 0, 0))
    m.add_joint("B", lw.Revolute(axis), m.body("crank").at(0.1, 0, 0), m.body("coupler").at(-0.25, 0, 0))
    m.add_joint("C", lw.Revolute(axis), m.body("coupler").at(0.25, 0, 0), m.body("rocker").at(0.2, 0, 0))
    m.add_joint("D", lw.Revolute(axis), m.ground.at(0.45, 0, 0), m.body("rocker").at(-0.2, 0, 0))
    return m


def test_the_ledger_of_energy_closes_with_springs_and_damping():
    rec = lw.Simulation(pulled_pendulum(), q=[1.2]).run(3.0)
    assert rec.status == "finished"
    assert np.ptp(rec.q) > 0.5  # it did swing
    entries = {entry.name: entry for entry in rec.audit.forces}
    assert set(entries) == {"spring", "pivot.damping"}
    assert entries["pivot.damping"].dissipated > 0.05
    # RungeKutta4 at 1 ms: the local error is near 1e-14 of the energy a step.
    assert abs(rec.audit.numerical) < 1e-10 * rec.audit.scale


def test_frames_know_the_wall_time_and_the_steps_they_took():
    sim = lw.Simulation(pulled_pendulum(), q=[1.2], record="all")
    rec = sim.run(0.5)
    assert rec["solver_time"][1:].min() > 0.0 and rec["solver_time"][1:].sum() <= rec.audit.wall_time
    assert rec["steps"].sum() == rec.audit.steps == 500


def test_frames_do_not_change_the_motion():
    ends = []
    for frame in (0.02, 0.1, 0.037, 0.0123):
        sim = lw.Simulation(pulled_pendulum(), q=[1.2], record_interval=frame)
        sim.run(1.0)
        ends.append(sim.state)
    assert all(np.array_equal(end.q, ends[0].q) and np.array_equal(end.v, ends[0].v) for end in ends)


def test_frames_between_steps_lie_on_the_motion():
    fine = lw.Simulation(pulled_pendulum(), lw.RungeKutta4(step=1e-4), q=[1.2], record_interval=0.0005).run(0.2)
    odd = lw.Simulation(pulled_pendulum(), lw.RungeKutta4(step=1e-3), q=[1.2], record_interval=0.0037).run(0.2)
    for k in range(1, len(odd) - 1):
        t = odd.time[k]
        if abs(t / 0.0005 - round(t / 0.0005)) < 1e-6:
            # order 4 with 1 ms: far below 1e-10
            assert abs(odd.q[k, 0] - fine.q[round(t / 0.0005), 0]) < 1e-10
    assert abs(odd.audit.numerical) < 1e-9 * odd.audit.scale


def test_a_run_in_pieces_is_the_same_run():
    whole = lw.Simulation(pulled_pendulum(), q=[1.2])
    whole.run(1.0)
    pieces = lw.Simulation(pulled_pendulum(), q=[1.2])
    for duration in (0.3, 0.0, 0.25, 0.45):
        pieces.run(duration)
    assert pieces.time == pytest.approx(1.0, abs=1e-12)
    assert np.array_equal(whole.state.q, pieces.state.q)
    assert whole.recording.audit.steps == pieces.recording.audit.steps == 1000


def test_at_looks_back_and_runs_ahead():
    sim = lw.Simulation(pulled_pendulum(), q=[1.2])
    ahead = sim.at(0.5)
    sim.run(0.5)
    back = sim.at(0.5)
    assert sim.time == pytest.approx(1.0)
    assert back.q == pytest.approx(ahead.q, abs=1e-12)


def test_setting_the_state_books_the_jump_as_no_fault_of_the_method():
    sim = lw.Simulation(pendulum(), q=[1.2])
    sim.run(0.5)
    sim.state = lw.State(sim.time, [0.3], [2.0])
    rec = sim.run(0.5)
    assert abs(rec.audit.numerical) < 1e-9
    assert sim.recording.audit.losses != 0.0


def test_a_force_changed_or_switched_off_acts_so_from_then_on():
    sim = lw.Simulation(pulled_pendulum(), q=[0.4])
    sim.run(0.2)
    sim.switch("spring", False)
    sim.switch("pivot.damping", False)
    before = lw.energy(sim.model, sim.state.q, sim.state.v)
    sim.run(1.0)
    after = lw.energy(sim.model, sim.state.q, sim.state.v)
    assert after.kinetic + after.potential == pytest.approx(before.kinetic + before.potential, abs=1e-10)
    sim.switch("spring", True)
    sim.change("spring", stiffness=400.0)
    sim.run(0.05)
    assert lw.energy(sim.model, sim.state.q, sim.state.v).kinetic > after.kinetic + 0.1


def test_a_refused_change_changes_nothing():
    sim = lw.Simulation(pulled_pendulum(), q=[0.4])
    with pytest.raises(lw.ModelError, match="stiffness is -1"):
        sim.change("spring", stiffness=-1.0)
    with pytest.raises(lw.UnknownNameError, match="spring"):
        sim.change("sprnig", stiffness=1.0)
    with pytest.raises(lw.UnknownNameError, match="stiffness"):
        sim.change("spring", stifness=1.0)
    assert sim.system.active_forces.words.view(float)[0] == 4.0


def test_pause_from_a_frame_and_resume_to_the_end():
    sim = lw.Simulation(pulled_pendulum(), q=[0.4])

    def stop_once(sim):
        if sim.time > 0.29 and sim.time < 0.31:
            sim.pause()

    rec = sim.run(1.0, each_sample=stop_once)
    assert rec.status == "stopped" and rec.time[-1] == pytest.approx(0.3)
    rec = sim.resume()
    assert rec.status == "finished" and rec.time[-1] == pytest.approx(1.0)


def test_ctrl_c_returns_what_was_recorded():
    sim = lw.Simulation(pulled_pendulum(), q=[0.4])

    def interrupt(sim):
        if sim.time > 0.3:
            raise KeyboardInterrupt

    rec = sim.run(1.0, each_sample=interrupt)
    assert rec.status == "interrupted" and 0.3 < rec.time[-1] < 0.35
    assert sim.resume().status == "finished"


def test_a_failing_step_keeps_the_last_good_state_and_names_parts():
    m = lw.Mechanism("slider")
    block = m.add_body("block", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, block)
    m.add_force("stiff", lw.JointSpring(1e9), "rail")  # a period of 0.2 ms, far beyond what steps of 1 ms can follow
    with pytest.warns(lw.FailedRunWarning, match="'slider' failed at 0 s: .*'stiff'.*smaller step"):
        rec = lw.Simulation(m, q=[0.3]).run(1.0)
    assert rec.status == "failed"
    assert rec.status.force == "stiff" and rec.status.joint == "rail" and rec.status.suggestion
    assert np.isfinite(rec.q).all() and np.isfinite(rec.v).all()
    with pytest.raises(lw.SolverError, match="stiff"):
        lw.Simulation(m, q=[0.3], raises=True).run(1.0)


def test_a_motion_that_invents_energy_is_warned_of():
    m = pendulum()
    m.add_force("stiff", lw.SpringDamper(1e7, 0.0, 0.1), m.body("bob").at(0, 0, -1), m.ground.at(0.8, 0, 0))
    rec = lw.Simulation(m, q=[0.3]).run(1.0)
    assert rec.status == "finished"  # all numbers are finite, but they are no motion
    assert any("does not balance" in warning for warning in rec.audit.warnings)


@pytest.mark.parametrize(("step", "told"), [(2e-3, True), (2e-4, False)])
def test_a_force_that_can_only_dissipate_and_supplies_energy_is_named(step, told):
    """A stiff support met by a long implicit step: the energy balances, with work that a support cannot do."""
    m = lw.Mechanism("drop")
    m.add_force("pad", lw.Support(stiffness=4e5, damping=10.0), m.add_body("b", mass=1.0, inertia=(0.01, 0.01, 0.01)), m.ground)
    audit = lw.simulate(m, 1.0, lw.Implicit(step=step), q=[0, 0, 0.5, 1, 0, 0, 0], v=[0, 0, 0, 1, 0, 0]).audit
    assert audit.relative < 0.01 and (audit.supplied > 0.01 * audit.scale) == told
    assert any("'pad' has done" in warning for warning in audit.warnings) == told


def test_loops_stay_closed():
    model = four_bar().build()
    q = lw.assemble(model, [0.4] + [0.0] * (model.nq - 1))
    for drift in ("project", "feedback"):
        sim = lw.Simulation(model, q=q, drift=drift)
        rec = sim.run(2.0)
        assert np.ptp(rec["A"]) > 1.0
        assert rec.audit.gap.value < (1e-10 if drift == "project" else 1e-8)
        assert abs(rec.audit.numerical) < 1e-7 * rec.audit.scale
    rough = lw.Simulation(model, lw.SemiImplicitEuler(step=5e-3), q=q).run(1.0)
    assert np.ptp(rough["A"]) > 0.5 and rough.audit.gap.value < 1e-10  # though a step opens the loop by more than that
    with pytest.raises(lw.StateError, match=r"open by .*lw.assemble"):
        lw.Simulation(model, q=np.full(model.nq, 0.3))


def test_prescribed_motion_is_followed_and_its_work_is_booked():
    m = pendulum()
    m.add_constraint("crank", lw.SpeedDrive(3.0), "pivot")
    rec = lw.Simulation(m, q=[0.2]).run(1.0)
    assert rec["pivot"][-1] == pytest.approx(3.2, abs=1e-9)
    lifted = rec["potential"][-1] - rec["potential"][0]
    assert abs(lifted) > 1.0
    assert rec["drives"][-1] == pytest.approx(lifted, abs=1e-9)


@pytest.mark.parametrize(
    "given",
    [
        {"record_interval": 0.0},
        {"record_interval": "x"},
        {"drift": "hope"},
        {"constraint_tolerance": -1},
        {"record": "everything"},
        {"q": [[0.1]]},
    ],
)
def test_wrong_settings_are_refused(given):
    with pytest.raises(lw.LinkworkError):
        lw.Simulation(pendulum(), **given)


def test_a_killed_run_resumes_to_the_same_bits(tmp_path):
    path = tmp_path / "run.checkpoint"
    whole = lw.Simulation(pulled_pendulum(), q=[1.2]).run(1.0)
    sim = lw.Simulation(pulled_pendulum(), q=[1.2], checkpoint=path, checkpoint_every=1e9)

    class Killed(BaseException):
        pass

    def kill(sim):
        if abs(sim.time - 0.5) < 1e-9:
            sim.save_checkpoint()
        if sim.time > 0.7:
            raise Killed

    with pytest.raises(Killed):
        sim.run(1.0, each_sample=kill)
    again = lw.Simulation.resumed(path, pulled_pendulum(), q=[1.2])
    assert again.time == pytest.approx(0.5)
    rec = again.resume()
    assert rec == whole
    assert rec.audit.numerical == whole.audit.numerical


def test_a_checkpoint_saved_by_hand_is_not_overwritten_by_the_next_run(tmp_path):
    branch, own = tmp_path / "branch.ckpt", tmp_path / "own.ckpt"
    sim = lw.Simulation(pulled_pendulum(), q=[1.2], checkpoint=own)
    sim.run(0.1)
    sim.save_checkpoint(own)
    sim.save_checkpoint(branch)
    whole = sim.run(0.2)
    assert lw.Simulation.resumed(branch, pulled_pendulum()).time == pytest.approx(0.1)
    assert lw.Simulation.resumed(own, pulled_pendulum()).recording == whole


@pytest.mark.parametrize("elsewhere", [None, "later.ckpt"])
def test_a_branch_point_is_taken_up_twice(tmp_path, elsewhere):
    branch = tmp_path / "branch.ckpt"
    sim = lw.Simulation(pulled_pendulum(), q=[1.2])
    sim.run(0.1)
    sim.save_checkpoint(branch)
    checkpoint = elsewhere and tmp_path / elsewhere
    first = lw.Simulation.resumed(branch, pulled_pendulum(), checkpoint=checkpoint).run(0.2)
    assert lw.Simulation.resumed(branch, pulled_pendulum(), checkpoint=checkpoint).run(0.2) == first
    assert checkpoint is None or lw.Simulation.resumed(checkpoint, pulled_pendulum()).recording == first


def test_checkpoints_after_a_state_at_another_time_hold_the_new_frames_alone(tmp_path):
    """Frames of the recording before, as many as had been saved, stood in the place of the new ones."""
    sim = lw.Simulation(pulled_pendulum(), q=[1.2], checkpoint=tmp_path / "c")
    sim.run(0.1)
    sim.state = lw.State(0.0, [0.2], [0.0])
    rec = sim.run(0.2)
    assert lw.Simulation.resumed(tmp_path / "c", pulled_pendulum()).recording == rec


def test_rollout_of_many_copies_is_each_copy_alone():
    model = pulled_pendulum().build()
    rng = np.random.default_rng(3)
    q, v = rng.uniform(-1, 1, (11, 1)), rng.normal(size=(11, 1))
    many = lw.rollout(model, q, v, 200, every=50)
    assert many.q.shape == (11, 5, 1) and not many.failed.any()
    for k in (0, 7, 10):
        sim = lw.Simulation(model, q=q[k], v=v[k])
        sim.run(0.2)
        assert many.q[k, -1] == pytest.approx(sim.state.q, abs=1e-12)
    two = lw.rollout(model, q, v, 200, every=50, threads=2)
    assert np.array_equal(two.q, many.q) and np.array_equal(two.v, many.v)


def test_limits_friction_and_damping_of_joints_act():
    m = pendulum(lower=-0.3, upper=0.5)
    rec = lw.Simulation(m, q=[0.4], v=[2.0]).run(3.0)
    # It hits both stops, which give way a little: m w^2 with w = 200 rad/s takes 2 rad/s within 0.01 rad.
    assert -0.32 < rec.q.min() < -0.25 and 0.49 < rec.q.max() < 0.52
    # A stop begins within a step, where its force has a kink: about k h^3 v^2 is lost to that at every hit.
    assert abs(rec.audit.numerical) < 1e-3 * rec.audit.scale
    assert {entry.name for entry in rec.audit.forces} == {"pivot.stop"}
    slowed = lw.Simulation(pendulum(friction=0.5), q=[0.4], v=[2.0]).run(10.0)
    # Dry friction holds against gravity, but for a creep below the slip speed: m g r sin(q) = 0.5 at 0.056 rad.
    assert abs(slowed.v[-1, 0]) < 0.02 and abs(slowed.q[-1, 0]) < 0.08
    free = lw.Simulation(pendulum(lower=-0.3, upper=0.5), q=[0.4], v=[2.0], joint_forces=False).run(3.0)
    assert free.q.min() < -0.5


@pytest.mark.slow
def test_a_controller_holds_its_torque_between_samples_and_keeps_to_effort_limits():
    @lw.controller(rate=100)
    def hold(t, q, v, kp=40.0, kd=4.0):
        return -kp * (q - 0.6) - kd * v

    rec = lw.Simulation(pendulum(), q=[0.0], controllers=[hold], record="all", record_interval=5e-3).run(4.0)
    assert rec.status == "finished"
    gravity = 1.3 * 9.81 * 0.7
    rest = rec.q[-1, 0]
    assert 40.0 * (0.6 - rest) == pytest.approx(gravity * np.sin(rest), abs=0.05)
    tau = rec["tau"][:, 0]
    assert len(np.unique(tau[:201])) <= 102  # frames every 5 ms, a new value every 10 ms
    assert abs(rec.audit.numerical) < 1e-8 * rec.audit.scale
    weak = lw.Simulation(pendulum(effort_limit=2.0), q=[0.0], controllers=[hold], record="all").run(1.0)
    assert np.abs(weak["tau"]).max() == pytest.approx(2.0)
    with pytest.raises(lw.ModelError, match="whole"):
        lw.Simulation(pendulum(), lw.RungeKutta4(step=3e-3), q=[0.0], controllers=[hold])
