"""Armature of every joint kind is kinetic energy, v . A v / 2 in the joint's own velocities, and all algorithms and methods move it by the Lagrangian
of that energy (docs/decisions/0018-armature-on-groups.md)."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

from ..zoo_assembly import configuration
from ..zoo_random import random_loops
from .mechanisms import random_case

in_compiled_code = pytest.mark.skipif(not JIT, reason="thousands of steps take minutes in plain Python")
FINE = {  # every method, with settings at which it errs by less than 2e-4 in the motions of this file
    "RungeKutta4": lw.RungeKutta4(step=1e-3),
    "Adaptive": lw.Adaptive(),
    "Adams": lw.Adams(),
    "SemiImplicitEuler": lw.SemiImplicitEuler(step=1e-5),
    "Implicit": lw.Implicit(rtol=1e-8, atol=1e-9),
    "Variational": lw.Variational(step=1e-3),
}


@in_compiled_code
@pytest.mark.parametrize("name", FINE)
def test_a_free_body_with_armature_flies_straight_by_every_method(name):
    """Equal armatures of the slides are a point of mass at the joint's origin: here at the centre of mass, which moves on at 1 m/s while the body
    spins. By Runge-Kutta and Implicit it was found at (0.665, 0.620) m, by Variational at (1, 0), all with clean ledgers."""
    m = lw.Mechanism("spinning", gravity=(0.0, 0.0, 0.0))
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.add_joint("joint", lw.Free(armature=1.0), m.ground, body)
    model = m.build()
    rec = lw.simulate(model, 1.0, FINE[name], q=lw.neutral(model), v=np.array([0.0, 0.0, 3.0, 1.0, 0.0, 0.0]))
    assert rec.status == "finished"
    assert rec.q[-1, :3] == pytest.approx([1.0, 0.0, 0.0], abs=2e-4)


@pytest.mark.parametrize("kind", [lw.Spherical, lw.Free])
def test_armature_with_one_number_for_all_slides_is_inertia_of_the_body(kind):
    """A joint on the ground whose frame M is the body's: diag(A) adds to the body's 6x6 inertia, as a rotor that is fixed to it would."""
    turns, slide = np.array([0.2, 0.3, 0.25]), 0.0 if kind is lw.Spherical else 1.5
    com, tensor, mass = np.array([0.1, -0.2, 0.05]), np.diag([0.03, 0.04, 0.05]), 0.7

    def steiner(m, c):
        return m * (c @ c * np.eye(3) - np.outer(c, c))

    whole, middle = mass + slide, mass * com / (mass + slide)
    together = tensor + steiner(mass, com) + np.diag(turns) - steiner(whole, middle)
    rotor = kind(armature=tuple(turns) if kind is lw.Spherical else (*turns, slide, slide, slide))
    models = []
    for joint, body in (rotor, (mass, com, tensor)), (kind(), (whole, middle, together)):
        m = lw.Mechanism("one body", gravity=(0.0, 0.0, 0.0))
        m.add_joint("joint", joint, m.ground, m.add_body("body", **dict(zip(("mass", "com", "inertia"), body, strict=True))))
        models.append(m.build())
    rng = np.random.default_rng(0)
    q, v, x = lw.random_configuration(models[0], rng), *rng.normal(size=(2, models[0].nv))
    for function in (lw.inverse_dynamics, lw.forward_dynamics):
        driven, rigid = (function(model, q, v, x) for model in models)
        assert driven == pytest.approx(rigid, abs=1e-12 * np.abs(rigid).max())  # rounding


def kinds_with_armature(model):
    return {type(joint.kind).__name__ for joint in model.joints if joint.nv and np.ptp(joint.armature) > 0.0}


def closed_case(seed):
    """A random mechanism with loops, on them and moving: (model, q, v)."""
    example = random_loops(seed)
    model = example.mechanism.build()
    q = configuration(model, example.guess)
    return model, q, lw.project_velocity(model, q, np.random.default_rng(seed).normal(size=model.nv))


TREES, LOOPS = (2, 3, 6), (10, 18, 41)


def test_the_mechanisms_of_this_file_have_unequal_armatures_on_balls_and_free_joints():
    for models in [random_case(seed, "every kind").model for seed in TREES], [closed_case(seed)[0] for seed in LOOPS]:
        assert {"Spherical", "Free"} <= set().union(*map(kinds_with_armature, models))


@in_compiled_code
@pytest.mark.parametrize("seed", TREES)
def test_every_method_moves_a_tree_with_armature_on_every_joint_the_same(seed):
    _, model, q, v, _, _ = random_case(seed, "every kind")
    _agree(model, q, v)


@in_compiled_code
@pytest.mark.parametrize("seed", LOOPS)
def test_every_method_and_solver_moves_a_closed_mechanism_with_armature_the_same(seed):
    _agree(*closed_case(seed), solvers=("articulated", "sparse"))


def _agree(model, q, v, until=0.1, solvers=("auto",)):
    """Against Adaptive of order 8: Runge-Kutta and rollouts of order 4 to 1e-7, Implicit to its tolerance; Variational errs by O(h^2), which is
    taken out by its results at h and h / 2. Energy is kept by the best of them to 1e-8."""
    exact = lw.simulate(model, until, lw.Adaptive(order=8, rtol=1e-11, atol=1e-12), q=q, v=v)
    assert exact.status == "finished" and np.abs(lw.difference(model, q, exact.q[-1])).max() > 0.05
    energies = [lw.energy(model, a, b) for a, b in zip(exact.q, exact.v, strict=True)]
    total = np.array([e.kinetic + e.potential for e in energies])
    assert np.ptp(total) < 1e-8 * max(e.kinetic for e in energies)

    def away(end):
        return np.abs(lw.difference(model, exact.q[-1], end)).max()

    for solver in solvers:
        assert away(lw.simulate(model, until, lw.RungeKutta4(step=5e-4), q=q, v=v, solver=solver).q[-1]) < 1e-7
    assert away(lw.rollout(model, q[None], v[None], round(until / 5e-4), lw.RungeKutta4(step=5e-4)).q[0, -1]) < 1e-7
    assert away(lw.simulate(model, until, lw.Implicit(rtol=1e-8, atol=1e-9), q=q, v=v).q[-1]) < 1e-4
    coarse, fine = (lw.simulate(model, until, lw.Variational(step=h), q=q, v=v).q[-1] for h in (1e-3, 5e-4))
    step = lw.difference(model, coarse, fine)
    assert away(lw.integrate(model, fine, step / 3.0)) < 1e-6


def test_solvers_agree_where_armature_turns():
    """Articulated bodies, the sparse solver and propagation, on loops with armature on balls and free joints."""
    for seed in LOOPS:
        model, q, v = closed_case(seed)
        first, *others = (lw.forward_dynamics(model, q, v, solver=solver) for solver in ("articulated", "sparse", "propagation"))
        assert all(other == pytest.approx(first, abs=1e-8 * np.abs(first).max()) for other in others)
