"""linkwork.testing: the check that users run on their constraints finds what is wrong, and names it."""

import numpy as np
import pytest

import linkwork as lw
from linkwork import testing
from linkwork.errors import ModelError, StateError
from linkwork.testing import check_constraint

from ..constraint_cases import model


def test_the_report_reads_well():
    report = check_constraint(model("rolling ball"), "rolling ball", t=0.6)
    text = str(report)
    assert "constraint 'rolling ball'" in text and "slip x" in text and "-" in text
    assert report.largest < 1e-9
    assert np.isnan(report.J[1]) and np.isfinite(report.gamma).all()


@pytest.mark.parametrize("what", ["J", "phi_dot", "gamma"])
def test_a_wrong_term_is_found_and_named(monkeypatch, what):
    true = testing.constraint_jacobian

    def wrong(*arguments):
        rows = true(*arguments)
        return rows._replace(**{what: getattr(rows, what) * 1.001})

    monkeypatch.setattr(testing, "constraint_jacobian", wrong)
    with pytest.raises(AssertionError, match=rf"constraint 'distance', row 'distance': {what} is .*differences give"):
        check_constraint(model("distance"), "distance")


def test_loops_can_be_checked_too():
    m = lw.Mechanism("triangle")
    for k in range(2):
        m.add_body(f"bar {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pin 0", lw.Spherical(), m.ground, "bar 0")
    m.add_joint("pin 1", lw.Universal((0, 0, 1), (0, 1, 0)), m.body("bar 0").at(1, 0, 0), "bar 1")
    m.add_joint("pin 2", lw.Cylindrical((1, 0, 0)), m.body("bar 1").at(1, 0, 0), m.ground.at(0.8, 0.1, 0))
    built = m.build()
    (loop,) = built.constraints
    rng = np.random.default_rng(5)
    q = lw.random_configuration(built, rng, span=0.8)
    assert check_constraint(built, loop.name, q, rng.normal(size=built.nv)).largest < 1e-8


def test_bad_arguments_are_refused():
    with pytest.raises(ModelError, match="no constraint"):
        check_constraint(model("distance"), "distanse")
    with pytest.raises(StateError, match="one state"):
        check_constraint(model("distance"), "distance", np.zeros((2, 3)))
    with pytest.raises(ModelError, match="model"):
        check_constraint("distance", "distance")
