"""Constraints survive pickling, copying, renaming and merging, functions included; the fingerprint sees what they say."""

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.jacobian import constraint_jacobian
from linkwork.solvers.delassus.driver import solve_constrained

from ....constraint_cases import CASES, egg, mechanism, model, states, swing, with_case

every_case = pytest.mark.parametrize("name", CASES)
SOME = ("lock with a turn that follows a law", "path of a function", "rolling disc", "relation of two numbers", "gear")


@every_case
def test_a_mechanism_with_the_constraint_is_a_value(name):
    m = with_case(name)
    again = pickle.loads(pickle.dumps(m))
    assert again == m and again.constraint(name).kind == CASES[name].kind
    assert hash(again.constraint(name).kind) == hash(CASES[name].kind)
    assert copy.deepcopy(m) == m == m.clone()
    assert again.faults() == []


@pytest.mark.parametrize("name", SOME)
def test_a_pickled_model_computes_the_same(name):
    """Functions are compiled anew: addresses mean nothing elsewhere."""
    again = pickle.loads(pickle.dumps(model(name)))
    assert again == model(name) and again.fingerprint == model(name).fingerprint
    q, v, t = states(name, 2)
    for one, other in zip(constraint_jacobian(model(name), q, v, t), constraint_jacobian(again, q, v, t), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(solve_constrained(model(name), q, v, t=t).vdot, solve_constrained(again, q, v, t=t).vdot)


@every_case
def test_a_renamed_and_merged_mechanism_has_the_same_rows(name):
    """Names are not physics: rename everything, merge it into another mechanism, and the rows stay."""
    m = with_case(name)
    for part in [*m.bodies, *m.joints, *m.constraints]:
        m.rename(part, f"{part.name} too")
    merged = lw.Mechanism("all", gravity=m.gravity)
    merged.merge(m, prefix="my ")
    changed = merged.build()
    assert [c.name for c in changed.constraints] == [f"my {name} too"]
    q, v, t = states(name, 1)
    for one, other in zip(constraint_jacobian(model(name), q, v, t), constraint_jacobian(changed, q, v, t), strict=True):
        assert np.allclose(one, other, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", SOME)
def test_a_copy_inside_a_mechanism_holds_the_copies(name):
    m = with_case(name)
    m.copy([*m.bodies, m.ground], prefix="second ")
    both = m.build()
    assert both.nc == 2 * model(name).nc
    q, v, t = (x[0] for x in states(name, 1))
    order = [both.joint(j.name) for j in model(name).joints], [both.joint(_second(j.name)) for j in model(name).joints]
    at_q = [np.concatenate([np.r_[j.q_index] for j in joints]) for joints in order]
    at_v = [np.concatenate([np.r_[j.v_index] for j in joints]) for joints in order]
    Q, V = np.zeros(both.nq), np.zeros(both.nv)
    for k in range(2):
        Q[at_q[k]], V[at_v[k]] = q, v
    vdot = lw.forward_dynamics(both, Q, V, t=t)
    expected = lw.forward_dynamics(model(name), q, v, t=t)
    for k in range(2):
        assert np.allclose(vdot[at_v[k]], expected, rtol=1e-9, atol=1e-9)


def _second(joint):
    # An automatic free joint is named for its body.
    return joint.replace("ring", "second ring") if "ring" in joint else f"second {joint}"


def _fingerprint(kind, *on):
    m = mechanism()
    m.add_constraint("held", kind, *on)
    return m.build().fingerprint


def _lines(k):
    return lambda t: 1.0 + k * t


def _around(inner):
    return lambda t: 2.0 * inner(t)


@pytest.mark.slow
def test_the_fingerprint_sees_functions_and_what_they_enclose():
    assert _fingerprint(lw.Drive(_lines(2.0)), "shoulder") == _fingerprint(lw.Drive(_lines(2.0)), "shoulder")
    prints = [_fingerprint(lw.Drive(law), "shoulder") for law in (_lines(2.0), _lines(3.0), swing, np.sin, 0.3)]
    assert len(set(prints)) == len(prints)
    nested = [_fingerprint(lw.Drive(_around(law)), "shoulder") for law in (_lines(2.0), _lines(2.0), _lines(3.0))]
    assert nested[0] == nested[1] != nested[2]
    relations = [_fingerprint(lw.Relation(function), "hand", "ring") for function in (egg, lambda poses, t: poses[0].p[0])]
    assert len(set(relations)) == 2
    assert _fingerprint(lw.Relation(egg), "hand", "ring") == relations[0]


def test_functions_that_cannot_be_pickled_say_so():
    m = mechanism()
    m.add_constraint("held", lw.Drive(_lines(1.0)), "shoulder")
    with pytest.raises((pickle.PicklingError, AttributeError), match="_lines"):
        pickle.dumps(m.build())


def test_a_constraint_can_be_changed():
    m = with_case("distance")
    m.change("distance", length=0.75)
    assert m.constraint("distance").kind == lw.Distance(0.75)
    with pytest.raises(lw.UnknownNameError, match="no field of constraint 'distance' is called 'lenght'; did you mean 'length'"):
        m.change("distance", lenght=1.0)
    m.change("distance", kind=lw.Coincident())
    assert m.build().nc == 3
    m.change("distance", a=m.body("arm").at(1, 0, 0))
    assert m.constraint("distance").a.part == "arm"
    m.remove("ring", dependents=True)
    assert m.constraints == []
