"""What the variational integrator keeps: momenta to rounding, the symplectic form, and energy within bounds for ever."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.variational.run import Run

from ..variational_runs import variational_run
from ..zoo import ZOO
from .mechanisms import random_case


def momentum(model, q, v):
    found = lw.momentum(model, q, v)
    return np.concatenate([found.linear, found.about_origin])


@pytest.mark.parametrize("seed", [3, 5])
def test_momentum_of_a_floating_tree_is_constant(seed):
    """Linear and angular momentum about the world's origin, 500 steps: at every step length, since it is a symmetry of the discrete Lagrangian.

    (Custom joints know their poses only as numbers: their displacements are differences, and round by 1e-16 / h.)
    """
    _, model, q, v, _, _ = random_case(seed, "floating", gravity=(0.0, 0.0, 0.0))
    for h in (1e-3, 1e-2):
        run = variational_run(model, q, v, h, 500)
        before, after = momentum(model, q, v), momentum(model, run.q, run.v)
        assert np.abs(lw.difference(model, q, run.q)).max() > 0.1
        # Each step rounds momenta and positions by some 1e-16; 500 of them add up to 1e-14 on the average, 1e-13 at worst.
        assert np.abs(after - before).max() < 1e-12 * np.abs(before).max()


def test_momentum_of_a_floating_ring_is_constant():
    model = _weightless(ZOO["floating ring of hinges"]().mechanism)
    q = lw.neutral(model)
    v = lw.project_velocity(model, q, np.random.default_rng(0).normal(size=model.nv))
    run = variational_run(model, q, v, 2e-3, 500)
    before, after = momentum(model, q, v), momentum(model, run.q, run.v)
    assert np.abs(lw.difference(model, q, run.q)).max() > 0.3
    assert np.abs(after - before).max() < 1e-11 * np.abs(before).max()


def test_gravity_gives_momentum_exactly():
    """p(t) = p(0) + m g t and the fall of the centre of mass, to rounding."""
    mechanism = random_case(2, "floating").mechanism.clone()
    model = mechanism.build()
    _, _, q, v, _, _ = random_case(2, "floating")
    h, n = 5e-3, 200
    run = variational_run(model, q, v, h, n)
    g = np.asarray(model.gravity)
    change = lw.momentum(model, run.q, run.v).linear - lw.momentum(model, q, v).linear
    assert np.abs(change - model.mass * g * h * n).max() < 1e-11 * np.abs(change).max()
    place, speed = lw.center_of_mass(model, q, v)
    fallen = place + speed * h * n + 0.5 * g * (h * n) ** 2
    assert np.abs(lw.center_of_mass(model, run.q) - fallen).max() < 1e-11


def _weightless(mechanism):
    mechanism.gravity = (0.0, 0.0, 0.0)
    return mechanism.build()


def spherical_pair(links=2):
    """Two rods on balls."""
    m = lw.Mechanism("double spherical pendulum")
    parent = m.ground
    for k in range(links):
        rod = m.add_body(f"rod {k}", mass=2.0 - 0.5 * k, com=(0.0, 0.0, -0.6), inertia=(0.2, 0.19, 0.02))
        m.add_joint(f"ball {k}", lw.Spherical(), parent.at(0, 0, -1.0) if k else parent, rod)
        parent = rod
    return m.build()


@pytest.mark.parametrize("joints", ["hinges", "balls"])
def test_the_step_is_symplectic(joints):
    """J^T Omega J = Omega for the slope J of the map (q, p) -> (q, p), p = M(q) v, taken by differences of order 4."""
    if joints == "balls":
        model = spherical_pair(1)
        q, v = np.array([0.8, 0.2, 0.4, np.sqrt(1 - 0.84)]), np.array([1.0, -2.0, 0.5])
    else:
        _, model, _, _, _, _ = random_case(6, "light")
        q, v = np.linspace(-0.5, 0.7, model.nq), np.linspace(1.0, -1.5, model.nv)
    n, h, step = model.nv, 0.05, 2e-3
    p = lw.mass_matrix(model, q) @ v
    end = variational_run(model, q, v, h, 1)

    def image(x):
        """Displacement of q_1, and p_1, when q_0 is displaced by x and p_0 by y; p is dual to displacements in the axes of q itself."""
        start = lw.integrate(model, q, x[:n])
        run = variational_run(model, start, np.linalg.solve(lw.mass_matrix(model, start), p + x[n:]), h, 1)
        return np.concatenate([lw.difference(model, end.q, run.q), lw.mass_matrix(model, run.q) @ run.v])

    slope = np.zeros((2 * n, 2 * n))
    for k, e in enumerate(np.eye(2 * n)):
        slope[:, k] = (image(-2 * step * e) - 8 * image(-step * e) + 8 * image(step * e) - image(2 * step * e)) / (12 * step)
    omega = form(model, p)
    after = form(model, lw.mass_matrix(model, end.q) @ end.v)
    assert np.abs(slope - np.eye(2 * n)).max() > 0.05
    assert np.abs(slope.T @ after @ slope - omega).max() < 2e-8 * np.abs(slope).max() ** 2


def form(model, p):
    """The canonical two-form in body axes: dp ^ dx, and on balls also -p . (x cross y), since displacements do not commute."""
    n = model.nv
    omega = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    for joint in model.joints:
        if joint.kind.ball:
            at = joint.v_index.start
            a, b, c = p[joint.v_index]
            omega[at : at + 3, at : at + 3] -= np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
    return omega


def test_energy_has_no_trend():
    """A chaotic double pendulum on balls, 1e5 steps of 5 ms (500 s): energy oscillates within 1 %, and a line through it is flat."""
    model = spherical_pair()
    q = np.array([0.8, 0.6, 0.0, 0.0, 0.8, 0.0, -0.6, 0.0])
    v = np.array([0.5, 1.0, 0.3, -1.0, 2.0, 0.5])
    run = Run(model, q, v)
    start = lw.energy(model, q, v)
    lowest = lw.energy(model, lw.neutral(model), np.zeros(6)).potential
    scale = start.total - lowest
    energies = []
    for _ in range(1000):
        run.step(5e-3, 100)
        energies.append(lw.energy(model, *run.state()).total)
    errors = (np.array(energies) - start.total) / scale
    assert 1e-6 < np.abs(errors).max() < 1e-2
    halves = errors.reshape(2, -1)
    # The motion wanders slowly between ways of swinging, with more and with less error: means of halves differ by a part of the oscillation.
    assert abs(halves[0].mean() - halves[1].mean()) < 0.6 * errors.std()
    assert np.allclose(errors.reshape(10, -1).std(axis=1), errors.std(), rtol=0.5)


def test_a_free_body_keeps_its_discrete_energy_to_rounding():
    """w . T w / 2 with w = 2 s / h is an invariant of the free body's step, not only bounded."""
    m = lw.Mechanism("book", gravity=(0.0, 0.0, 0.0))
    m.add_body("book", mass=1.0, inertia=(1.0, 2.0, 3.0))
    model = m.build()
    run = Run(model, lw.neutral(model), np.array([0.01, 3.0, 0.02, 1.0, 0.0, 0.0]))
    energies, last = [], lw.neutral(model)
    for _ in range(300):
        run.step(0.02)
        q = run.state()[0]
        a, b = last[3:] * np.array([1.0, -1.0, -1.0, -1.0]), q[3:]
        s = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
        energies.append((np.array([1.0, 2.0, 3.0]) * (2.0 * s / 0.02) ** 2).sum() / 2)
        last = q
    assert np.ptp(energies) < 1e-11 * energies[0]
    assert np.abs(np.asarray(last[3:])).min() > 1e-3, "it tumbled"
