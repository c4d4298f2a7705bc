"""What must not matter to reactions: where a loop is cut, which side of a joint is called the child, names, the order of adding, the solver."""

import numpy as np
import pytest

import linkwork as lw

from ...zoo import ZOO, configuration

# Two ways through the same mechanism differ by rounding and the condition of its rows, up to 1e4 here.
CLOSE = 1e-9
LOOPS = ["four-bar", "slider-crank", "parallelogram with a redundant link", "Sarrus", "Bennett", "spatial slider-crank", "door"]

loops = pytest.mark.parametrize("name", LOOPS)


def loaded(model, example, rng_seed=5):
    """A state with forces on joints and bodies, by names, so that it is the same in every build."""
    rng = np.random.default_rng(rng_seed)
    by_joint = {name: rng.normal(size=model.joint(name).nv) for name in sorted(j.name for j in model.joints)}
    by_body = {name: rng.normal(size=6) for name in sorted(b.name for b in model.bodies)}
    tau = np.zeros(model.nv)
    for name, force in by_joint.items():
        tau[model.joint(name).v_index] = force
    return configuration(model, example.guess), np.zeros(model.nv), tau, by_body


def same(one, other, names, sign=None, frame="world"):
    sign = sign or {}
    scale = 1.0 + max(float(np.max(np.abs(one.wrench(name)))) for name in names)
    wrong = [n for n in names if np.max(np.abs(one.wrench(n, frame) - sign.get(n, 1.0) * other.wrench(n, frame))) > CLOSE * scale]
    flags = [n for n in names if not np.array_equal(one.unique(n, frame), other.unique(n, frame))]
    return wrong == [] and flags == []


def again(mechanism, turned=None, order=1):
    """The mechanism made anew: with one joint given the other way round, or with all parts in the opposite order."""
    new = lw.Mechanism("again", mechanism.gravity)
    for body in mechanism.bodies[::order]:
        given = body.mass_properties()
        new.add_body(body.name, mass=given.mass, com=given.com, inertia=given.tensor)
    for j in mechanism.joints[::order]:
        kind, a, b = j.kind, lw.Place(j.parent_body, j.parent_pose), lw.Place(j.child_body, j.child_pose)
        if j.name == turned:
            kind, a, b = type(kind)(tuple(-x for x in kind.elements[0].axis)), b, a
        new.add_joint(j.name, kind, a, b)
    return new


@loops
def test_the_cut_does_not_matter(name):
    example = ZOO[name]()
    model = example.mechanism.build()
    one = lw.reactions(model, *loaded(model, example))
    cuts = set()
    for joint in example.mechanism.joints:
        other = example.mechanism.build(prefer_cut=[joint.name])
        cuts.add(tuple(j.name for j in other.joints if j.closes_loop))
        assert same(one, lw.reactions(other, *loaded(other, example)), one.names)
    assert len(cuts) > 1, "all builds were cut alike: the test proved nothing"


@loops
def test_the_sense_of_a_joint_does_not_matter(name):
    """Turned round, a joint's wrench is that on the other side: the opposite."""
    example = ZOO[name]()
    model = example.mechanism.build()
    one = lw.reactions(model, *loaded(model, example))
    for joint in example.mechanism.joints:
        if joint.kind.nv > 1:
            continue
        other = again(example.mechanism, turned=joint.name).build()
        assert same(one, lw.reactions(other, *loaded(other, example)), one.names, {joint.name: -1.0}, "ground")


def test_names_do_not_matter():
    example = ZOO["parallelogram with a redundant link"]()
    model = example.mechanism.build()
    one = lw.reactions(model, configuration(model, example.guess), np.zeros(model.nv))
    renamed, q = example.mechanism.clone(), np.zeros(model.nq)
    for k, joint in enumerate(example.mechanism.joints):
        renamed.rename(joint.name, f"{(7 * k) % 11} new")
    other = renamed.build()
    two = lw.reactions(other, q, np.zeros(other.nv))
    names = {j.name: f"{(7 * k) % 11} new" for k, j in enumerate(example.mechanism.joints)}
    assert all(np.allclose(one.wrench(a), two.wrench(b), rtol=0.0, atol=1e-8) for a, b in names.items())


def test_the_order_of_adding_does_not_matter():
    """Another order makes another tree and other cuts."""
    example = ZOO["parallelogram with two redundant links"]()
    model = example.mechanism.build()
    one = lw.reactions(model, *loaded(model, example))
    other = again(example.mechanism, order=-1).build()
    assert [j.name for j in other.joints if j.closes_loop] != [j.name for j in model.joints if j.closes_loop]
    assert same(one, lw.reactions(other, *loaded(other, example)), one.names)


def test_the_length_does_not_depend_on_the_cut():
    for name in LOOPS:
        mechanism = ZOO[name]().mechanism
        models = [mechanism.build(prefer_cut=[j.name]) for j in mechanism.joints]
        lengths = {round(lw.reactions(m, lw.neutral(m), np.zeros(m.nv)).length, 12) for m in models}
        assert len(lengths) == 1
