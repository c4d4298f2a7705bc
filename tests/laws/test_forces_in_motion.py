"""Every force law in a moving mechanism: energy is kept, lost or booked as work, and users' laws move it as the built-in ones do."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

from ..force_cases import CASES, cubic, magnet, on_joints

pytestmark = pytest.mark.skipif(not JIT, reason="hundreds of steps for each of many laws take minutes in plain Python")
Q, V = np.array([0.6, 0.2, 0.3, 0.5, 1, 0, 0, 0]), np.array([1.5, 1, 0.2, 0.1, 0.3, -0.2, 0.4])


def run(kind, controllers=(), until=0.2, integrator=None):
    """An arm on a hinge and a body that floats, one law between them or on the hinge."""
    m = lw.Mechanism("two", gravity=(0, 0, -1))
    arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.12, 0.14))
    float_ = m.add_body("float", mass=2.0, inertia=(0.2, 0.22, 0.24))
    m.add_joint("hinge", lw.Revolute((0, 0, 1)), m.ground, arm)
    if kind is not None:
        m.add_force("law", kind, *(["hinge"] if on_joints(kind) else [arm.at(0.3, 0.1, 0.2), float_.at(-0.1, 0.2, 0.4)][: kind.most]))
    return lw.Simulation(m, integrator or lw.RungeKutta4(step=5e-4), q=Q, v=V, controllers=controllers).run(until)


@pytest.mark.parametrize("name", CASES)
def test_energy_is_kept_lost_or_booked_as_work(name):
    """Order 8 at the edge of rounding; short steps, so that the error estimate sees the instants in which one-way laws take hold."""
    case = CASES[name]
    recording = run(case.kind, integrator=lw.Adaptive(order=8, rtol=1e-13, atol=1e-14, max_step=2e-4))
    assert recording.status == "finished"
    work = np.abs(recording["work"]).max()
    allowed = 1e-10 * recording.audit.scale
    energy = recording["kinetic"].ravel() + recording["potential"].ravel() + recording["stored"].sum(axis=-1).ravel()
    assert work > 0.01 and np.abs(recording["numerical"]).max() < allowed
    if case.damped:
        assert np.diff(energy).max() < allowed and energy[-1] < energy[0] - 1e-3
    elif not case.driven:
        assert np.ptp(energy) < allowed


@lw.force
def magnet_in_words(a, b, t, strength=2.0):
    d = [float(str(b.p[k] - a.p[k])) for k in range(3)]
    cube = sum(x * x for x in d) ** 1.5
    return [strength * x / cube for x in d]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::linkwork.errors.InterpretedWarning")
def test_a_users_law_moves_it_like_the_built_in_one():
    built_in = run(lw.Attraction(2.0)).q
    assert np.abs(built_in - run(None).q).max() > 1e-3
    assert np.allclose(run(magnet()).q, built_in, rtol=0, atol=1e-13)
    assert magnet_in_words().native("here").interpreted
    assert np.allclose(run(magnet_in_words()).q, built_in, rtol=0, atol=1e-13)


def test_a_users_energy_is_booked():
    recording = run(cubic(k=40.0, c=0.0))
    energy = recording["kinetic"].ravel() + recording["potential"].ravel() + recording["stored"].sum(axis=-1).ravel()
    assert recording["stored"].max() > 0.1 and np.ptp(energy) < 1e-8


@pytest.mark.slow
def test_a_controller_of_one_joint_moves_it_like_a_spring():
    """Sampled at every step it lags by half a step: the difference is of the order of the step."""

    @lw.controller(rate=2000.0, joints=["hinge"])
    def hold(t, q, v, k=12.0, c=0.7):
        return -k * q - c * v

    spring, held, free = run(lw.JointSpring(12.0, 0.7)).q, run(None, [hold()]).q, run(None).q
    assert np.abs(free - spring).max() > 0.05 and np.abs(held - spring).max() < 2e-3


@pytest.mark.slow
def test_a_law_that_fails_stops_the_run_by_name():
    def late(q, v, t):
        if t > 0.1:
            raise RuntimeError("too late")
        return -q

    recording = run(lw.force(late, on="joint")())
    assert recording.status == "failed" and "law" in str(recording.status)
    assert 0.09 < recording.time[-1] <= 0.1001
