"""A mechanism of 1 mm or 1 km moves as the same one of 1 m: lengths, gravity and inertias scaled, angles and times are the same."""

import numpy as np
import pytest

import linkwork as lw

from ..unit.solvers.rank_cases import BARS, POINTS

# The allowed difference is that of the method's own tolerances, which are lengths in m: of projection (1e-10 m, rarely crossed by larger steps), of
# Newton's method, of steps that follow the error.
METHODS = {
    lw.RungeKutta4(2e-3): 1e-6,
    lw.SemiImplicitEuler(1e-3): 1e-5,
    lw.Adaptive(): 1e-6,
    lw.Adams(): 1e-6,
    lw.Implicit(5e-3): 1e-6,  # 1e-11 m/s is 1e-8 of 1 mm/s, in each of 200 steps (docs/decisions/0017)
    lw.Variational(5e-3): 1e-8,
    lw.EnergyMomentum(5e-3): 1e-8,
}


def four_bar(s):
    """(model, unit of each coordinate, guess): rods about y with a spring, s metres for each metre drawn."""
    m = lw.Mechanism("four-bar", gravity=(0.0, 0.0, -10.0 * s))
    rods = {"ground": (m.ground, (0.0, 0.0))}
    for name, (p, q) in BARS.items():
        (x0, z0), (x1, z1) = POINTS[p], POINTS[q]
        com, inertia = (0.5 * s * (x1 - x0), 0.0, 0.5 * s * (z1 - z0)), 0.125 * s * s
        rods[name] = m.add_body(name, mass=1.0, com=com, inertia=(inertia, inertia, inertia)), (x0, z0)
    for joint, ends in {"a": ("ground", "crank"), "b": ("crank", "coupler"), "c": ("coupler", "rocker"), "d": ("ground", "rocker")}.items():
        x, z = POINTS[joint]
        m.add_joint(
            joint, lw.Revolute((0, 1, 0)), *(rods[end][0].at(s * (x - rods[end][1][0]), 0.0, s * (z - rods[end][1][1])) for end in ends)
        )
    m.add_force("spring", lw.SpringDamper(20.0, 0.5, length=0.5 * s), rods["coupler"][0].at(0.3 * s, 0, 0), m.ground.at(s, 0, 0.2 * s))
    model = m.build()
    return model, np.ones(model.nq), lw.neutral(model)


def slider_crank(s):
    """The same of a crank, a rod and a piston."""
    m = lw.Mechanism("slider-crank", gravity=(0.0, 0.0, -10.0 * s))
    inertias = {"crank": 0.02, "rod": 0.1, "piston": 0.1}
    crank, rod, piston = (m.add_body(n, mass=1.0, com=(0.2 * s, 0, 0), inertia=tuple(i * s * s * np.ones(3))) for n, i in inertias.items())
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, crank)
    m.add_joint("pin", lw.Revolute((0, 1, 0)), crank.at(0.4 * s, 0, 0), rod)
    m.add_joint("wrist", lw.Revolute((0, 1, 0)), rod.at(s, 0, 0), piston)
    m.add_joint("guide", lw.Prismatic((1, 0, 0)), m.ground, piston)
    m.add_force("spring", lw.SpringDamper(50.0, 0.2, length=0.7 * s), piston, m.ground.at(2.0 * s, 0, 0.1 * s))
    model = m.build()
    unit, guess = np.ones(model.nq), lw.neutral(model)
    guess[model.joint("pivot").q_index], guess[model.joint("guide").q_index], unit[model.joint("guide").q_index] = -0.7, 1.3 * s, s
    return model, unit, guess


def moved(make, scale, integrator):
    """The coordinates after a second, by their units."""
    model, unit, guess = make(scale)
    q = lw.assemble(model, guess)
    run = lw.simulate(model, 1.0, integrator, q=q, v=lw.project_velocity(model, q, unit), frame=1.0)
    assert run.status == "finished"
    assert np.abs((run.q[-1] - q) / unit).max() > 0.3
    return run.q[-1] / unit


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@pytest.mark.parametrize("make", [four_bar, slider_crank])
@pytest.mark.parametrize("integrator", METHODS, ids=lambda i: type(i).__name__)
def test_a_scaled_mechanism_moves_alike(integrator, make, scale):
    """EnergyMomentum measured rows in metres: at 1 km a four-bar was 6 rad off, and a slider-crank failed."""
    difference = np.abs(moved(make, scale, integrator) - moved(make, 1.0, integrator)).max()
    assert difference < METHODS[integrator]


@pytest.mark.parametrize("make", [four_bar, slider_crank])
def test_questions_answer_alike_at_any_length(make):
    answers = []
    for scale in (1e-3, 1.0, 1e3):
        model, unit, guess = make(scale)
        q = lw.assemble(model, guess)
        found = lw.mobility(model, q)
        vdot = lw.forward_dynamics(model, q, np.zeros(model.nv)) / unit
        answers.append((found.dof, found.redundant, len(found.nearly_redundant), q / unit, vdot))
    for dof, redundant, nearly, q, vdot in (answers[0], answers[2]):
        assert (dof, redundant, nearly) == answers[1][:3] == (1, 3, 0)
        np.testing.assert_allclose(
            q, answers[1][3], atol=1e-8
        )  # assembly closes to 1e-10 m: 1e-7 of a length of 1 mm, of which Newton leaves less
        np.testing.assert_allclose(vdot, answers[1][4], rtol=1e-6)
