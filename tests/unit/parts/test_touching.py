import itertools
import pickle

import pytest

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.parts.touching import Touching


def scene(*names, contact=True):
    m = lw.Mechanism("scene")
    m.contact = contact
    for name in names:
        m.add_body(name, shape=lw.Sphere(0.1), density=1000)
    return m


def touching(m):
    """Pairs of names that touch; `why_not` must say the same of every pair."""
    found = Touching(m)
    pairs = {(found.bodies[i].name, found.bodies[j].name) for i, j in found.pairs()}
    names = [body.name for body in found.bodies]
    assert {pair for pair in itertools.combinations(names, 2) if found.why_not(*pair) is None} == pairs
    assert all((found.why_not(a, b) is None) == (found.why_not(b, a) is None) for a, b in itertools.combinations(names, 2))
    return pairs


def hinge(m, name, parent, child):
    m.add_joint(name, lw.Revolute((0, 1, 0)), parent, child)


# ---- when anything touches at all


@pytest.mark.parametrize(
    "declare",
    [
        lambda m: m.add_floor(),
        lambda m: m.change("ground", collisions=[lw.Box(1, 1, 1)]),
        lambda m: m.change("a", surface=lw.Surface()),
        lambda m: m.change("a", shape=lw.Sphere(0.1, surface=lw.Surface())),
        lambda m: m.change("a", collisions=[lw.Sphere(0.1, surface=lw.Surface())]),
        lambda m: setattr(m, "surface", lw.Surface()),
        lambda m: m.touch("a", "b"),
        lambda m: setattr(m, "contact", True),
    ],
)
def test_a_mechanism_takes_contact_as_soon_as_anything_of_it_is_declared(declare):
    m = scene("a", "b", contact=None)
    assert not m.touches and touching(m) == set() and not m.build().touches
    declare(m)
    assert m.touches and ("a", "b") in touching(m) and m.build().touches
    m.contact = False
    assert not m.touches and touching(m) == set() and not m.build().touches


def test_ignoring_and_shapes_to_see_declare_nothing():
    m = scene("a", "b", contact=None)
    m.ignore("a", "b")
    m.change("ground", visuals=[lw.Box(1, 1, 1)])
    m.change("a", visuals=[lw.Sphere(0.1, surface=lw.Surface())])
    assert not m.touches


def test_why_not_says_that_nothing_is_declared_or_that_contact_is_off():
    m = scene("a", "b", contact=None)
    assert "nothing of contact is declared; add a floor" in m.why_not_touching("a", "b")
    m.contact = False
    assert m.why_not_touching("a", "b") == "contact is switched off: m.contact = False"


# ---- which pairs


def test_bodies_without_joints_touch_each_other_and_the_ground():
    m = scene("a", "b")
    m.add_floor()
    assert touching(m) == {("ground", "a"), ("ground", "b"), ("a", "b")}


def test_a_body_without_shape_touches_nothing():
    m = scene("a", "b")
    m.add_body("ghost", mass=1.0, inertia=(1, 1, 1))
    assert touching(m) == {("a", "b")}
    assert m.why_not_touching("ghost", "a") == "'ghost' has no shape to touch with; give it a shape, or collisions"


def test_collisions_touch_in_place_of_the_shape():
    m = scene("a", "b")
    m.change("a", collisions=[lw.Box(1, 1, 1), lw.Sphere(0.2)])
    m.change("b", visuals=[lw.Box(1, 1, 1)])
    assert [shape.name for shape in m.build().shapes] == ["a/0", "a/1", "b"]


def test_welded_bodies_do_not_touch_even_if_asked():
    m = scene("a", "b", "c")
    m.add_joint("glue", lw.Weld(), "a", "b")
    m.add_joint("more glue", lw.Weld(), "b", "c")
    assert touching(m) == set()
    assert m.why_not_touching("a", "c") == "they are welded together"
    m.touch("a", "c")
    assert touching(m) == set()
    assert [fault.kind for fault in m.faults()] == ["touch"] and "touch('a', 'c'): they are welded together" in m.faults()[0].message


def test_bodies_fixed_to_the_ground_do_not_touch_each_other_or_it():
    m = scene("a", "b", "c")
    m.add_floor()
    m.add_joint("foot a", lw.Weld(), m.ground, "a")
    m.add_joint("foot b", lw.Weld(), m.ground, "b")
    assert touching(m) == {("ground", "c"), ("a", "c"), ("b", "c")}
    assert m.why_not_touching("a", "b") == m.why_not_touching("ground", "a") == "both are fixed to the ground"


def test_bodies_that_a_joint_joins_touch_if_asked():
    m = scene("a", "b")
    m.add_floor()
    hinge(m, "hinge", m.ground, "a")
    assert touching(m) == {("ground", "b"), ("a", "b")}
    assert m.why_not_touching("a", "ground").startswith("joint 'hinge' joins them; m.touch('a', 'ground') lets them")
    m.touch("a", "ground")
    assert touching(m) == {("ground", "a"), ("ground", "b"), ("a", "b")}


def test_a_free_joint_joins_nothing():
    m = scene("a", "b")
    m.add_joint("float", lw.Free(), "a", "b")
    assert touching(m) == {("a", "b")}


def test_bodies_of_one_linkage_do_not_touch_unless_asked():
    m = scene("a", "b", "c", "other")
    m.add_floor()
    hinge(m, "j1", m.ground, "a")
    hinge(m, "j2", "a", "b")
    hinge(m, "j3", "c", "b")  # the sense of a joint plays no role
    assert touching(m) == {("ground", "b"), ("ground", "c"), ("ground", "other"), ("a", "other"), ("b", "other"), ("c", "other")}
    assert m.why_not_touching("a", "c").startswith("they belong to one linkage")
    m.touch("a", "c")
    assert ("a", "c") in touching(m)


def test_two_linkages_on_the_ground_touch_each_other():
    m = scene("a", "b")
    hinge(m, "j1", m.ground, "a")
    hinge(m, "j2", m.ground, "b")
    assert touching(m) == {("a", "b")}


def test_two_robots_on_one_table_touch_each_other_but_not_what_they_stand_on():
    m = scene("table", "base", "a1", "a2", "b1", "b2")
    m.add_joint("screws", lw.Weld(), m.ground, "table")
    m.add_joint("more screws", lw.Weld(), "table", "base")
    hinge(m, "ja1", "base", "a1")
    hinge(m, "ja2", "a1", "a2")
    hinge(m, "jb1", "table", "b1")
    hinge(m, "jb2", "b1", "b2")
    expected = {("a1", "b1"), ("a1", "b2"), ("a2", "b1"), ("a2", "b2")}  # the robots
    expected |= {("table", "a1"), ("table", "a2"), ("base", "b1"), ("base", "b2")}  # each with what the other stands on
    assert touching(m) == expected


def test_constraints_that_keep_points_together_count_as_joints_and_others_do_not():
    for kind, together in ((lw.Coincident(), True), (lw.Lock(), True), (lw.Nail(), True), (lw.Distance(1.0), False)):
        m = scene("a", "b", "c")
        m.add_constraint("tie", kind, "a", "b")
        assert (("a", "b") not in touching(m)) == together, kind
        assert {("a", "c"), ("b", "c")} <= touching(m)


def test_a_loop_is_one_linkage_and_its_cut_body_has_no_shape():
    m = scene("a", "b", "c")
    hinge(m, "j1", m.ground, "a")
    hinge(m, "j2", m.body("a").at(1, 0, 0), "b")
    hinge(m, "j3", m.body("b").at(1, 0, 0), "c")
    m.add_joint("j4", lw.Revolute((0, 1, 0)), m.ground.at(1, 0, 0), m.body("c").at(0, 0, 1))
    m.add_floor(-5.0)
    model = m.build()
    assert model.nc == 6 and [shape.name for shape in model.shapes] == ["ground", "b"]  # a and c are joined with the ground
    assert [(pair.a, pair.b) for pair in model.pairs] == [("ground", "b")]


# ---- rules


def test_the_last_word_on_a_pair_holds_whichever_comes_first():
    m = scene("a", "b")
    m.ignore("a", "b")
    assert touching(m) == set() and m.why_not_touching("b", "a") == "m.ignore('b', 'a') says so"
    m.touch("b", "a")
    assert touching(m) == {("a", "b")} and len(m.touch_rules) == 1
    assert m.forget_touch("a", "b") == lw.TouchRule("b", "a", True)
    assert m.touch_rules == ()


def test_what_was_not_said_cannot_be_forgotten():
    m = scene("a", "b", "c")
    m.ignore("a", "c")
    with pytest.raises(ModelError, match=r"forget_touch\('a', 'b'\): nothing is said about this pair; there is ignore\('a', 'c'\)"):
        m.forget_touch("a", "b")


def test_bodies_may_be_given_as_themselves_but_not_those_of_others():
    m, other = scene("a", "b"), scene("a", "b")
    assert m.ignore(m.body("a"), m.ground) == lw.TouchRule("a", "ground", False)
    with pytest.raises(ModelError, match="body 'a' is no part of mechanism 'scene'"):
        m.touch(other.body("a"), "b")
    with pytest.raises(ModelError, match=r"touch: a body is 3 .*give a body or its name"):
        m.touch(3, "b")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda m: m.touch("a", "c"), "no body is called 'c'"),
        (lambda m: m.ignore("a", "c"), "no body is called 'c'"),
        (lambda m: m.ignore("a", "a"), "a body does not touch itself"),
        (lambda m: m.touch("a", "ground"), "'ground' has no shape to touch with"),
        (lambda m: m.touch("a", "b", lw.Surface(-1.0)), "friction of the Surface is -1"),
    ],
)
def test_a_rule_that_means_nothing_is_a_fault(rule, said):
    m = scene("a", "b")
    rule(m)
    [fault] = m.faults()
    assert fault.kind == "touch" and fault.part == "scene" and said in fault.message


def test_a_rule_waits_for_its_body():
    m = scene("a")
    m.ignore("a", "b")
    assert m.faults()
    m.add_body("b", shape=lw.Sphere(0.1), density=1000)
    assert not m.faults() and touching(m) == set()


def test_rules_follow_the_names_of_bodies_and_go_with_them():
    m = scene("a", "b", "c")
    m.ignore("a", "b")
    m.touch("b", "c", lw.Surface(0.1))
    m.rename("b", "bob")
    assert m.touch_rules == (lw.TouchRule("a", "bob", False), lw.TouchRule("bob", "c", True, lw.Surface(0.1)))
    assert m.forget_touch("c", "bob").surface == lw.Surface(0.1)
    m.remove("a")
    assert [fault.kind for fault in m.faults()] == ["touch"]  # it waits, as joints do
    m.remove("bob", dependents=True)
    assert m.touch_rules == () and not m.faults()


def test_what_is_declared_is_part_of_the_mechanism():
    m = scene("a", "b")
    m.add_floor(surface=lw.Surface(0.3))
    m.touch("a", "b", lw.Surface(0.1))
    m.surface, m.contact = lw.Surface(0.9), None
    again = m.clone()
    assert again == m and pickle.loads(pickle.dumps(m)) == m
    for change in (lambda m: m.ignore("a", "b"), lambda m: setattr(m, "surface", None), lambda m: setattr(m, "contact", False)):
        again = m.clone()
        change(again)
        assert again != m and m.touch_rules == (lw.TouchRule("a", "b", True, lw.Surface(0.1)),)


def test_a_copy_takes_the_rules_among_its_bodies_and_with_the_ground():
    m = scene("a", "b", "c")
    m.add_floor()
    m.ignore("a", "b")
    m.ignore("b", "c")
    m.touch("ground", "a", lw.Surface(0.1))
    m.copy(["a", "b"], "left ")
    assert m.touch_rules[3:] == (lw.TouchRule("left a", "left b", False), lw.TouchRule("ground", "left a", True, lw.Surface(0.1)))


def test_a_mechanism_that_is_merged_keeps_its_rules_and_surfaces():
    m, other = scene("a", contact=None), scene("b", "c", contact=None)
    other.surface = lw.Surface(0.9)
    other.change("c", surface=lw.Surface(0.2))
    other.add_floor(-1.0)
    other.ignore("b", "c")
    m.merge(other, "x ")
    assert m.surface is None and m.touch_rules == (lw.TouchRule("x b", "x c", False),)
    assert [m.body(name).surface for name in ("a", "x b", "x c")] == [None, lw.Surface(0.9), lw.Surface(0.2)]
    assert m.ground.collisions == (lw.Floor(-1.0, surface=lw.Surface(0.9)),)
    assert other.ground.collisions == (lw.Floor(-1.0),)


# ---- floors and files


def test_a_floor_on_a_body_is_a_fault_in_words():
    for where in ("shape", "visuals", "collisions"):
        m = lw.Mechanism("odd")
        m.add_body("raft", mass=1.0, inertia=(1, 1, 1), **{where: lw.Floor() if where == "shape" else [lw.Floor()]})
        [fault] = m.faults()
        assert fault.kind == "floor" and "body 'raft': it has a Floor" in fault.message and "m.add_floor()" in fault.message


def test_a_floor_gives_no_inertia():
    m = lw.Mechanism("odd")
    m.add_body("raft", mass=1.0, shape=lw.Floor())
    assert "floor" in {fault.kind for fault in m.faults()}
    with pytest.raises(ModelError, match="Floor: it has no volume"):
        lw.Floor().solid()


def test_a_floor_that_is_nowhere_is_a_fault():
    m = lw.Mechanism("odd")
    m.add_floor(float("inf"))
    assert [(fault.part, fault.kind) for fault in m.faults()] == [("ground", "dimension")]


def test_a_mesh_file_that_would_touch_is_a_fault_and_one_that_is_ignored_is_not():
    m = scene("a", contact=None)
    m.add_body("arm", mass=1.0, inertia=(1, 1, 1), shape=lw.MeshFile("arm.stl"))
    assert not m.faults()
    m.add_floor()
    [fault] = m.faults()
    assert fault.part == "arm" and "a file that cannot be read: MeshFile: arm.stl: No such file" in fault.message
    m.ignore("arm", "ground")
    m.ignore("arm", "a")
    assert not m.faults() and [shape.name for shape in m.build().shapes] == ["ground", "a"]
    m.forget_touch("arm", "a")
    m.change("arm", collisions=[lw.Capsule(0.1, 0.5)])
    assert not m.faults()


SHEET = [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]


def test_a_height_field_belongs_on_the_ground():
    m = lw.Mechanism("m")
    m.add_body("cart", mass=1.0, inertia=(1, 1, 1), collisions=[lw.HeightField([[0, 0], [0, 1]], 1.0)])
    [fault] = m.faults()
    assert fault.kind == "floor" and "allowed is one on the ground" in fault.message and "touching='triangles'" in fault.message


def test_two_surfaces_that_should_touch_are_a_fault_in_words():
    m = scene("ball")
    m.change("ground", collisions=[lw.HeightField([[0, 0], [0, 1]], 1.0)])
    m.add_body("bowl", mass=1.0, inertia=(1, 1, 1), shape=lw.Mesh(*SHEET, touching="triangles"))
    [fault] = m.faults()
    assert fault.part == "bowl" and "do not touch each other" in fault.message and "m.ignore('ground', 'bowl')" in fault.message
    m.ignore("ground", "bowl")
    assert not m.faults()


def test_more_bodies_than_can_be_compared_are_a_fault(monkeypatch):
    monkeypatch.setattr("linkwork.parts.touching.MOST_BODIES", 2)
    m = scene("a", "b", "c")
    [fault] = m.faults()
    assert fault.kind == "touch" and "3 bodies have shapes that touch; allowed are 2" in fault.message


def test_contact_is_true_false_or_none():
    with pytest.raises(ModelError, match=r"contact is 1 \(int\); give True, False, or None"):
        lw.Mechanism("odd").contact = 1
