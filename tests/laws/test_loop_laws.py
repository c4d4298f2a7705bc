"""Closed mechanisms: every solver agrees with the dense referee, and nothing depends on cuts, names or directions."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw

from ..reference import as_vector, by_body, by_joint, of_model, solve
from ..zoo import ZOO, configuration, random_loops

# Conditions of a zoo of real mechanisms; round-off of a dense SVD of some hundred rows and of rods of 5e-6 kg m^2.
AGREEMENT = 1e-9
SOLVERS = ("articulated", "propagation", "sparse")


def state(example, seed):
    """A model of an example, in motion, with forces: (model, q, v, tau, f_ext)."""
    mechanism, guess, facts = example
    model = mechanism.build()
    rng = np.random.default_rng(seed)
    q = configuration(model, guess)
    light = min(body.inertia.mass for body in model.bodies) / max(model.mass, 1e-9)
    v = np.zeros(model.nv)
    if facts.velocity:
        for name, rates in facts.velocity.items():
            v[model.joint(name).v_index] = rates
    elif not facts.isolated and (facts.dof is None or facts.dof == facts.generic_dof):
        v = lw.project_velocity(model, q, rng.normal(size=model.nv))
    return model, q, v, light * rng.normal(size=model.nv), light * rng.normal(size=(model.nb, 6))


def assert_agrees(mechanism, model, q, v, tau, f_ext, solver):
    truth = solve(of_model(mechanism, model, q, v), by_joint(model, tau), by_body(model, f_ext))
    expected = as_vector(model, truth.vdot)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.ConstraintWarning)
        found = lw.forward_dynamics(model, q, v, tau, f_ext, solver=solver)
    assert np.max(np.abs(found - expected), initial=0.0) <= AGREEMENT * (1.0 + np.max(np.abs(expected), initial=0.0))
    return expected


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ZOO)
def test_every_solver_agrees_with_the_referee_on_the_zoo(name, solver):
    example = ZOO[name]()
    expected = assert_agrees(example.mechanism, *state(example, 7), solver)
    assert example.facts.generic_dof == 0 or example.facts.isolated or np.max(np.abs(expected)) > 1e-3, (
        "nothing moves: the test would prove nothing"
    )


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=25)
@given(st.integers(0, 400))
def test_every_solver_agrees_with_the_referee_on_random_loops(solver, seed):
    example = random_loops(seed)
    assert_agrees(example.mechanism, *state(example, seed), solver)


@settings(max_examples=15)
@given(st.integers(0, 400), st.data())
def test_moving_the_cut_changes_nothing(seed, data):
    """The same accelerations of the same joints, wherever the loops are cut."""
    example = random_loops(seed)
    model, q, v, tau, f_ext = state(example, seed)
    vdot = by_joint(model, lw.forward_dynamics(model, q, v, tau, f_ext))
    cut = data.draw(st.sampled_from([joint.name for joint in example.mechanism.joints]))
    other = example.mechanism.build(prefer_cut=cut)
    order = [other.body(body.name).index for body in model.bodies]
    f_other = np.zeros_like(f_ext)
    f_other[order] = f_ext
    q_other, v_other, tau_other = np.zeros(other.nq), np.zeros(other.nv), np.zeros(other.nv)
    for joint in other.joints:
        same = model.joint(joint.name)
        q_other[joint.q_index], v_other[joint.v_index], tau_other[joint.v_index] = q[same.q_index], v[same.v_index], tau[same.v_index]
    again = by_joint(other, lw.forward_dynamics(other, q_other, v_other, tau_other, f_other))
    for name, rates in vdot.items():
        assert np.allclose(again[name], rates, rtol=0, atol=AGREEMENT * (1.0 + max(np.max(np.abs(x), initial=0.0) for x in vdot.values())))


@pytest.mark.parametrize("name", ["four-bar", "Stewart platform", "floating ring of hinges", "scissor lift", "Bennett", "loop of balls"])
def test_a_batch_is_its_states(name):
    """Lanes give what single states give, bit for bit across threads, and to rounding across lane and scalar."""
    model, q, v, tau, f_ext = state(ZOO[name](), 3)
    rng = np.random.default_rng(1)
    qs = np.array([lw.assemble(model, lw.integrate(model, q, 0.02 * rng.normal(size=model.nv))) for _ in range(11)])
    vs = lw.project_velocity(model, qs, np.broadcast_to(v, (11, model.nv)))
    one = np.array([lw.forward_dynamics(model, a, b, tau) for a, b in zip(qs, vs, strict=True)])
    many = lw.forward_dynamics(model, qs, vs, tau)
    assert np.allclose(many, one, rtol=0, atol=1e-9 * (1.0 + np.max(np.abs(one))))
    same = np.array_equal(many, lw.forward_dynamics(model, qs, vs, tau, threads=2))
    assert same


@pytest.mark.parametrize("name", [name for name, make in ZOO.items() if not make().facts.isolated and make().facts.dof])
def test_energy_is_kept_and_loops_stay_closed_along_a_motion(name):
    """Power balance: without drives, the energy of a closed mechanism is constant.

    Steps of 1 ms leave 1e-9 of it in hinges; in balls and free bases the rule is of third order, and nothing pulls gaps in again.
    """
    example = ZOO[name]()
    model, q, v, _, _ = state(example, 5)
    v = 0.5 * v
    none = np.zeros(model.nv)
    start = lw.energy(model, q, v)
    h = 1e-3
    for _ in range(20):
        a1 = lw.forward_dynamics(model, q, v, none)
        v2 = v + h / 2 * a1
        a2 = lw.forward_dynamics(model, lw.integrate(model, q, h / 2 * v), v2, none)
        v3 = v + h / 2 * a2
        a3 = lw.forward_dynamics(model, lw.integrate(model, q, h / 2 * v2), v3, none)
        v4 = v + h * a3
        a4 = lw.forward_dynamics(model, lw.integrate(model, q, h * v3), v4, none)
        # On a manifold increments are combined as in the plane, with the commutator left out: third order in h for large spins.
        q, v = lw.integrate(model, q, h / 6 * (v + 2 * v2 + 2 * v3 + v4)), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    end = lw.energy(model, q, v)
    scale = abs(start.kinetic) + abs(end.kinetic) + 1e-3 * model.mass
    assert abs(end.total - start.total) < 1e-5 * scale
    assert np.max(np.abs(lw.constraint_jacobian(model, q, v).phi), initial=0.0) < 1e-6


@pytest.mark.parametrize("name", [name for name, make in ZOO.items() if make().facts.generic_dof])
def test_what_was_pulled_apart_is_assembled_again(name):
    example = ZOO[name]()
    model = example.mechanism.build()
    q = configuration(model, example.guess)
    rng = np.random.default_rng(2)
    apart = lw.integrate(model, q, 0.05 * rng.normal(size=model.nv))
    gap = np.max(np.abs(lw.constraint_jacobian(model, apart, np.zeros(model.nv)).phi), initial=0.0)
    closed = lw.assemble(model, apart)
    assert gap > 1e-3 or not model.nc
    assert np.max(np.abs(lw.constraint_jacobian(model, closed, np.zeros(model.nv)).phi), initial=0.0) < 1e-9
    assert np.max(np.abs(lw.difference(model, apart, closed))) < 1.0, "the nearest branch is near"
