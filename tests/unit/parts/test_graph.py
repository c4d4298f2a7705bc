"""The spanning forest: order, direction, floating assemblies, loops."""

import random

import pytest

from linkwork.parts import Free, Mechanism, Place, Revolute, Weld, spanning_forest
from linkwork.parts.graph import assembly_of, forest, outboard_of
from linkwork.spatial.pose import Pose

Z = (0.0, 0.0, 1.0)


def mechanism(bodies, joints):
    """bodies: names in a text; joints: 'parent-child' in a text, each called as its ends."""
    m = Mechanism()
    for name in bodies.split():
        m.add_body(name, mass=1.0, inertia=(1, 1, 1))
    for name in joints.split():
        m.add_joint(name, Revolute(Z), *name.split("-"))
    return m


def words(m):
    return [f"{e.parent_body_name}>{e.child_body_name}{'*' if e.reversed else ''}" for e in spanning_forest(m)]


def test_nothing_is_a_forest_too():
    assert spanning_forest(Mechanism()) == []


def test_depth_first_with_children_in_the_order_of_their_joints():
    m = mechanism("a b c d e", "ground-a a-d a-b b-c ground-e")
    assert words(m) == ["ground>a", "a>d", "a>b", "b>c", "ground>e"]
    assert [edge.joint for edge in spanning_forest(m)] == [m.joint(name) for name in ("ground-a", "a-d", "a-b", "b-c", "ground-e")]


def test_joints_are_walked_backwards_where_needed():
    assert words(mechanism("a b c", "a-ground b-a b-c")) == ["ground>a*", "a>b*", "b>c"]


def test_a_body_may_be_the_child_of_two_joints():
    assert words(mechanism("a b c", "ground-a a-c b-c")) == ["ground>a", "a>c", "c>b*"]


def test_floating_assemblies_come_last_each_on_a_free_joint():
    m = mechanism("f a g h", "ground-a f-g")
    assert words(m) == ["ground>a", "ground>f", "f>g", "ground>h"]
    free = spanning_forest(m)[1].joint
    assert free.name == "f.free" and free.kind == Free() and free.automatic
    assert (free.parent, free.child) == (Place("ground"), Place("f"))
    assert (free.parent_pose, free.child_pose, free.parent_body, free.child_body) == (Pose(), Pose(), "ground", "f")
    assert len(m.joints) == 2


def test_the_root_is_the_first_body_that_is_nobodys_child():
    assert words(mechanism("a b c d", "c-a c-b d-b")) == ["ground>c", "c>a", "c>b", "b>d*"]


def test_the_chosen_root_goes_first():
    m = mechanism("a b c", "a-b b-c")
    m.reroot("b")
    assert words(m) == ["ground>b", "b>a*", "b>c"]
    assert spanning_forest(m)[0].joint.name == "b.free"


def test_an_explicit_free_joint_is_enough():
    m = mechanism("a b", "a-b")
    m.add_joint("base", Free(), m.ground, "a")
    assert words(m) == ["ground>a", "a>b"]
    assert not any(edge.joint.automatic for edge in spanning_forest(m))


def test_frames_lead_to_their_bodies():
    m = mechanism("a b", "")
    m.add_frame("f", m.body("a").at(1, 0, 0))
    m.add_frame("g", m.frame("f").at(0, 1, 0))
    joint = m.add_joint("j", Weld(), "ground", "g")
    assert words(m) == ["ground>a", "ground>b"]
    assert spanning_forest(m)[0].joint is joint
    assert joint.child_pose == Pose((1, 1, 0))


def test_joints_that_lead_nowhere_are_left_out():
    m = mechanism("a b", "ground-a a-x y-b b-b")
    assert words(m) == ["ground>a", "ground>b"]


def test_a_loop_is_cut_half_way_round():
    m = mechanism("a b c d", "ground-a c-d a-b b-c c-ground d-b")
    graph = forest(m)
    assert [loop.joint.name for loop in graph.loops] == ["b-c", "d-b"]  # b hangs on a and d on c: two joints from ground each
    cycles = {loop.joint.name: [joint.name for joint in joints] for loop, joints in graph.cycles()}
    assert set(cycles["b-c"]) == {"ground-a", "a-b", "b-c", "c-ground"}
    assert set(cycles["d-b"]) == {"ground-a", "a-b", "d-b", "c-d", "c-ground"} and len(graph.edges) == 4


@pytest.mark.parametrize("cut", ["ground-a", "a-b", "b-c", "c-ground"])
def test_a_joint_that_is_preferred_is_cut(cut):
    m = mechanism("a b c", "ground-a a-b b-c c-ground")
    assert [loop.joint.name for loop in forest(m, [cut]).loops] == [cut]
    m.change(cut, prefer_cut=True)
    assert [loop.joint.name for loop in forest(m).loops] == [cut]


def test_a_joint_that_alone_holds_a_body_is_not_cut_however_preferred():
    m = mechanism("a b c d", "ground-a a-b b-ground b-d")
    m.change("b-d", prefer_cut=True)
    assert [loop.joint.name for loop in forest(m).loops] == ["a-b"]


def test_a_loop_joint_becomes_a_leaf_with_a_twin():
    m = mechanism("a b", "ground-a a-b ground-b")
    edges = forest(m, ["a-b"]).with_cut_bodies()
    assert [(e.joint.name, e.child_body_name, e.closes_loop) for e in edges] == [
        ("ground-a", "a", False),
        ("a-b", "b", True),
        ("ground-b", "b", False),
    ]


def test_ground_and_weak_bodies_have_no_twin():
    m = mechanism("a b", "ground-a a-b b-ground")
    (edge,) = [e for e in forest(m, ["b-ground"]).with_cut_bodies() if e.closes_loop]
    assert (edge.parent_body_name, edge.child_body_name, edge.reversed) == ("ground", "b", True)
    (edge,) = [e for e in forest(m, ["a-b"]).with_cut_bodies({"b"}) if e.closes_loop]
    assert (edge.parent_body_name, edge.child_body_name, edge.reversed) == ("b", "a", True)


def test_two_joints_between_two_bodies_are_a_loop():
    m = mechanism("a", "ground-a a-ground")
    ((loop, joints),) = forest(m).cycles()
    assert loop.joint.name == "a-ground" and [joint.name for joint in joints] == ["ground-a", "a-ground"]


def test_a_floating_loop_has_a_root():
    m = mechanism("a b c", "a-b b-c c-a")
    assert words(m) == ["ground>a", "a>b", "a>c*"]
    assert [loop.joint.name for loop in forest(m).loops] == ["b-c"]


def test_a_floating_loop_stands_on_its_heaviest_body():
    m = mechanism("a b c", "a-b b-c c-a")
    m.change("c", mass=2.0)
    assert words(m)[0] == "ground>c"


def test_assemblies_and_what_hangs_on_a_body():
    m = mechanism("a b c d e", "ground-a a-b b-c d-e")
    assert sorted(assembly_of(m, "b")) == ["a", "b", "c", "ground"]
    assert sorted(assembly_of(m, "e")) == ["d", "e"]
    assert outboard_of(m, "b") == ["b", "c"]
    assert outboard_of(m, "d") == ["d", "e"]
    assert outboard_of(m, "e") == ["e"]


@pytest.mark.parametrize("seed", range(20))
def test_a_random_tree_is_spanned_depth_first(seed):
    """Every body once, parents first, a subtree in one piece, whichever way round and in whichever order joints are given."""
    rng = random.Random(seed)
    m, names = Mechanism(), [f"b{i}" for i in range(rng.randint(1, 30))]
    for name in rng.sample(names, len(names)):
        m.add_body(name)
    ends = [(name, rng.choice(["ground", *names[:i]])) for i, name in enumerate(names) if rng.random() < 0.9]
    for i, pair in enumerate(rng.sample(ends, len(ends))):
        m.add_joint(f"j{i}", Weld(), *rng.sample(pair, 2))
    edges = spanning_forest(m)
    assert sorted(edge.child_body_name for edge in edges) == sorted(names)
    path = ["ground"]
    for edge in edges:
        while path[-1] != edge.parent_body_name:
            path.pop()  # fails on an empty list if the order is not depth first
        path.append(edge.child_body_name)
        ends = (edge.joint.parent_body, edge.joint.child_body)
        assert ends == (edge.parent_body_name, edge.child_body_name)[:: -1 if edge.reversed else 1]
    assert sum(edge.joint.automatic for edge in edges) == len(names) - len(m.joints)
