"""Forces between places in a closed mechanism: the solvers by articulated bodies and by a sparse factor, and copies side by side, move it the same."""

import numpy as np
import pytest

import linkwork as lw


def chain(links):
    """A chain of hinges, its last link held in a point, with a spring between two of its links: (model, a closed configuration)."""
    m = lw.Mechanism("chain with a spring")
    last, at = m.ground, (0, 0, 0)
    for k in range(links):
        body = m.add_body(f"link {k}", mass=1.0, com=(0.05, 0, 0), inertia=(1e-4, 1e-3, 1e-3))
        m.add_joint(f"hinge {k}", lw.Revolute((0, 1, 0)), last.at(*at), body)
        last, at = body, (0.1, 0, 0)
    m.add_constraint("pin", lw.Coincident(), last.at(*at), m.ground.at(0.07 * links, 0, 0))
    m.add_force(
        "spring", lw.SpringDamper(stiffness=300.0, damping=1.0, length=0.1), m.body("link 1").at(0.05, 0, 0), m.body("link 4").at(0, 0, 0)
    )
    model = m.build()
    return model, lw.assemble(model, np.linspace(1.0, -1.0, links) / 3.0)


@pytest.mark.parametrize("links", [6, 14])
def test_solvers_and_copies_agree_where_a_spring_pulls(links):
    model, guess = chain(links)
    ends = []
    for solver in ("sparse", "articulated"):
        sim = lw.Simulation(model, lw.RungeKutta4(step=1e-3), q=guess, solver=solver)
        q = np.array(sim.state.q)  # drawn onto the constraints
        sim.advance(0.1)
        ends.append(np.array(sim.state.q))
    copies = lw.rollout(model, np.tile(q, (3, 1)), np.zeros((3, model.nv)), 100, lw.RungeKutta4(step=1e-3))
    assert np.max(np.abs(ends[0] - q)) > 0.01
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-12)
    # Gaps up to 1e-10 m are left to both, and not drawn in at the same steps.
    np.testing.assert_allclose(copies.q[:, -1], np.tile(ends[0], (3, 1)), rtol=0, atol=1e-8)
