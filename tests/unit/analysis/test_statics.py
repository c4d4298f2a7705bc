"""Equilibrium: balanced forces with gravity, springs and loops."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import linkwork as lw

from ...zoo import configuration
from ...zoo_chains import chain_between_poles
from .test_assembly import four_bar


def test_a_pendulum_hangs_down_from_anywhere():
    m = lw.Mechanism("pendulum")
    rod = m.add_body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, rod)
    model = m.build()
    for start in (0.5, -2.0, 3.0):
        found = lw.equilibrium(model, [start])
        assert np.sin(found.q[0]) == pytest.approx(0.0, abs=1e-8) and np.cos(found.q[0]) > 0.9
        assert found.stable and found.stiffness == pytest.approx([2.0 * 9.81 * 0.5], rel=1e-6)


def test_a_four_bar_with_a_spring_rests_where_its_energy_is_least():
    """Against a scan of the potential energy along the one motion that the loop allows."""
    model = four_bar().build()
    crank = model.joint("a").v_index

    def spring(q):
        tau = np.zeros(model.nv)
        tau[crank] = -40.0 * (q[crank] - 1.4)
        return tau

    start = lw.assemble(model, [1.1, -0.8, 0.3, 1.7])
    found = lw.equilibrium(model, start, forces=spring)

    def energy(angle):
        guess = found.q.copy()
        guess[crank] = angle
        q = lw.assemble(model, guess, hold="a", tolerance=1e-14)  # energies compared to 1e-14 find their least place to 1e-7
        return lw.energy(model, q, np.zeros(4)).potential + 20.0 * (angle - 1.4) ** 2

    best = minimize_scalar(energy, bracket=(found.q[crank][0] - 0.05, found.q[crank][0] + 0.05), tol=1e-10)
    assert found.q[crank][0] == pytest.approx(best.x, abs=1e-6)
    assert found.stable
    assert np.max(np.abs(lw.constraint_jacobian(model, found.q, np.zeros(4)).phi)) < 1e-9


def test_a_chain_between_poles_hangs_at_rest():
    """At rest in equilibrium means: released, nothing accelerates."""
    mechanism, guess, _ = chain_between_poles(5, "parallel")
    model = mechanism.build()
    found = lw.equilibrium(model, configuration(model, guess))
    assert found.stable
    start = np.max(np.abs(lw.forward_dynamics(model, configuration(model, guess), np.zeros(model.nv))))
    assert np.max(np.abs(lw.forward_dynamics(model, found.q, np.zeros(model.nv)))) < 1e-5 * start


def test_a_steelyard_balances_where_moments_do():
    m = lw.Mechanism("steelyard")
    beam = m.add_body("beam", mass=1.0, com=(0, 0, -0.1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, beam)
    model = m.build()
    found = lw.equilibrium(model, [0.0], tau=[0.3])
    expected = brentq(lambda a: 0.3 - 9.81 * 0.1 * np.sin(a), 0.0, 1.5)
    assert found.q[0] == pytest.approx(expected, abs=1e-8)


def test_what_has_no_equilibrium_says_so():
    m = lw.Mechanism("falling", gravity=(0, 0, -9.81))
    m.add_joint("rail", lw.Prismatic((0, 0, 1)), m.ground, m.add_body("stone", mass=1.0, inertia=(1, 1, 1)))
    with pytest.raises(lw.SolverError, match="no equilibrium"):
        lw.equilibrium(m.build(), [0.0], max_iterations=20)


def test_forces_of_a_wrong_size_are_refused():
    model = four_bar().build()
    with pytest.raises(lw.StateError, match="forces"):
        lw.equilibrium(model, lw.assemble(model, [1.1, -0.8, 0.3, 1.7]), forces=lambda q: [1.0])
    with pytest.raises(lw.StateError, match="tau"):
        lw.equilibrium(model, lw.assemble(model, [1.1, -0.8, 0.3, 1.7]), tau=[1.0])


@pytest.mark.parametrize("lower, upper, start", [(-0.5, 0.5, 0.0), (2.0, 3.0, 2.5), (-0.5, np.inf, 0.2), (0.4, 0.4, 0.4)])
def test_equilibrium_rests_against_a_limit_of_its_joint_as_a_damped_run_does(lower, upper, start):
    """It answered 1.5708, stable, beyond limits of 0.5."""
    m = lw.Mechanism("beam")
    beam = m.add_body("beam", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0), lower=lower, upper=upper, damping=5.0), m.ground, beam)
    found = lw.equilibrium(m.build(), [start])
    run = lw.simulate(m, 30.0, q=[start])
    assert found.q == pytest.approx(run.q[-1], abs=1e-7)  # 1e-8 of the torque, over the stiffness of gravity, 10 N m/rad
    assert found.stable and lower - 1e-3 < found.q[0] < upper + 1e-3


def test_equilibrium_of_a_loop_rests_against_a_limit_inside_it():
    """Against a damped run of the same four-bar, and not against it where the limit is out of the way."""
    plain = four_bar()
    free = lw.equilibrium(plain.build(), lw.assemble(plain.build(), [1.1, -0.8, 0.3, 1.7]))
    at = float(free.q[plain.build().joint("a").q_index][0])
    start = lw.assemble(plain.build(), [1.1, -0.8, 0.3, 1.7])
    first = float(start[plain.build().joint("a").q_index][0])
    middle = 0.5 * (at + first)
    limited = four_bar()
    kind = limited.joint("a").kind
    limits = {"upper": middle} if at > first else {"lower": middle}
    limited.change("a", kind=dataclasses.replace(kind, **limits))
    model = limited.build()
    found = lw.equilibrium(model, start)
    assert abs(found.q[model.joint("a").q_index][0] - middle) < 1e-2 < abs(at - middle)
    limited.change("a", kind=dataclasses.replace(kind, **limits, damping=5.0))
    run = lw.simulate(limited, 20.0, q=start)
    assert found.q == pytest.approx(run.q[-1], abs=1e-6)


@pytest.mark.parametrize("mass", [1e-8, 1.0, 1e4])
@pytest.mark.parametrize("drop", [1e-3, 10.0, 100.0, 1e4])
def test_equilibrium_falls_as_far_as_the_limit_is_away(drop, mass):
    """Steps of 0.3 lengths did not reach a limit 100 m away in 200 of them: "no equilibrium". The stop is m (200 rad/s)^2: it gives way by g / 200^2."""
    m = lw.Mechanism("lift", gravity=(0.0, 0.0, -10.0))
    cabin = m.add_body("cabin", mass=mass, com=(0.1, 0, 0), inertia=tuple(0.1 * mass * np.ones(3)))
    m.add_joint("shaft", lw.Prismatic((0, 0, 1), lower=-drop), m.ground, cabin)
    found = lw.equilibrium(m.build(), [0.0])
    np.testing.assert_allclose(found.q, [-drop - 10.0 / 200.0**2], rtol=1e-9)
    assert found.stable
    assert found.unbalanced < 1e-6 * 10.0 * mass


def test_what_falls_beside_a_stiff_string_has_no_equilibrium():
    """Answered with 10 N unbalanced: a trial far beyond the string's length, not taken, made 1e7 N/m times its stretch the force to compare with."""
    m = lw.Mechanism("stone and bucket", gravity=(0.0, 0.0, -10.0))
    stone, bucket = (m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in ("stone", "bucket"))
    m.add_joint("rail", lw.Prismatic((0, 0, 1)), m.ground, stone)
    m.add_joint("shaft", lw.Prismatic((0, 0, 1)), m.ground, bucket)
    m.add_force("string", lw.RubberString(stiffness=1e7, length=100.0), m.ground, bucket)
    with pytest.raises(lw.SolverError, match=r"10 N .* stay unbalanced"):
        lw.equilibrium(m.build(), [0.0, 0.0])
    held = lw.equilibrium(m.build(), [0.0, 0.0], hold=["rail"])  # the bucket hangs: 10 N over 1e7 N/m
    assert held.q[1] == pytest.approx(-100.0 - 1e-6, abs=1e-10) and held.stable
    assert held.unbalanced < 1e-6 * 10.0


def test_a_stiff_support_that_was_pressed_on_the_way_is_no_measure_of_balance():
    """A pendulum that starts pressed 0.1 m into a support of 1e8 N/m leaves it and hangs; up to 0.1 N m stayed unbalanced where its weight is 10 N."""
    m = lw.Mechanism("pendulum beside a support", gravity=(0.0, 0.0, -10.0))
    bob = m.add_body("bob", mass=1.0, com=(0.0, 0.0, -1.0), inertia=(0.01, 0.01, 0.01))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    m.add_force(
        "support", lw.Support(stiffness=1e8), bob.at(0, 0, -1), m.ground.at(lw.Pose((0.3, 0, 0), ((0, 0, -1), (0, 1, 0), (1, 0, 0))))
    )  # holds x below 0.3 m
    m.add_force("spring", lw.TorsionSpring(stiffness=3.0, axis=(0, 1, 0)), m.ground, bob)
    found = lw.equilibrium(m.build(), [-0.42])
    assert abs(found.q[0]) < 1e-8  # rad: 1e-8 of 13 N m/rad against the weight's 10 N m
    assert found.unbalanced < 1e-7


@pytest.mark.parametrize("height", [0.25, 0.2, 0.196, 0.19])
def test_a_table_on_its_supports_does_not_walk_away_to_find_its_rest(height):
    """Nothing pushes it sideways; from 1 mm above its rest it was answered 1.25 m away. The supports balance its weight and the moment of its com."""
    m = lw.Mechanism("table")
    top = m.add_body("top", mass=10.0, com=(0.1, 0.05, 0), inertia=(1, 1, 1))
    for k, (x, y) in enumerate(((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))):
        m.add_force(f"leg {k}", lw.Support(5000.0, 50.0, friction=0.5), top.at(x, y, -0.2))
    found = lw.equilibrium(m.build(), [0, 0, height, 1, 0, 0, 0])
    assert np.hypot(*found.q[:2]) < 1e-3  # it tilts by 1e-3 rad, 0.2 m above its feet
    assert found.q[2] == pytest.approx(0.2 - 10.0 * 9.81 / 20000.0, abs=1e-5)
    assert len(found.neutral) == 3 and not found.stable  # two slides and the turn about the vertical
    assert (found.stiffness[:3] == 0.0).all() and (found.stiffness[3:] > 1000.0).all()


def test_a_pendulum_under_a_free_cart_is_neutral_along_the_rail():
    """`stable` was False or True as rounding had it, and nothing said why."""
    m = lw.Mechanism("crane", gravity=(0.0, 0.0, -10.0))
    cart = m.add_body("cart", mass=1.0, inertia=(1, 1, 1))
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, cart)
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), cart, bob)
    found = lw.equilibrium(m.build(), [2.0, 1.0])
    np.testing.assert_allclose(found.q, [2.0, 0.0], atol=1e-7)
    assert len(found.neutral) == 1 and abs(found.neutral[0, 1]) < 1e-7 * abs(found.neutral[0, 0])
    assert not found.stable and found.stiffness == pytest.approx([0.0, 10.0], rel=1e-6)
