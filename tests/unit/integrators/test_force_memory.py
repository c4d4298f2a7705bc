"""Laws that remember: their state moves on with accepted steps only, in every method, and goes along wherever the motion goes."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.parts.forces.stick_slip import FREE, SLIDING, STICKING

G, MASS = 9.81, 2.0
METHODS = {
    "SemiImplicitEuler": lw.SemiImplicitEuler(step=5e-4),
    "RungeKutta4": lw.RungeKutta4(step=5e-4),
    "ContactStepping": lw.ContactStepping(step=5e-4),
    "Adaptive": lw.Adaptive(rtol=1e-6, atol=1e-8),
    "Adaptive of order 8": lw.Adaptive(order=8, rtol=1e-6, atol=1e-8),
    "Adams": lw.Adams(rtol=1e-6, atol=1e-8),
    "Implicit": lw.Implicit(step=1e-3),
    "Implicit that follows its error": lw.Implicit(),
    "Variational": lw.Variational(step=5e-4),
}
AT_REST = MASS * G / 4e4  # m, how deep the slider below stands


def slider(slope=0.0, friction=0.5, static=0.7):
    """A block that does not turn with a point that sticks, on a plane that is level or inclined."""
    m = lw.Mechanism("slider", gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    block = m.add_body("block", mass=MASS, inertia=(1, 1, 1))
    m.add_joint("slides", lw.Translational(), m.ground, block)
    m.add_force("sole", lw.StickSlip(4e4, 400.0, friction, static), block)
    return m


def state_of(sim):
    return sim.system.memory["sole"][0]


@pytest.mark.parametrize("name", METHODS)
def test_a_block_below_the_limit_of_friction_sticks_and_stays(name):
    sim = lw.Simulation(slider(slope=0.4).build(), METHODS[name], q=[0, 0, -AT_REST])  # tan 0.4 = 0.42
    sim.advance(0.5)
    q, v = sim.state.q.copy(), sim.state.v
    assert state_of(sim) == STICKING
    sim.advance(0.5)
    assert np.abs(sim.state.q - q).max() < 1e-6 and np.abs(v).max() < 1e-3  # a creep at the threshold of sticking would be 5e-4 m
    assert 1e-5 < np.hypot(*q[:2]) < 1e-3  # it has yielded by the spring, m g sin / k_t = 2e-4 m, and slid for a moment


@pytest.mark.parametrize("name", METHODS)
def test_a_block_that_is_pushed_off_stops_where_friction_has_taken_its_energy_and_sticks(name):
    sim = lw.Simulation(slider().build(), METHODS[name], q=[0, 0, -AT_REST], v=[0.6, 0.8, 0])
    sim.advance(0.1)
    assert state_of(sim) == SLIDING
    sim.advance(0.4)
    assert state_of(sim) == STICKING
    assert np.hypot(*sim.state.q[:2]) == pytest.approx(1.0 / (2 * 0.5 * G), rel=3e-3)  # v^2 / (2 mu g); order 1 errs by v h / 2 = 3e-4 m
    audit = sim.recording.audit
    assert audit.forces[0].dissipated == pytest.approx(1.0, rel=2e-2)  # J, all that it had; order 1 errs by 1 %
    assert abs(audit.numerical) < 2e-2 * audit.scale


def test_a_block_that_is_pulled_beyond_static_friction_slips_at_that_force():
    limit = 0.7 * MASS * G
    m = slider()
    m.add_force("pull", lw.Load((0.0, 0, 0)), "block")
    sim = lw.Simulation(m.build(), lw.RungeKutta4(step=5e-4), q=[0, 0, -AT_REST])
    sim.advance(0.2)
    found = {}
    for share in (0.4, 0.8, 0.95, 1.05):  # in parts, each of which the spring overshoots by a fifth
        sim.change("pull", force=(share * limit, 0, 0))
        sim.advance(0.2)
        found[share] = state_of(sim), sim.state.v[0]
    assert found[0.95][0] == STICKING and abs(found[0.95][1]) < 1e-3
    assert found[1.05][0] == SLIDING and found[1.05][1] > 0.1


def test_energy_momentum_refuses_a_law_that_remembers_by_its_name():
    with pytest.raises(lw.ModelError, match=r"force 'sole' has a state that it remembers"):
        lw.Simulation(slider().build(), lw.EnergyMomentum(step=1e-3))


@pytest.mark.parametrize("name", METHODS)
def test_looking_changes_nothing(name):
    model, ends = slider().build(), []
    for looks in (1, 7):
        sim = lw.Simulation(model, METHODS[name], q=[0, 0, 0.01], v=[1.0, 0.5, 0], record_interval=0.31 / looks)
        sim.advance(0.31)
        sim.system.evaluate(sim.time, sim.state.q, sim.state.v)
        ends.append((*sim.state.q, *sim.state.v, *sim.system.memory["sole"]))
    assert state_of(sim) != FREE
    assert ends[0] == ends[1]


def test_rejected_trials_leave_no_trace():
    """Steps that end at a stop differ from those that pass it; what is remembered at the end is nearly the same, though many steps were rejected."""
    ends = []
    for rtol in (1e-6, 1e-9):
        sim = lw.Simulation(slider().build(), lw.Adaptive(rtol=rtol, atol=1e-10), q=[0, 0, 0.05], v=[1.0, 0.5, 0])
        sim.advance(0.6)
        assert sim.method.rejections > 3
        ends.append(sim.system.memory["sole"])
    assert ends[0][0] == ends[1][0] == STICKING
    assert np.abs(ends[0] - ends[1]).max() < 1e-4  # the anchor: steps of different size end at different speeds below the threshold


@pytest.mark.parametrize("name", METHODS)
def test_a_checkpoint_carries_what_is_remembered(name, tmp_path):
    model = slider().build()
    whole = lw.Simulation(model, METHODS[name], q=[0, 0, 0.002], v=[0.5, 0.5, 0])
    whole.advance(0.1)
    assert state_of(whole) != FREE
    whole.save_checkpoint(tmp_path / "half")
    whole.advance(0.2)
    half = lw.Simulation.resumed(tmp_path / "half", model, METHODS[name])
    half.advance(0.2)
    assert np.array_equal(half.state.q, whole.state.q) and np.array_equal(half.system.memory["sole"], whole.system.memory["sole"])


@pytest.mark.parametrize("method", [lw.RungeKutta4(step=1e-3), lw.SemiImplicitEuler(step=1e-3)])
def test_each_copy_of_a_rollout_remembers_for_itself(method):
    model, random = slider().build(), np.random.default_rng(2)
    v = np.column_stack([random.uniform(-1, 1, (7, 2)), random.uniform(-0.1, 0.1, 7)])
    q = np.tile([0.0, 0.0, -AT_REST], (7, 1))
    q[::3, 2] = 0.01
    rolled = lw.rollout(model, q, v, 400, method)
    stops = []
    for k in range(7):
        sim = lw.Simulation(model, method, q=q[k], v=v[k])
        sim.advance(0.4)
        stops.append(state_of(sim))
        assert np.allclose(rolled.q[k, -1], sim.state.q, atol=1e-10)  # lanes order operations otherwise
    assert STICKING in stops and np.ptp(rolled.q[:, -1, 0]) > 0.01


def test_edits_and_their_undoing_keep_what_parts_remember():
    live = lw.Live(slider(slope=0.4), integrator=lw.RungeKutta4(step=5e-4))
    live.set_joint("slides", q=[0, 0, -AT_REST])
    live.advance(0.3)
    kept = live.moment.memory["sole"]
    assert kept[0] == STICKING
    live.add_body("other", mass=1.0, inertia=(1, 1, 1))
    assert np.array_equal(live.moment.memory["sole"], kept)
    live.change("sole", damping=300.0)
    live.rename("sole", "foot")
    assert np.array_equal(live.moment.memory["foot"], kept)
    live.undo()
    assert np.array_equal(live.moment.memory["sole"], kept)
    q = live.q.copy()
    live.advance(0.2)
    assert np.abs(live.q[:3] - q[:3]).max() < 1e-5  # without its anchor it would begin to slide anew


def test_a_force_that_is_gone_takes_its_memory_with_it_and_a_new_one_begins_free():
    live = lw.Live(slider(), integrator=lw.RungeKutta4(step=5e-4))
    live.set_joint("slides", q=[0, 0, -AT_REST])
    live.advance(0.1)
    live.remove("sole")
    assert live.moment.memory == {}
    live.add_force("sole", lw.StickSlip(4e4, 400.0), "block")
    assert live.moment.memory["sole"][0] == FREE


def test_reading_a_force_in_a_run_is_that_of_its_state():
    sim = lw.Simulation(slider(slope=0.4).build(), lw.RungeKutta4(step=5e-4), q=[0, 0, -AT_REST])
    sim.advance(0.5)
    ends = sim.gauges.forces(sim.time, sim.state.q, sim.state.v).ends
    assert ends["f_a"][0][0] == pytest.approx(-MASS * G * np.sin(0.4), rel=1e-3)
    without = lw.applied_forces(sim.model, sim.state.q, np.zeros(3))["sole"].force
    assert abs(without[0]) < 1e-9  # a state without a past: nothing holds it
