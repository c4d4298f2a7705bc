"""Long chains: what build() computes link by link must not lose accuracy on the way."""

import numpy as np
import pytest

import linkwork as lw


@pytest.mark.parametrize("kind", [lw.Revolute, lw.Prismatic])
def test_rotations_stay_orthonormal_along_parallel_axes(kind):
    """Rounding once doubled from link to link: after some eighty hinges in turned frames the links were no rotations any more."""
    rng, m, above = np.random.default_rng(0), lw.Mechanism("chain"), None
    turn = lw.Pose.from_rpy(0.4, -0.7, 1.1).rotation
    for k in range(300):
        body = m.add_body(f"link {k}", mass=1.0, com=(0.05, 0, 0), inertia=(0.01, 0.01, 0.01))
        here = lw.Pose.from_rpy(*rng.uniform(-3, 3, 3)).rotation
        place = (m.ground if above is None else above[0]).at(lw.Pose((0.1, 0, 0), turn if above is None else above[1].T @ turn))
        m.add_joint(f"joint {k}", kind((0, 0, 1)), place, body.at(lw.Pose((0, 0, 0), here.T @ turn)))
        above = body, here
    model = m.build()
    R = model.tables.bodies["R"].reshape(-1, 3, 3)
    assert np.max(np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3))) < 1e-13  # some rounding for each of few products
    kinematics = lw.forward_kinematics(model, rng.uniform(-1, 1, model.nq))
    # Three hundred rotations one after the other, each with its rounding.
    assert np.max(np.abs(kinematics.rotations @ np.swapaxes(kinematics.rotations, 1, 2) - np.eye(3))) < 1e-12
