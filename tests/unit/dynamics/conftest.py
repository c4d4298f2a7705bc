"""The mechanism on which all functions are tried with right and wrong arguments."""

import pytest

import linkwork as lw


@pytest.fixture(scope="module")
def model():
    """An arm with a ball joint on a floating base, a sliding foot, and a named place on its hand."""
    m = lw.Mechanism("arm")
    base, upper, fore, foot = (
        m.add_body(n, mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.2)) for n in ("base", "upper", "forearm", "foot")
    )
    m.add_joint("shoulder", lw.Spherical(), base.at(0.2, 0, 0), upper)
    m.add_joint("elbow", lw.Revolute((0, 1, 0), lower=-2.0, upper=2.0), upper.at(0.3, 0, 0), fore)
    m.add_joint("slide", lw.Prismatic((0, 0, 1)), base.at(0, 0, -0.1), foot)
    m.add_frame("tool", fore.at(0.2, 0, 0))
    return m.build()


@pytest.fixture(scope="module")
def one_hinge():
    """The smallest model there is: one coordinate."""
    m = lw.Mechanism("hinge")
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1)))
    return m.build()
