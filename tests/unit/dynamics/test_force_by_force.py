"""Forces one by one: what each exerts at its ends, and on which of the bodies that share a link."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.dynamics.force_by_force import forces_of

from ... import force_cases


def arm_under(kind):
    m = lw.Mechanism("arm")
    masses = {"mass": 1.5, "com": (0.1, -0.2, 0.3), "inertia": (0.3, 0.4, 0.35)}
    base, hand = m.add_body("base", **masses), m.add_body("hand", **masses)
    m.add_joint("shoulder", lw.Revolute((1.0, 2.0, 0.5)), m.ground.at(0.1, 0.2, 0.0), base.at(-0.2, 0.1, 0.1))
    m.add_joint("wrist", lw.Cylindrical((0.0, 1.0, 1.0)), base.at(0.3, 0.1, 0.2), hand.at(0.0, 0.2, -0.3))
    if kind.takes == "joints":
        m.add_force("law", kind, "shoulder", ("wrist", 1))
    else:
        m.add_force("law", kind, *(hand.at(0.1, 0.2, 0.3), base.at(-0.3, 0.2, 0.1))[: kind.most])
        m.add_force("to ground", kind, *(base.at(0.3, 0.0, 0.3), m.ground.at(0.2, 0.2, -0.4))[: kind.most])
    return m.build()


@pytest.mark.parametrize("name", force_cases.CASES)
def test_all_forces_together_are_those_that_act_in_motion(name):
    """The motion adds forces up link by link; here they are added up body by body. No two bodies share a link: both say the same."""
    model = arm_under(force_cases.CASES[name].kind)
    random = np.random.default_rng(7)
    for t in (0.1, 0.9):
        q, v = random.normal(size=model.nq), random.normal(size=model.nv)
        found = forces_of(model).at(t, q, v)
        tau, wrenches = lw.applied_forces(model, q, v, t)
        size = 1.0 + max(np.abs(tau).max(), np.abs(wrenches).max())
        assert np.abs(found.tau - tau).max() <= 1e-13 * size
        assert np.abs(found.wrenches - wrenches).max() <= 1e-13 * size  # the same operations in another order


def test_a_spring_between_bodies_welded_together_is_felt_by_the_weld():
    m = lw.Mechanism("clamp", gravity=(0.0, 0.0, 0.0))
    jaw, other = (m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in ("jaw", "other"))
    m.add_joint("slide", lw.Prismatic((1, 0, 0)), m.ground, jaw)
    m.add_joint("weld", lw.Weld(), jaw.at(0.5, 0, 0), other)
    m.add_force("spring", lw.SpringDamper(100.0, length=0.2), jaw, other)
    r = lw.reactions(m.build(), [0.0], [0.0])
    assert r.force("weld") == pytest.approx([30.0, 0.0, 0.0], abs=1e-12)  # 100 N/m, 0.3 m too long: the weld keeps the other away
    assert np.abs(r.force("slide")).max() < 1e-12


def test_a_force_on_a_body_welded_to_the_ground_is_felt_by_that_weld():
    m = lw.Mechanism("post", gravity=(0.0, 0.0, 0.0))
    post, block = (m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in ("post", "block"))
    m.add_joint("foot", lw.Weld(), m.ground, post)
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground.at(1, 0, 0), block)
    m.add_force("spring", lw.SpringDamper(100.0, length=0.4), post.at(0, 0, 0), block)
    r = lw.reactions(m.build(), [0.0], [0.0])
    assert r.force("foot") == pytest.approx([-60.0, 0.0, 0.0], abs=1e-12)


def test_ends_say_where_a_force_acts_and_how_strongly_also_of_one_that_is_off():
    m = lw.Mechanism("block", gravity=(0.0, 0.0, 0.0))
    block = m.add_body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, block)
    m.add_force("spring", lw.SpringDamper(10.0, length=1.0), block, m.ground.at(3, 0, 0))
    m.add_force("idle", lw.SpringDamper(10.0, length=1.0), block, m.ground.at(0, 0, 2), on=False)
    model = m.build()
    forces = forces_of(model)  # kept beside the model, for as long as that is there
    ends = forces.at(0.0, np.array([0.5]), np.zeros(1)).ends
    on, off = ends[forces.entry_of("spring")], ends[forces.entry_of("idle")]
    assert on["f_a"].tolist() == [15.0, 0.0, 0.0] and on["f_b"].tolist() == [-15.0, 0.0, 0.0]
    assert on["p_a"].tolist() == [0.5, 0.0, 0.0] and on["p_b"].tolist() == [3.0, 0.0, 0.0]
    assert on["energy"] == 0.5 * 10.0 * 1.5**2
    assert not any(off[name].any() for name in ("n_a", "f_a", "n_b", "f_b", "energy"))
    assert off["p_a"].tolist() == [0.5, 0.0, 0.0] and off["p_b"].tolist() == [0.0, 0.0, 2.0]


def test_a_law_may_ask_for_the_forces_of_its_own_model():
    """A law that runs as plain Python calls `applied_forces` in the middle of `applied_forces`: it is answered, not left waiting for itself."""
    asked = {}

    @lw.force(on="joint")
    def asking(q, v, t):
        if "model" in asked and "answer" not in asked:
            asked["answer"] = None
            asked["answer"] = lw.applied_forces(asked["model"], np.full(1, 0.25), np.zeros(1))[0].tolist()
        return -q

    m = lw.Mechanism("crank")
    arm = m.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(1, 1, 1))
    m.add_force("asking", asking(), m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.InterpretedWarning)  # it cannot be compiled, and says so
        model = m.build()
        lw.applied_forces(model, np.ones(1))
        asked["model"] = model
        assert lw.applied_forces(model, np.ones(1))[0].tolist() == [-1.0]
    assert asked["answer"] == [-0.25]
